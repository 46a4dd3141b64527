//! Situations in which rules lose events: crashes, gaps between scrapes, idle nights, replicas that nobody reads. What each
//! burn-rate tier must do follows from the requests and from when a page showed them first; minutes that differ are
//! counted.

use libtest_mimic::Trial;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::Mutex;

use crate::bundled;
use crate::trial::{Needs, in_ci, slow};

const SPEC: &str = "
apiVersion: slosmith/v1
service: {name: situations, owner: tests}
links: {runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}
prometheus: {group_by: [cluster], scrape_labels: [cluster, pod]}
signals:
  requests: {kind: counter, unit: requests, has_labels: [status], prometheus: {metric: app_requests_total, job: app}}
  failed: {use: requests, where: {status: '500'}}
slos:
  answers: {objective: 99.9%, period: 30d, SLI}
";
const RATIO: &str =
    "sli: {ratio: {bad: failed, total: requests}}, count_new_series: true, min_events: 20";
const PROMQL: &str = "sli: {promql: {bad: 'sum by (cluster) (rate(app_requests_total{status=\"500\"}[$window]))', total: 'sum by (cluster) (rate(app_requests_total[$window]))'}}";

/// The tiers: error ratio, long and short window in minutes.
const TIERS: [(&str, f64, f64, f64); 4] = [
    ("1h", 0.0144, 60.0, 5.0),
    ("6h", 0.006, 360.0, 30.0),
    ("1d", 0.003, 1_440.0, 120.0),
    ("3d", 0.001, 4_320.0, 360.0),
];
/// The alerts on the data, and for how many minutes it must be missing.
const DATA: [(&str, f64); 2] = [("SLODataLost", 10.0), ("SLONotMeasured", 30.0)];
/// What fires in a minute: the tiers, and the alerts on the data.
type Minute = [bool; 6];
const BUDGET: f64 = 0.001;
const LEAST: usize = 20;

/// Seconds between scrapes.
const EVERY: f64 = 30.0;
/// When something happens, and when the story ends.
const NOW: f64 = 26.0 * HOUR;
const END: f64 = 53.0 * HOUR;
const HOUR: f64 = 3_600.0;
const MINUTE: f64 = 60.0;

/// A target: its processes, when its page cannot be read, and its requests by time and whether they failed.
#[derive(Clone, Default)]
struct Pod {
    name: &'static str,
    lives: Vec<(f64, f64)>,
    unread: Vec<(f64, f64)>,
    /// When its page lacks the series of failures.
    partial: Vec<(f64, f64)>,
    requests: Vec<(f64, bool)>,
    phase: f64,
}

impl Pod {
    fn new(name: &'static str, phase: f64) -> Self {
        Self {
            name,
            lives: vec![(-5.0, END + 1.0)],
            phase,
            ..Self::default()
        }
    }

    /// Good requests, so many seconds apart.
    fn good(mut self, from: f64, to: f64, apart: f64) -> Self {
        let count = ((to - from) / apart) as usize;
        let times = (0..count).map(|i| (from + (i as f64 + 0.37) * apart, false));
        self.requests.extend(times);
        self
    }

    /// So many failures, evenly over a time.
    fn bad(mut self, from: f64, to: f64, count: usize) -> Self {
        let apart = (to - from) / count as f64;
        let times = (0..count).map(|i| (from + i as f64 * apart, true));
        self.requests.extend(times);
        self
    }

    fn unread(mut self, from: f64, to: f64) -> Self {
        self.unread.push((from, to));
        self
    }

    fn partial(mut self, from: f64, to: f64) -> Self {
        self.partial.push((from, to));
        self
    }

    fn lives(mut self, lives: &[(f64, f64)]) -> Self {
        self.lives = lives.to_vec();
        self
    }

    fn life(&self, time: f64) -> Option<&(f64, f64)> {
        self.lives
            .iter()
            .find(|(from, to)| *from <= time && time < *to)
    }

