//! Filters for Markdown: what a person wrote stays in its paragraph, cell, link or block, and is never HTML.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::shell;

pub(super) fn prose(text: &str) -> String {
    let mut text = harmless(text.trim_matches('\n')).into_owned();
    if let Some(fence) = open_fence(&text) {
        text = format!("{}\n{fence}", text.trim_end());
    }
    text
}

/// A text in a line.
pub fn inline(text: &str) -> String {
    let mut line = begin(&harmless(&one_line(text))).into_owned();
    if line.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1 {
        line.push('\\');
    }
    line
}

pub(super) fn item(text: &str, indent: usize) -> String {
    let text = text.trim();
    if !text.contains('\n') {
        return inline(text);
    }
    let mut text = prose(text);
    // A block of code begins on a line of its own.
    if text.starts_with("```") || text.starts_with("~~~") {
        text.insert(0, '\n');
    }
    text.replace('\n', &format!("\n{}", " ".repeat(indent)))
}

pub fn cell(text: &str) -> String {
    pipes(inline(text))
}

/// The same as the text of a link.
pub(super) fn label(text: &str) -> String {
    let line = inline(text);
    let code = protected(&line);
    let mut out = String::with_capacity(line.len());
    for (at, c) in line.char_indices() {
        let escaped = line[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        if matches!(c, '[' | ']') && !escaped && !within(&code, at) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as code in a line, whatever it has in it.
pub fn code(text: &str) -> String {
    let line = one_line(text);
    let ticks = "`".repeat(longest_run(&line, '`') + 1);
    let blank = if line.is_empty() || line.starts_with('`') || line.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{blank}{line}{blank}{ticks}")
}

pub fn code_cell(text: &str) -> String {
    pipes(code(text))
}

/// Lines of code in a block of their own; long commands of a shell go on in the next line.
pub(super) fn fence(text: &str, language: &str) -> String {
    let text = match language {
        "sh" => shell::broken(text),
        _ => text.into(),
    };
    let text = text.as_ref();
    let ticks = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{ticks}{language}\n{}\n{ticks}", text.trim_end())
}

/// Words with one blank between them.
fn one_line(text: &str) -> Cow<'_, str> {
    let mut before = b' ';
    let mut is_word_or_first_blank = |b: u8| {
        let fits = matches!(b, b'!'..=b'~') || b == b' ' && before != b' ';
        before = b;
        fits
    };
    // Most texts are such a line already.
    match text.bytes().all(&mut is_word_or_first_blank) && before != b' ' {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}

/// Escapes bars that are not escaped yet.
fn pipes(line: String) -> String {
    if !line.contains('|') {
        return line;
    }
    let mut out = String::with_capacity(line.len());
    let mut escaped = false;
    for c in line.chars() {
        if c == '|' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

fn longest_run(text: &str, of: char) -> usize {
    // Most texts have none, which is found faster.
    match text.contains(of) {
        true => text.split(|c| c != of).map(str::len).max().unwrap_or(0),
        false => 0,
    }
}

fn parser(text: &str) -> pulldown_cmark::OffsetIter<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter()
}

fn protected(text: &str) -> Vec<Range<usize>> {
    if !text.contains(['`', '~']) {
        return Vec::new();
    }
    let code = parser(text).filter_map(|(event, range)| match event {
        Event::Code(_) | Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => Some(range),
        _ => None,
    });
    code.collect()
}

fn within(ranges: &[Range<usize>], at: usize) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}

fn harmless(text: &str) -> Cow<'_, str> {
    if memchr2(b'<', b']', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let code = protected(text);
    let links = dangerous_links(text);
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        match c {
            '<' if !within(&code, at) && begins_html(&text[at..]) => out.push_str("&lt;"),
            '[' | '!' if links.contains(&at) => {
                out.push('\\');
                out.push(c);
            }
            ']' if !within(&code, at) && leads_astray(&text[at + 1..]) => out.push_str("\\]"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn begins_html(text: &str) -> bool {
    let rest = &text[1..];
    let address = ["https://", "http://", "mailto:"]
        .iter()
        .any(|s| rest.starts_with(s));
    let whole = rest
        .find(|c: char| c == '>' || c == '<' || c.is_whitespace())
        .is_some_and(|end| rest[end..].starts_with('>'));
    !(address && whole) && rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c))
}

fn dangerous_links(text: &str) -> Vec<usize> {
    let starts = parser(text).filter_map(|(event, range)| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            (!is_harmless(&dest_url)).then_some(range.start)
        }
        _ => None,
    });
    let mut starts: Vec<_> = starts.collect();
    // `![` is a picture, `\![` still a link.
    let inner: Vec<_> = starts
        .iter()
        .filter(|at| text[**at..].starts_with('!'))
        .map(|at| at + 1)
        .collect();
    starts.extend(inner);
    starts
}

/// A target of a link, whatever is in front of it: that may come from another text.
fn leads_astray(text: &str) -> bool {
    let Some(target) = text.strip_prefix('(') else {
        return false;
    };
    let target = target.trim_start_matches(|c: char| c.is_whitespace() || c == '<');
    !is_harmless(target.split([')', ' ']).next().unwrap_or_default())
}

/// A web address, mail, or a place of the same folder.
fn is_harmless(url: &str) -> bool {
    match url.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '#', '?']) => {
            matches!(
                scheme.to_ascii_lowercase().as_str(),
                "http" | "https" | "mailto"
            )
        }
        _ => true,
    }
}

