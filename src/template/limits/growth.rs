//! Texts that double: an operator counts nothing, so its result may be printed, which is counted, but not kept.

/// The first operator whose result is kept under a name or handed on: its line, and what to do.
///
/// `{% set x = x ~ x %}` doubles a text each time it is done; `{% set x %}<{ x }><{ x }>{% endset %}` is counted.
pub(in crate::template) fn check(template: &str) -> Option<(usize, String)> {
    let mut at = 0;
    while let Some((kind, body)) = next_code(template, at) {
        let keeps = kind == "{%" && KEEPING.contains(&first_word(&template[body.clone()]));
        if let Some(found) = kept(&template[body.clone()], keeps) {
            let line = template[..body.start + found].matches('\n').count() + 1;
            let sign = &template[body.start + found..=body.start + found];
            let why = format!(
                "`{sign}` can double a text in each step of a loop: use a block, `{{% set x %}}…{{% endset %}}`"
            );
            return Some((line, why));
        }
        at = body.end + 2;
    }
    None
}

/// Statements that give a name to a value.
const KEEPING: [&str; 5] = ["set", "with", "for", "macro", "call"];

/// Words in front of a parenthesis that call nothing.
const WORDS: [&str; 10] = [
    "in", "not", "and", "or", "if", "else", "elif", "is", "include", "set",
];

/// The next `{% … %}` or `<{ … }>` from `at`: how it begins, and what is in it.
fn next_code(template: &str, at: usize) -> Option<(&str, std::ops::Range<usize>)> {
    let mut from = at.min(template.len());
    loop {
        let rest = &template[from..];
        let start = from
            + ["{%", "<{", "{#"]
                .iter()
                .filter_map(|open| rest.find(open))
                .min()?;
        let kind = &template[start..start + 2];
        let close = match kind {
            "{%" => "%}",
            "<{" => "}>",
            _ => "#}",
        };
        let end = end_of(&template[start + 2..], close, kind != "{#")? + start + 2;
        if kind != "{#" {
            return Some((kind, start + 2..end));
        }
        from = end + 2;
    }
}

/// Where code ends: not inside of a string.
fn end_of(code: &str, close: &str, strings: bool) -> Option<usize> {
    let mut at = 0;
    while at < code.len() {
        let rest = &code[at..];
        if rest.starts_with(close) {
            return Some(at);
        }
        let c = rest.chars().next()?;
        at += match c {
            '"' | '\'' if strings => string(rest, c),
            c => c.len_utf8(),
        };
    }
    None
}

/// Length of the string at the start, with its quotes.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return i + 1,
            _ => {}
        }
    }
    text.len()
}

fn first_word(code: &str) -> &str {
    let code = code.trim_start_matches(['-', '+']).trim_start();
    let end = code.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    &code[..end.unwrap_or(code.len())]
}

/// The first operator on texts whose result is kept; one beside a number is arithmetic.
fn kept(code: &str, keeps: bool) -> Option<usize> {
    let mut calls: Vec<bool> = Vec::new();
    let mut at = 0;
    while let Some(c) = code[at..].chars().next() {
        let (before, after) = (
            code[..at].trim_end(),
            code[at + c.len_utf8()..].trim_start(),
        );
        match c {
            '"' | '\'' => {
                at += string(&code[at..], c);
                continue;
            }
            '(' => calls.push(is_call(before)),
            ')' => drop(calls.pop()),
            // The signs beside the braces trim blanks.
            '+' if before.is_empty() || after.is_empty() => {}
            '~' | '+' | '*' if keeps || calls.contains(&true) => {
                let number = c != '~' && (ends_in_number(before) || starts_with_number(after));
                if !number {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

fn is_call(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next();
    let word = word.unwrap_or_default();
    before.ends_with([')', ']']) || !(word.is_empty() || WORDS.contains(&word))
}

/// `[1] + x` repeats a list: only a number by itself counts.
fn ends_in_number(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'))
        .next();
    word.is_some_and(starts_with_number) && !before.ends_with(']')
}

fn starts_with_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_results_are_found() {
        let cases = [
            ("<{ a ~ b }> {% if a ~ b == c %}{% endif %}", None),
            ("<{ (\"x-\" ~ a)|tojson }>{% include \"a/\" ~ b %}", None),
            ("{% set n = n + 1 %}{% set m = 2 * n %}{#- x ~ x #}", None),
            ("{% set x = \"a ~ b\" %}{%- for i in a -%}", None),
            ("{%+ set x %}<{ x }><{ x }>{% endset +%}", None),
            ("a\n{% set x = x ~ x %}", Some(2)),
            ("{% set x = x + x %}", Some(1)),
            ("{% set x = [x] * n %}", Some(1)),
            ("{% with y = x ~ x %}{% endwith %}", Some(1)),
            ("{% for y in [x ~ x] %}{% endfor %}", Some(1)),
            ("\n\n<{ m(x ~ x) }>", Some(3)),
            ("<{ x|default(x ~ x) }>", Some(1)),
        ];
        for (template, line) in cases {
            assert_eq!(check(template).map(|(line, _)| line), line, "{template}");
        }
    }
}
