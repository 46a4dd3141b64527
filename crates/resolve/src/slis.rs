//! SLIs: events of signals, moments of a gauge, the author's PromQL.
//!
//! `{latency: {signal: ttft, at_most: 500ms}}` is the histogram with its bucket `le="0.5"`, on every release of the range.

mod goodput;
mod own;
pub(super) mod sides;

use std::rc::Rc;

use super::context::Context;
use super::{bound, family};
use slosmith_plan::plan::{
    Bucket, CompareOp, EVALUATION, EventSli, Good, OwnEvents, Signal, SignalKind, Source, TimeSli,
};
use slosmith_plan::query::{self, Events, NewSeries};
use slosmith_promql as promql;
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Spanned;
use slosmith_text::units::{Number, Quantity, Unit};

/// The events of an objective.
pub(super) fn events(cx: &mut Context<'_>, name: &Text, slo: &spec::Slo) -> Option<Events> {
    let sli = &slo.sli.value;
    if let Some(time) = &sli.time {
        uncounted(cx, slo, Some("a `time` SLI has none"));
        return good_time(cx, time, slo);
    }
    if let Some(own) = &sli.promql {
        family::reject_where(cx, slo.groups.selection().matchers);
        let events = own::events(cx, &name.value, &own.value, slo)?;
        check_own(cx, slo, &events);
        return Some(events);
    }
    if let Some(goodput) = &sli.goodput {
        return goodput::events(cx, name, slo, &goodput.value);
    }
    if let Some(latency) = &sli.latency {
        let signal = cx.selected(&latency.value.signal, slo.groups.selection())?;
        let within = boundary(cx, &signal, &latency.value)?;
        let labels = cx.slo_labels(slo, &[&signal]);
        if let Source::Raw(raw) = &signal.source {
            let events = OwnEvents {
                part: query::own_bucket(raw, &within, &labels),
                good: true,
                total: query::events_over_window(&signal, &labels),
            };
            return Some(own_events(cx, slo, events, labels));
        }
        let family = signal.family()?.clone();
        return Some(Events {
            sli: EventSli::Latency {
                family: Box::new(family),
                signal: Box::new(Signal::clone(&signal)),
                within,
            },
            labels,
            new_series: new_series(cx, slo),
        });
    }
    let ratio = &sli.ratio.as_ref()?.value;
    let (part, good) = match (&ratio.good, &ratio.bad) {
        (Some(good), _) => (good, true),
        (None, bad) => (bad.as_ref()?, false),
    };
    let (name, all) = (&part.signal, &ratio.total.signal);
    let (part, total) = (side(cx, part, slo), side(cx, &ratio.total, slo));
    let (part, total) = (part?, total?);
    for (signal, at) in [(&part, name), (&total, all)] {
        if !matches!(signal.kind(), SignalKind::Counter | SignalKind::Histogram) {
            let kind = signal.kind();
            let message = format!(
                "a `ratio` SLI needs counters; `{at}` is a {}",
                kind.as_str()
            );
            let help = (kind == SignalKind::Gauge).then(|| {
                "use a `time` SLI for a gauge: `time: {signal: NAME, below: 10}`".to_owned()
            });
            let error = Diagnostic::error("wrong-kind", at.span, message);
            cx.sink.push(error.maybe_help(help));
            return None;
        }
    }
    let word = if good { "good" } else { "bad" };
    sides::check(cx, (&part, name, word), (&total, all, "total"))?;
    sides::doubt_total(cx, (&part, name, word), (&total, all, "total"));
    if !good {
        sides::doubt_text(cx, slo, &part);
    }
    if let Some(family) = part.family() {
        let matchers = family.matchers.iter();
        let matchers = matchers.map(|(label, op, value)| (label.as_str(), *op, value.as_str()));
        let told = sides::doubt_statuses(cx, name.span, good, matchers);
        if !told {
            sides::doubt_names(cx, &part, name, good);
        }
    }
    let labels = cx.slo_labels(slo, &[&total, &part]);
    if [&part, &total]
        .iter()
        .any(|signal| matches!(signal.source, Source::Raw(_)))
    {
        let over_window = |signal: &Signal| query::events_over_window(signal, &labels);
        let events = OwnEvents {
            part: over_window(&part),
            good,
            total: over_window(&total),
        };
        return Some(own_events(cx, slo, events, labels));
    }
    Some(Events {
        sli: EventSli::Ratio {
            part: Box::new(Signal::clone(&part)),
            good,
            total: Box::new(Signal::clone(&total)),
        },
        labels,
        new_series: new_series(cx, slo),
    })
}

