//! A tree with faults, repaired so that the rest of it can be read and checked.
//!
//! A misspelt key becomes the one that was meant, a value that cannot be read is taken out, and something stands in for
//! what is missing. What is reported once is remembered, so that what follows from it is not reported as well.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::fault::{Fault, Place, Wrong};
use super::{Kind, Node, Style};

/// What stands in for a missing value: whatever is a text, a time or a number.
const STAND_INS: [&str; 3] = ["stand-in", "30d", "1"];

#[derive(Debug)]
pub struct Draft<'t> {
    root: Node<'t>,
    reported: Reported,
}

#[derive(Debug)]
pub enum Mended {
    New,
    Known,
    /// It says more of the unknown field at a place.
    Of(usize),
    Instead(Box<Fault>),
}

/// What was reported once, so that what follows from it is not reported as well.
#[derive(Clone, Debug, Default)]
pub struct Reported {
    /// Where that begins of which a part was reported.
    owners: BTreeSet<usize>,
    /// Where plain values begin beside which something was taken out.
    beside: BTreeSet<usize>,
    /// Texts in what was taken out: names that nothing has now.
    words: BTreeSet<String>,
    /// Fields that were taken out: where their map begins, and their name.
    gone: BTreeSet<(usize, String)>,
    /// Texts whose characters were reported.
    texts: Vec<Range<usize>>,
    /// Maps that had a field which nothing knows: where they begin, and where that was.
    strange: BTreeMap<usize, usize>,
    /// Fields that something stands in for, with the number of what was tried.
    stand_ins: BTreeSet<(usize, String, usize)>,
}

impl Reported {
    pub fn is_owner(&self, at: usize) -> bool {
        self.owners.contains(&at)
    }

    pub fn is_in_text(&self, at: usize) -> bool {
        self.texts.iter().any(|text| text.contains(&at))
    }

    /// True when something was taken out beside the value that begins at a place.
    pub fn is_beside(&self, at: usize) -> bool {
        self.beside.contains(&at)
    }

    pub fn is_gone(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    fn remember(&mut self, node: &Node<'_>) {
        self.words.extend(node.text().map(str::to_owned));
        node.items().iter().for_each(|item| self.remember(item));
        for (key, value) in node.entries() {
            self.remember(key);
            self.remember(value);
        }
    }
}

impl<'t> Draft<'t> {
    pub fn new(root: Node<'t>, texts: Vec<Range<usize>>) -> Self {
        let reported = Reported {
            texts,
            ..Reported::default()
        };
        Self { root, reported }
    }

    pub fn root(&self) -> &Node<'t> {
        &self.root
    }

    pub fn reported(&self) -> &Reported {
        &self.reported
    }

    pub fn mend(&mut self, fault: &Fault) -> Option<Mended> {
        let place = fault.place.as_ref()?;
        let node = at(&mut self.root, &fault.path)?;
        if let Wrong::Twice(_, first) = &fault.wrong
            && let Some((empty, place)) = lost(node, first.start)
            && self.indent(&fault.path, empty, None, true)
        {
            return Some(Mended::Instead(Box::new(place)));
        }
        let node = at(&mut self.root, &fault.path)?;
        if let Some(entry) = place.entry {
            let key = node.entries().get(entry)?.0.text().unwrap_or_default();
            if self
                .reported
                .gone
                .contains(&(node.range().start, key.to_owned()))
            {
                remove(node, entry);
                return Some(Mended::Known);
            }
            let map = node.range().start;
            match fault.meant().filter(|meant| node.get(meant).is_none()) {
                Some(meant) => rename(node, entry, meant),
                None if self.move_out(fault, entry) => return Some(Mended::New),
                None => self.take_out(&fault.path, entry),
            }
            if let Some(field) = fault.glued() {
                self.reported.gone.insert((map, field.to_owned()));
            } else if matches!(fault.wrong, Wrong::UnknownField(..)) && fault.meant().is_none() {
                self.reported.strange.insert(map, place.bytes.start);
            }
            return Some(Mended::New);
        }
        if let Wrong::MissingField(field) = fault.wrong {
            return self.missing(&fault.path, field, place.bytes.start);
        }
        let (&last, path) = fault.path.split_last()?;
        if let Some((map, field)) = self.stood_in(path, last) {
            self.stand_in_better(path, last, map, field, &fault.wrong)?;
            return Some(Mended::Known);
        }
        if let Wrong::Kind {
            wanted: "a mapping",
            found: "nothing",
        } = fault.wrong
            && self.indent(path, last, fault.fields.as_deref(), false)
        {
            return Some(Mended::New);
        }
        let value = at(&mut self.root, &fault.path)?.range().start;
        let known = matches!(fault.wrong, Wrong::Value(_)) && self.reported.owners.contains(&value);
        self.take_out(path, last);
        Some(if known { Mended::Known } else { Mended::New })
    }

