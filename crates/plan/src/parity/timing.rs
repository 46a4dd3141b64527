//! Periods and data points of an alarm.
//!
//! A condition with `for: 10m` must hold in every value of these ten minutes: a gauge in 11 data points of a minute (both ends
//! count), a p95 over 5 minutes in 3 data points of 300 seconds.

use crate::plan::cloudwatch::NotExpressible;
use crate::plan::{Bound, Compare, CompareOp, Signal, SignalKind};
use slosmith_cloudwatch::{NoStatistic, Statistic, limits};
use slosmith_spec::spec::{AlarmOverride, Stat};
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Number, Unit};

const MINUTE: u64 = 60;

const HOUR: u64 = 3_600;

const DAY: u64 = 86_400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    pub(super) period: u64,
    pub(super) evaluate: u32,
    pub(super) datapoints: u32,
}

/// A gauge has a data point each minute during `for`. Everything else has windows in a row, whose ends are `for` apart.
pub(super) fn of(c: &Compare, hold: Duration) -> Result<Timing, NotExpressible> {
    if is_without_events(c) {
        return without_events(c.window, hold);
    }
    let timing = match is_instant(&c.signal, c.stat) {
        true => return each_value(&c.signal, hold),
        false => each_window(c.window, hold)?,
    };
    match interval(&c.signal) > timing.period {
        true => each_value(&c.signal, hold),
        false => Ok(timing),
    }
}

/// Seconds between two values of a signal.
pub(super) fn interval(signal: &Signal) -> u64 {
    let metric = signal.cloudwatch.as_ref();
    metric.map_or(MINUTE, |m| limits::interval(&m.namespace, m.names.newest()))
}

/// True where no event may happen in the window. Fewer than one of what comes whole is none.
pub(super) fn is_without_events(c: &Compare) -> bool {
    let whole = [Unit::Count, Unit::Requests, Unit::Tokens].contains(&c.signal.unit);
    match (&c.bound, c.stat) {
        (Bound::Fixed(CompareOp::AtMost, value, _), Stat::Rate | Stat::Increase) => {
            *value == Number::from_integer(0)
        }
        (Bound::Fixed(CompareOp::Below, value, _), Stat::Increase) => {
            whole && *value <= Number::from_integer(1)
        }
        _ => false,
    }
}

/// Short periods in a row, all without events. CloudWatch looks at some periods more than it evaluates, and an old value there holds the
/// alarm back (AWS: "How alarm state is evaluated when data is missing"): with one long period, by hours.
fn without_events(window: Duration, hold: Duration) -> Result<Timing, NotExpressible> {
    let whole = window.as_secs() + hold.as_secs();
    let period = match whole {
        0..=HOUR => MINUTE,
        _ if whole <= DAY => 5 * MINUTE,
        _ => return each_window(window, hold),
    };
    Ok(Timing::all_of(period, whole.div_ceil(period)))
}

/// True when the newest value is wanted, and no window of it.
pub(super) fn is_instant(signal: &Signal, stat: Stat) -> bool {
    stat == Stat::Last && signal.kind() == SignalKind::Gauge
}

/// A point for each value, most often a minute, from the beginning of a holding time to its end.
pub(super) fn each_value(signal: &Signal, hold: Duration) -> Result<Timing, NotExpressible> {
    let period = interval(signal);
    // A value stands until the next one: a shorter holding time needs one.
    let held = match period {
        MINUTE => hold.as_secs().div_ceil(period),
        _ => hold.as_secs() / period,
    };
    let points = held + 1;
    match points * period > limits::longest_look_back(period) {
        true if period < HOUR => Err(NotExpressible::BeyondDay(hold)),
        true => Err(NotExpressible::BeyondWeek(hold)),
        false => Ok(Timing::all_of(period, points)),
    }
}

/// A point for each whole window of a holding time, and the one before it: never later than Prometheus.
pub(super) fn each_window(window: Duration, hold: Duration) -> Result<Timing, NotExpressible> {
    let Timing { period, .. } = once(window)?;
    let most = limits::longest_look_back(period) / period;
    Ok(Timing::all_of(
        period,
        (hold.as_secs() / period + 1).min(most),
    ))
}

pub(super) fn once(over: Duration) -> Result<Timing, NotExpressible> {
    let period = over.as_secs().div_ceil(MINUTE).max(1) * MINUTE;
    if period > limits::longest_look_back(period) {
        return Err(NotExpressible::BeyondWeek(over));
    }
    Ok(Timing::all_of(period, 1))
}

