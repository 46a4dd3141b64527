//! Data sources that only one Grafana has.

use crate::artifact::{Dashboard, Datasource, Form};
use crate::diag::{Applicability, Diagnostic, Group, Severity};
use crate::lint::dashboard::DashboardCx;
use crate::lint::mend;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::yaml::Text;

declare_rule! {
    /// A uid belongs to one Grafana. Imported elsewhere the panel finds no data source. A variable of type
    /// `datasource` lets every installation choose.
    ///
    /// ```json
    /// {"datasource": {"type": "prometheus", "uid": "P1809F7CD0C75ACF3"}}
    /// {"datasource": {"type": "prometheus", "uid": "${datasource}"}}
    /// ```
    ///
    /// The first is bad.
    pub const RULE: Rule = Rule {
        name: "hard-coded-datasource",
        summary: "a panel names a data source by its uid",
        group: Group::Style,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Dashboard(check),
    };
}

/// Data sources that every Grafana has, and the uid that documents and charts give the only one.
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

/// The uid, when it is neither a variable, nor a variable's name, nor everywhere.
fn fixed<'d>(dashboard: &Dashboard, source: &'d Datasource) -> Option<&'d Text> {
    let uid = source.uid.as_ref()?;
    let named = |uid: &str| dashboard.variables.iter().any(|v| v.name.value == uid);
    let open = uid.value.is_empty() || uid.value.starts_with(['$', '[']) || named(&uid.value);
    (!open && !BUILT_IN.contains(&uid.value.as_str())).then_some(uid)
}

fn finding(cx: &DashboardCx<'_>, out: &Findings, source: &Datasource, uid: &Text) -> Diagnostic {
    let finding = out.at(
        uid.span(),
        format!("the data source `{}` exists in one Grafana only", uid.value),
    );
    let Some(name) = variable(cx.dashboard, source) else {
        return finding
            .help("add a variable of type `datasource` and name it here: `${datasource}`");
    };
    let new = format!("${{{name}}}");
    let finding = finding.help(format!("use the variable: `{new}`"));
    let title = format!("replace with `{new}`");
    finding.maybe_fix(mend::set_text(
        cx.file_text,
        uid,
        &new,
        title,
        Applicability::Unsafe,
    ))
}

/// A variable of the dashboard that lists data sources of this type.
fn variable<'d>(dashboard: &'d Dashboard, source: &Datasource) -> Option<&'d str> {
    let kind = source.kind.as_deref().unwrap_or("prometheus");
    let mut fitting = dashboard
        .variables
        .iter()
        .filter(|v| v.lists.as_deref() == Some(kind));
    fitting.next().map(|variable| variable.name.value.as_str())
}
