//! From what happened to what Prometheus has of it: pages read at intervals, by processes that die, count from 0 and
//! serve the names of their release.

use std::collections::BTreeMap;

use slosmith::catalog::{Catalog, Version};
use slosmith::plan::Family;
use slosmith::spec::FamilyKind as Kind;

use crate::fleet::{Fleet, Life};
use crate::history::{self, Data, Labels, Track};

/// One family: what happened, and what is known of it.
pub(crate) struct Subject {
    pub(crate) kind: Kind,
    /// Upper bounds of buckets, with infinity, and how they are written.
    pub(crate) bounds: Vec<(f64, String)>,
    pub(crate) tracks: Vec<Scraped>,
}

/// A track with what is known of it.
pub(crate) struct Scraped {
    pub(crate) track: Track,
    /// What happened, as the page counts it: each cumulative bucket and the sum, or the counter.
    pub(crate) parts: Vec<Running>,
    /// By name, newest first.
    pub(crate) names: Vec<(String, Samples)>,
    /// Growth from the first sample up to each, under the newest name that it has.
    pub(crate) newest: Vec<Vec<f64>>,
}

/// A total that grows with events.
#[derive(Default)]
pub(crate) struct Running {
    times: Vec<f64>,
    totals: Vec<f64>,
}

impl Running {
    fn new(events: impl Iterator<Item = (f64, f64)>) -> Self {
        let mut running = Self::default();
        let mut total = 0.0;
        for (time, amount) in events {
            total += amount;
            running.times.push(time);
            running.totals.push(total);
        }
        running
    }

    /// Growth after a time, up to another.
    pub(crate) fn between(&self, from: f64, to: f64) -> f64 {
        let at = |time: f64| match self.times.partition_point(|t| *t <= time) {
            0 => 0.0,
            next => self.totals[next - 1],
        };
        at(to) - at(from)
    }

    fn has_any(&self, from: f64, to: f64) -> bool {
        let after = |time: f64| self.times.partition_point(|t| *t <= time);
        after(from) < after(to)
    }
}

/// What each scrape found.
pub(crate) struct Samples {
    /// One value, or cumulative buckets and the sum behind them.
    pub(crate) values: Vec<Option<Vec<f64>>>,
    /// Growth from the first sample up to each, a fall being a new beginning.
    pub(crate) grown: Vec<Vec<f64>>,
}

impl Samples {
    fn new(values: Vec<Option<Vec<f64>>>) -> Self {
        let width = values.iter().flatten().next().map_or(0, Vec::len);
        let mut grown = vec![0.0; width];
        let mut before: Option<&Vec<f64>> = None;
        let mut all = Vec::new();
        for value in &values {
            if let Some(now) = value {
                for (part, before) in before.into_iter().flatten().enumerate() {
                    grown[part] += now[part] - if now[part] < *before { 0.0 } else { *before };
                }
                before = Some(now);
            }
            all.push(grown.clone());
        }
        Self { values, grown: all }
    }
}

/// What is counted from sample to sample under the newest name of each.
fn newest(names: &[(String, Samples)]) -> Vec<Vec<f64>> {
    let (width, count) = match names.first() {
        Some((_, samples)) => {
            let widths = names
                .iter()
                .flat_map(|(_, s)| s.grown.first().map(Vec::len));
            (widths.max().unwrap_or(0), samples.values.len())
        }
        None => (0, 0),
    };
    let mut total = vec![0.0; width];
    let up_to = |i: usize| {
        let now = names.iter().find(|(_, s)| s.values[i].is_some());
        if let (Some((_, samples)), true) = (now, i > 0) {
            for (part, total) in total.iter_mut().enumerate() {
                *total += samples.grown[i][part] - samples.grown[i - 1][part];
            }
        }
        total.clone()
    };
    (0..count).map(up_to).collect()
}

/// When pages are read.
#[derive(Clone, Copy)]
pub(crate) struct Scrape {
    /// Seconds from one scrape to the next.
    pub(crate) interval: f64,
    pub(crate) minutes: u64,
}

impl Scrape {
    fn times(self) -> impl Iterator<Item = f64> {
        let count = (self.minutes as f64 * 60.0 / self.interval) as u64;
        (0..=count).map(move |i| i as f64 * self.interval)
    }
}

impl Subject {
    /// `None` when the fleet has nothing that the family measures.
    pub(crate) fn new(fleet: &Fleet, family: &Family, scrape: Scrape) -> Option<Self> {
        let tracks = family
            .names
            .iter()
            .find_map(|name| history::tracks(fleet, name))?;
        let bounds = bounds(family, &tracks);
        let scraped = |track: Track| {
            let parts = parts(&track.data, &bounds);
            let samples = |name: &String| (name.clone(), samples(&track, &parts, name, scrape));
            let names: Vec<_> = family.names.iter().map(samples).collect();
            Scraped {
                newest: newest(&names),
                track,
                parts,
                names,
            }
        };
        let tracks = tracks.into_iter().map(scraped).collect();
        Some(Self {
            kind: family.kind,
            bounds,
            tracks,
        })
    }

