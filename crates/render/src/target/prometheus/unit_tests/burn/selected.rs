//! Tests of what an SLI selects, and of the label sets that its alerts tell apart.

use super::{BEFORE, Run, TRAFFIC, inputs};
use crate::target::prometheus::unit_tests::drive::Level;
use crate::target::prometheus::unit_tests::{labels, near};
use crate::target::prometheus::view::{Input, Test};
use slosmith_plan::plan::{BASE_WINDOW, EventSli, Family, selection};
use slosmith_spec::naming;
use slosmith_text::units::Number;

/// Other values of a label that a matcher selects.
const MOST: usize = 6;

impl Run<'_> {
    /// Series of all values that the SLI selects count, those that a matcher leaves out do not, and label sets with few events have no alert.
    pub(super) fn selected(&self) -> Option<Test> {
        if self.driver.step > 1 {
            return None;
        }
        let (families, good, inside) = self.families()?;
        let at = self.after(BEFORE + BASE_WINDOW.mins_up());
        let bad = Number::new(1, 16);
        let levels = [Level::new(at, bad)];
        let name = "counts what the SLI selects, and nothing else";
        let mut test = self.test(name, &levels)?;
        let own = test.input_series.clone();
        let is_free = |label: &str| !self.slo.labels.iter().any(|of| of == label);
        let mut series = [1, 1].map(Number::from_integer);
        // Of one metric, those of the part are among all.
        let read = if inside { 1 } else { own.len() };
        let sides = own.iter().zip(families).zip(&mut series);
        for ((input, family), number) in sides.take(read) {
            for others in others(family, is_free) {
                let of = |series: String, (label, value): (String, String)| {
                    labels::with(&series, &label, &value)
                };
                let series = others.into_iter().try_fold(input.series.clone(), of)?;
                let other = Input {
                    series,
                    ..input.clone()
                };
                if !test.input_series.contains(&other) {
                    test.input_series.push(other);
                    *number += 1;
                }
            }
        }
        // All of them bad.
        let fails = format!("0+{TRAFFIC}x{at}");
        let bad_series = match good {
            true => vec![(&own[0], format!("0+0x{at}")), (&own[1], fails)],
            false => vec![(&own[0], fails)],
        };
        let left_out = families[0].matchers.iter();
        let left_out = left_out.filter(|matcher| families[1].matchers.contains(matcher));
        for matcher @ (label, op, value) in left_out.filter(|(label, ..)| is_free(label)) {
            let other = labels::meeting(op.opposite(), value);
            // Any value but none passes `.+`.
            if selection::passes_all(label, &other, [matcher]) {
                continue;
            }
            for (input, values) in &bad_series {
                let other = of_label(input, label, &other, values)?;
                if !test.input_series.contains(&other) {
                    test.input_series.push(other);
                }
            }
        }
        if self.slo.events.min_events > 0 {
            test.input_series.extend(self.few(at).into_iter().flatten());
        }
        if test.input_series.len() == own.len() {
            return None;
        }
        let one = Number::from_integer(1);
        let part = if good { one - bad } else { bad };
        let total = match inside {
            true => part * series[0] + (one - part) * series[1],
            false => series[1],
        };
        let share = part * series[0] / total;
        // The part may have more values than all events are counted by.
        if share > one {
            return None;
        }
        let ratio = if good { one - share } else { share };
        let recorded = self.recorded(naming::ERROR_RATIO);
        test.promql_expr_test = vec![
            near(&recorded, ratio, ratio / 1_000, at),
            self.check(at, ratio > self.tier.threshold),
        ];
        Some(test)
    }

    /// The families of the part and of all events, whether the part is the good ones, and whether it is among all.
    fn families(&self) -> Option<([&Family; 2], bool, bool)> {
        match &self.slo.events.sli {
            EventSli::Ratio { part, good, total } => {
                let (part, total) = (part.family()?, total.family()?);
                Some(([part, total], *good, labels::is_part(part, total)))
            }
            EventSli::Latency { signal, .. } => {
                let family = signal.family()?;
                Some(([family; 2], true, false))
            }
            EventSli::Time(_) | EventSli::Own(_) | EventSli::OwnRatio(_) => None,
        }
    }

    /// All of the few events of another label set fail: the busy one must not make them enough.
    fn few(&self, at: u64) -> Option<Vec<Input>> {
        let label = self.slo.labels.first()?;
        let few = Number::new(i128::from(self.slo.events.min_events), 2 * i128::from(at));
        let levels = [Level::new(at, Number::from_integer(1)).thin(few)];
        let series = inputs(&self.driver, self.slo, &levels, true)?;
        let beside = |input: Input| {
            let series = labels::beside(&input.series, label, labels::OTHER)?;
            Some(Input { series, ..input })
        };
        series.into_iter().map(beside).collect()
    }
}

/// Other values that the matchers of a family select, with their labels: the first of each label, the second of each, …
fn others(family: &Family, is_free: impl Fn(&str) -> bool) -> Vec<Vec<(String, String)>> {
    let mut rows = vec![Vec::new(); MOST];
    for (label, op, value) in family.matchers.iter().filter(|(label, ..)| is_free(label)) {
        let used = labels::selected_value(label, family);
        let is_other = |value: &String| {
            Some(value) != used.as_ref() && selection::passes_all(label, value, &family.matchers)
        };
        let statuses = labels::statuses_like(&labels::meeting(*op, value));
        let all = labels::examples(*op, value)
            .into_iter()
            .chain(statuses)
            .filter(is_other);
        for (row, value) in rows.iter_mut().zip(all) {
            row.push((label.clone(), value));
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

fn of_label(input: &Input, label: &str, value: &str, values: &str) -> Option<Input> {
    Some(Input {
        series: labels::with(&input.series, label, value)?,
        values: values.to_owned(),
    })
}
