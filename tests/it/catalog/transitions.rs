//! What an upgrade of the default engine adds and takes away, known from released source.

use slosmith::catalog::{Catalog, Release};

#[derive(serde::Deserialize)]
struct Transition {
    from: String,
    to: String,
    #[serde(default)]
    added: Vec<String>,
    #[serde(default)]
    removed: Vec<String>,
}

fn release(version: &str) -> &'static Release {
    let parsed = version.parse().expect(version);
    Catalog::vllm().find_release(&parsed).expect(version)
}

fn shown(release: &'static Release) -> Vec<&'static str> {
    let shown = Catalog::vllm().visible(release, "default");
    shown
        .filter_map(|(family, _)| family.name().strip_prefix("vllm:"))
        .collect()
}

#[test]
fn default_pages_change_as_the_source_does() {
    let transitions: Vec<Transition> =
        serde_yaml::from_str(include_str!("transitions.yaml")).expect("transitions");
    assert!(transitions.len() > 20);
    for Transition {
        from,
        to,
        added,
        removed,
    } in transitions
    {
        let (old, new) = (shown(release(&from)), shown(release(&to)));
        let only = |a: &[&'static str], b: &[&str]| -> Vec<&'static str> {
            a.iter().filter(|name| !b.contains(name)).copied().collect()
        };
        assert_eq!(only(&new, &old), added, "added from {from} to {to}");
        assert_eq!(only(&old, &new), removed, "gone from {from} to {to}");
    }
}

#[test]
fn the_server_adds_its_families_from_0_8_5() {
    let catalog = Catalog::vllm();
    let lifetime = catalog.first_last("http_requests_total").expect("known");
    assert_eq!(lifetime.first.to_string(), "0.8.5");
}
