//! What the parts of a condition are driven with where their tests are searched for.

use super::course::Course;
use super::drive::{Driver, Level};
use super::labels;
use super::level::{self, busy};
use super::lever::Lever;
use super::swing::Blocks;
use super::together;
use super::values;
use crate::target::prometheus::view::Input;
use slosmith_plan::plan::{Absent, Bound, Compare, Condition, Correlated, Plan, Query, Source};
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Duration, Number};

/// How inputs are tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Try {
    /// How hard the parts are driven.
    pub(super) strength: usize,
    /// How the history of a usual range goes.
    pub(super) swing: usize,
    /// True where parts with a fixed bound are at fault before the others change.
    pub(super) lead: bool,
    /// True with so few requests that counts of them stay low.
    pub(super) quiet: bool,
    /// True where a part that reads series of another has none of its own.
    pub(super) shared: bool,
    /// The part whose series count where two parts want the same ones.
    pub(super) first: usize,
    /// True with the series of another replica, or of another place.
    pub(super) beside: bool,
    /// True where a part that counts the events of another part's ratio has no series: it says how many events that one has.
    pub(super) counted: bool,
    pub(super) shape: Shape,
}

/// How the series of a part go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Without fault, at fault, without fault.
    Steps,
    /// The fault grows: a part that asks for a level and one that asks for growth may read one series.
    Rising,
    /// A part that must not hold did hold before: the same events in a long window and not in a short one.
    Fading,
}

impl Try {
    /// All ways, the plain ones first.
    pub(super) fn all(parts: &[Part<'_>]) -> Vec<Self> {
        let swings = match parts.iter().any(Part::swings) {
            true => SWINGS,
            false => 1,
        };
        let both = |more: bool| [false, true].into_iter().filter(move |on| !*on || more);
        let several = parts.len() > 1;
        let mut all = Vec::new();
        for shared in both(several) {
            for quiet in both(several) {
                for lead in both(several && parts.iter().any(Part::changes)) {
                    for strength in 0..STRENGTHS.len() {
                        for swing in 0..swings {
                            all.extend((0..parts.len()).map(|first| Self {
                                strength,
                                swing,
                                lead,
                                quiet,
                                shared,
                                first,
                                beside: false,
                                counted: false,
                                shape: Shape::Steps,
                            }));
                        }
                    }
                }
            }
        }
        let shapes = [Shape::Rising, Shape::Fading].into_iter();
        let others = shapes.filter(|_| several).flat_map(|shape| {
            (0..parts.len()).map(move |first| Self {
                strength: 1,
                swing: 0,
                lead: false,
                quiet: false,
                shared: true,
                first,
                beside: false,
                counted: false,
                shape,
            })
        });
        all.extend(others);
        all
    }
}

/// Requests a minute in quiet times.
const QUIET: i128 = 6;

/// A part of a condition.
#[derive(Clone)]
pub(super) struct Part<'a> {
    driver: Driver<'a>,
    kind: Kind<'a>,
}

