//! Regular expressions of matchers, compiled once: compiling takes longer than the other checks of a query.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use crate::promql::matcher;

type Pattern = Rc<dyn Fn(&str) -> bool>;

/// Compiled patterns; most queries of a file share a few.
#[derive(Default)]
pub(in crate::lint) struct Patterns(RefCell<HashMap<String, Option<Pattern>>>);

impl Patterns {
    /// The matcher of a pattern; `None` if slosmith cannot compile the pattern.
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
