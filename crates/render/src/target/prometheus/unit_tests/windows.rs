//! Tests of burn-rate alerts on recorded events: each window of each tier just above and just below its threshold.
//!
//! The rules are evaluated so seldom that no two evaluations see the same minutes, and what they would have recorded in between is
//! given. So a window of days costs one evaluation, and its ratio is exact.

use super::burn;
use super::drive::{Driver, Level, TRAFFIC};
use super::labels::LabelSet;
use super::values::{self, Run};
use super::{
    SAMPLES, burns, labels, minutes, near, of_window, promised, share_of, test_file, value_is,
};
use crate::target::prometheus::rules;
use crate::target::prometheus::view::{ExprCheck, Input, Named, Test, TestFile};
use slosmith_plan::plan::{BASE_WINDOW, EVALUATION, HELD, Plan, Slo, Tier, slo_series};
use slosmith_promql::ast::{MatchOp, Selector};
use slosmith_promql::visit;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number};

/// Just above a threshold, of the threshold, and just below it: from and to.
const ABOVE: [Number; 2] = [Number::new_raw(1_005, 1_000), Number::new_raw(1_010, 1_000)];
const BELOW: [Number; 2] = [Number::new_raw(990, 1_000), Number::new_raw(995, 1_000)];

/// How exactly a ratio must be met, of the ratio.
const HAIR: Number = Number::new_raw(1, 100_000);

/// Bad events of at least so many in a sample, where a window is at its threshold.
const ENOUGH_BAD: i128 = 1_000;

/// The file of an SLO, and whether it tests all thresholds.
pub(super) fn file(plan: &Plan, slo: &Slo) -> Option<(Named<TestFile>, bool)> {
    let run = Windows::new(plan, slo)?;
    let (thresholds, whole) = run.thresholds()?;
    let mut tests = vec![thresholds];
    tests.extend(run.few());
    tests.extend(run.end());
    tests.extend(run.period());
    tests.extend(run.sums());
    let name = format!("{}-windows", rules::slo_file(slo));
    let title = format!("{}, its windows.", slo.alert_name);
    let every = run.every;
    let period = rules::has_period_file(slo).then(|| rules::period_file(slo));
    let files: Vec<_> = [rules::slo_file(slo)].into_iter().chain(period).collect();
    Some((test_file(name, title, &files, every, tests), whole))
}

/// Events of so many samples, each as many.
#[derive(Clone, Copy, Default)]
struct Ring {
    samples: u64,
    total: i128,
    bad: i128,
}

/// What happens before an evaluation: in the base window, and before it, from the newest sample to the oldest. The last ring goes on
/// to the evaluation before.
struct Episode {
    scraped: Level,
    recorded: Vec<Ring>,
}

/// At least and at most so many bad events in each window.
#[derive(Clone)]
struct Bands(Vec<[i128; 2]>);

struct Windows<'a> {
    plan: &'a Plan,
    slo: &'a Slo,
    set: LabelSet,
    /// Longer than the base window, ascending.
    windows: Vec<Duration>,
    /// The base window, and what each longer one adds to the one before it.
    rings: Vec<Ring>,
    /// Minutes from sample to sample.
    step: u64,
    /// Minutes from evaluation to evaluation.
    every: u64,
}

impl<'a> Windows<'a> {
    fn new(plan: &'a Plan, slo: &'a Slo) -> Option<Self> {
        let events = &slo.events;
        let tiers = || events.tiers.iter();
        let mut windows: Vec<_> = tiers().flat_map(|tier| [tier.long, tier.short]).collect();
        if !rules::has_period_file(slo) {
            windows.push(slo.period);
        }
        windows.retain(|window| *window > BASE_WINDOW);
        windows.sort();
        windows.dedup();
        let longest = windows.last()?.mins_up();
        // Two samples at least must be in the base window.
        let step = longest.div_ceil(SAMPLES);
        if scraped(step) == 0 {
            return None;
        }
        let lowest = tiers().map(|tier| tier.threshold).min()?;
        let traffic = (1..).map(|digits| 10_i128.pow(digits)).find(|traffic| {
            lowest * *traffic >= ENOUGH_BAD.into() && *traffic > events.min_events.into()
        })?;
        let base = Ring {
            samples: scraped(step),
            total: traffic,
            bad: 0,
        };
        let mut rings = vec![base];
        let mut before = unseen(step);
        for window in &windows {
            let samples = reach(*window, step).saturating_sub(before);
            rings.push(Ring { samples, ..base });
            before += samples;
        }
        let signal = events.sli.signal()?;
        let all = labels::of(plan, signal, signal.family()?);
        let set = slo.labels.iter();
        let set = set.map(|label| Some((label.clone(), all.get(label)?.clone())));
        Some(Self {
            plan,
            slo,
            set: set.collect::<Option<_>>()?,
            windows,
            rings,
            step,
            every: (longest + (longest / 3).max(60)).next_multiple_of(60),
        })
    }

