//! A plan for people, in the signs and colours of `terraform plan`.
//!
//! ```text
//!   + metric alarm chat-queue will be created
//!       Threshold: 80
//!   ~ metric alarm chat-latency will be changed
//!       Threshold: 80 → 90
//!
//! Plan: 1 to create, 1 to change, 0 to delete.
//! Region us-east-1; 40 objects up to date.
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::{Compared, Target};
use crate::cli::words::count;
use slosmith_aws::{Action, Change, Changes, Desired, FieldChange};
use slosmith_plan::parity::Prices;
use slosmith_text::diag::one_line;

const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const BOLD: Style = Style::new().bold();

pub(super) fn plan(target: &Target, compared: &Compared) -> String {
    let Compared { state, changes, .. } = compared;
    let mut out = String::new();
    for change in changes.changes.values() {
        push(&mut out, change, &target.desired);
    }
    if !changes.stale.is_empty() {
        out.push_str("\nThese objects are no longer in any spec; `--prune` deletes them:\n");
        for key in &changes.stale {
            out.push_str(&format!("    {}\n", one_line(&key.to_string())));
        }
    }
    if !state.others.is_empty() {
        out.push_str("\nThese services have objects in the account, but no spec here; `--remove-service SERVICE` deletes them:\n");
        for (service, objects) in &state.others {
            let objects = count(*objects, "object");
            out.push_str(&format!("    {}: {objects}\n", one_line(service)));
        }
    }
    if let Some(why) = &state.unsearched {
        out.push_str(&format!(
            "\n{YELLOW}warning{YELLOW:#}: services without a spec were not searched for ({})\n",
            one_line(why)
        ));
    }
    for problem in &changes.problems {
        out.push_str(&format!(
            "\n{RED}error{RED:#}: {}\n    {}\n",
            one_line(&problem.to_string()),
            problem.help()
        ));
    }
    for warning in changes.beyond_quotas(state, &target.desired) {
        out.push_str(&format!(
            "\n{YELLOW}warning{YELLOW:#}: {}\n",
            one_line(&warning)
        ));
    }
    let gap = if out.is_empty() { "" } else { "\n" };
    format!("{out}{gap}{}", summary(target, compared))
}

fn summary(target: &Target, compared: &Compared) -> String {
    let Compared { state, changes, .. } = compared;
    let unchanged = count(changes.unchanged.len(), "object");
    let region = &target.region;
    let plan = match changes.is_empty() {
        true => "No changes.".to_owned(),
        false => format!("Plan: {}.", counts(changes)),
    };
    let mut out = format!("{BOLD}{plan}{BOLD:#}\nRegion {region}; {unchanged} up to date.\n");
    if changes.is_empty() {
        return out;
    }
    if let Some(prices) = Prices::listed() {
        let (before, after) = changes.dollars(state, &target.desired, prices);
        if (before - after).abs() >= 0.005 {
            out.push_str(&format!(
                "Cost of the changed objects: ${before:.2} per month now, ${after:.2} after (list prices of {} in {}, without metrics and PromQL alarms)\n",
                prices.date, prices.region
            ));
        }
    }
    out
}

/// `1 to create, 2 to change, 0 to delete`.
fn counts(changes: &Changes) -> String {
    let of = |action| changes.count(action);
    let replaced = match of(Action::Replace) {
        0 => String::new(),
        n => format!(", {n} to replace"),
    };
    format!(
        "{} to create, {} to change{replaced}, {} to delete",
        of(Action::Create),
        of(Action::Update),
        of(Action::Delete)
    )
}

fn push(out: &mut String, change: &Change, desired: &Desired) {
    let (sign, style, verb) = match change.action {
        Action::Create => ("  +", GREEN, "created"),
        Action::Update => ("  ~", YELLOW, "changed"),
        Action::Replace => ("-/+", RED, "deleted and created again"),
        Action::Delete => ("  -", RED, "deleted"),
    };
    let name = one_line(&change.key.name);
    out.push_str(&format!(
        "{style}{sign}{style:#} {} {name} will be {verb}",
        change.kind.as_str()
    ));
    if change.adopted {
        out.push_str(" (adopted: not created by slosmith)");
    }
    if change.edited {
        out.push_str(" (edited outside slosmith)");
    }
    out.push('\n');
    let (places, fields): (Vec<_>, Vec<_>) = change.fields.iter().partition(|f| is_place(f));
    for field in fields {
        push_field(out, field);
    }
    if let (Action::Create | Action::Replace, Some(wanted)) =
        (change.action, desired.objects.get(&change.key))
    {
        for field in wanted.all_fields() {
            let (path, new) = (one_line(&field.path), value(&field.new));
            out.push_str(&format!(
                "      {path}: {GREEN}{}{GREEN:#}\n",
                one_line(&new)
            ));
        }
    }
    let widget = |field: &FieldChange| field.path.rsplit_once('.').map(|(of, _)| of.to_owned());
    let moved: BTreeSet<_> = places.into_iter().map(widget).collect();
    if !moved.is_empty() {
        let moved = count(moved.len(), "widget");
        out.push_str(&format!("      {moved} moved or resized\n"));
    }
}

fn is_place(field: &FieldChange) -> bool {
    ["].x", "].y", "].width", "].height"]
        .iter()
        .any(|end| field.path.starts_with("widgets[") && field.path.ends_with(end))
}

fn push_field(out: &mut String, field: &FieldChange) {
    let path = one_line(&field.path);
    let (old, new) = match (&field.old, &field.new) {
        (Value::Array(old), Value::Array(new)) => (value(&only(old, new)), value(&only(new, old))),
        (old, new) => (value(old), value(new)),
    };
    out.push_str(&format!(
        "      {path}: {RED}{}{RED:#} → {GREEN}{}{GREEN:#}\n",
        one_line(&old),
        one_line(&new)
    ));
}

/// Items that the other list lacks, after `…` for the common ones. The whole list if all or no items differ.
fn only(list: &[Value], other: &[Value]) -> Value {
    let own: Vec<_> = list
        .iter()
        .filter(|item| !other.contains(item))
        .cloned()
        .collect();
    match own.len() {
        0 => list.into(),
        all if all == list.len() => list.into(),
        _ => std::iter::once("…".into()).chain(own).collect(),
    }
}

/// A value as JSON; `(none)` for null.
fn value(value: &Value) -> Cow<'static, str> {
    match value {
        Value::Null => "(none)".into(),
        value => value.to_string().into(),
    }
}
