//! `slosmith catalog list`.

use anyhow::Result;
use serde_json::json;

use super::{ListArgs, is_vllms, known_profile};
use crate::catalog::{Catalog, DEFAULT_PROFILE, Release};
use crate::cli::Format;
use crate::cli::table::Table;
use crate::cli::words;

pub(super) fn view(catalog: &Catalog, args: &ListArgs) -> Result<String> {
    match &args.release {
        Some(version) => families(catalog, super::release(catalog, version)?, args),
        None => releases(catalog, args.format),
    }
}

fn releases(catalog: &Catalog, format: Format) -> Result<String> {
    let count = |release: &Release, profile: &str| {
        let shown = catalog.visible(release, profile);
        shown
            .filter(|(family, _)| family.name().starts_with("vllm:"))
            .count()
    };
    let anywhere = |release: &Release| {
        let named = catalog
            .families()
            .filter(|family| family.name().starts_with("vllm:"));
        named
            .filter(|family| !family.profiles_showing(release).is_empty())
            .count()
    };
    if format == Format::Json {
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
    Ok(format!(
        "{}\n{total} releases, {pages} recordings; `default` and `any profile` count `vllm:` metrics\n",
        table.text("")
    ))
}

fn families(catalog: &Catalog, release: &Release, args: &ListArgs) -> Result<String> {
    known_profile(release, &args.profile)?;
    let shown: Vec<_> = catalog
        .visible(release, &args.profile)
        .filter(|(family, _)| is_vllms(family.name()))
        .collect();
    if args.format == Format::Json {
        let families = shown
            .iter()
            .map(|(family, shape)| super::family::shape(family.name(), shape));
        return super::json(&json!({
            "release": release.version().to_string(),
            "profile": args.profile,
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
    let (version, profile) = (release.version(), &args.profile);
    let count = shown.len();
    Ok(format!(
        "{}\n{version}, profile {profile}: {count} metrics\n",
        table.text("")
    ))
}
