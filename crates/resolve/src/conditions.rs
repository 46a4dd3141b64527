//! Conditions: from spec to PromQL that gives elements exactly while they hold.
//!
//! `{all: [{signal: a, above: 1}, {signal: b, below: 2}]}` becomes
//! `max by (cluster) (a) > 1 and max by (cluster) (b) < 2`; parts that are grouped differently join on the labels of
//! `on`.

pub(super) mod absent;
mod join;

use super::context::Context;
use super::doubts;
use super::request::SignalRequest;
use super::{bound, own_promql};
use slosmith_plan::plan::{
    AlertRecord, Bound, Compare, CompareOp, Condition, Correlated, Query, RawCondition, Reading,
    Signal, Source, ValueUnit, recorded, words,
};
use slosmith_plan::query::{self, SignalQuery, bin};
use slosmith_promql::ast::{AggregateOp, Binary, BinaryOp, Expr, ExprKind, Selector};
use slosmith_promql::usage::bare;
use slosmith_promql::{self as promql, Kept, build, visit};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Across, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Duration, Number, Quantity, Unit};

/// How much longer than its window and its holding time a value may be unusual.
const SETTLED: Duration = Duration::from_mins(5);

/// What rounding alone may make of the product of two deviations, as a share of the product of their means.
const ROUNDING: &str = "1e-9";

/// The fewest values that can correlate: two moments always lie on a line.
const CORRELATED: u64 = 3;

/// Labels that the rule of every alert sets.
const OF_RULE: [&str; 4] = [
    naming::SERVICE,
    naming::SEVERITY,
    naming::OWNER,
    "alertname",
];

pub(super) struct Resolver<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    /// The oldest name of the alert.
    pub(super) alert: &'a str,
    pub(super) hold: Duration,
    pub(super) records: Vec<AlertRecord>,
    /// True inside `all`.
    pub(super) joined: bool,
}

impl Resolver<'_, '_> {
    pub(super) fn condition(&mut self, spec: &Spanned<spec::Condition>) -> Option<Condition> {
        let c = &spec.value;
        let main = if let Some(all) = &c.all {
            let outside = std::mem::replace(&mut self.joined, true);
            let parts = self.parts(&all.value);
            self.joined = outside;
            let parts = parts?;
            let places: Vec<_> = all.value.iter().map(place).collect();
            let query = join::join(self.cx, BinaryOp::And, &parts, c.join.as_ref(), &places)?;
            join::doubt_forgotten(self.cx, &parts, &all.value, c.join.as_ref());
            Condition::All(parts, query)
        } else if let Some(any) = &c.any {
            let parts = self.parts(&any.value)?;
            let places: Vec<_> = any.value.iter().map(place).collect();
            let query = join::join(self.cx, BinaryOp::Or, &parts, c.join.as_ref(), &places)?;
            Condition::Any(parts, query)
        } else if let Some(text) = &c.promql {
            self.raw(c, text)?
        } else {
            let name = c.signal.as_ref()?;
            self.compare_signal(c, name)?
        };
        let Some(unless) = &c.unless else {
            return Some(main);
        };
        let parts = [main, self.condition(unless)?];
        let places = [place(spec), place(unless)];
        let query = join::join(self.cx, BinaryOp::Unless, &parts, c.join.as_ref(), &places)?;
        Some(Condition::Unless(Box::new(parts), query))
    }

    /// All parts, even after one failed, so that every fault is reported.
    fn parts(&mut self, parts: &[Spanned<spec::Condition>]) -> Option<Vec<Condition>> {
        let all: Vec<_> = parts.iter().map(|p| self.condition(p)).collect();
        all.into_iter().collect()
    }

    fn compare_signal(&mut self, c: &spec::Condition, name: &Text) -> Option<Condition> {
        let signal = &*self.cx.selected(name, c.selection())?;
        if let Some(absent) = c.absent {
            return self.absent(signal, c, absent);
        }
        if let Some(error) = no_value(signal, name) {
            self.cx.sink.push(error);
            return None;
        }
        let request = SignalRequest {
            signal,
            stat: c.one_stat(),
            window: c.window,
            of: c.selection(),
            at: name.span,
        };
        let read = self.cx.read(&request)?;
        if c.outside.is_none() && c.correlated.is_none() {
            self.cx.check_window_used(&read, c.window);
        }
        if let Some(correlated) = &c.correlated {
            return self.correlated(&read, correlated);
        }
        let (bound, unit, expr) = self.test(c, &read)?;
        doubts::across(self.cx, c, &read, &bound);
        Some(Condition::Compare(Box::new(Compare {
            stat: read.stat,
            window: read.window.usual(),
            bound,
            unit,
            query: Query {
                expr,
                labels: read.labels.clone(),
            },
            signal: signal.clone(),
        })))
    }

