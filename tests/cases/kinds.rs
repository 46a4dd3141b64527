//! Every kind of file is read as a whole: `tests/fixtures/kinds/` holds one of each, and in all of them
//! `vllm:gpu_cache_usage_perc` is found wherever it stands, and nothing else is. `--fix` renames it there, and
//! changes no other byte.

use std::path::Path;

use libtest_mimic::Trial;
use slosmith::artifact::Language;
use slosmith::diag::fix;

use crate::markdown::Case;
use crate::rules::findings;
use crate::trial::{Needs, trial};

const OLD: &str = "vllm:gpu_cache_usage_perc";
const NEW: &str = "vllm:kv_cache_usage_perc";

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/kinds");
    let entries = std::fs::read_dir(&folder).expect("the folder");
    let mut paths: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    let of = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("text");
        let name = path.file_name().expect("a name").to_string_lossy();
        let case = Case {
            name: name.clone().into_owned(),
            files: vec![(name.clone().into_owned(), text)],
            ..Case::default()
        };
        trial(format!("kinds::{name}"), Needs::Nothing, move || {
            check(&case)
        })
    };
    paths.iter().map(of).collect()
}

fn check(case: &Case) {
    let text = &case.files[0].1;
    let (found, sources, artifacts) = findings(case, None);
    let gone: Vec<_> = found
        .iter()
        .filter(|d| d.code == "removed-metric")
        .collect();
    let messages: Vec<_> = gone.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(gone.len(), text.matches(OLD).count(), "{messages:#?}");
    for finding in &gone {
        assert_eq!(&text[finding.span.range()], OLD, "{}", finding.message);
    }
    let others: Vec<_> = found
        .iter()
        .filter(|d| d.code != "removed-metric")
        .collect();
    assert!(
        others.iter().all(|d| !d.message.contains("vllm")),
        "{others:#?}"
    );
    let invalid = others.iter().any(|d| d.code.starts_with("invalid"));
    assert!(!invalid, "{others:#?}");
    let outcome = fix::apply(&sources, &found, false);
    let mut queries = artifacts.iter().flat_map(|artifact| &artifact.queries);
    if queries.any(|query| query.language == Language::MetricsQl) {
        assert!(outcome.files.is_empty(), "MetricsQL is not edited");
        return;
    }
    let fixed = &outcome.files[&gone[0].span.file].text;
    assert_eq!(*fixed, text.replace(OLD, NEW));
}
