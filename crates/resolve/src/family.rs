//! Families: names, labels and buckets on every release of the range.
//!
//! `vllm:kv_cache_usage_perc` on a range that begins before 0.9.2 is the family `[vllm:kv_cache_usage_perc,
//! vllm:gpu_cache_usage_perc]`, with the labels that both have.

mod check;
mod metric_name;
mod missing;
mod own_buckets;
mod recorded;
mod service;

use std::rc::Rc;

pub(super) use check::{
    absence_of_name, check_matchers, check_names, check_present_from_start, check_selector,
    combine, is_present_from_start, narrow, narrowed, not_a_boundary, reject_where, side,
};
pub(super) use own_buckets::check as check_own_buckets;
pub(super) use recorded::{covers_range, ratio_before};
use service::misspelt;

use super::context::{Context, Outcome};
use super::{matchers, names, scrape};
use slosmith_plan::plan::{Bucket, ELSEWHERE, Family, Names, Signal, Source};
use slosmith_promql::ast::MatchOp;
use slosmith_spec::library;
use slosmith_spec::spec::{self, Across, FamilyKind, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Number, Unit, decimal, shown};

const VLLM: &str = "vllm:";

/// Runs `f`; while it runs with `optional`, a missing family leaves a signal out instead of failing it.
pub(super) fn tolerating<'a, T>(
    cx: &mut Context<'a>,
    optional: bool,
    f: impl FnOnce(&mut Context<'a>) -> T,
) -> T {
    let before = cx.tolerant;
    cx.tolerant = optional || before;
    let result = f(cx);
    cx.tolerant = before;
    result
}

/// A signal before it is known where its values come from; see [`Signal`] for the fields.
pub(super) struct Unbound {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) unit: Unit,
    pub(super) scale: Number,
    pub(super) across: Across,
}

impl Unbound {
    pub(super) fn with(self, source: Source, labels: Vec<String>) -> Signal {
        Signal {
            name: self.name,
            title: self.title,
            description: self.description,
            unit: self.unit,
            scale: self.scale,
            across: self.across,
            labels,
            source,
            cloudwatch: None,
        }
    }
}

pub(super) fn bind(
    cx: &mut Context<'_>,
    unbound: Unbound,
    definition: &spec::Signal,
    metric: &Text,
    at: Span,
) -> Outcome {
    let from_library = library::signal(&unbound.name).is_some();
    let place = |span: Span| if from_library { at } else { span };
    let kind = definition
        .kind
        .unwrap_or(Spanned::new(FamilyKind::Gauge, at));
    let kind = Spanned::new(kind.value, place(kind.span));
    let metric = &Text::new(metric.value.clone(), place(metric.span));
    let foreign = cx.catalog.foreign().find(&metric.value).is_some();
    let tolerant = definition.optional || cx.tolerant;
    let is_vllms = from_library && unbound.name.starts_with(library::PREFIX);
    let bound = if is_vllms || (metric.value.starts_with(VLLM) && !foreign) {
        if let Err(outcome) = reject_own_shape(cx, definition) {
            return outcome;
        }
        match recorded::family(cx, &unbound.name, kind, metric, tolerant) {
            Ok(bound) => bound,
            Err(outcome) => return outcome,
        }
    } else if let Some(absence) = tolerant
        .then(|| service::absence(cx, &metric.value))
        .flatten()
    {
        return Outcome::LeftOut(absence);
    } else {
        match declared(cx, &unbound, definition, kind.value, metric) {
            Some(bound) => bound,
            None => return Outcome::Failed,
        }
    };
    let (mut family, mut labels) = bound;
    family
        .matchers
        .extend(matchers::matchers(&definition.matchers));
    let is_own = cx.is_of_own_server(&unbound.name);
    let job = match is_own {
        true => None,
        false => scrape::matcher(cx, definition, family.recorded),
    };
    if let Some((_, _, job)) = &job {
        let mut of_job = matchers::of_job(cx, job);
        if is_of_target(family.names.newest()) {
            let own = cx.labels_of_targets();
            of_job.retain(|(label, ..)| own.contains(label));
        }
        family.matchers.extend(of_job);
    }
    family.matchers.extend(job);
    if family.recorded || is_own {
        family.matchers.extend(matchers::of_own_servers(cx.spec));
    }
    family.matchers.sort_by(|a, b| a.0.cmp(&b.0));
    family.matchers.dedup();
    family.names = names::stored(cx, &family);
    if let Some(own) = own_buckets::of(cx, &family) {
        family.buckets = own.into();
    }
    labels.extend(cx.target_labels());
    labels.sort();
    labels.dedup();
    let signal = unbound.with(Source::Family(family), labels);
    if !from_library {
        check_matchers(cx, &signal, &definition.matchers);
    }
    check_selector(cx, &signal);
    Outcome::Ready(Rc::new(signal))
}

/// True for a series that Prometheus writes for each target: it has no label of the page.
fn is_of_target(name: &str) -> bool {
    name == "up" || name.starts_with("scrape_")
}

