//! The committed indexes are what the recordings say.

use std::path::{Path, PathBuf};

use slosmith::catalog::{Embedded, Index, VLLM, build};

use crate::update;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog")
}

pub(crate) fn built() -> Index {
    build(&folder(), VLLM).expect("the catalog is sound")
}

#[test]
fn the_committed_indexes_are_current() {
    let mut size = 0;
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the folder is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            let name = path.file_name().expect("a folder has a name");
            let name = name.to_string_lossy().into_owned();
            let index = build(&folder(), &name).unwrap_or_else(|why| panic!("{name}: {why}"));
            let text = index.to_json();
            size += text.len();
            update::check(&format!("catalog/{name}/index.json"), &text);
            names.push(name);
        }
    }
    assert!(size < 1_500_000, "the indexes have {size} bytes");
    names.retain(|name| name != VLLM);
    names.sort();
    let embedded = Embedded::all().iter().map(|product| product.name);
    assert_eq!(embedded.collect::<Vec<_>>(), names);
}

#[test]
fn the_text_holds_everything() {
    let index = built();
    let read = Index::from_json(&index.to_json()).expect("readable");
    assert!(read == index);
}
