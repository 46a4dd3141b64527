//! History that goes up and down, so that a signal has a usual range.
//!
//! A window evens out what is shorter than itself. So blocks are chosen by what the window leaves of them.

use super::drive::Level;
use slosmith_spec::spec::Stat;
use slosmith_text::units::Number;

/// Steps of a block where nothing speaks against it.
const BLOCK: u64 = 10;

/// Blocks between two levels, in turn; the lower comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    low: u64,
    high: u64,
}

/// What a usual range makes of the swing, in deviations from its middle: the smallest over all moments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// How far the range surely reaches to each side.
    pub(super) reach: f64,
    /// Whether it surely holds the swing itself.
    pub(super) holds: bool,
    pub(super) blocks: Blocks,
}

impl Blocks {
    pub(super) const USUAL: Self = Self {
        low: BLOCK,
        high: BLOCK,
    };

    /// Blocks to try where nothing says which: short ones, and others that a window does not even out.
    pub(super) fn tried(swing: usize, window: u64) -> Self {
        let (low, high) = match swing {
            0 => (BLOCK, BLOCK),
            1 => (window + 5, window + 5),
            2 => (window + 5, 5),
            _ => (5, window + 5),
        };
        Self { low, high }
    }

    /// History of so many steps between two levels.
    pub(super) fn between(self, steps: u64, low: Number, high: Number) -> Vec<Level> {
        let mut levels = Vec::new();
        let mut left = steps;
        while left > 0 {
            let (block, level) = match levels.len() % 2 {
                0 => (self.low, low),
                _ => (self.high, high),
            };
            levels.push(Level::new(block.min(left), level));
            left -= block.min(left);
        }
        levels
    }

    /// One turn, from -1 to 1, as a statistic over `n` samples has it.
    fn read(self, stat: Stat, n: u64) -> Vec<f64> {
        let turn = self.low + self.high;
        let at = |i: u64| if i % turn < self.low { -1.0 } else { 1.0 };
        let value = |end: u64| {
            let inside = (0..n).map(|i| at(end + n * turn - i));
            match stat {
                Stat::Max => inside.fold(-1.0, f64::max),
                Stat::Min => inside.fold(1.0, f64::min),
                // A line through a window hardly sees its ends.
                Stat::Slope => {
                    let weight = |i: usize| {
                        let x = (i as f64 + 0.5) / n as f64;
                        6.0 * x * (1.0 - x)
                    };
                    inside.enumerate().map(|(i, v)| weight(i) * v).sum::<f64>() / n as f64
                }
                _ => inside.sum::<f64>() / n as f64,
            }
        };
        (0..turn).map(value).collect()
    }

    /// How far from the middle the range of `sigma` deviations reaches at any moment, over `past` samples.
    fn reach(self, stat: Stat, n: u64, past: u64, sigma: f64) -> f64 {
        let turn = self.read(stat, n);
        let reach = |start: usize| {
            let inside = || turn.iter().cycle().skip(start).take(past as usize);
            let mean = inside().sum::<f64>() / past as f64;
            let variance = inside().map(|v| (v - mean) * (v - mean)).sum::<f64>() / past as f64;
            sigma * variance.sqrt() - mean.abs()
        };
        (0..turn.len()).map(reach).fold(f64::INFINITY, f64::min)
    }
}

/// Blocks whose range over `past` steps is wide enough, read over `window` steps; `None` where the window evens out
/// every swing that the past can hold.
pub(super) fn seen(stat: Stat, window: u64, past: u64, sigma: f64) -> Option<Seen> {
    // At its start a window holds one sample more, or a counter's increase one less.
    let all = match window {
        0 => 1..=1,
        n => (n - 1).max(1)..=n + 1,
    };
    let of = |blocks: Blocks| {
        let reach = all
            .clone()
            .map(|n| blocks.reach(stat, n, past, sigma))
            .fold(f64::INFINITY, f64::min);
        let mut swing = all.clone().flat_map(|n| blocks.read(stat, n));
        Seen {
            reach,
            holds: swing.all(|value| value.abs() <= reach),
            blocks,
        }
    };
    let usual = of(Blocks::USUAL);
    if usual.reach > sigma / 2.0 {
        return Some(usual);
    }
    candidates(stat, window, past)
        .into_iter()
        .map(of)
        .chain([usual])
        .max_by(|a, b| a.reach.total_cmp(&b.reach))
        .filter(|best| best.reach > sigma / 10.0)
}

/// Swings that have a whole number of turns in the past, or that the window does not even out.
fn candidates(stat: Stat, window: u64, past: u64) -> Vec<Blocks> {
    let turns = [
        past,
        past / 2,
        past / 3,
        past / 4,
        past / 6,
        2 * window,
        4 * window,
    ];
    let blocks = |turn: u64| {
        // The highest value of a window makes high blocks longer by the window.
        let short = turn.saturating_sub(window) / 2;
        let (low, high) = match stat {
            Stat::Max => (turn - short, short),
            Stat::Min => (short, turn - short),
            _ => (turn / 2, turn / 2),
        };
        Blocks { low, high }
    };
    let fits = |b: &Blocks| b.low > 0 && b.high > 0 && b.low + b.high <= 240;
    turns.into_iter().map(blocks).filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_never_evens_out_the_swing_that_was_chosen() {
        for (window, past) in [(0, 20), (5, 20), (15, 40), (30, 20), (30, 40), (30, 60)] {
            let seen = seen(Stat::Rate, window, past, 2.0).expect("blocks");
            assert!(seen.reach > 0.2, "{window} of {past}: {seen:?}");
        }
        assert_eq!(seen(Stat::Rate, 5, 240, 3.0).unwrap().blocks, Blocks::USUAL);
    }

    #[test]
    fn the_highest_of_a_window_has_a_range_only_within_a_longer_past() {
        assert!(seen(Stat::Max, 10, 20, 2.0).is_some());
        assert!(seen(Stat::Min, 10, 20, 2.0).is_some());
        assert!(seen(Stat::Max, 30, 20, 2.0).is_none());
    }
}
