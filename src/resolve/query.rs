//! From a signal to PromQL: how it is read over time, how replicas and engines combine.
//!
//! Under a rename the alternatives are joined with `or` per instance, before anything is summed: joined
//! after the sum, replicas on the old release would vanish as soon as one runs the new.

use super::context::Context;
use crate::diag::Diagnostic;
use crate::plan::{Family, Kind, Query, Signal, Source};
use crate::promql::ast::{
    self, AggregateOp, AtOffset, BinaryOp, Expr, ExprKind, Selector, Subquery,
};
use crate::promql::build;
use crate::source::{Span, Spanned};
use crate::spec::{Across, Stat, Text};
use crate::units::{Duration, Number, decimal};

/// The look-back when none is given.
pub(super) const DEFAULT_WINDOW: Duration = Duration::from_mins(5);

/// The look-back that Grafana fits to the zoom of a graph, and that always holds four scrapes.
const RATE_INTERVAL: &str = "$__rate_interval";

/// A signal as a spec asks for it.
pub(super) struct Asked<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Option<Spanned<Stat>>,
    pub(super) window: Option<Spanned<Duration>>,
    pub(super) by: &'a [Text],
    pub(super) at: Span,
}

/// A signal with everything known that a query needs.
pub(super) struct Read<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Stat,
    pub(super) window: Duration,
    /// True when the window follows the zoom of a graph, and `window` is only its usual length.
    pub(super) zoomed: bool,
    pub(super) labels: Vec<String>,
}

impl Context<'_> {
    /// Fills in what a spec leaves out and checks what it says.
    pub(super) fn read<'a>(&mut self, asked: &Asked<'a>) -> Option<Read<'a>> {
        let stat = self.stat(asked)?;
        let window = asked.window.map_or(DEFAULT_WINDOW, |w| w.value);
        let at = asked.window.map_or(asked.at, |w| w.span);
        if !asked.signal.is_instant(stat) {
            self.check_window(window, at);
        }
        let labels = self.labels(asked.signal, asked.by);
        Some(Read {
            signal: asked.signal,
            stat,
            window,
            zoomed: false,
            labels,
        })
    }

    fn stat(&mut self, asked: &Asked<'_>) -> Option<Stat> {
        let kind = asked.signal.kind();
        let Some(stat) = asked.stat else {
            let usual = usual_stat(kind);
            if usual.is_none() {
                let message = format!("the histogram `{}` needs a stat", asked.signal.name);
                let error = Diagnostic::error("missing-field", asked.at, message);
                self.sink.push(
                    error.help("say how it is read: `stat: p95`, `stat: avg` or `stat: rate`"),
                );
            }
            return usual;
        };
        let known = known_stats(kind);
        if known.iter().any(|k| same(*k, stat.value)) {
            return Some(stat.value);
        }
        let words: Vec<_> = known
            .iter()
            .map(|k| format!("`{}`", stat_word(*k)))
            .collect();
        let message = format!(
            "`{}` cannot be read as `{}`: it is a {}",
            asked.signal.name,
            stat.value,
            kind.as_str()
        );
        let error = Diagnostic::error("wrong-stat", stat.span, message);
        self.sink
            .push(error.help(format!("a {} has {}", kind.as_str(), words.join(", "))));
        None
    }

    /// A rate needs two samples, and a lost scrape must not empty it.
    pub(super) fn check_window(&mut self, window: Duration, at: Span) {
        let scrape = self.scrape_interval();
        let least = Duration::from_secs(scrape.as_secs() * 4);
        if window.as_secs() < 2 * scrape.as_secs() {
            let message =
                format!("a window of {window} holds less than two scrapes {scrape} apart");
            let error = Diagnostic::error("rate-window-too-short", at, message);
            self.sink.push(error.help(format!("use {least} or more")));
        } else if window < least {
            let message =
                format!("one lost scrape empties a window of {window} at {scrape} scrapes");
            let warning = Diagnostic::warning("rate-window-too-short", at, message);
            self.sink.push(warning.help(format!("use {least} or more")));
        }
    }
}

fn usual_stat(kind: Kind) -> Option<Stat> {
    match kind {
        Kind::Gauge => Some(Stat::Last),
        Kind::Counter => Some(Stat::Rate),
        Kind::Ratio => Some(Stat::Avg),
        Kind::Histogram => None,
    }
}

fn known_stats(kind: Kind) -> &'static [Stat] {
    const ANY_QUANTILE: Stat = Stat::Quantile(Number::new_raw(0, 1));
    match kind {
        Kind::Gauge => &[Stat::Last, Stat::Avg, Stat::Min, Stat::Max, Stat::Slope],
        Kind::Counter => &[Stat::Rate, Stat::Increase],
        Kind::Ratio => &[Stat::Avg],
        Kind::Histogram => &[ANY_QUANTILE, Stat::Avg, Stat::Rate, Stat::Increase],
    }
}

fn same(known: Stat, asked: Stat) -> bool {
    known == asked || matches!((known, asked), (Stat::Quantile(_), Stat::Quantile(_)))
}

