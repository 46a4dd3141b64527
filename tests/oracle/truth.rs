//! What a signal is at a moment: slowly, from the words of the spec, and never from PromQL.
//!
//! Every number exists twice. [`View::Real`] is what happened to requests. [`View::Seen`] is the same question asked of
//! the scrapes, by the same words. Where their answers differ nobody can blame a rule: that is what scraping loses, and
//! what `docs/prometheus.md` lists. Where they agree, a rule that says something else is wrong.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use regex::Regex;
use slosmith::plan::{Bucket, Family, Signal, Source};
use slosmith::promql::ast::MatchOp;
use slosmith::spec::{Across, FamilyKind as Kind, Stat};
use slosmith::units::{Number, float};

use crate::history::{Data, Labels};
use crate::scrape::{Samples, Scraped, Subject, between, level_at};

/// Rules read the counters themselves in so many seconds.
const BASE: f64 = 300.0;

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum View {
    /// Somebody who saw every request.
    Real,
    /// Somebody who has the scrapes. What lies before the first and after the last sample of a window is unknown:
    /// nothing (`false`), or as much as Prometheus makes of it (`true`).
    Seen { stretched: bool },
}

/// Values by group.
pub(crate) type Groups = BTreeMap<Labels, f64>;

/// Everything that the signals of a spec are made from.
pub(crate) struct World {
    /// Seconds between scrapes.
    pub(crate) interval: f64,
    /// By the names of the family.
    pub(crate) subjects: BTreeMap<Vec<String>, Subject>,
}

/// Observations that lie in a range of values.
#[derive(Clone, Copy)]
struct Bin {
    low: f64,
    high: f64,
    count: f64,
}

/// A group, and its tracks.
type Members = (Labels, Vec<usize>);

/// Groups by the family's place in the plan and their labels.
type Found = HashMap<(usize, String), Rc<Vec<Members>>>;