/// Labels and buckets of a recorded family come from the catalog: a spec cannot set them.
fn reject_own_shape(cx: &mut Context<'_>, definition: &spec::Signal) -> Result<(), Outcome> {
    let binding = definition.prometheus.as_ref();
    let buckets = binding
        .and_then(|b| b.value.buckets.as_ref())
        .and_then(|b| b.first());
    let labels = definition.has_labels.as_ref().and_then(|l| l.first());
    let fields = [
        ("buckets", buckets.map(|b| b.span)),
        ("has_labels", labels.map(|l| l.span)),
    ];
    for (field, span) in fields {
        if let Some(span) = span {
            let message =
                format!("`{field}` cannot be set for vLLM metrics: the catalog defines them");
            let at = cx.document.key(span, field);
            let error = Diagnostic::error("contradiction", at, message);
            let own = "if the servers run with `--custom-histogram-buckets`, set `custom_histogram_buckets` of their job";
            let error = error.maybe_help((field == "buckets").then(|| own.to_owned()));
            return Err(cx.fail(error.help(format!("remove `{field}`"))));
        }
    }
    Ok(())
}

/// Binds a signal that only CloudWatch has.
pub(super) fn elsewhere(
    cx: &mut Context<'_>,
    unbound: Unbound,
    definition: &spec::Signal,
    kind: FamilyKind,
) -> Outcome {
    let Some(binding) = &definition.cloudwatch else {
        return Outcome::Failed;
    };
    if binding.value.metric.is_none() {
        let message = format!(
            "`cloudwatch` of `{}` lacks the field `metric`",
            unbound.name
        );
        let error = Diagnostic::error("missing-field", binding.span, message);
        return cx.fail(error.help("add the name of the metric: `cloudwatch: {metric: NAME}`"));
    }
    let name = format!("{ELSEWHERE}{}", unbound.name);
    let labels = labels(cx, definition);
    let family = Family {
        kind,
        names: Names::one(&name),
        served: Names::one(&name),
        matchers: matchers::matchers(&definition.matchers),
        buckets: Vec::new().into(),
        recorded: false,
    };
    Outcome::Ready(Rc::new(unbound.with(Source::Family(family), labels)))
}

type Bound = (Family, Vec<String>);

fn declared(
    cx: &mut Context<'_>,
    signal: &Unbound,
    definition: &spec::Signal,
    kind: FamilyKind,
    metric: &Text,
) -> Option<Bound> {
    metric_name::check(cx, signal, definition, kind, metric)?;
    let mut names = labels(cx, definition);
    if library::signal(&signal.name).is_some() {
        names.extend(service::labels(cx, &metric.value));
    }
    let buckets = declared_buckets(cx, signal, definition, kind, metric)?;
    service::check(cx, definition, kind, metric, &buckets);
    let family = Family {
        kind,
        names: Names::one(&metric.value),
        served: Names::one(&metric.value),
        matchers: Vec::new(),
        buckets: buckets.into(),
        recorded: false,
    };
    Some((family, names))
}

/// The labels that a definition declares.
fn labels(cx: &mut Context<'_>, definition: &spec::Signal) -> Vec<String> {
    let mut names = Vec::new();
    for label in definition.has_labels.iter().flatten() {
        cx.check_label_name(label);
        if names.contains(&label.value) {
            let message = format!("`{label}` appears twice");
            cx.sink
                .push(Diagnostic::error("duplicate-name", label.span, message));
        }
        names.push(label.value.clone());
    }
    names
}

/// The buckets that a definition declares, which a histogram must have and no other kind may.
pub(super) fn declared_buckets(
    cx: &mut Context<'_>,
    signal: &Unbound,
    definition: &spec::Signal,
    kind: FamilyKind,
    at: &Text,
) -> Option<Vec<Bucket>> {
    let buckets = definition
        .prometheus
        .as_ref()
        .and_then(|b| b.value.buckets.as_ref());
    let first = buckets.and_then(|b| b.first());
    match (kind, first) {
        (FamilyKind::Histogram, None) => {
            let message = format!("the histogram `{}` needs `buckets`", signal.name);
            let error = Diagnostic::error("missing-field", at.span, message);
            cx.sink
                .push(error.help("list the bucket boundaries: `buckets: [100ms, 500ms, 1s]`"));
            return None;
        }
        (FamilyKind::Gauge | FamilyKind::Counter, Some(bucket)) => {
            let message = format!("a {} cannot have `buckets`", kind.as_str());
            let at = cx.document.key(bucket.span, "buckets");
            let error = Diagnostic::error("wrong-kind", at, message);
            let help = "remove `buckets`, or write `kind: histogram`";
            cx.sink.push(error.help(help));
            return None;
        }
        _ => {}
    }
    let mut out: Vec<Bucket> = Vec::new();
    for bucket in buckets.into_iter().flatten() {
        let bound = match bucket.value.of(signal.unit, false) {
            Ok(bound) => bound / signal.scale,
            Err(mismatch) => {
                cx.sink
                    .push(super::bound::wrong_unit(bucket.span, mismatch));
                return None;
            }
        };
        if let Some(last) = out.last().filter(|last| last.bound >= bound) {
            let last = shown(last.bound * signal.scale, signal.unit);
            let message = format!("buckets must be in ascending order: {bucket} follows {last}");
            cx.sink
                .push(Diagnostic::error("bad-buckets", bucket.span, message));
            return None;
        }
        out.push(declared_bucket(bound));
    }
    Some(out)
}

/// Clients print whole bounds as `1` or `1.0`, and Prometheus 3 rewrites the first to the second.
pub(super) fn declared_bucket(bound: Number) -> Bucket {
    let text = decimal(bound);
    if bound.is_integer() {
        Bucket {
            bound,
            le: format!("{text}.0"),
            op: MatchOp::Match,
            pattern: format!("{text}(\\.0)?"),
        }
    } else {
        Bucket {
            bound,
            le: text.clone(),
            op: MatchOp::Equal,
            pattern: text,
        }
    }
}