impl Timing {
    /// Every one of so many points.
    fn all_of(period: u64, points: u64) -> Self {
        let points = u32::try_from(points).unwrap_or(u32::MAX);
        Self {
            period,
            evaluate: points,
            datapoints: points,
        }
    }

    /// Time from the end of the first data point to the end of the last: the time that a condition must hold.
    pub(super) fn held(self) -> u64 {
        self.period * u64::from(self.datapoints.saturating_sub(1))
    }

    /// True when the alarm is only looked at once an hour (AWS: "Evaluating an alarm", multi-day alarms).
    pub(super) fn is_hourly(self) -> bool {
        self.period * u64::from(self.evaluate) > DAY
    }

    /// What the author wants otherwise; an error where CloudWatch would reject it.
    pub(super) fn with(
        mut self,
        sink: &mut Sink,
        over: Option<&Spanned<AlarmOverride>>,
        signal: &Signal,
    ) -> Self {
        let Some(over) = over.map(|over| &over.value) else {
            return self;
        };
        if let Some(period) = over.period {
            self.period = period.value.as_secs();
            let least = match interval(signal) {
                limits::BASIC => MINUTE,
                least => least,
            };
            if !limits::is_period(self.period) {
                let message = format!("CloudWatch does not support a period of {}", period.value);
                let error = Diagnostic::error("alarm-limit", period.span, message);
                sink.push(error.help("use 10s, 20s, 30s or a multiple of 1m"));
            } else if self.period < least && !signal.is_published() {
                let least = Duration::from_secs(least);
                let message = format!(
                    "`{}` has one value every {least} in CloudWatch: an alarm with a period of {} would lack data points and never fire",
                    signal.name, period.value
                );
                let error = Diagnostic::error("alarm-limit", period.span, message);
                sink.push(error.help(format!(
                    "use {least} or longer; only values that your code publishes can have shorter periods"
                )));
            }
        }
        if let Some(evaluate) = over.evaluate {
            self.evaluate = evaluate.value;
            self.datapoints = evaluate.value;
        }
        if let Some(datapoints) = over.datapoints {
            self.datapoints = datapoints.value;
            if !(1..=self.evaluate).contains(&datapoints.value) {
                let message = match datapoints.value {
                    0 => "`datapoints` must be at least 1".to_owned(),
                    points => format!(
                        "`datapoints` ({points}) must not be greater than `evaluate` ({})",
                        self.evaluate
                    ),
                };
                sink.push(Diagnostic::error("alarm-limit", datapoints.span, message));
            }
        }
        self.check_look_back(sink, over);
        self
    }

    fn check_look_back(self, sink: &mut Sink, over: &AlarmOverride) {
        let (evaluate, period) = (
            over.evaluate.map(|e| e.span),
            over.period.map(|period| period.span),
        );
        let Some(at) = evaluate.or(period) else {
            return;
        };
        let back = self.period.saturating_mul(u64::from(self.evaluate));
        let limit = limits::longest_look_back(self.period);
        if self.evaluate == 0 || back > limit {
            let words = limits::longest_look_back_words(self.period);
            let message = match self.evaluate {
                0 => "`evaluate` must be at least 1".to_owned(),
                _ => format!(
                    "`period` × `evaluate` is {back} s, but CloudWatch looks back at most {words}"
                ),
            };
            sink.push(Diagnostic::error("alarm-limit", at, message));
        }
    }
}

pub(super) fn statistic(
    sink: &mut Sink,
    over: Option<&Spanned<AlarmOverride>>,
) -> Option<Statistic> {
    let text = over?.value.statistic.as_ref()?;
    match text.value.parse() {
        Ok(statistic) => Some(statistic),
        Err(why) => {
            let message = match &why {
                NoStatistic::Unknown(word) => format!("unknown statistic `{word}`"),
                why => why.to_string(),
            };
            let error = Diagnostic::error("alarm-limit", text.span, message);
            let plain = Statistic::PLAIN.map(|word| format!("`{word}`")).join(", ");
            sink.push(error.help(format!(
                "use {plain}, a percentile such as `p99`, `IQM`, `TM()`, `TC()`, `TS()`, `WM()` or `PR()`"
            )));
            None
        }
    }
}
