//! Good, bad and nearly bad levels of a compared signal.

use super::distribution::Bounds;
use super::onset::Steps;
use super::swing::{self, Blocks};
use slosmith_plan::plan::{Bound, Compare, CompareOp, Family, Outside, Signal, SignalKind, Source};
use slosmith_plan::query;
use slosmith_spec::spec::{Across, Baseline, FamilyKind, Stat};
use slosmith_text::units::{Duration, Number, Unit, float};

/// Far enough beyond a threshold to be seen, near enough that another threshold is noticed.
const BEYOND: (i128, i128) = (101, 100);
/// Just on the good side.
const SHORT_OF: (i128, i128) = (99, 100);
/// The same of a share of requests so small that a hundredth of it is not one of them.
const BEYOND_FEW: (i128, i128) = (105, 100);
const SHORT_OF_FEW: (i128, i128) = (95, 100);
const FEW: (i128, i128) = (1, 10_000);
/// The same where inputs are tried, in hundredths.
pub(super) const NEAREST: i128 = 105;
/// Half of a threshold, or half as much again below it.
const GOOD: (i128, i128) = (50, 100);

/// How much busier a fault is than usual: a ratio that divided by yesterday's traffic would show.
const BUSY: i128 = 5;

/// A baseline's own spread, as a share of it; the bad level lies several such spreads away.
const SPREAD: (i128, i128) = (2, 100);

/// What a leaf of a condition is driven with.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    pub(super) good: Number,
    pub(super) bad: Number,
    pub(super) near: Number,
    /// When the condition holds after `good` became `bad`.
    pub(super) onset: Steps,
    /// When it ends after `bad` became `good`.
    pub(super) reset: Steps,
    /// Steps of good history that it needs.
    pub(super) history: u64,
    /// Steps of a fault after which its own past may have caught up with it.
    pub(super) stays: u64,
    /// Good history swings between these two levels, when a spread is needed.
    pub(super) swing: Option<(Blocks, Number, Number)>,
}

fn int(n: i128) -> Number {
    Number::from_integer(n)
}

fn times(value: Number, (n, d): (i128, i128)) -> Number {
    value * Number::new(n, d)
}

/// The largest value a signal can have; a percentile ends at the last bucket.
fn top(c: &Compare) -> Option<Number> {
    top_of(&c.signal, c.stat)
}

fn top_of(signal: &Signal, stat: Stat) -> Option<Number> {
    if let (Stat::Quantile(_), Some(family)) = (stat, signal.family()) {
        return family.buckets.last().map(|b| b.bound * signal.scale);
    }
    let bounded = matches!(signal.unit, Unit::Ratio | Unit::Bool)
        && !matches!(stat, Stat::Rate | Stat::Increase | Stat::Slope);
    bounded.then(|| int(1))
}

/// What decides where a usual range has a limit beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decider {
    /// The range; values lie beyond the limit anyway.
    Range,
    /// The limit on this side; values are unusual long before it.
    Limit(CompareOp),
}

/// The levels for steps of `step` minutes; `None` when no input makes the condition hold or not hold.
pub(super) fn levels(c: &Compare, step: u64, decider: Decider) -> Option<Levels> {
    match &c.bound {
        Bound::Fixed(op, threshold, _) => fixed(c, *op, *threshold, step, 0),
        Bound::Times(op, factor, baseline) => {
            let base = base_level(c, *factor)?;
            let history = match baseline {
                Baseline::Offset(ago) => steps(*ago, step),
                Baseline::AvgOver(over) => steps((*over).min(Duration::from_secs(86_400)), step),
            };
            let mut levels = fixed(c, *op, base * *factor, step, history)?;
            levels.good = base;
            levels.stays = history;
            if matches!(baseline, Baseline::AvgOver(_)) {
                // The mean follows the fault, so the fault must outrun it.
                let far = if op.is_upper() { (150, 100) } else { (50, 100) };
                levels.bad = times(base * *factor, far);
                levels.stays = caught_up(&levels, *factor, history);
            }
            let levels = timed(c, levels, Some(base * *factor), op.is_upper(), step)?;
            match baseline {
                Baseline::AvgOver(_) => outrun(c, levels, *factor, history, step),
                Baseline::Offset(_) => Some(levels),
            }
        }
        Bound::Outside(o) => match decider {
            Decider::Range => unusual(c, o, step),
            Decider::Limit(op) => {
                let mut sides = o.sides();
                match sides.find_map(|(side, limit)| limit.filter(|_| side == op)) {
                    Some(limit) => limited(c, o, op, limit.value, step),
                    None => unusual(c, o, step),
                }
            }
        },
    }
}

