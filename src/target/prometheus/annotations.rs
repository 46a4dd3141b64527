//! What an alert says to the on-call person: text with the measured value and the labels of its series.

use super::dashboard_link::Chosen;
use super::go;
use super::view::Pairs;
use crate::plan::slo::PercentileAlert;
use crate::plan::{
    Alert, Compare, Condition, EventSlo, Links, Marks, PercentileSlo, RawCondition, Slo, Tier,
    ValueUnit, words,
};
use crate::units::{Duration, Unit, decimal, shown};

/// Text that may hold the value and labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Text(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Plain(String),
    /// The author's own text; may hold template code.
    Own(String),
    Value(ValueUnit),
    Label(String),
    /// A label that the result need not have.
    KnownLabel(String),
    /// The end of a link to a dashboard.
    Chosen(Chosen),
}

/// How far the last digits of what a rule computes may be off.
const HAIR: f64 = 1e-9;

/// Annotations by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Annotations(Vec<(String, Text)>);

impl Text {
    fn plain(text: impl Into<String>) -> Self {
        Self::default().and(text)
    }

    fn own(text: &str) -> Self {
        Self(vec![Piece::Own(text.to_owned())])
    }

    fn and(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Plain(text.into()));
        self
    }

    fn value(mut self, unit: ValueUnit) -> Self {
        self.0.push(Piece::Value(unit));
        self
    }

    /// ` (cluster c1, model_name m1)`
    fn labels(mut self, labels: &[String]) -> Self {
        for (i, label) in labels.iter().enumerate() {
            let before = if i == 0 { " (" } else { ", " };
            self = self.and(format!("{before}{label} "));
            self.0.push(Piece::Label(label.clone()));
        }
        if labels.is_empty() {
            self
        } else {
            self.and(")")
        }
    }

    /// `, cluster c1, model_name m1`; nothing for a label that is not there.
    fn known_labels(mut self, labels: &[String]) -> Self {
        self.0.extend(labels.iter().cloned().map(Piece::KnownLabel));
        self
    }

    /// As Prometheus's template language.
    fn template(&self) -> String {
        let piece = |p: &Piece| match p {
            Piece::Plain(text) => text.replace("{{", "{{ \"{{\" }}"),
            Piece::Own(text) => text.clone(),
            Piece::Label(label) => format!("{{{{ $labels.{label} }}}}"),
            Piece::KnownLabel(label) => {
                format!("{{{{ with $labels.{label} }}}}, {label} {{{{ . }}}}{{{{ end }}}}")
            }
            Piece::Chosen(chosen) => chosen.template(),
            Piece::Value(unit) => {
                let (function, suffix) = format(*unit);
                format!("{{{{ $value | {function} }}}}{suffix}")
            }
        };
        self.0.iter().map(piece).collect()
    }

    /// As it is shown for a value and labels; `None` when the author's own text holds more than names of labels.
    fn shown(&self, value: f64, labels: &Pairs) -> Option<String> {
        let piece = |p: &Piece| match p {
            Piece::Plain(text) => Some(text.clone()),
            Piece::Own(text) => filled(text, labels),
            Piece::Label(label) => labels.get(label).cloned(),
            Piece::KnownLabel(label) => {
                let value = labels.get(label);
                Some(value.map_or(String::new(), |value| format!(", {label} {value}")))
            }
            Piece::Chosen(chosen) => Some(chosen.shown(labels)),
            Piece::Value(unit) => {
                let (function, suffix) = format(*unit);
                let number = match function {
                    "humanizeDuration" => go::humanize_duration(value),
                    "humanizePercentage" => go::humanize_percentage(value),
                    "humanize1024" => go::humanize1024(value),
                    _ => go::humanize(value),
                };
                Some(format!("{number}{suffix}"))
            }
        };
        self.0.iter().map(piece).collect()
    }
}