/// The events of a side of a ratio.
fn side(cx: &mut Context<'_>, side: &spec::RatioSide, slo: &spec::Slo) -> Option<Rc<Signal>> {
    let signal = cx.selected(&side.signal, slo.groups.selection())?;
    family::side(cx, &signal, side)
}

/// How new series are told, if the objective counts what they begin with.
fn new_series(cx: &Context<'_>, slo: &spec::Slo) -> Option<NewSeries> {
    slo.count_new_series.filter(|c| c.value).map(|_| NewSeries {
        target: cx.labels_of_targets(),
        every: cx.recording_interval(),
    })
}

/// Events by signals that are PromQL of the author's.
fn own_events(
    cx: &mut Context<'_>,
    slo: &spec::Slo,
    events: OwnEvents,
    labels: Vec<String>,
) -> Events {
    let events = Events {
        sli: EventSli::Own(Box::new(events)),
        labels,
        new_series: None,
    };
    check_own(cx, slo, &events);
    events
}

/// Of PromQL of the author's, the events are a number where it is made of rates alone.
fn check_own(cx: &mut Context<'_>, slo: &spec::Slo, events: &Events) {
    let why = "the PromQL of this SLI is not made of `rate` or `increase` alone";
    uncounted(cx, slo, (!events.is_counted()).then_some(why));
}

/// Rejects fields that need series of events, and a number of events where there is none, and why not.
fn uncounted(cx: &mut Context<'_>, slo: &spec::Slo, why: Option<&str>) {
    if let Some(new) = slo.count_new_series {
        let message = "`count_new_series` needs a `ratio` or `latency` SLI on metrics";
        cx.reject_field("count_new_series", new.span, message.to_owned());
    }
    if let (Some(least), Some(why)) = (slo.min_events, why) {
        let message = format!("`min_events` needs an SLI that counts events; {why}");
        cx.reject_field("min_events", least.span, message);
    }
}

fn good_time(
    cx: &mut Context<'_>,
    time: &Spanned<spec::GoodTime>,
    slo: &spec::Slo,
) -> Option<Events> {
    let t = &time.value;
    let of = spec::Selection {
        across: t.across,
        ..slo.groups.selection()
    };
    let signal = cx.selected(&t.signal, of)?;
    if signal.kind() != SignalKind::Gauge {
        let message = format!(
            "a `time` SLI needs a gauge; `{}` is a {}",
            t.signal,
            signal.kind().as_str()
        );
        let error = Diagnostic::error("wrong-kind", t.signal.span, message);
        cx.sink
            .push(error.help("use a `ratio` or `latency` SLI to count events"));
        return None;
    }
    let (good, quantity) = match &t.comparison.equals {
        Some(quantity) => (Good::Equals, quantity.clone()),
        None => {
            let (op, bound) = bound::comparison(&t.comparison)?;
            let spec::Bound::Quantity(quantity) = &bound.value else {
                let message = "a `time` SLI needs a fixed threshold, such as `80%`";
                cx.sink
                    .push(Diagnostic::error("bad-threshold", bound.span, message));
                return None;
            };
            (Good::Is(op), Spanned::new(quantity.clone(), bound.span))
        }
    };
    let bound = in_unit(cx, &signal, &quantity)?;
    if let Some(error) = never_or_always(&signal, good, bound, &quantity) {
        cx.sink.push(error);
        return None;
    }
    sides::doubt_alerts(cx, t);
    if let Good::Is(op) = good {
        sides::doubt_side(cx, &signal, &t.signal, op, &quantity);
    }
    let labels = cx.slo_labels(slo, &[&signal]);
    check_query_labels(cx, &signal, &t.signal, slo, &labels);
    let time = TimeSli {
        signal: Signal::clone(&signal),
        good,
        bound,
        text: quantity.to_string(),
        every: cx.scrape_interval().min(EVALUATION),
    };
    Some(Events {
        sli: EventSli::Time(Box::new(time)),
        labels,
        new_series: None,
    })
}