    /// When its page is read.
    fn scrapes(&self) -> impl Iterator<Item = f64> {
        let count = (END / EVERY) as usize;
        let times = (0..=count).map(|i| i as f64 * EVERY - self.phase);
        times.filter(|time| {
            let unread = |(from, to): &(f64, f64)| from <= time && time < to;
            self.life(*time).is_some() && !self.unread.iter().any(unread)
        })
    }

    /// Requests by the time at which a page showed them first. Of a process that counted before anybody read its target, nobody
    /// knows when.
    fn seen(&self) -> Vec<(f64, bool)> {
        let scrapes: Vec<f64> = self.scrapes().collect();
        let Some(first) = scrapes.first() else {
            return Vec::new();
        };
        let shown = |(time, bad): &(f64, bool)| {
            let life = self.life(*time)?;
            let at = scrapes.iter().find(|at| *at >= time && **at < life.1)?;
            (at > first).then_some((*at, *bad))
        };
        self.requests.iter().filter_map(shown).collect()
    }

    /// When its page shows a series of requests.
    fn shows(&self) -> Vec<f64> {
        let shown = |at: &f64| {
            let life = self.life(*at);
            let first = |life: &(f64, f64)| {
                let mut own = self.requests.iter();
                own.any(|(time, _)| *time >= life.0 && *time <= *at)
            };
            life.is_some_and(first)
        };
        self.scrapes().filter(shown).collect()
    }

    /// Samples of a status in promtool's notation: a series is on the page from its first event on. Each lies between two steps of
    /// half a scrape: evaluations and scrapes never meet in a running Prometheus, where a window of 2.42 would have both its ends.
    fn samples(&self, bad: bool) -> String {
        let mut text = String::new();
        let scrapes: Vec<f64> = self.scrapes().collect();
        let mut before = false;
        for i in 1..=(END / EVERY) as usize {
            text += "_ ";
            let time = i as f64 * EVERY - self.phase;
            let count = self
                .life(time)
                .filter(|_| scrapes.contains(&time))
                .filter(|_| {
                    let within = |(from, to): &(f64, f64)| *from <= time && time < *to;
                    !(bad && self.partial.iter().any(within))
                })
                .map(|life| {
                    let own = |(t, b): &&(f64, bool)| *b == bad && *t >= life.0 && *t <= time;
                    self.requests.iter().filter(own).count()
                });
            match count.filter(|count| *count > 0) {
                Some(count) => {
                    let _ = write!(text, "{count} ");
                }
                None => text += if before { "stale " } else { "_ " },
            }
            before = count.is_some_and(|count| count > 0);
        }
        text
    }

    fn up(&self) -> String {
        let scrapes: Vec<f64> = self.scrapes().collect();
        let times = (1..=(END / EVERY) as usize).map(|i| i as f64 * EVERY - self.phase);
        let up = times.map(|time| {
            if scrapes.contains(&time) {
                "_ 1 "
            } else {
                "_ 0 "
            }
        });
        up.collect()
    }
}

/// Two replicas with a request every ten seconds each.
fn usual() -> Vec<Pod> {
    let pod = |(name, phase)| Pod::new(name, phase).good(0.0, END, 10.0);
    [("a", 4.0), ("b", 11.0)].map(pod).into()
}

fn with(more: Pod) -> Vec<Pod> {
    let mut pods = usual();
    pods.push(more);
    pods
}

/// A replica that serves from an hour before on, and dies at the end of these.
fn third(lives: &[(f64, f64)]) -> Pod {
    let pod = Pod::new("c", 7.0).lives(lives);
    lives
        .iter()
        .fold(pod, |pod, (from, to)| pod.good(*from, to.min(END), 10.0))
}