#[derive(Clone)]
enum Kind<'a> {
    Compare(&'a Compare),
    Absent(&'a Absent),
    Correlated(&'a Correlated),
    /// PromQL by the author.
    Own(&'a Query, Lever),
}

/// How far beyond a bound the fault goes, in hundredths of it.
const STRENGTHS: [(i128, bool); 6] = [
    (level::NEAREST, false),
    (200, false),
    (1_000, false),
    (200, true),
    (1_000, true),
    (10_000, true),
];

/// Kinds of history that [`Blocks::tried`] knows.
const SWINGS: usize = 4;

impl<'a> Part<'a> {
    /// `None` where nothing is known of what the part asks.
    pub(super) fn of(plan: &'a Plan, leaf: &'a Condition, step: u64) -> Option<Self> {
        let own = || Some(Kind::Own(leaf.query(), Lever::find(leaf.query())?));
        let kind = match leaf {
            Condition::Compare(c) if c.signal.has_own_promql() => own()?,
            Condition::Compare(c) => Kind::Compare(c),
            Condition::Absent(a) => Kind::Absent(a),
            Condition::Raw(raw) => match &raw.correlated {
                Some(correlated) => Kind::Correlated(correlated),
                None => own()?,
            },
            _ => return None,
        };
        let driver = Driver { plan, step };
        Some(Self { driver, kind })
    }

    /// True where its own query reads a series.
    pub(super) fn reads(&self, series: &str) -> bool {
        match &self.kind {
            Kind::Compare(c) => labels::reads(&c.query.expr, series),
            Kind::Absent(a) => labels::reads(&a.query.expr, series),
            Kind::Own(query, _) => labels::reads(&query.expr, series),
            // What it reads is recorded.
            Kind::Correlated(_) => false,
        }
    }

    /// True where it counts what another part has the ratio of.
    pub(super) fn counts(&self, other: &Self) -> bool {
        let (Kind::Compare(own), Kind::Compare(ratio)) = (&self.kind, &other.kind) else {
            return false;
        };
        let Source::Ratio { over, .. } = &ratio.signal.source else {
            return false;
        };
        let total = over.family().map(|family| {
            let set = labels::of(self.driver.plan, over, family);
            let name = format!("{}{}", family.names.newest(), family.counted().suffix());
            labels::series(&name, &set)
        });
        matches!(own.stat, Stat::Increase | Stat::Rate)
            && matches!(own.bound, Bound::Fixed(..))
            && total.is_some_and(|total| self.reads(&total))
    }

    /// Events of a minute without fault, and so many hundredths of the way to it.
    pub(super) fn events(&self, share: i128, how: Try) -> Option<[Number; 2]> {
        let Kind::Compare(c) = &self.kind else {
            return None;
        };
        let (percent, low) = STRENGTHS[how.strength];
        let (good, bad, _) = level::apart(c, percent, low)?;
        let seconds = match (c.stat, c.unit.per) {
            (Stat::Increase, _) => i128::from(c.window.as_secs()),
            (_, Some(per)) => i128::from(per.seconds),
            (_, None) => 1,
        };
        let minute = Number::new(60, seconds) / c.signal.value_scale(c.stat);
        let bad = good + (bad - good) * Number::new(share, 100);
        Some([good * minute, bad * minute])
    }

    /// True where the past must have a usual range.
    fn swings(&self) -> bool {
        matches!(&self.kind, Kind::Compare(c) if matches!(c.bound, Bound::Outside(_)))
    }

    /// True where two signals are asked to move together.
    pub(super) fn is_together(&self) -> bool {
        matches!(self.kind, Kind::Correlated(_))
    }

    /// True where the part asks for a change, which its own past catches up with.
    fn changes(&self) -> bool {
        matches!(&self.kind, Kind::Compare(c) if !matches!(c.bound, Bound::Fixed(..)))
    }

    fn steps(&self, duration: Duration) -> u64 {
        duration.mins_up().div_ceil(self.driver.step)
    }

    fn window(&self) -> u64 {
        match &self.kind {
            Kind::Compare(c) => self.steps(c.window),
            Kind::Absent(_) => 10,
            Kind::Own(_, lever) => lever.window.div_ceil(self.driver.step),
            Kind::Correlated(c) => {
                let read = c.of.iter().map(|reading| reading.window).max();
                self.steps(c.window) + self.steps(read.unwrap_or_default())
            }
        }
    }

    fn past(&self) -> u64 {
        match &self.kind {
            Kind::Compare(c) => c.bound.past().map_or(0, |past| self.steps(past)),
            Kind::Absent(_) | Kind::Correlated(_) | Kind::Own(..) => 0,
        }
    }

    /// The part's series; `share` says how many hundredths of the way from good to bad they go, and `events` how many there are in a
    /// minute without fault and with it.
    pub(super) fn inputs(
        &self,
        course: &Course,
        share: i128,
        how: Try,
        events: Option<[Number; 2]>,
    ) -> Option<Vec<Input>> {
        match &self.kind {
            Kind::Compare(c) => {
                let (percent, low) = STRENGTHS[how.strength];
                let (good, bad, spread) = level::apart(c, percent, low)?;
                let bad = good + (bad - good) * Number::new(share, 100);
                let lead = match how.lead && !self.changes() {
                    true => course.lead,
                    false => 0,
                };
                let history = course.history - lead;
                let mut levels = match spread {
                    Some(spread) => {
                        let blocks = Blocks::tried(how.swing, self.window());
                        blocks.between(history, good - spread, good + spread)
                    }
                    None if how.shape == Shape::Fading && share == 0 => {
                        let (_, bad, _) = level::apart(c, percent, low)?;
                        vec![Level::new(history, bad).busy(busy(c))]
                    }
                    None => vec![Level::new(history, good)],
                };
                let during = Level::new(course.fault + lead, bad);
                match (share > 0, how.shape) {
                    (true, Shape::Rising) => {
                        // A hundredth of it with each step.
                        let beyond = |step| bad * Number::new(step, 100);
                        let steps = (0..i128::from(course.fault)).map(beyond);
                        levels.extend(steps.map(|more| Level::new(1, bad + more)));
                    }
                    (true, _) => levels.push(during.busy(busy(c))),
                    (false, _) => levels.push(during),
                }
                levels.push(Level::new(course.after, good));
                if how.quiet {
                    let thin = |level: Level| level.thin(Number::from_integer(QUIET));
                    levels = levels.into_iter().map(thin).collect();
                }
                if let (Some([few, many]), [before @ .., during, after]) = (events, &mut levels[..])
                {
                    *during = during.thin(many);
                    for level in before.iter_mut().chain([after]) {
                        *level = level.thin(few);
                    }
                }
                self.driver.compare(c, &levels, true)
            }
            Kind::Own(_, lever) => Some(lever.inputs(course, share)),
            Kind::Correlated(c) => together::inputs(&self.driver, c, course, share, how.strength),
            Kind::Absent(a) => {
                let family = a.signal.family()?;
                let set = labels::of(self.driver.plan, &a.signal, family);
                let name = format!("{}{}", family.names.first()?, family.counted().suffix());
                Some(vec![Input {
                    series: labels::series(&name, &set),
                    values: match share {
                        100 => values::absent(course),
                        _ => format!("1+0x{}", course.end()),
                    },
                }])
            }
        }
    }
}

/// Steps that are enough for all parts, for a holding time, and for a time that the alert goes on.
pub(super) fn course(parts: &[Part<'_>], hold: u64, keep: u64) -> Course {
    let window = parts.iter().map(Part::window).max().unwrap_or(0);
    let past = parts.iter().map(Part::past).max().unwrap_or(0);
    Course {
        history: past + 2 * window + 10,
        fault: window + hold + 15,
        after: window + past.min(60) + keep + 5,
        lead: window + 5,
    }
}
