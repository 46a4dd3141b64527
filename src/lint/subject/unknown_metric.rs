//! Metrics that never existed in any release.

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
    /// The prefix of the name, if it is not the product's own.
    pub spelling: Option<&'c str>,
    /// The probable meaning.
    pub meant: Meant<'c>,
}

/// The probable meaning of an unknown name.
#[derive(Clone, Debug)]
pub enum Meant<'c> {
    /// The base name of a histogram, which is not the name of a series.
    Histogram,
    /// A common mistake, listed in the lineage.
    Mistake(&'c Mistake, Series),
    /// Unknown.
    Open,
    /// Unknown. The names of the product begin differently, so another program may expose it.
    Alike,
}

impl<'c> UnknownMetric<'c> {
    pub(super) fn of(product: &'c Product<'c>, name: &str) -> Option<Self> {
        let catalog = product.catalog;
        let spellings = catalog.lineage().spellings.iter();
        let mut spelled = spellings.filter_map(|spelling| {
            Some((
                &spelling.prefix,
                catalog.served(&spelling.prefix, name)?,
                spelling.open,
            ))
        });
        let spelled = spelled.next();
        let own = spelled.as_ref().map_or(name, |(_, own, _)| own);
        let unknown = |meant| {
            let spelling = spelled.as_ref().map(|(prefix, ..)| prefix.as_str());
            Some(Self {
                product,
                spelling,
                meant,
            })
        };
        if let Some((_, Series::Whole)) = catalog.series_of(own) {
            // A histogram of Ray may have other series.
            let closed = spelled.as_ref().is_none_or(|(.., open)| !open);
            let owned = product.owns(own) && closed;
            return owned.then_some(()).and_then(|()| unknown(Meant::Histogram));
        }
        let (base, part) = split_series(own);
        let whole = catalog.lineage().mistake(own).map(|m| (m, Series::Whole));
        if let Some((mistake, part)) =
            whole.or_else(|| Some((catalog.lineage().mistake(base)?, part)))
        {
            return unknown(Meant::Mistake(mistake, part));
        }
        if product.claims(name) {
            return unknown(Meant::Open);
        }
        let alike = spelled.is_some() && !OTHERS.iter().any(|prefix| name.starts_with(prefix));
        alike.then_some(()).and_then(|()| unknown(Meant::Alike))
    }

    /// A name of the product in the spelling of the query.
    pub fn spelled(&self, name: &str) -> String {
        match self.spelling {
            Some(prefix) => self.product.catalog.stored(prefix, name),
            None => name.to_owned(),
        }
    }
}
