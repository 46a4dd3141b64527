//! What values are compared with: units, buckets, the signal's own past.
//!
//! `above: 300ms` of a signal in seconds is 0.3. `above: 300` is an error, because the unit is missing. `above: 20s` of a
//! percentile whose last bucket boundary is 10s is an error, because the alert could never fire.

use super::cloudwatch::vended;
use super::context::Context;
use slosmith_plan::plan::{
    Bound, Bucket, CompareOp, Limit, Outside, Signal, SignalKind, Source, ValueUnit,
};
use slosmith_plan::query::SignalQuery;
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::{split_series, visit};
use slosmith_spec::library;
use slosmith_spec::spec::{self, Side, Stat, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Duration, Mismatch, Number, Per, Quantity, Unit, decimal, shown};

/// A second, the time of a rate whose threshold has none.
const PER_SECOND: Per = Per {
    seconds: 1,
    name: "s",
};

pub(super) fn wrong_unit(at: Span, mismatch: Mismatch) -> Diagnostic {
    Diagnostic::error("wrong-unit", at, mismatch.message).help(mismatch.help)
}

/// The comparison with a threshold, if there is one.
pub(super) fn comparison(of: &spec::Comparison) -> Option<(CompareOp, &Spanned<spec::Bound>)> {
    [
        (CompareOp::Above, &of.above),
        (CompareOp::Below, &of.below),
        (CompareOp::AtLeast, &of.at_least),
        (CompareOp::AtMost, &of.at_most),
    ]
    .into_iter()
    .find_map(|(op, bound)| Some((op, bound.as_ref()?)))
}

fn is_rate(read: &SignalQuery<'_>) -> bool {
    matches!(read.stat, Stat::Rate | Stat::Slope)
}

pub(super) fn unit(read: &SignalQuery<'_>, per: Option<Per>) -> ValueUnit {
    let counts = read.signal.kind() == SignalKind::Histogram
        && matches!(read.stat, Stat::Rate | Stat::Increase);
    ValueUnit {
        unit: match read.signal.unit {
            _ if counts => Unit::Count,
            // The share of the time in which a state was true.
            Unit::Bool if read.stat == Stat::Avg => Unit::Ratio,
            unit => unit,
        },
        per: is_rate(read).then(|| per.unwrap_or(PER_SECOND)),
    }
}

pub(super) struct Fixed {
    pub(super) value: Number,
    pub(super) unit: ValueUnit,
    pub(super) bound: Bound,
}

pub(super) fn fixed(
    cx: &mut Context<'_>,
    read: &SignalQuery<'_>,
    op: CompareOp,
    quantity: &Spanned<Quantity>,
) -> Option<Fixed> {
    let unit = unit(read, quantity.value.per());
    let value = match quantity.value.of(unit.unit, is_rate(read)) {
        Ok(value) => value,
        Err(mismatch) => {
            cx.sink.push(wrong_unit(quantity.span, mismatch));
            return None;
        }
    };
    doubt_percentage(cx, read, unit.unit, value, quantity);
    doubt_length(cx, unit.unit, value, quantity);
    if let Stat::Quantile(q) = read.stat
        && q < Number::new(1, 2)
        && matches!(op, CompareOp::Above | CompareOp::AtLeast)
    {
        let (low, high) = (
            decimal(q * 100),
            decimal((Number::from_integer(1) - q) * 100),
        );
        let message =
            format!("`p{low}` is above `{quantity}` only while {high}% of the values are");
        let warning = Diagnostic::warning("contradiction", quantity.span, message);
        cx.sink
            .push(warning.help(format!("write `stat: p{high}` to compare the slowest")));
    }
    let beyond = match read.stat {
        Stat::Quantile(_) => beyond_buckets(read.signal, value, quantity),
        _ => None,
    };
    if let Some(error) = beyond.or_else(|| never_or_always(read, op, value, quantity)) {
        cx.sink.push(error);
        return None;
    }
    Some(Fixed {
        value,
        unit,
        bound: Bound::Fixed(op, value, quantity.to_string()),
    })
}

/// Warns of a length of days in minutes, or of weeks in hours: `15000m`.
fn doubt_length(cx: &mut Context<'_>, unit: Unit, value: Number, quantity: &Spanned<Quantity>) {
    let text = quantity.to_string();
    let count = |sign: &str| text.strip_suffix(sign)?.parse::<u64>().ok();
    let days = match (count("m"), count("h")) {
        (Some(minutes), _) if unit == Unit::Seconds => minutes / 1_440,
        (_, Some(hours)) if unit == Unit::Seconds => hours / 168,
        _ => 0,
    };
    if days >= 7 {
        let seconds = u64::try_from(value.to_integer()).unwrap_or_default();
        let plain = Duration::from_secs(seconds);
        let message = format!("`{text}` is {plain}");
        let warning = Diagnostic::warning("wrong-unit", quantity.span, message);
        cx.sink.push(warning.help(format!(
            "if it is meant, write `{plain}`; otherwise use another unit"
        )));
    }
}