    /// Puts below an entry what stands behind it but cannot be its sibling, or only the `plain` texts of that; false
    /// when nothing does.
    fn indent(
        &mut self,
        path: &[usize],
        last: usize,
        fields: Option<&[&str]>,
        plain: bool,
    ) -> bool {
        let Some(Node {
            kind: Kind::Map(entries),
            ..
        }) = at(&mut self.root, path)
        else {
            return false;
        };
        let fits = |(key, value): &(Node<'_>, Node<'_>)| {
            let known = fields.is_some_and(|f| key.text().is_some_and(|key| f.contains(&key)));
            match known || plain {
                true => value.text().is_some(),
                false => !value.is_null(),
            }
        };
        let behind = &entries[last + 1..];
        let count = behind.iter().take_while(|entry| fits(entry)).count();
        let first = behind.first().and_then(|(_, value)| value.text());
        if first.is_none() || count == 0 {
            return false;
        }
        let below: Vec<_> = entries.drain(last + 1..=last + count).collect();
        let (start, end) = (below[0].0.range().start, below[count - 1].1.range().end);
        entries[last].1 = Node::new(start..end, Kind::Map(below));
        true
    }

    /// Moves a field into the map around it that knows it, unless that has one already.
    fn move_out(&mut self, fault: &Fault, entry: usize) -> bool {
        let to = fault.beside.as_ref().map(|beside| beside.up);
        let Some(to) = to.and_then(|up| fault.path.len().checked_sub(up)) else {
            return false;
        };
        let Some(map) = at(&mut self.root, &fault.path) else {
            return false;
        };
        let name = map.entries().get(entry).and_then(|(key, _)| key.text());
        let name = name.unwrap_or_default().to_owned();
        let free = |around: &mut Node<'_>| around.is_map() && around.get(&name).is_none();
        if !at(&mut self.root, &fault.path[..to]).is_some_and(free) {
            return false;
        }
        let moved = at(&mut self.root, &fault.path).and_then(|map| remove(map, entry));
        let around = at(&mut self.root, &fault.path[..to]);
        let (Some((Some(key), value)), Some(around)) = (moved, around) else {
            return false;
        };
        if let Kind::Map(entries) = &mut around.kind {
            entries.push((key, value));
        }
        true
    }

    pub fn take_out_at(&mut self, offset: usize) -> bool {
        let path = path_to(&self.root, offset);
        let Some((&last, path)) = path.split_last() else {
            return false;
        };
        self.take_out(path, last);
        true
    }

    fn missing(&mut self, path: &[usize], field: &str, owner: usize) -> Option<Mended> {
        let node = at(&mut self.root, path)?;
        let map = node.range().start;
        let known = self.reported.gone.contains(&(map, field.to_owned())) || node.is_stand_in();
        let mended = match self.reported.strange.get(&map) {
            _ if known => Mended::Known,
            Some(at) => Mended::Of(*at),
            None => Mended::New,
        };
        if !self.reported.stand_ins.insert((map, field.to_owned(), 0)) {
            let (&last, path) = path.split_last()?;
            self.take_out(path, last);
            return Some(mended);
        }
        self.reported.owners.extend([owner, map]);
        let Kind::Map(entries) = &mut node.kind else {
            return None;
        };
        let place = owner..owner;
        let text = |text: &str| Node::scalar(place.clone(), text.to_owned(), Style::Plain);
        entries.push((text(field), text(STAND_INS[0])));
        Some(mended)
    }

    /// The map and the field that entry `last` of a node stands in for.
    fn stood_in(&mut self, path: &[usize], last: usize) -> Option<(usize, String)> {
        let node = at(&mut self.root, path)?;
        let (key, value) = node.entries().get(last)?;
        let field = (node.range().start, key.text()?.to_owned());
        (key.range() == value.range() && key.is_stand_in()).then_some(field)
    }

