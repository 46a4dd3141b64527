//! Input series that give a signal the levels of a scenario.

use super::distribution::{Bounds, Cumulative};
use super::labels::{self, LabelSet};
use super::values::{self, Phase};
use crate::target::prometheus::view::Input;
use slosmith_catalog::Series;
use slosmith_plan::plan::{Bound, Bucket, Compare, Family, Plan, Reading, Signal, Source};
use slosmith_spec::spec::{FamilyKind, Stat};
use slosmith_text::units::{Duration, Number, Per, decimal};

/// Requests a minute, so many that every share of them is close to a whole number.
pub(super) const TRAFFIC: i128 = 1_000_000;

/// A level for some steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    steps: u64,
    /// No level means no traffic at all.
    value: Option<Number>,
    /// How busy it is, against the usual.
    busy: Number,
}

impl Level {
    /// Usual traffic at a level.
    pub(super) fn new(steps: u64, value: Number) -> Self {
        Self {
            steps,
            value: Some(value),
            busy: Number::new_raw(1, 1),
        }
    }

    /// No traffic.
    pub(super) fn idle(steps: u64) -> Self {
        Self {
            steps,
            value: None,
            busy: Number::new_raw(1, 1),
        }
    }

    /// So many times the usual traffic.
    pub(super) fn busy(self, busy: i128) -> Self {
        let busy = int(busy);
        Self { busy, ..self }
    }

    /// So many events a minute.
    pub(super) fn thin(self, events: Number) -> Self {
        let busy = events / TRAFFIC;
        Self { busy, ..self }
    }

    fn map(self, f: impl FnOnce(Number) -> Number) -> Self {
        Self {
            value: self.value.map(f),
            ..self
        }
    }
}

/// A signal as it is read over time, and the time of a rate.
struct Read<'a> {
    signal: &'a Signal,
    stat: Stat,
    window: Duration,
    per: Option<Per>,
}

/// How series are made.
#[derive(Clone, Copy)]
pub(super) struct Driver<'a> {
    pub(super) plan: &'a Plan,
    /// Minutes from sample to sample.
    pub(super) step: u64,
}

fn int(n: i128) -> Number {
    Number::from_integer(n)
}

