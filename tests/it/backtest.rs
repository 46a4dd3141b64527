//! Backtests against a server that is made up: what it is asked, and what its answers mean. `tools/backtest-check` compares with Prometheus.

use std::sync::Mutex;
use std::time::Duration;

use slosmith::backtest::{Also, Answer, Failure, Range, Report, Server, backtest};
use slosmith::plan::Plan;
use slosmith::{resolve, source::FileId, spec};

pub(crate) const SPEC: &str = r#"
apiVersion: slosmith/v1
service: {name: chat, owner: ml}
links: {runbooks: "https://git.example/runbooks", grafana: "https://grafana.example"}
signals:
  queue: {kind: gauge, unit: requests, across: sum, prometheus: {metric: queue_depth, job: chat}}
  up: {kind: gauge, unit: bool, across: max, prometheus: {metric: up, job: chat}}
alerts:
  QueueLong:
    severity: critical
    when: {signal: queue, above: 80}
    for: 2m
  ChatMissing:
    severity: warning
    when: {signal: up, absent: true}
    for: 5m
"#;

pub(crate) const DAY: i64 = 86_400;
/// 2026-10-05T00:00:00Z.
pub(crate) const FROM: i64 = 1_791_158_400;

pub(crate) fn plan_of(text: &str) -> Plan {
    let document = spec::read(FileId(0), text).expect("a spec");
    let resolved = resolve::resolve(&document, resolve::Options::default());
    resolved.expect("a plan").0
}

/// A queue that is long from one minute to another, and targets that are up until a third; answers fail as told.
struct Made {
    long: (i64, i64),
    ends: i64,
    failures: Mutex<Vec<Failure>>,
    asked: Mutex<Vec<(String, Range)>>,
    waited: Mutex<Vec<Duration>>,
}

impl Made {
    fn new(failures: Vec<Failure>) -> Self {
        Self {
            long: (100, 120),
            ends: i64::MAX,
            failures: Mutex::new(failures),
            asked: Mutex::default(),
            waited: Mutex::default(),
        }
    }

    fn report(&self, days: i64) -> Report {
        backtest(
            &plan_of(SPEC),
            self,
            (FROM, FROM + days * DAY),
            Also::Nothing,
        )
        .expect("a report")
    }
}

impl Server for Made {
    fn range(&self, query: &str, range: Range) -> Result<Vec<Answer>, Failure> {
        let steps = (range.end - range.start) / range.step + 1;
        self.asked.lock().unwrap().push((query.to_owned(), range));
        if steps > 10_000 {
            return Err(Failure::Refused("exceeded maximum resolution".into()));
        }
        if let Some(failure) = self.failures.lock().unwrap().pop() {
            return Err(failure);
        }
        let value = |time: &i64| {
            let minute = (time - FROM) / 60;
            if query.contains("queue_depth") {
                let is_long = (self.long.0..self.long.1).contains(&minute);
                return Some(if is_long { 90.0 } else { 5.0 });
            }
            // `absent(…)`
            (minute >= self.ends).then_some(1.0)
        };
        let times = (0..steps).map(|step| range.start + step * range.step);
        Ok(vec![Answer {
            labels: [("__name__".to_owned(), "any".to_owned())].into(),
            samples: times
                .filter_map(|time| Some((time, value(&time)?)))
                .collect(),
        }])
    }

    fn wait(&self, time: Duration) {
        self.waited.lock().unwrap().push(time);
    }
}

#[test]
fn an_alert_fires_after_its_holding_time_and_until_its_condition_ends() {
    let report = Made::new(Vec::new()).report(1);
    let [queue, missing] = &report.alerts[..] else {
        panic!("{report:#?}");
    };
    let [firing] = &queue.firings[..] else {
        panic!("{queue:#?}");
    };
    assert_eq!(
        (firing.start, firing.end, firing.peak),
        (FROM + 102 * 60, Some(FROM + 120 * 60), 90.0)
    );
    assert_eq!(missing.firings, []);
    assert_eq!((report.begins, &report.gaps[..]), (None, &[][..]));
}

#[test]
fn other_thresholds_and_holding_times_are_counted() {
    let report = Made::new(Vec::new()).report(1);
    let curve = &report.alerts[0].curve;
    let firings = |threshold: f64, hold: u64| {
        let mut points = curve.iter();
        let point = points.find(|p| p.threshold == threshold && p.r#for == hold);
        point.map(|point| (point.firings, point.own))
    };
    assert_eq!(firings(80.0, 120), Some((1, true)));
    assert_eq!(firings(88.0, 120), Some((1, false)));
    assert_eq!(firings(100.0, 120), Some((0, false)));
    assert_eq!(firings(80.0, 0), Some((1, false)));
}

#[test]
fn an_absence_goes_on_at_the_end_and_is_a_gap() {
    let mut server = Made::new(Vec::new());
    server.ends = 600;
    let report = server.report(1);
    let [firing] = &report.alerts[1].firings[..] else {
        panic!("{report:#?}");
    };
    assert_eq!((firing.start, firing.end), (FROM + 605 * 60, None));
    assert_eq!(
        report.alerts[1].longest(report.from, report.to),
        DAY - 605 * 60
    );
}

#[test]
fn queries_are_short_enough_and_cover_each_step_once() {
    let server = Made::new(Vec::new());
    let report = server.report(28);
    let asked = server.asked.lock().unwrap();
    assert_eq!(report.queries.count, asked.len() as u64);
    let queue: Vec<_> = asked
        .iter()
        .filter(|(query, _)| query.starts_with("sum(queue_depth"))
        .collect();
    assert!(queue.len() > 4, "{queue:?}");
    for two in queue.windows(2) {
        assert_eq!(two[0].1.end + 60, two[1].1.start);
    }
    assert!(queue[0].1.start <= FROM - 120);
    assert_eq!(queue[queue.len() - 1].1.end, FROM + 28 * DAY);
}

#[test]
fn a_server_that_is_busy_or_overcharged_gives_the_same_report() {
    let plain = Made::new(Vec::new()).report(28);
    let busy = |wait| Failure::Busy("503".into(), wait);
    let server = Made::new(vec![
        busy(None),
        Failure::TooMuch("too many samples".into()),
        busy(Some(Duration::from_secs(7))),
        Failure::TooMuch("timed out".into()),
        busy(None),
    ]);
    let report = server.report(28);
    assert_eq!(report.alerts, plain.alerts);
    let waited = server.waited.lock().unwrap();
    assert!(waited.contains(&Duration::from_secs(7)), "{waited:?}");
    assert!(report.queries.count > plain.queries.count);
}

#[test]
fn a_query_without_an_answer_is_never_taken_for_no_data() {
    for failures in [
        vec![Failure::Refused("HTTP status 403".into())],
        vec![Failure::TooMuch("too many samples".into()); 20],
        vec![Failure::Busy("HTTP status 503".into(), None); 20],
    ] {
        let server = Made::new(failures);
        let error = backtest(&plan_of(SPEC), &server, (FROM, FROM + DAY), Also::Nothing)
            .expect_err("no report");
        let text = error.to_string();
        assert!(text.starts_with("the server did not answer `"), "{text}");
        assert!(text.contains("queue_depth"), "{text}");
    }
}