    fn ring_of(&self, window: Duration) -> usize {
        self.windows.iter().take_while(|w| **w <= window).count()
    }

    /// All events in each window, those of the base window first.
    fn totals(&self) -> Vec<i128> {
        let mut sum = 0;
        let rings = self.rings.iter();
        let sums = rings.map(|ring| {
            sum += ring.total * i128::from(ring.samples);
            sum
        });
        sums.collect()
    }

    /// Each window of each tier just above its threshold, and just below it, while the other one is above; as many at once as can
    /// be. `None` where a tier's windows read the same samples; and whether there are such events for each.
    fn thresholds(&self) -> Option<(Test, bool)> {
        let totals = self.totals();
        let mut found: Vec<Bands> = Vec::new();
        let mut whole = true;
        for (shares, is_long) in [(ABOVE, true), (ABOVE, false), (BELOW, true), (BELOW, false)] {
            for tier in &self.slo.events.tiers {
                let bands = self.bands(&totals, tier, is_long, shares)?;
                let joined = found.iter_mut().find_map(|known| {
                    let both = known.and(&bands);
                    self.solved(&both).is_some().then(|| *known = both)
                });
                if joined.is_some() {
                    continue;
                }
                match self.solved(&bands) {
                    Some(_) => found.push(bands),
                    None => whole = false,
                }
            }
        }
        let rings = self.apart();
        let mut checks = Vec::from(promised(&self.plan.service.name, self.slo, self.every));
        checks.extend(self.ratios(&rings, self.every));
        let mut episodes = vec![self.episode(rings)];
        for bands in &found {
            let rings = self.solved(bands)?;
            let at = self.every * (episodes.len() as u64 + 1);
            let fires = |tier: &&Tier| {
                let windows = [tier.long, tier.short].into_iter();
                let mut ratios = windows.map(|window| self.ratio(&rings, self.ring_of(window)));
                ratios.all(|ratio| ratio > tier.threshold)
            };
            checks.push(fire(self.slo.events.tiers.iter().filter(fires).count(), at));
            episodes.push(self.episode(rings));
        }
        let name = "each window: its ratio, just above its threshold, and just below it";
        Some((self.test(name, &episodes, checks)?, whole))
    }

    /// Each ring has other events than those beside it: a sample more or less of a window shows in its ratio.
    fn apart(&self) -> Vec<Ring> {
        let rings = self.rings.iter().zip([4, 2].into_iter().cycle());
        let rings = rings.map(|(ring, part)| Ring {
            bad: ring.total / part,
            ..*ring
        });
        rings.collect()
    }

    /// The ratio of a window.
    fn ratio(&self, rings: &[Ring], ring: usize) -> Number {
        let sum = |of: &dyn Fn(&Ring) -> i128| {
            let rings = rings[..=ring].iter();
            rings.map(|ring| of(ring) * i128::from(ring.samples)).sum()
        };
        Number::new(sum(&|ring| ring.bad), sum(&|ring| ring.total))
    }