    fn test(
        &mut self,
        c: &spec::Condition,
        read: &SignalQuery<'_>,
    ) -> Option<(Bound, ValueUnit, Expr)> {
        if let Some(o) = &c.outside {
            let outside = bound::outside(self.cx, read, &o.value)?;
            // What is unusual now must not count as usual before it has held long enough.
            let recent = [self.hold, read.window.usual(), SETTLED].map(Duration::as_secs);
            let recent = Duration::from_secs(recent.iter().sum());
            let past = self.past(read, recent);
            let expr = query::outside(read, &outside, past);
            return Some((Bound::Outside(outside), bound::unit(read, None), expr));
        }
        if let Some(equals) = &c.comparison.equals {
            let op = bound::extreme(self.cx, read, equals)?;
            // What is computed may be a hair beside 1.
            let is_exact = read.signal.is_as_sent(read.stat)
                && matches!(read.signal.across, Across::Min | Across::Max);
            let operator = match is_exact {
                true => BinaryOp::Eq,
                false => query::operator(op),
            };
            return self.fixed(read, op, operator, equals);
        }
        let (op, bound) = bound::comparison(&c.comparison)?;
        match &bound.value {
            spec::Bound::Quantity(quantity) => {
                let quantity = Spanned::new(quantity.clone(), bound.span);
                self.fixed(read, op, query::operator(op), &quantity)
            }
            spec::Bound::Times(factor, baseline) => {
                if let Some(error) = bound::pointless(read, op, *factor, bound.span) {
                    self.cx.sink.push(error);
                    return None;
                }
                let then = match baseline {
                    spec::Baseline::Offset(ago) => query::query(read, Some(*ago)).expr,
                    spec::Baseline::AvgOver(window) => {
                        self.past(read, Duration::default())("avg_over_time", *window)
                    }
                };
                let expr = query::times(read, op, *factor, then);
                let bound = Bound::Times(op, *factor, *baseline);
                Some((bound, bound::unit(read, None), expr))
            }
        }
    }

    fn fixed(
        &mut self,
        read: &SignalQuery<'_>,
        op: CompareOp,
        operator: BinaryOp,
        quantity: &Spanned<Quantity>,
    ) -> Option<(Bound, ValueUnit, Expr)> {
        let fixed = bound::fixed(self.cx, read, op, quantity)?;
        let value = query::query(read, None).expr;
        let is_ratio = matches!(read.signal.source, Source::Ratio { before: None, .. });
        let value = match is_ratio && op.is_upper() && fixed.value > Number::from_integer(0) {
            true => query::without_zero(value),
            false => value,
        };
        let now = query::per_time(value, fixed.unit);
        let now = match query::is_whole(read.signal, read.stat, fixed.value) {
            true => build::call("round", [now]),
            false => now,
        };
        let expr = bin(operator, now, query::number(fixed.value));
        Some((fixed.bound, fixed.unit, expr))
    }

    fn record(&mut self, query: Query) -> Selector {
        let part = naming::key(&query.expr.to_string());
        self.record_part(part, query)
    }

    /// The same with a key of the expression that is given.
    fn record_part(&mut self, part: String, query: Query) -> Selector {
        let service = &self.cx.spec.service;
        let service = service.renamed_from.as_ref().unwrap_or(&service.name);
        let labels = [
            (naming::SERVICE, service.value.clone()),
            (naming::ALERT, self.alert.to_owned()),
            (naming::PART, part),
        ];
        let series = recorded(
            naming::BASELINE,
            &labels
                .each_ref()
                .map(|(label, value)| (*label, value.as_str())),
        );
        if self.records.iter().all(|known| known.labels != labels) {
            self.records.push(AlertRecord { labels, query });
        }
        series
    }