/// Reports the labels of a gauge in PromQL by which the SLO is not grouped: each of its series would become an SLO.
fn check_query_labels(
    cx: &mut Context<'_>,
    signal: &Signal,
    at: &Text,
    slo: &spec::Slo,
    labels: &[String],
) {
    let Source::Raw(raw) = &signal.source else {
        return;
    };
    let group_by = &cx.spec.prometheus.group_by;
    let mut more = labels
        .iter()
        .filter(|label| group_by.iter().all(|known| known.value != **label));
    let (message, help) = match (promql::kept_labels(&raw.expr).names(), more.next()) {
        (None, _) => (
            format!(
                "the query of `{at}` is not aggregated: each of its series would become an SLO"
            ),
            "aggregate the query, as in `max by (cluster) (…)`".to_owned(),
        ),
        (_, Some(label)) if slo.groups.selection().named().is_empty() => (
            format!(
                "the query of `{at}` returns the label `{label}`, but the SLO is not grouped by it"
            ),
            format!("remove the label from the query, or add `by: [{label}]` to the SLO"),
        ),
        _ => return,
    };
    let error = Diagnostic::error("label-mismatch", at.span, message);
    cx.sink.push(error.help(help));
}

/// A bound that no value or every value of the signal meets.
fn never_or_always(
    signal: &Signal,
    good: Good,
    bound: Number,
    at: &Spanned<Quantity>,
) -> Option<Diagnostic> {
    let (zero, one) = (Number::from_integer(0), Number::from_integer(1));
    let least = (signal.unit != Unit::Celsius).then_some(zero);
    let most = matches!(signal.unit, Unit::Ratio | Unit::Bool).then_some(one);
    let below = least.is_some_and(|least| bound < least);
    let beyond = most.is_some_and(|most| bound > most);
    let (never, always) = match good {
        Good::Is(CompareOp::Above) => (beyond || most == Some(bound), below),
        Good::Is(CompareOp::Below) => (below || least == Some(bound), beyond),
        Good::Is(CompareOp::AtLeast) => (beyond, below || least == Some(bound)),
        Good::Is(CompareOp::AtMost) => (below, beyond || most == Some(bound)),
        Good::Equals => (below || beyond, false),
    };
    let said = format!("{} {at}", good.as_str());
    let word = match (never, always) {
        (true, _) => "never",
        (_, true) => "always",
        _ => return None,
    };
    let message = format!(
        "`{}` is {word} {said}: the SLO would {word} be met",
        signal.name
    );
    Some(Diagnostic::error("bad-threshold", at.span, message))
}

pub(super) fn histogram(cx: &mut Context<'_>, signal: &Signal, at: &Text) -> Option<()> {
    if signal.kind() == SignalKind::Histogram {
        return Some(());
    }
    let message = format!(
        "a `latency` SLI needs a histogram; `{at}` is a {}",
        signal.kind().as_str()
    );
    cx.sink
        .push(Diagnostic::error("wrong-kind", at.span, message));
    None
}

/// A bound in the histogram's unit.
pub(super) fn in_unit(
    cx: &mut Context<'_>,
    signal: &Signal,
    at: &Spanned<Quantity>,
) -> Option<Number> {
    match at.value.of(signal.unit, false) {
        Ok(value) => Some(value),
        Err(mismatch) => {
            cx.sink.push(bound::wrong_unit(at.span, mismatch));
            None
        }
    }
}

/// The bucket with the requested boundary.
fn boundary(cx: &mut Context<'_>, signal: &Signal, latency: &spec::Latency) -> Option<Bucket> {
    histogram(cx, signal, &latency.signal)?;
    let value = in_unit(cx, signal, &latency.at_most)? / signal.scale;
    if !signal.is_stored() {
        return Some(family::declared_bucket(value));
    }
    if let Some(bucket) = signal.buckets().iter().find(|b| b.bound == value) {
        return Some(bucket.clone());
    }
    let error = family::not_a_boundary(cx, signal, value, &latency.at_most);
    cx.sink.push(error);
    None
}
