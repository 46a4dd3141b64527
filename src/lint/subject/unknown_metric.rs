//! Metrics that never existed in any release.

use super::Known;
use crate::catalog::lineage::Mistake;
use crate::catalog::{Series, split_series};
use crate::lint::scope::{Product, Scope};
use crate::promql::ast::Duration;

/// Prefixes of programs around vLLM whose names look like vLLM names without the colon.
const OTHERS: [&str; 8] = [
    "vllm_autoscaler_",
    "vllm_controller_",
    "vllm_exporter_",
    "vllm_gateway_",
    "vllm_omni_",
    "vllm_operator_",
    "vllm_proxy_",
    "vllm_router_",
];

/// A name that looks like a series of a product, but never existed in any release.
#[derive(Clone, Debug)]
pub struct UnknownMetric<'c> {
    /// The product that the name looks like.
    pub product: &'c Product<'c>,
    /// The probable meaning.
    pub meant: Meant<'c>,
}

/// The probable meaning of an unknown name.
#[derive(Clone, Debug)]
pub enum Meant<'c> {
    /// The same name with the separator of the product: `vllm:x` for `vllm_x`.
    Normalised(Known<'c>),
    /// The base name of a histogram, which is not the name of a series.
    Histogram(&'c str),
    /// A common mistake, listed in the lineage.
    Mistake(&'c Mistake, Series),
    /// Unknown.
    Open,
    /// Unknown. The names of the product begin differently, so another program may expose it.
    Alike,
}

impl<'c> UnknownMetric<'c> {
    pub(super) fn of(product: &'c Product<'c>, name: &str) -> Option<Self> {
        let unknown = |meant| Some(Self { product, meant });
        let catalog = product.catalog;
        if let Some((family, Series::Whole)) = catalog.series_of(name) {
            return product
                .owns(name)
                .then_some(())
                .and_then(|()| unknown(Meant::Histogram(family.name())));
        }
        let own = catalog.own_spelling(name);
        if let Some(known) = own.as_deref().and_then(|own| Known::of(product, own)) {
            return unknown(Meant::Normalised(known));
        }
        let spelled = own.as_deref().unwrap_or(name);
        let (base, part) = split_series(spelled);
        let lineage = catalog.lineage();
        let whole = lineage.mistake(spelled).map(|m| (m, Series::Whole));
        let mistake = whole.or_else(|| Some((lineage.mistake(base)?, part)));
        // Without the colon, it may be the metric of another program.
        if let Some((mistake, part)) = mistake.filter(|_| own.is_none()) {
            return unknown(Meant::Mistake(mistake, part));
        }
        if product.claims(name) {
            return unknown(Meant::Open);
        }
        let alike = own.is_some() && !OTHERS.iter().any(|prefix| name.starts_with(prefix));
        alike.then_some(()).and_then(|()| unknown(Meant::Alike))
    }

    /// True if something other than the product may publish or record the name.
    pub(super) fn is_elsewhere(&self, scope: &Scope<'_>, name: &str) -> bool {
        let own = self.product.catalog.own_spelling(name);
        let published = |name: &str| scope.is_published(name);
        match self.meant {
            Meant::Normalised(_) => published(name),
            _ => {
                let own = own.as_deref().unwrap_or(name);
                published(name) || published(own) || self.is_of_a_rule(own)
            }
        }
    }

    /// True for the name of a recording rule: names with a second colon, or with a window at the end.
    fn is_of_a_rule(&self, own: &str) -> bool {
        let rest = own.strip_prefix(self.product.catalog.prefix());
        rest.is_some_and(|rest| {
            let last = rest.rsplit(['_', ':']).next().unwrap_or(rest);
            let window = last.trim_start_matches(|c: char| c.is_ascii_lowercase());
            let is_window =
                window.ends_with(['s', 'm', 'h', 'd', 'w']) && Duration::parse(window).is_some();
            rest.contains(':') || is_window
        })
    }
}