    /// One window of a tier near its threshold, the other one above it.
    fn bands(
        &self,
        totals: &[i128],
        tier: &Tier,
        is_long: bool,
        shares: [Number; 2],
    ) -> Option<Bands> {
        let [long, short] = [tier.long, tier.short].map(|window| self.ring_of(window));
        let [near, other] = if is_long {
            [long, short]
        } else {
            [short, long]
        };
        if near == other {
            return None;
        }
        let threshold = tier.threshold;
        let level = |share| share_of(threshold, share);
        let mut bands: Vec<_> = totals.iter().map(|total| [0, *total]).collect();
        let most = match shares == ABOVE {
            true => level(ABOVE[0]).max((threshold * ABOVE[1]).min(1.into())),
            false => level(shares[1]),
        };
        bands[near] = [
            (level(shares[0]) * totals[near]).ceil().to_integer(),
            (most * totals[near]).floor().to_integer(),
        ];
        bands[other][0] = (level(ABOVE[0]) * totals[other]).ceil().to_integer();
        Some(Bands(bands))
    }

    /// Bad events for each window, so that none is at a threshold that it is not meant to be near.
    fn solved(&self, bands: &Bands) -> Option<Vec<Ring>> {
        let mut bands = bands.clone();
        loop {
            let rings = self.fewest(&bands)?;
            let sides = self.slo.events.tiers.iter().flat_map(|tier| {
                let rings = [tier.long, tier.short].map(|window| self.ring_of(window));
                rings.map(|ring| (ring, tier.threshold))
            });
            let mut at = sides.filter(|(ring, threshold)| {
                let [from, to] = [BELOW[1], ABOVE[0]].map(|share| *threshold * share);
                let ratio = self.ratio(&rings, *ring);
                from < ratio && ratio < to.min((*threshold + 1) / 2)
            });
            let Some((ring, threshold)) = at.next() else {
                return Some(rings);
            };
            let above = share_of(threshold, ABOVE[0]) * self.totals()[ring];
            bands.0[ring][0] = above.ceil().to_integer();
        }
    }

    /// The fewest bad events that are enough for each window, if these are not too many for any.
    fn fewest(&self, bands: &Bands) -> Option<Vec<Ring>> {
        let mut least: Vec<_> = bands.0.iter().map(|[least, _]| *least).collect();
        for i in 1..least.len() {
            least[i] = least[i].max(least[i - 1]);
        }
        for i in (1..least.len()).rev() {
            let ring = self.rings[i];
            let all = ring.total * i128::from(ring.samples);
            least[i - 1] = least[i - 1].max(least[i] - all);
        }
        let mut bad = 0;
        let rings = self.rings.iter().zip(&least).zip(&bands.0);
        rings
            .map(|((ring, least), [from, to])| {
                let samples = i128::from(ring.samples);
                let each = Number::new((least - bad).max(0), samples.max(1)).ceil();
                let each = each.to_integer();
                bad += each * samples;
                let fits = each <= ring.total && (from..=to).contains(&&bad);
                fits.then_some(Ring { bad: each, ..*ring })
            })
            .collect()
    }

    /// The ratio of each longer window.
    fn ratios(&self, rings: &[Ring], at: u64) -> Vec<ExprCheck> {
        let windows = self.windows.iter().enumerate();
        windows
            .map(|(i, window)| {
                let ratio = self.ratio(rings, i + 1);
                ratio_is(*window, ratio, at)
            })
            .collect()
    }

    /// Beyond the longest window, half of the events are bad, or a fifth: a longer one would count more of the good and of the bad.
    fn episode(&self, mut rings: Vec<Ring>) -> Episode {
        let last = rings[rings.len() - 1];
        let base = rings.remove(0);
        let ratio = Number::new(base.bad, base.total);
        rings.push(Ring {
            samples: 0,
            bad: last.total / if 2 * last.bad == last.total { 5 } else { 2 },
            ..last
        });
        Episode {
            scraped: Level::new(scraped(self.step), ratio).thin(base.total.into()),
            recorded: rings,
        }
    }

