//! Two simulated days: the preview has no data, but shows how its dashboards will look.
//!
//! No value is measured. A value lies on the good side of its panel's thresholds and follows a daily curve of traffic. On
//! the day with an incident, the value crosses all of them for the last [`INCIDENT`] minutes before [`NOW`]. Error ratios of
//! SLOs are averaged over their windows like in the rules, so only the tiers fire that would fire.

use std::collections::BTreeSet;

use crate::plan::dashboard::{Color, Origin, Panel, PanelSignal, Role, Series, Threshold};
use crate::plan::{Bound, Condition, EventSlo, Plan, SignalKind, SloKind, Tier, ValueUnit, alert};
use crate::promql::ast::Expr;
use crate::promql::usage::contexts;
use crate::spec::{GraphKind, Stat};
use crate::units::{Duration, Number, Unit, float};

/// The time of the preview, in minutes since midnight: 14:55.
pub(super) const NOW: f64 = 895.0;

/// How long the incident has taken by then, in minutes.
pub(super) const INCIDENT: f64 = 45.0;

/// Minutes until an incident is at its height.
const RISE: f64 = 5.0;

/// Share of the error budget that is spent without an incident.
const SPENT: f64 = 0.3;

/// A simulated day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Day {
    /// Nothing happens.
    Healthy,
    /// The last [`INCIDENT`] minutes are bad.
    Incident,
}

impl Day {
    pub(super) const ALL: [Self; 2] = [Self::Healthy, Self::Incident];

    /// Its class on the page.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Incident => "incident",
        }
    }

    /// How much of an incident there is: from 0 to 1.
    pub(super) fn risen(self, minute: f64) -> f64 {
        self.bad_minutes(minute, RISE) / RISE
    }

    /// Minutes of the incident in the window that ends at `minute`.
    fn bad_minutes(self, minute: f64, window: f64) -> f64 {
        match self {
            Self::Healthy => 0.0,
            Self::Incident => (minute - (NOW - INCIDENT)).clamp(0.0, window),
        }
    }
}

/// Traffic by the time of day: 1 at 15:00, 0 at 03:00.
fn traffic(minute: f64) -> f64 {
    let hours = (minute / 60.0 - 3.0).rem_euclid(24.0);
    let away = (hours - 12.0) / 12.0;
    (1.0 - away * away) * (1.0 - away * away)
}

/// From -1 to 1, the same for the same seed and minute.
fn jitter(seed: u32, minute: f64) -> f64 {
    // A step of a linear congruential generator, mixed with the next bits.
    let mut state = seed.wrapping_mul(2_654_435_761) ^ (minute.rem_euclid(100_000.0) as u32);
    for _ in 0..3 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state ^= state >> 15;
    }
    f64::from(state % 2_001) / 1_000.0 - 1.0
}

/// The course of one value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    healthy: f64,
    incident: f64,
    /// Share of the value that follows traffic.
    follows: f64,
    /// How far it swings on its own.
    swing: f64,
    /// What it is never above.
    most: f64,
    seed: u32,
}

impl Course {
    /// The value at a minute of a day.
    pub(super) fn at(&self, day: Day, minute: f64) -> f64 {
        let swing = self.swing * jitter(self.seed, minute);
        let usual = self.healthy * (1.0 - self.follows + self.follows * traffic(minute)) + swing;
        let value = usual + (self.incident + swing - usual) * day.risen(minute);
        value.min(self.most)
    }

    /// A part of the value, such as one of several groups.
    pub(super) fn part(self, healthy: f64, incident: f64, seed: u32) -> Self {
        Self {
            healthy: self.healthy * healthy,
            incident: self.incident * incident,
            swing: self.swing * healthy.min(incident),
            seed: self.seed.wrapping_add(seed),
            ..self
        }
    }
}