    /// Something else stands in, or the map goes.
    fn stand_in_better(
        &mut self,
        path: &[usize],
        last: usize,
        map: usize,
        field: String,
        wrong: &Wrong,
    ) -> Option<()> {
        let tried = (0..).find(|n| !self.reported.stand_ins.contains(&(map, field.clone(), *n)))?;
        let node = at(&mut self.root, path)?;
        let Kind::Map(entries) = &mut node.kind else {
            return None;
        };
        let value = &mut entries.get_mut(last)?.1;
        let next = match wrong {
            Wrong::Kind {
                wanted: "a mapping",
                ..
            } if !value.is_map() => Kind::Map(Vec::new()),
            Wrong::Kind {
                wanted: "a list", ..
            } if !value.is_seq() => Kind::Seq(Vec::new()),
            _ if tried < STAND_INS.len() => Node::scalar(0..0, STAND_INS[tried], Style::Plain).kind,
            _ => {
                let (&last, path) = path.split_last()?;
                self.take_out(path, last);
                return Some(());
            }
        };
        value.kind = next;
        self.reported.stand_ins.insert((map, field, tried));
        Some(())
    }

    fn take_out(&mut self, path: &[usize], index: usize) {
        let owner = key_of(&self.root, path);
        let Some(node) = at(&mut self.root, path) else {
            return;
        };
        self.reported.owners.insert(node.range().start);
        self.reported.owners.extend(owner.map(|key| key.start));
        let Some((key, value)) = remove(node, index) else {
            return;
        };
        if let Some(name) = key.as_ref().and_then(Node::text) {
            self.reported
                .gone
                .insert((node.range().start, name.to_owned()));
        }
        let plain = node.entries().iter().map(|(_, value)| value);
        let plain = plain.filter(|value| value.text().is_some());
        self.reported
            .beside
            .extend(plain.map(|value| value.range().start));
        key.iter()
            .chain([&value])
            .for_each(|node| self.reported.remember(node));
    }
}

impl Node<'_> {
    fn is_stand_in(&self) -> bool {
        self.start == self.end && !self.is_null()
    }
}

fn lost(map: &Node<'_>, first: usize) -> Option<(usize, Fault)> {
    let entries = map.entries();
    let first = entries
        .iter()
        .position(|(key, _)| key.range().start == first)?;
    let before = entries[..first]
        .iter()
        .rposition(|(_, value)| value.text().is_none())?;
    let (key, value) = &entries[before];
    if !value.is_null() || entries[first].1.text().is_none() {
        return None;
    }
    let fault = Fault::from(Wrong::Kind {
        wanted: "a mapping",
        found: "nothing",
    });
    let place = Place {
        bytes: value.range(),
        value: value.range(),
        owner: Some(key.range()),
        entry: None,
        alone: false,
    };
    Some((before, fault.at(|| place)))
}

fn rename(map: &mut Node<'_>, entry: usize, name: &'static str) {
    if let Kind::Map(entries) = &mut map.kind {
        let key = &mut entries[entry].0;
        *key = Node::scalar(key.range(), name, Style::Plain);
    }
}

fn remove<'t>(node: &mut Node<'t>, index: usize) -> Option<(Option<Node<'t>>, Node<'t>)> {
    match &mut node.kind {
        Kind::Map(entries) if index < entries.len() => {
            let (key, value) = entries.remove(index);
            Some((Some(key), value))
        }
        Kind::Seq(items) if index < items.len() => Some((None, items.remove(index))),
        _ => None,
    }
}

/// The node at the end of a way: the index of an entry or item at each level.
fn at<'n, 't>(root: &'n mut Node<'t>, path: &[usize]) -> Option<&'n mut Node<'t>> {
    path.iter()
        .try_fold(root, |node, &index| match &mut node.kind {
            Kind::Seq(items) => items.get_mut(index),
            Kind::Map(entries) => entries.get_mut(index).map(|(_, value)| value),
            Kind::Scalar(_) => None,
        })
}

fn key_of(root: &Node<'_>, path: &[usize]) -> Option<Range<usize>> {
    let (&last, path) = path.split_last()?;
    let parent = path.iter().try_fold(root, |node, &index| {
        node.items()
            .get(index)
            .or_else(|| node.entries().get(index).map(|(_, value)| value))
    })?;
    parent.entries().get(last).map(|(key, _)| key.range())
}

/// The way to the smallest entry or item that holds a byte.
fn path_to(root: &Node<'_>, offset: usize) -> Vec<usize> {
    let mut path = Vec::new();
    let mut node = root;
    loop {
        let holds =
            |node: &Node<'_>| node.range().contains(&offset) || node.range().start == offset;
        let item = node.items().iter().position(holds);
        let entry = node.entries().iter().position(|(key, value)| {
            (key.range().start..key.end.max(value.end) as usize).contains(&offset)
        });
        let Some(index) = item.or(entry) else {
            return path;
        };
        path.push(index);
        node = match &node.kind {
            Kind::Seq(items) => &items[index],
            Kind::Map(entries) if !holds(&entries[index].0) => &entries[index].1,
            Kind::Map(_) | Kind::Scalar(_) => return path,
        };
    }
}
