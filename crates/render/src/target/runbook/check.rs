//! Reading our own pages back: every link inside of them leads somewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::fence::Fences;
use crate::target::{OutFile, TargetError};
use slosmith_spec::naming::slug;

pub(super) fn links(files: &[OutFile]) -> Result<(), TargetError> {
    let pages: BTreeMap<&str, BTreeSet<String>> = files
        .iter()
        .filter(|file| file.path.ends_with(".md"))
        .map(|file| (file.path.as_str(), anchors(&file.text)))
        .collect();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for target in targets(&file.text) {
            let (page, anchor) = target.split_once('#').unwrap_or((target, ""));
            let page = if page.is_empty() { &file.path } else { page };
            let known = files.iter().any(|other| other.path == page);
            let inside = anchor.is_empty()
                || pages
                    .get(page)
                    .is_some_and(|anchors| anchors.contains(anchor));
            if !known || !inside {
                return Err(TargetError::DeadLink {
                    path: file.path.clone(),
                    target: target.to_owned(),
                });
            }
        }
    }
    Ok(())
}

fn targets(text: &str) -> impl Iterator<Item = &str> {
    let targets = behind(text, "](").filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|target| {
        let local = target.starts_with('#') || target.ends_with(".md") || target.contains(".md#");
        local && !target.contains("://") && !target.contains('/')
    })
}

fn anchors(text: &str) -> BTreeSet<String> {
    let mut fences = Fences::default();
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let code = fences.is_code(line);
        let words = line.trim_start_matches('#');
        if !code && words.len() < line.len() && words.starts_with(' ') {
            found.insert(slug(words.trim()));
        }
    }
    let ids = behind(text, "id=\"");
    found.extend(ids.filter_map(|rest| rest.split('"').next().map(str::to_owned)));
    found
}

fn behind<'t>(text: &'t str, mark: &'static str) -> impl Iterator<Item = &'t str> {
    let places = memchr::memmem::find_iter(text.as_bytes(), mark);
    places.map(|at| &text[at + mark.len()..])
}