/// One that fails half an hour, and cannot be read for some minutes from a minute of it on.
fn gap(start: f64, minutes: f64) -> Vec<Pod> {
    let (from, to) = (NOW, NOW + 20.0 * MINUTE);
    let hidden = (NOW + start * MINUTE, NOW + (start + minutes) * MINUTE);
    let pods = usual().into_iter();
    pods.map(|pod| {
        let pod = pod.bad(NOW - 2.0 * HOUR, NOW - 2.0 * HOUR + 1.0, 1);
        pod.bad(from, to, 60).unread(hidden.0, hidden.1)
    })
    .collect()
}

type Story = (String, &'static str, fn(f64, f64) -> Vec<Pod>, f64, f64);

fn stories() -> Vec<Story> {
    let mut all: Vec<Story> = Vec::new();
    let mut add = |name: String, sli, pods, a, b| all.push((name, sli, pods, a, b));
    for scrapes in [1.0, 2.0, 4.0, 9.0] {
        let crash = |scrapes: f64, _| {
            let burst = NOW - 8.0;
            with(third(&[(NOW - HOUR, burst + scrapes * EVERY)]).bad(burst, burst + 1.0, 60))
        };
        add(
            format!("crash after {scrapes} scrapes"),
            RATIO,
            crash,
            scrapes,
            0.0,
        );
    }
    add(
        "two crashes".into(),
        RATIO,
        |_, _| {
            let again = NOW + 5.0 * MINUTE;
            let pod = third(&[
                (NOW - HOUR, NOW + 40.0),
                (again, again + 150.0),
                (again + 240.0, END),
            ]);
            with(
                pod.bad(NOW - 8.0, NOW - 7.0, 60)
                    .bad(again + 90.0, again + 91.0, 60),
            )
        },
        0.0,
        0.0,
    );
    add(
        "crash loop".into(),
        RATIO,
        |_, _| {
            let lives: Vec<_> = (0..6)
                .map(|i| NOW + 150.0 * f64::from(i))
                .map(|t| (t, t + 100.0))
                .collect();
            let mut all = vec![(NOW - HOUR, NOW - 50.0)];
            all.extend(&lives);
            let pod = lives
                .iter()
                .fold(third(&all), |pod, (t, _)| pod.bad(t + 50.0, t + 70.0, 20));
            with(pod)
        },
        0.0,
        0.0,
    );
    for (sli, word) in [(RATIO, ""), (PROMQL, ", PromQL")] {
        for start in [-10.0, 0.0, 5.0, 10.0, 19.0] {
            add(
                format!("gap of 20m from minute {start} of a burst{word}"),
                sli,
                gap,
                start,
                20.0,
            );
        }
        for minutes in [1.0, 3.0, 5.0, 10.0, 40.0, 55.0] {
            add(
                format!("gap of {minutes}m in a burst{word}"),
                sli,
                gap,
                5.0,
                minutes,
            );
        }
    }
    for phase in [0.0, 15.0, 30.0, 45.0] {
        let idle = |phase: f64, _| {
            let from = NOW + phase;
            let pod = |(name, at)| {
                let pod = Pod::new(name, at).good(0.0, NOW - 9.0 * HOUR, 10.0);
                let pod = pod
                    .bad(HOUR, HOUR + 1.0, 1)
                    .bad(from, from + 15.0 * MINUTE, 90);
                pod.good(from + 15.0 * MINUTE, END, 10.0)
            };
            [("a", 4.0), ("b", 11.0)].map(pod).into()
        };
        add(
            format!("outage after an idle night, second {phase}"),
            RATIO,
            idle,
            phase,
            0.0,
        );
    }
    add(
        "late discovery".into(),
        RATIO,
        |_, _| {
            with(
                third(&[(-5.0, END + 1.0)])
                    .bad(HOUR, 20.0 * HOUR, 5_000)
                    .unread(-10.0, NOW),
            )
        },
        0.0,
        0.0,
    );
    for minutes in [0.5, 2.0] {
        add(
            format!("late discovery, restart after {minutes}m"),
            RATIO,
            |minutes, _| {
                let restart = NOW + minutes * MINUTE;
                let pod = third(&[(-5.0, restart), (restart + 10.0, END + 1.0)]);
                with(pod.bad(HOUR, 20.0 * HOUR, 5_000).unread(-10.0, NOW))
            },
            minutes,
            0.0,
        );
    }
    for scrapes in [1.0, 2.0] {
        add(
            format!("{scrapes} scrapes without the series of failures"),
            RATIO,
            |scrapes, _| {
                let pod = third(&[(-5.0, END + 1.0)]).bad(HOUR, 2.0 * HOUR, 1_000);
                with(pod.partial(NOW, NOW + scrapes * EVERY))
            },
            scrapes,
            0.0,
        );
    }
    add(
        "hidden replica".into(),
        RATIO,
        |_, _| {
            let pod = third(&[(-5.0, END + 1.0)]).bad(NOW, NOW + 10.0 * MINUTE, 60);
            with(pod.unread(NOW - 10.0 * MINUTE, NOW + 30.0 * MINUTE))
        },
        0.0,
        0.0,
    );
    add(
        "rolling deploy, broken pod".into(),
        RATIO,
        |_, _| {
            let broken = Pod::new("d", 7.0).lives(&[(NOW, NOW + 10.0 * MINUTE)]);
            let mut pods = with(broken.bad(NOW + 35.0, NOW + 10.0 * MINUTE, 120));
            pods[0].lives = vec![(-5.0, NOW - 30.0)];
            pods.push(
                Pod::new("e", 9.0)
                    .lives(&[(NOW + 12.0 * MINUTE, END + 1.0)])
                    .good(NOW + 13.0 * MINUTE, END, 10.0),
            );
            pods
        },
        0.0,
        0.0,
    );
    add(
        "one request in two minutes".into(),
        RATIO,
        |_, _| {
            let pod = Pod::new("a", 4.0)
                .good(0.0, NOW, 120.0)
                .bad(NOW, NOW + 2.0 * HOUR, 60);
            vec![pod.good(NOW + 2.0 * HOUR, END, 120.0)]
        },
        0.0,
        0.0,
    );
    all
}

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |(name, sli, pods, a, b): Story| {
        // One gap in PromQL in CI; the others differ in their minutes, as some of the ratio do.
        let more = match sli == PROMQL {
            true => name.starts_with("gap of") && !name.contains("minute 5 of"),
            false => [
                "crash after 2",
                "crash after 4",
                "gap of 3m",
                "gap of 5m",
                "gap of 10m",
                "gap of 40m",
                "minute -10 of",
                "minute 0 of",
                "minute 19 of",
                "second 15",
                "second 30",
                "second 45",
            ]
            .iter()
            .any(|minutes| name.contains(minutes)),
        };
        let group = if more { "situation::more" } else { "situation" };
        let title = format!("{group}::{}", name.replace([' ', ','], "_"));
        let run = move || judge(&name, sli, &pods(a, b));
        match more {
            true => slow(title, Needs::Promtool, run),
            false => in_ci(title, Needs::Promtool, run),
        }
    };
    stories().into_iter().map(trial).collect()
}