/// Steps of history that a usual range needs.
fn learnt(o: &Outside, step: u64) -> u64 {
    steps(o.window.min(Duration::from_secs(86_400)), step).max(u64::from(o.min_samples) + 20)
}

/// The swing that gives a signal a usual range.
fn swing_of(c: &Compare, o: &Outside, step: u64) -> Option<swing::Seen> {
    let window = match c.signal.is_instant(c.stat) {
        true => 0,
        false => steps(c.window, step),
    };
    swing::seen(c.stat, window, steps(o.window, step), float(o.sigma))
}

/// Whether high values are unusual, the middle of the usual range, and how far it swings; there is room for `far` times
/// as much.
fn usual(c: &Compare, o: &Outside, far: Number) -> Option<(bool, Number, Number)> {
    let (op, limit) = o.sides().next()?;
    let (upper, limit) = (op.is_upper(), limit.map(|limit| limit.value));
    let base = match (limit, top(c)) {
        (None, _) => base_level(c, int(2))?,
        (Some(limit), Some(top)) if upper => (limit + top) / 2,
        (Some(limit), None) if upper => base_level(c, int(2))?.max(limit * 2),
        (Some(limit), _) => base_level(c, int(2))?.min(limit / 2),
    };
    let base = inside_bucket(&c.signal, c.stat, base);
    let spread = times(base, SPREAD);
    let room = top(c).filter(|_| upper).map(|top| (top - base) / (far + 1));
    Some((upper, base, room.map_or(spread, |room| spread.min(room))))
}

/// A level with room on both sides within its bucket: a percentile that swings across a boundary is nearly always on one side of it.
pub(super) fn inside_bucket(signal: &Signal, stat: Stat, level: Number) -> Number {
    let (Stat::Quantile(_), Some(family)) = (stat, signal.family()) else {
        return level;
    };
    let near = |b: &slosmith_plan::plan::Bucket| {
        let bound = b.bound * signal.scale;
        let reach = times(level, SPREAD) * 2;
        level - reach <= bound && bound <= level + reach
    };
    match family.buckets.iter().any(near) {
        true => times(level, (90, 100)),
        false => level,
    }
}

/// A good and a bad level so many hundredths beyond the bound, and how far the good one swings where a range is usual;
/// `low` is a good level from which there is much room.
pub(super) fn apart(
    c: &Compare,
    percent: i128,
    low: bool,
) -> Option<(Number, Number, Option<Number>)> {
    let beyond = |op: CompareOp, threshold: Number| {
        let level = match op.is_upper() {
            true => times(threshold, (percent, 100)),
            false => times(threshold, (100, percent)),
        };
        let most = top(c).map(|top| (threshold + top * 9) / 10);
        most.map_or(level, |most| level.min(most))
    };
    match &c.bound {
        Bound::Fixed(op, threshold, _) => {
            let plain = plain(c, *op, *threshold);
            // At first the threshold itself, where it is one that values can meet.
            let is_closed = matches!(op, CompareOp::AtLeast | CompareOp::AtMost);
            let is_met = is_whole(c, *threshold) || c.signal.is_as_sent(c.stat);
            let is_exact = is_closed && is_met && percent == NEAREST;
            let bad = match *threshold == int(0) || is_state(c) || is_exact {
                true => plain.bad,
                false => beyond(*op, *threshold),
            };
            let good = match (low, op.is_upper()) {
                (true, true) => plain.good / 20,
                // A window of it is soon below the bound.
                (true, false) if *threshold > int(0) => plain.good.min(times(*threshold, BEYOND)),
                _ => plain.good,
            };
            Some((good, bad, None))
        }
        Bound::Times(op, factor, _) => {
            let base = base_level(c, *factor)?;
            let base = if low { base / 20 } else { base };
            Some((base, beyond(*op, base * *factor), None))
        }
        Bound::Outside(o) => {
            let far = o.sigma * 4 * Number::new(percent, 100);
            let (upper, base, spread) = usual(c, o, far)?;
            let bad = match upper {
                true => base + spread * far,
                false => (base - spread * far).max(base / 1_000),
            };
            Some((base, bad, Some(spread)))
        }
    }
}

