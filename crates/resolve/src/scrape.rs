//! Scrape jobs: where the signals of a spec come from.
//!
//! `prometheus: {metric: probe_success, job: ping}` selects `probe_success{job="ping"}`, and `scrape.yaml` has a job whose
//! targets get that label.

use super::context::Context;
use super::labels::SCRAPE_LABELS;
use super::matchers::{self, JOB};
use super::names::{self, job_of};
use super::{doubts, family, kubernetes};
use slosmith_plan::plan::{Probe, Scrape, ScrapeJob};
use slosmith_promql::ast::MatchOp;
use slosmith_spec::library;
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean};

/// How the service is scraped. Its job is its own, which is the selector's, if it has one; or else the first that signals name.
pub(super) fn resolve(cx: &mut Context<'_>) -> Scrape {
    let spec = cx.spec;
    let own = matchers::own_job(spec).to_owned();
    let jobs = jobs(cx, &own);
    let mut labels = cx.target_labels();
    labels.extend(selected(cx));
    labels.retain(|l| !SCRAPE_LABELS.contains(&l.as_str()));
    labels.sort();
    labels.dedup();
    let external = &spec.prometheus.external_labels;
    Scrape {
        interval: cx.scrape_interval(),
        labels,
        names: names::own_prefix(spec).to_owned(),
        external: external.iter().map(|l| l.value.clone()).collect(),
        job: jobs.first().map_or(own, |job| job.name.clone()),
        jobs,
    }
}

/// Labels that select servers and that no metric has itself: the scrape must add them.
fn selected(cx: &Context<'_>) -> Vec<String> {
    let declared = cx.target_labels();
    let mut labels = cx.labels_of_targets();
    labels.retain(|label| !declared.contains(label));
    labels
}

/// The service's own job, if signals without a job or something else needs it; then those that signals name and those that the spec
/// declares and PromQL selects, by name.
fn jobs(cx: &mut Context<'_>, own: &str) -> Vec<ScrapeJob> {
    let families = cx.ready_signals().filter_map(|signal| signal.family());
    let named: Vec<_> = families
        .map(|family| job_of(family).map(str::to_owned))
        .collect();
    let used = cx.spec.vllm().is_some()
        || cx.read_jobs.contains_key(own)
        || cx.spec.prometheus.jobs.contains_key(own)
        || named
            .iter()
            .any(|job| job.as_deref().is_none_or(|job| job == own));
    let declared = cx.spec.prometheus.jobs.keys().map(|name| &name.value);
    let in_promql = declared.filter(|name| cx.read_jobs.contains_key(*name));
    let mut names: Vec<String> = in_promql.cloned().collect();
    names.extend(named.into_iter().flatten());
    names.retain(|name| name != own);
    names.sort();
    names.dedup();
    if used {
        names.insert(0, own.to_owned());
    }
    doubts::jobs(cx);
    doubts::other_names(cx);
    doubts::similar_metrics(cx);
    doubts::linked(cx);
    for name in cx.spec.prometheus.jobs.keys() {
        check(cx, name, &names);
    }
    names.into_iter().map(|name| job(cx, name)).collect()
}

fn check(cx: &mut Context<'_>, name: &Text, used: &[String]) {
    cx.check_name(name, false);
    names::check(cx, &name.value);
    family::check_own_buckets(cx, &name.value);
    let given = cx.spec.prometheus.jobs.get(name.value.as_str());
    if let Some((path, _)) = given.and_then(|job| job.path.as_ref().zip(job.probe.as_ref())) {
        let message = "`path` cannot be combined with `probe`: probe targets are whole URLs";
        cx.reject_field("path", path.span, message);
    }
    let both = given.and_then(|job| job.probe.as_ref().zip(job.kubernetes.as_ref()));
    if let Some((_, kubernetes)) = both {
        let message =
            "`kubernetes` cannot be combined with `probe`: probe targets are URLs, not pods";
        cx.reject_field("kubernetes", kubernetes.span, message);
    }
    if used.contains(&name.value) {
        return;
    }
    let message = format!("no signal uses the job `{name}`");
    let error = Diagnostic::error("unused-job", name.span, message)
        .maybe_help(did_you_mean(&name.value, used.iter().map(String::as_str)))
        .help("use the job in a signal: `prometheus: {metric: …, job: …}`, or in PromQL: `{job=\"…\"}`");
    cx.sink.push(error);
}

fn job(cx: &mut Context<'_>, name: String) -> ScrapeJob {
    let given = cx.spec.prometheus.jobs.get(name.as_str());
    let path = given.and_then(|job| job.path.as_ref());
    let probe = given.and_then(|job| job.probe.as_ref());
    let found = given.and_then(|job| job.kubernetes.as_ref());
    let discovery = found.and_then(|at| kubernetes::discovery(cx, at));
    let honors_labels = has_labels_of_targets(cx, &name, discovery.is_some());
    ScrapeJob {
        honors_labels,
        discovery,
        renames: names::renames(cx, &name),
        created: names::created(cx, &name),
        histograms: names::has_histograms(cx, &name),
        path: path.map_or_else(|| "/metrics".to_owned(), |path| path.value.clone()),
        probe: probe.map(|probe| Probe {
            exporter: probe.value.exporter.value.clone(),
            module: probe.value.module.value.clone(),
        }),
        name,
    }
}

/// Labels that the Prometheus operator adds to the targets that it finds.
const OF_OPERATOR: [&str; 6] = [
    "namespace",
    "pod",
    "container",
    "service",
    "endpoint",
    "node",
];

/// True if a metric of a job has a label itself that its scrape adds.
fn has_labels_of_targets(cx: &Context<'_>, job: &str, is_found: bool) -> bool {
    let targets = cx.target_labels();
    let own = matchers::own_job(cx.spec);
    let built_in = library::of_others();
    let built_in = built_in.filter_map(|(_, name)| library::signal(&name));
    let mut signals = cx.spec.signals.values().chain(built_in).filter(|signal| {
        let binding = signal.prometheus.as_ref();
        let of = binding.and_then(|binding| binding.value.job.as_ref());
        binding.is_some() && of.map_or(own, |of| of.value.as_str()) == job
    });
    let is_added = |label: &Text| {
        let of_operator = is_found && OF_OPERATOR.contains(&label.value.as_str());
        of_operator || targets.contains(&label.value)
    };
    signals.any(|signal| signal.has_labels.iter().flatten().any(is_added))
}

/// The matcher of a binding's job, unless the job is already set.
pub(super) fn matcher(
    cx: &mut Context<'_>,
    definition: &spec::Signal,
    recorded: bool,
) -> Option<slosmith_plan::plan::selection::Matcher> {
    let binding = definition.prometheus.as_ref()?;
    let job = binding.value.job.as_ref()?;
    if recorded {
        let message =
            "`job` cannot be set for vLLM metrics: the job comes from `prometheus.selector`";
        cx.reject_field("job", job.span, message);
        return None;
    }
    if let Some((label, _)) = definition.matchers.get_key_value(JOB) {
        let message = "`job` cannot be combined with a `where` that selects the job";
        let error = Diagnostic::error("contradiction", job.span, message);
        cx.sink
            .push(error.related(label.span, "the job is selected here"));
        return None;
    }
    cx.check_name(job, false);
    Some((JOB.to_owned(), MatchOp::Equal, job.value.clone()))
}
