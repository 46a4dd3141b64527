//! Which release and profile wrote a page: judged by the recordings, whose folders say it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use slosmith::catalog::exposition::{Dialect, Page, parse, print};
use slosmith::catalog::{Catalog, Embedded, MetricType, Release, Server};

use crate::project::Project;

/// Each recorded page with the release and profile that wrote it; one that only adds to another is joined with it.
fn pages() -> &'static [(&'static Release, &'static str, Page)] {
    static PAGES: LazyLock<Vec<(&Release, &str, Page)>> = LazyLock::new(read_pages);
    &PAGES
}

fn read_pages() -> Vec<(&'static Release, &'static str, Page)> {
    let read = |release: &Release, profile: &str| {
        let root = env!("CARGO_MANIFEST_DIR");
        let path = format!("{root}/catalog/vllm/{}/{profile}.prom", release.version());
        std::fs::read_to_string(path).expect("a recording")
    };
    let mut found = Vec::new();
    for release in Catalog::vllm().releases() {
        for (profile, about) in release.pages().filter(|(_, page)| page.is_recorded()) {
            let base = about.base.as_deref().map(|base| read(release, base));
            let text = base.unwrap_or_default() + &read(release, profile);
            found.push((release, profile, parse(&text)));
        }
    }
    found
}

/// What the page says.
fn server(page: &Page) -> Server {
    Catalog::vllm().detect(page).expect("a page of vLLM")
}

fn names(page: &Page) -> BTreeSet<&str> {
    let names = page.families.iter().map(|family| family.name.as_str());
    names.filter(|name| !name.ends_with("_created")).collect()
}

#[test]
fn some_pages_fit_the_releases_that_wrote_them() {
    fit_the_release_that_wrote_them(24);
}

#[test]
#[ignore = "ci"]
fn every_page_fits_the_release_that_wrote_it() {
    fit_the_release_that_wrote_them(1);
}

/// Every `step`th page.
fn fit_the_release_that_wrote_them(step: usize) {
    let catalog = Catalog::vllm();
    let pages = pages();
    assert!(pages.len() > 300, "{}", pages.len());
    for (release, profile, page) in pages.iter().step_by(step) {
        let server = server(page);
        let place = format!("{} {profile}", release.version());
        assert!(
            server.releases.contains(&release.id()),
            "{place}: {server:?}"
        );
        assert_eq!(server.unknown, [""; 0], "{place}");
        assert_eq!(
            catalog.contradictions(page, release.version()),
            [],
            "{place}"
        );
        let against = catalog.contradictions_of_profile(page, release.version(), profile);
        assert_eq!(against, [], "{place}");
        // The range of what fits holds nothing else.
        let range = catalog.range_of(&server.releases).expect("a range");
        let range = range.parse().expect("a range");
        let inside = catalog.select(&range).expect("releases").releases;
        // Two stretches have one range.
        let (first, last) = (server.releases[0], *server.releases.last().expect("one"));
        let stretch = inside.iter().all(|id| first <= *id && *id <= last);
        assert!(stretch, "{} {profile}: {range}", release.version());
        assert!(server.releases.iter().all(|id| inside.contains(id)));
    }
}

/// Of all claims that the page of one release is of another whose page has other families, nine in ten are refused
/// since servers show their families from the start.
#[test]
#[ignore = "ci"]
fn false_claims_are_refused() {
    let catalog = Catalog::vllm();
    let since = "0.11.0".parse().expect("a version");
    let pages = pages();
    let default = |(release, profile, _): &&(&Release, &str, Page)| {
        *profile == "default" && *release.version() >= since
    };
    let pages: Vec<_> = pages.iter().filter(default).collect();
    let (mut refused, mut missed) = (0, Vec::new());
    for (release, _, page) in &pages {
        for (other, _, others) in &pages {
            if names(page) == names(others) {
                continue;
            }
            match catalog.contradictions(page, other.version()).is_empty() {
                true => missed.push(format!("{} for {}", release.version(), other.version())),
                false => refused += 1,
            }
        }
    }
    assert!(
        refused > 9 * missed.len(),
        "{refused} refused, missed: {missed:?}"
    );
}

