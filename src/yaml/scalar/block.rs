//! Literal (`|`) and folded (`>`) scalars.

use super::Decoded;

pub(super) struct Header {
    folded: bool,
    /// First byte of the line behind the header.
    start: usize,
    indent: usize,
}

/// The header in front of a scalar whose content starts at `at`, when it is a block scalar.
pub(super) fn header(text: &str, at: usize) -> Option<Header> {
    let before = text.get(..at)?;
    let line = before.rfind('\n')? + 1;
    let indent = at - line;
    if !before[line..].bytes().all(|b| b == b' ') {
        return None;
    }
    // Blank lines may be between the header and the first line with text.
    let head = before[..line].trim_end();
    let head_line = &head[head.rfind('\n').map_or(0, |i| i + 1)..];
    let code = head_line.find(" #").map_or(head_line, |i| &head_line[..i]);
    let marks = code
        .trim_end()
        .trim_end_matches(['-', '+', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    let style = marks.chars().last().filter(|c| matches!(c, '|' | '>'))?;
    let owner = marks[..marks.len() - 1].trim_end();
    if !(owner.ends_with([':', '-']) || owner.is_empty()) {
        return None;
    }
    let start = before[head.len()..].find('\n')? + head.len() + 1;
    Some(Header {
        folded: style == '>',
        start,
        indent,
    })
}

/// Decodes the content behind a header; line ends at its end are kept.
pub(super) fn decode(text: &str, header: &Header) -> Decoded {
    let mut out = Decoded::default();
    let mut at = header.start;
    let mut breaks: Vec<usize> = Vec::new();
    let mut previous = None;
    for line in text[header.start..].split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let blank = content.trim_start_matches(' ').is_empty() && content.len() <= header.indent;
        let spaces = content.len() - content.trim_start_matches(' ').len();
        if !blank && spaces < header.indent {
            break;
        }
        if !blank {
            let body = &content[header.indent..];
            let spaced = body.starts_with([' ', '\t']);
            join(&mut out, header, &breaks, previous, spaced);
            out.push_as_is(body, at + header.indent);
            breaks.clear();
            previous = Some(spaced);
        }
        breaks.push(at + content.len());
        at += line.len();
    }
    out
}

/// Writes the line ends in front of a line: folded between two plain lines, kept around spaced ones.
fn join(
    out: &mut Decoded,
    header: &Header,
    breaks: &[usize],
    previous: Option<bool>,
    spaced: bool,
) {
    let fold = header.folded && previous == Some(false) && !spaced;
    let kept = if fold { breaks.get(1..) } else { Some(breaks) };
    let kept = kept.unwrap_or_default();
    if let (true, true, Some(at)) = (fold, kept.is_empty(), breaks.first()) {
        out.push(' ', *at..*at + 1);
    }
    for at in kept {
        out.push('\n', *at..*at + 1);
    }
}