/// The fence of a block of code that the text does not end.
fn open_fence(text: &str) -> Option<String> {
    let last = parser(text).filter_map(|(event, range)| match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => Some(range),
        _ => None,
    });
    let block = text[last
        .last()
        .filter(|range| range.end >= text.trim_end().len())?]
    .trim_end();
    let sign = block.chars().next()?;
    let fence: String = block.chars().take_while(|c| *c == sign).collect();
    let end = block.lines().skip(1).last().unwrap_or_default().trim();
    let closed = end.len() >= fence.len() && end.chars().all(|c| c == sign);
    (!closed).then_some(fence)
}

/// A line that begins no heading, list, quote, table, rule, block of code or definition.
fn begin(line: &str) -> Cow<'_, str> {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    // A rule, what underlines a heading, or the row under a table's head.
    let drawn = !line.is_empty() && line.chars().all(|c| "-=*_:| ".contains(c));
    let at = match line.chars().next() {
        _ if drawn => 0,
        Some('#') if ends(line.trim_start_matches('#')) => 0,
        Some('+' | '-' | '*') if ends(&line[1..]) => 0,
        Some('>' | '|') => 0,
        Some('`' | '~') if line.starts_with("```") || line.starts_with("~~~") => 0,
        Some('[') if line.contains("]:") => 0,
        Some('0'..='9') if digits.starts_with(['.', ')']) && ends(&digits[1..]) => {
            line.len() - digits.len()
        }
        _ => return Cow::Borrowed(line),
    };
    Cow::Owned(format!("{}\\{}", &line[..at], &line[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_lines() {
        let cases = [
            ("plain `code` and *more*.", "plain `code` and *more*."),
            ("two\nlines ", "two lines"),
            ("# no heading", "\\# no heading"),
            ("1. no list", "1\\. no list"),
            ("- no list", "\\- no list"),
            ("--- | ---", "\\--- | ---"),
            ("5 of 10", "5 of 10"),
            ("0.90 and -5", "0.90 and -5"),
            ("--flag", "--flag"),
            ("a < b, <b>c</b>", "a < b, &lt;b>c&lt;/b>"),
            ("`<b>` is code", "`<b>` is code"),
            ("see <https://x.example/a>", "see <https://x.example/a>"),
            ("[x](javascript:alert(1))", "\\[x\\](javascript:alert(1))"),
            (
                "[x](page.md#a) [y](https://x)",
                "[x](page.md#a) [y](https://x)",
            ),
            ("ends \\", "ends \\\\"),
        ];
        for (text, wanted) in cases {
            assert_eq!(inline(text), wanted);
        }
        assert_eq!(cell("a | b \\| c"), "a \\| b \\| c");
        assert_eq!(label("x](y) `a[0]`"), "x\\](y) `a[0]`");
    }

    #[test]
    fn code_ends_where_it_should() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a ` b"), "``a ` b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(code_cell("a|b"), "`a\\|b`");
        assert_eq!(fence("a\n```\nb\n", "sh"), "````sh\na\n```\nb\n````");
    }

    #[test]
    fn prose_ends_what_it_begins() {
        assert_eq!(prose("a\n\n- b\n- c\n"), "a\n\n- b\n- c");
        assert_eq!(prose("a\n\n~~~\nb"), "a\n\n~~~\nb\n~~~");
        assert_eq!(prose("```\nb\n```"), "```\nb\n```");
        assert_eq!(prose("```"), "```\n```");
        assert_eq!(prose("```\n<b>\n```\n<b>"), "```\n<b>\n```\n&lt;b>");
    }
}