fn stat_word(stat: Stat) -> String {
    match stat {
        Stat::Quantile(_) => "p95".into(),
        other => other.to_string(),
    }
}

/// The query of a read signal, perhaps as it was some time ago.
pub(super) fn query(read: &Read<'_>, ago: Option<Duration>) -> Query {
    Query {
        expr: value(read, ago),
        labels: read.labels.clone(),
    }
}

/// The value of a read signal in its base unit.
fn value(read: &Read<'_>, ago: Option<Duration>) -> Expr {
    let at = |part: Part| Over {
        window: read.window,
        zoomed: read.zoomed,
        ago,
        part,
    };
    let expr = match &read.signal.source {
        Source::Family(family) => match (read.stat, family.kind) {
            (Stat::Quantile(q), _) => {
                let mut labels = vec!["le".to_owned()];
                labels.extend_from_slice(&read.labels);
                let buckets = sum(&labels, rate(family, &at(Part::Bucket)));
                build::call("histogram_quantile", vec![number(q), buckets])
            }
            (Stat::Avg, crate::spec::Kind::Histogram) => {
                let total = sum(&read.labels, rate(family, &at(Part::Sum)));
                let count = sum(&read.labels, rate(family, &at(Part::Count)));
                bin(BinaryOp::Div, total, positive(count))
            }
            _ => {
                let inner = over_time(family, read.stat, &at(events_part(family)));
                build::aggregate(aggregate_op(read), &read.labels, inner)
            }
        },
        Source::Ratio { of, over, before } => {
            let events = |signal: &Signal| value(&as_events(signal, read), ago);
            let now = guarded_ratio(events(of), events(over));
            match before {
                None => now,
                Some(old) => {
                    let read = Read {
                        signal: old,
                        stat: Stat::Last,
                        window: read.window,
                        zoomed: read.zoomed,
                        labels: read.labels.clone(),
                    };
                    bin(BinaryOp::Or, now, value(&read, ago))
                }
            }
        }
        Source::Raw(raw) => raw_over_time(&raw.expr, read, ago),
    };
    scaled(expr, read.signal.value_scale(read.stat))
}

/// What a signal adds per second, or how much there is of a gauge; per group.
pub(super) fn events(
    signal: &Signal,
    window: Duration,
    ago: Option<Duration>,
    labels: &[String],
) -> Expr {
    let like = Read {
        signal,
        stat: Stat::Rate,
        window,
        zoomed: false,
        labels: labels.to_vec(),
    };
    value(&as_events(signal, &like), ago)
}

/// A part of a ratio, read over the same time and labels as the whole.
fn as_events<'a>(signal: &'a Signal, like: &Read<'_>) -> Read<'a> {
    Read {
        signal,
        stat: signal.stat_in_ratio(),
        window: like.window,
        zoomed: like.zoomed,
        labels: like.labels.clone(),
    }
}

/// Observations per second in each bucket of a histogram, for a heatmap.
pub(super) fn buckets(read: &Read<'_>) -> Option<Query> {
    let family = read.signal.family()?;
    let over = Over {
        window: read.window,
        zoomed: read.zoomed,
        ago: None,
        part: Part::Bucket,
    };
    let labels = vec!["le".to_owned()];
    Some(Query {
        expr: sum(&labels, rate(family, &over)),
        labels,
    })
}

/// `part / (whole > 0)`, where a missing part counts as none: no series yet is no event yet.
pub(super) fn guarded_ratio(part: Expr, whole: Expr) -> Expr {
    bin(BinaryOp::Div, or_zero(part, &whole), positive(whole))
}

/// A missing `part` counts as zero wherever there is a `whole`.
pub(super) fn or_zero(part: Expr, whole: &Expr) -> Expr {
    let zero = bin(BinaryOp::Mul, build::number("0"), whole.clone());
    bin(BinaryOp::Or, part, zero)
}

/// Drops the elements that are zero, so that nothing is divided by them.
pub(super) fn positive(expr: Expr) -> Expr {
    bin(BinaryOp::Gt, expr, build::number("0"))
}

/// Observations per second in the bucket of `le`.
pub(super) fn bucket_rate(
    family: &Family,
    bucket: &crate::plan::Bucket,
    window: Duration,
    labels: &[String],
) -> Expr {
    let mut narrowed = family.clone();
    narrowed
        .matchers
        .push(("le".into(), bucket.op, bucket.pattern.clone()));
    let over = Over {
        window,
        zoomed: false,
        ago: None,
        part: Part::Bucket,
    };
    sum(labels, rate(&narrowed, &over))
}

/// Series of a signal, without any stat: `group by (labels) (m)`.
pub(super) fn presence(family: &Family, labels: &[String], ago: Option<Duration>) -> Expr {
    build::aggregate(AggregateOp::Group, labels, series(family, ago))
}

/// How many series of a signal there are: `count by (labels) (m)`.
pub(super) fn number_of_series(family: &Family, labels: &[String]) -> Expr {
    build::aggregate(AggregateOp::Count, labels, series(family, None))
}

