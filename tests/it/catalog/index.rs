//! The committed index is what the recordings say.

use std::path::Path;

use slosmith::catalog::{Index, build};

use crate::update;

pub(crate) fn built() -> Index {
    build(&Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog")).expect("the catalog is sound")
}

#[test]
fn the_committed_index_is_current() {
    let text = built().to_json();
    assert!(text.len() < 150_000, "the index has {} bytes", text.len());
    update::check("catalog/vllm/index.json", &text);
}

#[test]
fn the_text_holds_everything() {
    let index = built();
    let read = Index::from_json(&index.to_json()).expect("readable");
    assert!(read == index);
}