/// Warns of a share with the sign of a percentage: `0.95%` of a gauge in percent.
fn doubt_percentage(
    cx: &mut Context<'_>,
    read: &SignalQuery<'_>,
    unit: Unit,
    value: Number,
    quantity: &Spanned<Quantity>,
) {
    let text = quantity.to_string();
    let is_near_one = value >= Number::new(5, 1_000) && value < Number::new(1, 100);
    let of = match &read.signal.source {
        Source::Ratio { of, .. } => of.as_ref(),
        _ => read.signal,
    };
    let is_gauge = of.kind() == SignalKind::Gauge && unit == Unit::Ratio;
    if is_gauge && is_near_one && text.starts_with("0.") && text.ends_with('%') {
        let message = format!(
            "`{text}` of `{}` is less than one percent",
            read.signal.name
        );
        let warning = Diagnostic::warning("wrong-unit", quantity.span, message);
        let meant = decimal(value * 10_000);
        cx.sink.push(warning.help(format!(
            "write `{meant}%` if you mean {} of 1",
            text.trim_end_matches('%')
        )));
    }
}

/// How a value is compared that is equal to the lowest or the highest value of its signal; other values are hardly ever met
/// exactly.
pub(super) fn extreme(
    cx: &mut Context<'_>,
    read: &SignalQuery<'_>,
    equals: &Spanned<Quantity>,
) -> Option<CompareOp> {
    let unit = unit(read, equals.value.per()).unit;
    let Ok(value) = equals.value.of(unit, is_rate(read)) else {
        // Reported where it is compared.
        return Some(CompareOp::AtMost);
    };
    let is_lowest =
        value == Number::from_integer(0) && unit != Unit::Celsius && read.stat != Stat::Slope;
    if is_lowest {
        return Some(CompareOp::AtMost);
    }
    if top(read) == Some(value) {
        return Some(CompareOp::AtLeast);
    }
    let name = &read.signal.name;
    let message = format!("`equals` needs the lowest or the highest value of `{name}`");
    let error = Diagnostic::error("bad-threshold", equals.span, message);
    cx.sink
        .push(error.help("use `at_least` or `at_most`, or PromQL for a code: `promql: \"max by (LABEL) (METRIC) == 79\"`"));
    None
}

/// The highest value, where there is one.
fn top(read: &SignalQuery<'_>) -> Option<Number> {
    let metric = read.signal.cloudwatch.as_ref();
    let longest = metric.and_then(|m| vended::highest(&m.namespace, m.names.newest()));
    if let Some(longest) = longest.filter(|_| read.signal.unit == Unit::Seconds && !is_rate(read)) {
        return Some(longest.number());
    }
    let is_bounded = matches!(read.signal.unit, Unit::Ratio | Unit::Bool)
        && !is_rate(read)
        && read.signal.kind() != SignalKind::Counter;
    is_bounded.then(|| Number::from_integer(1))
}

/// A comparison that no value of the signal can meet, or that every value meets.
fn never_or_always(
    read: &SignalQuery<'_>,
    op: CompareOp,
    value: Number,
    at: &Spanned<Quantity>,
) -> Option<Diagnostic> {
    if read.stat == Stat::Slope {
        return None;
    }
    let zero = Number::from_integer(0);
    let top = top(read);
    let negative_possible = read.signal.unit == Unit::Celsius;
    let above_top = |limit: Number| match op {
        CompareOp::Above => value >= limit,
        CompareOp::AtLeast => value > limit,
        CompareOp::Below | CompareOp::AtMost => false,
    };
    let never = top.is_some_and(above_top)
        || (!negative_possible
            && match op {
                CompareOp::Below => value <= zero,
                CompareOp::AtMost => value < zero,
                CompareOp::Above | CompareOp::AtLeast => false,
            });
    if never {
        let message = format!("`{}` can never be {} {at}", read.signal.name, op.as_str());
        let help = match top {
            Some(top) if op.is_upper() => {
                let most = shown(top, read.signal.unit);
                format!(
                    "use a lower threshold: `{}` is at most {most}",
                    read.signal.name
                )
            }
            _ => format!(
                "use a higher threshold: `{}` is never negative",
                read.signal.name
            ),
        };
        return Some(Diagnostic::error("never-firing", at.span, message).help(help));
    }
    let (least, most) = ((!negative_possible).then_some(zero), top);
    let always = match op {
        CompareOp::Above => least.is_some_and(|least| value < least),
        CompareOp::AtLeast => least.is_some_and(|least| value <= least),
        CompareOp::Below => most.is_some_and(|most| value > most),
        CompareOp::AtMost => most.is_some_and(|most| value >= most),
    };
    always.then(|| {
        let message = format!("`{}` is always {} {at}", read.signal.name, op.as_str());
        let (use_a, range) = match most.filter(|_| !op.is_upper()) {
            Some(most) => (
                "lower",
                format!("at most {}", shown(most, read.signal.unit)),
            ),
            None => ("higher", "never negative".to_owned()),
        };
        Diagnostic::error("always-firing", at.span, message).help(format!(
            "use a {use_a} threshold: `{}` is {range}",
            read.signal.name
        ))
    })
}