/// The course of a series of a panel, which is `index`th of it; none of objectives.
pub(super) fn course(plan: &Plan, panel: &Panel, series: &Series, index: u32) -> Course {
    let read = match &series.origin {
        Origin::Signal(read) => Some(&**read),
        _ => None,
    };
    let mut bounds: Vec<_> = panel.thresholds.iter().filter(judges).collect();
    let parts = match read {
        Some(read) if bounds.is_empty() => bounds_in_parts(plan, panel.unit, read),
        _ => Vec::new(),
    };
    bounds.extend(&parts);
    let (healthy, incident) = match bounds[..] {
        [] if rare(plan, series, read) => {
            let (usual, _) = unbounded(panel.unit, read);
            (usual * 0.01, usual * 0.3)
        }
        [] => unbounded(panel.unit, read),
        _ => bounded(panel.unit, &bounds),
    };
    let beside = panel.series.len() > 1;
    let factor = read.filter(|_| beside).map_or(1.0, |read| share(read.stat));
    // Lines of equal values would cover each other.
    let factor = match bounds.is_empty() {
        true => factor / (1.0 + 0.25 * f64::from(index)),
        false => factor,
    };
    let (healthy, incident) = (healthy * factor, incident * factor);
    let lower = bounds.iter().any(|bound| !bound.upper);
    let values = bounds.iter().map(|bound| float(bound.value));
    let near = values.flat_map(|bound| [(bound - healthy).abs(), (bound - incident).abs()]);
    let room = near.fold(f64::INFINITY, f64::min);
    let flag = panel.unit.unit == Unit::Bool;
    Course {
        healthy,
        incident,
        follows: if lower || flag || steady(panel.unit.unit) {
            0.0
        } else {
            0.5
        },
        swing: if flag {
            0.0
        } else {
            (healthy * 0.05).min(room * 0.3).max(0.0)
        },
        most: if is_share(panel.unit) {
            1.0
        } else {
            f64::INFINITY
        },
        seed: panel.title.bytes().map(u32::from).sum::<u32>() + 31 * index,
    }
}

/// The bounds of a signal in conditions that have other parts, which no panel draws.
fn bounds_in_parts(plan: &Plan, unit: ValueUnit, read: &PanelSignal) -> Vec<Threshold> {
    let alerts = alert::on_conditions(&plan.slos, &plan.alerts);
    let holding = alerts.flat_map(|alert| alert.condition.holding());
    let bound = |part: &Condition| {
        let Condition::Compare(compare) = part else {
            return None;
        };
        let Bound::Fixed(op, value, text) = &compare.bound else {
            return None;
        };
        let is_same = compare.signal.name == read.signal.name && compare.unit == unit;
        // "Are there any" says nothing of usual values.
        let is_bound = is_same && *value != Number::from_integer(0);
        is_bound.then(|| Threshold {
            name: String::new(),
            value: *value,
            text: text.clone(),
            role: Role::Alert,
            color: Color::Orange,
            upper: op.is_upper(),
        })
    };
    holding.filter_map(bound).collect()
}

/// A part of a whole, which is never more than all of it.
fn is_share(unit: ValueUnit) -> bool {
    unit.unit == Unit::Ratio && unit.per.is_none()
}

/// True when a value is beyond a threshold.
fn judges(bound: &&Threshold) -> bool {
    bound.role != Role::Advisory || !matches!(bound.color, Color::Green | Color::Blue)
}

/// Values that do not follow traffic.
fn steady(unit: Unit) -> bool {
    matches!(
        unit,
        Unit::Ratio | Unit::Bytes | Unit::Celsius | Unit::Hertz
    )
}

/// Of several readings of one signal, the percentiles are in their order.
fn share(stat: Stat) -> f64 {
    match stat {
        Stat::Quantile(q) if q <= Number::new(1, 2) => 0.4,
        Stat::Quantile(q) if q > Number::new(95, 100) => 1.4,
        Stat::Quantile(_) => 1.0,
        Stat::Avg => 0.5,
        _ => 1.0,
    }
}

/// A value on the good side of its bounds, and one beyond those on one side: the upper, if there are some.
fn bounded(unit: ValueUnit, bounds: &[&Threshold]) -> (f64, f64) {
    let of = |upper: bool| {
        let side = bounds.iter().filter(move |bound| bound.upper == upper);
        side.map(|bound| float(bound.value))
    };
    let low = of(false).reduce(f64::max);
    let high = of(true).reduce(f64::min);
    let full = is_share(unit);
    if unit.unit == Unit::Bool {
        return if low.is_some() {
            (1.0, 0.0)
        } else {
            (0.0, 1.0)
        };
    }
    let healthy = match (low, high) {
        (Some(low), Some(high)) if low < high => f64::midpoint(low, high),
        (Some(low), None) if full => low + (1.0 - low).max(0.0) * 0.6,
        (Some(low), None) => low + (low.abs() * 0.6).max(1.0),
        (_, Some(high)) => high * 0.6,
        (None, None) => 0.0,
    };
    let incident = match (of(true).reduce(f64::max), of(false).reduce(f64::min)) {
        (Some(highest), _) => beyond(highest, full),
        (None, Some(lowest)) if lowest > 0.0 => lowest * 0.6,
        (None, _) => healthy - 2.0 * (healthy.abs() + 1.0),
    };
    (healthy, incident)
}

