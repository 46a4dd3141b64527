//! Panels that ask nothing.

use crate::artifact::Panel;
use crate::diag::{Group, Severity};
use crate::lint::dashboard::DashboardCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// The panel stays empty. Give it a query, or remove it.
    ///
    /// ```json
    /// {"type": "stat", "title": "Errors", "targets": [{"refId": "A", "expr": ""}]}
    /// ```
    pub const RULE: Rule = Rule {
        name: "panel-without-query",
        summary: "a panel that shows data has no query",
        group: Group::Style,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

/// Panels that are nothing without data.
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
            out.push(finding.help("give it a query, or remove it"));
        }
    }
}

fn is_empty(panel: &Panel) -> bool {
    panel.targets.iter().all(|target| target.is_blank)
}