/// A multiple of its own past that a value always or never reaches while nothing changes.
pub(super) fn pointless(
    read: &SignalQuery<'_>,
    op: CompareOp,
    factor: Number,
    at: Span,
) -> Option<Diagnostic> {
    if read.stat == Stat::Slope {
        return None;
    }
    let (zero, one) = (Number::from_integer(0), Number::from_integer(1));
    let name = &read.signal.name;
    let never = match op {
        CompareOp::Below => factor <= zero,
        CompareOp::AtMost => factor < zero,
        CompareOp::Above | CompareOp::AtLeast => false,
    };
    let always = match op {
        CompareOp::Above => factor < one,
        CompareOp::AtLeast => factor <= one,
        CompareOp::Below => factor > one,
        CompareOp::AtMost => factor >= one,
    };
    let times = decimal(factor);
    let (code, message) = match (never, always) {
        (true, _) => {
            let message = format!(
                "`{name}` can never be {} {times} times its past value",
                op.as_str()
            );
            ("never-firing", message)
        }
        (_, true) => {
            let message = format!(
                "`{name}` is {} {times} times its past value even if nothing changes",
                op.as_str()
            );
            ("always-firing", message)
        }
        _ => return None,
    };
    let help = match op.is_upper() {
        true => "write a rise as `above: {times: 2, …}`, a fall as `below: {times: 0.5, …}`",
        false => "write a fall as `below: {times: 0.5, …}`, a rise as `above: {times: 2, …}`",
    };
    Some(Diagnostic::error(code, at, message).help(help))
}

/// Reports a threshold outside the bucket boundaries, between which percentiles are interpolated.
fn beyond_buckets(signal: &Signal, value: Number, at: &Spanned<Quantity>) -> Option<Diagnostic> {
    let (name, scale, unit) = (&signal.name, signal.scale, signal.unit);
    let (first, last) = (signal.buckets().first()?, signal.buckets().last()?);
    let raw = value / scale;
    let shown = |bucket: &Bucket| shown(bucket.bound * scale, unit);
    // The same digits with the other unit of time.
    let slip = |from: &str, to: &str, raw: Number| {
        let (text, is_inside) = (at.to_string(), raw >= first.bound && raw < last.bound);
        let digits = text.strip_suffix(from)?.parse::<f64>().ok();
        let is_slip = unit == Unit::Seconds && is_inside && digits.is_some();
        is_slip.then(|| format!("did you mean `{}{to}`?", text.trim_end_matches(from)))
    };
    let thousand = Number::from_integer(1_000);
    let meant = slip("ms", "s", raw * thousand).or_else(|| slip("s", "ms", raw / thousand));
    let (message, help) = if raw >= last.bound {
        (
            format!(
                "percentiles of `{name}` are never above its last bucket boundary ({})",
                shown(last)
            ),
            format!("use a threshold below {}", shown(last)),
        )
    } else if raw < first.bound {
        (
            format!(
                "{at} is below the first bucket boundary of `{name}` ({}), where a percentile is only a guess",
                shown(first)
            ),
            format!("use {} or more", shown(first)),
        )
    } else {
        return None;
    };
    let error = Diagnostic::error("threshold-beyond-buckets", at.span, message);
    Some(error.maybe_help(meant).help(help))
}

/// A coefficient of correlation: above 0 and below 1.
pub(super) fn coefficient(quantity: &Spanned<Quantity>) -> Result<Number, Diagnostic> {
    let value = quantity.value.of(Unit::Count, false);
    let inside = |v: &Number| *v > Number::from_integer(0) && *v < Number::from_integer(1);
    value.ok().filter(inside).ok_or_else(|| {
        let message =
            format!("a correlation coefficient must be above 0 and below 1; found `{quantity}`");
        Diagnostic::error("bad-threshold", quantity.span, message)
            .help("write a number such as `0.8`")
    })
}