/// What requests say of the tiers at each minute, and of the budget at the end.
fn truth(pods: &[Pod], guarded: bool) -> (Vec<Minute>, f64) {
    let mut seen: Vec<_> = pods.iter().flat_map(Pod::seen).collect();
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut bad = vec![0];
    bad.extend(seen.iter().scan(0, |sum, (_, b)| {
        *sum += usize::from(*b);
        Some(*sum)
    }));
    let counted = |at: f64, minutes: f64| {
        let after = |time: f64| seen.partition_point(|(t, _)| *t <= time);
        let (from, to) = (after(at - minutes * MINUTE), after(at));
        (bad[to] - bad[from], to - from)
    };
    let ratio = |(bad, all): (usize, usize)| bad as f64 / all.max(1) as f64;
    let mut read: Vec<_> = pods.iter().flat_map(Pod::shows).collect();
    read.sort_by(f64::total_cmp);
    let ended = |at: f64| {
        let until = |time: f64| read.partition_point(|read| *read <= time);
        until(at) == until(at - 5.0 * MINUTE)
    };
    // Without data, a short window below an hour keeps its last ratio for an hour.
    let held = |m: usize, short: f64| {
        let at = |m: usize| counted(m as f64 * MINUTE, short);
        let before = (m.saturating_sub(60)..=m).rev();
        let ended = ended(m as f64 * MINUTE);
        // Two evaluations in any case.
        let kept = |before: &usize| short < 60.0 && (ended || m - before <= 2);
        let last = before.filter(kept).map(at).find(|(_, all)| *all > 0);
        last.unwrap_or_else(|| at(m))
    };
    // Events ended with the data, and are remembered for an hour; the ticket stays as long as there are targets.
    let lost = |at: f64, hold: f64| {
        let last = read[..read.partition_point(|read| *read <= at)].last();
        let last = last.copied().unwrap_or(at);
        let gone = at - last - 5.0 * MINUTE;
        let came = seen.iter().any(|(t, _)| *t <= last && *t > last - MINUTE);
        came && gone >= hold * MINUTE && (hold > 10.0 || gone < HOUR)
    };
    let minute = |m: usize| {
        let at = m as f64 * MINUTE;
        let tiers = TIERS.map(|(_, threshold, long, short)| {
            let (long, short) = (counted(at, long), held(m, short));
            let enough = !guarded || long.1 >= LEAST;
            enough && ratio(long) > threshold && ratio(short) > threshold
        });
        let [page, ticket] = DATA.map(|(_, hold)| lost(at, hold));
        let [a, b, c, d] = tiers;
        [a, b, c, d, page, ticket]
    };
    let minutes = (END / MINUTE) as usize;
    let left = 1.0 - ratio(counted(END, END / MINUTE)) / BUDGET;
    ((0..=minutes).map(minute).collect(), left)
}

