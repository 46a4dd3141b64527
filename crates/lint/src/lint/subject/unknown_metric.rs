//! Metrics that never existed in any release.

use crate::lint::scope::Scope;
use slosmith_catalog::lineage::Mistake;
use slosmith_catalog::{Product, Series, split_series};
use slosmith_promql::ast::Duration;

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

#[derive(Clone, Debug)]
pub struct UnknownMetric<'c> {
    pub product: &'c Product<'c>,
    pub spelling: Option<&'c str>,
    pub meant: Meant<'c>,
}

#[derive(Clone, Debug)]
pub enum Meant<'c> {
    Histogram,
    Mistake(&'c Mistake, Series),
    Open,
    /// The pages of its product do not show every metric.
    Unproven,
    Alike,
}

impl<'c> UnknownMetric<'c> {
    pub(super) fn of(product: &'c Product<'c>, name: &str) -> Option<Self> {
        let catalog = product.catalog;
        let spellings = catalog.spellings().iter();
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
        let lineage = catalog.lineage();
        let whole = lineage.mistake(own).map(|m| (m, Series::Whole));
        let mistake = whole.or_else(|| Some((lineage.mistake(base)?, part)));
        // Without the colon, it may be the metric of another program.
        if let Some((mistake, part)) = mistake.filter(|_| spelled.is_none()) {
            return unknown(Meant::Mistake(mistake, part));
        }
        if product.claims(name) {
            let is_open = product.is_open(own) || product.is_open(base);
            return unknown(if is_open {
                Meant::Unproven
            } else {
                Meant::Open
            });
        }
        let alike = spelled.is_some() && !OTHERS.iter().any(|prefix| name.starts_with(prefix));
        alike.then_some(()).and_then(|()| unknown(Meant::Alike))
    }

    /// True if something other than the product may publish or record the name.
    pub(super) fn is_elsewhere(&self, scope: &Scope<'_>, name: &str) -> bool {
        let own = self.product.catalog.own_spelling(name);
        let own = own.as_deref().unwrap_or(name);
        let published = |name: &str| scope.is_published(name);
        published(name) || published(own) || self.is_of_a_rule(own)
    }

    /// True for the name of a recording rule: names with a second colon, or with a window at the end.
    fn is_of_a_rule(&self, own: &str) -> bool {
        let prefixes = &self.product.catalog.identity().prefixes;
        let rest = prefixes
            .iter()
            .find_map(|prefix| own.strip_prefix(prefix.as_str()));
        rest.is_some_and(|rest| {
            let last = rest.rsplit(['_', ':']).next().unwrap_or(rest);
            let window = last.trim_start_matches(|c: char| c.is_ascii_lowercase());
            let is_window =
                window.ends_with(['s', 'm', 'h', 'd', 'w']) && Duration::parse(window).is_some();
            rest.contains(':') || is_window
        })
    }
}
