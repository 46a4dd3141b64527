//! Whether two signals move together.

use std::collections::BTreeSet;

use slosmith::plan::{CompareOp, Correlated};
use slosmith::spec;
use slosmith::units::float;

use crate::alerts::{Held, Oracle, own_by};
use crate::history::Labels;
use crate::truth::{Groups, group, mean};

impl Oracle<'_> {
    /// Groups in which two signals move together; of more than both of them have, the highest counts.
    pub(crate) fn correlated(
        &self,
        c: &Correlated,
        when: Option<&spec::Condition>,
        i: usize,
    ) -> Held {
        let by = when.map(own_by).unwrap_or_default();
        let labels = [&by[..], &[]];
        let labels = [0, 1].map(|k| self.labels(&c.of[k].signal, labels[k]));
        let values =
            [0, 1].map(|k| self.series(&c.of[k].signal, c.of[k].stat, c.of[k].window, &labels[k]));
        let common = self.labels_of_both(c, &by);
        let highest = |groups: &Groups| {
            let mut all = Groups::new();
            for (own, value) in groups {
                let known = all.entry(group(own, &common)).or_insert(*value);
                *known = known.max(*value);
            }
            all
        };
        let window = c.window.as_secs() as f64;
        let inside = (0..=i).filter(|k| self.time(*k) >= self.time(i) - window);
        let moments: Vec<_> = inside
            .map(|k| (highest(&values[0][k]), highest(&values[1][k])))
            .collect();
        let moves = |group: &&Labels| {
            let both = moments
                .iter()
                .filter_map(|(x, y)| Some((*x.get(*group)?, *y.get(*group)?)));
            let both: Vec<_> = both.collect();
            let enough = both.len() as u64 >= (window / self.every / 2.0).max(3.0) as u64;
            let above = float(c.above);
            enough && pearson(&both).is_some_and(|r| self.beyond(CompareOp::Above, r, above))
        };
        let groups: BTreeSet<_> = moments.iter().flat_map(|(x, _)| x.keys()).collect();
        groups.into_iter().filter(moves).cloned().collect()
    }

    /// Labels that both signals of a correlation have.
    pub(crate) fn labels_of_both(&self, c: &Correlated, by: &[String]) -> Vec<String> {
        let mut own = self.labels(&c.of[0].signal, by);
        let other = self.labels(&c.of[1].signal, &[]);
        own.retain(|label| other.contains(label));
        own
    }
}

/// Pearson's coefficient; nothing where one of them stands still but for rounding.
fn pearson(both: &[(f64, f64)]) -> Option<f64> {
    let x = mean(&both.iter().map(|(x, _)| *x).collect::<Vec<_>>())?;
    let y = mean(&both.iter().map(|(_, y)| *y).collect::<Vec<_>>())?;
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| both.iter().map(of).sum::<f64>();
    let together = sum(&|(a, b)| (a - x) * (b - y));
    let alone = (sum(&|(a, _)| (a - x).powi(2)) * sum(&|(_, b)| (b - y).powi(2))).sqrt();
    let rounding = 1e-9 * both.len() as f64 * (x * y).abs();
    (alone > rounding.max(1e-300)).then(|| together / alone)
}