#[test]
#[ignore = "ci"]
fn profiles_are_found_by_what_they_add() {
    let of = |version: &str, wanted: &str| {
        let found = pages().iter().find(|(release, profile, _)| {
            release.version().to_string() == version && *profile == wanted
        });
        let (_, _, page) = found.expect("a recording");
        server(page).profiles
    };
    assert_eq!(of("0.33.0", "default"), ["default"]);
    assert_eq!(of("0.33.0", "spec-decode"), ["spec-decode"]);
    assert_eq!(of("0.33.0", "lora"), ["lora"]);
    for profile in [
        "kv-nixl",
        "kv-hisparse",
        "kv-umbp",
        "kv-offloading",
        "kv-kvcr",
        "rust-frontend",
    ] {
        assert_eq!(of("0.33.0", profile), [profile]);
    }
    assert_eq!(of("0.9.2", "v0"), ["v0"]);
}

#[test]
fn other_pages_are_nobodys() {
    let catalog = Catalog::vllm();
    let newest = catalog.releases().last().expect("a release").version();
    for text in [
        "",
        "# TYPE up gauge\nup 1\n",
        "# TYPE http_requests_total counter\nhttp_requests_total{handler=\"/v1/models\"} 1\n",
        "# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs 1\n",
        "<html><body>Not Found</body></html>",
    ] {
        let page = parse(text);
        assert_eq!(catalog.detect(&page), None, "{text}");
        assert_eq!(catalog.contradictions(&page, newest), [], "{text}");
    }
    let page = parse("# TYPE vllm:of_tomorrow gauge\nvllm:of_tomorrow{model_name=\"m\"} 1\n");
    let server = catalog.detect(&page).expect("vLLM's");
    assert_eq!(server.unknown, ["vllm:of_tomorrow"]);
    assert_eq!(server.models, ["m"]);
}

/// `catalog record` with a page of one release: what it says of it, and where it puts it.
#[test]
#[ignore = "ci"]
fn what_is_recorded_is_what_the_page_shows() {
    let project = Project::empty();
    let text = |version: &str, wanted: &str| {
        let found = pages().iter().find(|(release, profile, _)| {
            release.version().to_string() == version && *profile == wanted
        });
        let (_, _, page) = found.expect("a recording");
        print(&page.families, Dialect::Classic)
    };
    project.write("new.prom", &text("0.33.0", "default"));
    project.write("decode.prom", &text("0.33.0", "spec-decode"));
    project.write("old.prom", &text("0.10.2", "default"));
    project.write(
        "own.prom",
        "# TYPE gateway_requests_total counter\ngateway_requests_total 1\n",
    );
    let record = |page: &str, more: &[&str]| {
        project.run(&[&["catalog", "record", page, "--out", "c"], more].concat())
    };
    let before = project.snapshot(".");
    for (page, more, words) in [
        (
            "new.prom",
            &["--version=0.10.2"][..],
            "not the /metrics output of vLLM 0.10.2: ",
        ),
        ("old.prom", &["--version=0.33.0"], "which exists only from"),
        ("old.prom", &["--version=0.34.0"], "which exists only from"),
        (
            "new.prom",
            &[],
            "the metrics match vLLM 0.32.0–0.33.0: pass `--version`",
        ),
        ("own.prom", &[], "pass `--version`"),
        (
            "decode.prom",
            &["--version=0.33.0", "--profile=default"],
            "which belongs to the profile spec-decode",
        ),
    ] {
        record(page, more).exits(2).says(words);
    }
    assert_eq!(project.snapshot("."), before);
    record("new.prom", &["--version=0.33.0"]).exits(0);
    record("decode.prom", &["--version=0.33.0"]).exits(0);
    // One that no recording contradicts: a later release, and a name of one's own for a configuration.
    record("new.prom", &["--version=0.34.0", "--profile=mine"]).exits(0);
    record("own.prom", &["--version=1.2"]).exits(0);
    for path in [
        "c/0.33.0/default.prom",
        "c/0.33.0/spec-decode.prom",
        "c/0.34.0/mine.prom",
        "c/1.2/default.prom",
    ] {
        assert!(project.has(path), "{path}");
    }
    // A page that only one release writes needs no version.
    let single = pages()
        .iter()
        .find(|(_, profile, page)| *profile == "default" && server(page).releases.len() == 1);
    let (release, _, page) = single.expect("a release with families of its own");
    project.write("single.prom", &print(&page.families, Dialect::Classic));
    record("single.prom", &[]).exits(0);
    assert!(project.has(&format!("c/{}/default.prom", release.version())));
}

