//! Marks: the owner, labels and annotations that an alert carries beside what the rules set.
//!
//! Those of the service, of its severity, and its own, of which the nearer one wins. A label whose value is empty is none.

use indexmap::IndexMap;

use super::context::Context;
use super::labels::is_label_name;
use super::templates;
use slosmith_plan::plan::Marks;
use slosmith_promql::Kept;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::Diagnostic;

/// Annotations that the rules write, and how else they are said.
const ANNOTATIONS: [(&str, &str); 5] = [
    ("summary", "use the field `summary` of the alert or SLO"),
    (
        "description",
        "use the field `description` of the alert or SLO",
    ),
    ("action", "use the field `action` of the alert"),
    ("runbook_url", "use the field `runbook` of the alert or SLO"),
    (
        "dashboard_url",
        "remove `dashboard_url`: slosmith sets it to the panel of the alert",
    ),
];

/// Names and values that are wrong wherever they are used.
pub(super) fn check(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let severities = spec.severities.all().map(|severity| &severity.marks);
    let slos = spec.slos.values().map(|slo| &slo.notice.marks);
    let alerts = spec.alerts.values().map(|alert| &alert.notice.marks);
    let all = [&spec.service.marks].into_iter().chain(severities);
    for marks in all.chain(slos).chain(alerts) {
        for (name, value) in &marks.labels {
            label(cx, name, value);
        }
        marks
            .annotations
            .keys()
            .for_each(|name| annotation(cx, name));
    }
    check_severities(cx);
    check_roles(cx);
}

/// Warns of severities whose names are the other way round.
fn check_roles(cx: &mut Context<'_>) {
    const LESS: [&str; 5] = ["info", "low", "notice", "ticket", "warning"];
    const MORE: [&str; 5] = ["critical", "emergency", "high", "page", "pager"];
    let (page, ticket) = (
        &cx.spec.severities.page.name,
        &cx.spec.severities.ticket.name,
    );
    if LESS.contains(&page.value.as_str()) && MORE.contains(&ticket.value.as_str()) {
        let message =
            format!("alerts that page have the severity `{page}`, and tickets have `{ticket}`");
        let warning = Diagnostic::warning("contradiction", page.span, message);
        cx.sink.push(warning.help("swap the names"));
    }
}

/// Two severities of one name with labels or annotations contradict each other.
fn check_severities(cx: &mut Context<'_>) {
    let all: Vec<_> = cx.spec.severities.all().collect();
    for (i, severity) in all.iter().enumerate() {
        let carries = |s: &&&spec::Severity| {
            let marks = &s.marks;
            marks.owner.is_some() || !marks.labels.is_empty() || !marks.annotations.is_empty()
        };
        let same = all[..i].iter().find(|s| s.name == severity.name);
        if let Some(first) = same
            && [first, severity].iter().any(carries)
        {
            let message = format!("two severities have the name `{}`", severity.name);
            let error = Diagnostic::error("duplicate-name", severity.name.span, message);
            cx.sink
                .push(error.related(first.name.span, "the first one"));
        }
    }
}

fn label(cx: &mut Context<'_>, name: &Text, value: &Text) {
    let text = name.value.as_str();
    if !is_label_name(text) || text.starts_with("__") {
        let message = format!("`{}` cannot be an alert label", text.escape_debug());
        let error = Diagnostic::error("bad-name", name.span, message);
        cx.sink.push(
            error.help("use letters, digits and `_`, with no digit and no `__` at the start"),
        );
        return;
    }
    let compat = cx.spec.prometheus.compat.is_some() && text.starts_with("sloth_");
    if naming::RESERVED_LABELS.contains(&text) || compat {
        let message = format!("`{text}` is reserved: the generated rules set this label");
        let error = Diagnostic::error("reserved-label", name.span, message);
        cx.sink.push(error.help(match text {
            naming::OWNER => "set the field `owner`".to_owned(),
            naming::SEVERITY => "set the field `severity`, or `severities`".to_owned(),
            _ => format!("use another name, such as `service_{text}`"),
        }));
    }
    if let Some(at) = templates::value_of(&value.value) {
        let at = cx.document.inside(value, at);
        let message = "a label with `$value` creates a new alert whenever the value changes";
        let error = Diagnostic::error("bad-template", at, message);
        cx.sink.push(error.help("use `$value` in an annotation"));
    }
}

fn annotation(cx: &mut Context<'_>, name: &Text) {
    let text = name.value.as_str();
    if !is_label_name(text) {
        let message = format!("`{}` is not a valid annotation name", text.escape_debug());
        let error = Diagnostic::error("bad-name", name.span, message);
        cx.sink
            .push(error.help("use letters, digits and `_`, with no digit at the start"));
    } else if let Some((_, help)) = ANNOTATIONS.iter().find(|(known, _)| *known == text) {
        let message = format!("`{text}` is reserved: the generated rules set this annotation");
        let error = Diagnostic::error("reserved-label", name.span, message);
        cx.sink.push(error.help(*help));
    }
}

impl Context<'_> {
    pub(super) fn marks(&mut self, severity: &str, own: &spec::Marks, kept: &Kept) -> Marks {
        let spec = self.spec;
        let mut all = spec.severities.all();
        let of_severity = all.find(|s| s.name.value == severity);
        let of_severity = of_severity.map(|severity| &severity.marks);
        let nearer = of_severity.into_iter().chain([own]);
        let mut labels = Pairs::new();
        let mut annotations = Pairs::new();
        let owner_is_own = nearer.clone().any(|marks| marks.owner.is_some());
        let mut owner = None;
        for marks in [&spec.service.marks].into_iter().chain(nearer) {
            labels.extend(&marks.labels);
            annotations.extend(&marks.annotations);
            owner = marks.owner.as_ref().or(owner);
        }
        for (name, value) in &labels {
            self.check_collision(name, kept);
            templates::check(self, value, kept);
        }
        for value in annotations.values() {
            templates::check(self, value, kept);
        }
        Marks {
            owner: owner.map(|owner| owner.value.clone()),
            owner_is_own,
            labels: written(labels),
            annotations: written(annotations),
        }
    }

    /// A label of the rule takes the place of the same one of its result.
    fn check_collision(&mut self, name: &Text, kept: &Kept) {
        let Kept::Only(result) = kept else { return };
        let reserved = naming::RESERVED_LABELS.contains(&name.value.as_str());
        if !reserved && result.contains(name.value.as_str()) {
            let message = format!("`{name}` would overwrite a label that the alert is grouped by");
            let error = Diagnostic::error("reserved-label", name.span, message);
            self.sink.push(error.help("rename the label"));
        }
    }
}

type Pairs<'a> = IndexMap<&'a Text, &'a Text>;

fn written(pairs: Pairs<'_>) -> Vec<(String, String)> {
    let pairs = pairs.into_iter();
    let pairs = pairs.map(|(name, value)| (name.value.clone(), value.value.trim().to_owned()));
    pairs.filter(|(_, value)| !value.is_empty()).collect()
}