/// Reads signals in one view.
pub(crate) struct Reader<'a> {
    pub(crate) world: &'a World,
    pub(crate) view: View,
    /// True where a window begins with the last sample before it.
    pub(crate) between_last: Cell<bool>,
    /// Tracks by family and labels of the groups.
    found: RefCell<Found>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(world: &'a World, view: View) -> Self {
        Self {
            world,
            view,
            between_last: Cell::default(),
            found: RefCell::default(),
        }
    }

    /// A signal's value in its base unit at a time, over the window before, for each group.
    pub(crate) fn value(
        &self,
        signal: &Signal,
        stat: Stat,
        window: f64,
        by: &[String],
        time: f64,
    ) -> Groups {
        let scale = float(signal.value_scale(stat));
        let mut groups = match &signal.source {
            Source::Family(family) => self.of_family(signal, family, stat, window, by, time),
            Source::Ratio { of, over, before } => {
                let part = |s: &Signal| self.value(s, s.stat_in_ratio(), window, by, time);
                let (part, whole) = (part(of), part(over));
                let mut ratios = ratio(&part, &whole);
                if let Some(gauge) = before {
                    for (group, value) in self.value(gauge, Stat::Last, window, by, time) {
                        ratios.entry(group).or_insert(value);
                    }
                }
                ratios
            }
            Source::Raw(_) => Groups::new(),
        };
        groups.values_mut().for_each(|value| *value *= scale);
        groups
    }

    fn of_family(
        &self,
        signal: &Signal,
        family: &Family,
        stat: Stat,
        window: f64,
        by: &[String],
        time: f64,
    ) -> Groups {
        let subject = self.subject(family);
        let mut values = Groups::new();
        for (group, tracks) in self.groups(family, by).iter() {
            let tracks: Vec<_> = tracks.iter().map(|i| &subject.tracks[*i]).collect();
            let value = match (stat, family.kind) {
                (Stat::Quantile(q), _) => self.quantile(subject, &tracks, q, window, time),
                (Stat::Avg, Kind::Histogram) => self.mean(subject, &tracks, window, time),
                (_, Kind::Gauge) => {
                    let level = |s: &&Scraped| self.level(s, stat, window, time);
                    across(signal.across, tracks.iter().filter_map(level))
                }
                _ => {
                    let count = |s: &&Scraped| self.count(subject, s, window, time);
                    let counts = tracks.iter().filter_map(count);
                    let per = if stat == Stat::Increase { 1.0 } else { window };
                    across(signal.across, counts.map(|count| count / per))
                }
            };
            values.extend(value.map(|value| (group.clone(), value)));
        }
        values
    }

    fn subject(&self, family: &Family) -> &'a Subject {
        &self.world.subjects[&*family.names]
    }

    /// Groups of the tracks that a family's selection finds.
    fn groups(&self, family: &Family, by: &[String]) -> Rc<Vec<Members>> {
        let key = (std::ptr::from_ref(family) as usize, by.join(","));
        let mut found = self.found.borrow_mut();
        let find = || {
            let mut groups: BTreeMap<Labels, Vec<usize>> = BTreeMap::new();
            for (i, scraped) in self.subject(family).tracks.iter().enumerate() {
                let labels = &scraped.track.labels;
                if selected(labels, &family.matchers) {
                    groups.entry(group(labels, by)).or_default().push(i);
                }
            }
            Rc::new(groups.into_iter().collect())
        };
        Rc::clone(found.entry(key).or_insert_with(find))
    }

    /// Each group that has a series.
    pub(crate) fn presence(&self, family: &Family, by: &[String], time: f64) -> BTreeSet<Labels> {
        let subject = self.subject(family);
        let there = |i: &usize| {
            let scraped = &subject.tracks[*i];
            match self.view {
                View::Real => scraped.track.lives.iter().any(|life| life.holds(time)),
                View::Seen { .. } => {
                    let newest = self.newest(time);
                    scraped
                        .names
                        .iter()
                        .any(|(_, s)| s.values[newest].is_some())
                }
            }
        };
        let groups = self.groups(family, by);
        let there = groups.iter().filter(|(_, tracks)| tracks.iter().any(there));
        there.map(|(group, _)| group.clone()).collect()
    }

    /// Observations per second that lie at or below a boundary, by group.
    pub(crate) fn within(
        &self,
        family: &Family,
        bucket: &Bucket,
        window: f64,
        by: &[String],
        time: f64,
    ) -> Groups {
        let subject = self.subject(family);
        let bound = float(bucket.bound);
        let part = subject.bounds.iter().position(|(b, _)| *b == bound);
        let part = part.expect("a boundary of the page");
        let mut values = Groups::new();
        for (group, tracks) in self.groups(family, by).iter() {
            let inside = tracks.iter();
            let inside = inside.filter_map(|i| self.grown(&subject.tracks[*i], part, window, time));
            if let Some(sum) = across(Across::Sum, inside) {
                values.insert(group.clone(), sum / window);
            }
        }
        values
    }

    fn newest(&self, time: f64) -> usize {
        (time / self.world.interval) as usize
    }

    /// The first and the last sample in a window, of the newest name that has enough of them; and how many there are.
    fn samples<'s>(
        &self,
        scraped: &'s Scraped,
        window: f64,
        time: f64,
        least: usize,
    ) -> Option<(&'s Samples, Vec<usize>)> {
        let first = ((time - window) / self.world.interval).ceil().max(0.0) as usize;
        let last = self.newest(time);
        let of = |(_, samples): &'s (String, Samples)| {
            let there = (first..=last).filter(|i| samples.values[*i].is_some());
            let there: Vec<_> = there.collect();
            (there.len() >= least).then_some((samples, there))
        };
        scraped.names.iter().find_map(of)
    }

    /// Growth of a part of a counter or histogram.
    fn grown(&self, scraped: &Scraped, part: usize, window: f64, time: f64) -> Option<f64> {
        let View::Seen { stretched } = self.view else {
            let from = time - window;
            let lived = scraped
                .track
                .lives
                .iter()
                .any(|l| l.from <= time && l.to > from);
            return lived.then(|| scraped.parts[part].between(from, time));
        };
        if self.between_last.get() {
            return self.between_last(scraped, part, window, time, stretched);
        }
        let (samples, there) = self.samples(scraped, window, time, 2)?;
        let (first, last) = (there[0], there[there.len() - 1]);
        let grown = samples.grown[last][part] - samples.grown[first][part];
        let stretch = match stretched {
            true => self.stretch(
                samples.values[first].as_ref()?[part],
                grown,
                &there,
                (window, time),
            ),
            false => 1.0,
        };
        Some(grown * stretch)
    }

    /// Growth from the last sample before a window, or the first of all, to the last one in it.
    ///
    /// A sample at the start of a window is in it for Prometheus 2 (`stretched`), but not for Prometheus 3. What the last five
    /// minutes have is also what Prometheus makes of them.
    fn between_last(
        &self,
        scraped: &Scraped,
        part: usize,
        window: f64,
        time: f64,
        stretched: bool,
    ) -> Option<f64> {
        let last = self.newest(time);
        let before = |window: f64| {
            let from = ((time - window) / self.world.interval).max(0.0);
            (from.floor() as usize, from.ceil() as usize)
        };
        let (start, from) = before(window);
        let from = if stretched { from } else { start + 1 };
        let is_there = |(_, s): &(String, Samples)| {
            s.values[from..]
                .iter()
                .take(last + 1 - from)
                .any(Option::is_some)
        };
        if from > last || !scraped.names.iter().any(is_there) {
            return None;
        }
        let grown = |from: usize| scraped.newest[last][part] - scraped.newest[from][part];
        if !stretched {
            return Some(grown(start));
        }
        let base = before(window.min(BASE));
        let newest = scraped
            .names
            .iter()
            .find(|(_, s)| s.values[base.1..=last].iter().any(Option::is_some));
        let recent = newest.map_or(0.0, |(_, samples)| {
            self.recent(samples, part, (base, last), (window.min(BASE), time))
        });
        Some(grown(start) - grown(base.0) + recent)
    }

    /// Growth in the last minutes. Several restarts, or one after which a process counts more than before, are as `increase` has
    /// them.
    fn recent(
        &self,
        samples: &Samples,
        part: usize,
        ((before, from), last): ((usize, usize), usize),
        (window, time): (f64, f64),
    ) -> f64 {
        let grown = |from: usize| samples.grown[last][part] - samples.grown[from][part];
        let there: Vec<_> = (from..=last)
            .filter(|i| samples.values[*i].is_some())
            .collect();
        let value = |i: &usize| {
            samples.values[*i]
                .as_ref()
                .map_or(0.0, |values| values[part])
        };
        let falls = there
            .windows(2)
            .filter(|two| value(&two[1]) < value(&two[0]))
            .count();
        let highest = there.iter().map(value).fold(0.0, f64::max);
        let known = samples.values[..=before].iter().rev().flatten().next();
        let first = known.map_or(0.0, |values| values[part]);
        let newest = there.last().map_or(0.0, value);
        let once = falls == 1 && newest < highest && first <= highest;
        if falls == 0 || once {
            return grown(before);
        }
        let inside = grown(there[0]);
        inside * self.stretch(value(&there[0]), inside, &there, (window, time))
    }

    /// How much of the ends of a window counts like what lies between its samples: all up to 1.1 intervals, else half an
    /// interval; and no counter was ever below zero.
    fn stretch(&self, value: f64, grown: f64, there: &[usize], (window, time): (f64, f64)) -> f64 {
        let at = |i: usize| i as f64 * self.world.interval;
        let (first, last) = (at(there[0]), at(there[there.len() - 1]));
        let covered = last - first;
        let usual = covered / (there.len() - 1) as f64;
        let since_zero = if grown > 0.0 {
            covered * value / grown
        } else {
            f64::INFINITY
        };
        let ends = [(first - (time - window)).min(since_zero), time - last];
        let counts = |end: f64| if end < 1.1 * usual { end } else { usual / 2.0 };
        1.0 + ends.into_iter().map(counts).sum::<f64>() / covered
    }

    /// Events in the window.
    fn count(&self, subject: &Subject, scraped: &Scraped, window: f64, time: f64) -> Option<f64> {
        self.grown(
            scraped,
            subject.bounds.len().saturating_sub(1),
            window,
            time,
        )
    }

    /// Observations in the window, by size.
    fn bins(&self, subject: &Subject, tracks: &[&Scraped], window: f64, time: f64) -> Vec<Bin> {
        if self.view != View::Real {
            return self.buckets(subject, tracks, window, time);
        }
        let bin = |(_, value): &(f64, f64)| Bin {
            low: *value,
            high: *value,
            count: 1.0,
        };
        let of = |scraped: &&Scraped| match &scraped.track.data {
            Data::Events { events, .. } => between(events, time - window, time)
                .iter()
                .map(bin)
                .collect(),
            Data::Level(_) => Vec::new(),
        };
        let mut bins: Vec<_> = tracks.iter().flat_map(of).collect();
        bins.sort_by(|a, b| a.high.total_cmp(&b.high));
        bins
    }

    /// The buckets of all tracks. Prometheus stretches each bucket by itself, so that a smaller one may have more than a
    /// larger one: `histogram_quantile` then takes the larger one to have as much.
    fn buckets(&self, subject: &Subject, tracks: &[&Scraped], window: f64, time: f64) -> Vec<Bin> {
        let (mut low, mut below) = (0.0, 0.0);
        let bin = |(part, (bound, _)): (usize, &(f64, String))| {
            let grown = tracks
                .iter()
                .filter_map(|s| self.grown(s, part, window, time));
            let all = grown.sum::<f64>().max(below);
            let bin = Bin {
                low,
                high: *bound,
                count: all - below,
            };
            (low, below) = (*bound, all);
            bin
        };
        subject.bounds.iter().enumerate().map(bin).collect()
    }

    fn quantile(
        &self,
        subject: &Subject,
        tracks: &[&Scraped],
        q: Number,
        window: f64,
        time: f64,
    ) -> Option<f64> {
        let bins = self.bins(subject, tracks, window, time);
        let rank = float(q) * bins.iter().map(|b| b.count).sum::<f64>();
        // Nobody can say more of what is beyond the last bucket than that it is beyond.
        let most = subject.bounds[subject.bounds.len() - 2].0;
        let mut before = 0.0;
        let mut i = 0;
        while i < bins.len() {
            // Replicas have the same buckets: what lies in one is spread over it evenly.
            let (low, high) = (bins[i].low, bins[i].high);
            let same = bins[i..].iter().take_while(|b| b.high == high);
            let same: Vec<_> = same.map(|b| b.count).collect();
            let count: f64 = same.iter().sum();
            if count > 0.0 && before + count >= rank - 1e-9 {
                let inside = ((rank - before) / count).clamp(0.0, 1.0);
                let value = if high.is_finite() {
                    low + (high - low) * inside
                } else {
                    most
                };
                return Some(value.min(most));
            }
            before += count;
            i += same.len();
        }
        None
    }

    fn mean(&self, subject: &Subject, tracks: &[&Scraped], window: f64, time: f64) -> Option<f64> {
        let part = subject.bounds.len();
        let sum_of = |part: usize| -> f64 {
            tracks
                .iter()
                .filter_map(|s| self.grown(s, part, window, time))
                .sum()
        };
        let (count, sum) = (sum_of(part - 1), sum_of(part));
        (count > 0.0).then(|| sum / count)
    }

    /// A gauge of one replica.
    fn level(&self, scraped: &Scraped, stat: Stat, window: f64, time: f64) -> Option<f64> {
        if stat == Stat::Last {
            return self.last(scraped, time);
        }
        let points = match self.view {
            View::Real => real_points(scraped, window, time),
            View::Seen { .. } => {
                let least = if stat == Stat::Slope { 2 } else { 1 };
                let (samples, there) = self.samples(scraped, window, time, least)?;
                let point = |i: usize| {
                    Some((
                        i as f64 * self.world.interval,
                        samples.values[i].as_ref()?[0],
                    ))
                };
                there.into_iter().filter_map(point).collect()
            }
        };
        let values = || points.iter().map(|(_, value)| *value);
        match stat {
            Stat::Min => values().min_by(f64::total_cmp),
            Stat::Max => values().max_by(f64::total_cmp),
            Stat::Slope => slope(&points),
            _ => mean(&values().collect::<Vec<_>>()),
        }
    }

    fn last(&self, scraped: &Scraped, time: f64) -> Option<f64> {
        match (self.view, &scraped.track.data) {
            (View::Real, Data::Level(steps)) => {
                let lives = scraped.track.lives.iter().any(|life| life.holds(time));
                if lives { level_at(steps, time) } else { None }
            }
            _ => {
                let newest = self.newest(time);
                let found = scraped
                    .names
                    .iter()
                    .find_map(|(_, s)| s.values[newest].as_deref());
                found.map(|values| values[0])
            }
        }
    }
}

