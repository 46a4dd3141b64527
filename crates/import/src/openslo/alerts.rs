//! Alert policies with conditions on the burn rate.

use super::Library;
use crate::context::Cx;
use crate::fields::Fields;
use crate::model::{Burn, Objective, Tier, Urgency};
use crate::names;
use slosmith_text::source::Span;
use slosmith_text::units::{Duration, Number, parse_decimal};

#[derive(Default)]
pub(super) struct Alerts {
    conditions: Vec<Condition>,
    /// The SLO names policies; without any, it has the usual alerts.
    is_own: bool,
}

/// A burn rate that is too high.
struct Condition {
    severity: String,
    factor: Number,
    long: Duration,
    at: Span,
}

pub(super) fn read(
    cx: &mut Cx<'_>,
    library: &Library<'_>,
    spec: &mut Fields<'_>,
    comments: &mut Vec<String>,
) -> Alerts {
    let mut alerts = Alerts::default();
    for item in spec.list(cx, "alertPolicies") {
        let text = super::super::fields::text_of(spec.body, item);
        // `alertPolicies: [name]` is common, and so is `- alertPolicyRef: name`.
        let named = match text {
            Some(name) => Some(name),
            None => {
                let Some(mut fields) = Fields::of(cx, spec.body, item, "spec.alertPolicies[].")
                else {
                    continue;
                };
                match fields.text(cx, "alertPolicyRef") {
                    Some(name) => {
                        comments.extend(fields.finish(cx));
                        Some(name)
                    }
                    None => {
                        alerts.policy(cx, library, fields, comments);
                        None
                    }
                }
            }
        };
        if let Some(name) = named
            && let Some((body, root)) = library.get(cx, "AlertPolicy", &name, comments)
            && let Some(fields) = Fields::of(cx, body, root, "")
        {
            alerts.policy(cx, library, fields, comments);
        }
    }
    alerts
}

impl Alerts {
    fn policy(
        &mut self,
        cx: &mut Cx<'_>,
        library: &Library<'_>,
        mut fields: Fields<'_>,
        comments: &mut Vec<String>,
    ) {
        head(cx, &mut fields, comments);
        let Some(mut spec) = fields.required_map(cx, "spec") else {
            return;
        };
        // Alertmanager sends notifications about resolved alerts, and routes them.
        spec.skip(&["description", "alertWhenResolved"]);
        if let Some(said) = spec.bool(cx, "alertWhenNoData").filter(|said| said.value) {
            let what = "`alertWhenNoData: true`";
            comments.push(cx.lost(said.span, what, "write an alert with `absent: true`"));
        }
        if let Some(said) = spec
            .bool(cx, "alertWhenBreaching")
            .filter(|said| !said.value)
        {
            let what = "`alertWhenBreaching: false`: slosmith alerts always fire while the budget burns too fast";
            comments.push(cx.lost(said.span, what, ""));
        }
        for mut target in spec.maps(cx, "notificationTargets") {
            let at = target.span();
            let inline = |target: &mut Fields<'_>, cx: &mut Cx<'_>| {
                target.map(cx, "metadata")?.text(cx, "name")
            };
            let name = target.text(cx, "targetRef");
            let name = name.or_else(|| inline(&mut target, cx));
            let name = name.map_or_else(String::new, |name| format!(" `{name}`"));
            let what =
                format!("notification target{name}: Alertmanager routes alerts by their labels");
            comments.push(cx.lost(at, what, ""));
            target.skip(&["kind", "metadata", "spec"]);
            comments.extend(target.finish(cx));
        }
        for mut condition in spec.maps(cx, "conditions") {
            self.is_own = true;
            if let Some(name) = condition.text(cx, "conditionRef") {
                comments.extend(condition.finish(cx));
                let found = library.get(cx, "AlertCondition", &name, comments);
                if let Some((body, root)) = found
                    && let Some(fields) = Fields::of(cx, body, root, "")
                {
                    self.condition(cx, fields, comments);
                }
            } else {
                self.condition(cx, condition, comments);
            }
        }
        comments.extend(spec.finish(cx));
        comments.extend(fields.finish(cx));
    }

