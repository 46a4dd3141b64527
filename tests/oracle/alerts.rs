//! When each alert must be pending and firing, in one view.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use slosmith::plan::{
    Absent, Alert, Bound, Compare, CompareOp, Condition, EventSli, EventSlo, Good, Limit, Outside,
    Plan, Signal, Slo, TimeSli,
};
use slosmith::spec::{self, Baseline, Side, Spec, Stat};
use slosmith::units::{Duration, float};

use crate::history::Labels;
use crate::truth::{Groups, Reader, View, World, group, mean, ratio};

/// What an alert does for one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    Firing,
}

/// The alert of a rule, by group, at each evaluation.
pub(crate) type States = Vec<BTreeMap<Labels, State>>;

/// Groups for which a condition holds.
/// Seconds before the end of all series in which a group must have had some, to be remembered as long as there are none.
const LATELY: f64 = 900.0;

pub(crate) type Held = BTreeSet<Labels>;

/// Signals at every evaluation, by their place in the plan and how they are read.
type Values = HashMap<(usize, String), Rc<Vec<Groups>>>;

/// How far two numbers may lie apart and still be the same, as a share: rules add up in another order. Its sign says
/// which way a comparison of two such numbers goes. Bounds that the spec gives and those that follow from values lean by
/// themselves: a condition may have both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lean {
    pub(crate) given: f64,
    pub(crate) computed: f64,
}

impl Lean {
    const SHARE: f64 = 1e-9;

    /// Every way in which equal numbers can be compared.
    pub(crate) fn ways() -> [Self; 4] {
        let (up, down) = (Self::SHARE, -Self::SHARE);
        [(up, up), (up, down), (down, up), (down, down)]
            .map(|(given, computed)| Self { given, computed })
    }
}

/// What a spec says of a world, asked in one view.
pub(crate) struct Oracle<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) spec: &'a Spec,
    pub(crate) reader: Reader<'a>,
    /// Seconds between evaluations.
    pub(crate) every: f64,
    pub(crate) evaluations: usize,
    lean: Cell<Lean>,
    /// Groups that each absence has met, and when it last did.
    known: RefCell<HashMap<usize, BTreeMap<Labels, f64>>>,
    /// Groups that are remembered while none is there.
    kept: RefCell<HashMap<usize, BTreeMap<Labels, f64>>>,
    values: RefCell<Values>,
}

/// Alerting rules: the alert's name, and the tier of a burn rate.
pub(crate) type RuleId = (String, String);

impl<'a> Oracle<'a> {
    pub(crate) fn new(
        (plan, spec): (&'a Plan, &'a Spec),
        world: &'a World,
        view: View,
        (every, evaluations): (f64, usize),
    ) -> Self {
        let reader = Reader::new(world, view);
        Self {
            plan,
            spec,
            reader,
            every,
            evaluations,
            lean: Cell::new(Lean::ways()[0]),
            known: RefCell::default(),
            kept: RefCell::default(),
            values: RefCell::default(),
        }
    }

    /// The same view, with equal numbers compared in another way.
    pub(crate) fn lean(&self, lean: Lean) -> &Self {
        self.lean.set(lean);
        self.known.borrow_mut().clear();
        self.kept.borrow_mut().clear();
        self
    }