/// Twice a bound; of a share, halfway to all of it where that is less.
fn beyond(bound: f64, full: bool) -> f64 {
    match full {
        true if bound < 1.0 => (bound * 2.0).min(f64::midpoint(1.0, bound)),
        _ if bound == 0.0 => 2.0,
        _ => bound * 2.0,
    }
}

/// True for a value that counts something bad: an alert has an upper bound on this counter, or an SLO counts it as bad events.
fn rare(plan: &Plan, series: &Series, read: Option<&PanelSignal>) -> bool {
    let bounded = |read: &PanelSignal| {
        let mut alerts = alert::on_conditions(&plan.slos, &plan.alerts);
        alerts.any(|alert| {
            let leaves = alert.condition.leaves();
            leaves.iter().any(|leaf| match leaf {
                Condition::Compare(c) => {
                    let upper = matches!(&c.bound, Bound::Fixed(op, ..) if op.is_upper());
                    upper && c.signal.name == read.signal.name
                }
                _ => false,
            })
        })
    };
    let counter = read.filter(|read| read.signal.kind() == SignalKind::Counter);
    let own = selected(&series.query.expr);
    let events = plan.slos.iter().filter_map(|slo| match &slo.kind {
        SloKind::Events(events) => events.read(),
        SloKind::Percentile(_) => None,
    });
    counter.is_some_and(bounded)
        || events.into_iter().any(|read| {
            let [total, bad] = read.map(selected);
            bad.difference(&total).any(|bad| own.contains(bad))
        })
}

/// What a query selects: its metrics, and each of their matchers.
fn selected(expr: &Expr) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for context in contexts(expr) {
        let metric = context.selector.metric.as_ref();
        let metric = metric.map(|name| name.text.to_string()).unwrap_or_default();
        for matcher in &context.selector.matchers {
            let (label, value) = (&matcher.label.text, &matcher.value.value);
            let matcher = format!("{label}{}{value}", matcher.op.symbol());
            found.insert((metric.clone(), matcher));
        }
        found.insert((metric, String::new()));
    }
    found
}

/// Values without a threshold in the plan: of the usual size of their unit.
fn unbounded(unit: ValueUnit, read: Option<&PanelSignal>) -> (f64, f64) {
    if let Some(per) = unit.per {
        let second = match unit.unit {
            Unit::Tokens => 3_000.0,
            Unit::Bytes => 5e7,
            Unit::Flops => 2e14,
            Unit::Requests => 20.0,
            _ => 0.5,
        };
        let healthy = second * f64::from(per.seconds);
        // Waiting users send fewer requests.
        return (healthy, healthy * 0.7);
    }
    let measured =
        read.filter(|r| r.signal.kind() == SignalKind::Histogram && r.stat != Stat::Rate);
    let buckets = measured
        .map(|read| read.signal.buckets())
        .unwrap_or_default();
    if let Some(bucket) = buckets.get(buckets.len() * 2 / 5) {
        let healthy = float(bucket.bound);
        return (
            healthy,
            healthy * if unit.unit == Unit::Seconds { 3.0 } else { 1.5 },
        );
    }
    match unit.unit {
        Unit::Seconds => (0.4, 1.2),
        Unit::Ratio => (0.55, 0.6),
        Unit::Bool => (1.0, 1.0),
        Unit::Bytes => (4e10, 4.5e10),
        Unit::Watts => (420.0, 480.0),
        Unit::Celsius => (62.0, 70.0),
        Unit::Hertz => (1.7e9, 1.6e9),
        Unit::Flops => (2e14, 2e14),
        Unit::Money(_) => (2.0, 2.5),
        Unit::Count | Unit::Requests | Unit::Tokens => (12.0, 36.0),
    }
}

