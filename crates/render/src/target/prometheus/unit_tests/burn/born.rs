//! Tests of events that are there with the first sample of a new series.

use super::{BEFORE, Run, TRAFFIC, inputs};
use crate::target::prometheus::unit_tests::drive::Level;
use crate::target::prometheus::unit_tests::{labels, near, value_is};
use crate::target::prometheus::view::{Input, Test};
use slosmith_plan::plan::{BASE_WINDOW, EventSli, Signal, selection};
use slosmith_spec::naming;
use slosmith_text::units::Number;

/// When the series of a test begins, in steps; when its first events are in the base window, and when in the recorded minutes, in minutes.
struct Birth {
    begins: u64,
    seen: u64,
    recorded: u64,
}

impl Run<'_> {
    /// In the base window of an evaluation, though its samples may be as far apart.
    fn birth(&self) -> Birth {
        let seen = self.after(BEFORE + 2);
        let within = (BASE_WINDOW.mins_up() / self.driver.step).saturating_sub(1);
        Birth {
            begins: seen / self.driver.step - within.min(2),
            seen,
            // Each minute is recorded five minutes later.
            recorded: seen + BASE_WINDOW.mins_up() + 3,
        }
    }

    /// The bad and all events of an SLO that counts the first events of new series.
    pub(super) fn begun(&self) -> Option<[&Signal; 2]> {
        match &self.slo.events.sli {
            EventSli::Ratio {
                part,
                total,
                good: false,
            } if self.slo.events.count_new_series => Some([part, total]),
            _ => None,
        }
    }

    /// The first bad events are there with the first sample of their series: one in eight of all, or `alone`, the first of a target that
    /// Prometheus reads.
    pub(super) fn born(&self, alone: bool) -> Option<Test> {
        let [part, total] = self.begun()?;
        let Birth {
            begins,
            seen,
            recorded,
        } = self.birth();
        let levels = [Level::new(begins + 30, Number::from_integer(0))];
        let name = match alone {
            true => "counts the first value of the first series of a target",
            false => "counts the first value of a new series",
        };
        let mut test = self.test(name, &levels)?;
        let is_part = labels::is_part(part.family()?, total.family()?);
        let (others, share) = match (alone, is_part) {
            (true, true) => (vec![self.up(total, begins)?], Number::from_integer(1)),
            (true, false) => return None,
            (false, _) => (
                inputs(&self.driver, self.slo, &levels, false)?,
                Number::new(1, 8),
            ),
        };
        test.input_series = others;
        let all = Number::from_integer(TRAFFIC) * i128::from(BASE_WINDOW.mins_up());
        let value = all * Number::new(1, if is_part { 7 } else { 8 });
        test.input_series
            .push(self.driver.born(part, begins, value)?);
        let ratio = self.recorded(naming::ERROR_RATIO);
        test.promql_expr_test = vec![near(&ratio, share, Number::new(1, 1_000), seen)];
        if !alone && self.has_minutes() {
            let minutes = self.series(self.slo.events.sli.part_events(), self.plan.evaluation);
            let sum = format!("sum_over_time({minutes}[1h])");
            test.promql_expr_test
                .push(near(&sum, value, value / 1_000, recorded));
        }
        Some(test)
    }

    /// A target that could not be read for more than an hour counts from what it shows then.
    pub(super) fn unreachable(&self) -> Option<Test> {
        let [part, total] = self.begun().filter(|_| self.has_minutes())?;
        let mut up = self.up(total, 0)?;
        // Read 30 seconds before an evaluation: the base window of that one has its first sample, and the minute that the next one records.
        up.values = "1 0+0x157 1+0x41".into();
        let mut first = self.driver.born(part, 0, Number::from_integer(TRAFFIC))?;
        first.values = format!("_x159 {TRAFFIC}+0x41");
        let levels = [Level::new(1, Number::from_integer(0))];
        let mut test = self.test(
            "counts nothing of a target that was down for an hour",
            &levels,
        )?;
        test.input_series = vec![up, first];
        test.interval = "30s".into();
        let minutes = self.series(self.slo.events.sli.part_events(), self.plan.evaluation);
        let rate = format!("sum({})", self.recorded(naming::BAD_EVENTS));
        let sum = format!("sum(sum_over_time({minutes}[90m]))");
        test.promql_expr_test = vec![value_is(rate, 80, Some(0)), value_is(sum, 95, Some(0))];
        Some(test)
    }

    /// The target of a signal's series is up.
    fn up(&self, signal: &Signal, steps: u64) -> Option<Input> {
        let mut set = labels::of(self.plan, signal, signal.family()?);
        set.retain(|label, _| labels::is_of_target(self.plan, label));
        Some(Input {
            series: labels::series("up", &set),
            values: format!("1+0x{}", steps + 30),
        })
    }

    /// Another label set of a histogram begins with good and with slow observations.
    pub(super) fn born_in_bucket(&self) -> Option<Test> {
        let EventSli::Latency { signal, .. } = &self.slo.events.sli else {
            return None;
        };
        if !self.slo.events.count_new_series || !self.has_minutes() {
            return None;
        }
        let family = signal.family()?;
        // Not of the target: the series of a new one begin with what it counted before.
        let is_own = |label: &&String| {
            !labels::is_of_target(self.plan, label)
                && !self.slo.labels.contains(label)
                && selection::passes_all(label, labels::OTHER, &family.matchers)
        };
        let birth = self.birth();
        let begins = birth.begins;
        let levels = [Level::new(begins + 30, Number::from_integer(0))];
        let mut test = self.test("counts the first values of a new series", &levels)?;
        let known = test.input_series.iter();
        let of_other = |label: &String| {
            let series = known.clone();
            let series = series.map(|input| labels::with(&input.series, label, labels::OTHER));
            series.collect::<Option<Vec<_>>>()
        };
        let others = signal.labels.iter().filter(is_own).find_map(of_other)?;
        for (series, value) in others.into_iter().zip([1, 2]) {
            let values = format!("_x{begins} {}+0x30", value * TRAFFIC);
            test.input_series.push(Input { series, values });
        }
        // Beside five minutes of good events.
        let ratio = self.recorded(naming::ERROR_RATIO);
        let share = Number::new(1, 7);
        let of = |series| {
            format!(
                "sum_over_time({}[1h])",
                self.series(series, self.plan.evaluation)
            )
        };
        let slow = format!(
            "{} - {}",
            of(naming::ALL_EVENTS),
            of(self.slo.events.sli.part_events())
        );
        let slow_events = Number::from_integer(TRAFFIC);
        test.promql_expr_test = vec![
            near(&ratio, share, Number::new(1, 1_000), birth.seen),
            near(&slow, slow_events, slow_events / 1_000, birth.recorded),
        ];
        Some(test)
    }
}
