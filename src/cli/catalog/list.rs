//! `slosmith catalog list`.

use anyhow::Result;
use serde_json::json;

use super::{ListArgs, is_vllms};
use crate::cli::Format;
use crate::cli::table::Table;
use crate::cli::words;
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Embedded, Release, VLLM};
use slosmith_text::diag::count as count_of;

pub(super) fn view(product: &str, args: &ListArgs) -> Result<String> {
    let catalog = super::of(product)?;
    match &args.release {
        Some(version) => families(catalog, super::release(catalog, version)?, args),
        None => releases(catalog, product, args),
    }
}

fn releases(catalog: &Catalog, product: &str, args: &ListArgs) -> Result<String> {
    let count = |release: &Release, profile: &str| {
        let shown = catalog.visible(release, profile);
        shown
            .filter(|(family, _)| catalog.owns(family.name()))
            .count()
    };
    let anywhere = |release: &Release| {
        let named = catalog
            .families()
            .filter(|family| catalog.owns(family.name()));
        named
            .filter(|family| !family.profiles_showing(release).is_empty())
            .count()
    };
    if args.format == Format::Json {
        let releases = catalog.releases().iter().map(|release| {
            json!({
                "version": release.version().to_string(),
                "families": count(release, DEFAULT_PROFILE),
                "families_in_any_profile": anywhere(release),
                "profiles": release.profiles().map(|profile| json!({
                    "name": profile,
                    "tier": release.page(profile).map(|page| &page.tier),
                    "engine": release.page(profile).map(|page| &page.engine),
                    "families": count(release, profile),
                })).collect::<Vec<_>>(),
            })
        });
        return super::json(&releases.collect());
    }
    if product != VLLM {
        return Ok(of_other(catalog, anywhere));
    }
    let mut table = Table::right_aligned(&[2, 3, 4]);
    table.row([
        "release",
        "engine",
        "default",
        "any profile",
        "profiles",
        "default recorded from",
    ]);
    for release in catalog.releases() {
        let page = release.page(DEFAULT_PROFILE);
        table.row([
            &release.version().to_string(),
            page.map_or("", |page| &page.engine),
            &count(release, DEFAULT_PROFILE).to_string(),
            &anywhere(release).to_string(),
            &release.profiles().count().to_string(),
            page.map_or("", |page| &page.tier),
        ]);
    }
    let pages = catalog.releases().iter().flat_map(Release::pages);
    let pages = pages.filter(|(_, page)| page.is_recorded()).count();
    let total = catalog.releases().len();
    let others: Vec<_> = Embedded::all().iter().map(|product| product.name).collect();
    Ok(format!(
        "{}\n{total} releases, {pages} recordings; `default` and `any profile` count `{}` metrics\nother servers, for `--product`: {}\n",
        table.text(""),
        catalog.prefix(),
        others.join(", ")
    ))
}

/// The releases of a server other than vLLM: pages of some have no default profile.
fn of_other(catalog: &Catalog, count: impl Fn(&Release) -> usize) -> String {
    let mut table = Table::right_aligned(&[1]);
    table.row(["release", "metrics", "profiles", "recorded from"]);
    for release in catalog.releases() {
        let mut tiers: Vec<_> = release
            .pages()
            .map(|(_, page)| page.tier.as_str())
            .collect();
        tiers.sort_unstable();
        tiers.dedup();
        let profiles: Vec<_> = release.profiles().collect();
        table.row([
            &release.version().to_string(),
            &count(release).to_string(),
            &profiles.join(", "),
            &tiers.join(", "),
        ]);
    }
    let total = count_of(catalog.releases().len(), "release");
    format!("{}\n{total} of {}\n", table.text(""), catalog.title())
}

fn families(catalog: &Catalog, release: &Release, args: &ListArgs) -> Result<String> {
    let profiles = super::profiles(args.profile.as_deref(), &[release])?;
    let shown = catalog.families();
    let shown = shown.filter_map(|family| Some((family, family.visible_in(release, &profiles)?)));
    let shown: Vec<_> = shown
        .filter(|(family, _)| is_vllms(family.name()))
        .collect();
    if args.format == Format::Json {
        let families = shown
            .iter()
            .map(|(family, shape)| super::family::shape(family.name(), shape));
        return super::json(&json!({
            "release": release.version().to_string(),
            "profile": profiles.join(", "),
            "families": families.collect::<Vec<_>>(),
        }));
    }
    let mut table = Table::default();
    table.row(["family", "type", "labels", "buckets"]);
    for (family, shape) in &shown {
        table.row([
            family.name(),
            shape.kind.as_str(),
            &words::labels(shape),
            &words::buckets(shape),
        ]);
    }
    let (version, profile) = (release.version(), profiles.join(", "));
    let count = count_of(shown.len(), "metric");
    Ok(format!(
        "{}\n{version}, profile {profile}: {count}\n",
        table.text("")
    ))
}
