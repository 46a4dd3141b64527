//! One query, with everything that rules need.

mod labels;
mod series;

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use super::live::{Refused, Server, Vector};
use super::scope::Scope;
use super::subject::{Dead, Known, Subject};
use crate::artifact::{Alert, Artifact, Dashboard, Language, Panel, Query, Record, Role, Target};
pub(super) use labels::{lacks, may_have, meant, slip};
pub use series::Series;
pub(super) use series::{Names, series};
use slosmith_promql::ast::{BinaryOp, Expr, ExprKind, Matcher, Selector, TextSpan};
use slosmith_promql::labels::{Flow, Leaf, Presence, label_flow};
use slosmith_promql::rewrite::{Edit, apply, replace_node};
use slosmith_promql::usage::{Comparison, comparison, is_call};
use slosmith_promql::{Dialect, Kept, kept_labels, matches, visit};
use slosmith_text::diag;
use slosmith_text::diag::{Applicability, Fix};
use slosmith_text::source::Span;

#[derive(Clone, Copy, Debug)]
pub struct QueryCx<'q, 'c> {
    pub scope: &'c Scope<'c>,
    pub artifact: &'q Artifact,
    pub file_text: &'q str,
    pub query: &'q Query,
    pub site: Site<'q>,
    pub expr: &'q Expr,
    /// Every metric name that it selects, left to right.
    pub series: &'q [Series<'q, 'c>],
    pub(super) memo: &'q Memo<'q>,
    pub(super) rule: &'static str,
    /// Checks the query after a fix; without it, no fix is made.
    pub(super) review: Option<Review<'q>>,
}

/// The limit of bytes that are parsed again for the fixes of one query. Each fix parses the whole query: without a limit,
/// a long query with many fixes would take too long.
const FIXING: usize = 512 << 10;

/// Cached facts about a query, and the remaining budget for fixes.
#[derive(Debug)]
pub(super) struct Memo<'p> {
    expressions: Vec<&'p Expr>,
    comparisons: OnceCell<Vec<Comparison<'p>>>,
    left: Cell<usize>,
}

impl<'p> Memo<'p> {
    pub(super) fn new(expressions: Vec<&'p Expr>) -> Self {
        Self {
            expressions,
            comparisons: OnceCell::new(),
            left: Cell::new(FIXING),
        }
    }

    /// True if the budget is not spent; subtracts the work of one more fix from it.
    fn may_fix(&self, length: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(length));
        left > 0
    }
}

#[derive(Clone, Copy)]
pub(super) struct Review<'q>(pub(super) &'q dyn Fn(&str, &str) -> bool);

