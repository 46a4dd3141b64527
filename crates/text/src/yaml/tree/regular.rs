//! Trees of regular YAML, several times faster than by the reader's events.
//!
//! Rule files of many megabytes are written by programs: block style, plain keys, one-line scalars, `|`
//! blocks; specs add comments and one-line `{…}` and `[…]`. This reader takes just that and gives up on
//! anything else, on every doubt and on every fault; the full reader then decides. A property test holds
//! the two equal.

mod cursor;
mod flow;
mod scalar;

use cursor::{Cursor, Line};

use crate::yaml::node::{Kind, Node, Style};

/// Deeper nesting is left to the full reader.
const MAX_DEPTH: usize = 64;

pub(super) fn documents(text: &str) -> Option<Vec<Node<'_>>> {
    if !scalar::printable(text) {
        return None;
    }
    let mut reader = Reader {
        cursor: Cursor::new(text)?,
        items: Vec::new(),
        entries: Vec::new(),
    };
    let mut documents = Vec::new();
    loop {
        // Only what is certain to hold a document is read here: an empty one has a place of its own.
        let line = reader.cursor.line?;
        let root = reader.block(line.indent, 0)?;
        documents.push(root);
        if reader.cursor.line.is_some() {
            return None;
        }
        if !reader.cursor.next_document()? {
            return Some(documents);
        }
    }
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    /// Items of the lists that are read, and entries of the maps: those of the innermost last.
    items: Vec<Node<'t>>,
    entries: Vec<(Node<'t>, Node<'t>)>,
}

impl<'t> Reader<'t> {
    /// A list or map whose entries are in column `indent`.
    fn block(&mut self, indent: usize, depth: usize) -> Option<Node<'t>> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.cursor.line?.is_item() {
            self.seq(indent, depth)
        } else {
            self.map(indent, depth)
        }
    }

    fn seq(&mut self, indent: usize, depth: usize) -> Option<Node<'t>> {
        let outer = self.items.len();
        while let Some(line) = self.cursor.line {
            if line.indent != indent || !line.is_item() {
                break;
            }
            let inner = line.behind_dash()?;
            self.cursor.line = Some(inner);
            let item = if inner.is_item() || inner.key().is_some() {
                self.block(inner.indent, depth + 1)?
            } else {
                self.scalar(inner, indent)?
            };
            self.items.push(item);
        }
        self.ends(indent)?;
        // A list of its own takes the room that it needs, and no more.
        let items: Vec<_> = self.items.drain(outer..).collect();
        let range = items.first()?.range().start..items.last()?.range().end;
        Some(Node::new(range, Kind::Seq(items)))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Option<Node<'t>> {
        let outer = self.entries.len();
        while let Some(line) = self.cursor.line {
            if line.indent != indent || line.is_item() {
                break;
            }
            let key = line.key()?;
            let name = Node::scalar(line.start..line.start + key.len(), key, Style::Plain);
            let value = match line.behind_key(key) {
                Some(value) => self.scalar(value, indent)?,
                None => self.nested(name.range().end, indent, depth)?,
            };
            self.entries.push((name, value));
        }
        self.ends(indent)?;
        let entries: Vec<_> = self.entries.drain(outer..).collect();
        let (first, last) = (entries.first()?, entries.last()?);
        let range = first.0.range().start..last.1.range().end;
        Some(Node::new(range, Kind::Map(entries)))
    }

    fn nested(&mut self, behind: usize, indent: usize, depth: usize) -> Option<Node<'t>> {
        self.cursor.advance()?;
        match self.cursor.line {
            Some(line) if line.indent > indent => self.block(line.indent, depth + 1),
            Some(line) if line.indent == indent && line.is_item() => self.seq(indent, depth + 1),
            _ => Some(Node::scalar(behind..behind, "", Style::Plain)),
        }
    }

    /// A collection ends where a line is further left, or at a key in its own column.
    fn ends(&self, indent: usize) -> Option<()> {
        match self.cursor.line {
            Some(line) if line.indent > indent => None,
            _ => Some(()),
        }
    }

    /// A scalar that begins at `line`, inside a collection in column `indent`.
    fn scalar(&mut self, line: Line<'t>, indent: usize) -> Option<Node<'t>> {
        let node = match line.text.as_bytes().first()? {
            b'|' | b'>' => scalar::block(&mut self.cursor, line, indent)?,
            b'"' | b'\'' => {
                let node = scalar::quoted(line)?;
                self.cursor.advance()?;
                node
            }
            b'{' | b'[' => {
                let node = flow::collection(line)?;
                self.cursor.advance()?;
                node
            }
            _ => scalar::plain(&mut self.cursor, line, indent)?,
        };
        self.ends(indent)?;
        Some(node)
    }
}
