//! Tests of alerts on the data of SLOs, from series as recorded.

use super::subject::Subject;
use super::{firing, minutes};
use crate::naming;
use crate::plan::{BASE_WINDOW, Plan, SliData, Slo, slo_series};
use crate::promql::ast::{Expr, MatchOp, Selector};
use crate::target::prometheus::annotations;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, Input, Test};

/// Minutes with data before a change.
const BEFORE: u64 = 5;

struct Run<'a> {
    plan: &'a Plan,
    subject: &'a Subject<'a>,
    data: &'a SliData,
    hold: u64,
}

/// Each way to lose data fires the alert at the right minute, an idle service does not, and the memory ends.
pub(super) fn tests(plan: &Plan, subject: &Subject<'_>, data: &SliData) -> Vec<Test> {
    let run = Run {
        plan,
        subject,
        data,
        hold: subject.hold.mins_up(),
    };
    let mut tests = Vec::new();
    if let Some(slo) = data.ended.first() {
        tests.extend(run.ended(slo).into_iter().flatten());
    }
    if let Some(missing) = &data.unmeasured {
        tests.extend(missing.first().and_then(|slo| run.missing(slo)));
        tests.extend(run.blind().into_iter().flatten());
    }
    tests
}

impl Run<'_> {
    fn slo(&self, name: &str) -> Option<&Slo> {
        self.plan.slos.iter().find(|slo| slo.name == name)
    }

    /// A recorded series of an SLO, in its first label set.
    fn series(&self, name: &str, slo: &Slo, values: String) -> Input {
        let window = BASE_WINDOW.to_string();
        let series = slo_series(name, &self.plan.service.name, &slo.name, &window);
        let set = |series: Selector, label: &String| {
            let value = format!("{label}-1");
            series.matcher(label, MatchOp::Equal, &value)
        };
        let series = slo.labels.iter().fold(series, set);
        Input {
            series: Expr::from(series).to_string(),
            values,
        }
    }

    fn up(&self) -> Option<Input> {
        let jobs = self.data.job.as_ref()?;
        let job = jobs.split('|').next()?;
        Some(Input {
            series: format!("up{{instance=\"instance-1\", job=\"{job}\"}}"),
            values: "1+0x120".into(),
        })
    }

    /// The alert as it is sent, with the labels of an SLO that its result has.
    fn sent(&self, slo: &Slo, labels: &[String], at: u64) -> Option<AlertCheck> {
        let mut expected = self.subject.labels.clone();
        expected.insert(naming::SLO.into(), slo.name.clone());
        for label in labels {
            expected.insert(label.clone(), format!("{label}-1"));
        }
        let expected = annotations::shown_labels(&expected)?;
        Some(AlertCheck {
            eval_time: minutes(at),
            alertname: self.subject.name.to_owned(),
            exp_alerts: vec![ExpectedAlert {
                exp_annotations: self.subject.annotations.shown(1.0, &expected)?,
                exp_labels: expected,
            }],
        })
    }

    fn test(
        &self,
        name: &str,
        inputs: Vec<Input>,
        sent: Option<AlertCheck>,
        fires: &[(u64, bool)],
    ) -> Test {
        let fires = fires.iter();
        Test {
            name: name.into(),
            interval: minutes(1),
            input_series: inputs,
            alert_rule_test: sent.into_iter().collect(),
            promql_expr_test: fires
                .map(|(at, fires)| firing(self.subject.name, &[], *at, *fires))
                .collect(),
        }
    }

    /// Events end with their series; an idle service ends, too.
    fn ended(&self, name: &str) -> Option<[Test; 2]> {
        let slo = self.slo(name)?;
        let of_result = &self.subject.condition.query().labels;
        let labels: Vec<_> = slo
            .labels
            .iter()
            .filter(|l| of_result.contains(l))
            .cloned()
            .collect();
        let end = BEFORE + 1;
        let memory = self.data.memory.mins_up();
        let total = |value: u64| {
            // The memory of one that has a ratio again is not asked for.
            [naming::TOTAL_EVENTS, naming::ERROR_RATIO]
                .map(|name| self.series(name, slo, format!("{value}+0x{BEFORE} stale")))
                .into()
        };
        let at = end + self.hold;
        let checks = [
            (at - 1, false),
            (at, true),
            (BEFORE + memory - 1, true),
            (BEFORE + memory + 1, false),
        ];
        let fires = self.test(
            "fires where events end with their series",
            total(2),
            self.sent(slo, &labels, at),
            &checks,
        );
        let idle = self.test(
            "silent where an idle service ends",
            total(0),
            None,
            &[(at, false), (at + BEFORE, false)],
        );
        Some([fires, idle])
    }

    /// No series from the start on.
    fn missing(&self, name: &str) -> Option<Test> {
        let slo = self.slo(name)?;
        let service = &self.plan.service.name;
        let objective = Input {
            series: format!(
                "{}{{service=\"{service}\", slo=\"{name}\"}}",
                naming::OBJECTIVE
            ),
            values: "0.9+0x120".into(),
        };
        let total = self.series(
            naming::TOTAL_EVENTS,
            slo,
            format!("_x{} 0+0x5", self.hold + 5),
        );
        let mut inputs = vec![objective, total];
        inputs.extend(self.up());
        Some(self.test(
            "fires where an SLO has no series",
            inputs,
            None,
            &[
                (self.hold - 1, false),
                (self.hold + 4, true),
                (self.hold + 6, false),
            ],
        ))
    }

    /// Events and no ratio; without events, there is none either.
    fn blind(&self) -> Option<[Test; 2]> {
        let slos = self
            .data
            .ended
            .iter()
            .chain(self.data.unmeasured.iter().flatten());
        let slo = self.slo(slos.into_iter().next()?)?;
        let events = |value: u64| {
            let ratio = format!("_x{} 0+0x5", self.hold + 5);
            vec![
                self.series(naming::TOTAL_EVENTS, slo, format!("{value}+0x120")),
                self.series(naming::ERROR_RATIO, slo, ratio),
            ]
        };
        let fires = self.test(
            "fires where events have no error ratio",
            events(2),
            None,
            &[
                (self.hold - 1, false),
                (self.hold + 4, true),
                (self.hold + 6, false),
            ],
        );
        let idle = self.test(
            "silent without events",
            events(0),
            None,
            &[(self.hold + 4, false)],
        );
        Some([fires, idle])
    }
}
