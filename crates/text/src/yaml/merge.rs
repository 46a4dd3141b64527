//! One tree over another: maps merge by key, lists by the `id` of their items, everything else replaces, `~` removes.

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
    ///
    /// Of the entries that exclude each other at a path, one that is set replaces the others.
    /// At the paths of maps that `keeps` names, `~` is a value like others.
    pub fn overlay(
        &mut self,
        over: Node<'t>,
        exclusive: Exclusive<'_>,
        keeps: &dyn Fn(&[String]) -> bool,
    ) -> Vec<Range<usize>> {
        let mut overlay = Overlay {
            exclusive,
            keeps,
            path: Vec::new(),
            idle: Vec::new(),
        };
        overlay.lay(self, over);
        overlay.idle
    }
}

/// The words that an entry excludes, by the path of its map; items of lists have the name `*`.
pub(super) type Exclusive<'a> = &'a dyn Fn(&[String], &str) -> Vec<&'static str>;

struct Overlay<'a> {
    exclusive: Exclusive<'a>,
    keeps: &'a dyn Fn(&[String]) -> bool,
    path: Vec<String>,
    idle: Vec<Range<usize>>,
}

impl Overlay<'_> {
    fn lay<'t>(&mut self, base: &mut Node<'t>, over: Node<'t>) {
        let range = over.range();
        let by_id = shares_ids(base, &over);
        match (&mut base.kind, over.kind) {
            (Kind::Map(entries), Kind::Map(changes)) => {
                // What is said now is where it is said.
                base.start = u32::try_from(range.start).unwrap_or(u32::MAX);
                base.end = u32::try_from(range.end).unwrap_or(u32::MAX);
                self.entries(entries, changes);
            }
            (Kind::Seq(items), Kind::Seq(changes)) if by_id => {
                self.path.push("*".to_owned());
                for change in changes {
                    let same = |item: &&mut Node<'t>| id(item) == id(&change);
                    match items.iter_mut().find(same) {
                        Some(item) => self.lay(item, change),
                        None => items.push(change),
                    }
                }
                self.path.pop();
            }
            (_, kind) => *base = Node::new(range, kind),
        }
    }

    fn entries<'t>(
        &mut self,
        entries: &mut Vec<(Node<'t>, Node<'t>)>,
        changes: Vec<(Node<'t>, Node<'t>)>,
    ) {
        let mut known = BTreeSet::new();
        let keeps = (self.keeps)(&self.path);
        let removes = |value: &Node<'t>| !keeps && removes(value);
        for (key, value) in &changes {
            let word = key.text().filter(|_| !removes(value)).unwrap_or_default();
            let others = (self.exclusive)(&self.path, word);
            entries.retain(|(key, _)| !key.text().is_some_and(|other| others.contains(&other)));
        }
        for (key, value) in changes {
            let again = !known.insert(key.text().map(str::to_owned));
            let found = entries.iter().position(|(k, _)| k.text() == key.text());
            match found.filter(|_| !again) {
                Some(found) if removes(&value) => drop(entries.remove(found)),
                Some(found) => {
                    let entry = &mut entries[found];
                    self.path.push(key.text().unwrap_or_default().to_owned());
                    entry.0 = key;
                    self.lay(&mut entry.1, value);
                    self.path.pop();
                }
                None if removes(&value) => self.idle.push(key.range()),
                // The reader of the tree reports a key that appears twice.
                None => entries.push((key, value)),
            }
        }
    }
}

/// The `id` of an item.
fn id<'n>(item: &'n Node<'_>) -> Option<&'n str> {
    item.get("id").and_then(Node::text)
}

/// True for two lists whose items have ids, at least one of them in both.
fn shares_ids(base: &Node<'_>, over: &Node<'_>) -> bool {
    let known: BTreeSet<_> = base.items().iter().filter_map(id).collect();
    let items = over.items();
    let all = items.iter().all(|item| id(item).is_some());
    all && items.iter().filter_map(id).any(|id| known.contains(id))
}

/// True for `~` and `null`, not for a value that was left out.
pub fn removes(node: &Node<'_>) -> bool {
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

    fn exclusive(path: &[String], word: &str) -> Vec<&'static str> {
        match (path, word) {
            ([a], "bad") if a == "a" => vec!["good"],
            _ => Vec::new(),
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
            (
                "[{id: a, x: 1}, {id: b}]",
                "[{id: c}, {id: a, y: 2}]",
                "[{id: a, x: 1, y: 2}, {id: b}, {id: c}]",
            ),
            ("[{id: a}, {x: 1}]", "[{id: b}]", "[{id: b}]"),
            ("[{id: a}]", "[{id: a}, {x: 1}]", "[{id: a}, {x: 1}]"),
            ("a: {good: 1, c: 2}", "a: {bad: 3}", "{a: {c: 2, bad: 3}}"),
            ("b: {good: 1}", "b: {bad: 3}", "{b: {good: 1, bad: 3}}"),
        ] {
            let mut tree = document(FileId(0), base).expect(base);
            let idle = tree.overlay(document(FileId(0), over).expect(over), &exclusive, &|_| {
                false
            });
            assert_eq!(shown(&tree), wanted, "{base} {over}");
            assert!(idle.is_empty());
        }
        let mut tree = document(FileId(0), "a: 1").expect("YAML");
        let over = document(FileId(0), "{b: ~}").expect("YAML");
        assert_eq!(
            tree.overlay(over.clone(), &exclusive, &|_| false),
            vec![1..2]
        );
        assert!(tree.overlay(over, &exclusive, &|_| true).is_empty());
        assert_eq!(shown(&tree), "{a: 1, b: ~}");
    }
}