impl Driver<'_> {
    /// A share of the events of one step: whole events, where they are many.
    fn share_of_traffic(&self, share: Number, busy: Number) -> Number {
        let events = share * busy * (TRAFFIC * i128::from(self.step));
        match busy < int(1) {
            true => events,
            false => events.round(),
        }
    }

    fn input(&self, name: &str, set: &LabelSet, values: String) -> Input {
        Input {
            series: labels::series(name, set),
            values,
        }
    }

    /// Counters whose increment a step is a share of the traffic.
    fn shares(&self, levels: &[Level], share: impl Fn(Number) -> Number) -> Vec<Phase> {
        let increment = |l: &Level| {
            l.value
                .map_or(int(0), |v| self.share_of_traffic(share(v), l.busy))
        };
        levels.iter().map(|l| (l.steps, increment(l))).collect()
    }

    /// Series for a compared signal; without `parts`, a ratio's numerator has no series.
    pub(super) fn compare(&self, c: &Compare, levels: &[Level], parts: bool) -> Option<Vec<Input>> {
        let family = |family| {
            let near = match &c.bound {
                Bound::Fixed(_, threshold, _) => Some(*threshold),
                Bound::Outside(o) => o.sides().find_map(|(_, limit)| Some(limit?.value)),
                Bound::Times(..) => None,
            };
            let read = Read {
                signal: &c.signal,
                stat: c.stat,
                window: c.window,
                per: c.unit.per,
            };
            self.family(&read, family, near, levels)
        };
        match &c.signal.source {
            Source::Raw(_) => None,
            Source::Ratio { of, over, .. } => self.ratio(of, over, levels, parts),
            Source::Family(found) => family(found),
        }
    }

    /// Series for a signal that is read, with whatever it is compared.
    pub(super) fn reading(&self, reading: &Reading, levels: &[Level]) -> Option<Vec<Input>> {
        let read = Read {
            signal: &reading.signal,
            stat: reading.stat,
            window: reading.window,
            per: None,
        };
        match &reading.signal.source {
            Source::Raw(_) => None,
            Source::Ratio { of, over, .. } => self.ratio(of, over, levels, true),
            Source::Family(family) => self.family(&read, family, None, levels),
        }
    }

    fn family(
        &self,
        c: &Read<'_>,
        family: &Family,
        near: Option<Number>,
        levels: &[Level],
    ) -> Option<Vec<Input>> {
        let set = labels::of(self.plan, c.signal, family);
        let name = family.names.newest();
        let scale = c.signal.value_scale(c.stat);
        let fixed: Vec<Phase> = levels
            .iter()
            .map(|l| (l.steps, l.value.unwrap_or(int(0)) / scale))
            .collect();
        let grown = |seconds: i128| -> Vec<Phase> {
            let per_step = Number::new(i128::from(self.step * 60), seconds);
            fixed
                .iter()
                .map(|(steps, level)| (*steps, *level * per_step))
                .collect()
        };
        let per = c.per.map_or(1, |p| i128::from(p.seconds));
        let window = i128::from(c.window.as_secs());
        let counted = counted(family);
        Some(match (c.stat, family.kind) {
            (Stat::Quantile(q), _) => return self.histogram(c, family, q, near, levels),
            (Stat::Avg, FamilyKind::Histogram) => {
                let sums = self.shares(levels, |v| v / scale);
                let counts = self.shares(levels, |_| int(1));
                vec![
                    self.input(&series(name, Series::Sum), &set, values::counter(&sums)),
                    self.input(&counted, &set, values::counter(&counts)),
                ]
            }
            (Stat::Rate | Stat::Slope, _) => {
                vec![self.input(&counted, &set, values::counter(&grown(per)))]
            }
            (Stat::Increase, _) => {
                vec![self.input(&counted, &set, values::counter(&grown(window)))]
            }
            (Stat::Last | Stat::Avg | Stat::Min | Stat::Max, _) => {
                vec![self.input(name, &set, values::gauge(&fixed))]
            }
        })
    }

    fn histogram(
        &self,
        c: &Read<'_>,
        family: &Family,
        q: Number,
        near: Option<Number>,
        levels: &[Level],
    ) -> Option<Vec<Input>> {
        let name = family.names.newest();
        let scale = c.signal.scale;
        let bounds = Bounds::of(family, near.map_or(int(100), |near| near / scale));
        let made: Vec<Option<Cumulative>> = levels
            .iter()
            .map(|l| match l.value {
                Some(level) => Some(Some(bounds.with_quantile(q, level / scale)?)),
                None => Some(None),
            })
            .collect::<Option<_>>()?;
        let all = self.shares(levels, |_| int(1));
        // Prometheus 3 carries a rate on to the start of its window only as far as the counter is above 0, and Prometheus 2 has a
        // sample there. From this many observations on, the counter is above 0 for two steps before the window.
        let most = all.iter().map(|(_, increment)| *increment).max();
        let before = most.map_or(int(0), |most| (most * 2).ceil());
        let mut set = labels::of(self.plan, c.signal, family);
        let mut bucket = |le: &str, phases: &[Phase]| {
            set.insert("le".into(), le.into());
            let values = values::counter_from(before, phases);
            self.input(&series(name, Series::Bucket), &set, values)
        };
        let mut out = Vec::new();
        let needed = bounds.needed(made.iter().flatten());
        for (i, le) in bounds.les().enumerate().filter(|(i, _)| needed[*i]) {
            let increment = |(l, shares): (&Level, &Option<Cumulative>)| {
                let share = shares.as_ref().map_or(int(0), |s| s[i]);
                (l.steps, self.share_of_traffic(share, l.busy))
            };
            let phases: Vec<_> = levels.iter().zip(&made).map(increment).collect();
            out.push(bucket(le, &phases));
        }
        out.push(bucket("+Inf", &all));
        Some(out)
    }

    /// A ratio of counters or of gauges.
    fn ratio(
        &self,
        of: &Signal,
        over: &Signal,
        levels: &[Level],
        parts: bool,
    ) -> Option<Vec<Input>> {
        let (part, whole) = (of.family()?, over.family()?);
        let gauges = part.kind == FamilyKind::Gauge;
        let inside = labels::is_part(part, whole);
        let rest = |v: Number| if inside && parts { int(1) - v } else { int(1) };
        let text = |phases: &[Phase]| {
            if gauges {
                values::gauge(phases)
            } else {
                values::counter(phases)
            }
        };
        let scale = |signal: &Signal| signal.value_scale(signal.stat_in_ratio());
        let (of_scale, over_scale) = (scale(of), scale(over));
        // Gauges in MiB would be a few whole numbers: only their quotient is read.
        let unit = if gauges {
            of_scale.max(over_scale)
        } else {
            int(1)
        };
        let mut out = Vec::new();
        if parts {
            let set = labels::of(self.plan, of, part);
            let phases = self.shares(levels, |v| v * unit / of_scale);
            out.push(self.input(&counted(part), &set, text(&phases)));
        }
        let mut set = labels::of(self.plan, over, whole);
        if inside {
            set = labels::outside(set, part, whole);
        }
        let phases = self.shares(levels, |v| rest(v) * unit / over_scale);
        out.push(self.input(&counted(whole), &set, text(&phases)));
        Some(out)
    }

    /// Series for good or bad events out of all events; levels are error ratios.
    pub(super) fn events(
        &self,
        part: &Signal,
        good: bool,
        total: &Signal,
        levels: &[Level],
        parts: bool,
    ) -> Option<Vec<Input>> {
        let share = |v: Number| if good { int(1) - v } else { v };
        let levels: Vec<Level> = levels.iter().map(|l| l.map(share)).collect();
        self.ratio(part, total, &levels, parts)
    }

    /// A series that is first seen after so many steps, and then counts this much.
    pub(super) fn born(&self, signal: &Signal, at: u64, value: Number) -> Option<Input> {
        let family = signal.family()?;
        let set = labels::of(self.plan, signal, family);
        let values = format!("_x{at} {}+0x{at}", decimal(value));
        Some(self.input(&counted(family), &set, values))
    }

    /// Series for a latency SLI: all observations, and those in the bucket; levels are error ratios.
    pub(super) fn latency(
        &self,
        signal: &Signal,
        within: &Bucket,
        levels: &[Level],
    ) -> Option<Vec<Input>> {
        let family = signal.family()?;
        let name = family.names.newest();
        let mut set = labels::of(self.plan, signal, family);
        let all = self.shares(levels, |_| int(1));
        let good = self.shares(levels, |v| int(1) - v);
        let count = self.input(&series(name, Series::Count), &set, values::counter(&all));
        set.insert("le".into(), within.le.clone());
        let bucket = self.input(&series(name, Series::Bucket), &set, values::counter(&good));
        Some(vec![bucket, count])
    }
}

fn series(family: &str, series: Series) -> String {
    format!("{family}{}", series.suffix())
}

/// The series that counts a family's events, or the gauge itself.
fn counted(family: &Family) -> String {
    series(family.names.newest(), family.counted())
}
