//! Ways through generated runbooks, read from the pages as a person reads them.

use serde_json::Value;
use slosmith::plan::runbook::Check;

use crate::bundled;

/// The fleets that fail: files of `tests/fixtures/incidents`.
pub(crate) const FLEETS: [&str; 5] = ["fleet", "production", "mangaassist", "sglang", "gateway"];

/// The incidents of a fleet.
pub(crate) fn incidents(fleet: &str) -> Value {
    bundled::yaml(&format!("tests/fixtures/incidents/{fleet}.yaml"))
}

/// A walk to the fix of an incident.
pub(crate) struct Walk {
    /// The title of the runbook.
    pub(crate) page: String,
    pub(crate) steps: Vec<Step>,
    /// The title of the fix.
    pub(crate) fix: String,
    /// Minutes from the failure to the first alert with this runbook.
    pub(crate) first: u64,
    /// This alert.
    pub(crate) alert: String,
}

/// A step on the way.
pub(crate) struct Step {
    pub(crate) title: String,
    /// The condition of the query that the page shows; without one, a person answers.
    pub(crate) query: Option<String>,
    /// The answer that leads on.
    pub(crate) yes: bool,
}

/// The walk of an incident through a runbook of a bundled spec, if it has one there. Each step must lead to the next one, the first step
/// must be where the page begins, and the incident must answer each question. A walk begins at the first step, or where
/// the alert itself is the answer.
pub(crate) fn walk(incident: &Value, spec: &str, fired: &Value) -> Option<Walk> {
    let ids = incident["walk"].as_array()?;
    let ids: Vec<_> = ids.iter().map(|id| id.as_str().expect("an id")).collect();
    let [page, ids @ .., fix] = ids.as_slice() else {
        panic!("{ids:?}");
    };
    let specs =
        [spec, "inference", "engine"].map(|spec| bundled::yaml(&format!("specs/{spec}.yaml")));
    let runbook = specs.iter().map(|spec| &spec["runbooks"][page]);
    let runbook = runbook
        .into_iter()
        .find(|runbook| runbook["steps"].is_array())?;
    let service = specs[0]["service"]["name"].as_str().expect("a name");
    let text = bundled::text(&format!("generated/{service}/runbooks/{page}.md"));
    let first = fired.as_object()?.iter();
    let first = first.filter(|(alert, _)| text.contains(&format!("\n### {alert}\n")));
    // The alert that somebody follows, if that is not the first one.
    let followed = incident["page"].as_str();
    let first = first.filter(|(alert, _)| followed.is_none_or(|page| page == *alert));
    let first = first.filter_map(|(alert, after)| Some((after.as_u64()?, alert)));
    let (first, alert) = first.min()?;
    let plan = bundled::plan(&bundled::spec(spec));
    let mut pages = plan.runbooks.pages.iter();
    let checks = &pages.find(|found| found.name == **page)?.steps;
    let known = runbook["steps"].as_array().expect("steps");
    let number = |id: &str| {
        let at = known.iter().position(|step| step["id"] == *id);
        at.unwrap_or_else(|| panic!("{page}: {id}")) + 1
    };
    let begin = number(ids[0]);
    let told = format!("the answer to [step {begin}](#step-{begin}) is yes");
    assert!(
        begin == 1 || text.contains(&told),
        "{page} begins elsewhere"
    );
    assert!(ids.len() <= 6, "{page}: {ids:?}");
    let mut steps = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        let title = known[number(id) - 1]["title"].as_str().expect("a title");
        let target = match ids.get(at + 1) {
            Some(next) => format!("(#step-{})", number(next)),
            None => format!("(#fix-{fix})"),
        };
        let mut step = step(&text, &format!("{}. {title}", number(id)), &target);
        if let (Some(shown), Check::Condition { condition, .. }) =
            (&step.query, &checks[number(id) - 1].check)
        {
            // The page may show a value, and tell its threshold in words.
            let whole = condition.query().expr.to_string();
            let bare =
                |text: &str| text.replace(|c: char| c.is_whitespace() || "(),".contains(c), "");
            assert!(bare(&whole).contains(&bare(shown)), "{page}: {shown}");
            step.query = Some(whole);
        }
        assert!(
            step.query.is_some() || incident["answers"][id].is_string(),
            "{}: no answer to {id}",
            incident["name"]
        );
        steps.push(step);
    }
    let title = |value: &Value| value["title"].as_str().expect("a title").to_owned();
    Some(Walk {
        page: title(runbook),
        steps,
        fix: title(&runbook["fixes"][fix]),
        first,
        alert: alert.clone(),
    })
}

/// The step with this heading, and the answer that leads to `target`.
fn step(page: &str, heading: &str, target: &str) -> Step {
    let (_, text) = page
        .split_once(&format!("\n### {heading}\n"))
        .unwrap_or_else(|| panic!("no step {heading}"));
    let text = text.split("\n<a id=").next().expect("a part");
    let query = text.split_once("```promql\n").map(|(_, rest)| {
        let query = rest.split("```").next().expect("a part");
        query.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let (if_yes, if_no) = text.split_once("\n- **No**").unwrap_or((text, ""));
    let yes = if_yes.contains(target);
    assert!(
        yes || if_no.contains(target),
        "{heading} does not lead to {target}"
    );
    Step {
        title: heading.split_once(". ").expect("a number").1.to_owned(),
        query,
        yes,
    }
}
