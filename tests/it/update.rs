//! Committed files that are generated: compared, or rewritten under `INSTA_UPDATE=always`, as snapshots are.

use std::path::Path;

/// Compares a committed file with what it should hold; `path` is relative to the package.
pub(crate) fn check(path: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        std::fs::write(&path, wanted).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is stale; run: tools/refresh",
        path.display()
    );
}
