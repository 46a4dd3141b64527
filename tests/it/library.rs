//! The library against the recordings: kinds, completeness, units.

use clap::Parser;
use slosmith::catalog::{Catalog, MetricType, Release, Shape};
use slosmith::cli::signals::{SignalsArgs, run};
use slosmith::library;
use slosmith::spec::{FamilyKind, Signal};
use slosmith::units::Unit;

/// Library signals that are a family, with its name.
fn families() -> Vec<(String, &'static Signal, &'static str)> {
    let all = library::names().into_iter();
    all.filter_map(|name| {
        let signal = library::signal(&name)?;
        let metric = signal.prometheus.as_ref()?.value.metric.as_ref()?;
        Some((name, signal, metric.value.as_str()))
    })
    .collect()
}

/// A family's shapes on all pages of all releases.
fn shapes(family: &str) -> Vec<&'static Shape> {
    let catalog = Catalog::vllm();
    let on = |release: &'static Release| {
        let profiles = release.profiles();
        profiles.filter_map(move |p| catalog.shape(family, release.id(), &[p]))
    };
    catalog.releases().iter().flat_map(on).collect()
}

#[test]
fn kinds_are_those_of_the_pages() {
    for (name, signal, family) in families() {
        let kind = signal.kind.expect("a kind").value;
        let found = shapes(family);
        assert!(!found.is_empty(), "{name}: no page shows `{family}`");
        for shape in found {
            let fits = match kind {
                FamilyKind::Counter => shape.kind == MetricType::Counter,
                FamilyKind::Histogram => shape.kind == MetricType::Histogram,
                FamilyKind::Gauge => matches!(shape.kind, MetricType::Gauge | MetricType::Info),
            };
            assert!(fits, "{name}: `{family}` is a {} on a page", shape.kind);
        }
    }
}

/// Also of the profiles that need a GPU or a second server.
#[test]
fn every_family_of_the_newest_release_has_a_signal() {
    let catalog = Catalog::vllm();
    let newest = catalog.releases().last().expect("releases");
    let without = library::without_signal(catalog, newest);
    assert!(without.is_empty(), "no library signal for {without:?}");
    let on = |family: &&str| catalog.family(family).is_some_and(|f| f.is_on(newest));
    let read = families().into_iter().map(|(.., family)| family);
    assert!(read.filter(on).count() > 120);
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: SignalsArgs,
}

#[test]
fn metrics_without_a_signal_are_listed() {
    for (release, wanted) in [
        ("0.33.0", "none"),
        ("0.19.1", "vllm:prompt_tokens_recomputed_total"),
    ] {
        let line = Line::parse_from(["signals", "--vllm", &format!("=={release}")]);
        let mut out = Vec::new();
        assert_eq!(run(&line.args, &mut out).expect("a list"), 0);
        let last = format!("vLLM {release}, metrics without a signal: {wanted}\n");
        assert!(String::from_utf8(out).expect("text").ends_with(&last));
    }
}

#[test]
fn names_say_units() {
    for (name, signal, family) in families() {
        let base = family.strip_suffix("_total").unwrap_or(family);
        let wanted = if base.ends_with("_seconds") {
            Unit::Seconds
        } else if base.ends_with("_perc") {
            Unit::Ratio
        } else if base.contains("_bytes") {
            Unit::Bytes
        } else if base.contains("tokens") {
            Unit::Tokens
        } else {
            continue;
        };
        let unit = signal.unit.expect("a unit").value;
        assert_eq!(unit, wanted, "{name}: `{family}`");
    }
}

/// `tier` is also the label of burn-rate alerts, which set it.
#[test]
fn alerts_can_be_grouped_by_the_tier_of_offloading() {
    let spec = "apiVersion: slosmith/v1\nservice: {name: svc, owner: team}\n\
        runtime: {vllm: \"==0.33.0\", profiles: [kv-offloading-tiering]}\nprometheus: {selector: {job: vllm}}\n\
        links: {runbooks: https://git.example/r, grafana: https://grafana.example}\n\
        alerts:\n  Low: {severity: warning, when: {signal: vllm.kv_offload_tiering_chunk_hit_rate, by: [tier], \
        stat: avg, window: 5m, below: 20%}}\n";
    let files = crate::bundled::outputs(&[spec]).expect("outputs");
    let rules = &files["prometheus/rules/alerts.yaml"];
    assert!(
        rules.contains("sum by (tier) (rate(vllm:kv_offload_tiering_chunk_queries_total"),
        "{rules}"
    );
}
