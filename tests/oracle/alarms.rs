//! What CloudWatch makes of alarms, by AWS's documents: which data points they see, and when they are in ALARM. It reads the
//! generated `alarms.json`, and knows nothing of the plan.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::scrape::between;

/// Samples of one metric: when, and what. Ascending.
pub(crate) type Samples = Vec<(f64, f64)>;

/// A metric: its name and its dimensions.
pub(crate) type MetricId = (String, BTreeMap<String, String>);

/// Everything that was delivered.
pub(crate) type Delivered = BTreeMap<MetricId, Samples>;

/// The minutes in which each alarm is in ALARM, evaluated each minute; an alarm on a band is not there.
pub(crate) fn in_alarm(
    alarms: &Value,
    delivered: &Delivered,
    minutes: u64,
) -> BTreeMap<String, BTreeSet<u64>> {
    let mut states: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for alarm in alarms.as_array().expect("alarms") {
        let name = alarm["AlarmName"].as_str().expect("a name").to_owned();
        if let Some(rule) = alarm["AlarmRule"].as_str() {
            let holds = |minute: &u64| Rule::new(rule, *minute, &states).or();
            let own = (0..=minutes).filter(holds).collect();
            states.insert(name, own);
        } else if alarm["ThresholdMetricId"].is_null() {
            states.insert(name, metric(alarm, delivered, minutes));
        }
    }
    states
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Every minute the newest periods are looked at; once an hour, and up to the full hour, when they are more than a day.
fn metric(alarm: &Value, delivered: &Delivered, minutes: u64) -> BTreeSet<u64> {
    let entries = alarm["Metrics"].as_array();
    let period = match entries {
        None => number(&alarm["Period"]),
        Some(entries) => number(&entries[0]["MetricStat"]["Period"]),
    };
    let (points, needed) = (
        number(&alarm["EvaluationPeriods"]),
        number(&alarm["DatapointsToAlarm"]) as usize,
    );
    let hourly = period * points > 86_400.0;
    let mut now = false;
    let mut all = BTreeSet::new();
    for minute in 0..=minutes {
        if !hourly || minute.is_multiple_of(60) {
            let ends = (0..points as u64).map(|i| minute as f64 * 60.0 - i as f64 * period);
            let value = |end: f64| match entries {
                None => statistic(alarm, delivered, end - period, end),
                Some(entries) => watched(entries, delivered, end),
            };
            let points: Vec<_> = ends.map(value).collect();
            now = state(alarm, &points, needed, now);
        }
        if now {
            all.insert(minute);
        }
    }
    all
}

fn state(alarm: &Value, points: &[Option<f64>], needed: usize, before: bool) -> bool {
    let threshold = number(&alarm["Threshold"]);
    let beyond = |value: f64| match alarm["ComparisonOperator"].as_str() {
        Some("GreaterThanThreshold") => value > threshold,
        Some("GreaterThanOrEqualToThreshold") => value >= threshold,
        Some("LessThanThreshold") => value < threshold,
        _ => value <= threshold,
    };
    let real: Vec<_> = points.iter().flatten().copied().collect();
    let missing = points.len() - real.len();
    let bad = real.iter().filter(|value| beyond(**value)).count();
    match alarm["TreatMissingData"].as_str() {
        Some("breaching") => bad + missing >= needed,
        Some("notBreaching") => bad >= needed,
        _ if missing > 0 => before,
        _ => bad >= needed,
    }
}

/// A statistic of what arrived after a time, up to another.
fn statistic(of: &Value, delivered: &Delivered, from: f64, to: f64) -> Option<f64> {
    let metric = match of.get("Metric") {
        Some(metric) => metric,
        None => of,
    };
    let pairs = metric["Dimensions"].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let dimensions = pairs.map(|pair| (text(&pair["Name"]), text(&pair["Value"])));
    let id = (text(&metric["MetricName"]), dimensions.collect());
    let samples = delivered.get(&id)?;
    let mut values: Vec<_> = between(samples, from, to).iter().map(|(_, v)| *v).collect();
    if values.is_empty() {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let sum: f64 = values.iter().sum();
    let name = ["Stat", "Statistic", "ExtendedStatistic"]
        .iter()
        .find_map(|key| of[*key].as_str())
        .expect("a statistic");
    Some(match name {
        "Sum" => sum,
        "SampleCount" => values.len() as f64,
        "Average" => sum / values.len() as f64,
        "Minimum" => values[0],
        "Maximum" => values[values.len() - 1],
        percentile => {
            let share: f64 = percentile[1..].parse().expect("a percentile");
            let rank = (share / 100.0 * values.len() as f64).ceil() as usize;
            values[rank.clamp(1, values.len()) - 1]
        }
    })
}

/// The value of the entry that returns data.
fn watched(entries: &[Value], delivered: &Delivered, end: f64) -> Option<f64> {
    let mut known = BTreeMap::new();
    let mut shown = None;
    for entry in entries {
        let id = entry["Id"].as_str().expect("an id").to_owned();
        let value = match entry["Expression"].as_str() {
            Some(text) => Math::new(text, &known).compare(),
            None => {
                let stat = &entry["MetricStat"];
                statistic(stat, delivered, end - number(&stat["Period"]), end)
            }
        };
        if entry["ReturnData"] == true {
            shown = value;
        }
        known.insert(id, value);
    }
    shown
}

/// Words and signs of an expression or a rule, last first.
fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut quoted = false;
    let mut open = false;
    for c in text.chars() {
        let word = c.is_ascii_alphanumeric() || "._".contains(c);
        match c {
            '"' => {
                quoted = !quoted;
                if quoted {
                    all.push(String::new());
                }
                open = false;
            }
            _ if quoted => all.last_mut().expect("a word").push(c),
            ' ' => open = false,
            '=' => all.last_mut().expect("a sign").push(c),
            _ if word && open => all.last_mut().expect("a word").push(c),
            _ => {
                all.push(c.to_string());
                open = word;
            }
        }
    }
    all.reverse();
    all
}

/// Metric math over one moment: a missing operand counts as 0, but nothing is divided by nothing.
struct Math<'a> {
    rest: Vec<String>,
    known: &'a BTreeMap<String, Option<f64>>,
}