    /// All alerts that can be judged.
    pub(crate) fn alerts(&self) -> BTreeMap<RuleId, States> {
        let mut all = BTreeMap::new();
        for slo in &self.plan.slos {
            let events = &slo.events;
            if !self.reads(slo) {
                continue;
            }
            for tier in &events.tiers {
                let long = self.error_ratio(slo, events, tier.long);
                let short = self.error_ratio(slo, events, tier.short);
                let short = match (300..3_600).contains(&tier.short.as_secs()) {
                    true => self.until_data(slo, events, short),
                    false => short,
                };
                let over = |groups: &Groups| -> Held {
                    let limit = float(tier.threshold);
                    let over = groups
                        .iter()
                        .filter(|(_, v)| self.beyond(CompareOp::Above, **v, limit));
                    over.map(|(group, _)| group.clone()).collect()
                };
                let counts = self.counts(slo, events, tier.long);
                let enough = |group: &Labels, i: usize| {
                    let least = f64::from(events.min_events);
                    least == 0.0
                        || counts[i]
                            .get(group)
                            .is_some_and(|count| self.beyond(CompareOp::AtLeast, *count, least))
                };
                let held = |i: usize| -> Held {
                    let both = &over(&long[i]) & &over(&short[i]);
                    both.into_iter().filter(|group| enough(group, i)).collect()
                };
                let id = (slo.alert_name.clone(), tier.name.clone());
                all.insert(id, self.states((0.0, 0.0), held));
            }
        }
        for alert in &self.plan.alerts {
            let own = self
                .spec
                .alerts
                .iter()
                .find(|(name, _)| name.value == alert.name);
            let when = own.map(|(_, own)| &own.when.value);
            if self.can_judge(&alert.condition) {
                let held = |i| self.holds(alert, &alert.condition, when, i);
                let times = (alert.hold.as_secs() as f64, alert.keep.as_secs() as f64);
                all.insert(
                    (alert.name.clone(), String::new()),
                    self.states(times, held),
                );
            }
        }
        all
    }

    /// Raw PromQL is the author's; only PromQL says what it means.
    fn can_judge(&self, condition: &Condition) -> bool {
        let raw = |c: &&Condition| matches!(c, Condition::Raw(raw) if raw.correlated.is_none());
        signals_of(condition).into_iter().all(|s| self.has(s))
            && !condition.leaves().iter().any(raw)
    }

    /// True where all that an objective reads is known here; what is PromQL of the author's is not.
    pub(crate) fn reads(&self, slo: &Slo) -> bool {
        let signals = slo.signals();
        !signals.is_empty() && signals.into_iter().all(|signal| self.has(signal))
    }

    pub(crate) fn has(&self, signal: &Signal) -> bool {
        let subjects = &self.reader.world.subjects;
        let mut families = Vec::new();
        families_of(signal, &mut families);
        !families.is_empty() && families.iter().all(|f| subjects.contains_key(&*f.names))
    }

    /// Holding times: pending from the first moment, firing once it has held that long, over at the first that it does not, or when
    /// it has been kept for so long.
    fn states(&self, (hold, keep): (f64, f64), held: impl Fn(usize) -> Held) -> States {
        // When each began, and when its condition ended.
        let mut active: BTreeMap<Labels, (usize, Option<usize>)> = BTreeMap::new();
        let mut states = Vec::new();
        for i in 0..self.evaluations {
            let lasts = |from: usize, time: f64| (i - from) as f64 * self.every >= time;
            let now = held(i);
            active.retain(|group, (from, ended)| {
                if now.contains(group) {
                    *ended = None;
                    return true;
                }
                let fired = ended.is_some() || lasts(*from, hold + self.every);
                let since = *ended.get_or_insert(i);
                fired && !lasts(since, keep)
            });
            for group in now {
                active.entry(group).or_insert((i, None));
            }
            let state = |from: usize| match lasts(from, hold) {
                true => State::Firing,
                false => State::Pending,
            };
            let all = active
                .iter()
                .map(|(g, (from, _))| (g.clone(), state(*from)));
            states.push(all.collect());
        }
        states
    }

    pub(crate) fn time(&self, i: usize) -> f64 {
        i as f64 * self.every
    }

    /// Whether a value lies beyond a bound that the spec gives.
    pub(crate) fn beyond(&self, op: CompareOp, value: f64, bound: f64) -> bool {
        compare(op, value, bound, self.lean.get().given)
    }

    /// Whether a value lies beyond a bound that follows from values.
    fn beyond_computed(&self, op: CompareOp, value: f64, bound: f64) -> bool {
        compare(op, value, bound, self.lean.get().computed)
    }