    /// All events are bad, and one less than enough without the one at the start of a window, or before it.
    fn few(&self) -> Option<Test> {
        let enough = i128::from(self.slo.events.min_events);
        // The rate that they are recorded as must be exactly theirs.
        let is_exact = |events: &i128| {
            let (events, seconds) = (*events as f64, BASE_WINDOW.as_secs() as f64);
            events / seconds * seconds == events
        };
        let newest = (1..enough).rev().find(is_exact)?;
        let more = enough - 1 - newest;
        let minutes = scraped(self.step);
        let newest = Level::new(minutes, 1.into()).thin(Number::new(newest, minutes.into()));
        let (unseen, step) = (unseen(self.step), self.step);
        let (mut episodes, mut checks) = (Vec::new(), Vec::new());
        for tier in &self.slo.events.tiers {
            let reaches = reach(tier.long, step);
            if tier.long <= BASE_WINDOW || reaches <= unseen + 1 {
                return None;
            }
            for back in [reaches - 1, reaches] {
                let events = |samples, events| Ring {
                    samples,
                    total: events,
                    bad: events,
                };
                episodes.push(Episode {
                    scraped: newest,
                    recorded: vec![
                        events(1, more),
                        events(back - unseen - 1, 0),
                        events(1, 1),
                        events(0, 0),
                    ],
                });
                let at = self.every * episodes.len() as u64;
                let tiers = self.slo.events.tiers.iter();
                let enough = tiers.filter(|tier| back < reach(tier.long, step));
                checks.push(fire(enough.count(), at));
            }
        }
        self.test("fires only with `min_events`", &episodes, checks)
    }

    /// Series of what is scraped and of what is recorded.
    fn test(&self, name: &str, episodes: &[Episode], checks: Vec<ExprCheck>) -> Option<Test> {
        let driver = Driver {
            plan: self.plan,
            step: 1,
        };
        let mut input_series: Vec<Input> = Vec::new();
        for (i, episode) in episodes.iter().enumerate() {
            let inputs = burn::inputs(&driver, self.slo, &[episode.scraped], true)?;
            let missing = self.every / self.step - scraped(self.step) - u64::from(i > 0);
            for (at, input) in inputs.into_iter().enumerate() {
                let values = format!("_x{missing} {}", input.values);
                match input_series.get_mut(at) {
                    Some(known) => known.values = format!("{} {values}", known.values),
                    None => input_series.push(Input { values, ..input }),
                }
            }
        }
        let unseen = unseen(self.step);
        let recorded: Vec<_> = episodes.iter().map(|e| (&e.recorded[..], unseen)).collect();
        let each = self.plan.evaluation;
        input_series.extend(self.counted(each, |value| self.runs(&recorded, value)));
        Some(self.named(name, input_series, checks))
    }

    fn named(&self, name: &str, inputs: Vec<Input>, checks: Vec<ExprCheck>) -> Test {
        Test::new(name, minutes(self.step), inputs, checks)
    }

    /// All events and the bad or good ones, as they are recorded.
    fn counted(
        &self,
        window: Duration,
        runs: impl Fn(&dyn Fn(&Ring) -> i128) -> Vec<Run>,
    ) -> [Input; 2] {
        let part = self.slo.events.sli.part_events();
        let of_part = |ring: &Ring| match part == naming::GOOD_EVENTS {
            true => ring.total - ring.bad,
            false => ring.bad,
        };
        [
            self.recorded(naming::ALL_EVENTS, window, &runs(&|ring| ring.total)),
            self.recorded(part, window, &runs(&of_part)),
        ]
    }

    /// Samples up to so many before each evaluation.
    fn runs(&self, episodes: &[(&[Ring], u64)], value: &dyn Fn(&Ring) -> i128) -> Vec<Run> {
        let mut runs = vec![(1, None)];
        for (rings, unseen) in episodes {
            let known: u64 = rings.iter().map(|ring| ring.samples).sum();
            runs.push((
                self.every / self.step - known - unseen,
                rings.last().map(|r| value(r).into()),
            ));
            let samples = rings.iter().rev();
            runs.extend(samples.map(|ring| (ring.samples, Some(value(ring).into()))));
            runs.push((*unseen, None));
        }
        runs
    }

    /// A recorded series.
    fn recorded(&self, series: &str, window: Duration, runs: &[Run]) -> Input {
        let (service, slo) = (&self.plan.service.name, &self.slo.name);
        let series = slo_series(series, service, slo, &window.to_string());
        let labels = self.set.iter();
        let series = labels.fold(series, |series: Selector, (label, value)| {
            series.matcher(label, MatchOp::Equal, value)
        });
        Input {
            series: series.to_string(),
            values: values::held(runs),
        }
    }

