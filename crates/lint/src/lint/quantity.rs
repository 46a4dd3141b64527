//! The kind of value of an expression: a fraction, seconds, milliseconds.

mod share;

use super::query::{QueryCx, Series};
use crate::artifact::{Dashboard, Form, Panel, Thresholds};
use slosmith_catalog as catalog;
use slosmith_promql::ast::{AggregateOp, Binary, BinaryOp, Expr, ExprKind};
use slosmith_promql::usage::{Exact, bare, exact_constant};
use slosmith_promql::with_room;
use slosmith_spec::library;
use slosmith_text::source::Spanned;
use slosmith_text::units::Unit;

/// Functions whose result has the unit of their argument.
const KEEPING: [&str; 16] = [
    "abs",
    "avg_over_time",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "floor",
    "last_over_time",
    "max_over_time",
    "min_over_time",
    "quantile_over_time",
    "round",
    "sort",
    "sort_desc",
    "label_replace",
    "label_join",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Fraction,
    Seconds,
    Milliseconds,
}

impl<'q, 'c> QueryCx<'q, 'c> {
    /// The kind of value of an expression, and one of its series.
    pub(super) fn measure(&self, expr: &Expr) -> Option<(Measure, &'q Series<'q, 'c>)> {
        let (measure, at) = self.measured(expr)?;
        Some((measure, self.series.get(at)?))
    }

    /// True for a division of a whole by a part of it, which is never below 1.
    pub(super) fn is_inverse(&self, expr: &Expr) -> bool {
        match &bare(expr).kind {
            ExprKind::Binary(binary) if binary.op == BinaryOp::Div => {
                share::is_inverse(self, binary)
            }
            _ => false,
        }
    }

    /// The same, with the index of the series.
    fn measured(&self, expr: &Expr) -> Option<(Measure, usize)> {
        with_room(|| self.reckoned(expr))
    }

    /// The subject of a message about an expression: the name of its series, if it is not calculated.
    pub(super) fn named(&self, expr: &Expr, series: &Series<'_, '_>) -> String {
        match share::calculates(expr) {
            true => "this ratio".to_owned(),
            false => format!("`{}`", series.name),
        }
    }

    fn reckoned(&self, expr: &Expr) -> Option<(Measure, usize)> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.measured(inner),
            ExprKind::Subquery(subquery) => self.measured(&subquery.expr),
            ExprKind::Selector(_) | ExprKind::Range(_) => gauge(self, expr),
            ExprKind::Call(call) => match call.function.text.as_str() {
                "histogram_quantile" => histogram(self, call.args.get(1)?, catalog::Series::Bucket),
                "quantile_over_time" => self.measured(call.args.get(1)?),
                name if KEEPING.contains(&name) => self.measured(call.args.first()?),
                _ => None,
            },
            ExprKind::Aggregate(aggregate) => match aggregate.op {
                AggregateOp::Avg
                | AggregateOp::Min
                | AggregateOp::Max
                | AggregateOp::Quantile
                | AggregateOp::Topk
                | AggregateOp::Bottomk => self.measured(&aggregate.expr),
                _ => None,
            },
            ExprKind::Binary(binary) => match binary.op {
                BinaryOp::Div => mean(self, binary).or_else(|| share(self, binary)),
                // `1 - x`: the rest of a fraction.
                BinaryOp::Sub if exact_constant(&binary.lhs) == Some(Exact::from_integer(1)) => {
                    let rest = self.measured(&binary.rhs);
                    rest.filter(|(measure, _)| *measure == Measure::Fraction)
                }
                BinaryOp::And | BinaryOp::Unless => self.measured(&binary.lhs),
                BinaryOp::Or => {
                    let (left, right) = (self.measured(&binary.lhs)?, self.measured(&binary.rhs)?);
                    (left.0 == right.0).then_some(left)
                }
                op if op.is_comparison() && !binary.bool_modifier => self.measured(&binary.lhs),
                _ => None,
            },
            _ => None,
        }
    }
}

/// All numbers of a panel in its unit: thresholds, `min`, `max`; none if they are unknown.
pub(super) fn limits(dashboard: &Dashboard, panel: &Panel) -> Option<Vec<Spanned<f64>>> {
    const ENDS: [&str; 4] = ["min", "max", "custom/axisSoftMin", "custom/axisSoftMax"];
    // Older panels, library panels and overrides contain more numbers in the unit.
    const UNKNOWN: [&str; 4] = [
        "/yaxes",
        "/thresholds",
        "/libraryPanel",
        "/fieldConfig/overrides/0",
    ];
    let pointer = |path: &str| format!("{}{path}", panel.pointer);
    let is_there = |path: &&str| dashboard.raw.node(&pointer(path)).is_some();
    if dashboard.form != Form::Classic || panel.has_mappings || UNKNOWN.iter().any(is_there) {
        return None;
    }
    // Steps in percent are relative to `min` and `max`, so the unit does not matter.
    let absolute = |t: &&Thresholds| t.mode.as_deref() != Some("percentage");
    let steps = panel
        .thresholds
        .iter()
        .filter(absolute)
        .flat_map(|t| &t.steps);
    let steps = steps.filter_map(|step| step.value);
    let ends = ENDS.iter().filter_map(|end| {
        let pointer = pointer(&format!("/fieldConfig/defaults/{end}"));
        let value = dashboard.raw.value_at(&pointer)?.as_f64()?;
        Some(Spanned::new(value, dashboard.raw.span(&pointer)))
    });
    Some(steps.chain(ends).collect())
}

