//! Tests of alerts on the data of SLOs, from series as recorded.

use super::drive::{Driver, Level};
use super::subject::Subject;
use super::{SELDOM, firing, labels, minutes, throughout};
use crate::target::prometheus::annotations;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, Input, Test};
use slosmith_plan::plan::selection::Matcher;
use slosmith_plan::plan::{
    BASE_WINDOW, EventSli, Plan, SliData, Slo, Unmeasured, recorded, slo_series,
};
use slosmith_plan::query;
use slosmith_promql::ast::{Expr, MatchOp};
use slosmith_promql::build;
use slosmith_spec::naming;
use slosmith_text::units::Number;

/// Minutes with data before a change: more than targets that are down must have been there.
const BEFORE: u64 = 15;

struct Run<'a> {
    plan: &'a Plan,
    subject: &'a Subject<'a>,
    data: &'a SliData,
    targets: &'a Option<Vec<Matcher>>,
    hold: u64,
}

/// Each way to lose data fires the alert at the right minute, an idle service does not; and the memory ends, in tests with an
/// evaluation every `SELDOM` minutes.
pub(super) fn tests(plan: &Plan, subject: &Subject<'_>, data: &SliData) -> (Vec<Test>, Vec<Test>) {
    let run = Run {
        plan,
        subject,
        data,
        targets: &data.targets,
        hold: subject.hold.mins_up(),
    };
    let (mut tests, mut of_memory) = (Vec::new(), Vec::new());
    if let Some((ended, forgotten)) = data.ended.first().and_then(|slo| run.ended(slo)) {
        tests.extend(ended);
        of_memory.extend(forgotten);
    }
    if let Some(branches) = &data.unmeasured {
        for branch in branches {
            let run = Run {
                targets: &branch.targets,
                ..run
            };
            tests.extend(run.missing(branch).into_iter().flatten());
        }
        let mut measured = branches.iter().flat_map(|branch| &branch.slos);
        if let (Some(slo), Some(other)) = (data.late.first(), measured.next()) {
            tests.extend(run.late(slo, other).into_iter().flatten());
        }
        let has_labels = |name: &&String| run.slo(name).is_some_and(|slo| !slo.labels.is_empty());
        let shown = data.undecided.iter().find(has_labels);
        let undecided = data.undecided.iter();
        tests.extend(undecided.filter_map(|slo| run.undecided(slo, Some(slo) == shown)));
    }
    (tests, of_memory)
}

