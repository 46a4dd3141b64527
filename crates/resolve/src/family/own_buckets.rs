//! Bucket boundaries that servers replace: `vllm serve --custom-histogram-buckets`.

use super::declared_bucket;
use crate::context::Context;
use crate::matchers::own_job;
use crate::names::job_of;
use slosmith_catalog::{OwnBuckets, Version};
use slosmith_plan::plan::{Bucket, Family};
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Number, Quantity};

/// The boundaries that the servers of a recorded histogram's job have instead of the recorded ones.
///
/// Releases without the option keep theirs: a range with such releases has only the boundaries that are in both.
pub(super) fn of(cx: &Context<'_>, family: &Family) -> Option<Vec<Bucket>> {
    let (option, bounds) = given(cx, family)?;
    let is_recorded = |bound: &Number| family.buckets.iter().any(|b| b.bound == *bound);
    let all_have = versions(cx).all(|version| option.first <= *version);
    let bounds = bounds.iter().filter_map(|at| at.value.bare());
    let shared = bounds.filter(|bound| all_have || is_recorded(bound));
    Some(shared.map(declared_bucket).collect())
}

/// The first release with the option, where the spec gives this boundary.
pub(super) fn since<'a>(cx: &Context<'a>, family: &Family, bound: Number) -> Option<&'a Version> {
    let (option, bounds) = given(cx, family)?;
    let mut bounds = bounds.iter();
    let is_given = bounds.any(|at| at.value.bare() == Some(bound));
    is_given.then_some(&option.first)
}

/// The option, and the boundaries that the job of a histogram has by it.
fn given<'a>(
    cx: &Context<'a>,
    family: &Family,
) -> Option<(&'a OwnBuckets, &'a [Spanned<Quantity>])> {
    let option = cx.catalog.lineage().open.own_buckets.as_ref()?;
    let key = option.key(family.served.newest())?;
    let job = job_of(family).unwrap_or_else(|| own_job(cx.spec));
    let given = cx.spec.prometheus.jobs.get(job)?;
    Some((option, given.custom_histogram_buckets.get(key)?))
}

fn versions<'a>(cx: &Context<'a>) -> impl Iterator<Item = &'a Version> {
    let selected = cx.range.iter().flat_map(|r| &r.selection.releases);
    let catalog = cx.catalog;
    let versions: Vec<_> = selected.map(|id| catalog.release(*id).version()).collect();
    versions.into_iter()
}

pub(crate) fn check(cx: &mut Context<'_>, job: &str) {
    let Some(given) = cx.spec.prometheus.jobs.get(job) else {
        return;
    };
    let Some(option) = &cx.catalog.lineage().open.own_buckets else {
        return;
    };
    if let Some((first, _)) = given.custom_histogram_buckets.first() {
        let own = own_job(cx.spec);
        let newest = versions(cx).last();
        let older = newest.filter(|version| **version < option.first);
        let error = if job != own {
            let help = "list the boundaries in the signal: `prometheus: {metric: …, buckets: […]}`";
            let message = format!("`custom_histogram_buckets` belongs to the vLLM job `{own}`");
            Some(Diagnostic::warning("contradiction", first.span, message).help(help))
        } else {
            older.map(|older| {
                let message = format!(
                    "vLLM {older} does not have `--custom-histogram-buckets`, which exists since {}",
                    option.first
                );
                let help = "widen `runtime.vllm`, or remove `custom_histogram_buckets`";
                Diagnostic::error("contradiction", first.span, message).help(help)
            })
        };
        error.into_iter().for_each(|error| cx.sink.push(error));
    }
    for (key, bounds) in &given.custom_histogram_buckets {
        if !option.keys.contains_key(key.value.as_str()) {
            let keys = option.keys.keys().map(String::as_str);
            let all = keys.clone().collect::<Vec<_>>().join("`, `");
            let message = format!("`{key}` is not a key of `--custom-histogram-buckets`");
            let error = Diagnostic::error("unknown-name", key.span, message)
                .maybe_help(did_you_mean(&key.value, keys))
                .help(format!("use one of `{all}`"));
            cx.sink.push(error);
        }
        if let Some(error) = wrong(key, bounds) {
            cx.sink.push(error);
        }
    }
}

fn wrong(key: &Spanned<String>, bounds: &[Spanned<Quantity>]) -> Option<Diagnostic> {
    let error = |at, message| Some(Diagnostic::error("bad-buckets", at, message));
    if bounds.is_empty() {
        return error(key.span, format!("`{key}` must have at least one boundary"));
    }
    let mut last = Number::from_integer(0);
    for at in bounds {
        let Some(bound) = at.value.bare() else {
            let message = format!("the boundary {at} must be a number without a unit");
            return error(at.span, message);
        };
        if bound <= last {
            let message = format!("buckets must be positive and in ascending order: found {at}");
            return error(at.span, message);
        }
        last = bound;
    }
    None
}