    fn condition(&mut self, cx: &mut Cx<'_>, mut fields: Fields<'_>, comments: &mut Vec<String>) {
        head(cx, &mut fields, comments);
        let Some(mut spec) = fields.required_map(cx, "spec") else {
            return;
        };
        spec.skip(&["description"]);
        let severity = spec.text(cx, "severity");
        let Some(mut condition) = spec.required_map(cx, "condition") else {
            return;
        };
        let kind = condition.text(cx, "kind");
        if let Some(kind) = kind.filter(|kind| !kind.value.eq_ignore_ascii_case("burnrate")) {
            let what = format!("alert of the kind `{kind}`: SLOs have only burn-rate alerts");
            return comments.push(cx.lost(kind.span, what, ""));
        }
        if let Some(op) = condition
            .text(cx, "op")
            .filter(|op| !op.value.starts_with('g'))
        {
            let what = format!(
                "burn rate compared with `gt`: with `{op}`, the alert would fire while the SLO is met"
            );
            comments.push(cx.changed(op.span, what));
        }
        let threshold = condition.required(cx, "threshold");
        let window = condition.required(cx, "lookbackWindow");
        if let Some(after) = condition.text(cx, "alertAfter").filter(|t| t.value != "0m") {
            let what = format!(
                "`alertAfter: {after}` replaced by a short window: slosmith sets no `for` on burn-rate alerts"
            );
            comments.push(cx.changed(after.span, what));
        }
        comments.extend(condition.finish(cx));
        comments.extend(spec.finish(cx));
        comments.extend(fields.finish(cx));
        let (Some(threshold), Some(window)) = (threshold, window) else {
            return;
        };
        let (factor, long) = (parse_decimal(&threshold.value), window.value.parse());
        let (Ok(factor), Ok(long)) = (factor, long) else {
            let message = "`threshold` must be a number, and `lookbackWindow` a duration";
            return cx.error("wrong-type", threshold.span, message);
        };
        self.conditions.push(Condition {
            severity: severity.map_or_else(
                || "page".to_owned(),
                |text| names::severity(cx, &text, comments),
            ),
            factor,
            long,
            at: threshold.span,
        });
    }

    pub(super) fn put(&self, cx: &mut Cx<'_>, mut objective: Objective) -> Objective {
        if !self.is_own {
            return objective;
        }
        let mut names: Vec<&str> = Vec::new();
        objective.tiers.clear();
        for condition in &self.conditions {
            let name = condition.severity.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
            // The first severity is that of pages.
            let is_page = names.first() == Some(&name);
            if names.len() > 2 && names[..2].iter().all(|known| *known != name) {
                let what =
                    format!("alert of the severity `{name}`: an SLO has at most two severities");
                let comment = cx.lost(condition.at, what, "");
                objective.comments.push(comment);
                continue;
            }
            let twelfth = Duration::from_secs((condition.long.as_secs() / 12).max(60));
            objective.tiers.push(Tier {
                burn: Burn::Factor(condition.factor),
                long: condition.long,
                short: twelfth,
                is_page,
                at: Some(condition.at),
            });
        }
        let urgency = |at: usize| {
            let severity = Some((*names.get(at)?).to_owned());
            Some(Urgency {
                severity,
                ..Urgency::default()
            })
        };
        (objective.page, objective.ticket) = (urgency(0), urgency(1));
        objective
    }
}

/// Names of policies and conditions are not those of alerts, which objectives have.
fn head(cx: &mut Cx<'_>, fields: &mut Fields<'_>, comments: &mut Vec<String>) {
    fields.skip(&["apiVersion", "kind"]);
    if let Some(mut metadata) = fields.map(cx, "metadata") {
        metadata.skip(&["name", "displayName"]);
        comments.extend(metadata.finish(cx));
    }
}