/// A text in which `{{ $labels.NAME }}` is the label; `None` when it holds other template code.
fn filled(text: &str, labels: &Pairs) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (code, after) = after.split_once("}}")?;
        let label = code.trim().strip_prefix("$labels.")?;
        out.push_str(before);
        out.push_str(labels.get(label)?);
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Labels of an alert whose rule and result have these; `None` as for texts.
pub(super) fn shown_labels(labels: &Pairs) -> Option<Pairs> {
    let shown = |(name, text): (&String, &String)| Some((name.clone(), filled(text, labels)?));
    labels.iter().map(shown).collect()
}

/// Template function and suffix that print a value in its unit.
fn format(unit: ValueUnit) -> (&'static str, String) {
    let per = unit.per.map(|p| format!("/{}", p.name)).unwrap_or_default();
    let (function, name) = match unit.unit {
        Unit::Seconds => ("humanizeDuration", ""),
        Unit::Ratio => ("humanizePercentage", ""),
        Unit::Bytes => ("humanize1024", "B"),
        Unit::Watts => ("humanize", "W"),
        Unit::Celsius => ("humanize", " °C"),
        Unit::Hertz => ("humanize", "Hz"),
        // The signal's title names the things that are counted.
        Unit::Bool | Unit::Count | Unit::Requests | Unit::Tokens => ("humanize", ""),
        Unit::Flops => ("humanize", "FLOP"),
    };
    (function, format!("{name}{per}"))
}

impl Annotations {
    pub(super) fn templates(&self) -> Pairs {
        let pair = |(name, text): &(String, Text)| (name.clone(), text.template());
        self.0.iter().map(pair).collect()
    }

    /// The texts for a value and labels; `None` where an author's own text holds more than names of labels.
    pub(super) fn shown(&self, value: f64, labels: &Pairs) -> Option<Pairs> {
        let pair = |(name, text): &(String, Text)| Some((name.clone(), text.shown(value, labels)?));
        self.0.iter().map(pair).collect()
    }

    /// The same for a value that a rule computes; `None` also where its last digits decide the text: 11m 12s is
    /// 11m 11s a hair below.
    pub(super) fn shown_about(&self, value: f64, labels: &Pairs) -> Option<Pairs> {
        let [below, above] =
            [1.0 - HAIR, 1.0 + HAIR].map(|share| self.shown(value * share, labels));
        below.filter(|below| above.as_ref() == Some(below))
    }

    /// `labels` are those of the alert's result, `looked` the time that it looked back over.
    fn new(
        summary: Text,
        description: Text,
        links: &Links,
        labels: &[String],
        looked: Duration,
    ) -> Self {
        let mut dashboard = Text::plain(&links.dashboard);
        let chosen = Chosen::new(links, labels, looked);
        dashboard.0.push(Piece::Chosen(chosen));
        let all = [
            ("summary", summary),
            ("description", description),
            ("runbook_url", Text::plain(&links.runbook)),
            ("dashboard_url", dashboard),
        ];
        Self(all.map(|(name, text)| (name.to_owned(), text)).into())
    }

    /// With the author's own behind them.
    fn and(mut self, marks: &Marks) -> Self {
        let own = marks.annotations.iter();
        self.0
            .extend(own.map(|(name, text)| (name.clone(), Text::own(text))));
        self
    }
}

/// An alert on a condition.
pub(super) fn condition(alert: &Alert) -> Annotations {
    let labels = &alert.condition.query().labels;
    let mut text = measured(&alert.condition, labels, alert.hold);
    if let Some(own) = &alert.description {
        text = text.and(" ");
        text.0.push(Piece::Own(own.clone()));
    }
    let summary = match alert.summary_is_own {
        true => Text::own(&alert.summary),
        false => Text::plain(&alert.summary),
    };
    let looked = looked(&alert.condition, alert.hold);
    let mut all = Annotations::new(summary, text, &alert.links, labels, looked);
    if let Some(action) = &alert.action {
        all.0.insert(2, ("action".to_owned(), Text::own(action)));
    }
    all.and(&alert.marks)
}

