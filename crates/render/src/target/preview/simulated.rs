//! Three simulated days: the preview has no data, but shows how its dashboards will look.
//!
//! No value is measured. A value lies on the good side of its thresholds and follows a daily curve of traffic. On the day with an
//! incident, the value crosses all of them for the last [`INCIDENT`] minutes before [`NOW`]. Which alerts fire, and since when, is
//! evaluated: the conditions on the drawn values, and the tiers of SLOs on error ratios that are averaged over their windows.

use std::collections::BTreeSet;

use slosmith_plan::health;
use slosmith_plan::plan::dashboard::{
    BEGAN, Color, Origin, Panel, PanelSignal, Role, Series, Threshold,
};
use slosmith_plan::plan::selection::Matcher;
use slosmith_plan::plan::{
    Bound, Condition, EventSli, EventSlo, Plan, Signal, SignalKind, Tier, ValueUnit,
};
use slosmith_promql::ast::Expr;
use slosmith_promql::usage::contexts;
use slosmith_spec::naming;
use slosmith_spec::spec::{Baseline, GraphKind, Stat};
use slosmith_text::units::{Duration, Number, Unit, float};

/// The time of the preview, in minutes since midnight: 14:55.
pub(super) const NOW: f64 = 895.0;

/// How long the incident has taken by then, in minutes.
pub(super) const INCIDENT: f64 = 45.0;

/// Minutes until an incident is at its height.
const RISE: f64 = 5.0;

/// Share of the error budget that is spent without an incident.
const SPENT: f64 = 0.3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Day {
    Healthy,
    /// The last [`INCIDENT`] minutes are bad.
    Incident,
    /// Nothing is scraped, and no rule is evaluated.
    Silent,
}

impl Day {
    pub(super) const ALL: [Self; 3] = [Self::Healthy, Self::Incident, Self::Silent];

    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Incident => "incident",
            Self::Silent => "silent",
        }
    }

    /// How much of an incident there is: from 0 to 1.
    pub(super) fn risen(self, minute: f64) -> f64 {
        self.bad_minutes(minute, RISE) / RISE
    }

    /// Minutes of the incident in the window that ends at `minute`.
    fn bad_minutes(self, minute: f64, window: f64) -> f64 {
        match self {
            Self::Healthy | Self::Silent => 0.0,
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

#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    healthy: f64,
    incident: f64,
    /// Share of the value that follows traffic.
    follows: f64,
    swing: f64,
    /// What it is never above.
    most: f64,
    seed: u32,
}

impl Course {
    /// Between bounds, or near the usual value without any; `whose` makes its swing its own.
    fn new(unit: ValueUnit, bounds: &[(f64, bool)], usual: (f64, f64), whose: &str) -> Self {
        let (healthy, incident) = match bounds {
            [] => usual,
            _ => bounded(unit, bounds),
        };
        let lower = bounds.iter().any(|(_, upper)| !upper);
        let values = bounds.iter().map(|(bound, _)| bound);
        let near = values.flat_map(|bound| [(bound - healthy).abs(), (bound - incident).abs()]);
        let room = near.fold(f64::INFINITY, f64::min);
        let flag = unit.unit == Unit::Bool;
        Self {
            healthy,
            incident,
            follows: if lower || flag || steady(unit.unit) {
                0.0
            } else {
                0.5
            },
            swing: if flag {
                0.0
            } else {
                (healthy * 0.05).min(room * 0.3).max(0.0)
            },
            most: if is_share(unit) { 1.0 } else { f64::INFINITY },
            seed: whose.bytes().map(u32::from).sum(),
        }
    }

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
    let Origin::Signal(read) = &series.origin else {
        let bounds = panel.thresholds.iter().filter(judges);
        let bounds: Vec<_> = bounds.map(|b| (float(b.value), b.upper)).collect();
        let usual = usual(panel.unit, None, rare(plan, series, None));
        return Course::new(panel.unit, &bounds, usual, &panel.title);
    };
    let (signal, stat) = (&read.signal, read.stat);
    let bounds = bounds(plan, signal, stat, panel.unit);
    let rare = rare(plan, series, Some(read));
    let (healthy, incident) = usual(panel.unit, Some((signal, stat)), rare);
    // Lines of equal values would cover each other.
    let less = 1.0 + 0.25 * f64::from(index);
    let usual = (healthy / less, incident / less);
    Course::new(panel.unit, &bounds, usual, &signal.name)
}

/// The course of a value that is compared: the same that panels draw.
pub(super) fn compared(plan: &Plan, signal: &Signal, stat: Stat, unit: ValueUnit) -> Course {
    let usual = usual(unit, Some((signal, stat)), false);
    let bounds = bounds(plan, signal, stat, unit);
    Course::new(unit, &bounds, usual, &signal.name)
}

/// Whether a condition holds at a minute of a day; unknown where more than fixed values and earlier ones decide.
pub(super) fn evaluated<'c>(
    plan: &Plan,
    condition: &'c Condition,
) -> impl Fn(Day, f64) -> Option<bool> + use<'c> {
    let compares = condition.compares();
    let courses = compares.map(|c| (c, compared(plan, &c.signal, c.stat, c.unit)));
    let courses: Vec<_> = courses.collect();
    move |day, minute| {
        let mut leaf = |leaf: &Condition| match leaf {
            Condition::Compare(compare) => {
                let mut courses = courses.iter();
                let own = courses.find(|(of, _)| std::ptr::eq(*of, &**compare));
                let (_, course) = own.ok_or(())?;
                let now = course.at(day, minute);
                match &compare.bound {
                    Bound::Fixed(op, bound, _) => Ok(op.holds(now, float(*bound))),
                    Bound::Times(op, times, Baseline::Offset(ago)) => {
                        let before = course.at(day, minute - minutes(*ago));
                        Ok(op.holds(now, float(*times) * before))
                    }
                    _ => Err(()),
                }
            }
            // Every series has values.
            Condition::Absent(_) => Ok(false),
            _ => Err(()),
        };
        health::evaluate(condition, &mut leaf).ok()
    }
}

