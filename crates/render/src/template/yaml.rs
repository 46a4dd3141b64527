//! Filters for YAML: what readers of YAML 1.1 and 1.2 take for the same text.

use slosmith_text::source::{holds_only, lines};

pub fn scalar(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// The same inside of `[…]` and `{…}`, where commas and brackets end a scalar without quotes.
pub fn flow(text: &str) -> String {
    match is_plain(text) && !text.contains([',', '[', ']', '{', '}']) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// A quoted YAML scalar that readers of YAML 1.1 and 1.2 take for the same text, in the quotes that need fewer escapes.
fn quoted(text: &str) -> String {
    let count = |signs: &[char]| text.matches(signs).count();
    if text.chars().all(is_printable) && count(&['"', '\\']) > count(&['\'']) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    // A JSON string is one, but for characters that it leaves as they are; printing one cannot fail.
    let json = serde_json::to_string(text).unwrap_or_default();
    if holds_only(&json, is_ordinary) {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            c if is_printable(c) => out.push(c),
            c => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        }
    }
    out
}

fn is_ordinary(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// Characters that no YAML reader refuses, drops or takes for the end of a line. The others have four hexadecimal digits.
fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// Text for a comment, which ends with its line.
pub fn comment(text: &str) -> String {
    let shown = |c| if is_printable(c) { c } else { ' ' };
    text.chars().map(shown).collect()
}

/// Text that every YAML reader takes as the same string without quotes.
///
/// Narrower than YAML: it starts with a letter, or is a duration, and holds nothing that could end it.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let word = || words.iter().any(|w| text.eq_ignore_ascii_case(w));
    match starts {
        true => goes_on(text) && !word(),
        false => is_duration(text),
    }
}

/// True for printable ASCII in which nothing ends a plain scalar or is lost at its end.
fn goes_on(text: &str) -> bool {
    let bytes = text.as_bytes();
    let ends = |at: usize| match bytes[at] {
        b':' => bytes.get(at + 1) == Some(&b' '),
        _ => at > 0 && bytes[at - 1] == b' ',
    };
    holds_only(text, is_ordinary)
        && !text.ends_with([' ', ':'])
        && !memchr::memchr2_iter(b':', b'#', bytes).any(ends)
}

/// `5m`, `1h30m`: digits and a letter by turns, never a number.
fn is_duration(text: &str) -> bool {
    let letters = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let unit = |c: char| matches!(c, 'd' | 'h' | 'm' | 's');
    letters.len() < text.len()
        && text.ends_with(unit)
        && text.chars().all(|c| c.is_ascii_digit() || unit(c))
}

/// Text on one line as a scalar, on more as a block indented by `indent` spaces where that keeps every character.
pub fn block(text: &str, indent: usize) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if !text.contains('\n') || !fits_block(text) {
        return scalar(text);
    }
    // A line end and the indentation; lines without anything on them get none.
    let start = format!("\n{}", " ".repeat(indent));
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    out.push_str("|-");
    for line in lines(text) {
        out.push_str(if line.is_empty() { "\n" } else { &start });
        out.push_str(line);
    }
    out
}

/// A block's first line tells its indentation, its last line ends it, and nothing in it is escaped.
fn fits_block(text: &str) -> bool {
    let blank = |c: char| c.is_whitespace();
    !text.starts_with(blank) && !text.ends_with(blank) && keeps_lines(text)
}

/// True for text of lines in which no YAML reader sees another line end, or refuses a character.
pub fn keeps_lines(text: &str) -> bool {
    let plain = |b: u8| !b.is_ascii() || is_ordinary(b) || b == b'\n' || b == b'\t';
    // What all characters beyond ASCII begin with that are not printable.
    let mut others = memchr::memchr3_iter(0xC2, 0xE2, 0xEF, text.as_bytes());
    holds_only(text, plain) && others.all(|at| text[at..].starts_with(is_printable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_read_back_as_themselves() {
        let texts = [
            "plain",
            "yes",
            "1.0",
            "",
            "a: b",
            "#x",
            "{{ $value }}",
            "it's \"so\"",
            "\"it's\" 'so'",
            " a\\\"b\"# ",
            "- \"é\"\u{85}",
            "{{ \"a\tb\" }}",
            "\\",
            "a,b",
            "x ",
            "é",
            "a\tb",
            "- a",
            "0x1F",
            "null",
            "P95 of x",
            "a #b",
            "1h",
            "~",
            "=",
            "!x",
            "&x",
            "*x",
            "\u{85}",
            "a\u{2028}---\u{2029}b",
            "\u{feff}a\u{fffe}\u{7f}",
            "\u{1fffe}🚀",
        ];
        for text in texts {
            let yaml = format!("k: {}\n", scalar(text));
            let back: std::collections::BTreeMap<String, String> =
                slosmith_text::yaml::read(slosmith_text::source::FileId(0), &yaml).expect(text);
            assert_eq!(back["k"], text, "{yaml}");
        }
    }

    #[test]
    fn the_quotes_that_need_fewer_escapes_are_taken() {
        for (text, yaml) in [
            ("a: b", r#""a: b""#),
            (r#"- "a\.b""#, r#"'- "a\.b"'"#),
            (r#"- it's "so""#, r#"'- it''s "so"'"#),
            (r#"- it's 5""#, r#""- it's 5\"""#),
        ] {
            assert_eq!(scalar(text), yaml);
        }
    }

    #[test]
    fn no_line_ends_where_only_some_readers_see_it() {
        for end in ["\u{85}", "\u{2028}", "\u{2029}"] {
            let text = format!("a\nb{end}---{end}kind: Secret");
            let yaml = format!("k: {}\n", block(&text, 2));
            assert!(
                !yaml.contains(end) && !comment(&text).contains(end),
                "{yaml}"
            );
            let documents = serde_yaml::Deserializer::from_str(&yaml).count();
            assert_eq!(documents, 1);
            let back: serde_json::Value = serde_yaml::from_str(&yaml).expect("YAML 1.1");
            assert_eq!(back["k"], text);
        }
    }

    #[test]
    fn every_character_that_is_not_printable_is_seen() {
        for c in '\0'..=char::MAX {
            let keeps = c == '\n' || c == '\t' || is_printable(c);
            assert_eq!(keeps_lines(&format!("a{c}é")), keeps, "{c:?}");
        }
    }

    #[test]
    fn blocks_that_would_lose_blanks_are_quoted() {
        for text in [
            "  led\nb",
            "\nled",
            "trails\nb ",
            "a\tb\nc",
            "\ta\nb",
            "a\rb\nc",
            "a\n\n",
        ] {
            let yaml = format!("k: {}\n", block(text, 2));
            let back: serde_json::Value = serde_yaml::from_str(&yaml).expect(&yaml);
            let wanted = text.strip_suffix('\n').unwrap_or(text);
            assert_eq!(back["k"], wanted, "{yaml}");
        }
    }

    #[test]
    fn blocks_keep_their_lines() {
        let yaml = format!("k: {}\n", block("a\n  b\n\nc", 4));
        let back: std::collections::BTreeMap<String, String> =
            slosmith_text::yaml::read(slosmith_text::source::FileId(0), &yaml).expect("valid");
        assert_eq!(back["k"], "a\n  b\n\nc");
    }
}