    /// A target that is down before the first evaluation, and up before the second; and one that is up before both.
    fn up(&self) -> Option<Vec<Input>> {
        let all = self.slo.events.all_up.as_ref()?;
        let up = visit::selectors(&all.expr).into_iter().next()?;
        let matchers = up.matchers.iter();
        let met = matchers.map(|m| (m.label.text.clone(), labels::meeting(m.op, &m.value.value)));
        let mut set: LabelSet = met.collect();
        let place = all
            .labels
            .iter()
            .filter_map(|label| self.set.get_key_value(label));
        set.extend(place.map(|(label, value)| (label.clone(), value.clone())));
        let each = self.every / self.step;
        let input = |set: &LabelSet, first: i128| Input {
            series: labels::series("up", set),
            values: values::held(&[
                (1, None),
                (each, Some(first.into())),
                (each, Some(1.into())),
            ]),
        };
        let mut all = vec![input(&set, 0)];
        if set.insert("instance".into(), "i2".into()).is_none() {
            all.push(input(&set, 1));
        }
        Some(all)
    }

    /// All targets die in an outage: the alert goes on for most of an hour, and ends when what it remembers is too old. Where targets
    /// are left and all of them are up, it ends at once.
    fn end(&self) -> Option<Test> {
        let hair = BASE_WINDOW.mins_up();
        let held = |tier: &&Tier| self.slo.events.is_held(tier);
        let mut tiers = self.slo.events.tiers.iter().filter(held);
        let fast = tiers.find(|tier| tier.long <= HELD && tier.long.mins_up() > 2 * hair);
        let mut later = self.slo.events.tiers.iter().skip(1).filter(held);
        let slow = later.find(|tier| tier.long > HELD);
        // The long window of a fast tier must still see some of the outage.
        let shortest = fast.map_or(HELD, |tier| tier.long).mins_up();
        let stays = shortest - 2 * hair;
        let tiers: Vec<_> = fast.into_iter().chain(slow).collect();
        tiers.first()?;
        let outage = [Ring {
            samples: 0,
            total: TRAFFIC,
            bad: TRAFFIC,
        }];
        let over = HELD.mins_up() + hair;
        let (idle, gone) = (stays.div_ceil(2) / self.step, 2 * hair / self.step);
        let up = self.up();
        let stays = stays / self.step;
        let removed = up.as_ref().map(|_| stays);
        let ends: Vec<_> = [
            Some(stays),
            removed,
            Some(over.div_ceil(self.step)),
            Some(idle + gone),
        ]
        .into_iter()
        .flatten()
        .map(|end| (&outage[..], end))
        .collect();
        let counted = self.counted(self.plan.evaluation, |value| self.runs(&ends, value));
        let shares = self.runs(&ends, &|_| 1);
        // The last time, the targets go on without events before they die.
        let mut all = shares.clone();
        all.pop();
        all.extend([(idle, Some(0.into())), (gone, None)]);
        let all = self.recorded(naming::TOTAL_EVENTS, BASE_WINDOW, &all);
        let ratio = |tier: &Tier| self.recorded(naming::ERROR_RATIO, tier.short, &shares);
        let ratios = tiers.iter().map(|tier| ratio(tier));
        let inputs = counted.into_iter().chain([all]).chain(ratios);
        let inputs = inputs.chain(up.into_iter().flatten()).collect();
        let checks = (1..=ends.len() as u64).flat_map(|at| {
            let tiers = tiers.iter();
            tiers.map(move |tier| burns(tier, at * self.every, at == 1))
        });
        let checks = checks.collect();
        Some(self.named(
            "goes on when all targets die, and not after their removal or an idle time",
            inputs,
            checks,
        ))
    }

