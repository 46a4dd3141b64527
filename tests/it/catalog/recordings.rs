//! Every recorded page against the embedded catalog.

use std::path::{Path, PathBuf};

use slosmith::catalog::exposition::{Page, PageFamily, parse};
use slosmith::catalog::{Catalog, MetricType, Release};

fn vllm() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/vllm")
}

fn pages() -> Vec<(&'static Release, String, Page)> {
    let mut found = Vec::new();
    for release in Catalog::vllm().releases() {
        let recorded = release.pages().filter(|(_, page)| page.is_recorded());
        for (profile, _) in recorded {
            let path = vllm().join(format!("{}/{profile}.prom", release.version()));
            let text = std::fs::read_to_string(&path).expect("every page is there");
            found.push((release, profile.to_owned(), parse(&text)));
        }
    }
    found
}

fn is_created(family: &PageFamily) -> bool {
    family.kind == MetricType::Gauge && family.name.ends_with("_created")
}

#[test]
fn no_page_has_a_fault() {
    for (release, profile, page) in pages() {
        let entry = release.page(&profile).expect("an entry");
        assert!(!entry.engine.is_empty(), "{} {profile}", release.version());
        assert_eq!(page.problems, [], "{} {profile}", release.version());
    }
}

#[test]
fn every_family_of_every_page_is_in_the_index() {
    let catalog = Catalog::vllm();
    let mut checked = 0;
    for (release, profile, page) in pages() {
        for family in page.families.iter().filter(|f| !is_created(f)) {
            let place = format!("{} {profile} {}", release.version(), family.name);
            let known = catalog.family(&family.name).expect(&place);
            let shape = known.in_profile(release, &profile).expect(&place);
            assert_eq!(shape.kind, family.kind, "{place}");
            assert_eq!(shape.buckets, family.buckets(), "{place}");
            if !family.samples.is_empty() {
                assert_eq!(shape.labels, family.labels(), "{place}");
            }
            checked += 1;
        }
    }
    assert!(checked > 4_000, "only {checked} families were checked");
}

#[test]
fn every_folder_is_a_release() {
    let folders = std::fs::read_dir(vllm()).expect("the catalog is there");
    let folders = folders.filter(|entry| entry.as_ref().is_ok_and(|e| e.path().is_dir()));
    assert_eq!(folders.count(), Catalog::vllm().releases().len());
}

#[test]
fn no_private_value_is_stored() {
    let text = std::fs::read_to_string(vllm().join("index.json")).expect("the index is there");
    assert!(!text.contains("tiny") && !text.contains("lora-a"));
}

/// Families that the default engine shows, and the releases in which it shows that many.
const SIZES: &[(usize, &[&str])] = &[
    (13, &["0.4.0.post1", "0.4.1"]),
    (18, &["0.4.2"]),
    (19, &["0.4.3", "0.5.0", "0.5.1"]),
    (24, &["0.5.3.post1", "0.5.4"]),
    (26, &["0.5.5", "0.6.0", "0.6.1.post2", "0.6.2"]),
    (25, &["0.6.3"]),
    (37, &["0.6.4.post1", "0.6.5", "0.6.6"]),
    (35, &["0.7.0", "0.7.1", "0.7.2", "0.7.3"]),
    (23, &["0.8.0", "0.8.1", "0.8.2"]),
    (25, &["0.8.3", "0.8.4"]),
    (23, &["0.8.5", "0.9.0.1", "0.9.1"]),
    (26, &["0.9.2", "0.10.0", "0.10.1.1"]),
    (27, &["0.10.2"]),
    (25, &["0.11.0"]),
    (30, &["0.11.2"]),
    (29, &["0.12.0"]),
    (30, &["0.13.0", "0.14.1", "0.15.1"]),
    (33, &["0.16.0"]),
    (36, &["0.17.1", "0.18.1", "0.23.0", "0.29.0"]),
    (37, &["0.30.0", "0.31.0"]),
    (39, &["0.32.0", "0.33.0"]),
];

#[test]
fn default_pages_have_as_many_families_as_the_source_registers() {
    let catalog = Catalog::vllm();
    for (size, versions) in SIZES {
        for version in *versions {
            let release = catalog
                .find_release(&version.parse().expect(version))
                .expect(version);
            let shown = catalog.visible(release, "default");
            let shown = shown.filter(|(family, _)| family.name().starts_with("vllm:"));
            assert_eq!(shown.count(), *size, "{version}");
        }
    }
}
