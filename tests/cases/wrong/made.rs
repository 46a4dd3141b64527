//! Wrong files that no repository should hold as they are: made on the spot.

const HEAD: &str = "apiVersion: slosmith/v1\nservice: {name: shop}\n";

/// A file, and what is wrong with it: the code, and the line and column.
pub(crate) fn file(name: &str) -> (Vec<u8>, &'static str, &'static str) {
    let utf16 = || HEAD.encode_utf16().flat_map(u16::to_le_bytes);
    let shop = |name: &str| HEAD.replace("shop", name).into_bytes();
    match name {
        "file-empty.yaml" => (Vec::new(), "empty-file", "1:1"),
        "file-not-utf8.yaml" => {
            let bytes = b"apiVersion: slosmith/v1\nservice: {name: sh\xffop}\n";
            (bytes.to_vec(), "not-utf8", "2:19")
        }
        "file-utf16.yaml" => {
            let bytes = [0xff, 0xfe].into_iter().chain(utf16()).collect();
            (bytes, "not-utf8", "1:1")
        }
        "file-with-nul.yaml" => (shop("sh\0op"), "invalid-yaml", "2:19"),
        "file-with-escape.yaml" => (shop("sh\x1b[31mop"), "invalid-yaml", "2:19"),
        // Line ends and byte order marks move no column.
        "file-with-crlf.yaml" => {
            let text = HEAD.replace("shop", "Shop").replace('\n', "\r\n");
            (text.into_bytes(), "bad-name", "2:17")
        }
        "file-with-mark.yaml" => {
            let bytes = ["\u{feff}".as_bytes(), &shop("Shop")].concat();
            (bytes, "bad-name", "2:17")
        }
        "file-with-wide-characters.yaml" => {
            let text = HEAD.replace("name: shop", "title: \"日本 🚀\", name: Shop");
            (text.into_bytes(), "bad-name", "2:32")
        }
        "file-too-large.yaml" => {
            let text = format!("shop, title: {}", "x".repeat(10_000_000));
            (shop(&text), "too-large", "1:1")
        }
        "file-with-long-name.yaml" => (shop(&"x".repeat(1_000_000)), "bad-name", "2:17"),
        "file-deep.yaml" => (nested(200).into_bytes(), "too-deep", "7:906"),
        "file-unclosed.yaml" => {
            let text = format!("{HEAD}signals: {}", "{a: ".repeat(100_000));
            (text.into_bytes(), "too-deep", "3:198")
        }
        "file-alias-bomb.yaml" => (bomb().into_bytes(), "too-large", "10:51"),
        _ => panic!("{name} needs a block, or a line in `made.rs`"),
    }
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
