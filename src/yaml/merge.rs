//! One tree over another: maps merge by key, everything else replaces, `~` removes.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Kind, Node, Style};

impl<'t> Node<'t> {
    /// The same tree in a text that has `by` bytes in front of it.
    pub fn shift(&mut self, by: usize) {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        self.start = self.start.saturating_add(by);
        self.end = self.end.saturating_add(by);
        match &mut self.kind {
            Kind::Scalar(_) => {}
            Kind::Seq(items) => items.iter_mut().for_each(|item| item.shift_by(by)),
            Kind::Map(entries) => entries.iter_mut().for_each(|(key, value)| {
                key.shift_by(by);
                value.shift_by(by);
            }),
        }
    }

    fn shift_by(&mut self, by: u32) {
        self.shift(by as usize);
    }

    pub fn leave_out(&mut self, is_out: impl Fn(&str) -> bool) {
        if let Kind::Map(entries) = &mut self.kind {
            entries.retain(|(key, _)| !key.text().is_some_and(&is_out));
        }
    }

    /// Lays `over` upon this tree; returns the keys of what it removes, but is not there.
    pub fn overlay(&mut self, over: Node<'t>) -> Vec<Range<usize>> {
        let mut idle = Vec::new();
        lay(self, over, &mut idle);
        idle
    }
}

fn lay<'t>(base: &mut Node<'t>, over: Node<'t>, idle: &mut Vec<Range<usize>>) {
    let range = over.range();
    match (&mut base.kind, over.kind) {
        (Kind::Map(entries), Kind::Map(changes)) => {
            // What is said now is where it is said.
            base.start = u32::try_from(range.start).unwrap_or(u32::MAX);
            base.end = u32::try_from(range.end).unwrap_or(u32::MAX);
            let mut known = BTreeSet::new();
            for (key, value) in changes {
                let again = !known.insert(key.text().map(str::to_owned));
                let found = entries.iter().position(|(k, _)| k.text() == key.text());
                match found.filter(|_| !again) {
                    Some(found) if removes(&value) => drop(entries.remove(found)),
                    Some(found) => {
                        let entry = &mut entries[found];
                        entry.0 = key;
                        lay(&mut entry.1, value, idle);
                    }
                    None if removes(&value) => idle.push(key.range()),
                    // The reader of the tree reports a key that appears twice.
                    None => entries.push((key, value)),
                }
            }
        }
        (_, kind) => *base = Node::new(range, kind),
    }
}

/// True for `~` and `null`, not for a value that was left out.
fn removes(node: &Node<'_>) -> bool {
    match &node.kind {
        Kind::Scalar(scalar) if matches!(scalar.style, Style::Plain | Style::PlainInFlow) => {
            scalar.is_null() && !scalar.value.is_empty()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;
    use crate::yaml::document;

    fn shown(node: &Node<'_>) -> String {
        match &node.kind {
            Kind::Scalar(scalar) => scalar.value.clone().into_owned(),
            Kind::Seq(items) => {
                let items: Vec<_> = items.iter().map(shown).collect();
                format!("[{}]", items.join(", "))
            }
            Kind::Map(entries) => {
                let entries = entries.iter();
                let entries: Vec<_> = entries
                    .map(|(key, value)| format!("{}: {}", shown(key), shown(value)))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
        }
    }

    #[test]
    fn maps_merge_and_all_else_replaces() {
        for (base, over, wanted) in [
            ("a: 1\nb: 2", "b: 3\nc: 4", "{a: 1, b: 3, c: 4}"),
            ("a: {b: 1, c: 2}", "a: {c: 3}", "{a: {b: 1, c: 3}}"),
            ("a: [1, 2]", "a: [3]", "{a: [3]}"),
            ("a: {b: 1}", "a: x", "{a: x}"),
            ("a: x", "a: {b: 1}", "{a: {b: 1}}"),
            ("a: {b: 1, c: 2}", "a: {b: ~}", "{a: {c: 2}}"),
            ("a: 1\nb: 2", "b: null", "{a: 1}"),
            ("a: 1", "a: \"~\"", "{a: ~}"),
            ("a: 1", "a:", "{a: }"),
            ("a: 1", "a: 2\na: 3", "{a: 2, a: 3}"),
        ] {
            let mut tree = document(FileId(0), base).expect(base);
            let idle = tree.overlay(document(FileId(0), over).expect(over));
            assert_eq!(shown(&tree), wanted, "{base} {over}");
            assert!(idle.is_empty());
        }
        let mut tree = document(FileId(0), "a: 1").expect("YAML");
        let over = document(FileId(0), "{b: ~}").expect("YAML");
        assert_eq!(tree.overlay(over), vec![1..2]);
    }
}