    /// As many bad events in each sample of the SLO window, and more before it. Another group sums them up, at another second: the
    /// sample at the start of the window, which Prometheus 2 counts and Prometheus 3 does not, is not there.
    fn period(&self) -> Option<Test> {
        let period = self.slo.period.mins_up();
        let fits = |step: &u64| period.is_multiple_of(*step) && period / step <= SAMPLES;
        let step = [5, 10, 15, 20, 30, 60].into_iter().find(fits)?;
        if !rules::has_period_file(self.slo) {
            return None;
        }
        let at = (period + step).next_multiple_of(self.every);
        let total = self.rings[0].total;
        let budget = self.slo.events.budget.budget;
        let bad = (budget * total / 2).ceil().to_integer();
        let ring = |samples, bad| Ring {
            samples,
            total,
            bad,
        };
        let samples = period / step;
        let rings = [ring(samples, bad), ring(at / step - samples, total / 2)];
        let counted = self.counted(BASE_WINDOW, |value| {
            let [inside, before] = rings.each_ref().map(|ring| Some(value(ring).into()));
            vec![(rings[1].samples, before), (1, None), (samples, inside)]
        });
        let ratio = Number::new(bad, total);
        let left = format!(
            "{}{{{}=\"{}\"}}",
            naming::BUDGET_REMAINING,
            naming::SLO,
            self.slo.name
        );
        let left_now = Number::from_integer(1) - ratio / budget;
        let checks = vec![
            ratio_is(self.slo.period, ratio, at),
            near(&left, left_now, HAIR, at),
        ];
        let mut test = self.named(
            "counts the events of the SLO window",
            counted.into(),
            checks,
        );
        test.interval = minutes(step);
        Some(test)
    }

    /// The sums of the SLO window have the five minutes that ended a minute before, each once.
    fn sums(&self) -> Option<Test> {
        let minute = self.plan.evaluation == EVALUATION && self.every > 6;
        if !minute || !rules::has_period_file(self.slo) {
            return None;
        }
        let samples = |value: i128| Some(Number::from_integer(value));
        let runs = [
            (self.every - 6, None),
            (1, samples(1)),
            (5, samples(10)),
            (1, None),
        ];
        let part = self.slo.events.sli.part_events();
        let [all, part] = [naming::ALL_EVENTS, part].map(|series| {
            let (service, slo) = (&self.plan.service.name, &self.slo.name);
            let sum = slo_series(series, service, slo, &BASE_WINDOW.to_string());
            let input = self.recorded(series, EVALUATION, &runs);
            (input, value_is(format!("sum({sum})"), self.every, Some(50)))
        });
        let (inputs, checks) = [all, part].into_iter().unzip();
        let mut test = self.named("sums up five minutes", inputs, checks);
        test.interval = minutes(1);
        Some(test)
    }
}

impl Bands {
    fn and(&self, other: &Self) -> Self {
        let both = self.0.iter().zip(&other.0);
        Self(
            both.map(|([a, b], [c, d])| [*a.max(c), *b.min(d)])
                .collect(),
        )
    }
}

/// Steps in which events are scraped, before an evaluation: those of the base window.
fn scraped(step: u64) -> u64 {
    (BASE_WINDOW.mins_up() - 1) / step
}

/// Samples before an evaluation that are not recorded, which would be seen as the newest value.
fn unseen(step: u64) -> u64 {
    (BASE_WINDOW.mins_up() + 1).div_ceil(step)
}

/// Samples before an evaluation that a longer window reads, those that are not recorded included.
fn reach(window: Duration, step: u64) -> u64 {
    (window.as_secs() - BASE_WINDOW.as_secs()).div_ceil(60 * step)
}

/// The ratio over a window is exactly this one.
fn ratio_is(window: Duration, ratio: Number, at: u64) -> ExprCheck {
    let hairs = (1..).map(|digits| Number::new(1, 10_i128.pow(digits)));
    let hair = { hairs }.find(|hair| *hair <= ratio * HAIR);
    let series = of_window(naming::ERROR_RATIO, window).to_string();
    near(&series, ratio, hair.unwrap_or(HAIR), at)
}

/// So many tiers fire.
fn fire(tiers: usize, at: u64) -> ExprCheck {
    value_is(
        "count(ALERTS)".into(),
        at,
        i64::try_from(tiers).ok().filter(|n| *n > 0),
    )
}
