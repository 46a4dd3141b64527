//! Panels without a unit.

use crate::artifact::{Form, Language};
use crate::lint::rule::{Check, DashboardCx, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports panels that draw numbers but set no unit.
    ///
    /// ### Why
    ///
    /// Without a unit, 0.42 may be seconds, a ratio or requests. Grafana scales and labels values by the unit.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"type": "timeseries", "fieldConfig": {"defaults": {}}}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"type": "timeseries", "fieldConfig": {"defaults": {"unit": "s"}}}
    /// ```
    ///
    /// For a plain number, set the unit `short`.
    pub const RULE: Rule = Rule {
        name: "panel-without-unit",
        summary: "a panel shows numbers without a unit",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain as to the missing unit. Whether a panel needs one is a convention.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

/// Panel types that draw numbers.
const DRAWN: [&str; 11] = [
    "barchart",
    "bargauge",
    "gauge",
    "graph",
    "singlestat",
    "stat",
    "timeseries",
    "BarChart",
    "GaugeChart",
    "StatChart",
    "TimeSeriesChart",
];

fn check(cx: &DashboardCx<'_>, out: &mut Findings) {
    for panel in &cx.dashboard.panels {
        let Some(kind) = panel
            .kind
            .as_ref()
            .filter(|kind| DRAWN.contains(&kind.value.as_str()))
        else {
            continue;
        };
        let queries = panel
            .targets
            .iter()
            .filter_map(|target| cx.artifact.queries.get(target.query?));
        let mut promql = queries.filter(|query| query.language != Language::Other);
        let said = panel.unit.is_some() || panel.overrides_units || panel.has_mappings;
        if said || promql.next().is_none() {
            continue;
        }
        let place = panel.title.as_ref().map_or(kind.span, |title| title.span());
        let title = panel
            .title
            .as_ref()
            .map_or("", |title| title.value.as_str());
        let where_to = match cx.dashboard.form {
            Form::Classic | Form::V2 => "set `fieldConfig.defaults.unit`",
            Form::Perses => "set `format.unit` (of the y axis for time series)",
        };
        let finding = out.at(place, format!("panel \"{title}\" has no unit"));
        let units = match cx.dashboard.form {
            Form::Perses => "`seconds`, `percent-decimal`, `bytes`, `decimal`",
            Form::Classic | Form::V2 => "`s`, `percentunit`, `reqps`, `bytes`, `short`",
        };
        out.push(finding.help(format!("{where_to}: {units}, …")));
    }
}
