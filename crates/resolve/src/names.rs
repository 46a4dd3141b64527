//! Names as the store has them.
//!
//! With `prometheus: {jobs: {vllm: {names: vllm_}}}`, all outputs use `vllm_x` for the served name `vllm:x`, and the generated
//! scrape configuration writes it.

use super::context::Context;
use super::matchers::{self, JOB, own_job};
use slosmith_catalog::{Catalog, PREFIX_HELP, is_prefix};
use slosmith_plan::plan::{Family, Names, Rename, Signal, Source};
use slosmith_promql::ast::{Expr, MatchOp};
use slosmith_promql::{self as promql, Series};
use slosmith_spec::naming;
use slosmith_spec::spec::{FamilyKind, Slo, Spec, Text};
use slosmith_text::diag::Diagnostic;

/// The servers that a spec selects, as a selector with their word as the metric; `None` if `runtime` names none, or other specs
/// select them on purpose.
pub fn servers(spec: &Spec) -> Option<String> {
    let selected = &spec.prometheus;
    let server = spec.own_server().filter(|_| !selected.shared_selector)?;
    let matchers = matchers::of_own_servers(spec);
    let selector = promql::build::metric(server).with_matchers(&matchers);
    Some(Expr::from(selector).to_string())
}

/// What vLLM's names begin with in the store.
pub fn own_prefix(spec: &Spec) -> &str {
    prefix_of(spec, own_job(spec)).unwrap_or(Catalog::vllm().prefix())
}

fn prefix_of<'a>(spec: &'a Spec, job: &str) -> Option<&'a str> {
    let names = spec.prometheus.jobs.get(job)?.names.as_ref()?;
    Some(names.value.as_str()).filter(|prefix| is_prefix(prefix))
}

/// Reports a prefix that no name can begin with.
pub(super) fn check(cx: &mut Context<'_>, job: &str) {
    let names = cx
        .spec
        .prometheus
        .jobs
        .get(job)
        .and_then(|job| job.names.as_ref());
    if let Some(names) = names.filter(|names| !is_prefix(&names.value)) {
        let message = format!("`{names}` is not the prefix of a metric name");
        let error = Diagnostic::error("bad-name", names.span, message);
        cx.sink.push(error.help(PREFIX_HELP));
    }
}

pub(super) fn stored(cx: &Context<'_>, family: &Family) -> Names {
    let job = job_of(family).unwrap_or_else(|| own_job(cx.spec));
    let served = &family.served;
    let Some(prefix) = prefix_of(cx.spec, job) else {
        return served.clone();
    };
    let stored = served.iter().map(|name| match served_prefix(name) {
        Some(own) => format!("{prefix}{}", &name[own.len()..]),
        None => name.clone(),
    });
    Names::of(stored.collect()).unwrap_or_else(|| served.clone())
}

/// `vllm:` of `vllm:x`; none for names of recording rules, which have more colons.
fn served_prefix(name: &str) -> Option<&str> {
    let end = name
        .find(':')
        .filter(|end| !name[end + 1..].contains(':'))?;
    name.get(..=end)
}

pub(super) fn job_of(family: &Family) -> Option<&str> {
    let mut matchers = family.matchers.iter();
    let job = matchers.find(|(label, op, _)| label == JOB && *op == MatchOp::Equal);
    job.map(|(_, _, job)| job.as_str())
}

pub(super) fn renames(cx: &Context<'_>, job: &str) -> Vec<Rename> {
    let own = own_job(cx.spec) == job;
    let signals: Vec<_> = cx.ready_signals().collect();
    let families = signals.iter().filter_map(|signal| signal.family());
    let served = families.filter(|family| is_of(cx, family, job));
    let served = served.filter_map(|family| served_prefix(family.served.newest()));
    let vllm = cx.spec.vllm().is_some() && own;
    let mut served: Vec<_> = served.chain(vllm.then(|| cx.catalog.prefix())).collect();
    served.sort_unstable();
    served.dedup();
    let set = prefix_of(cx.spec, job);
    let mut renames: Vec<_> = served
        .into_iter()
        .map(|prefix| Rename::to(set.unwrap_or(prefix)))
        .collect();
    renames.dedup();
    for rename in &mut renames {
        let named = signals.iter().flat_map(|signal| names(signal));
        let kept = named.filter_map(|name| Some(name.strip_prefix(&rename.from)?.to_owned()));
        rename.except = kept.collect();
        rename.except.sort();
        rename.except.dedup();
    }
    renames
}

