//! Runbooks: one Markdown page each, and an index with everything else.
//!
//! A step `{id: cache, when: {signal: hit_rate, below: 50%}, fix: revert, else: queue}` of `high-ttft` becomes a section of
//! `high-ttft.md`: the query, the threshold, a link to the fix, and a link to the step `queue`.

mod alerts;
mod chart;
mod check;
mod fence;
mod index;
mod load;
mod page;
mod query;
mod steps;

use super::{OutFile, Rendered, TargetError};
use crate::plan::Plan;
use crate::source::lines;
use crate::template::Templates;

/// Renders all pages of a service.
///
/// # Errors
/// When a template fails, or a link inside the pages leads nowhere.
pub(super) fn render(plan: &Plan, templates: &Templates) -> Result<Rendered, TargetError> {
    let mut rendered = Rendered::default();
    let runbooks = &plan.runbooks;
    let led = runbooks.pages.iter();
    let led: Vec<_> = led
        .map(|page| (page, alerts::of(plan, Some(&page.name))))
        .collect();
    let others = alerts::of(plan, None);
    let nothing = led.is_empty() && others.is_empty();
    if nothing && runbooks.load_tests.is_none() && runbooks.advice.is_empty() {
        return Ok(rendered);
    }
    for (page, alerts) in &led {
        let text = templates.render("runbook/page.md", &page::view(plan, page, alerts))?;
        rendered.files.push(OutFile {
            path: format!("{}.md", page.name),
            text: tidy(&text),
        });
    }
    let text = templates.render("runbook/index.md", &index::view(plan, &led, &others))?;
    rendered.files.push(OutFile {
        path: "README.md".to_owned(),
        text: tidy(&text),
    });
    if let Some(tests) = &runbooks.load_tests {
        rendered.files.extend(load::files(plan, tests, templates)?);
    }
    check::links(&rendered.files)?;
    Ok(rendered)
}

/// No more than one blank line in a row outside of code, none at the end of a line, one end.
fn tidy(text: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut fences = fence::Fences::default();
    for line in lines(text).map(str::trim_end) {
        let code = fences.is_code(line);
        if line.is_empty() && !code && out.last().is_none_or(|last| last.is_empty()) {
            continue;
        }
        out.push(line);
    }
    format!("{}\n", out.join("\n").trim_end())
}
