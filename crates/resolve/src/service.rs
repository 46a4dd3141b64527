//! What belongs to the service as a whole: names, labels, links, scraping.

use super::context::Context;
use super::labels::is_label_name;
use slosmith_plan::plan::{EVALUATION, Service, Severities};
use slosmith_spec::naming::{self, NameError};
use slosmith_spec::spec::{self, Burn, Policy, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::source::Spanned;
use slosmith_text::units::Duration;

impl Context<'_> {
    /// Reports a name that cannot be used in files, labels and series.
    pub(super) fn check_name(&mut self, name: &Text, lower_case: bool) {
        if let Err(why) = naming::check_name(&name.value, lower_case) {
            let message = match why {
                NameError::Empty => "a name must not be empty".to_owned(),
                _ => format!("`{}` is not a valid name", name.value.escape_debug()),
            };
            let error = Diagnostic::error("bad-name", name.span, message);
            let example = if lower_case { "shop" } else { "QueueLong" };
            self.sink.push(error.help(match why {
                NameError::Long => why.to_string(),
                _ => format!("{why}, such as `{example}`"),
            }));
        }
    }

    /// Reports an old name that cannot have been one, or that is one of those in use.
    pub(super) fn check_old_name(
        &mut self,
        (what, now): (&str, &Text),
        old: Option<&Text>,
        in_use: impl Fn(&str) -> bool,
    ) {
        let Some(old) = old else { return };
        self.check_name(old, what != "alert");
        if in_use(&old.value) {
            let message = format!("`{now}` cannot be renamed from `{old}`: this name is in use");
            let error = Diagnostic::error("bad-name", old.span, message);
            let help = format!("name what the {what} was called before, or remove `renamed_from`");
            self.sink.push(error.help(help));
        }
    }

    pub(super) fn check_link(&mut self, link: &Text) {
        let value = &link.value;
        let http = value.starts_with("https://") || value.starts_with("http://");
        let bad = |c: char| c.is_whitespace() || "\"<>".contains(c);
        let help = if value.contains(bad) {
            "remove spaces, quotes and angle brackets from the URL".to_owned()
        } else if value.contains("${") {
            "the words in `${…}` are `${service.NAME}` and `${vars.NAME}`".to_owned()
        } else if http {
            return;
        } else if value.contains("://") || value.is_empty() {
            "use an `https://` URL".to_owned()
        } else {
            format!("write `https://{}`", value.trim_start_matches('/'))
        };
        let message = format!("`{link}` is not a valid http or https URL");
        let error = Diagnostic::error("bad-link", link.span, message);
        self.sink.push(error.help(help));
    }
}

impl Context<'_> {
    /// True for a label that a signal of the spec declares, or any family of vLLM has.
    fn may_be_label(&self, label: &Text) -> bool {
        let mut shapes = self.catalog.families().flat_map(|family| family.shapes());
        let mut declared = self.spec.signals.values();
        declared.any(|signal| signal.has_labels.iter().flatten().any(|l| l == label))
            || shapes.any(|shape| shape.labels.contains(&label.value))
    }
}

pub(super) fn check(cx: &mut Context<'_>) {
    let spec = cx.spec;
    cx.check_name(&spec.service.name, true);
    let service = &spec.service;
    let old = service.renamed_from.as_ref();
    cx.check_old_name(("service", &service.name), old, |old| {
        old == service.name.value
    });
    for name in spec.slos.keys() {
        cx.check_name(name, true);
    }
    for name in spec.alerts.keys() {
        cx.check_name(name, false);
    }
    for severity in spec.severities.all() {
        cx.check_severity_name(&severity.name);
    }
    for label in &spec.prometheus.group_by {
        cx.check_label_name(label);
        cx.check_group_label(label);
    }
    let of_slos = spec
        .slos
        .values()
        .flat_map(|slo| slo.groups.selection().named());
    for label in spec.prometheus.group_by.iter().chain(of_slos) {
        cx.check_slo_label(label);
    }
    let owners = [&spec.service.marks.owner].into_iter();
    let owners = owners
        .chain(spec.slos.values().map(|slo| &slo.notice.marks.owner))
        .chain(spec.alerts.values().map(|alert| &alert.notice.marks.owner));
    for owner in owners.flatten() {
        check_owner(cx, owner);
    }
    super::marks::check(cx);
    let evaluations = spec.alerts.values().map(|alert| alert.evaluation_interval);
    for interval in evaluations.chain([spec.prometheus.evaluation_interval]) {
        check_evaluation(cx, interval);
    }
    check_labels(cx);
    super::matchers::check(cx, &spec.prometheus.selector);
    check_links(cx);
}