    /// Records the value, and gives a function that looks at its past, but for the `recent` one.
    fn past(
        &mut self,
        read: &SignalQuery<'_>,
        recent: Duration,
    ) -> impl Fn(&str, Duration) -> Expr + use<> {
        let series = query::ago(self.record(query::to_record(read)), recent);
        let labels = read.labels.clone();
        move |function, window| {
            let over = build::call(function, [query::range(series.clone(), window)]);
            // The record's own labels must not take part in the comparison.
            build::aggregate(AggregateOp::Max, &labels, over)
        }
    }

    /// Pearson's coefficient of two recorded values: covariance over the product of the deviations.
    fn correlated(
        &mut self,
        read: &SignalQuery<'_>,
        spec: &Spanned<spec::Correlated>,
    ) -> Option<Condition> {
        let c = &spec.value;
        let other = self.cx.selected(&c.signal, c.selection())?;
        let request = SignalRequest {
            signal: &other,
            stat: c.stat,
            window: None,
            of: c.selection(),
            at: c.signal.span,
        };
        let other = self.cx.read(&request)?;
        if query::to_record(&other).expr == query::to_record(read).expr {
            let message = format!(
                "`{}` is correlated with itself: the coefficient is always 1",
                c.signal
            );
            let error = Diagnostic::error("contradiction", c.signal.span, message);
            self.cx.sink.push(error.help("name another signal"));
            return None;
        }
        let above = self.cx.sink.take(bound::coefficient(&c.above))?;
        let every = self.cx.recording_interval().as_secs().max(1);
        let least = Duration::from_secs(every * CORRELATED);
        if c.window.value < least {
            let message = format!(
                "a window of {} is too short: a correlation needs {CORRELATED} samples, one per `evaluation_interval`",
                c.window
            );
            let error = Diagnostic::error("never-firing", c.window.span, message);
            let help = format!("use a window of {least} or more; 20m or more is more reliable");
            self.cx.sink.push(error.help(help));
            return None;
        }
        let mut labels = read.labels.clone();
        labels.retain(|label| other.labels.contains(label));
        let window = c.window.value;
        // Means and deviations use only the moments at which both signals have a value, so these values are recorded. Reading
        // a window of records is cheap; a subquery would evaluate every moment of the window again.
        let own = |read| build::aggregate(AggregateOp::Max, &labels, query::to_record(read).expr);
        let keep = |expr| Query {
            expr,
            labels: labels.clone(),
        };
        let both = bin(BinaryOp::And, own(read), own(&other));
        let x = self.record(keep(both));
        let now = |series: &Selector| build::aggregate(AggregateOp::Max, &labels, series.clone());
        let both = bin(BinaryOp::And, own(&other), now(&x));
        let y = self.record(keep(both));
        let product = self.record(keep(bin(BinaryOp::Mul, now(&x), now(&y))));
        let over = |function: &str, series: &Selector| {
            let over = build::call(function, [query::range(series.clone(), window)]);
            build::aggregate(AggregateOp::Max, &labels, over)
        };
        let of_both = |function: &str| bin(BinaryOp::Mul, over(function, &x), over(function, &y));
        let means = of_both("avg_over_time");
        let mean_product = over("avg_over_time", &product);
        let covariance = bin(BinaryOp::Sub, mean_product, means.clone());
        // What stands still but for the last digits of its sums correlates with anything.
        let rounding = build::call("abs", [means]);
        let rounding = bin(BinaryOp::Mul, build::number(ROUNDING), rounding);
        let spread = bin(BinaryOp::Gt, of_both("stddev_over_time"), rounding);
        let expr = bin(BinaryOp::Div, covariance, spread);
        // Half of the recorded values, so that two moments never do.
        let moments = (window.as_secs() / every / 2).max(CORRELATED);
        let moments = build::number(moments.to_string());
        let enough = over("count_over_time", &product);
        let enough = bin(BinaryOp::Ge, enough, moments);
        let of = [read, &other].map(|read| Reading {
            signal: read.signal.clone(),
            stat: read.stat,
            window: read.window.usual(),
        });
        let correlation = words::correlation(&of, window);
        let threshold = format!("> {}", c.above);
        let words = format!("{correlation}: {threshold}");
        let beyond = bin(BinaryOp::Gt, expr.clone(), query::number(above));
        let whole = bin(BinaryOp::And, beyond, enough);
        Some(Condition::Raw(Box::new(RawCondition {
            words: Some(words),
            correlated: Some(Correlated { of, window, above }),
            of_slos: None,
            expr,
            unit: ValueUnit::plain(Unit::Count),
            threshold: Some(threshold),
            query: Query {
                expr: whole,
                labels,
            },
        })))
    }