/// A gauge at 300 moments of the window, where its process lived.
fn real_points(scraped: &Scraped, window: f64, time: f64) -> Vec<(f64, f64)> {
    let Data::Level(steps) = &scraped.track.data else {
        return Vec::new();
    };
    let moments = (0..300).map(|i| time - window * f64::from(i) / 300.0);
    let lived = moments
        .filter(|at| *at >= 0.0)
        .filter(|at| scraped.track.lives.iter().any(|life| life.holds(*at)));
    lived
        .filter_map(|at| Some((at, level_at(steps, at)?)))
        .collect()
}

pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Change per second of the line that fits best.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let x = mean(&points.iter().map(|(at, _)| *at).collect::<Vec<_>>())?;
    let y = mean(&points.iter().map(|(_, value)| *value).collect::<Vec<_>>())?;
    let both: f64 = points
        .iter()
        .map(|(at, value)| (at - x) * (value - y))
        .sum();
    let square: f64 = points.iter().map(|(at, _)| (at - x) * (at - x)).sum();
    (square > 0.0).then(|| both / square)
}

/// Part over whole: a missing part is none, and nothing is divided by nothing.
pub(crate) fn ratio(part: &Groups, whole: &Groups) -> Groups {
    let some = whole.iter().filter(|(_, whole)| **whole > 0.0);
    let ratio = |(group, whole): (&Labels, &f64)| {
        (
            group.clone(),
            part.get(group).copied().unwrap_or(0.0) / whole,
        )
    };
    some.map(ratio).collect()
}

fn across(across: Across, values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<_> = values.collect();
    match across {
        Across::Sum => (!values.is_empty()).then(|| values.iter().sum()),
        Across::Max => values.into_iter().max_by(f64::total_cmp),
        Across::Min => values.into_iter().min_by(f64::total_cmp),
        Across::Avg => mean(&values),
    }
}

/// The labels that a result keeps.
pub(crate) fn group(labels: &Labels, by: &[String]) -> Labels {
    let kept = labels.iter().filter(|(label, _)| by.contains(label));
    kept.map(|(k, v)| (k.clone(), v.clone())).collect()
}

fn selected(labels: &Labels, matchers: &[(String, MatchOp, String)]) -> bool {
    matchers.iter().all(|(label, op, wanted)| {
        let value = labels.get(label).map_or("", String::as_str);
        let matches = || {
            Regex::new(&format!("^(?:{wanted})$"))
                .expect("regex")
                .is_match(value)
        };
        match op {
            MatchOp::Equal => value == wanted,
            MatchOp::NotEqual => value != wanted,
            MatchOp::Match => matches(),
            MatchOp::NotMatch => !matches(),
        }
    })
}