fn check_owner(cx: &mut Context<'_>, owner: &Text) {
    if let Some(at) = owner.value.find("{{") {
        let at = cx.document.inside(owner, at..at + 2);
        let error = Diagnostic::error("bad-template", at, "`owner` cannot contain a template");
        cx.sink.push(error.help(
            "use templates only in `summary`, `description`, `action`, `labels` and `annotations`",
        ));
    }
}

/// Rules meet on full minutes, and see something new each time.
fn check_evaluation(cx: &mut Context<'_>, interval: Option<Spanned<Duration>>) {
    let Some(interval) = interval else {
        return;
    };
    let (seconds, scrape) = (interval.value.as_secs(), cx.scrape_interval());
    let minute = EVALUATION.as_secs();
    let (message, help) = if seconds == 0 || !minute.is_multiple_of(seconds) {
        (
            format!("the evaluation interval must divide one minute evenly; found {interval}"),
            "use 10s, 15s, 20s, 30s or 1m".to_owned(),
        )
    } else if interval.value < scrape {
        (
            format!(
                "the evaluation interval ({interval}) must not be shorter than the scrape interval ({scrape})"
            ),
            format!("use {scrape} or more, or set `scrape_interval: {interval}`"),
        )
    } else {
        return;
    };
    let error = Diagnostic::error("bad-interval", interval.span, message);
    cx.sink.push(error.help(help));
}

/// A label is added by the scrape or on sending, not both.
fn check_labels(cx: &mut Context<'_>) {
    let labels = &cx.spec.prometheus;
    for label in labels.scrape_labels.iter().chain(&labels.external_labels) {
        cx.check_label_name(label);
    }
    for label in &labels.external_labels {
        if let Some(target) = labels.scrape_labels.iter().find(|t| t.value == label.value) {
            let message =
                format!("`{label}` is declared both as a target label and as an external label");
            let error = Diagnostic::error("contradiction", label.span, message)
                .related(target.span, "declared as a target label here")
                .help("remove one of the two: rules see target labels, but never external labels");
            cx.sink.push(error);
        }
    }
}

fn alerts(slo: &spec::Slo) -> bool {
    let burn = slo.burn.as_ref();
    burn.is_none_or(|burn| !matches!(burn.value, Burn::Policy(Policy::None)))
}

fn check_links(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let links = spec.links.as_ref();
    let [runbooks, grafana] = [
        links.and_then(|links| links.runbooks.as_ref()),
        links.and_then(|links| links.grafana.as_ref()),
    ];
    for link in [runbooks, grafana].into_iter().flatten() {
        cx.check_link(link);
    }
    let is_page = |link: &&Text| link.value.ends_with(".md") || link.value.ends_with(".html");
    let is_dashboard = |link: &&Text| link.value.contains("/d/");
    let pages = [
        (
            runbooks.filter(is_page),
            "a page",
            "the URL of the folder with the runbooks",
        ),
        (
            grafana.filter(is_dashboard),
            "a dashboard",
            "the root URL of Grafana",
        ),
    ];
    for (link, what, wanted) in pages {
        if let Some(link) = link {
            let message = format!("`{link}` is the URL of {what}: the build appends paths to it");
            let warning = Diagnostic::warning("bad-link", link.span, message);
            cx.sink.push(warning.help(format!("use {wanted}")));
        }
    }
    let slos = spec.slos.iter().filter(|(_, slo)| alerts(slo));
    let slos = slos.map(|(name, slo)| (name, &slo.notice.runbook));
    let alerts = spec.alerts.iter();
    let all = alerts.map(|(name, alert)| (name, &alert.notice.runbook));
    let all: Vec<_> = all.chain(slos).collect();
    let here = |runbook: &Option<Text>| !runbook.as_ref().is_some_and(super::alerts::is_elsewhere);
    let first = all.iter().find(|(_, runbook)| here(runbook));
    if let (Some((name, _)), None) = (first, runbooks) {
        let message = format!("`{name}` needs `links.runbooks`: the alert links to its runbook");
        let error = Diagnostic::error("missing-field", name.span, message);
        let error = error.help("add `links: {runbooks: https://…, grafana: https://…}`");
        cx.sink
            .push(error.help("or set the `runbook` of each alert to a URL"));
    } else if !all.is_empty() && grafana.is_none() && is_stored(spec) {
        cx.notes
            .push("alerts do not link to dashboards: `links.grafana` is not set".to_owned());
    }
}

