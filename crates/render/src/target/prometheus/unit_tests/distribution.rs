//! Observations spread over buckets so that a percentile comes out as wanted.

use std::cmp::Ordering;

use slosmith_plan::plan::Family;
use slosmith_text::units::{Number, decimal};

/// A histogram's boundaries, without `+Inf`.
pub(super) struct Bounds(Vec<(Number, String)>);

/// Share of observations at or below each boundary.
pub(super) type Cumulative = Vec<Number>;

fn int(n: i128) -> Number {
    Number::from_integer(n)
}

impl Bounds {
    /// A family's own boundaries; where they differ between deployments, three around `near`.
    pub(super) fn of(family: &Family, near: Number) -> Self {
        if family.buckets.is_empty() {
            let made = [near / 2, near, near * 2];
            return Self(made.map(|b| (b, decimal(b))).into());
        }
        let own = family.buckets.iter();
        Self(own.map(|b| (b.bound, b.le.clone())).collect())
    }

    pub(super) fn les(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, le)| le.as_str())
    }

    /// Which boundaries make a difference: no percentile ends or begins at one with the observations of those below and above it.
    pub(super) fn needed<'a>(
        &self,
        all: impl Iterator<Item = &'a Cumulative> + Clone,
    ) -> Vec<bool> {
        let differs = |i: usize, j: usize| {
            let share = |c: &Cumulative| match j {
                0 => int(0),
                j => c.get(j - 1).copied().unwrap_or(int(1)),
            };
            all.clone().any(|c| c[i] != share(c))
        };
        // Places are counted from 1 here: 0 is below the first boundary.
        let needed = |i: usize| differs(i, i) || differs(i, i + 2);
        (0..self.0.len()).map(needed).collect()
    }

    /// The boundary below and above a value, and where it lies between them (0 to 1).
    fn locate(&self, value: Number) -> Option<(usize, Number)> {
        let at = self.0.iter().position(|(bound, _)| *bound >= value)?;
        let low = if at == 0 { int(0) } else { self.0[at - 1].0 };
        Some((at, (value - low) / (self.0[at].0 - low)))
    }

    /// Observations whose percentile `q` is `value`. The first bucket and the overflow limit what can be
    /// had; `None` above the last boundary, and at zero.
    pub(super) fn with_quantile(&self, q: Number, value: Number) -> Option<Cumulative> {
        let (at, share) = self.locate(value).filter(|(_, share)| *share > int(0))?;
        let (turn, part) = if share <= q && share < int(1) && at > 0 {
            // Enough at the boundary below that the rest reaches q at `value`.
            (at - 1, (q - share) / (int(1) - share))
        } else {
            (at, (q / share).min(int(1)))
        };
        let shares = (0..self.0.len()).map(|i| match i.cmp(&turn) {
            Ordering::Less => int(0),
            Ordering::Equal => part,
            Ordering::Greater => int(1),
        });
        Some(shares.collect())
    }

    /// Share of observations at or below `value`, interpolated as `histogram_quantile` does.
    pub(super) fn share_below(&self, cumulative: &Cumulative, value: Number) -> Option<Number> {
        let (at, share) = self.locate(value)?;
        let low = if at == 0 { int(0) } else { cumulative[at - 1] };
        Some(low + (cumulative[at] - low) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow, obvious percentile: walks the buckets.
    fn quantile(bounds: &Bounds, cumulative: &Cumulative, q: Number) -> Number {
        let (mut low, mut below) = (int(0), int(0));
        for ((bound, _), share) in bounds.0.iter().zip(cumulative) {
            if *share >= q {
                return low + (*bound - low) * (q - below) / (*share - below);
            }
            (low, below) = (*bound, *share);
        }
        low
    }

    fn bounds(all: &[i128]) -> Bounds {
        Bounds(all.iter().map(|b| (int(*b), b.to_string())).collect())
    }

    #[test]
    fn the_percentile_is_the_same_without_the_boundaries_that_are_not_needed() {
        let all = bounds(&[1, 2, 5, 10, 20, 50, 100]);
        let q = Number::new(95, 100);
        let (low, high) = (all.with_quantile(q, int(4)), all.with_quantile(q, int(15)));
        let (low, high) = (low.expect("inside"), high.expect("inside"));
        for (made, left) in [
            (vec![&low], vec![1, 2, 5]),
            (vec![&low, &high], vec![1, 2, 5, 10, 20]),
        ] {
            let needed = all.needed(made.iter().copied());
            let kept = || (0..needed.len()).filter(|i| needed[*i]);
            assert_eq!(
                kept().map(|i| all.0[i].0).collect::<Vec<_>>(),
                left.iter().map(|b| int(*b)).collect::<Vec<_>>()
            );
            for one in made {
                let fewer: Cumulative = kept().map(|i| one[i]).collect();
                assert_eq!(quantile(&bounds(&left), &fewer, q), quantile(&all, one, q));
            }
        }
    }

    #[test]
    fn the_percentile_is_the_one_asked_for() {
        let bounds = bounds(&[1, 2, 5, 10]);
        for q in [
            Number::new(1, 2),
            Number::new(95, 100),
            Number::new(99, 100),
        ] {
            for value in [
                Number::new(5, 4),
                int(2),
                int(3),
                Number::new(9, 2),
                int(7),
                int(10),
            ] {
                let made = bounds.with_quantile(q, value).expect("inside");
                assert!(
                    (quantile(&bounds, &made, q) - value).numer().abs() == 0,
                    "{q} {value}"
                );
            }
        }
    }
}
