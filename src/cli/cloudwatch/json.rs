//! A plan as JSON.

use serde_json::{Value, json};

use super::{Compared, Target};
use slosmith_aws::Action;
use slosmith_plan::parity::Prices;

pub(super) fn plan(target: &Target, compared: &Compared) -> serde_json::Result<String> {
    let Compared { state, changes, .. } = compared;
    let desired = &target.desired;
    let problems = changes.problems.iter();
    let problems =
        problems.map(|problem| json!({"message": problem.to_string(), "help": problem.help()}));
    let cost = Prices::listed().map(|prices| {
        let (before, after) = changes.dollars(state, desired, prices);
        json!({"before": cents(before), "after": cents(after), "prices": prices.date})
    });
    let all = changes.changes.values().map(|change| {
        let mut all = serde_json::to_value(change)?;
        if let Some(object) = state.objects.get(&change.key) {
            all["before"] = json!({"fields": object.fields, "tags": object.tags});
        }
        if let Some(wanted) = desired.objects.get(&change.key) {
            all["after"] = json!({"fields": wanted.fields, "tags": wanted.tags});
        }
        Ok(all)
    });
    let all: Vec<Value> = all.collect::<serde_json::Result<_>>()?;
    let counts = json!({
        "create": changes.count(Action::Create),
        "update": changes.count(Action::Update),
        "replace": changes.count(Action::Replace),
        "delete": changes.count(Action::Delete),
        "unchanged": changes.unchanged.len(),
    });
    serde_json::to_string_pretty(&json!({
        "region": target.region,
        "services": desired.services,
        "counts": counts,
        "changes": all,
        "stale": changes.stale,
        "services_without_spec": state.others,
        "not_searched": state.unsearched,
        "problems": problems.collect::<Vec<_>>(),
        "warnings": changes.beyond_quotas(state, desired),
        "dollars_a_month_of_changes": cost,
    }))
}

fn cents(dollars: f64) -> f64 {
    (dollars * 100.0).round() / 100.0
}
