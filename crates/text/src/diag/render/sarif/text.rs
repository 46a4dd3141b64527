//! Texts and addresses as SARIF wants them.

use std::fmt::Write;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All that a path in a URI escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// A plain-text message. SARIF replaces `{0}` by an argument and makes a link of `[x](y)`: neither may
/// come out of a query that a message quotes.
pub(super) fn message(text: &str) -> String {
    let text = text.replace("](", "\\](");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        out.push_str(before);
        match placeholder(after) {
            Some(number) => {
                let _ = write!(out, "{{{{{number}}}}}");
                rest = &after[number.len() + 1..];
            }
            // Any other brace is left as it is: viewers show doubled ones doubled.
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn placeholder(after: &str) -> Option<&str> {
    let (number, _) = after.split_once('}')?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    digits.then_some(number)
}

/// A path as a URI reference: relative as it is, absolute as a `file` URI.
pub(super) fn uri(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(path, ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_queries_are_not_placeholders_or_links() {
        assert_eq!(message(r#"up{job="a"}"#), r#"up{job="a"}"#);
        assert_eq!(message("a{2}b{12}{}{x"), "a{{2}}b{{12}}{}{x");
        assert_eq!(message("x[5m](y)"), "x[5m\\](y)");
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/é:1%.yaml"), "a%20b/%C3%A9%3A1%25.yaml");
        assert_eq!(uri("/w/a"), "file:///w/a");
    }
}
