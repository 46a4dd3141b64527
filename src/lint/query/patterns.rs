//! Regular expressions of matchers: to compile one takes longer than all else that is asked of a query.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use crate::promql::matcher;

/// Says whether a value matches.
type Pattern = Rc<dyn Fn(&str) -> bool>;

/// Patterns that were compiled already; nearly all queries of a file share a few.
#[derive(Default)]
pub(in crate::lint) struct Patterns(RefCell<HashMap<String, Option<Pattern>>>);

impl Patterns {
    /// What a pattern matches; `None` when only Prometheus itself can say.
    pub(super) fn get(&self, pattern: &str) -> Option<Pattern> {
        let mut seen = self.0.borrow_mut();
        if let Some(known) = seen.get(pattern) {
            return known.clone();
        }
        let found = matcher(pattern).map(|matches| Rc::new(matches) as Pattern);
        seen.insert(pattern.to_owned(), found.clone());
        found
    }
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Patterns")
    }
}