    fn holds(
        &self,
        alert: &Alert,
        condition: &Condition,
        when: Option<&spec::Condition>,
        i: usize,
    ) -> Held {
        let part =
            |parts: &[Condition], list: fn(&spec::Condition) -> Option<&Vec<_>>, k: usize| {
                let whens: Option<&Vec<slosmith::source::Spanned<spec::Condition>>> =
                    when.and_then(list);
                let when = whens.map(|list| &list[k].value);
                (
                    self.holds(alert, &parts[k], when, i),
                    self.labels_of(&parts[k], when),
                )
            };
        let join = when.and_then(|when| when.join.as_ref());
        let join: Option<Vec<String>> =
            join.map(|labels| labels.iter().map(|l| l.value.clone()).collect());
        match condition {
            Condition::Compare(c) => self.compare(alert, c, when, i),
            Condition::Absent(absent) => self.absent(absent, when, i),
            Condition::All(parts, _) => {
                let all: Vec<_> = (0..parts.len())
                    .map(|k| part(parts, |w| w.all.as_ref().map(|a| &a.value), k))
                    .collect();
                let on = joined(&all, join.as_ref());
                let (first, rest) = all.split_first().expect("a part");
                let fits = |g: &&Labels| rest.iter().all(|(held, _)| meets(g, held, on.as_ref()));
                first.0.iter().filter(fits).cloned().collect()
            }
            Condition::Any(parts, _) => {
                let all: Vec<_> = (0..parts.len())
                    .map(|k| part(parts, |w| w.any.as_ref().map(|a| &a.value), k))
                    .collect();
                let on = joined(&all, join.as_ref());
                let mut held = Held::new();
                for (part, _) in all {
                    let new = part.into_iter().filter(|g| !meets(g, &held, on.as_ref()));
                    let new: Vec<_> = new.collect();
                    held.extend(new);
                }
                held
            }
            Condition::Unless(parts, _) => {
                let excuse = when.and_then(|when| when.unless.as_ref()).map(|u| &u.value);
                let own = when.map(|when| spec::Condition {
                    unless: None,
                    ..when.clone()
                });
                let main = self.holds(alert, &parts[0], own.as_ref(), i);
                let excused = self.holds(alert, &parts[1], excuse, i);
                let all = [
                    (main, self.labels_of(&parts[0], own.as_ref())),
                    (excused, self.labels_of(&parts[1], excuse)),
                ];
                let on = joined(&all, join.as_ref());
                let [(main, _), (excused, _)] = all;
                main.into_iter()
                    .filter(|g| !meets(g, &excused, on.as_ref()))
                    .collect()
            }
            Condition::Raw(raw) => match &raw.correlated {
                Some(both) => self.correlated(both, when, i),
                None => Held::new(),
            },
        }
    }