/// True when Prometheus may have something of the service.
fn is_stored(spec: &spec::Spec) -> bool {
    let mut signals = spec.signals.values();
    let elsewhere = |s: &spec::Signal| s.prometheus.is_none() && s.cloudwatch.is_some();
    spec.runtime.is_some() || signals.any(|s| s.base.is_none() && !elsewhere(s))
}

pub(super) fn check_group_labels(cx: &mut Context<'_>) -> Vec<String> {
    let mut known = cx.target_labels();
    for signal in cx.ready_signals() {
        known.extend(signal.labels.iter().cloned());
    }
    known.sort();
    known.dedup();
    let mut unknown = Vec::new();
    let external = &cx.spec.prometheus.external_labels;
    let failed = cx.failed || cx.document.errors.has_errors();
    for label in &cx.spec.prometheus.group_by {
        let reported = label.value == "le"
            || naming::RESERVED_LABELS.contains(&label.value.as_str())
            || external.contains(label)
            || !is_label_name(&label.value)
            // A signal that could not be resolved may have it.
            || (failed && cx.may_be_label(label));
        if !reported && cx.any_signal() && !known.contains(&label.value) {
            let message = format!(
                "no signal has the label `{label}`, and `prometheus.scrape_labels` does not list it"
            );
            let error = Diagnostic::error("unknown-label", label.span, message)
                .maybe_help(label_meant(&label.value, &known))
                .help("list labels that the scrape adds under `prometheus.scrape_labels`");
            cx.sink.push(error);
            unknown.push(label.value.clone());
        }
    }
    unknown
}

/// The label that a wrong one stands for: `model` for `model_name`.
fn label_meant(label: &str, known: &[String]) -> Option<String> {
    let longer = || {
        let prefix = format!("{label}_");
        let meant = known.iter().find(|known| known.starts_with(&prefix))?;
        Some(format!("did you mean `{meant}`?"))
    };
    did_you_mean(label, known.iter().map(String::as_str)).or_else(longer)
}

pub(super) fn plan(cx: &Context<'_>) -> Service {
    let spec = cx.spec;
    let name = spec.service.name.value.clone();
    Service {
        title: cx.title().to_owned(),
        name,
        owner: spec.service.marks.owner.as_ref().map(|o| o.value.clone()),
        severities: severities(cx),
        grafana: spec
            .links
            .as_ref()
            .and_then(|links| links.grafana.as_ref())
            .map_or_else(String::new, |url| url.value.clone()),
    }
}

pub(super) fn severities(cx: &Context<'_>) -> Severities {
    let severities = &cx.spec.severities;
    Severities {
        page: severities.page.name.value.clone(),
        ticket: severities.ticket.name.value.clone(),
    }
}

/// Warns of a selector that no query has: those of vLLM have it, and PromQL with `$selector`.
pub(super) fn check_selector(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let Some((label, _)) = spec.prometheus.selector.first() else {
        return;
    };
    let is_wrong = cx.sink.has_errors() || cx.document.errors.has_errors();
    if spec.runtime.is_none() && !cx.selects && !is_wrong {
        let message = "`prometheus.selector` has no effect on SLOs and alerts: the spec has no signal of vLLM, and no PromQL with `$selector`";
        let warning = Diagnostic::warning("contradiction", label.span, message);
        cx.sink.push(warning.help(
            "declared signals have the selector of their job: `prometheus: {jobs: {JOB: {selector: {env: prod}}}}`, or a `where`",
        ));
    }
}
