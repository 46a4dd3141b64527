//! Alternatives to a missing series in the same query: the other sides of each `or` around the series, and the other names
//! of its selector.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Series;
use crate::catalog::ReleaseId;
use crate::lint::subject::Known;
use crate::promql::ast::{BinaryOp, ExprKind, TextSpan};
use crate::promql::usage::Holder;

#[derive(Clone, Debug, Default)]
pub(super) struct Others {
    pub(super) any: bool,
    pub(super) alive: bool,
    releases: BTreeSet<ReleaseId>,
}

impl Others {
    pub(super) fn serve(&self, id: ReleaseId) -> bool {
        self.releases.contains(&id)
    }

    fn add(&mut self, other: &Self) {
        self.any |= other.any;
        self.alive |= other.alive;
        self.releases.extend(&other.releases);
    }

    fn add_series(&mut self, series: &Series<'_, '_>) {
        self.any = true;
        let served = series.subject.served();
        self.alive |= served.is_some_and(Known::is_alive);
        let present = served.iter().flat_map(|known| &known.present);
        self.releases.extend(present);
    }
}

/// The left and the right side of an operation; other expressions have only a left side.
type Sides = [Others; 2];

/// The alternatives to all series of a query, computed at once: in a long `or`, each series has all others.
#[derive(Debug)]
pub(super) struct Replacements {
    around: Vec<Sides>,
    alternatives: Vec<(usize, Others)>,
}

impl Replacements {
    pub(super) fn of(series: &[Series<'_, '_>]) -> Self {
        Self {
            around: around(series),
            alternatives: alternatives(series),
        }
    }

    pub(super) fn around(&self, series: &Series<'_, '_>) -> Option<&Others> {
        let context = &series.context;
        let holder = context.holder()?;
        let side = side(context.holders().get(holder)?, &context.span);
        Some(&self.around.get(holder)?[side])
    }

    pub(super) fn alternatives(&self, first: usize) -> Option<&Others> {
        let found = self.alternatives.binary_search_by_key(&first, |of| of.0);
        found.ok().map(|at| &self.alternatives[at].1)
    }
}

fn around(series: &[Series<'_, '_>]) -> Vec<Sides> {
    let holders = series.first().map_or(&[][..], |s| s.context.holders());
    let mut inside = vec![Sides::default(); holders.len()];
    for s in series {
        if let Some(at) = s.context.holder() {
            inside[at][side(&holders[at], &s.context.span)].add_series(s);
        }
    }
    // Holders come after the holder around them: first from the inside out, then back.
    for (at, holder) in holders.iter().enumerate().rev() {
        if let Some(outer) = holder.outer {
            let [mut all, right] = inside[at].clone();
            all.add(&right);
            inside[outer][side(&holders[outer], &holder.expr.span)].add(&all);
        }
    }
    let mut around: Vec<Sides> = Vec::with_capacity(holders.len());
    for (holder, [left, right]) in holders.iter().zip(&inside) {
        let outer = holder.outer.map(|outer| {
            let side = side(&holders[outer], &holder.expr.span);
            around[outer][side].clone()
        });
        let mut sides = outer.map_or_else(Sides::default, |outer| [outer.clone(), outer]);
        if is_or(holder) {
            sides[0].add(right);
            sides[1].add(left);
        }
        around.push(sides);
    }
    around
}

fn is_or(holder: &Holder<'_>) -> bool {
    matches!(&holder.expr.kind, ExprKind::Binary(binary) if binary.op == BinaryOp::Or)
}

fn side(holder: &Holder<'_>, part: &TextSpan) -> usize {
    match &holder.expr.kind {
        ExprKind::Binary(binary) => usize::from(part.start >= binary.rhs.span.start),
        _ => 0,
    }
}

fn alternatives(series: &[Series<'_, '_>]) -> Vec<(usize, Others)> {
    let mut found = Vec::new();
    let mut first = 0;
    for selector in series.chunk_by(|a, b| Rc::ptr_eq(&a.context, &b.context)) {
        if selector.iter().any(|s| s.name != selector[0].name) {
            let mut all = Others::default();
            selector.iter().for_each(|s| all.add_series(s));
            found.push((first, all));
        }
        first += selector.len();
    }
    found
}