/// The error ratio of an SLO.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    budget: f64,
    healthy: f64,
    incident: f64,
}

impl Errors {
    pub(super) fn of(slo: &EventSlo) -> Self {
        let budget = float(slo.budget.budget);
        // As many as the fastest tier takes to fire well before the incident's last minute, or all.
        let fires = |tier: &Tier| float(tier.threshold) * minutes(tier.long) / INCIDENT * 1.25;
        let fast = slo.tiers.first().map_or(10.0 * budget, fires);
        Self {
            budget,
            healthy: SPENT * budget,
            incident: fast.min(1.0),
        }
    }

    /// Over the window that ends at a minute.
    pub(super) fn over(&self, window: Duration, day: Day, minute: f64) -> f64 {
        let window = minutes(window);
        let share = day.bad_minutes(minute, window) / window;
        self.healthy + (self.incident - self.healthy) * share
    }

    /// How many times faster than allowed the budget is spent.
    pub(super) fn burn(&self, window: Duration, day: Day, minute: f64) -> f64 {
        self.over(window, day, minute) / self.budget
    }

    /// What is left at the end of a period.
    pub(super) fn left(&self, period: Duration, day: Day, minute: f64) -> f64 {
        1.0 - self.burn(period, day, minute)
    }

    /// What is left of the budget of one period that ends [`NOW`].
    pub(super) fn burnt_down(&self, period: Duration, day: Day, minute: f64) -> f64 {
        let gone = 1.0 - (NOW - minute) / minutes(period);
        let spent = self.left(period, Day::Healthy, minute) - self.left(period, day, minute);
        1.0 - SPENT * gone - spent
    }

    /// Minutes of the incident until the mean over a window is above a ratio.
    pub(super) fn crossed_after(&self, window: Duration, ratio: f64) -> f64 {
        minutes(window) * (ratio - self.healthy) / (self.incident - self.healthy)
    }
}

pub(super) fn minutes(duration: Duration) -> f64 {
    float(duration.number()) / 60.0
}

/// A label set of a series.
pub(super) struct Group {
    pub(super) name: String,
    /// If it means something.
    pub(super) color: Option<&'static str>,
    /// Its share of the value on a healthy day.
    pub(super) healthy: f64,
    /// The same at the height of an incident.
    pub(super) incident: f64,
}

impl Group {
    /// All of a series that is not divided.
    pub(super) fn whole() -> Self {
        Self {
            name: String::new(),
            color: None,
            healthy: 1.0,
            incident: 1.0,
        }
    }

    fn outcome((name, color, healthy, incident): (&str, &'static str, f64, f64)) -> Self {
        Self {
            name: name.to_owned(),
            color: Some(color),
            healthy,
            incident,
        }
    }
}

/// One for each of some made-up values of the labels that a panel adds to those of the service.
pub(super) fn groups(panel: &Panel, series: &Series) -> Vec<Group> {
    let by = match &series.origin {
        Origin::Signal(read) => read.by.as_slice(),
        _ => &[],
    };
    let adds_up = matches!(
        panel.draw.graph(),
        Some(GraphKind::Stacked | GraphKind::Bars)
    );
    match by.last().map(String::as_str) {
        None => vec![Group::whole()],
        Some("finished_reason") => [
            ("stop", "green", 0.75, 0.6),
            ("length", "blue", 0.23, 0.2),
            ("abort", "orange", 0.02, 0.2),
        ]
        .map(Group::outcome)
        .into(),
        Some("status" | "status_code" | "code") => [
            ("2xx", "green", 0.97, 0.7),
            ("4xx", "yellow", 0.02, 0.05),
            ("5xx", "red", 0.01, 0.25),
        ]
        .map(Group::outcome)
        .into(),
        Some(label) => {
            let part = if adds_up { 0.5 } else { 1.0 };
            let one = |i: u8| Group {
                name: format!("{label} {i}"),
                color: None,
                healthy: part,
                incident: part - 0.1 * f64::from(i),
            };
            [0, 1].map(one).into()
        }
    }
}

/// A minute of the day as a clock shows it: `14:55`.
pub(super) fn clock(minute: f64) -> String {
    format!("{:02.0}:{:02.0}", (minute / 60.0).floor(), minute % 60.0)
}
