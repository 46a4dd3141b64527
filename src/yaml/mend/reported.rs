//! What was reported once, so that what follows from it is not reported as well.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::yaml::Node;

#[derive(Clone, Debug, Default)]
pub struct Reported {
    /// Where that begins of which a part was reported.
    pub(super) owners: BTreeSet<usize>,
    /// Where plain values begin beside which something was taken out.
    pub(super) beside: BTreeSet<usize>,
    /// Texts in what was taken out: names that nothing has now.
    pub(super) words: BTreeSet<String>,
    /// Fields that were taken out: where their map begins, and their name.
    pub(super) gone: BTreeSet<(usize, String)>,
    /// Texts whose characters were reported.
    pub(super) texts: Vec<Range<usize>>,
    /// Maps that had a field which nothing knows: where they begin, and where that was.
    pub(super) strange: BTreeMap<usize, usize>,
    /// Fields that something stands in for, with the number of what was tried.
    pub(super) stand_ins: BTreeSet<(usize, String, usize)>,
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

    pub(super) fn remember(&mut self, node: &Node<'_>) {
        self.words.extend(node.text().map(str::to_owned));
        node.items().iter().for_each(|item| self.remember(item));
        for (key, value) in node.entries() {
            self.remember(key);
            self.remember(value);
        }
    }
}