pub(super) fn is_plain(dashboard: &Dashboard, panel: &Panel) -> bool {
    let zero = |limits: Vec<Spanned<f64>>| limits.iter().all(|limit| limit.value == 0.0);
    panel.targets.len() == 1 && limits(dashboard, panel).is_some_and(zero)
}

/// The only series of a part of the query, by its place.
fn only(cx: &QueryCx<'_, '_>, expr: &Expr) -> Option<usize> {
    let inside = cx.indices(expr);
    // The old and the new name of a metric have the same unit.
    let first = cx.series.get(inside.start).map(unit);
    let mut all = cx.series[inside.clone()].iter();
    (!inside.is_empty() && all.all(|s| Some(unit(s)) == first)).then_some(inside.start)
}

fn gauge(cx: &QueryCx<'_, '_>, expr: &Expr) -> Option<(Measure, usize)> {
    let at = only(cx, expr)?;
    cx.series[at].subject.is_gauge().then_some(())?;
    Some((unit(&cx.series[at])?, at))
}

/// The unit of the observations of a histogram, if the query reads only its buckets (or sums).
fn histogram(cx: &QueryCx<'_, '_>, expr: &Expr, part: catalog::Series) -> Option<(Measure, usize)> {
    let at = only(cx, expr)?;
    let of = |s: &Series<'_, '_>| s.subject.known().map(|known| known.part);
    let fits = |s: &Series<'_, '_>| of(s) == Some(part);
    cx.series_in(expr).all(fits).then_some(())?;
    Some((unit(&cx.series[at])?, at))
}

/// `rate(x_sum[w]) / rate(x_count[w])`.
fn mean(cx: &QueryCx<'_, '_>, binary: &Binary) -> Option<(Measure, usize)> {
    let (unit, of) = histogram(cx, &binary.lhs, catalog::Series::Sum)?;
    let pure = !share::calculates(&binary.lhs) && !share::calculates(&binary.rhs);
    pure.then_some(())?;
    let by = cx.series_in(&binary.rhs).next()?.subject.known()?;
    let family = &cx.series[of].subject.known()?.family;
    let same = by.part == catalog::Series::Count && by.family == *family;
    same.then_some((unit, of))
}

fn share(cx: &QueryCx<'_, '_>, binary: &Binary) -> Option<(Measure, usize)> {
    let of = cx.indices(&binary.lhs);
    let is_share = !of.is_empty() && share::is_share(cx, binary);
    is_share.then_some((Measure::Fraction, of.start))
}

fn unit(series: &Series<'_, '_>) -> Option<Measure> {
    let known = series.subject.served()?;
    let own = known.product.claims(&known.family);
    match library::unit(&known.family).filter(|_| own) {
        Some(Unit::Seconds) => Some(Measure::Seconds),
        Some(Unit::Ratio) => Some(Measure::Fraction),
        Some(_) => None,
        None => named(&known.family, own),
    }
}

fn named(family: &str, own: bool) -> Option<Measure> {
    // Every `_perc` gauge of vLLM is a fraction in every release, in spite of its name.
    let fraction = ["_perc", "_hit_rate", "_acceptance_rate"];
    if own && fraction.iter().any(|end| family.ends_with(end)) {
        Some(Measure::Fraction)
    } else if family.ends_with("_milliseconds") {
        Some(Measure::Milliseconds)
    } else if family.ends_with("_seconds") {
        Some(Measure::Seconds)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Measure, named};
    use slosmith_spec::library;
    use slosmith_text::units::Unit;

    #[test]
    fn no_name_says_other_than_the_library() {
        let mut checked = 0;
        for name in library::names() {
            let signal = library::signal(&name).expect("a signal");
            let binding = signal.prometheus.as_ref();
            let metric = binding.and_then(|binding| binding.value.metric.as_ref());
            let Some((metric, unit)) = metric.zip(signal.unit) else {
                continue;
            };
            let Some(found) = named(&metric.value, true) else {
                continue;
            };
            let declared = match unit.value {
                Unit::Seconds => Some(Measure::Seconds),
                Unit::Ratio => Some(Measure::Fraction),
                _ => None,
            };
            assert_eq!(Some(found), declared, "{metric}");
            checked += 1;
        }
        assert!(checked > 10, "{checked}");
    }
}
