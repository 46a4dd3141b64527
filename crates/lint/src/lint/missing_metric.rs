//! Findings about metrics that some releases do not expose, in the same words for every reason.
//!
//! `` `vllm:gpu_cache_usage_perc` was hidden in 0.11.0 and removed in 0.12.0: no data on 0.12.0–0.33.0 ``

use super::fixes;
use super::query::{QueryCx, Series};
use super::rule::Findings;
use super::subject::{Dead, Known, Why};
use crate::artifact::Role;
use slosmith_catalog::{Lifetime, ReleaseId, VLLM, Version};
use slosmith_text::diag::{Diagnostic, Severity};

pub(super) struct MissingMetric<'a, 'q, 'c> {
    cx: &'a QueryCx<'q, 'c>,
    series: &'a Series<'q, 'c>,
    pub(super) known: &'a Known<'c>,
    pub(super) dead: Dead,
}

pub(super) fn missing<'a, 'q, 'c>(
    cx: &'a QueryCx<'q, 'c>,
    why: &'a Why,
) -> impl Iterator<Item = MissingMetric<'a, 'q, 'c>> {
    let known = |series: &'a Series<'q, 'c>| Some((series, series.subject.served()?));
    let missing = cx.series.iter().filter_map(known);
    missing
        .filter(|(_, known)| !known.is_alive())
        .flat_map(move |(series, known)| {
            let dead = cx.dead(series).into_iter().filter(|dead| dead.why == *why);
            dead.map(move |dead| MissingMetric {
                cx,
                series,
                known,
                dead,
            })
        })
}

impl MissingMetric<'_, '_, '_> {
    fn life(&self) -> Option<Lifetime> {
        let product = self.known.product;
        product
            .catalog
            .first_last_in(&self.known.family, &product.profiles)
    }

    /// The first release with the series: a family can have had another type before.
    pub(super) fn first(&self) -> Option<Version> {
        let Known {
            product,
            family,
            part,
            ..
        } = self.known;
        let catalog = product.catalog;
        let releases = catalog.select_all().releases.into_iter();
        let shape = |id: ReleaseId| Some((id, catalog.shape(family, id, &product.profiles)?));
        let mut shapes = releases.filter_map(shape).peekable();
        if shapes.peek().is_none_or(|(_, shape)| shape.serves(*part)) {
            return Some(self.life()?.first);
        }
        let (first, _) = shapes.find(|(_, shape)| shape.serves(*part))?;
        Some(catalog.release(first).version().clone())
    }

    /// How the metric disappeared, by lineage; without a date in lineage, by the recordings.
    pub(super) fn end(&self) -> String {
        let change = self
            .known
            .product
            .catalog
            .lineage()
            .change(&self.known.family);
        let (hidden, removed) = change.map_or((None, None), |change| {
            (change.hidden.as_ref(), change.removed.as_ref())
        });
        let is_removed = self.dead.why == Why::Removed;
        match (hidden, removed.filter(|_| is_removed)) {
            (Some(hidden), Some(removed)) => {
                format!("was hidden in {hidden} and removed in {removed}")
            }
            (Some(hidden), None) => format!("has been hidden since {hidden}"),
            (None, Some(removed)) => format!("was removed in {removed}"),
            (None, None) => match self.life().and_then(|life| life.last) {
                Some(last) => format!("was last exposed by {last}"),
                None => "was removed".to_owned(),
            },
        }
    }

    /// The finding: the mistake, the releases without data, and the replacement.
    pub(super) fn finding(&self, out: &Findings, what: &str, label: &str) -> Diagnostic {
        let on = self.known.product.describe(&self.dead.releases);
        let message = format!(
            "`{}` {what}: no data on {} {on}",
            self.series.name, self.known.product.name
        );
        let at = self.cx.span(&self.series.name_span);
        let mut finding = out.at(at, message).label(label);
        if self.cx.query.role == Role::Mention && finding.severity == Severity::Error {
            // A text may speak of older releases.
            finding.severity = Severity::Warning;
        }
        let pin = self
            .cx
            .scope
            .pin_with(self.known.product, &self.known.family);
        if let Some(pin) = pin {
            if finding.severity == Severity::Error {
                finding.severity = Severity::Warning;
            }
            let (path, release) = (pin.path.display(), &pin.release);
            finding = finding.note(format!(
                "`{path}` uses vLLM {release}, which exposes the metric; set `vllm = \"{release}\"` in `slosmith.toml`"
            ));
        }
        let product = self.known.product;
        // In most projects vLLM is set once, and its pins are read.
        if product.is_guess && product.key != VLLM {
            let key = &product.key;
            finding = finding.note(format!(
                "checked against the newest recorded release; name yours with `--product {key}=VERSION`, or with `{key}` under \
                 `[products]` in `slosmith.toml`"
            ));
        }
        fixes::advise(
            self.cx,
            self.series,
            self.known,
            &self.dead.releases,
            finding,
        )
    }
}
