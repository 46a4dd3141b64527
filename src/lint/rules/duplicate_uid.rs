//! Dashboards that overwrite each other.

use std::collections::BTreeMap;

use crate::artifact::{Dashboard, Form};
use crate::diag::{Group, Severity};
use crate::lint::project::ProjectCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::source::Span;

declare_rule! {
    /// Grafana keeps one dashboard per uid: the one that is loaded last replaces the other, and links to it
    /// lead elsewhere.
    ///
    /// ```json
    /// {"uid": "vllm-overview", "title": "Overview"}
    /// {"uid": "vllm-overview", "title": "Latency"}
    /// ```
    pub const RULE: Rule = Rule {
        name: "duplicate-uid",
        summary: "two dashboards have the same uid",
        group: Group::Style,
        level: Severity::Warning,
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
                    "another dashboard has the uid `{}`: one replaces the other",
                    uid.value
                );
                let finding = out.at(uid.span(), message).related(*first, "the other one");
                out.push(finding.help("give each dashboard a uid of its own"));
            }
            None => drop(seen.insert(&uid.value, (dashboard, uid.span()))),
        }
    }
}
