//! Files that people already have.

use std::path::Path;
use std::sync::LazyLock;

use slosmith::artifact::{self, Artifact};
use slosmith::catalog::Catalog;
use slosmith::catalog::Product;
use slosmith::config::Config;
use slosmith::diag::{Diagnostic, fix};
use slosmith::lint::{Scope, Settings, date::Date, run};
use slosmith::source::{FileId, SourceFile, Sources};

use super::{MARK, fits, shown, text};

/// Rule files, resources and dashboards in YAML.
pub fn artifact_yaml(data: &[u8]) {
    read("a.yaml", data);
}

/// Dashboards, alarms and Terraform in JSON.
pub fn artifact_json(data: &[u8]) {
    read("a.json", data);
}

/// Alarms and dashboards in Terraform's own language.
pub fn artifact_hcl(data: &[u8]) {
    read("a.tf", data);
}

/// Code fences in Markdown.
pub fn artifact_markdown(data: &[u8]) {
    read("a.md", data);
}

/// A file with its reading and what is found in it.
struct Linted {
    sources: Sources,
    artifact: Artifact,
    found: Vec<Diagnostic>,
}

static CONFIG: LazyLock<Config> = LazyLock::new(Config::default);
static SCOPE: LazyLock<Scope<'static>> = LazyLock::new(|| {
    let catalog = Catalog::vllm();
    let product = Product {
        key: "vllm".to_owned(),
        name: "vLLM".to_owned(),
        is_guess: false,
        catalog,
        selection: catalog.select_all(),
        profiles: Vec::new(),
    };
    Scope::configured(vec![product], &CONFIG)
});

impl Linted {
    /// `None` when the file cannot be read.
    fn of(name: &str, text: &str) -> Option<Self> {
        let mut sources = Sources::default();
        let file = sources.add(SourceFile::new(name, text));
        let artifact = match artifact::read(file, Path::new(name), text) {
            Ok(artifact) => artifact,
            Err(unread) => {
                shown(&[unread.fault], &sources);
                return None;
            }
        };
        let settings = Settings {
            scope: &SCOPE,
            config: &CONFIG,
            vllm: None,
            today: Date::from_days(0),
            root: Path::new("/nowhere"),
        };
        let artifacts = [artifact];
        let found = run(&artifacts, &sources, &settings);
        let [artifact] = artifacts;
        Some(Self {
            sources,
            artifact,
            found,
        })
    }

    fn text(&self) -> &str {
        self.sources.get(FileId(0)).text()
    }

    fn count(&self, code: &str, message: &str) -> usize {
        let same = |d: &&Diagnostic| d.code == code && d.message == message;
        self.found.iter().filter(same).count()
    }

    /// Queries that are none, and parts that cannot be read.
    fn broken(&self) -> usize {
        let invalid = self.found.iter().filter(|d| d.code == "invalid-promql");
        invalid.count() + self.artifact.faults.len()
    }
}

/// Any file is read or refused with a place; queries lead back to the bytes that spell them, and a byte order
/// mark moves them and changes nothing else.
fn read(name: &str, data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Some(linted) = Linted::of(name, text) else {
        return;
    };
    for query in &linted.artifact.queries {
        fits(text, query.map.whole().range());
        if query.map.is_exact() {
            assert_eq!(query.map.decode(text).as_ref(), Some(&query.text));
        }
    }
    shown(&linted.found, &linted.sources);
    if text.starts_with(MARK) {
        return;
    }
    let marked =
        Linted::of(name, &format!("{MARK}{text}")).expect("it could be read without a mark");
    let queries = |linted: &Linted, shift: usize| -> Vec<_> {
        let queries = linted.artifact.queries.iter();
        let places = queries.map(|q| (q.text.clone(), q.map.whole().range()));
        places
            .map(|(t, r)| (t, r.start + shift, r.end + shift))
            .collect()
    };
    assert_eq!(queries(&linted, MARK.len()), queries(&marked, 0));
    let found = |linted: &Linted| -> Vec<_> {
        let file = linted.sources.get(FileId(0));
        let found = linted.found.iter();
        found
            .map(|d| {
                (
                    d.code,
                    d.message.clone(),
                    file.line_col(d.span.range().start),
                )
            })
            .collect()
    };
    assert_eq!(found(&linted), found(&marked));
}

/// A fixed file reads as well as before, and what was fixed is not found any more. The first byte says what kind
/// of file follows, and whether fixes are made that somebody should look at.
pub fn fixes(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let Some(text) = text(rest) else { return };
    let name = ["a.yaml", "a.json", "a.md"][usize::from(first % 3)];
    let Some(before) = Linted::of(name, text) else {
        return;
    };
    let also_unsafe = first & 0x80 != 0;
    let outcome = fix::apply(&before.sources, &before.found, also_unsafe);
    assert!(
        outcome
            .left
            .iter()
            .all(|(_, why)| *why != fix::Left::Unusable)
    );
    let Some(fixed) = outcome.files.get(&FileId(0)) else {
        return;
    };
    assert_eq!(fixed.text.starts_with(MARK), text.starts_with(MARK));
    assert_ne!(fixed.text, before.text());
    let after = Linted::of(name, &fixed.text);
    let after = after.unwrap_or_else(|| panic!("unreadable: {:?}", fixed.text));
    assert!(
        after.broken() <= before.broken(),
        "{:?} {:?}",
        fixed.text,
        after.found
    );
    if also_unsafe {
        // A name that was guessed may have the very fault that was fixed elsewhere.
        return;
    }
    for index in outcome.fixed() {
        let d = &before.found[index];
        let (old, new) = (
            before.count(d.code, &d.message),
            after.count(d.code, &d.message),
        );
        assert!(
            new < old,
            "{} is still there in {:?}",
            d.message,
            fixed.text
        );
    }
}
