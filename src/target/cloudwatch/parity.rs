//! The report on what both back ends say alike.

use serde_json::{Value, json};

use crate::plan::Plan;
use crate::plan::cloudwatch::{CloudWatch, Verdict, What};

/// What the template sees: counts, then one entry for each thing, by kind.
pub(super) fn view(plan: &Plan, cw: &CloudWatch) -> Value {
    let verdict = |v: &Verdict| json!({"verdict": v.as_str(), "notes": v.notes()});
    let entries: Vec<_> = cw
        .parity
        .iter()
        .map(|p| {
            json!({
                "kind": p.what.as_str(),
                "name": p.name,
                "prometheus": verdict(&p.prometheus),
                "cloudwatch": verdict(&p.cloudwatch),
                "resource": p.resource,
            })
        })
        .collect();
    let count = |word: &str| {
        let same = cw.parity.iter().filter(|p| p.cloudwatch.as_str() == word);
        same.count()
    };
    let groups = [
        (What::Slo, "Objectives"),
        (What::Alert, "Alerts"),
        (What::Panel, "Panels"),
    ]
    .map(|(what, title)| {
        let of_kind = entries.iter().filter(|e| e["kind"] == what.as_str());
        json!({"title": title, "entries": of_kind.collect::<Vec<_>>()})
    });
    json!({
        "service": plan.service.name,
        "title": plan.service.title,
        "identical": count("identical"),
        "approximated": count("approximated"),
        "not_expressible": count("not expressible"),
        "entries": entries,
        "groups": groups,
    })
}