impl Run<'_> {
    fn slo(&self, name: &str) -> Option<&Slo> {
        self.plan.slos.iter().find(|slo| slo.name == name)
    }

    fn is_time(&self, name: &str) -> bool {
        let slo = self.slo(name);
        slo.is_some_and(|slo| matches!(slo.events.sli, EventSli::Time(_)))
    }

    /// A recorded series of an SLO, in its first label set.
    fn series(&self, name: &str, slo: &Slo, values: String) -> Input {
        let window = BASE_WINDOW.to_string();
        let series = slo_series(name, &self.plan.service.name, &slo.name, &window);
        let series = slo.labels.iter().fold(series, |series, label| {
            series.matcher(label, MatchOp::Equal, &self.value(label))
        });
        Input {
            series: Expr::from(series).to_string(),
            values,
        }
    }

    /// The value of a label, which the queries on targets may select by.
    fn value(&self, label: &str) -> String {
        let mut targets = self.targets.iter().flatten();
        let own = targets.find(|(of, ..)| of == label);
        own.map_or_else(
            || labels::made_up(label),
            |(_, op, value)| labels::meeting(*op, value),
        )
    }

    /// A target of a place of an SLO.
    fn up(&self, place: &[String], values: String) -> Option<Input> {
        self.up_at(place, |label| self.value(label), values)
    }

    /// A target of another place, where there may be one.
    fn up_elsewhere(&self, place: &[String], values: String) -> Option<Input> {
        let targets = self.targets.as_ref()?;
        let is_free = |label: &String| targets.iter().all(|(of, ..)| of != label);
        let free = place.iter().find(|label| is_free(label))?;
        let value = |label: &str| match label == free {
            true => labels::OTHER.to_owned(),
            false => self.value(label),
        };
        self.up_at(place, value, values)
    }

    fn up_at(
        &self,
        place: &[String],
        value: impl Fn(&str) -> String,
        values: String,
    ) -> Option<Input> {
        let targets = self.targets.as_ref()?;
        let mut labels: Vec<_> = targets.iter().map(|(label, ..)| label).collect();
        labels.extend(place);
        labels.sort_unstable();
        labels.dedup();
        let up = labels.into_iter().fold(build::metric("up"), |up, label| {
            up.matcher(label, MatchOp::Equal, &value(label))
        });
        Some(Input {
            series: Expr::from(up).to_string(),
            values,
        })
    }

    /// An objective, which exists as long as the spec has the SLO.
    fn objective(&self, slo: &Slo) -> Input {
        let labels = [
            (naming::SERVICE, self.plan.service.name.as_str()),
            (naming::SLO, slo.name.as_str()),
        ];
        Input {
            series: Expr::from(recorded(naming::OBJECTIVE, &labels)).to_string(),
            values: "0.9+0x1500".into(),
        }
    }

    /// The alert as it is sent, with the labels of an SLO that its result has.
    fn sent(&self, slo: &Slo, labels: &[String], at: u64) -> Option<AlertCheck> {
        let mut expected = self.subject.labels.clone();
        expected.insert(naming::SLO.into(), slo.name.clone());
        for label in labels {
            expected.insert(label.clone(), self.value(label));
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
        let checks = fires.iter();
        let checks = checks.map(|(at, fires)| firing(self.subject.name, &[], *at, *fires));
        let mut checks: Vec<_> = checks.collect();
        if let [_, .., (until, _)] = fires
            && fires.iter().all(|(_, fires)| !fires)
        {
            checks = vec![throughout(&checks[0], *until)];
        }
        Test {
            alert_rule_test: sent.into_iter().collect(),
            ..Test::new(name, minutes(1), inputs, checks)
        }
    }

    /// A test of one of several SLOs.
    fn test_of(&self, slo: &str, name: &str, inputs: Vec<Input>, fires: &[(u64, bool)]) -> Test {
        let check = |(at, fires): &(u64, bool)| {
            firing(self.subject.name, &[(naming::SLO, slo)], *at, *fires)
        };
        Test {
            promql_expr_test: fires.iter().map(check).collect(),
            ..self.test(name, inputs, None, &[])
        }
    }

    /// Events end with their series. An idle service ends, too, and so do series of targets that are up.
    fn ended(&self, name: &str) -> Option<(Vec<Test>, Vec<Test>)> {
        let slo = self.slo(name)?;
        let of_place = |label: &&String| self.data.places.contains(label);
        let labels: Vec<_> = slo.labels.iter().filter(of_place).cloned().collect();
        let end = BEFORE + 1;
        let memory = self.data.memory.mins_up();
        let pages = self.data.unmeasured.is_none();
        let inputs = |values: &str, up: Option<&str>| {
            let events = self.series(naming::TOTAL_EVENTS, slo, format!("{values} stale"));
            let mut all = vec![events, self.objective(slo)];
            let values = up.map(|up| format!("1+0x{BEFORE} {up} 1+0x500"));
            all.extend(values.and_then(|values| self.up(&labels, values)));
            all
        };
        let at = end + self.hold;
        let fires = [(at - 1, false), (at, true)];
        // Of evaluations that are as far apart as two checks.
        let until = |memory: u64| {
            let forgotten = (BEFORE + memory) / SELDOM * SELDOM;
            [(forgotten - SELDOM, true), (forgotten + SELDOM, false)]
        };
        let silent = [(at, false), (at + BEFORE, false)];
        let busy = format!("0.01+0x{BEFORE}");
        let idle = format!("0+0x{BEFORE}");
        let sent = self.sent(slo, &labels, at);
        let test = |name: &str, values: &str, up: Option<&str>, fires: &[(u64, bool)]| {
            self.test(name, inputs(values, up), None, fires)
        };
        let (mut first, mut of_memory) = (fires.to_vec(), Vec::new());
        match pages {
            true => of_memory.push(test(
                "forgets events that ended with their series",
                &busy,
                None,
                &until(memory),
            )),
            false => first.extend(until(memory)),
        }
        let name = "fires where events end with their series";
        let ended = self.test(name, inputs(&busy, None), sent, &first);
        let name = "silent where an idle service ends";
        let mut tests = vec![ended, test(name, &idle, None, &silent)];
        let mut removed = inputs(&busy, None);
        removed.retain(|input| input.series != self.objective(slo).series);
        let name = "silent where the spec no longer has the SLO";
        tests.push(self.test(name, removed, None, &silent));
        if let Some(memory) = self.data.down {
            let hung = format!("0.01+0x{} 0", BEFORE - 1);
            let (down, until) = (Some("0+0x500"), until(memory.mins_up()));
            let name = "forgets targets that hung, and are down";
            of_memory.push(test(name, &hung, down, &until));
            // Down until two minutes before the alert would fire.
            let back = format!("0+0x{}", self.hold - 3);
            let up_again = Some(back.as_str());
            tests.extend([
                test(
                    "silent where targets are up again",
                    &busy,
                    up_again,
                    &silent,
                ),
                test(
                    "fires where targets hang, and are down then",
                    &hung,
                    down,
                    &fires,
                ),
                test(
                    "silent where targets hang, and are removed then",
                    &hung,
                    None,
                    &silent,
                ),
                test("silent where an idle service is down", &idle, down, &silent),
                test("silent while all targets are up", &busy, Some("1"), &silent),
            ]);
            // They are down until the alert would fire if they had been there before.
            let new = format!("stale _x30 0+0x{}", self.hold);
            let later = [(at + 31, false), (at + 31 + BEFORE, false)];
            let name = "silent where new targets load";
            tests.push(test(name, &hung, Some(&new), &later));
            let mut two = inputs(&busy, down);
            if let Some(mut other) = self.up(&labels, "1+0x500".into()) {
                other.series = other.series.replacen('{', "{instance=\"i2\", ", 1);
                two.push(other);
                let name = "silent where one of two targets is down";
                tests.push(self.test(name, two, None, &silent));
            }
        }
        if pages {
            let removed = inputs(&busy, None);
            tests.extend(self.still_there(slo, &labels, removed, &silent));
        }
        Some((tests, of_memory))
    }

    /// Targets that are down page neither for another place, whose targets were removed, nor while events are counted.
    fn still_there(
        &self,
        slo: &Slo,
        place: &[String],
        mut removed: Vec<Input>,
        silent: &[(u64, bool)],
    ) -> Vec<Test> {
        let mut tests = Vec::new();
        if let Some(down) = self.up_elsewhere(place, "0+0x500".into()) {
            removed.push(down);
            let name = "silent where targets are removed, and others are down";
            tests.push(self.test(name, removed, None, silent));
        }
        let mut goes_on = vec![
            self.series(naming::TOTAL_EVENTS, slo, "0.01+0x120".into()),
            self.objective(slo),
        ];
        goes_on.extend(self.up(place, "0+0x120".into()));
        let name = "silent while events are counted";
        tests.push(self.test(name, goes_on, None, silent));
        tests
    }

    /// No series from the start on; of targets that are down there is none.
    fn missing(&self, branch: &Unmeasured) -> Option<Vec<Test>> {
        let name = branch.slos.first()?;
        let slo = self.slo(name)?;
        let inputs = |values: String, up: u64| {
            let total = self.series(naming::TOTAL_EVENTS, slo, values);
            let mut inputs = vec![self.objective(slo), total];
            inputs.extend(self.up(&branch.place, format!("{up}+0x1500")));
            inputs
        };
        let late = || format!("_x{} 0+0x5", self.hold + 5);
        let checks = [
            (self.hold - 1, false),
            (self.hold + 4, true),
            (self.hold + 6, false),
        ];
        let ended = match branch.idle {
            None if self.is_time(name) => BEFORE + 1 + self.hold,
            Some(memory) => BEFORE + memory.mins_up() + self.hold,
            None => BEFORE + self.data.memory.mins_up(),
        };
        let mut tests = vec![
            self.test_of(
                name,
                &format!("fires where the SLO {name} has no series"),
                inputs(late(), 1),
                &checks,
            ),
            self.test_of(
                name,
                &format!("fires where the SLO {name} without events has lost its series"),
                inputs(format!("0+0x{BEFORE} stale"), 1),
                &[(ended - 1, false), (ended + 1, true)],
            ),
        ];
        if branch.idle.is_some() {
            let forgotten = BEFORE + self.data.memory.mins_up() + 5;
            tests.push(self.test_of(
                name,
                &format!("goes on where a counter of the SLO {name} that grew has lost its series"),
                inputs(format!("0.01+0x{BEFORE} stale"), 1),
                &[(forgotten, true)],
            ));
        }
        if branch.targets.is_some() {
            let silent = [(self.hold + 4, false)];
            tests.push(self.test_of(
                name,
                &format!("silent while no target of the SLO {name} is up"),
                inputs(late(), 0),
                &silent,
            ));
        }
        if let Some(other) = self.up_elsewhere(&branch.place, "1+0x120".into()) {
            let mut inputs = inputs("0+0x120".into(), 1);
            inputs.push(other);
            tests.push(self.test_of(
                name,
                &format!("fires where one place of the SLO {name} has no series"),
                inputs,
                &[(self.hold - 1, false), (self.hold, true)],
            ));
        }
        Some(tests)
    }

    /// No series while another SLO counts events; without events, that is usual.
    fn late(&self, name: &str, other: &str) -> Option<[Test; 3]> {
        let (slo, other) = (self.slo(name)?, self.slo(other)?);
        let inputs = |value: u64, late: String| {
            vec![
                self.series(naming::TOTAL_EVENTS, other, format!("{value}+0x120")),
                self.objective(slo),
                self.series(naming::TOTAL_EVENTS, slo, late),
            ]
        };
        let late = || format!("_x{} 0+0x5", self.hold + 5);
        let (at, ended) = (self.hold, BEFORE + self.data.memory.mins_up());
        Some([
            self.test(
                "fires where an SLO has no series, and another one counts events",
                inputs(2, late()),
                None,
                &[(at - 1, false), (at + 4, true), (at + 6, false)],
            ),
            self.test(
                "fires where an idle SLO has lost its series, and another one counts events",
                inputs(2, format!("0+0x{BEFORE} stale")),
                None,
                &[(ended - 1, false), (ended + 1, true)],
            ),
            self.test(
                "silent before the first event",
                inputs(0, late()),
                None,
                &[(at, false)],
            ),
        ])
    }

    /// Events that lose their bucket or status are not measured, as long as there are some, and the SLO is measured elsewhere. The test may
    /// show the alert with all labels that it can have.
    fn undecided(&self, name: &str, shown: bool) -> Option<Test> {
        let driver = Driver {
            plan: self.plan,
            step: 1,
        };
        let slo = self.slo(name)?;
        let (signal, within) = match &slo.events.sli {
            EventSli::Latency { signal, within, .. } => (signal, within),
            EventSli::Ratio { part, good, total } => {
                let without = query::without_status(part, *good, total)?;
                return self
                    .without_status(name, driver.born(&without, 0, Number::from_integer(1))?);
            }
            _ => return None,
        };
        let lost = BEFORE + BASE_WINDOW.mins_up();
        let end = lost + self.hold + BEFORE;
        let levels = [Level::new(end, Number::from_integer(0)), Level::idle(end)];
        let mut inputs = driver.latency(signal, within, &levels)?;
        let bucket = inputs.first_mut()?;
        let le = |le: &str| format!("le=\"{le}\"");
        let other = Input {
            series: bucket.series.replace(&le(&within.le), &le("+Inf")),
            values: bucket.values.clone(),
        };
        bucket.values = format!("0+0x{BEFORE} stale");
        inputs.push(other);
        // Those of a target that has the bucket.
        inputs.push(self.series(naming::TOTAL_EVENTS, slo, format!("0.01+0x{end}")));
        // Windows of Prometheus 2 have both their ends, later ones the end alone.
        let fires = [
            (lost + self.hold - 1, false),
            (lost + self.hold + 1, true),
            (end + BASE_WINDOW.mins_up(), false),
        ];
        let title = format!("fires where events of {name} have no bucket");
        let sent = shown.then(|| self.sent(slo, &slo.labels, lost + self.hold + 1));
        Some(self.test(&title, inputs, sent.flatten(), &fires))
    }

    /// Events that have a status end, such without one begin, and end.
    fn without_status(&self, name: &str, mut events: Input) -> Option<Test> {
        let (hold, window) = (self.hold, query::WITHOUT_STATUS.mins_up());
        let (grows, rests) = (hold + BEFORE, 2 * window);
        events.values = format!("_x{BEFORE} 0+1x{grows} {grows}+0x{rests}");
        let title = format!("fires where events of {name} have no status");
        let last = BEFORE + grows;
        let total = format!("0.01+0x{}", last + rests);
        let total = self.series(naming::TOTAL_EVENTS, self.slo(name)?, total);
        // The second value makes the first increase. Windows of Prometheus 2 have both their ends, later ones the end alone.
        let fires = [
            (BEFORE + hold, false),
            (BEFORE + hold + 2, true),
            (last + window - 2, true),
            (last + window + 1, false),
        ];
        Some(self.test(&title, vec![events, total], None, &fires))
    }
}
