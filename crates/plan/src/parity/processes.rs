//! Gauges that each process publishes under a dimension of its own: metric math combines the processes as Prometheus does.
//!
//! With `values: {process: [a, b]}` and `dimension_sets: [[Process]]`, a gauge with `across: sum` is `SUM([m1, m2])`.

use super::builder::Builder;
use super::dimensions::Slice;
use super::draft::Draft;
use super::value::{self, Purpose, SignalValue, ValueRequest};
use crate::plan::cloudwatch::{Delivery, Difference, Value};
use crate::plan::{Compare, Signal, SignalKind};
use slosmith_cloudwatch::limits;
use slosmith_spec::spec::{Across, Stat};

impl Builder<'_> {
    /// The metrics of all listed processes together; none where they cannot be told apart, or need not be.
    pub(super) fn of_processes(
        &self,
        draft: &Draft,
        c: &Compare,
        purpose: Purpose,
    ) -> Option<SignalValue> {
        if !is_combined(&c.signal) || c.stat != Stat::Last {
            return None;
        }
        let (label, values) = self.known.values.iter().find(|(label, values)| {
            let own = c.signal.labels.contains(label) && !c.query.labels.contains(label);
            own && (2..=limits::ALARM_METRICS).contains(&values.len())
        })?;
        let each = values.iter().map(|value| {
            let one = (label.clone(), value.clone());
            let only: Vec<_> = draft.only.iter().cloned().chain([one]).collect();
            let of = Slice {
                by: &[],
                only: &only,
            };
            let request = ValueRequest {
                signal: &c.signal,
                stat: c.stat,
                purpose,
                statistic: None,
                of,
                via: self.via,
            };
            value::read(request).ok()
        });
        let each: Vec<SignalValue> = each.collect::<Option<_>>()?;
        let stats: Vec<_> = each.iter().flat_map(|one| one.value.metrics()).collect();
        let stats: Vec<_> = stats.into_iter().cloned().collect();
        let listed = Difference::OfListed {
            label: label.clone(),
            statistic: stats.first()?.statistic.clone(),
            across: c.signal.across,
        };
        let first = each.into_iter().next()?;
        Some(SignalValue {
            value: Value::Total(c.signal.across, stats),
            // The worst sample of each process is at least as bad as its newest.
            differences: vec![listed.at(purpose.of_worse())],
            ..first
        })
    }
}

fn is_combined(signal: &Signal) -> bool {
    signal.kind() == SignalKind::Gauge
        && matches!(signal.across, Across::Sum | Across::Avg)
        && signal.is_delivered(Delivery::Published)
}
