//! Names that no release ever had.

use super::Known;
use crate::catalog::lineage::Mistake;
use crate::catalog::{Series, split_series};
use crate::lint::scope::Product;

/// What names of programs around vLLM begin with, which look like vLLM's without the colon.
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

/// A name that looks like a series of a product, and that no release ever had.
#[derive(Clone, Debug)]
pub struct UnknownMetric<'c> {
    /// Whose it seems to be.
    pub product: &'c Product<'c>,
    /// What was meant, as far as can be known.
    pub meant: Meant<'c>,
}

/// What was probably meant.
#[derive(Clone, Debug)]
pub enum Meant<'c> {
    /// The same name with the product's own sign behind the prefix: `vllm:x` for `vllm_x`.
    Normalised(Known<'c>),
    /// The name of a histogram, which has no series of that name.
    Histogram(&'c str),
    /// A name that guides and dashboards spread.
    Mistake(&'c Mistake, Series),
    /// Nobody knows.
    Open,
    /// Nobody knows; the product's own names begin otherwise, so that it may be somebody else's.
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