/// Every `step`th recorded page of a server, with the release that wrote it.
fn pages_of(key: &str, catalog: &'static Catalog, step: usize) -> Vec<(&'static Release, Page)> {
    let read = |release: &Release, profile: &str| {
        let root = env!("CARGO_MANIFEST_DIR");
        let path = format!("{root}/catalog/{key}/{}/{profile}.prom", release.version());
        std::fs::read_to_string(path).expect("a recording")
    };
    let pages = catalog.releases().iter().flat_map(|release| {
        let pages = release.pages();
        pages.map(move |(profile, about)| (release, profile, about))
    });
    let pages = pages.step_by(step).map(|(release, profile, about)| {
        let base = about.base.as_deref().map(|base| read(release, base));
        let text = base.unwrap_or_default() + &read(release, profile);
        (release, parse(&text))
    });
    pages.collect()
}

/// The page with only the names of its families.
fn names_alone(page: &Page) -> Page {
    let mut page = page.clone();
    for family in &mut page.families {
        family.kind = MetricType::Untyped;
        family.samples.clear();
    }
    page
}

#[test]
fn some_pages_of_every_server_fit_the_releases_that_wrote_them() {
    narrowed(16);
}

#[test]
#[ignore = "ci"]
fn every_page_of_every_server_fits_the_release_that_wrote_it() {
    insta::assert_snapshot!("detected", narrowed(1));
}

/// Labels and types narrow what fits, and never exclude the release that wrote the page: how many releases fit every `step`th page.
fn narrowed(step: usize) -> String {
    let mut table = String::new();
    for other in Embedded::all() {
        let catalog = other.catalog();
        let (mut pages, mut by_names, mut by_all) = (0, 0, 0);
        for (release, page) in pages_of(other.name, catalog, step) {
            let place = format!("{} {}", other.name, release.version());
            let fitting = |page: &Page| catalog.detect(page).map(|server| server.releases);
            let Some(all) = fitting(&page) else {
                continue;
            };
            assert!(all.contains(&release.id()), "{place}");
            let names = fitting(&names_alone(&page)).expect("the same families");
            assert!(all.iter().all(|id| names.contains(id)), "{place}");
            // A server may show half of it.
            let mut half = page.clone();
            let mut n = 0;
            half.families.retain(|_| {
                n += 1;
                n % 2 == 0
            });
            let half = fitting(&half);
            assert!(
                half.is_none_or(|half| half.contains(&release.id())),
                "{place}"
            );
            (pages, by_names, by_all) = (pages + 1, by_names + names.len(), by_all + all.len());
        }
        let mean = |sum: usize| sum as f64 / f64::from(pages.max(1));
        let (by_names, by_all) = (mean(by_names), mean(by_all));
        writeln!(
            table,
            "{:<19} {pages:>4} pages {by_names:>5.1} releases by names {by_all:>5.1} by all",
            other.name
        )
        .unwrap();
    }
    table
}

#[test]
fn labels_and_types_tell_releases_of_sglang_apart() {
    let catalog = Embedded::find("sglang").expect("a server").catalog();
    let described = |version: &str| {
        let pages = pages_of("sglang", catalog, 1);
        let mut pages = pages
            .iter()
            .filter(|(of, _)| of.version().to_string() == version);
        let (_, page) = pages.next().expect("a recording");
        catalog.describe(&catalog.detect(page).expect("SGLang's").releases)
    };
    let text = "# TYPE sglang:num_queue_reqs gauge\nsglang:num_queue_reqs{model_name=\"m\",engine_type=\"unified\"} 1\n";
    let server = catalog.detect(&parse(text)).expect("SGLang's");
    assert_eq!(catalog.describe(&server.releases), "0.4.4–0.4.9");
    // A deployment adds labels.
    let text = text.replace("model_name", "team=\"a\",dp_rank=\"0\",model_name");
    assert_eq!(catalog.detect(&parse(&text)), Some(server));
    let histogram = "# TYPE sglang:kv_transfer_alloc_ms gauge\nsglang:kv_transfer_alloc_ms 1\n";
    let server = catalog.detect(&parse(histogram)).expect("SGLang's");
    let releases = catalog.describe(&server.releases);
    assert!(!releases.contains("0.5.23"), "{releases}");
    let new = catalog.find_release(&"0.5.23".parse().expect("a version"));
    let against = catalog.contradictions(&parse(histogram), new.expect("recorded").version());
    let words = "the `/metrics` output has `sglang:kv_transfer_alloc_ms` as a gauge, which is another type on that release";
    assert!(
        against.iter().any(|c| c.to_string() == words),
        "{against:?}"
    );
    assert_eq!(described("0.4.9"), "0.4.7–0.4.9");
}