    fn raw(&mut self, c: &spec::Condition, text: &Text) -> Option<Condition> {
        let expr = own_promql::parse(self.cx, text)?;
        let kept = promql::kept_labels(&expr);
        self.doubt_slo(text, &expr, &kept);
        if c.unit.is_some_and(|unit| unit.value == Unit::Ratio) {
            own_promql::doubt_share(self.cx, text, &expr);
        }
        let labels = kept.names().unwrap_or_default();
        if is_absence(&expr) {
            // One result, in which the labels of the rule replace its own.
        } else if let Some(label) = labels.iter().find(|l| OF_RULE.contains(&l.as_str())) {
            let message = format!(
                "the result of the query has the label `{label}`, and the generated rule sets this label: Prometheus rejects a result in which groups \
                 differ only in it"
            );
            let error = Diagnostic::error("reserved-label", text.span, message);
            self.cx.sink.push(error.help(match is_absences(&expr) {
                true => "join the parts with `or on ()`: the result is one element then".to_owned(),
                false => format!(
                    "remove `{label}` from the `by (…)` of the query, or give it another name with `label_replace`"
                ),
            }));
        }
        let mut unit = ValueUnit::plain(c.unit.map_or(Unit::Count, |u| u.value));
        let (whole, threshold) = match bound::comparison(&c.comparison) {
            None if is_condition(&expr) => (expr.clone(), None),
            // Reported where the fields are read.
            None if c.comparison.equals.is_some() => return None,
            None => {
                let what = match self.alert.is_empty() {
                    true => "the condition would hold",
                    false => "the alert would fire",
                };
                let is_bool = matches!(&bare(&expr).kind, ExprKind::Binary(b) if b.bool_modifier);
                let (cause, help) = match is_bool {
                    true => (
                        "with `bool`, a comparison returns 0 instead of nothing",
                        "remove `bool`",
                    ),
                    false => (
                        "the query has no comparison",
                        "add `above:` or `below:`, or a comparison in the query",
                    ),
                };
                let message = format!("{cause}: {what} for each series that the query returns");
                let error = Diagnostic::error("always-firing", text.span, message);
                self.cx.sink.push(error.help(help));
                return None;
            }
            Some((op, bound)) => {
                let quantity = self.raw_bound(bound)?;
                let value = match quantity.of(unit.unit, quantity.per().is_some()) {
                    Ok(value) => query::number(value),
                    Err(mismatch) => {
                        self.cx.sink.push(bound::wrong_unit(bound.span, mismatch));
                        return None;
                    }
                };
                unit.per = quantity.per();
                doubts::percent(self.cx, text, &expr, unit.unit);
                bound::own_quantile(self.cx, text, &expr, bound)?;
                let threshold = format!("{} {quantity}", op.symbol());
                (query::compare(expr.clone(), op, value), Some(threshold))
            }
        };
        Some(Condition::Raw(Box::new(RawCondition {
            words: None,
            correlated: None,
            of_slos: None,
            expr,
            unit,
            threshold,
            query: Query {
                expr: whole,
                labels,
            },
        })))
    }

    /// Warns of a result with the label `slo`, by which the generated inhibit rule knows burn-rate alerts.
    fn doubt_slo(&mut self, text: &Text, expr: &Expr, kept: &Kept) {
        let mut selectors = visit::selectors(expr).into_iter();
        let of_slo = selectors.any(|selector| {
            let name = selector.metric.as_ref();
            name.is_some_and(|name| naming::is_of_slo(&name.text))
        });
        let keeps = match kept {
            Kept::AllOf { .. } => true,
            Kept::Only(labels) => labels.contains(naming::SLO),
        };
        if of_slo && keeps && !self.alert.is_empty() {
            let message = "the alert has the label `slo` of the series: the generated inhibit rule treats it as a burn-rate alert of this SLO";
            let warning = Diagnostic::warning("reserved-label", text.span, message);
            self.cx.sink.push(
                warning.help("aggregate the query without this label, as in `max by (LABELS) (…)`"),
            );
        }
    }

