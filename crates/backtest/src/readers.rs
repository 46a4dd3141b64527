//! What rules are still to read: everything else can be dropped.

use std::collections::BTreeMap;
use std::convert::Infallible;

use slosmith_promql::ast::Expr;
use slosmith_render::target::prometheus::Timed;

use crate::{needs, split};

/// What a rule reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Read {
    Query(String),
    Rule(usize),
}

/// How many rules are still to read something.
pub(crate) struct Readers(BTreeMap<Read, usize>);

impl Readers {
    /// Those of some rules; what is `kept` has one more.
    pub(crate) fn of(rules: &[Timed], order: &[usize], kept: &[usize]) -> Self {
        let mut all = BTreeMap::new();
        for rule in order {
            let expr = &rules[*rule].expr;
            let queries = queries(rules, expr).into_iter().map(Read::Query);
            for read in queries.chain(needs::recorded(rules, expr).into_iter().map(Read::Rule)) {
                *all.entry(read).or_default() += 1;
            }
        }
        for rule in kept {
            *all.entry(Read::Rule(*rule)).or_default() += 1;
        }
        Self(all)
    }

    /// Counts one reader less: true where none is left.
    pub(crate) fn is_last(&mut self, read: &Read) -> bool {
        let left = self.0.get_mut(read).map(|left| {
            *left = left.saturating_sub(1);
            *left
        });
        left == Some(0)
    }
}

/// What a server is sent for an expression, each query once, in the order in which they are needed.
pub(crate) fn queries(rules: &[Timed], expr: &Expr) -> Vec<String> {
    let mut all = Vec::new();
    let mut name = |part: &Expr| -> Result<String, Infallible> {
        let query = part.to_string();
        if !all.contains(&query) {
            all.push(query);
        }
        Ok("any".into())
    };
    let Ok(_) = split::local(rules, expr, &mut name);
    all
}