    /// Labels of the groups of a condition.
    fn labels_of(&self, condition: &Condition, when: Option<&spec::Condition>) -> Vec<String> {
        let leaf = condition.leading();
        let by = when.map(leading_by).unwrap_or_default();
        let mut labels = match leaf {
            Condition::Compare(c) => self.labels(&c.signal, &by),
            Condition::Absent(a) => self.labels(&a.signal, &by),
            Condition::Raw(raw) => match &raw.correlated {
                Some(both) => self.labels_of_both(both, &by),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        labels.sort();
        labels
    }

    /// The service's groups and those of the place, as far as a signal has them.
    pub(crate) fn labels(&self, signal: &Signal, by: &[String]) -> Vec<String> {
        let all = self
            .spec
            .prometheus
            .group_by
            .iter()
            .map(|l| &l.value)
            .chain(by);
        let kept: BTreeSet<_> = all.filter(|label| signal.labels.contains(label)).collect();
        kept.into_iter().cloned().collect()
    }

    fn compare(
        &self,
        alert: &Alert,
        c: &Compare,
        when: Option<&spec::Condition>,
        i: usize,
    ) -> Held {
        let by = when.map(own_by).unwrap_or_default();
        let labels = self.labels(&c.signal, &by);
        let values = self.series(&c.signal, c.stat, c.window, &labels);
        let per = c.unit.per.map_or(1.0, |per| per.seconds as f64);
        let held = |(group, value): &(&Labels, &f64)| match &c.bound {
            Bound::Fixed(op, bound, _) => self.beyond(*op, **value * per, float(*bound)),
            Bound::Times(op, factor, Baseline::Offset(ago)) => {
                let then = self.time(i) - ago.as_secs() as f64;
                let past =
                    self.reader
                        .value(&c.signal, c.stat, c.window.as_secs() as f64, &labels, then);
                let past = (then >= 0.0).then(|| past.get(*group).copied()).flatten();
                past.is_some_and(|past| self.beyond_computed(*op, **value, float(*factor) * past))
            }
            Bound::Times(op, factor, Baseline::AvgOver(window)) => {
                let past = self.past(&values, group, i, 0.0, *window);
                mean(&past)
                    .is_some_and(|past| self.beyond_computed(*op, **value, float(*factor) * past))
            }
            Bound::Outside(o) => {
                let recent = alert.hold.as_secs() + c.window.as_secs() + 300;
                let past = self.past(&values, group, i, recent as f64, o.window);
                self.is_unusual(o, &past, **value)
            }
        };
        values[i]
            .iter()
            .filter(held)
            .map(|(group, _)| group.clone())
            .collect()
    }

    fn is_unusual(&self, o: &Outside, past: &[f64], value: f64) -> bool {
        let Some(usual) = mean(past).filter(|_| past.len() >= o.min_samples as usize) else {
            return false;
        };
        let squares: Vec<_> = past.iter().map(|v| (v - usual) * (v - usual)).collect();
        let spread = float(o.sigma) * mean(&squares).unwrap_or(0.0).sqrt();
        // Beside the usual range, a value may have to lie beyond a fixed limit.
        let passes = |op: CompareOp, end: f64, limit: Option<&Limit>| {
            let limit = limit.map(|limit| float(limit.value));
            self.beyond_computed(op, value, end)
                && limit.is_none_or(|limit| self.beyond(op, value, limit))
        };
        let high = passes(CompareOp::Above, usual + spread, o.floor.as_ref());
        let low = passes(CompareOp::Below, usual - spread, o.ceiling.as_ref());
        match o.side {
            Side::High => high,
            Side::Low => low,
            Side::Both => high || low,
        }
    }

    /// What a value was at each evaluation of a window that ended some time ago.
    fn past(
        &self,
        values: &[Groups],
        group: &Labels,
        i: usize,
        ago: f64,
        window: Duration,
    ) -> Vec<f64> {
        let to = self.time(i) - ago;
        let from = to - window.as_secs() as f64;
        let inside = (0..=i).filter(|k| from <= self.time(*k) && self.time(*k) <= to);
        inside
            .filter_map(|k| values[k].get(group).copied())
            .collect()
    }

    /// A signal at every evaluation.
    pub(crate) fn series(
        &self,
        signal: &Signal,
        stat: Stat,
        window: Duration,
        by: &[String],
    ) -> Rc<Vec<Groups>> {
        let key = (
            std::ptr::from_ref(signal) as usize,
            format!("{stat:?} {window} {by:?}"),
        );
        if let Some(known) = self.values.borrow().get(&key) {
            return Rc::clone(known);
        }
        let seconds = window.as_secs() as f64;
        let at = |i: usize| self.reader.value(signal, stat, seconds, by, self.time(i));
        let all = Rc::new((0..self.evaluations).map(at).collect::<Vec<_>>());
        self.values.borrow_mut().insert(key, Rc::clone(&all));
        all
    }

    fn absent(&self, absent: &Absent, when: Option<&spec::Condition>, i: usize) -> Held {
        let by = when.map(own_by).unwrap_or_default();
        let labels = self.labels(&absent.signal, &by);
        let family = absent.signal.family().expect("a family");
        let now = self.reader.presence(family, &labels, self.time(i));
        let mut known = self.known.borrow_mut();
        let known = known
            .entry(std::ptr::from_ref(absent) as usize)
            .or_default();
        known.extend(now.iter().map(|group| (group.clone(), self.time(i))));
        let memory = absent.memory.unwrap_or_default().as_secs() as f64;
        known.retain(|_, seen| self.time(i) - *seen <= memory);
        let gone = known.keys().filter(|g| !now.contains(*g));
        let mut gone: Held = gone.cloned().collect();
        if now.is_empty() {
            // While none is there, those that were there lately are not forgotten.
            let mut kept = self.kept.borrow_mut();
            let kept = kept.entry(std::ptr::from_ref(absent) as usize).or_default();
            let lately = |seen: f64| self.time(i) - seen <= LATELY.min(memory);
            let recent = known.iter().filter(|(_, seen)| lately(**seen));
            kept.retain(|_, seen| lately(*seen));
            kept.extend(recent.map(|(group, _)| (group.clone(), self.time(i))));
            kept.values_mut().for_each(|seen| *seen = self.time(i));
            gone.extend(kept.keys().cloned());
        }
        match gone.is_empty() && now.is_empty() {
            true => [Labels::new()].into(),
            false => gone,
        }
    }

    /// Labels of the groups of an objective.
    pub(crate) fn labels_of_slo(&self, slo: &Slo) -> Vec<String> {
        let written = self.spec.slos.get(slo.name.as_str());
        if let Some(own) = written.and_then(|s| s.groups.group_by.as_ref()) {
            let mut own: Vec<_> = own.value.iter().map(|l| l.value.clone()).collect();
            own.sort();
            return own;
        }
        let by: Vec<_> = written
            .iter()
            .flat_map(|s| &s.groups.by.0)
            .map(|l| l.value.clone())
            .collect();
        self.labels(slo.signals()[0], &by)
    }

    /// A ratio that is kept for an hour where the data has ended, and not only its events.
    fn until_data(&self, slo: &Slo, events: &EventSlo, ratios: Vec<Groups>) -> Vec<Groups> {
        let labels = self.labels_of_slo(slo);
        let there = |i: usize| match is_each(&events.sli) {
            true => self.each(&events.sli, 300.0, &labels, i).1,
            false => {
                self.bad_and_all(&events.sli, 300.0, &labels, self.time(i))
                    .1
            }
        };
        // One route of many ends with its requests: the data goes on where any has some.
        let same = |one: &Labels, other: &Labels| match &events.all_up {
            Some(up) if events.places_end => up
                .labels
                .iter()
                .all(|label| one.get(label) == other.get(label)),
            _ => one == other,
        };
        let steps = (3_600.0 / self.every) as usize;
        let at = |i: usize| {
            let (mut now, there) = (ratios[i].clone(), there(i));
            for (j, before) in ratios[..i].iter().enumerate().rev().take(steps) {
                // Two evaluations in any case.
                let kept = |group: &Labels| i - j <= 2 || !there.keys().any(|now| same(now, group));
                for (group, ratio) in before.iter().filter(|(group, _)| kept(group)) {
                    now.entry(group.clone()).or_insert(*ratio);
                }
            }
            now
        };
        (0..self.evaluations).map(at).collect()
    }

    /// How many events there are in a window, at every evaluation.
    fn counts(&self, slo: &Slo, events: &EventSlo, window: Duration) -> Vec<Groups> {
        let labels = self.labels_of_slo(slo);
        let seconds = window.as_secs() as f64;
        let count = |i: usize| -> Groups {
            let (_, all) = self.each(&events.sli, seconds, &labels, i);
            let all = all.into_iter();
            all.map(|(group, rate)| (group, rate * seconds)).collect()
        };
        match events.min_events {
            0 => Vec::new(),
            _ => (0..self.evaluations).map(count).collect(),
        }
    }

    /// Share of bad events over a window, at every evaluation.
    pub(crate) fn error_ratio(
        &self,
        slo: &Slo,
        events: &EventSlo,
        window: Duration,
    ) -> Vec<Groups> {
        let labels = self.labels_of_slo(slo);
        let both = |window: f64, time: f64| self.bad_and_all(&events.sli, window, &labels, time);
        let seconds = window.as_secs() as f64;
        if is_each(&events.sli) {
            return (0..self.evaluations)
                .map(|i| self.each(&events.sli, seconds, &labels, i))
                .map(|(bad, all)| ratio(&bad, &all))
                .collect();
        }
        let long = window > Duration::from_secs(3_600);
        // Long windows are sums of what was recorded over five minutes at each evaluation.
        let recorded = matches!(self.reader.view, View::Seen { .. }) && long;
        if !recorded {
            let at = |i: usize| both(seconds, self.time(i));
            return (0..self.evaluations)
                .map(at)
                .map(|(bad, all)| ratio(&bad, &all))
                .collect();
        }
        let base: Vec<_> = (0..self.evaluations)
            .map(|i| both(300.0, self.time(i)))
            .collect();
        let steps = (seconds / self.every) as usize;
        let sum = |pick: fn(&(Groups, Groups)) -> &Groups| sums(base.iter().map(pick), steps);
        let (bad, all) = (sum(|b| &b.0), sum(|b| &b.1));
        bad.iter()
            .zip(&all)
            .map(|(bad, all)| ratio(bad, all))
            .collect()
    }

    /// Bad and all events per second, from the last value before a window to the last one in it.
    pub(crate) fn each(
        &self,
        sli: &EventSli,
        window: f64,
        by: &[String],
        i: usize,
    ) -> (Groups, Groups) {
        if self.reader.view == View::Real {
            return self.bad_and_all(sli, window, by, self.time(i));
        }
        self.reader.between_last.set(true);
        let both = self.bad_and_all(sli, window, by, self.time(i));
        self.reader.between_last.set(false);
        both
    }

    /// Bad and all events per second.
    pub(crate) fn bad_and_all(
        &self,
        sli: &EventSli,
        window: f64,
        by: &[String],
        time: f64,
    ) -> (Groups, Groups) {
        let rate = |s: &Signal| self.reader.value(s, s.stat_in_ratio(), window, by, time);
        let rest = |good: &Groups, all: &Groups| -> Groups {
            let rest = |(group, all): (&Labels, &f64)| {
                (
                    group.clone(),
                    (all - good.get(group).unwrap_or(&0.0)).max(0.0),
                )
            };
            all.iter().map(rest).collect()
        };
        match sli {
            EventSli::Ratio { part, good, total } => {
                let (part, all) = (rate(part), rate(total));
                let bad = if *good { rest(&part, &all) } else { part };
                (bad, all)
            }
            EventSli::Latency {
                signal,
                family,
                within,
            } => {
                let all = rate(signal);
                let good = self.reader.within(family, within, window, by, time);
                (rest(&good, &all), all)
            }
            EventSli::Time(sli) => self.bad_and_all_moments(sli, window, by, time),
            EventSli::Own(_) | EventSli::OwnRatio(_) => unreachable!("nobody can judge it"),
        }
    }

    /// Shares of a window in which a gauge is bad, and in which it is there at all. Rules look at it now and then, at full
    /// multiples of the time between; whether they see both ends of a window depends on the release of Prometheus.
    fn bad_and_all_moments(
        &self,
        sli: &TimeSli,
        window: f64,
        by: &[String],
        time: f64,
    ) -> (Groups, Groups) {
        const MOMENTS: f64 = 300.0;
        let (step, ends) = match self.reader.view {
            View::Real => (window / MOMENTS, 0.0),
            View::Seen { stretched } => (sli.every.as_secs() as f64, f64::from(stretched)),
        };
        let last = match self.reader.view {
            View::Real => time,
            View::Seen { .. } => (time / step).floor() * step,
        };
        let mut moments: Vec<f64> = Vec::new();
        let mut at = last;
        while at >= 0.0 && (at > time - window + 1e-6 || (ends > 0.0 && at > time - window - 1e-6))
        {
            moments.push(at);
            at -= step;
        }
        let bound = float(sli.bound);
        let is_good = |value: f64| match sli.good {
            Good::Is(op) => self.beyond(op, value, bound),
            Good::Equals => (value - bound).abs() < 1e-9,
        };
        let (mut bad, mut all) = (Groups::new(), Groups::new());
        for at in moments {
            for (group, value) in self.reader.value(&sli.signal, Stat::Last, 0.0, by, at) {
                *bad.entry(group.clone()).or_default() += f64::from(!is_good(value));
                *all.entry(group).or_default() += 1.0;
            }
        }
        (bad, all)
    }
}

fn compare(op: CompareOp, value: f64, bound: f64, lean: f64) -> bool {
    let bound = match op.is_upper() {
        true => bound - lean * bound.abs(),
        false => bound + lean * bound.abs(),
    };
    match op {
        CompareOp::Above => value > bound,
        CompareOp::Below => value < bound,
        CompareOp::AtLeast => value >= bound,
        CompareOp::AtMost => value <= bound,
    }
}

/// What each group adds up to over so many steps before each.
fn sums<'g>(values: impl Iterator<Item = &'g Groups>, steps: usize) -> Vec<Groups> {
    let values: Vec<_> = values.collect();
    let groups: BTreeSet<_> = values.iter().flat_map(|groups| groups.keys()).collect();
    let mut all = vec![Groups::new(); values.len()];
    for group in groups {
        // What there was up to each step, and at how many steps.
        let mut totals = vec![(0.0, 0)];
        for groups in &values {
            let (sum, count) = totals[totals.len() - 1];
            let now = groups.get(group);
            totals.push((
                sum + now.unwrap_or(&0.0),
                count + usize::from(now.is_some()),
            ));
        }
        for (i, sums) in all.iter_mut().enumerate() {
            let (before, now) = (totals[i.saturating_sub(steps)], totals[i + 1]);
            if now.1 > before.1 {
                sums.insert(group.clone(), now.0 - before.0);
            }
        }
    }
    all
}

/// The labels that parts are joined on: all, where they have the same ones.
fn joined(parts: &[(Held, Vec<String>)], asked: Option<&Vec<String>>) -> Option<Vec<String>> {
    let alike = parts.iter().all(|(_, labels)| *labels == parts[0].1);
    asked.filter(|_| !alike).cloned()
}

/// True when a group is among others, looked at through some labels.
fn meets(own: &Labels, others: &Held, on: Option<&Vec<String>>) -> bool {
    match on {
        None => others.contains(own),
        Some(on) => others
            .iter()
            .any(|other| group(other, on) == group(own, on)),
    }
}

/// Labels that a place keeps beside the groups.
pub(crate) fn own_by(when: &spec::Condition) -> Vec<String> {
    when.groups.by.0.iter().map(|l| l.value.clone()).collect()
}

fn leading_by(when: &spec::Condition) -> Vec<String> {
    let list = when.all.as_ref().or(when.any.as_ref());
    match list.and_then(|list| list.value.first()) {
        Some(first) => leading_by(&first.value),
        None => own_by(when),
    }
}

/// Every signal that objectives, alerts and records read.
pub(crate) fn signals(plan: &Plan) -> Vec<&Signal> {
    let mut all: Vec<_> = plan.slos.iter().flat_map(Slo::signals).collect();
    for alert in &plan.alerts {
        all.extend(signals_of(&alert.condition));
    }
    all.extend(plan.records.iter().map(|record| &record.signal));
    all
}

/// Every signal that a condition reads.
fn signals_of(condition: &Condition) -> Vec<&Signal> {
    let together = condition
        .leaves()
        .into_iter()
        .filter_map(|leaf| match leaf {
            Condition::Raw(raw) => raw.correlated.as_ref(),
            _ => None,
        });
    let together = together.flat_map(|c| c.of.iter().map(|reading| &reading.signal));
    condition.signals().into_iter().chain(together).collect()
}

/// Every family under a signal.
pub(crate) fn families_of<'s>(signal: &'s Signal, into: &mut Vec<&'s slosmith::plan::Family>) {
    use slosmith::plan::Source;
    match &signal.source {
        Source::Family(family) => into.push(family),
        Source::Ratio { of, over, before } => {
            for part in [Some(of), Some(over), before.as_ref()]
                .into_iter()
                .flatten()
            {
                families_of(part, into);
            }
        }
        Source::Raw(_) => {}
    }
}

/// True where rules sum what each evaluation counts.
fn is_each(sli: &EventSli) -> bool {
    matches!(sli, EventSli::Ratio { .. } | EventSli::Latency { .. })
}
