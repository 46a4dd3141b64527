//! Escapes and character classes.

use super::{Part, Problem, Scanner};

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

impl Scanner<'_> {
    /// Something that starts with `\`, outside a class.
    pub(super) fn backslash(&mut self) -> Result<Option<Part>, Problem> {
        let empty = match self.pattern.as_bytes().get(self.pos + 1) {
            Some(b'A' | b'z' | b'B') => true,
            Some(b'b') => false,
            Some(b'Q') => {
                self.pos += 2;
                self.quoting = true;
                return Ok(None);
            }
            _ => {
                if !self.shared_class()? {
                    self.escaped_char()?;
                }
                return Ok(Some(Part::new(false)));
            }
        };
        self.pos += 2;
        Ok(Some(Part::new(empty)))
    }

    /// `\d`, `\pL`, `\p{Greek}`: classes that may be inside brackets, too.
    fn shared_class(&mut self) -> Result<bool, Problem> {
        let start = self.pos;
        match self.pattern.as_bytes().get(self.pos + 1) {
            Some(b'd' | b'D' | b's' | b'S' | b'w' | b'W') => self.pos += 2,
            Some(b'p' | b'P') => {
                self.pos += 2;
                let name = self.unicode_name();
                if !name.is_some_and(known_unicode_class) {
                    return Err(self.problem("unknown Unicode class", start));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn unicode_name(&mut self) -> Option<&str> {
        let pattern = self.pattern;
        let start = self.pos;
        if !self.eat("{") {
            self.next_char()?;
            return Some(&pattern[start..self.pos]);
        }
        let length = self.rest().find('}')?;
        self.pos += length + 1;
        let name = &pattern[start + 1..start + 1 + length];
        Some(name.strip_prefix('^').unwrap_or(name))
    }

    /// `\n`, `\x{1F}`, `\.`: an escape for one character.
    fn escaped_char(&mut self) -> Result<char, Problem> {
        let start = self.pos;
        self.eat("\\");
        let bad = "bad escape";
        let Some(c) = self.next_char() else {
            return Err(self.problem("`\\` at the end", start));
        };
        let value = match c {
            '1'..='7' if !matches!(self.peek(), Some(b'0'..=b'7')) => {
                return Err(self.problem("backreferences are not supported", start));
            }
            '0'..='7' => {
                let octal = |byte: &u8| matches!(byte, b'0'..=b'7');
                let more = self.rest().bytes().take(2).take_while(octal).count();
                self.pos += more;
                u32::from_str_radix(&self.pattern[start + 1..self.pos], 8).ok()
            }
            'x' => self.hex_digits(),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        value
            .and_then(char::from_u32)
            .ok_or_else(|| self.problem(bad, start))
    }

    fn hex_digits(&mut self) -> Option<u32> {
        let rest = self.rest();
        let (digits, length) = match rest.strip_prefix('{') {
            Some(body) => {
                let end = body.find('}')?;
                (&body[..end], end + 2)
            }
            None => (rest.get(..2)?, 2),
        };
        let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.pos += length;
        all_hex.then(|| u32::from_str_radix(digits, 16).ok())?
    }

    /// `[…]`.
    pub(super) fn class(&mut self) -> Result<(), Problem> {
        let start = self.pos;
        self.eat("[");
        self.eat("^");
        let mut first = true;
        while first || self.peek() != Some(b']') {
            first = false;
            if self.peek().is_none() {
                self.pos = start;
                return Err(self.problem("`[` without `]`", start));
            }
            if self.posix_class()? || self.peek() == Some(b'\\') && self.shared_class()? {
                continue;
            }
            self.class_range()?;
        }
        self.pos += 1;
        Ok(())
    }

    /// `[:alpha:]` inside a class.
    fn posix_class(&mut self) -> Result<bool, Problem> {
        let Some(body) = self.rest().strip_prefix("[:") else {
            return Ok(false);
        };
        let Some(length) = body.find(":]") else {
            return Ok(false);
        };
        let start = self.pos;
        let name = &body[..length];
        self.pos += length + 4;
        if !POSIX.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(self.problem("unknown character class", start));
        }
        Ok(true)
    }

    /// `a` or `a-z` inside a class.
    fn class_range(&mut self) -> Result<(), Problem> {
        let start = self.pos;
        let low = self.class_char()?;
        let rest = self.rest();
        if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
            self.pos += 1;
            if self.class_char()? < low {
                return Err(self.problem("the range runs backwards", start));
            }
        }
        Ok(())
    }

    fn class_char(&mut self) -> Result<char, Problem> {
        if self.peek() == Some(b'\\') {
            return self.escaped_char();
        }
        let start = self.pos;
        self.next_char()
            .ok_or_else(|| self.problem("`[` without `]`", start))
    }
}

/// Go knows general categories and scripts by name, without `=`.
fn known_unicode_class(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty()
        && name.chars().all(word)
        && regex_syntax::parse(&format!("\\p{{{name}}}")).is_ok()
}