/// What the rules do at each minute, and the budget at the end.
fn rules(sli: &str, pods: &[Pod]) -> (Vec<Minute>, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let files = bundled::build(&SPEC.replace("SLI", sli), None);
    bundled::write(folder.path(), &files);
    let mut series = Vec::new();
    for pod in pods {
        let labels = format!(
            "cluster=\"c\", job=\"app\", instance=\"{0}\", pod=\"{0}\"",
            pod.name
        );
        for (status, bad) in [("200", false), ("500", true)] {
            series.push(json!({
                "series": format!("app_requests_total{{{labels}, status=\"{status}\"}}"), "values": pod.samples(bad),
            }));
        }
        series.push(json!({"series": format!("up{{{labels}}}"), "values": pod.up()}));
    }
    let minutes = (END / MINUTE) as usize;
    let check = |expr: &str, minute: usize| json!({"expr": expr, "eval_time": format!("{minute}m"), "exp_samples": []});
    let firing = "max by (alertname, tier) (ALERTS{alertstate=\"firing\"})";
    let mut checks: Vec<_> = (0..=minutes).map(|minute| check(firing, minute)).collect();
    checks.push(check("sum(slo:error_budget_remaining:ratio)", minutes));
    let test = json!({
        "rule_files": ["prometheus/rules/slo-answers.yaml", "prometheus/rules/slo-answers-period.yaml", "prometheus/rules/alerts.yaml"],
        "evaluation_interval": "1m",
        "tests": [{"interval": format!("{}s", EVERY / 2.0), "input_series": series, "promql_expr_test": checks}],
    });
    let path = folder.path().join("test.yaml");
    std::fs::write(&path, test.to_string()).expect("a file");
    let ran = Command::new("promtool")
        .args(["test", "rules"])
        .arg(&path)
        .output();
    let said = String::from_utf8_lossy(&ran.expect("promtool").stderr).into_owned();
    read(&said, minutes)
}

