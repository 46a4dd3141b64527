//! Dashboards that overwrite each other.

use std::collections::BTreeMap;

use crate::artifact::{Dashboard, Form};
use crate::lint::rule::{Check, Findings, ProjectCx, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::source::Span;

declare_rule! {
    /// ### What it does
    ///
    /// Reports dashboards with the uid of another dashboard.
    ///
    /// ### Why
    ///
    /// Grafana keeps one dashboard per uid: the dashboard that is loaded last replaces the other, and links lead to the
    /// wrong dashboard.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"uid": "vllm-overview", "title": "Overview"}
    /// {"uid": "vllm-overview", "title": "Latency"}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"uid": "vllm-overview", "title": "Overview"}
    /// {"uid": "vllm-latency", "title": "Latency"}
    /// ```
    pub const RULE: Rule = Rule {
        name: "duplicate-uid",
        summary: "two dashboards have the same uid",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain for the files of one run. The rule assumes that they are loaded into the same Grafana.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let mut seen: BTreeMap<&str, (&Dashboard, Span)> = BTreeMap::new();
    let dashboards = cx
        .artifacts
        .iter()
        .flat_map(|artifact| &artifact.dashboards);
    for dashboard in dashboards.filter(|dashboard| dashboard.form != Form::Perses) {
        let Some(uid) = dashboard.uid.as_ref().filter(|uid| !uid.value.is_empty()) else {
            continue;
        };
        match seen.get(uid.value.as_str()) {
            // The same dashboard once more, as in a ConfigMap, replaces nothing.
            Some((first, _)) if first.raw.value() == dashboard.raw.value() => {}
            Some((_, first)) => {
                let message = format!(
                    "two dashboards have the uid `{}`: one replaces the other",
                    uid.value
                );
                let finding = out
                    .at(uid.span(), message)
                    .related(*first, "the other dashboard");
                out.push(finding.help("use a different uid for each dashboard"));
            }
            None => drop(seen.insert(&uid.value, (dashboard, uid.span()))),
        }
    }
}