/// What was measured, against what.
fn measured(condition: &Condition, labels: &[String], hold: Duration) -> Text {
    let held = words::held(condition, hold);
    match condition {
        Condition::Compare(c) => {
            value_of(c, labels).and(format!(" Fires {}{held}.", words::bound(&c.bound)))
        }
        Condition::Absent(a) => Text::plain(words::gone(a)).known_labels(labels).and("."),
        Condition::Raw(r) => match &r.words {
            Some(words) => raw_value(r, labels).and(format!(" Fires while {words}{held}.")),
            None => raw_value(r, labels),
        },
        Condition::All(..) | Condition::Unless(..) => {
            let when = format!("Fires while {}{held}.", words::condition(condition));
            // The value is that of the part that leads.
            match condition.leading() {
                Condition::Compare(c) => value_of(c, labels).and(format!(" {when}")),
                Condition::Raw(r) => raw_value(r, labels).and(format!(" {when}")),
                _ => Text::plain(when),
            }
        }
        // Whichever part holds gives the value, so nothing can be said of its unit.
        Condition::Any(..) => Text::plain(words::capital(&words::condition(condition)))
            .labels(labels)
            .and(format!("{held}.")),
    }
}

/// `Correlation: 0.93 (cluster c1).`
fn raw_value(r: &RawCondition, labels: &[String]) -> Text {
    // What is not the author's is a coefficient.
    let name = match r.words {
        Some(_) => "Correlation: ",
        None => "Value: ",
    };
    Text::plain(name).value(r.unit).labels(labels).and(".")
}

/// `P95 of time to first token: 3.2s (cluster c1).`
fn value_of(c: &Compare, labels: &[String]) -> Text {
    Text::plain(format!("{}: ", words::capital(&words::subject(c))))
        .value(c.unit)
        .labels(labels)
        .and(".")
}

/// A burn-rate alert.
pub(super) fn burn(slo: &Slo, events: &EventSlo, tier: &Tier) -> Annotations {
    let percent = |share| shown(share, Unit::Ratio);
    // What burns as fast as is allowed, or nearly, burns not too fast: it has used up a share.
    let burns = match tier.factor > 1.into() {
        true => format!("burns {} times too fast over", decimal(tier.factor)),
        false => format!("has lost {} in", percent(tier.consumed)),
    };
    let summary = summary(
        slo,
        format!(
            "{}: the error budget {burns} {}",
            words::capital(&slo.title),
            tier.long
        ),
    );
    let unit = ValueUnit {
        unit: Unit::Ratio,
        per: None,
    };
    let least = match events.min_events {
        0 => String::new(),
        least => format!(", given at least {least} events"),
    };
    let description = Text::default()
        .value(unit)
        .and(format!(
            " {} over the last {}",
            words::were_bad(&events.sli),
            tier.long
        ))
        .labels(&slo.labels)
        .and(format!(
            "; the objective of {} allows {}. Fires above {}{least}: {}.",
            percent(events.budget.objective),
            percent(events.budget.budget),
            percent(tier.threshold),
            words::spent(slo, tier)
        ));
    Annotations::new(summary, description, &slo.links, &slo.labels, tier.long).and(&tier.marks)
}

/// The author's own summary, or the one that is made.
fn summary(slo: &Slo, made: String) -> Text {
    match &slo.summary {
        Some(own) => Text::own(own),
        None => Text::plain(made),
    }
}

/// The alert of a percentile objective.
pub(super) fn percentile(slo: &Slo, p: &PercentileSlo, alert: &PercentileAlert) -> Annotations {
    let (condition, hold) = (&alert.condition, alert.hold);
    let summary = summary(slo, words::missed(slo, p));
    let description = measured(condition, &slo.labels, hold)
        .and(format!(" The objective is {}.", words::promise(slo, p)));
    let looked = looked(condition, hold);
    Annotations::new(summary, description, &slo.links, &slo.labels, looked).and(&alert.marks)
}

/// The longest window of a condition, and how long it held. The past that it is compared with is not in it.
fn looked(condition: &Condition, hold: Duration) -> Duration {
    let window = |leaf: &Condition| match leaf {
        Condition::Compare(c) => c.window.as_secs(),
        _ => 0,
    };
    let longest = condition.leaves().into_iter().map(window).max();
    Duration::from_secs(longest.unwrap_or(0) + hold.as_secs())
}
