//! Prometheus's own parser tests, where they have been put beside the package.

use std::path::PathBuf;

use slosmith::promql::parse;

/// Cases whose text was damaged on the way out of Go source: a string cut at a concatenation, and
/// `\xff` written as the letter it is in Latin 1. Prometheus gives these texts the verdict we do.
const DAMAGED: [&str; 4] = [
    "{'foo\\'bar', ",
    "`",
    "some_metric{a=\"\u{FF}\"}",
    "label_replace(a, `b`, `c\u{FF}`, `d`, `.*`)",
];

/// Where the cases and the corpus are, if they are anywhere.
pub(super) fn shared() -> PathBuf {
    std::env::var_os("SLOSMITH_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    )
}

#[test]
#[allow(clippy::print_stderr)] // the count is what one wants to see
fn verdicts_are_those_of_prometheus() {
    let Ok(text) = std::fs::read_to_string(shared().join("conformance/promql_parse.json")) else {
        eprintln!("no conformance cases here");
        return;
    };
    let data: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    let (mut stable, mut flagged, mut flagged_right) = (0, 0, 0);
    for case in data["cases"].as_array().unwrap() {
        let expr = case["expr"].as_str().unwrap();
        let right = parse(expr).is_ok() == case["valid"].as_bool().unwrap();
        if case["experimental"].as_bool().unwrap() {
            flagged += 1;
            flagged_right += i32::from(right);
        } else if !DAMAGED.contains(&expr) {
            stable += 1;
            if !right {
                wrong.push(expr);
            }
        }
    }
    eprintln!(
        "conformance: {} of {stable} stable cases, {flagged_right} of {flagged} behind flags",
        stable - wrong.len()
    );
    assert_eq!(wrong, [""; 0]);
}
