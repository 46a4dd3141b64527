//! Options that a panel does not have.

use serde_json::Value;

use crate::artifact::{Dashboard, Form, Panel};
use crate::diag::{Group, Severity};
use crate::lint::dashboard::DashboardCx;
use crate::lint::panel_schemas::{Part, faults};
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// Grafana ignores a misspelt option without a word, and a value of the wrong type may keep the panel
    /// from drawing. Options and custom field settings are checked against the schemas that Grafana
    /// publishes, for panels of dashboards with schema version 39 or later; what is left out is no finding,
    /// nor is a panel with a `pluginVersion`: Grafana wrote it.
    ///
    /// ```json
    /// {"type": "stat", "options": {"graphMode": "areas"}}
    /// {"type": "stat", "options": {"graphMode": "area"}}
    /// ```
    ///
    /// The first is bad: there is no such mode.
    pub const RULE: Rule = Rule {
        name: "schema-invalid",
        summary: "a panel has an option that Grafana's own schema does not know, or of another type",
        group: Group::Style,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

/// Older dashboards are migrated when they are loaded; what they say need not fit.
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

/// True for a panel that Grafana itself wrote, maybe a newer one than the schemas are of.
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
        out.push(finding.help("correct it, or remove it: Grafana does not use it as it is"));
    }
}
