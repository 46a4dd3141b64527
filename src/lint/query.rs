//! One query with everything that rules ask of it.

mod flow;
mod series;

pub use series::Series;
pub(super) use series::{Names, series};

use super::scope::Scope;
use super::subject::Dead;
use crate::artifact::{Alert, Artifact, Dashboard, Panel, Query, Record, Role, Target};
use crate::diag::{self, Applicability, Fix};
use crate::promql::ast::{BinaryOp, Expr, ExprKind, Matcher, TextSpan};
use crate::promql::labels::{Flow, Leaf, label_flow};
use crate::promql::rewrite::{Edit, apply, replace_node};
use crate::promql::{Dialect, Kept, kept_labels};
use crate::source::Span;

/// One query, parsed, with what each of its names means.
#[derive(Clone, Copy, Debug)]
pub struct QueryCx<'q, 'c> {
    /// What it is judged against.
    pub scope: &'c Scope<'c>,
    /// The file it is in.
    pub artifact: &'q Artifact,
    /// The text of that file.
    pub file_text: &'q str,
    /// The query as it was read.
    pub query: &'q Query,
    /// What it belongs to.
    pub site: Site<'q>,
    /// Its tree.
    pub expr: &'q Expr,
    /// Every name that it selects, left to right: there may be very many.
    pub series: &'q [Series<'q, 'c>],
    /// Judges the query that a fix would leave; without it every fix is offered.
    pub(super) review: Option<Review<'q>>,
}

/// True for a text in the query's place that has no finding more than the query.
#[derive(Clone, Copy)]
pub(super) struct Review<'q>(pub(super) &'q dyn Fn(&str) -> bool);

impl std::fmt::Debug for Review<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Review")
    }
}

/// What a query belongs to.
#[derive(Clone, Copy, Debug)]
pub enum Site<'q> {
    /// An alerting rule.
    Alert(&'q Alert),
    /// A recording rule.
    Record(&'q Record),
    /// A panel of a dashboard.
    Panel(&'q Dashboard, &'q Panel, &'q Target),
    /// Anything else.
    Other,
}

impl<'q, 'c> QueryCx<'q, 'c> {
    /// The bytes of the file that spell a part of the query.
    pub fn span(&self, text: &TextSpan) -> Span {
        self.query.map.span(text.clone())
    }

    /// The query's own words for a part of it.
    pub fn text(&self, text: &TextSpan) -> &'q str {
        self.query.text.get(text.clone()).unwrap_or_default()
    }

    /// The placeholders that its text may hold.
    pub fn dialect(&self) -> Dialect {
        self.query.dialect
    }

    /// The alerting rule it is the expression of.
    pub fn alert(&self) -> Option<&'q Alert> {
        match self.site {
            Site::Alert(alert) => Some(alert),
            Site::Record(_) | Site::Panel(..) | Site::Other => None,
        }
    }

    /// The panel that draws it.
    pub fn panel(&self) -> Option<&'q Panel> {
        match self.site {
            Site::Panel(_, panel, _) => Some(panel),
            Site::Alert(_) | Site::Record(_) | Site::Other => None,
        }
    }

    /// True when a catalog knows one of its names.
    pub fn has_known_series(&self) -> bool {
        let mut subjects = self.series.iter().map(|series| &series.subject);
        subjects.any(|subject| subject.served().is_some())
    }

    /// The matchers without placeholders in their values, each with a series that it selects.
    pub fn matchers(&self) -> impl Iterator<Item = (&'q Series<'q, 'c>, &'q Matcher)> {
        self.series.iter().flat_map(|series| {
            let matchers = series.context.selector.matchers.iter();
            let known = matchers.filter(|matcher| matcher.value.placeholders.is_empty());
            known.map(move |matcher| (series, matcher))
        })
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

    /// A fix that edits the query; none when the file cannot spell it, or when what is left would be complained of.
    pub fn fix(
        &self,
        title: impl Into<String>,
        edits: &[Edit],
        applicability: Applicability,
    ) -> Option<Fix> {
        if let Some(review) = self.review {
            let mended = apply(&self.query.text, edits).ok()?;
            review.0(&mended).then_some(())?;
        }
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
        let edit = replace_node(&self.query.text, place, new, self.dialect())?;
        self.fix(format!("replace with `{new}`"), &[edit], applicability)
    }

    /// What recordings know of the labels of each selector.
    pub fn leaves(&self) -> impl Leaf {
        flow::Leaves(*self)
    }

    /// Which labels a part of the query surely has, may have and cannot have.
    pub fn labels(&self, expr: &Expr) -> Flow {
        label_flow(expr, &self.leaves())
    }

    /// The labels on the result of a part of the query, as far as the query alone decides them.
    pub fn kept_labels(&self, expr: &Expr) -> Kept {
        kept_labels(expr)
    }

    /// The series that a part of the query selects.
    pub fn series_in(&self, expr: &Expr) -> impl Iterator<Item = &'q Series<'q, 'c>> {
        let TextSpan { start, end } = expr.span;
        let from = self
            .series
            .partition_point(|s| s.context.span.start < start);
        let rest = self.series.get(from..).unwrap_or_default().iter();
        rest.take_while(move |s| s.context.span.end <= end)
    }

    /// The series of the selector that starts here.
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
        let stand_ins: Vec<_> = self.stand_ins(series).collect();
        let mut dead = known.dead.clone();
        for d in &mut dead {
            d.releases.retain(|id| {
                let serves = |s: &&Series<'_, '_>| {
                    let other = s.subject.served();
                    other.is_some_and(|other| other.present.contains(id))
                };
                !stand_ins.iter().any(serves)
            });
        }
        dead.retain(|d| !d.releases.is_empty());
        dead
    }

    /// True when an `or` around the series asks for something else as well.
    pub fn has_stand_in(&self, series: &Series<'_, '_>) -> bool {
        self.stand_ins(series).next().is_some()
    }

    /// Series on the other side of an `or` around this one.
    fn stand_ins<'s>(
        &'s self,
        series: &'s Series<'_, '_>,
    ) -> impl Iterator<Item = &'q Series<'q, 'c>> + 's {
        let sides = series.context.ancestors().filter_map(|node| {
            let ExprKind::Binary(binary) = &node.kind else {
                return None;
            };
            let here = |side: &Expr| {
                side.span.start <= series.context.span.start
                    && series.context.span.end <= side.span.end
            };
            let other = if here(&binary.lhs) {
                &binary.rhs
            } else {
                &binary.lhs
            };
            (binary.op == BinaryOp::Or).then_some(other)
        });
        sides
            .flat_map(|side| self.series_in(side))
            .chain(self.alternatives(series))
    }

    /// The other names of `{__name__=~"x|y"}`.
    fn alternatives<'s>(
        &'s self,
        series: &'s Series<'_, '_>,
    ) -> impl Iterator<Item = &'q Series<'q, 'c>> + 's {
        let same = |s: &&Series<'_, '_>| std::ptr::eq(s.context.selector, series.context.selector);
        self.series_at(series.context.span.start)
            .filter(same)
            .filter(|s| s.name != series.name)
    }

    /// True when another name of the same selector is served on every release.
    pub fn is_spare(&self, series: &Series<'_, '_>) -> bool {
        let alive = |s: &Series<'_, '_>| s.subject.served().is_some_and(|known| known.is_alive());
        self.alternatives(series).any(alive)
    }
}