    /// The only thing that PromQL from the spec can be compared with.
    fn raw_bound<'b>(&mut self, bound: &'b Spanned<spec::Bound>) -> Option<&'b Quantity> {
        let spec::Bound::Quantity(quantity) = &bound.value else {
            let message = "raw PromQL can only be compared with a fixed value";
            let error = Diagnostic::error("contradiction", bound.span, message);
            let help = "write the comparison with past values in the query, with `offset`";
            self.cx.sink.push(error.help(help));
            return None;
        };
        Some(quantity)
    }
}

/// An `…_info` metric is 1, or a time: only its labels say something.
fn no_value(signal: &Signal, at: &Text) -> Option<Diagnostic> {
    let metric = signal.family()?.served.newest();
    metric.ends_with("_info").then(|| {
        let is_time = signal.unit == Unit::Seconds;
        let value = match is_time {
            true => "is a time",
            false => "means nothing",
        };
        let message = format!("the value of `{at}` {value}: `{metric}` informs by its labels");
        let help = match is_time {
            true => format!(
                "use `absent: true`, or compare the newest time of some series of a server with its newest of all: \
                 `{{promql: 'max by (LABELS, instance) ({metric}{{LABEL!=\"\"}}) >= max by (LABELS, instance) ({metric})'}}`"
            ),
            false => "use `absent: true`, or a `promql` condition that selects the labels".to_owned(),
        };
        Diagnostic::error("wrong-kind", at.span, message).help(help)
    })
}

fn place(part: &Spanned<spec::Condition>) -> Span {
    let c = &part.value;
    let subject = c.signal.as_ref().or(c.promql.as_ref());
    subject.map_or(part.span, |s| s.span)
}

/// True when an expression filters: it gives nothing while all is well.
fn is_condition(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Paren(inner) => is_condition(inner),
        ExprKind::Binary(b) => match b.op {
            BinaryOp::Gt
            | BinaryOp::Lt
            | BinaryOp::Ge
            | BinaryOp::Le
            | BinaryOp::Eq
            | BinaryOp::Ne => !b.bool_modifier,
            BinaryOp::Unless => true,
            BinaryOp::And => is_condition(&b.lhs) || is_condition(&b.rhs),
            BinaryOp::Or => is_condition(&b.lhs) && is_condition(&b.rhs),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::Pow
            | BinaryOp::Atan2
            | BinaryOp::TrimUpper
            | BinaryOp::TrimLower => is_condition(&b.lhs) || is_condition(&b.rhs),
        },
        ExprKind::Call(call) => {
            matches!(call.function.text.as_str(), "absent" | "absent_over_time")
                || call.args.iter().any(is_condition)
        }
        ExprKind::Aggregate(a) => is_condition(&a.expr),
        ExprKind::Unary(_, inner) => is_condition(inner),
        ExprKind::Subquery(s) => is_condition(&s.expr),
        ExprKind::Number(_)
        | ExprKind::String(_)
        | ExprKind::Selector(_)
        | ExprKind::Range(_)
        | ExprKind::Unknown(_)
        | ExprKind::Placeholder(_)
        | ExprKind::Invalid(_) => false,
    }
}

/// True for `absent(…)`, and for several of them joined by `or on ()`: there is one element at most.
fn is_absence(expr: &Expr) -> bool {
    let is_on_none = |b: &Binary| {
        b.matching
            .as_ref()
            .is_some_and(|m| m.on && m.labels.is_empty())
    };
    match &visit::bare(expr).kind {
        ExprKind::Call(call) => call.function.text.starts_with("absent"),
        ExprKind::Binary(b) if b.op == BinaryOp::Or && is_on_none(b) => {
            is_absence(&b.lhs) && is_absence(&b.rhs)
        }
        _ => false,
    }
}

/// True for `absent(…) or absent(…)`, which has as many elements as labels are missing.
fn is_absences(expr: &Expr) -> bool {
    match &visit::bare(expr).kind {
        ExprKind::Binary(b) if b.op == BinaryOp::Or => is_absences(&b.lhs) && is_absences(&b.rhs),
        _ => is_absence(expr),
    }
}