fn series(family: &Family, ago: Option<Duration>) -> Expr {
    let over = Over {
        window: DEFAULT_WINDOW,
        zoomed: false,
        ago,
        part: events_part(family),
    };
    alternatives(family, |name| instant(family, name, &over))
}

/// `lhs op rhs`.
pub(super) fn bin(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    build::binary(op, lhs, rhs).into()
}

/// A series over a window.
pub(super) fn range(selector: Selector, window: Duration) -> Expr {
    build::range(selector, time(window))
}

fn time(duration: Duration) -> ast::Duration {
    ast::Duration::from_secs(duration.as_secs())
}

/// Exact where the decimal ends.
pub(super) fn number(value: Number) -> Expr {
    build::number(decimal(value))
}

pub(super) fn sum(labels: &[String], expr: Expr) -> Expr {
    build::aggregate(AggregateOp::Sum, labels, expr)
}

/// An expression over a window, a minute apart: as often as records are made.
pub(super) fn over(function: &str, expr: Expr, window: Duration) -> Expr {
    let sub = Subquery {
        expr: Box::new(expr),
        range: time(window),
        step: Some(time(Duration::from_mins(1))),
        at: AtOffset::default(),
    };
    build::call(function, [Expr::from(ExprKind::Subquery(sub))])
}

/// A series of a family, over some time, some time ago.
struct Over {
    window: Duration,
    zoomed: bool,
    ago: Option<Duration>,
    part: Part,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Bucket,
    Sum,
    Count,
}

impl Part {
    fn suffix(self) -> &'static str {
        match self {
            Part::Whole => "",
            Part::Bucket => "_bucket",
            Part::Sum => "_sum",
            Part::Count => "_count",
        }
    }
}

fn events_part(family: &Family) -> Part {
    match family.kind {
        crate::spec::Kind::Histogram => Part::Count,
        crate::spec::Kind::Gauge | crate::spec::Kind::Counter => Part::Whole,
    }
}

fn aggregate_op(read: &Read<'_>) -> AggregateOp {
    match read.signal.across {
        Across::Sum => AggregateOp::Sum,
        Across::Max => AggregateOp::Max,
        Across::Min => AggregateOp::Min,
        Across::Avg => AggregateOp::Avg,
    }
}

fn rate(family: &Family, over: &Over) -> Expr {
    ranged(family, "rate", over)
}

fn over_time(family: &Family, stat: Stat, over: &Over) -> Expr {
    match stat {
        Stat::Last | Stat::Quantile(_) => alternatives(family, |name| instant(family, name, over)),
        other => ranged(family, range_function(other), over),
    }
}

fn range_function(stat: Stat) -> &'static str {
    match stat {
        Stat::Last | Stat::Quantile(_) => "last_over_time",
        Stat::Avg => "avg_over_time",
        Stat::Min => "min_over_time",
        Stat::Max => "max_over_time",
        Stat::Rate => "rate",
        Stat::Increase => "increase",
        Stat::Slope => "deriv",
    }
}

fn ranged(family: &Family, function: &str, over: &Over) -> Expr {
    alternatives(family, |name| {
        let window = match over.zoomed {
            true => ast::Duration::placeholder(RATE_INTERVAL),
            false => time(over.window),
        };
        let range = build::range(selector(family, name, over), window);
        build::call(function, vec![range])
    })
}

fn instant(family: &Family, name: &str, over: &Over) -> Expr {
    selector(family, name, over).into()
}

fn selector(family: &Family, name: &str, over: &Over) -> Selector {
    let series = format!("{name}{}", over.part.suffix());
    let metric = family
        .matchers
        .iter()
        .fold(build::metric(&series), |m, (label, op, value)| {
            m.matcher(label, *op, value)
        });
    match over.ago {
        Some(ago) => metric.offset(time(ago)),
        None => metric,
    }
}

fn alternatives(family: &Family, make: impl Fn(&str) -> Expr) -> Expr {
    let mut all = family.names.iter().map(|name| make(name));
    // A family has at least one name.
    let first = all.next().unwrap_or_else(|| build::number("0"));
    all.fold(first, |so_far, next| bin(BinaryOp::Or, so_far, next))
}

fn raw_over_time(expr: &Expr, read: &Read<'_>, ago: Option<Duration>) -> Expr {
    if read.stat == Stat::Last && ago.is_none() {
        return expr.clone();
    }
    let step = Some(DEFAULT_WINDOW).filter(|_| read.window > Duration::from_secs(86_400));
    let mut over = Subquery {
        expr: Box::new(expr.clone()),
        range: time(read.window),
        step: step.map(time),
        at: AtOffset::default(),
    };
    over.at.offset = ago.map(time);
    build::call(
        range_function(read.stat),
        [Expr::from(ExprKind::Subquery(over))],
    )
}

fn scaled(expr: Expr, scale: Number) -> Expr {
    let one = Number::from_integer(1);
    if scale == one {
        return expr;
    }
    if *scale.numer() == 1 {
        return bin(BinaryOp::Div, expr, number(one / scale));
    }
    bin(BinaryOp::Mul, expr, number(scale))
}