/// Patterns of the `_created` series of counters and histograms that are known to be the job's; never a metric of the spec.
pub(super) fn created(cx: &Context<'_>, job: &str) -> Vec<String> {
    let own = own_job(cx.spec) == job;
    let signals: Vec<_> = cx.ready_signals().collect();
    let declared = signals.iter().filter_map(|signal| signal.family());
    let declared = declared.filter(|family| is_of(cx, family, job) && !family.recorded);
    let counting = declared.filter(|family| family.kind != FamilyKind::Gauge);
    let vllm = (cx.spec.vllm().is_some() && own).then(|| cx.catalog.families());
    let recorded = vllm
        .into_iter()
        .flatten()
        .filter(|family| family.has_created());
    let recorded = recorded.map(|family| family.name().to_owned());
    let known = counting.flat_map(|family| family.names.iter().map(ToString::to_string));
    let served = cx.catalog.prefix();
    let stored = prefix_of(cx.spec, job).unwrap_or(served);
    let pattern = |name: String| match name.starts_with(served) {
        // All that a recorded product shows under its prefix.
        true => format!("{stored}.+_created"),
        false => format!("{}_created", name.strip_suffix("_total").unwrap_or(&name)),
    };
    let mut patterns: Vec<_> = recorded.chain(known).map(pattern).collect();
    patterns.sort();
    patterns.dedup();
    let of_spec: Vec<_> = signals.iter().flat_map(|signal| names(signal)).collect();
    let kept = |pattern: &String| {
        let (start, end) = pattern.split_once(".+").unwrap_or((pattern, ""));
        let mut names = of_spec.iter();
        !names.any(|name| name.starts_with(start) && name.ends_with(end))
    };
    patterns.retain(kept);
    patterns
}

/// True if a signal is a histogram of the job, or PromQL of the spec reads buckets of it.
pub(super) fn has_histograms(cx: &Context<'_>, job: &str) -> bool {
    let mut families = cx.ready_signals().filter_map(Signal::family);
    families.any(|family| family.kind == FamilyKind::Histogram && is_of(cx, family, job))
        || cx.read_jobs.get(job) == Some(&true)
}

/// True for a family that is selected by this job, or by none if the job is the service's own.
fn is_of(cx: &Context<'_>, family: &Family, job: &str) -> bool {
    job_of(family).unwrap_or(own_job(cx.spec)) == job
}

/// The series that a signal of the author's own reads.
fn names(signal: &Signal) -> Vec<String> {
    match &signal.source {
        Source::Family(family) if !family.recorded => {
            let parts = Series::OF_HISTOGRAM.map(Series::suffix);
            let parts = [""].into_iter().chain(
                parts
                    .into_iter()
                    .filter(|_| family.counted() != Series::Whole),
            );
            let name = family.names.newest();
            parts.map(|part| format!("{name}{part}")).collect()
        }
        Source::Raw(raw) => {
            let selectors = promql::selectors(&raw.expr).into_iter();
            let names = selectors.filter_map(|selector| selector.metric.as_ref());
            names.map(|name| name.text.clone()).collect()
        }
        Source::Family(_) | Source::Ratio { .. } => Vec::new(),
    }
}

/// True where the name of a signal in the spec, or of its metric, has one of these words.
pub(super) fn has_word(signal: &Signal, name: &str, wanted: &[&str]) -> bool {
    let metric = signal.family().map(|family| family.names.newest());
    let mut tokens = [Some(name), metric].into_iter().flatten().flat_map(words);
    tokens.any(|token| wanted.contains(&token.as_str()))
}

/// The words of a name or a value in lower case: `gold`, `speed` of `gold-speed` and of `GoldSpeed`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            out.push(String::new());
        }
        if c.is_alphanumeric() {
            let last = out.len() - 1;
            out[last].extend(c.to_lowercase());
        }
        before = c;
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Name of an SLO's alerts: its own, or made from the name of the SLO.
pub(super) fn slo_alert_name(name: &Text, slo: &Slo) -> String {
    match &slo.alert_name {
        Some(own) => own.value.clone(),
        None => naming::burn_alert(&name.value),
    }
}
