//! Where string literals are in source code: as much of each language as that takes.

use std::ops::Range;

use slosmith_spec::config::Code;

const LONGEST: usize = 1_000;

pub(in crate::artifact) struct Literal {
    pub(in crate::artifact) range: Range<usize>,
    /// False for one that others continue or the program fills in.
    pub(in crate::artifact) is_whole: bool,
}

/// What stands between two literals, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Something that a literal may stand behind.
    Other,
    Literal,
    /// `+`, which puts texts together.
    Plus,
    /// What a value ends with, so that `/` divides.
    Value,
}

pub(in crate::artifact) fn literals(text: &str, language: Code) -> Vec<Literal> {
    let mut lexer = Lexer {
        text,
        language,
        before: Before::Other,
        found: Vec::new(),
    };
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        at = lexer.next(at, c);
    }
    lexer.found
}

struct Lexer<'a> {
    text: &'a str,
    language: Code,
    before: Before,
    found: Vec<Literal>,
}

impl Lexer<'_> {
    /// Reads what starts at `at` with `c`; gives back where it ends.
    fn next(&mut self, at: usize, c: char) -> usize {
        let rest = &self.text[at..];
        let is_c = self.language != Code::Py;
        match c {
            '#' if !is_c => self.line(at),
            '/' if is_c && rest.starts_with("//") => self.line(at),
            '/' if is_c && rest.starts_with("/*") => {
                rest.find("*/").map_or(self.text.len(), |len| at + len + 2)
            }
            '/' if self.language == Code::Ts
                && !matches!(self.before, Before::Value | Before::Literal) =>
            {
                self.pattern(at)
            }
            '"' | '\'' | '`' => self.literal(at, at),
            // A line break ends a statement in Go and TypeScript; in Python, texts go on over it.
            c if c.is_whitespace() => at + c.len_utf8(),
            c if c.is_alphanumeric() || c == '_' => self.word(at),
            c => {
                let is_joined = c == '+' || c == '%' && !is_c || c == '.';
                if is_joined && self.before == Before::Literal {
                    self.continues();
                }
                self.before = match c {
                    '+' => Before::Plus,
                    ')' | ']' => Before::Value,
                    _ => Before::Other,
                };
                at + c.len_utf8()
            }
        }
    }

    fn continues(&mut self) {
        if let Some(last) = self.found.last_mut() {
            last.is_whole = false;
        }
    }

    fn line(&self, at: usize) -> usize {
        let len = self.text[at..].find('\n');
        len.map_or(self.text.len(), |len| at + len)
    }

    /// A word, which may be the prefix of a literal in Python.
    fn word(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let end = len.map_or(self.text.len(), |len| at + len);
        let word = &self.text[at..end];
        let is_prefix = self.language == Code::Py
            && word.len() <= 2
            && word.chars().all(|c| "rRbBuUfFtT".contains(c));
        if is_prefix && self.text[end..].starts_with(['"', '\'']) {
            return self.literal(at, end);
        }
        let keyword = matches!(word, "return" | "case" | "typeof" | "in" | "of" | "else");
        self.before = if keyword {
            Before::Other
        } else {
            Before::Value
        };
        end
    }

    /// `/…/`, or a `/` alone; one far longer than people write would be looked for from each `/` of a long line.
    fn pattern(&mut self, at: usize) -> usize {
        let mut escaped = false;
        let mut class = false;
        for (offset, c) in self.text[at + 1..].char_indices().take(LONGEST) {
            match c {
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    self.before = Before::Value;
                    return at + 1 + offset + 1;
                }
                _ => {}
            }
        }
        at + 1
    }

    /// The literal with its prefix at `start` and its quotes at `open`.
    fn literal(&mut self, start: usize, open: usize) -> usize {
        let rest = &self.text[open..];
        let triple = rest
            .get(..3)
            .filter(|q| self.language == Code::Py && matches!(*q, "\"\"\"" | "'''"));
        let quotes = triple.unwrap_or(&rest[..1]);
        let is_plain = quotes == "`" && self.language == Code::Go;
        let Some(end) = self.close(open + quotes.len(), quotes, is_plain) else {
            // An apostrophe in a text of its own, such as JSX.
            self.before = Before::Other;
            return open + quotes.len();
        };
        let is_joined = matches!(self.before, Before::Literal | Before::Plus);
        if self.before == Before::Literal {
            self.continues();
        }
        let prefix = &self.text[start..open];
        let literal = &self.text[start..end];
        let is_filled = prefix.contains(['f', 'F', 't', 'T', 'b', 'B'])
            || self.language == Code::Ts && quotes == "`" && literal.contains(['\\']);
        self.before = Before::Literal;
        self.found.push(Literal {
            range: start..end,
            is_whole: !is_joined && !is_filled,
        });
        end
    }

    /// One past the closing quotes; `None` when there are none, or not on the line where they must be.
    fn close(&self, from: usize, quotes: &str, is_plain: bool) -> Option<usize> {
        let mut at = from;
        loop {
            let rest = self.text.get(at..)?;
            let stop = rest.find(|c| c == '\\' || c == '\n' || quotes.starts_with(c))?;
            let here = &rest[stop..];
            at += stop;
            if here.starts_with(quotes) {
                return Some(at + quotes.len());
            }
            match here.as_bytes()[0] {
                b'\\' if !is_plain => at += 1 + here[1..].chars().next()?.len_utf8(),
                b'\n' if quotes == "\"" || quotes == "'" => return None,
                _ => at += 1,
            }
        }
    }
}
