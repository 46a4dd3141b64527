//! Wrong files that no repository should hold as they are: made on the spot.

use libtest_mimic::Trial;

use super::check;
use crate::trial::{Needs, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "wrong::made::files_that_are_no_text",
            Needs::Nothing,
            files_that_are_no_text,
        ),
        trial(
            "wrong::made::line_ends_and_byte_order_marks_move_no_column",
            Needs::Nothing,
            line_ends_and_byte_order_marks_move_no_column,
        ),
        trial(
            "wrong::made::files_that_are_too_much",
            Needs::Nothing,
            files_that_are_too_much,
        ),
    ]
}

const HEAD: &str = "apiVersion: slosmith/v1\nservice: {name: shop}\n";

/// Makes one file in a folder of its own and checks it like every fixture.
fn made(name: &str, bytes: impl AsRef<[u8]>, code: &str, at: &str) {
    let temp = tempfile::tempdir().expect("a folder");
    let file = format!("{name}.yaml");
    std::fs::write(temp.path().join(&file), bytes).expect("a file");
    check(
        temp.path(),
        &file,
        &vec![(code.to_owned(), format!("{file}:{at}"))],
    );
}

fn files_that_are_no_text() {
    made("file-empty", "", "empty-file", "1:1");
    let not_utf8 = b"apiVersion: slosmith/v1\nservice: {name: sh\xffop}\n";
    made("file-not-utf8", not_utf8, "not-utf8", "2:19");
    let utf16: Vec<u8> = HEAD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    made(
        "file-utf16",
        [vec![0xff, 0xfe], utf16].concat(),
        "not-utf8",
        "1:1",
    );
    let nul = HEAD.replace("shop", "sh\0op");
    made("file-with-nul", nul, "invalid-yaml", "2:19");
    let escape = HEAD.replace("shop", "sh\x1b[31mop");
    made("file-with-escape", escape, "invalid-yaml", "2:19");
}

fn line_ends_and_byte_order_marks_move_no_column() {
    let upper = HEAD.replace("shop", "Shop");
    made(
        "file-with-crlf",
        upper.replace('\n', "\r\n"),
        "bad-name",
        "2:17",
    );
    made(
        "file-with-mark",
        format!("\u{feff}{upper}"),
        "bad-name",
        "2:17",
    );
    let unicode = "apiVersion: slosmith/v1\nservice: {title: \"日本 🚀\", name: Shop}\n";
    made("file-with-wide-characters", unicode, "bad-name", "2:32");
}

fn files_that_are_too_much() {
    let title =
        |length: usize| HEAD.replace("shop", &format!("shop, title: {}", "x".repeat(length)));
    made("file-too-large", title(10_000_000), "too-large", "1:1");
    let name = HEAD.replace("shop", &"x".repeat(1_000_000));
    made("file-with-long-name", name, "bad-name", "2:17");
    made("file-deep", nested(200), "too-deep", "7:906");
    made(
        "file-unclosed",
        format!("{HEAD}signals: {}", "{a: ".repeat(100_000)),
        "too-deep",
        "3:198",
    );
    made("file-alias-bomb", bomb(), "too-large", "10:51");
}

const ALERTS: &str =
    "links: {runbooks: https://git.example, grafana: https://grafana.example}\nalerts:\n";

/// A condition in a condition in a condition.
fn nested(depth: usize) -> String {
    let (open, close) = ("{all: [".repeat(depth), "]}".repeat(depth));
    format!(
        "{HEAD}{ALERTS}  Deep:\n    severity: page\n    when: {open}{{promql: up > 1}}{close}\n"
    )
}

/// Each alert's condition is nine times the one before.
fn bomb() -> String {
    let mut text =
        format!("{HEAD}{ALERTS}  A0: {{severity: page, when: &a0 {{promql: up > 1}}}}\n");
    for i in 1..9 {
        let parts = vec![format!("*a{}", i - 1); 9].join(", ");
        text += &format!("  A{i}: {{severity: page, when: &a{i} {{any: [{parts}]}}}}\n");
    }
    text
}
