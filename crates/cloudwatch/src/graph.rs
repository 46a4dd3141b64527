//! Entries that refer to each other by ids, in an alarm or in a widget.
//!
//! Of the metric `m1` and the expressions `e1 = m1 + e2` and `e2 = e1` the last two form a circle.

use std::collections::BTreeMap;

use super::fields::hint;
use super::insights;
use super::math::{self, Expr, Fault, Shape};
use slosmith_promql::with_room;

/// Expressions that refer to each other in a row are followed this far: there are no more in a widget.
const DEEPEST: usize = 500;

/// Ids that one is compared with that there is not.
const COMPARED: usize = 500;

pub(super) struct Graph {
    entries: BTreeMap<usize, Entry>,
    ids: BTreeMap<String, usize>,
    /// True when there may be more entries.
    open: bool,
    judged: Judged,
}

enum Entry {
    Known(Shape),
    Expression(Expr),
}

#[derive(Default)]
pub(super) struct Judged {
    pub(super) shapes: BTreeMap<usize, Shape>,
    /// What is wrong with expressions, each with the index of its entry.
    pub(super) faults: Vec<(usize, Fault)>,
    pub(super) used: Vec<(usize, String)>,
}

impl Graph {
    pub(super) fn new(open: bool) -> Self {
        Self {
            entries: BTreeMap::new(),
            ids: BTreeMap::new(),
            open,
            judged: Judged::default(),
        }
    }

    pub(super) fn metric(&mut self, index: usize, id: Option<&str>) {
        self.add(index, id, Entry::Known(Shape::Series));
    }

    pub(super) fn unknown(&mut self, index: usize, id: Option<&str>) {
        self.add(index, id, Entry::Known(Shape::Unknown));
    }

    pub(super) fn expression(&mut self, index: usize, id: Option<&str>, text: &str) {
        let entry = match insights::is_query(text) {
            true => match insights::read(text) {
                Ok(query) if query.grouped => Entry::Known(Shape::Array),
                Ok(_) => Entry::Known(Shape::Series),
                Err(why) => self.unread(index, &format!("the query is invalid: {why}")),
            },
            // How long it is, is said elsewhere.
            false if text.is_empty() => Entry::Known(Shape::Unknown),
            false => match math::read(text) {
                Ok(expr) => Entry::Expression(expr),
                Err(why) => self.unread(index, &format!("the expression is invalid: {why}")),
            },
        };
        self.add(index, id, entry);
    }

    fn unread(&mut self, index: usize, why: &str) -> Entry {
        self.judged
            .faults
            .push((index, Fault::Other(why.to_owned())));
        Entry::Known(Shape::Unknown)
    }

    fn add(&mut self, index: usize, id: Option<&str>, entry: Entry) {
        self.entries.insert(index, entry);
        if let Some(id) = id {
            self.ids.entry(id.to_owned()).or_insert(index);
        }
    }

    /// Follows all expressions.
    pub(super) fn judged(self) -> Judged {
        let Self {
            entries,
            ids,
            open,
            judged,
        } = self;
        let mut walk = Walk {
            entries: &entries,
            ids: &ids,
            open,
            judged,
            on_the_way: Vec::new(),
        };
        for index in entries.keys() {
            walk.shape(*index);
        }
        walk.judged
    }
}

struct Walk<'g> {
    entries: &'g BTreeMap<usize, Entry>,
    ids: &'g BTreeMap<String, usize>,
    open: bool,
    judged: Judged,
    on_the_way: Vec<usize>,
}

impl Walk<'_> {
    fn shape(&mut self, index: usize) -> Shape {
        if self.on_the_way.len() > DEEPEST {
            return Shape::Unknown;
        }
        if let Some(shape) = self.judged.shapes.get(&index) {
            return *shape;
        }
        let shape = match self.entries.get(&index) {
            Some(Entry::Known(shape)) => *shape,
            Some(Entry::Expression(expr)) => self.expression(index, expr),
            None => Shape::Unknown,
        };
        self.judged.shapes.insert(index, shape);
        shape
    }

    fn expression(&mut self, index: usize, expr: &Expr) -> Shape {
        self.on_the_way.push(index);
        let (mut faults, mut used) = (Vec::new(), Vec::new());
        let mut circle = false;
        let (ids, open) = (self.ids, self.open);
        let mut of = |id: &str| match ids.get(id) {
            Some(other) if self.on_the_way.contains(other) => {
                circle = true;
                Some(Shape::Unknown)
            }
            // An expression of 200 levels may refer to another one, and that to a third.
            Some(other) => Some(with_room(|| self.shape(*other))),
            None if open => Some(Shape::Unknown),
            None => None,
        };
        let shape = math::shape(expr, &mut of, &mut faults, &mut used);
        self.on_the_way.pop();
        if circle {
            let message =
                "the expression refers to itself, directly or through other expressions".to_owned();
            faults.push(Fault::Other(message));
        }
        let faults = faults.into_iter().map(|fault| (index, self.worded(fault)));
        let faults: Vec<_> = faults.collect();
        self.judged.faults.extend(faults);
        self.judged
            .used
            .extend(used.into_iter().map(|name| (index, name)));
        shape
    }

    fn worded(&self, fault: Fault) -> Fault {
        match fault {
            Fault::Id(id) => {
                let known = self.ids.keys().map(String::as_str).take(COMPARED);
                Fault::Id(format!("no entry has the id `{id}`{}", hint(&id, known)))
            }
            other => other,
        }
    }
}
