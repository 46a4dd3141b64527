//! Metrics that never existed in any release.

use super::Known;
use crate::catalog::lineage::Mistake;
use crate::catalog::{Series, split_series};
use crate::lint::scope::Product;

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
        let whole = catalog
            .lineage()
            .mistake(spelled)
            .map(|m| (m, Series::Whole));
        if let Some((mistake, part)) =
            whole.or_else(|| Some((catalog.lineage().mistake(base)?, part)))
        {
            return unknown(Meant::Mistake(mistake, part));
        }
        if product.claims(name) {
            return unknown(Meant::Open);
        }
        let alike = own.is_some() && !OTHERS.iter().any(|prefix| name.starts_with(prefix));
        alike.then_some(()).and_then(|()| unknown(Meant::Alike))
    }
}
