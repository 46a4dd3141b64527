//! Plain and quoted scalars.

use std::ops::Range;

use super::Decoded;

/// Decodes a scalar of one or more lines; `at` is where it starts in its file.
pub(super) fn decode(raw: &str, at: usize) -> Option<Decoded> {
    let quote = raw.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (body, at) = match quote {
        Some(quote) => (raw.strip_prefix(quote)?.strip_suffix(quote)?, at + 1),
        None => (raw.trim_end(), at),
    };
    let mut out = Decoded::default();
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        let here = at + body.len() - rest.len();
        let next = rest.chars().nth(1);
        let taken = match (quote, c, next) {
            (_, '\n' | '\r', _) => fold(rest, here, &mut out),
            (_, ' ' | '\t', _)
                if rest
                    .trim_start_matches([' ', '\t'])
                    .starts_with(['\n', '\r']) =>
            {
                1
            }
            (Some('\''), '\'', Some('\'')) => {
                out.push('\'', here..here + 2);
                2
            }
            (Some('"'), '\\', Some('\n')) => {
                let tail = rest[2..].trim_start_matches([' ', '\t']);
                rest.len() - tail.len()
            }
            (Some('"'), '\\', Some(escape)) => {
                let (c, length) = unescape(&rest[1..], escape)?;
                out.push(c, here..here + 1 + length);
                1 + length
            }
            (Some('\'' | '"'), c, _) if Some(c) == quote => return None,
            _ => {
                out.push(c, here..here + c.len_utf8());
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Some(out)
}

/// One line end becomes a space, each further one stays; the next line's indentation goes.
fn fold(rest: &str, here: usize, out: &mut Decoded) -> usize {
    let tail = rest.trim_start_matches([' ', '\t', '\n', '\r']);
    let taken = rest.len() - tail.len();
    let ends = rest[..taken].matches('\n').count();
    let from: Range<usize> = here..here + 1;
    if ends > 1 {
        out.repeat('\n', ends - 1, &from);
    } else {
        out.push(' ', from);
    }
    taken
}

/// What an escape stands for, and its length without the backslash.
fn unescape(rest: &str, escape: char) -> Option<(char, usize)> {
    let hex = |digits: usize| {
        let code = rest.get(1..=digits)?;
        let c = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
        Some((c, 1 + digits))
    };
    let c = match escape {
        'x' => return hex(2),
        'u' => return hex(4),
        'U' => return hex(8),
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        ' ' | '"' | '/' | '\\' => escape,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    };
    Some((c, 1))
}