/// How long something has been so, in minutes; `None` if it is not so now. Nothing is looked for before [`BEGAN`].
pub(super) fn held(holds: impl Fn(f64) -> bool) -> Option<f64> {
    let mut past = (0..=BEGAN.mins_up()).map(|ago| ago as f64);
    let end = past.find(|ago| !holds(NOW - ago));
    match end {
        Some(0.0) => None,
        Some(ago) => Some(ago - 1.0),
        None => Some(minutes(BEGAN)),
    }
}

/// The bounds of a value in conditions and SLOs, and on panels that show it: each with the side on which values are worse.
fn bounds(plan: &Plan, signal: &Signal, stat: Stat, unit: ValueUnit) -> Vec<(f64, bool)> {
    let is_own = |other: &Signal| other.reads_as(signal);
    let to = |from: ValueUnit, of: Stat, bound: Number| {
        let time = |unit: ValueUnit| unit.per.map_or(1.0, |per| f64::from(per.seconds));
        float(bound) * time(unit) / time(from) * share(signal, stat) / share(signal, of)
    };
    let mut found = Vec::new();
    for alert in &plan.alerts {
        let alone = !matches!(alert.condition, Condition::All(..) | Condition::Unless(..));
        for leaf in alert.condition.holding() {
            if let Condition::Compare(c) = leaf
                && let Bound::Fixed(op, bound, _) = &c.bound
                // "Are there any" beside another condition says nothing of usual values.
                && (alone || *bound != Number::from_integer(0))
                && c.unit.per.is_some() == unit.per.is_some()
                && is_own(&c.signal)
            {
                found.push((to(c.unit, c.stat, *bound), op.is_upper()));
            }
        }
    }
    let shows = |series: &Series| match &series.origin {
        Origin::Signal(read) => read.stat == stat && is_own(&read.signal),
        _ => false,
    };
    let panels = plan.dashboards.iter().flat_map(|d| d.panels());
    for panel in panels.filter(|panel| panel.series.iter().any(shows)) {
        let lines = panel.thresholds.iter().filter(judges);
        found.extend(lines.map(|line| (to(panel.unit, Stat::Last, line.value), line.upper)));
    }
    found
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

/// Of several readings of a histogram, the percentiles are in their order.
fn share(signal: &Signal, stat: Stat) -> f64 {
    match stat {
        _ if signal.kind() != SignalKind::Histogram => 1.0,
        Stat::Quantile(q) if q <= Number::new(1, 2) => 0.4,
        Stat::Quantile(q) if q > Number::new(95, 100) => 1.4,
        Stat::Avg => 0.5,
        _ => 1.0,
    }
}

/// A value on the good side of its bounds, and one beyond those on one side: the upper, if there are some.
fn bounded(unit: ValueUnit, bounds: &[(f64, bool)]) -> (f64, f64) {
    let of = |upper: bool| {
        let side = bounds.iter().filter(move |(_, side)| *side == upper);
        side.map(|(bound, _)| *bound)
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
        plan.alerts.iter().any(|alert| {
            alert.condition.compares().any(|c| {
                let upper = matches!(&c.bound, Bound::Fixed(op, ..) if op.is_upper());
                upper && c.signal.reads_as(&read.signal)
            })
        })
    };
    let counter = read.filter(|read| read.signal.kind() == SignalKind::Counter);
    let own = selected(&series.query.expr);
    let selects = |(label, op, value): &Matcher| {
        let matcher = format!("{label}{}{value}", op.symbol());
        own.iter().any(|(_, selected)| *selected == matcher)
    };
    let is_bad = |events: &EventSlo| {
        if let EventSli::Ratio { part, total, .. } = &events.sli
            && let Some(narrowed) = part.narrows(total)
        {
            return narrowed.iter().any(selects);
        }
        events.read().is_some_and(|read| {
            let [total, bad] = read.map(selected);
            bad.difference(&total).any(|bad| own.contains(bad))
        })
    };
    counter.is_some_and(bounded) || plan.slos.iter().any(|slo| is_bad(&slo.events))
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

/// Values without a threshold in the plan: of the usual size of their unit. What is bad is rare.
fn usual(unit: ValueUnit, read: Option<(&Signal, Stat)>, rare: bool) -> (f64, f64) {
    let (healthy, incident) = unbounded(unit, read);
    let share = read.map_or(1.0, |(signal, stat)| share(signal, stat));
    match rare {
        true => (healthy * 0.01, healthy * 0.3),
        false => (healthy * share, incident * share),
    }
}

fn unbounded(unit: ValueUnit, read: Option<(&Signal, Stat)>) -> (f64, f64) {
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
        read.filter(|(signal, stat)| signal.kind() == SignalKind::Histogram && *stat != Stat::Rate);
    let buckets = measured
        .map(|(signal, _)| signal.buckets())
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
}

pub(super) fn minutes(duration: Duration) -> f64 {
    float(duration.number()) / 60.0
}

/// A label set of a series.
pub(super) struct Group {
    pub(super) name: String,
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

/// The labels of the overview, each with a made-up value: `model 1`.
pub(super) fn label_set(plan: &Plan) -> Vec<(&str, String)> {
    let mut all = plan.dashboards.iter();
    let overview = all.find(|dashboard| dashboard.name == naming::OVERVIEW);
    let labels = overview
        .into_iter()
        .flat_map(|overview| &overview.variables);
    let value = |label: &str| format!("{} 1", label.strip_suffix("_name").unwrap_or(label));
    labels
        .map(|v| (v.label.as_str(), value(&v.label)))
        .collect()
}

/// The label set of all rows.
pub(super) fn whom(plan: &Plan) -> String {
    let groups = label_set(plan).into_iter().rev();
    let words: Vec<_> = groups.map(|(_, value)| value).collect();
    words.join(" ")
}

/// A minute of the day as a clock shows it: `14:55`.
pub(super) fn clock(minute: f64) -> String {
    format!("{:02.0}:{:02.0}", (minute / 60.0).floor(), minute % 60.0)
}
