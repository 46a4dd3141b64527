//! Data panels without a query.

use crate::artifact::Panel;
use crate::lint::rule::{Check, DashboardCx, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports panels that show data but have no query.
    ///
    /// ### Why
    ///
    /// The panel stays empty. Add a query, or remove the panel.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"type": "stat", "title": "Errors", "targets": [{"refId": "A", "expr": ""}]}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"type": "stat", "title": "Errors", "targets": [{"refId": "A", "expr": "sum(rate(http_requests_total{status=\"5xx\"}[5m]))"}]}
    /// ```
    pub const RULE: Rule = Rule {
        name: "panel-without-query",
        summary: "a data panel has no query",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain as to the empty panel.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

const DATA: [&str; 11] = [
    "barchart",
    "bargauge",
    "gauge",
    "graph",
    "heatmap",
    "histogram",
    "piechart",
    "singlestat",
    "stat",
    "state-timeline",
    "timeseries",
];

fn check(cx: &DashboardCx<'_>, out: &mut Findings) {
    for panel in &cx.dashboard.panels {
        let data = panel
            .kind
            .as_ref()
            .filter(|kind| DATA.contains(&kind.value.as_str()));
        if let Some(kind) = data.filter(|_| !panel.from_library && is_empty(panel)) {
            let place = panel.title.as_ref().map_or(kind.span, |title| title.span());
            let title = panel
                .title
                .as_ref()
                .map_or("", |title| title.value.as_str());
            let finding = out.at(place, format!("panel \"{title}\" has no query"));
            out.push(finding.help("add a query, or remove the panel"));
        }
    }
}

fn is_empty(panel: &Panel) -> bool {
    panel.targets.iter().all(|target| target.is_blank)
}