    /// Every series in the notation of promtool.
    pub(crate) fn series(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for scraped in &self.tracks {
            let labels = &scraped.track.labels;
            for (name, samples) in &scraped.names {
                let mut add = |name: &str, le: Option<&str>, part: usize| {
                    if let Some(values) = values(samples, part) {
                        all.insert(series(name, labels, le), values);
                    }
                };
                if self.kind != Kind::Histogram {
                    add(name, None, 0);
                    continue;
                }
                let last = self.bounds.len() - 1;
                for (i, (_, le)) in self.bounds.iter().enumerate() {
                    add(&format!("{name}_bucket"), Some(le), i);
                }
                add(&format!("{name}_count"), None, last);
                add(&format!("{name}_sum"), None, last + 1);
            }
        }
        all
    }
}

fn series(name: &str, labels: &Labels, le: Option<&str>) -> String {
    let pairs = labels.iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let pairs = pairs.chain(le.map(|le| ("le", le)));
    let pairs: Vec<_> = pairs.map(|(k, v)| format!("{k}=\"{v}\"")).collect();
    format!("{name}{{{}}}", pairs.join(", "))
}

/// `1 2 stale _ 0`: what goes away is marked once, as Prometheus does. `None` when there never was a value.
fn values(
    Samples {
        values: samples, ..
    }: &Samples,
    part: usize,
) -> Option<String> {
    let mut before = false;
    let word = |sample: &Option<Vec<f64>>| {
        let word = match sample {
            Some(values) => values[part].to_string(),
            None if before => "stale".to_owned(),
            None => "_".to_owned(),
        };
        before = sample.is_some();
        word
    };
    let words: Vec<_> = samples.iter().map(word).collect();
    samples.iter().any(Option::is_some).then(|| words.join(" "))
}

fn bounds(family: &Family, tracks: &[Track]) -> Vec<(f64, String)> {
    if family.kind != Kind::Histogram {
        return Vec::new();
    }
    let number = |le: &str| le.parse::<f64>().unwrap_or(f64::INFINITY);
    let release = tracks
        .iter()
        .flat_map(|t| &t.lives)
        .map(|l| l.release.as_str())
        .next();
    let recorded = family.names.iter().find_map(|name| shape(name, release?));
    let spelled = match recorded {
        Some(buckets) => buckets,
        None => {
            let own = family.buckets.iter().map(|b| b.le.clone());
            own.chain(["+Inf".to_owned()]).collect()
        }
    };
    spelled.into_iter().map(|le| (number(&le), le)).collect()
}

/// Buckets of a family on the page of a release, if it is there.
fn shape(name: &str, release: &str) -> Option<Vec<String>> {
    let catalog = Catalog::vllm();
    let release = catalog.find_release(&release.parse::<Version>().ok()?)?;
    let shape = catalog.family(name)?.in_profile(release, "default")?;
    Some(shape.buckets.clone())
}

/// True when a process serves a family under a name.
fn serves(life: &Life, name: &str) -> bool {
    life.release.is_empty() || !name.starts_with("vllm:") || shape(name, &life.release).is_some()
}

fn parts(data: &Data, bounds: &[(f64, String)]) -> Vec<Running> {
    let Data::Events { events, .. } = data else {
        return Vec::new();
    };
    let within = |(bound, _): &(f64, String)| {
        let inside = events.iter().filter(|(_, value)| value <= bound);
        Running::new(inside.map(|(time, _)| (*time, 1.0)))
    };
    let all = bounds.iter().map(within);
    all.chain([Running::new(events.iter().copied())]).collect()
}

fn samples(track: &Track, parts: &[Running], name: &str, scrape: Scrape) -> Samples {
    let lives: Vec<_> = track.lives.iter().filter(|l| serves(l, name)).collect();
    let read = |time: f64| {
        let time = time - track.phase;
        let failed = track
            .unread
            .iter()
            .any(|(from, to)| *from <= time && time < *to);
        let life = lives.iter().find(|life| life.holds(time))?;
        if failed {
            None
        } else {
            page(&track.data, parts, life, time)
        }
    };
    Samples::new(scrape.times().map(read).collect())
}

/// What the page of a process says at a time.
fn page(data: &Data, parts: &[Running], life: &Life, time: f64) -> Option<Vec<f64>> {
    match data {
        Data::Level(steps) => level_at(steps, time).map(|value| vec![value]),
        Data::Events { lazy: true, .. } if !parts.iter().any(|p| p.has_any(life.from, time)) => {
            None
        }
        Data::Events { .. } => Some(parts.iter().map(|p| p.between(life.from, time)).collect()),
    }
}

/// Events after a time, up to another.
pub(crate) fn between(events: &[(f64, f64)], from: f64, to: f64) -> &[(f64, f64)] {
    let after = |time: f64| events.partition_point(|(t, _)| *t <= time);
    let (start, end) = (after(from), after(to));
    &events[start.min(end)..end]
}

/// The value of a step function, if it has begun.
pub(crate) fn level_at(steps: &[(f64, f64)], time: f64) -> Option<f64> {
    let next = steps.partition_point(|(t, _)| *t <= time);
    Some(steps.get(next.checked_sub(1)?)?.1)
}
