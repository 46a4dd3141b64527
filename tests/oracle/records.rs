//! What must be recorded, in one view: events, error ratios, what is left of budgets, and the spec's `records`.

use slosmith::plan::{EventSli, EventSlo, Signal, Slo};
use slosmith::spec::Stat;
use slosmith::units::{Duration, float};

use crate::alerts::Oracle;
use crate::truth::Groups;

/// A recorded value at every evaluation.
pub(crate) struct Recorded {
    pub(crate) title: String,
    /// Labels that tell it from others, the name among them.
    pub(crate) wanted: Vec<(&'static str, String)>,
    pub(crate) values: Vec<Groups>,
    /// Boundaries between which a percentile may lie anywhere; none for other values.
    pub(crate) bounds: Vec<f64>,
    /// Evaluations by which it may be late: rules in a group of their own read what another one recorded before.
    pub(crate) late: usize,
}

/// What events are counted over.
const BASE: Duration = Duration::from_mins(5);

impl Oracle<'_> {
    /// Everything that is recorded of what is known here.
    pub(crate) fn recorded(&self) -> Vec<Recorded> {
        let mut all = Vec::new();
        for slo in self.plan.slos.iter().filter(|slo| self.reads(slo)) {
            self.of_events(slo, &slo.events, &mut all);
        }
        for record in self.plan.records.iter().filter(|r| self.has(&r.signal)) {
            let mut labels = record.query.labels.clone();
            labels.sort();
            let values = self.series(&record.signal, record.stat, record.window, &labels);
            all.push(Recorded {
                title: record.series.clone(),
                wanted: vec![
                    ("__name__", record.series.clone()),
                    ("window", record.window.to_string()),
                ],
                values: values.to_vec(),
                bounds: self.bounds(&record.signal, record.stat),
                late: 0,
            });
        }
        all
    }

    fn of_events(&self, slo: &Slo, events: &EventSlo, all: &mut Vec<Recorded>) {
        let of = |series: &str, window: Duration, late: usize, values: Vec<Groups>| Recorded {
            title: format!("{} {} over {window}", slo.name, series),
            wanted: vec![
                ("__name__", format!("slo:{series}")),
                ("slo", slo.name.clone()),
                ("window", window.to_string()),
            ],
            values,
            bounds: Vec::new(),
            late,
        };
        // What is counted of time are moments, as many as a rule looks at.
        let is_time = matches!(events.sli, EventSli::Time(_));
        if events.counted.is_some() && !events.count_new_series && !is_time {
            let labels = self.labels_of_slo(slo);
            let base = BASE.as_secs() as f64;
            let counts = |i| self.each(&events.sli, base, &labels, i);
            let counts: Vec<_> = (0..self.evaluations).map(counts).collect();
            // What has no errors has none, not an unknown number of them.
            let bad = |(bad, all): &(Groups, Groups)| -> Groups {
                let bad = |group| bad.get(group).copied().unwrap_or(0.0);
                all.keys()
                    .map(|group| (group.clone(), bad(group)))
                    .collect()
            };
            let bad = counts.iter().map(bad).collect();
            all.push(of("bad_events:rate", BASE, 0, bad));
            let total = counts.into_iter().map(|(_, all)| all).collect();
            all.push(of("total_events:rate", BASE, 0, total));
        }
        for window in events.ratios.iter().map(|ratio| ratio.window) {
            let ratio = self.error_ratio(slo, events, window);
            all.push(of("error_ratio:rate", window, late(window), ratio));
        }
        if let Some(period) = events.ratios.last().map(|ratio| ratio.window) {
            let budget = float(events.budget.budget);
            let left = |groups: Groups| -> Groups {
                let left = groups.into_iter();
                left.map(|(group, ratio)| (group, 1.0 - ratio / budget))
                    .collect()
            };
            let ratios = self.error_ratio(slo, events, period).into_iter();
            let mut left = of(
                "error_budget_remaining:ratio",
                period,
                late(period),
                ratios.map(left).collect(),
            );
            left.wanted.pop();
            all.push(left);
        }
    }

    /// Where a percentile's buckets end: Prometheus spreads observations evenly over a bucket, and carries each bucket on to
    /// the ends of a window by itself.
    fn bounds(&self, signal: &Signal, stat: Stat) -> Vec<f64> {
        let (Stat::Quantile(_), Some(family)) = (stat, signal.family()) else {
            return Vec::new();
        };
        let scale = float(signal.value_scale(stat));
        let subject = &self.reader.world.subjects[&*family.names];
        let ends = subject.bounds.iter().map(|(bound, _)| bound * scale);
        [0.0].into_iter().chain(ends).collect()
    }
}

/// Evaluations by which a long window is late: it reads one base window after the other, as the clock has them, after another
/// one, and another group records these.
fn late(window: Duration) -> usize {
    if window > Duration::from_secs(4 * 86_400) {
        13
    } else {
        0
    }
}