impl<'a> Math<'a> {
    fn new(text: &str, known: &'a BTreeMap<String, Option<f64>>) -> Self {
        Self {
            rest: tokens(text),
            known,
        }
    }

    fn next_is(&self, signs: &[&str]) -> Option<String> {
        let next = self.rest.last()?;
        signs.contains(&next.as_str()).then(|| next.clone())
    }

    fn take(&mut self) -> String {
        self.rest.pop().expect("a token")
    }

    fn compare(&mut self) -> Option<f64> {
        let mut left = self.sum();
        while let Some(sign) = self.next_is(&[">", ">=", "<", "<="]) {
            self.take();
            let (a, b) = (left.unwrap_or(0.0), self.sum().unwrap_or(0.0));
            left = Some(f64::from(u8::from(match sign.as_str() {
                ">" => a > b,
                ">=" => a >= b,
                "<" => a < b,
                _ => a <= b,
            })));
        }
        left
    }

    fn sum(&mut self) -> Option<f64> {
        let mut left = self.product();
        while let Some(sign) = self.next_is(&["+", "-"]) {
            self.take();
            let right = self.product();
            left = match (left, right) {
                (None, None) => None,
                (a, b) => {
                    let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
                    Some(if sign == "+" { a + b } else { a - b })
                }
            };
        }
        left
    }

    fn product(&mut self) -> Option<f64> {
        let mut left = self.atom();
        while let Some(sign) = self.next_is(&["*", "/"]) {
            self.take();
            let right = self.atom();
            left = match (left, right, sign.as_str()) {
                (Some(a), Some(b), "*") => Some(a * b),
                (Some(a), Some(b), _) if b != 0.0 => Some(a / b),
                _ => None,
            };
        }
        left
    }

    fn atom(&mut self) -> Option<f64> {
        let token = self.take();
        match token.as_str() {
            "(" => {
                let inner = self.compare();
                self.take();
                inner
            }
            "FILL" | "IF" | "SUM" | "MAX" | "MIN" | "AVG" => {
                let arguments = self.arguments();
                call(&token, &arguments)
            }
            text => match text.parse() {
                Ok(number) => Some(number),
                Err(_) => self.known[text],
            },
        }
    }

    fn arguments(&mut self) -> Vec<Option<f64>> {
        self.take();
        let mut all = Vec::new();
        loop {
            match self.next_is(&["[", "]", ",", ")"]).as_deref() {
                Some(")") => {
                    self.take();
                    return all;
                }
                Some(_) => drop(self.take()),
                None => all.push(self.compare()),
            }
        }
    }
}

fn call(function: &str, arguments: &[Option<f64>]) -> Option<f64> {
    let real: Vec<_> = arguments.iter().flatten().copied().collect();
    match function {
        "FILL" => arguments[0].or(arguments[1]),
        "IF" => match arguments[0] {
            Some(yes) if yes != 0.0 => arguments[1],
            Some(_) => arguments[2],
            None => None,
        },
        _ if real.is_empty() => None,
        "SUM" => Some(real.iter().sum()),
        "AVG" => Some(real.iter().sum::<f64>() / real.len() as f64),
        "MAX" => real.into_iter().max_by(f64::total_cmp),
        _ => real.into_iter().min_by(f64::total_cmp),
    }
}

/// The rule of a composite alarm in one minute.
struct Rule<'a> {
    rest: Vec<String>,
    minute: u64,
    states: &'a BTreeMap<String, BTreeSet<u64>>,
}

impl<'a> Rule<'a> {
    fn new(text: &str, minute: u64, states: &'a BTreeMap<String, BTreeSet<u64>>) -> Self {
        Self {
            rest: tokens(text),
            minute,
            states,
        }
    }

    fn skip(&mut self, word: &str) -> bool {
        let found = self.rest.last().is_some_and(|next| next == word);
        if found {
            self.rest.pop();
        }
        found
    }

    fn or(&mut self) -> bool {
        let mut holds = self.and();
        while self.skip("OR") {
            holds |= self.and();
        }
        holds
    }

    fn and(&mut self) -> bool {
        let mut holds = self.not();
        while self.skip("AND") {
            holds &= self.not();
        }
        holds
    }

    fn not(&mut self) -> bool {
        if self.skip("NOT") {
            return !self.not();
        }
        let inner = self.skip("ALARM");
        assert!(self.skip("("), "{:?}", self.rest);
        let holds = match inner {
            true => {
                let name = self.rest.pop().expect("a name");
                let states = self.states.get(&name);
                states.is_some_and(|minutes| minutes.contains(&self.minute))
            }
            false => self.or(),
        };
        assert!(self.skip(")"), "{:?}", self.rest);
        holds
    }
}
