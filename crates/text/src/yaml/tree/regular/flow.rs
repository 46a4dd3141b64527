//! Collections in flow style that end on their line: `{a: b, c: [d, "e"]}`.

use super::cursor::{Line, only_comment, word};
use super::scalar::until_quote;
use crate::yaml::node::{Kind, Node, Style};

/// Deeper nesting is left to the full reader.
const MAX_DEPTH: usize = 16;

/// The collection that a line is, but for a comment behind it.
pub(super) fn collection(line: Line<'_>) -> Option<Node<'_>> {
    let mut flow = Flow { line, at: 0 };
    let node = flow.value(0)?;
    only_comment(flow.rest()).then_some(node)
}

struct Flow<'t> {
    line: Line<'t>,
    at: usize,
}

impl<'t> Flow<'t> {
    fn rest(&self) -> &'t str {
        &self.line.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn skip_blanks(&mut self) {
        while self.eat(b' ') {}
    }

    fn value(&mut self, depth: usize) -> Option<Node<'t>> {
        let start = self.line.start + self.at;
        let kind = match self.peek()? {
            _ if depth > MAX_DEPTH => return None,
            b'{' => Kind::Map(self.entries(b'}', |flow| flow.entry(depth))?),
            b'[' => Kind::Seq(self.entries(b']', |flow| flow.value(depth + 1))?),
            quote @ (b'"' | b'\'') => return self.quoted(quote),
            _ => return self.plain(),
        };
        Some(Node::new(start..self.line.start + self.at, kind))
    }

    /// What is between brackets, with a comma between each two.
    fn entries<T>(
        &mut self,
        close: u8,
        mut entry: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.at += 1;
        self.skip_blanks();
        let mut entries = Vec::new();
        if self.eat(close) {
            return Some(entries);
        }
        loop {
            entries.push(entry(self)?);
            self.skip_blanks();
            if self.eat(close) {
                return Some(entries);
            }
            if !self.eat(b',') {
                return None;
            }
            self.skip_blanks();
        }
    }

    fn entry(&mut self, depth: usize) -> Option<(Node<'t>, Node<'t>)> {
        let key = word(self.rest())?;
        let key = self.scalar(key.len(), key, Style::PlainInFlow);
        if !self.rest().starts_with(": ") {
            return None;
        }
        self.at += 1;
        self.skip_blanks();
        Some((key, self.value(depth + 1)?))
    }

    fn quoted(&mut self, quote: u8) -> Option<Node<'t>> {
        let (inner, style) = until_quote(self.rest(), quote)?;
        Some(self.scalar(inner.len() + 2, inner, style))
    }

    /// A plain scalar up to what ends it. Signs that mean something at its start are left to the full reader.
    fn plain(&mut self) -> Option<Node<'t>> {
        let bytes = self.rest().as_bytes();
        if !bytes[0].is_ascii_alphanumeric() && !matches!(bytes[0], b'_' | b'/' | b'$') {
            return None;
        }
        let end = |b: &u8| matches!(b, b',' | b'[' | b']' | b'{' | b'}');
        let len = bytes.iter().position(end)?;
        let value = self.rest()[..len].trim_end_matches(' ');
        if value.contains(": ") || value.contains(" #") || value.ends_with(':') {
            return None;
        }
        Some(self.scalar(value.len(), value, Style::PlainInFlow))
    }

    fn scalar(&mut self, len: usize, value: &'t str, style: Style) -> Node<'t> {
        let start = self.line.start + self.at;
        self.at += len;
        Node::scalar(start..start + len, value, style)
    }
}