/// Several deviations away from the mean, where a limit beside the range makes no difference.
fn unusual(c: &Compare, o: &Outside, step: u64) -> Option<Levels> {
    let far = o.sigma * 4;
    let (upper, base, spread) = usual(c, o, far)?;
    let away = |sigmas: Number| {
        if upper {
            base + spread * sigmas
        } else {
            base - spread * sigmas
        }
    };
    // What is unusual in good times too has no minute at which it begins.
    let seen = swing_of(c, o, step).filter(|seen| seen.holds)?;
    // Short of the range at every moment.
    let near = Number::new((seen.reach * 50.0).floor() as i128, 100);
    let levels = Levels {
        good: base,
        bad: away(far),
        near: away(near.min(o.sigma / 3)),
        onset: Steps::NEXT,
        reset: Steps::NEXT,
        history: learnt(o, step),
        stays: u64::MAX,
        swing: Some((seen.blocks, base - spread, base + spread)),
    };
    timed(c, levels, None, upper, step)
}

/// Unusual in any case, and just beyond the limit or just short of it.
fn limited(c: &Compare, o: &Outside, op: CompareOp, limit: Number, step: u64) -> Option<Levels> {
    let levels = plain(c, op, limit);
    let levels = Levels {
        good: inside_bucket(&c.signal, c.stat, levels.good),
        history: learnt(o, step),
        ..levels
    };
    let mut levels = timed(c, levels, Some(limit), op.is_upper(), step)?;
    let spread = times(levels.good, SPREAD);
    let blocks = swing_of(c, o, step)?.blocks;
    levels.swing = Some((blocks, levels.good - spread, levels.good + spread));
    let away = (levels.near - levels.good) / spread;
    let away = if op.is_upper() { away } else { -away };
    (away > o.sigma + 1).then_some(levels)
}

/// Against a mean that follows, the condition holds later and ends earlier; `None` where the mean outruns it.
fn outrun(
    c: &Compare,
    mut levels: Levels,
    factor: Number,
    history: u64,
    step: u64,
) -> Option<Levels> {
    let window = match c.signal.is_instant(c.stat) {
        true => 0,
        false => steps(c.window, step),
    };
    let mixes = !matches!(
        c.stat,
        Stat::Quantile(_) | Stat::Max | Stat::Min | Stat::Slope
    );
    // How much of the way from good to bad the value has surely gone, and the mean at most.
    let busy = busy(c) as f64;
    let gone = |k: u64, n: u64| {
        let x = (k as f64 / n as f64).min(1.0);
        match mixes {
            true => x * busy / (1.0 - x + x * busy),
            false if k >= n => 1.0,
            false => 0.0,
        }
    };
    let mean = |k: u64| match mixes {
        true => (1..=k).map(|j| gone(j, window.max(2) - 1)).sum::<f64>() / history as f64,
        false => k as f64 / history as f64,
    };
    let (good, bad, factor) = (float(levels.good), float(levels.bad), float(factor));
    let upper = bad > good;
    let holds = |k: &u64| {
        let value = good + (bad - good) * gone(*k, window + 1);
        let bound = factor * (good + (bad - good) * mean(*k));
        if upper { value > bound } else { value < bound }
    };
    levels.onset.latest = (levels.onset.latest..=window + 2).find(holds)?;
    levels.reset.earliest = 1;
    Some(levels)
}

