//! Panel options that do not match the schemas of Grafana.

use serde_json::Value;

use crate::artifact::{Dashboard, Form, Panel};
use crate::lint::panel_schemas::{Part, faults};
use crate::lint::rule::{Check, DashboardCx, Findings, declare_rule};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Checks options and custom field settings of panels against the schemas that Grafana publishes.
    ///
    /// ### Why
    ///
    /// Grafana silently ignores unknown options, and a value of the wrong type can break the panel.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"type": "stat", "options": {"graphMode": "areas"}}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"type": "stat", "options": {"graphMode": "area"}}
    /// ```
    ///
    /// ### Limits
    ///
    /// - Only dashboards with schema version 39 or later are checked.
    /// - Missing options are not reported.
    /// - Panels with a `pluginVersion` are skipped, because Grafana itself wrote them.
    pub const RULE: Rule = Rule {
        name: "schema-invalid",
        summary: "a panel has an unknown option, or an option of the wrong type",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain for the recorded schemas. A newer Grafana may accept more.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

/// Grafana migrates older dashboards when it loads them, so they need not match the schemas.
const OLDEST: i64 = 39;

fn check(cx: &DashboardCx<'_>, out: &mut Findings) {
    let dashboard = cx.dashboard;
    if dashboard.form != Form::Classic || version(dashboard).is_none_or(|v| v < OLDEST) {
        return;
    }
    for panel in dashboard.panels.iter().filter(|p| !is_export(dashboard, p)) {
        part(dashboard, panel, Part::Options, "/options", out);
        part(
            dashboard,
            panel,
            Part::FieldConfig,
            "/fieldConfig/defaults/custom",
            out,
        );
    }
}

/// True for a panel that Grafana itself wrote, maybe a newer Grafana than the schemas.
fn is_export(dashboard: &Dashboard, panel: &Panel) -> bool {
    let version = dashboard
        .raw
        .node(&format!("{}/pluginVersion", panel.pointer));
    version
        .and_then(|v| v.text())
        .is_some_and(|v| !v.is_empty())
}

fn version(dashboard: &Dashboard) -> Option<i64> {
    let node = dashboard.raw.node("/schemaVersion")?;
    node.text()?.parse().ok()
}

fn part(dashboard: &Dashboard, panel: &Panel, part: Part, pointer: &str, out: &mut Findings) {
    let pointer = format!("{}{pointer}", panel.pointer);
    let (Some(kind), Some(value)) = (&panel.kind, dashboard.raw.value_at(&pointer)) else {
        return;
    };
    if value == Value::Null {
        return;
    }
    for fault in faults(&kind.value, part, &value) {
        let at = format!("{pointer}{}", fault.pointer);
        let key = fault
            .key
            .as_ref()
            .and_then(|key| dashboard.raw.key_span(&format!("{at}/{key}")));
        let span = key.unwrap_or_else(|| dashboard.raw.span(&at));
        let title = panel
            .title
            .as_ref()
            .map_or("", |title| title.value.as_str());
        let message = format!(
            "panel \"{title}\" of type {}: {}",
            kind.value, fault.message
        );
        let finding = out.at(span, message);
        out.push(
            finding.help("fix or remove the option: Grafana ignores it or cannot draw the panel"),
        );
    }
}
