//! Groups: `(…)`, `(?:…)`, `(?P<name>…)`, `(?i)`.

use super::{DEEPEST, Part, Problem, Scanner};

impl Scanner<'_> {
    pub(super) fn group(&mut self) -> Result<Option<Part>, Problem> {
        let start = self.pos;
        self.eat("(");
        if self.eat("?") && !self.opening(start)? {
            return Ok(None);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.problem("groups nest too deeply", start));
        }
        let inner = self.alternation()?;
        self.depth -= 1;
        if !self.eat(")") {
            self.pos = start;
            return Err(self.problem("`(` without `)`", start));
        }
        Ok(Some(inner))
    }

    /// What follows `(?`; false if it was a change of flags, without a group.
    fn opening(&mut self, start: usize) -> Result<bool, Problem> {
        for around in ["=", "!", "<=", "<!"] {
            if self.eat(around) {
                return Err(self.problem("look-around is not supported", start));
            }
        }
        if self.eat("P<") || self.eat("<") {
            return self.group_name(start).map(|()| true);
        }
        let mut negated = false;
        let mut flags = 0;
        loop {
            match self.next_char() {
                Some('i' | 'm' | 's' | 'U') => flags += 1,
                Some('-') if !negated => {
                    negated = true;
                    flags = 0;
                }
                Some(end @ (':' | ')')) if !negated || flags > 0 => return Ok(end == ':'),
                _ => return Err(self.problem("unknown group flags", start)),
            }
        }
    }

    fn group_name(&mut self, start: usize) -> Result<(), Problem> {
        let rest = self.rest();
        let name = rest.find('>').map(|end| &rest[..end]).unwrap_or_default();
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(word) {
            return Err(self.problem("bad group name", start));
        }
        self.pos += name.len() + 1;
        Ok(())
    }
}