/// Every check fails where something is found, and says what.
fn read(said: &str, minutes: usize) -> (Vec<Minute>, f64) {
    let mut found: BTreeMap<usize, Minute> = BTreeMap::new();
    let mut left = None;
    let mut at = None;
    for line in said.lines() {
        if let Some((expr, time)) = line.split_once(", time: ") {
            let seconds = time
                .trim_end_matches(',')
                .parse::<slosmith::units::Duration>();
            let minute = seconds.map(|time| time.as_secs() / 60).unwrap_or_default() as usize;
            at = Some((minute, expr.contains("remaining")));
        }
        let Some((minute, is_budget)) = at.filter(|_| line.contains("got:")) else {
            continue;
        };
        if is_budget {
            left = line.rsplit(' ').next().and_then(|value| value.parse().ok());
        } else {
            found.insert(
                minute,
                names().map(|name| line.contains(&format!("=\"{name}\""))),
            );
        }
    }
    let all = (0..=minutes).map(|minute| found.get(&minute).copied().unwrap_or_default());
    (
        all.collect(),
        left.unwrap_or_else(|| panic!("no budget: {said}")),
    )
}

/// Rows of the table.
static ROWS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// The table of all situations that ran.
pub(crate) fn table() -> String {
    let rows = ROWS.lock().expect("rows");
    let head = "| situation | 1h | 6h | 1d | 3d | data lost | not measured | budget left: requests, rules |\n|---|---|---|---|---|---|---|---|\n";
    head.to_owned() + &rows.values().cloned().collect::<String>()
}

fn names() -> [&'static str; 6] {
    let [a, b, c, d] = TIERS.map(|(name, ..)| name);
    let [page, ticket] = DATA.map(|(name, _)| name);
    [a, b, c, d, page, ticket]
}

fn judge(name: &str, sli: &str, pods: &[Pod]) {
    let (wanted, budget) = truth(pods, sli == RATIO);
    let (found, left) = rules(sli, pods);
    let mut wrong = Vec::new();
    let mut row = format!("| {name} |");
    for (i, tier) in names().into_iter().enumerate() {
        let true_minutes = wanted.iter().filter(|now| now[i]).count();
        let pairs = || wanted.iter().zip(&found);
        let missed = pairs()
            .filter(|(wanted, found)| wanted[i] && !found[i])
            .count();
        let extra = pairs()
            .filter(|(wanted, found)| !wanted[i] && found[i])
            .count();
        let _ = write!(row, " {true_minutes} −{missed} +{extra} |");
        // An evaluation more or less is at the edge of a window.
        if missed.max(extra) > 1 + 5.max(true_minutes / 10) {
            wrong.push(format!(
                "{tier}: {true_minutes} minutes, {missed} missed, {extra} false"
            ));
        }
        let first = |all: &[Minute]| all.iter().position(|now| now[i]);
        let late = first(&found)
            .zip(first(&wanted))
            .map(|(found, wanted)| found.saturating_sub(wanted));
        if i == 0 && true_minutes > 5 && late.is_none_or(|late| late > 1) {
            wrong.push(format!("{tier}: late by {late:?} minutes"));
        }
    }
    let _ = writeln!(row, " {budget:.3}, {left:.3} |");
    ROWS.lock()
        .expect("rows")
        .insert(name.to_owned(), row.clone());
    // The first failure of each series is not counted by PromQL of the author's.
    let hair = if sli == RATIO { 0.01 } else { 0.02 };
    if (left - budget).abs() > hair * (1.0 - budget).abs().max(0.01) {
        wrong.push(format!("budget: {left} instead of {budget}"));
    }
    assert!(wrong.is_empty(), "{}\n{row}", wrong.join("; "));
}