/// Steps until the mean over `history` lies so near to the bad level that it is no longer `factor` times away.
fn caught_up(levels: &Levels, factor: Number, history: u64) -> u64 {
    let share = (levels.bad / factor - levels.good) / (levels.bad - levels.good);
    (float(share) * history as f64).floor() as u64
}

fn steps(duration: Duration, step: u64) -> u64 {
    duration.mins_up().div_ceil(step)
}

fn fixed(c: &Compare, op: CompareOp, threshold: Number, step: u64, history: u64) -> Option<Levels> {
    let levels = Levels {
        history,
        ..plain(c, op, threshold)
    };
    timed(
        c,
        levels,
        Some(crossed(c, op, threshold)),
        op.is_upper(),
        step,
    )
}

/// The value at which a condition on a threshold begins to hold: between two whole numbers, where a number of events is rounded.
fn crossed(c: &Compare, op: CompareOp, threshold: Number) -> Number {
    if !is_whole(c, threshold) {
        return threshold;
    }
    let half = Number::new(1, 2);
    match op {
        CompareOp::Above | CompareOp::AtMost => threshold + half,
        CompareOp::Below | CompareOp::AtLeast => threshold - half,
    }
}

fn is_whole(c: &Compare, threshold: Number) -> bool {
    matches!(c.bound, Bound::Fixed(..)) && query::is_whole(&c.signal, c.stat, threshold)
}

/// True for a signal of 0 and 1 that is read as one of them.
fn is_state(c: &Compare) -> bool {
    c.signal.unit == Unit::Bool && c.stat != Stat::Avg && c.signal.across != Across::Avg
}

/// Levels around a fixed value, at once.
fn plain(c: &Compare, op: CompareOp, threshold: Number) -> Levels {
    let (zero, upper) = (int(0), op.is_upper());
    let (beyond, short_of) = match threshold < Number::new(FEW.0, FEW.1) {
        true => (BEYOND_FEW, SHORT_OF_FEW),
        false => (BEYOND, SHORT_OF),
    };
    // A threshold that values of a gauge can meet exactly is itself on one of the sides.
    let is_met = c.signal.is_as_sent(c.stat) && matches!(c.bound, Bound::Fixed(..));
    let levels = |good, bad, near| Levels {
        good,
        bad,
        near,
        onset: Steps::NEXT,
        reset: Steps::NEXT,
        history: 0,
        stays: u64::MAX,
        swing: None,
    };
    if is_whole(c, threshold) {
        let one = (threshold / 100).floor().max(int(1));
        let (near, bad) = match op {
            CompareOp::Above => (threshold, threshold + one),
            CompareOp::AtLeast => (threshold - one, threshold),
            CompareOp::Below => (threshold, threshold - one),
            CompareOp::AtMost => (threshold + one, threshold),
        };
        let good = match upper {
            true => times(threshold, GOOD).min(near),
            false => threshold * 3 / 2 + 1,
        };
        levels(good, bad, near)
    } else if is_state(c) {
        let (low, high) = (zero, int(1));
        if upper {
            levels(low, high, low)
        } else {
            levels(high, low, high)
        }
    } else if upper && threshold == zero {
        levels(zero, int(1), zero)
    } else if upper {
        let cap = top(c).map(|top| (threshold + top) / 2);
        let bad = times(threshold, beyond);
        let bad = cap.map_or(bad, |cap| bad.min(cap));
        let good = times(threshold, GOOD);
        match op {
            CompareOp::Above if is_met => levels(good, bad, threshold),
            _ if is_met => levels(good, threshold, times(threshold, short_of)),
            _ => levels(good, bad, times(threshold, short_of)),
        }
    } else if threshold == zero {
        // Nothing at all is the fault; any share of zero is zero.
        let good = top(c).map_or(int(5), |top| top / 2);
        levels(good, zero, good / 1_000)
    } else {
        let above = |share| {
            let level = threshold * (int(2) - Number::new(share, 100));
            top(c).map_or(level, |top| level.min((threshold + top) / 2))
        };
        let bad = times(threshold, short_of);
        match op {
            CompareOp::Below if is_met => levels(above(GOOD.0), bad, threshold),
            _ if is_met => levels(above(GOOD.0), threshold, above(short_of.0)),
            _ => levels(above(GOOD.0), bad, above(short_of.0)),
        }
    }
}

