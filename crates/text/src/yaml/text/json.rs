//! JSON strings.

use super::sink::Sink;

pub(super) fn string(slice: &str, base: usize, sink: &mut impl Sink) -> Option<()> {
    let inner = slice.strip_prefix('"')?.strip_suffix('"')?;
    let run = |rest: &str| {
        let run = rest.find(['\\', '"']).unwrap_or(rest.len());
        let control = rest.as_bytes()[..run].iter().any(|b| *b < 0x20);
        (!control).then_some(run)
    };
    unescape(inner, base + 1, sink, run, escape)
}

/// Decodes what is between the quotes: `run` tells how long the text goes on as it is written, `escape` reads the escape
/// behind it.
pub(super) fn unescape(
    inner: &str,
    base: usize,
    sink: &mut impl Sink,
    run: impl Fn(&str) -> Option<usize>,
    escape: impl Fn(&str) -> Option<(char, usize)>,
) -> Option<()> {
    let mut at = 0;
    while at < inner.len() {
        let rest = &inner[at..];
        let run = run(rest)?;
        if run > 0 {
            sink.verbatim(&rest[..run], base + at);
            at += run;
            continue;
        }
        let (character, len) = escape(rest)?;
        let source = base + at..base + at + len;
        sink.atom(character.encode_utf8(&mut [0; 4]), source);
        at += len;
    }
    Some(())
}

/// The character that an escape at the start of `text` stands for, and the escape's length.
pub(super) fn escape(text: &str) -> Option<(char, usize)> {
    let mut chars = text.chars();
    if chars.next() != Some('\\') {
        return None;
    }
    let simple = match chars.next()? {
        c @ ('"' | '\\' | '/') => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(text),
        _ => return None,
    };
    Some((simple, 2))
}

fn unicode(text: &str) -> Option<(char, usize)> {
    let first = hex(text)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, 6));
    }
    let second = text
        .get(6..)
        .filter(|rest| rest.starts_with("\\u"))
        .and_then(hex);
    match second {
        Some(second) if first < 0xDC00 && (0xDC00..0xE000).contains(&second) => {
            let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            char::from_u32(code).map(|c| (c, 12))
        }
        _ => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

fn hex(text: &str) -> Option<u32> {
    let digits = text.get(2..6)?;
    let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

pub(super) fn spell(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len() + 2);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