impl std::fmt::Debug for Review<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Review")
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Site<'q> {
    Alert(&'q Alert),
    Record(&'q Record),
    Panel(&'q Dashboard, &'q Panel, &'q Target),
    Other,
}

impl<'q, 'c> QueryCx<'q, 'c> {
    pub fn span(&self, text: &TextSpan) -> Span {
        self.query.map.span(text.clone())
    }

    pub fn text(&self, text: &TextSpan) -> &'q str {
        self.query.text.get(text.clone()).unwrap_or_default()
    }

    pub fn dialect(&self) -> Dialect {
        self.query.dialect
    }

    pub fn alert(&self) -> Option<&'q Alert> {
        match self.site {
            Site::Alert(alert) => Some(alert),
            Site::Record(_) | Site::Panel(..) | Site::Other => None,
        }
    }

    /// The server that may be asked about this query.
    pub fn live(&self) -> Option<&'c dyn Server> {
        let live = self.scope.live()?;
        (self.is_evaluated() && self.query.language == Language::PromQl).then_some(live.0)
    }

    /// The result of the query on that server now; `None` if the query has variables, or is part of another one.
    pub fn result(&self) -> Option<Result<Vector, Refused>> {
        let live = self.live()?;
        let is_whole = matches!(
            self.site,
            Site::Alert(_) | Site::Record(_) | Site::Panel(..)
        );
        let has_variable = visit::placeholders(self.expr).next().is_some();
        (is_whole && !has_variable).then(|| live.instant(&self.query.text))
    }

    pub fn panel(&self) -> Option<&'q Panel> {
        match self.site {
            Site::Panel(_, panel, _) => Some(panel),
            Site::Alert(_) | Site::Record(_) | Site::Other => None,
        }
    }

    pub fn has_known_series(&self) -> bool {
        let mut subjects = self.series.iter().map(|series| &series.subject);
        subjects.any(|s| s.served().is_some() || matches!(***s, Subject::Declared(_)))
    }

    pub fn comparisons(&self) -> &'q [Comparison<'q>] {
        let all = || self.expressions().filter_map(comparison).collect();
        self.memo.comparisons.get_or_init(all)
    }

    /// All expressions of the query but its selectors, each behind the one around it.
    pub fn expressions(&self) -> impl Iterator<Item = &'q Expr> {
        self.memo.expressions.iter().copied()
    }

    pub fn calls(&self, function: &str) -> bool {
        self.expressions().any(|expr| is_call(expr, function))
    }

    /// The matchers without placeholders in their values, each with a series that it selects.
    pub fn matchers(&self) -> impl Iterator<Item = (&'q Series<'q, 'c>, &'q Matcher)> {
        self.series.iter().flat_map(|series| {
            let matchers = series.context.selector.matchers.iter();
            let known = matchers.filter(|matcher| matcher.value.placeholders.is_empty());
            known.map(move |matcher| (series, matcher))
        })
    }

    /// Whether a pattern, which is anchored at both ends, may match a value: false is certain.
    pub fn may_match(&self, pattern: &str, value: &str) -> bool {
        matches(pattern, value) != Some(false)
    }

    /// True when its result is used as it is; false for series of unit tests, for names alone and for selectors
    /// that only list series or label values.
    pub fn is_evaluated(&self) -> bool {
        !matches!(
            self.query.role,
            Role::TestSeries
                | Role::Variable { .. }
                | Role::UnitTest
                | Role::Discovery { .. }
                | Role::Metric { .. }
                | Role::Mention
        )
    }

    /// Edits of the query as edits of the file; none when the file cannot spell one of them.
    pub fn edits(&self, edits: &[Edit]) -> Option<Vec<diag::Edit>> {
        let spelled = edits.iter().map(|edit| {
            let map = &self.query.map;
            let (span, text) = map.edit(self.file_text, edit.span.clone(), &edit.text)?;
            Some(diag::Edit::replace(span, text))
        });
        spelled.collect()
    }

    pub fn may_fix(&self) -> bool {
        self.review.is_some()
            && self.query.language == Language::PromQl
            && self.memo.may_fix(self.query.text.len())
    }

    /// A fix that edits the query; none if the file cannot spell the edit, if the finding stays, or if the result has
    /// additional findings.
    pub fn fix(
        &self,
        title: impl Into<String>,
        edits: &[Edit],
        applicability: Applicability,
    ) -> Option<Fix> {
        let review = self.review.filter(|_| self.may_fix())?;
        let mended = apply(&self.query.text, edits).ok()?;
        review.0(self.rule, &mended).then_some(())?;
        let edits = self.edits(edits)?;
        (!edits.is_empty()).then(|| Fix {
            title: title.into(),
            edits,
            applicability,
        })
    }

    /// A fix that writes `new` in place of some bytes of the query; none when the file cannot spell it.
    pub fn replace(
        &self,
        place: &TextSpan,
        new: &str,
        applicability: Applicability,
    ) -> Option<Fix> {
        let edit = Edit::new(place.clone(), new);
        self.fix(format!("replace with `{new}`"), &[edit], applicability)
    }

    /// A fix that puts `new` in place of an expression, in parentheses where it needs them.
    pub fn replace_expr(
        &self,
        place: &TextSpan,
        new: &str,
        applicability: Applicability,
    ) -> Option<Fix> {
        self.may_fix().then_some(())?;
        let edit = replace_node(&self.query.text, place, new, self.dialect())?;
        self.fix(format!("replace with `{new}`"), &[edit], applicability)
    }

    /// The labels of each selector, as far as recordings show them.
    pub fn leaves(&self) -> impl Leaf {
        let (cx, label) = (*self, None);
        Leaves { cx, label }
    }

    /// The labels that the result of the query always has, may have and never has.
    pub fn labels(&self) -> Flow {
        label_flow(self.expr, &self.leaves())
    }

    /// Whether the result of the query has a label, which may be a slip for a label of its series.
    pub fn presence(&self, label: &str) -> Presence {
        let leaves = Leaves {
            cx: *self,
            label: Some(label),
        };
        label_flow(self.expr, &leaves).presence(label)
    }

    /// The labels on the result of a part of the query, as far as the query alone decides them.
    pub fn kept_labels(&self, expr: &Expr) -> Kept {
        kept_labels(expr)
    }

    pub fn series_in(&self, expr: &Expr) -> impl Iterator<Item = &'q Series<'q, 'c>> {
        self.series[self.indices(expr)].iter()
    }

    pub(super) fn indices(&self, expr: &Expr) -> Range<usize> {
        let TextSpan { start, end } = expr.span;
        let before = |s: &Series<'_, '_>| s.context.span.start < start;
        let inside = |s: &Series<'_, '_>| s.context.span.end <= end;
        let from = self.series.partition_point(before);
        from..from + self.series[from..].partition_point(inside)
    }

    fn series_at(&self, start: usize) -> impl Iterator<Item = &'q Series<'q, 'c>> {
        let from = self
            .series
            .partition_point(|s| s.context.span.start < start);
        let rest = self.series.get(from..).unwrap_or_default().iter();
        rest.take_while(move |s| s.context.span.start == start)
    }

    /// The releases on which a series is missing, by reason, without those on which the other side of an
    /// `or` replaces it.
    pub fn dead(&self, series: &Series<'_, '_>) -> Vec<Dead> {
        let Some(known) = series.subject.served() else {
            return Vec::new();
        };
        let mut dead = known.dead.clone();
        let gone: usize = dead.iter().map(|dead| dead.releases.len()).sum();
        let is_test = matches!(self.query.role, Role::TestSeries | Role::UnitTest);
        if is_test && gone < known.product.selection.releases.len() {
            // A unit test stands for one of the releases.
            return Vec::new();
        }
        if dead.is_empty() || !self.may_have_replacement(series) {
            return dead;
        }
        // The name itself is among the alternatives, but is not served on these releases.
        let mut others = self.around(series);
        others.extend(self.alternatives(series));
        let others: Vec<_> = others.iter().filter_map(|s| s.subject.served()).collect();
        for d in &mut dead {
            d.releases
                .retain(|id| !others.iter().any(|known| known.present.contains(id)));
        }
        dead.retain(|d| !d.releases.is_empty());
        dead
    }

    pub fn has_replacement(&self, series: &Series<'_, '_>) -> bool {
        self.may_have_replacement(series)
            && !(self.around(series).is_empty() && self.alternatives(series).is_empty())
    }

    fn may_have_replacement(&self, series: &Series<'_, '_>) -> bool {
        series.context.selector.metric.is_none() || series.context.operates(BinaryOp::Or)
    }

    /// The series on the other side of each `or` around this one.
    fn around(&self, series: &Series<'_, '_>) -> Vec<&'q Series<'q, 'c>> {
        let mut found = Vec::new();
        let mut start = series.context.span.start;
        for outer in series.context.ancestors() {
            if let ExprKind::Binary(binary) = &outer.kind
                && binary.op == BinaryOp::Or
            {
                let other = match start >= binary.rhs.span.start {
                    true => &binary.lhs,
                    false => &binary.rhs,
                };
                found.extend(self.series_in(other));
            }
            start = outer.span.start;
        }
        found
    }

    /// All names of the selector of a series, if there are several.
    fn alternatives(&self, series: &Series<'_, '_>) -> Vec<&'q Series<'q, 'c>> {
        let all: Vec<_> = self.series_at(series.context.span.start).collect();
        match all.iter().any(|s| s.name != all[0].name) {
            true => all,
            false => Vec::new(),
        }
    }

    /// True when another name of the same selector, of one that is not served, is served on every release.
    pub fn is_spare(&self, series: &Series<'_, '_>) -> bool {
        self.may_have_replacement(series) && {
            let mut others = self.alternatives(series).into_iter();
            others.any(|s| s.subject.served().is_some_and(Known::is_alive))
        }
    }
}

fn start(selector: &Selector) -> usize {
    match &selector.metric {
        Some(metric) if !metric.quoted => metric.span.start,
        _ => selector.braces.start,
    }
}

/// What the catalogs know of each selector of a query.
struct Leaves<'q, 'c, 'l> {
    cx: QueryCx<'q, 'c>,
    /// A label to look for: a slip for one that a series has is on no series.
    label: Option<&'l str>,
}

impl Leaf for Leaves<'_, '_, '_> {
    fn labels(&self, selector: &Selector) -> Flow {
        let same = |s: &&Series<'_, '_>| std::ptr::eq(s.context.selector, selector);
        let cx = &self.cx;
        let mut named = cx.series_at(start(selector)).filter(same);
        let (Some(series), None) = (named.next(), named.next()) else {
            return Flow::unknown();
        };
        let flow = series.subject.labels(cx.scope).clone();
        match self.label.filter(|label| !may_have(cx, series, label)) {
            Some(label) => flow.without(label),
            None => flow,
        }
    }
}