/// Adds when the condition begins and ends to hold.
fn timed(
    c: &Compare,
    mut levels: Levels,
    threshold: Option<Number>,
    upper: bool,
    step: u64,
) -> Option<Levels> {
    let n = float(c.window.number() / i128::from(step * 60));
    let share = match (c.stat, c.signal.kind()) {
        _ if c.signal.is_instant(c.stat) => {
            levels.onset = Steps::NEXT;
            levels.reset = Steps::NEXT;
            return Some(levels);
        }
        _ if n < 2.0 => return None,
        (Stat::Max, _) => Some(if upper { 0.0 } else { 1.0 }),
        (Stat::Min, _) => Some(if upper { 1.0 } else { 0.0 }),
        (Stat::Slope, _) => None,
        (Stat::Quantile(q), _) => match threshold {
            Some(threshold) => Some(quantile_share(c, &levels, q, threshold, upper)?),
            None => None,
        },
        _ => threshold.map(|t| crossing(t - levels.good, levels.bad - t, busy(c))),
    };
    (levels.onset, levels.reset) = match share {
        Some(share) => (Steps::until(share, n), Steps::until(1.0 - share, n)),
        None => (Steps::within(n), Steps::within(n)),
    };
    Some(levels)
}

/// How busy the fault of a signal is: traffic weighs what is counted per request, nothing else.
pub(super) fn busy(c: &Compare) -> i128 {
    let per_request = match (&c.signal.source, c.stat) {
        (Source::Ratio { .. }, _) | (Source::Family(_), Stat::Quantile(_)) => true,
        (Source::Family(family), Stat::Avg) => family.kind == FamilyKind::Histogram,
        _ => false,
    };
    if per_request { BUSY } else { 1 }
}

/// The share of a window that must be bad before what lies `above` the threshold in good times and
/// `below` it in bad ones is used up.
fn crossing(above: Number, below: Number, busy: i128) -> f64 {
    float(above / (above + below * busy))
}

/// A percentile crosses the threshold when enough observations lie beyond.
fn quantile_share(
    c: &Compare,
    levels: &Levels,
    q: Number,
    threshold: Number,
    upper: bool,
) -> Option<f64> {
    let family = c.signal.family()?;
    let scale = c.signal.scale;
    let bounds = Bounds::of(family, threshold / scale);
    let below = |level: Number| {
        let made = bounds.with_quantile(q, level / scale)?;
        bounds.share_below(&made, threshold / scale)
    };
    let (good, bad) = (below(levels.good)?, below(levels.bad)?);
    let crosses = if upper {
        good >= q && bad < q
    } else {
        good < q && bad >= q
    };
    crosses.then(|| crossing(good - q, q - bad, busy(c)))
}

/// A usual level that leaves room for `factor` times as much.
fn base_level(c: &Compare, factor: Number) -> Option<Number> {
    usual_level(&c.signal, c.stat, factor)
}

/// A level of a signal that leaves room for `factor` times as much.
pub(super) fn usual_level(signal: &Signal, stat: Stat, factor: Number) -> Option<Number> {
    let factor = factor.max(int(1));
    if let (Stat::Quantile(_), Some(family)) = (stat, signal.family()) {
        return Some(bucket_level(family, factor)? * signal.scale);
    }
    Some(match (&signal.source, top_of(signal, stat)) {
        (_, Some(top)) => top / (factor * 4),
        (Source::Family(_), None) if signal.kind() == SignalKind::Gauge => int(100),
        _ => int(10),
    })
}

/// The highest boundary that `factor` times still lies well inside the buckets.
fn bucket_level(family: &Family, factor: Number) -> Option<Number> {
    let last = match family.buckets.last() {
        Some(last) => last.bound,
        None => return Some(int(100)),
    };
    let fits = |b: &&slosmith_plan::plan::Bucket| b.bound * factor * 2 < last;
    family.buckets.iter().rev().find(fits).map(|b| b.bound)
}
