//! All signals, one line each.

use serde_json::Value;

use super::{View, show};
use crate::cli::table::Table;
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, ReleaseId, VLLM};
use slosmith_spec::library;

/// More profiles than this are counted.
const MANY: usize = 3;

pub(super) fn text(
    catalog: &Catalog,
    product: &str,
    views: &[View<'_>],
    releases: &[ReleaseId],
) -> String {
    let mut table = Table::default();
    table.row(["signal", "kind", "unit", "releases", "title"]);
    let mut count = 0;
    for view in views {
        let served = view.releases();
        if served.is_empty() {
            continue;
        }
        count += 1;
        let on = on(catalog, view, &served, releases);
        table.row([&view.name, view.kind(), view.unit(), &on, view.title()]);
    }
    let range = catalog.describe(releases);
    let newest = releases.iter().max().filter(|_| product == VLLM);
    let newest = newest.map(|id| catalog.release(*id));
    let lacking = newest.map(|newest| {
        let without = match library::without_signal(catalog, newest) {
            none if none.is_empty() => "none".to_owned(),
            some => some.join(", "),
        };
        format!(
            "vLLM {}, metrics without a signal: {without}\n",
            newest.version()
        )
    });
    format!(
        "{}\n{count} signals in {} {range}; `slosmith signals NAME` shows metrics, labels and buckets\n{}",
        table.text(""),
        catalog.title(),
        lacking.unwrap_or_default()
    )
}

/// The releases that have the signal, and the profile if the default one lacks it.
pub(super) fn on(
    catalog: &Catalog,
    view: &View<'_>,
    served: &[ReleaseId],
    releases: &[ReleaseId],
) -> String {
    let when = match served.len() == releases.len() {
        true => "all".to_owned(),
        false => catalog.describe(served),
    };
    match view.profiles() {
        [] | [DEFAULT_PROFILE] => when,
        [first, .., _] if view.profiles().len() > MANY => {
            let others = view.profiles().len() - 1;
            format!("{when}, profile {first} or one of {others} others")
        }
        profiles => format!("{when}, profile {}", profiles.join(" or ")),
    }
}

pub(super) fn as_json(catalog: &Catalog, views: &[View<'_>]) -> Value {
    let served = views.iter().filter(|view| !view.releases().is_empty());
    served.map(|view| show::as_json(catalog, view)).collect()
}