pub(super) fn outside(
    cx: &mut Context<'_>,
    read: &SignalQuery<'_>,
    o: &spec::Outside,
) -> Option<Outside> {
    let range = usual_range(o, cx.evaluation_interval());
    let range = cx.sink.take(range);
    let floor = limit(cx, read, (CompareOp::Above, "above"), &o.above, o);
    let ceiling = limit(cx, read, (CompareOp::Below, "below"), &o.below, o);
    Some(Outside {
        floor: floor?,
        ceiling: ceiling?,
        ..range?
    })
}

fn limit(
    cx: &mut Context<'_>,
    read: &SignalQuery<'_>,
    (op, field): (CompareOp, &str),
    quantity: &Option<Spanned<Quantity>>,
    o: &spec::Outside,
) -> Option<Option<Limit>> {
    let Some(quantity) = quantity else {
        return Some(None);
    };
    let (other, word) = match op.is_upper() {
        true => (Side::Low, "low"),
        false => (Side::High, "high"),
    };
    if o.side == other {
        let message = format!("`{field}` has no effect with `side: {word}`");
        cx.reject_field(field, quantity.span, message);
        return None;
    }
    let fixed = fixed(cx, read, op, quantity)?;
    let per = fixed.unit.per.map_or(1, |per| i128::from(per.seconds));
    Some(Some(Limit {
        value: fixed.value / per,
        text: quantity.to_string(),
    }))
}

/// Without `min_samples`, a usual range rests on no fewer samples, and needs no more than those of a day.
const FEW: u64 = 20;
const DAY: Duration = Duration::from_secs(86_400);

fn usual_range(o: &spec::Outside, every: Duration) -> Result<Outside, Diagnostic> {
    let sigma = o.sigma.value.of(Unit::Count, false).map_err(|m| {
        Diagnostic::error("wrong-unit", o.sigma.span, m.message)
            .help("write a plain number such as `3`")
    })?;
    if sigma <= Number::from_integer(0) {
        let message = format!("`sigma` must be above 0; found `{}`", decimal(sigma));
        return Err(Diagnostic::error("bad-threshold", o.sigma.span, message)
            .help("write a number such as `3`"));
    }
    let in_time = |time: Duration| time.as_secs() / every.as_secs().max(1);
    let samples = in_time(o.window.value);
    // The first hours of a new service are not its usual range.
    let enough = || (samples / 2).min(in_time(DAY)).max(FEW);
    let given = o.min_samples.as_ref().map(|least| u64::from(least.value));
    let least = given.unwrap_or_else(enough);
    if samples < least {
        let message = format!(
            "a window of {} has {samples} samples, but `min_samples` is {least}: the condition can never hold",
            o.window
        );
        return Err(
            Diagnostic::error("never-firing", o.window.span, message).help(format!(
                "use a window of {} or more, or a lower `min_samples`",
                Duration::from_secs(least * every.as_secs())
            )),
        );
    }
    Ok(Outside {
        sigma,
        window: o.window.value,
        min_samples: u32::try_from(least).unwrap_or(u32::MAX),
        side: o.side,
        floor: None,
        ceiling: None,
    })
}

/// Reports a percentile in PromQL that is compared with a value beyond the buckets of its histogram.
pub(super) fn own_quantile(
    cx: &mut Context<'_>,
    text: &Text,
    expr: &Expr,
    bound: &Spanned<spec::Bound>,
) -> Option<()> {
    let ExprKind::Call(call) = &visit::bare(expr).kind else {
        return Some(());
    };
    let selectors = visit::selectors(expr);
    let name = selectors
        .first()
        .and_then(|selector| selector.metric.as_ref());
    let (Some(name), "histogram_quantile", spec::Bound::Quantity(quantity)) =
        (name, call.function.text.as_str(), &bound.value)
    else {
        return Some(());
    };
    let base = split_series(&name.text).0;
    let is_of = |signal: &&Signal| {
        let family = signal.family();
        family.is_some_and(|family| family.names.iter().any(|name| name == base))
    };
    let declared = cx.ready_signals().find(is_of).cloned();
    let library = || {
        let name = library::of_family(base)?;
        let signal = cx.optional_signal(&Text::new(name, text.span))?;
        Some(Signal::clone(&signal))
    };
    let Some(signal) = declared.or_else(library) else {
        return Some(());
    };
    let is_raw = signal.scale == Number::from_integer(1);
    let plain = || quantity.of(Unit::Count, false).ok();
    let value = quantity.of(signal.unit, false).ok().or_else(plain);
    let value = value.filter(|_| is_raw);
    let quantity = Spanned::new(quantity.clone(), bound.span);
    match value.and_then(|value| beyond_buckets(&signal, value, &quantity)) {
        Some(error) => {
            cx.sink.push(error);
            None
        }
        None => Some(()),
    }
}
