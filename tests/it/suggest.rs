//! Suggested values for a made-up history. `tools/suggest-check` judges them on simulated weeks in a Prometheus.

use slosmith::backtest::suggest::{Advice, Suggestions, Verdict, Wish, suggest};
use slosmith::backtest::{Answer, Error, Failure, Incident, Range, Server};

use crate::backtest::{DAY, FROM, plan_of};

const SPEC: &str = r#"apiVersion: slosmith/v1
service: {name: chat, owner: ml}
links: {runbooks: "https://git.example/runbooks", grafana: "https://grafana.example"}
signals:
  queue: {kind: gauge, unit: requests, across: sum, prometheus: {metric: queue_depth, job: chat}}
alerts:
  QueueLong: {severity: critical, when: {signal: queue, above: "20"}, for: 2m}  # a guess
"#;

/// A queue that is longer for a quarter of an hour at some hours, counted from the begin, and its usual length.
struct Queue(Vec<(i64, f64)>, f64);

impl Queue {
    fn value(&self, time: i64) -> f64 {
        let minute = (time - FROM).div_euclid(60);
        let longer = self
            .0
            .iter()
            .find(|(hour, _)| (hour * 60..hour * 60 + 15).contains(&minute));
        longer.map_or(self.1, |(_, value)| *value)
    }
}

impl Server for Queue {
    fn range(&self, _: &str, range: Range) -> Result<Vec<Answer>, Failure> {
        let steps = (range.end - range.start) / range.step;
        let times = (0..=steps).map(|step| range.start + step * range.step);
        Ok(vec![Answer {
            labels: [("__name__".to_owned(), "any".to_owned())].into(),
            samples: times.map(|time| (time, self.value(time))).collect(),
        }])
    }
}

fn incident(hour: i64) -> Incident {
    Incident {
        title: format!("hour {hour}"),
        start: FROM + hour * 3_600,
        end: FROM + hour * 3_600 + 900,
    }
}

fn suggestions(queue: Vec<(i64, f64)>, incidents: Vec<Incident>) -> Suggestions {
    let wish = Wish {
        a_week: 1.0,
        incidents,
    };
    suggest(
        &plan_of(SPEC),
        &Queue(queue, 5.0),
        (FROM, FROM + 21 * DAY),
        &wish,
    )
    .expect("suggestions")
}

fn advice(found: &Suggestions) -> &Advice {
    let mut of_queue = found.advice.iter().filter(|of| of.name == "QueueLong");
    of_queue.next().expect("the alert has a number")
}

/// Once a day for three weeks, from the second day on.
fn daily(value: f64) -> Vec<(i64, f64)> {
    (1..21).map(|day| (day * 24 + 9, value)).collect()
}

#[test]
fn a_threshold_is_raised_above_what_happens_daily() {
    let mut queue = daily(35.0);
    queue.push((200, 90.0));
    let found = suggestions(queue, vec![incident(200)]);
    let advice = advice(&found);
    let change = advice.change.as_ref().expect("a change");
    assert_eq!(
        (advice.verdict, &*change.now, &*change.then),
        (Verdict::Change, "20", "50")
    );
    assert_eq!(advice.learned.now.round(), 7.0);
    assert_eq!(
        (advice.learned.then, advice.checked.then),
        (Some(0.0), Some(0.0))
    );
    assert_eq!(found.missed, []);
}

#[test]
fn no_value_is_chosen_that_misses_an_incident() {
    let found = suggestions(daily(35.0), vec![incident(33)]);
    let advice = advice(&found);
    assert_eq!((advice.verdict, &advice.change), (Verdict::NoValue, &None));
    assert_eq!(
        advice.why,
        "each value that fires so seldom misses `hour 33`, or finds it much later"
    );
}

#[test]
fn a_value_that_does_not_hold_where_it_is_checked_is_marked() {
    // Longer queues only in the last week.
    let last = daily(35.0)
        .into_iter()
        .map(|(hour, value)| match hour > 14 * 24 {
            true => (hour, 160.0),
            false => (hour, value),
        });
    let found = suggestions(last.collect(), Vec::new());
    let advice = advice(&found);
    assert_eq!(advice.verdict, Verdict::NotHeld);
    assert_eq!(advice.checked.then.map(f64::round), Some(7.0));
}

#[test]
fn an_incident_that_no_page_finds_lowers_a_threshold() {
    let incidents = [200, 230, 300].map(incident);
    let found = suggestions(vec![(200, 18.0), (230, 18.0)], incidents.into());
    let advice = advice(&found);
    let change = advice.change.as_ref().expect("a change");
    assert_eq!((advice.verdict, &*change.then), (Verdict::Change, "15"));
    assert_eq!(advice.why, "finds `hour 200`, which no page finds");
    let missed: Vec<_> = found.missed.iter().map(|of| &*of.title).collect();
    assert_eq!(missed, ["hour 300"]);
}

#[test]
fn an_alert_that_always_fires_is_not_one_that_fires_once() {
    let always = Queue(Vec::new(), 200.0);
    let wish = Wish {
        a_week: 1.0,
        incidents: vec![incident(200)],
    };
    let range = (FROM, FROM + 21 * DAY);
    let found = suggest(&plan_of(SPEC), &always, range, &wish).expect("suggestions");
    // Every four hours, but for the time of the incident.
    assert_eq!(advice(&found).learned.now.round(), 41.0);
    assert_eq!(advice(&found).verdict, Verdict::NoValue);
}

#[test]
fn a_value_that_fires_seldom_stays() {
    let found = suggestions(vec![(200, 90.0)], Vec::new());
    assert_eq!(advice(&found).verdict, Verdict::Keep);
    let found = suggestions(Vec::new(), Vec::new());
    assert_eq!(advice(&found).why, "did not fire");
}

#[test]
fn a_short_history_is_refused() {
    let wish = Wish {
        a_week: 1.0,
        incidents: Vec::new(),
    };
    let found = suggest(
        &plan_of(SPEC),
        &Queue(daily(35.0), 5.0),
        (FROM, FROM + 5 * DAY),
        &wish,
    );
    let Err(error @ Error::Short { .. }) = found else {
        panic!("{found:?}");
    };
    let told = "chat: 5.0 days with data are too few for values with at most 1 firing a week: 10.5 days are needed";
    assert_eq!(error.to_string(), told);
}
