//! Data sources with a fixed uid.

use crate::artifact::{Dashboard, Datasource, Form};
use crate::lint::fixes;
use crate::lint::rule::{Check, DashboardCx, Findings, declare_rule};
use slosmith_text::diag::{Applicability, Diagnostic, Fixes, Group, Severity};
use slosmith_text::yaml::Text;

declare_rule! {
    /// ### What it does
    ///
    /// Reports panels and queries that name a data source by a fixed uid.
    ///
    /// ### Why
    ///
    /// A uid belongs to one Grafana. After an import into another Grafana, the panel finds no data source. With a
    /// variable of type `datasource`, each installation selects its own.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"datasource": {"type": "prometheus", "uid": "P1809F7CD0C75ACF3"}}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"datasource": {"type": "prometheus", "uid": "${datasource}"}}
    /// ```
    pub const RULE: Rule = Rule {
        name: "hard-coded-datasource",
        summary: "a panel names a data source by its uid",
        group: Group::Style,
        level: Severity::Warning,
        certain: "Certain. A fixed data source may be meant.",
        fixes: Fixes::Unsafe("replaces the uid with the `datasource` variable of the dashboard, if one exists"),
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

/// Data sources of every Grafana, and common uids for the only data source.
const BUILT_IN: [&str; 8] = [
    "-- Dashboard --",
    "-- Grafana --",
    "-- Mixed --",
    "__expr__",
    "datasource",
    "default",
    "grafana",
    "prometheus",
];

fn check(cx: &DashboardCx<'_>, out: &mut Findings) {
    if cx.dashboard.form == Form::Perses {
        return;
    }
    for panel in &cx.dashboard.panels {
        let own = panel.datasource.iter();
        let all = own.chain(
            panel
                .targets
                .iter()
                .filter_map(|target| target.datasource.as_ref()),
        );
        let mut reported: Vec<&str> = Vec::new();
        for source in all {
            let Some(uid) = fixed(cx.dashboard, source) else {
                continue;
            };
            if !reported.contains(&uid.value.as_str()) {
                reported.push(&uid.value);
                out.push(finding(cx, out, source, uid));
            }
        }
    }
}

/// The uid, unless it is a variable, the name of a variable, or built in.
fn fixed<'d>(dashboard: &Dashboard, source: &'d Datasource) -> Option<&'d Text> {
    let uid = source.uid.as_ref()?;
    let named = |uid: &str| dashboard.variables.iter().any(|v| v.name.value == uid);
    let open = uid.value.is_empty() || uid.value.starts_with(['$', '[']) || named(&uid.value);
    (!open && !BUILT_IN.contains(&uid.value.as_str())).then_some(uid)
}

fn finding(cx: &DashboardCx<'_>, out: &Findings, source: &Datasource, uid: &Text) -> Diagnostic {
    let finding = out.at(
        uid.span(),
        format!(
            "the data source `{}` is hard-coded: another Grafana may not have it",
            uid.value
        ),
    );
    let Some(name) = variable(cx.dashboard, source) else {
        return finding.help("add a variable of type `datasource`, and use `${datasource}`");
    };
    let new = format!("${{{name}}}");
    let finding = finding.help(format!("use the variable: `{new}`"));
    let title = format!("replace with `{new}`");
    finding.maybe_fix(fixes::set_text(
        cx.file_text,
        uid,
        &new,
        title,
        Applicability::Unsafe,
    ))
}

fn variable<'d>(dashboard: &'d Dashboard, source: &Datasource) -> Option<&'d str> {
    let kind = source.kind.as_deref().unwrap_or("prometheus");
    let mut fitting = dashboard
        .variables
        .iter()
        .filter(|v| v.lists.as_deref() == Some(kind));
    fitting.next().map(|variable| variable.name.value.as_str())
}
