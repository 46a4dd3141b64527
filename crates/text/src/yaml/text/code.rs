//! String literals of programming languages: what Python, Go and TypeScript have in common.

use super::json;
use super::sink::Sink;

struct Parts<'a> {
    /// Letters in front, such as `r`.
    prefix: &'a str,
    quotes: &'a str,
    inner: &'a str,
}

fn parts(slice: &str) -> Option<Parts<'_>> {
    let (prefix, rest) = slice.split_at(slice.find(['"', '\'', '`'])?);
    let triple = rest
        .get(..3)
        .filter(|quotes| matches!(*quotes, "\"\"\"" | "'''"));
    let quotes = triple.unwrap_or(&rest[..1]);
    let inner = rest.strip_prefix(quotes)?.strip_suffix(quotes)?;
    Some(Parts {
        prefix,
        quotes,
        inner,
    })
}

/// Decodes `"…"`, `'…'`, `` `…` ``, `"""…"""` and `r"…"`. No text for escapes that mean one thing here and another there.
pub(super) fn string(slice: &str, base: usize, sink: &mut impl Sink) -> Option<()> {
    let Parts {
        prefix,
        quotes,
        inner,
    } = parts(slice)?;
    let is_raw = quotes == "`" || prefix.contains(['r', 'R']);
    let base = base + prefix.len() + quotes.len();
    let ends = |c: char| c == '\r' || c == '\n' && matches!(quotes, "\"" | "'");
    if inner.contains(ends) || is_raw && (inner.contains(quotes) || inner.ends_with('\\')) {
        return None;
    }
    let run = |rest: &str| {
        let run = match is_raw {
            true => rest.len(),
            false => rest.find('\\').unwrap_or(rest.len()),
        };
        (is_raw || !rest[..run].contains(quotes)).then_some(run)
    };
    json::unescape(inner, base, sink, run, escape)
}

fn escape(text: &str) -> Option<(char, usize)> {
    match text.as_bytes().get(1)? {
        b'\'' => Some(('\'', 2)),
        // Python keeps the backslash.
        b'/' => None,
        _ => json::escape(text),
    }
}

/// Spells `new` for the inside of the literal.
pub(super) fn spell(literal: &str, new: &str) -> Option<String> {
    let Parts { prefix, quotes, .. } = parts(literal)?;
    if quotes == "`" || prefix.contains(['r', 'R']) {
        return Some(new.to_owned());
    }
    let spelled = match quotes.starts_with('\'') {
        true => new.replace('\\', "\\\\").replace('\'', "\\'"),
        false => json::spell(new),
    };
    Some(spelled)
}
