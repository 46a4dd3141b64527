//! Annotations of alerts, for the on-call engineer: measured value, threshold and duration, with the labels of the series.

use super::dashboard_link::Chosen;
use super::go;
use super::view::Pairs;
use slosmith_plan::plan::{
    Alert, Bound, Compare, Condition, Links, Marks, RawCondition, Service, Slo, Tier, ValueUnit,
    words,
};
use slosmith_spec::naming;
use slosmith_spec::spec::Stat;
use slosmith_text::units::{Duration, Number, Unit, decimal, float, readable, shown};

#[derive(Clone, Debug, Default)]
pub(super) struct Text(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Plain(String),
    /// The author's own text; may hold template code.
    Own(String),
    Value(ValueUnit),
    /// A value below a thousand, without a prefix: `0.5`, not `500m`.
    Small(ValueUnit),
    Coefficient,
    BurnRate(BurnRate),
    Label(String),
    KnownLabels(KnownLabels),
    Chosen(Chosen),
}

/// Labels that a result may lack, with what stands before the first and behind the last of those that it has.
#[derive(Clone, Debug)]
struct KnownLabels {
    before: &'static str,
    labels: Vec<String>,
    behind: &'static str,
}

impl KnownLabels {
    /// The variable holds what comes before the next label.
    fn template(&self) -> String {
        let Self { before, behind, .. } = self;
        if let [label] = &self.labels[..] {
            return format!(
                "{{{{ with $labels.{label} }}}}{before}{label} {{{{ . }}}}{behind}{{{{ end }}}}"
            );
        }
        // Every alert on data has its SLO.
        if let [slo, others @ ..] = &self.labels[..]
            && slo == naming::SLO
        {
            let others = others.iter().map(|label| {
                format!("{{{{ with $labels.{label} }}}}, {label} {{{{ . }}}}{{{{ end }}}}")
            });
            let others: String = others.collect();
            return format!("{before}{slo} {{{{ $labels.{slo} }}}}{others}{behind}");
        }
        let label = |label: &String| {
            format!(
                "{{{{ with $labels.{label} }}}}{{{{ $before }}}}{label} {{{{ . }}}}{{{{ $before = \", \" }}}}{{{{ end }}}}"
            )
        };
        let labels: String = self.labels.iter().map(label).collect();
        format!(
            "{{{{ $before := \"{before}\" }}}}{labels}{{{{ if eq $before \", \" }}}}{behind}{{{{ end }}}}"
        )
    }

    fn shown(&self, labels: &Pairs) -> String {
        let pair = |name: &String| Some(format!("{name} {}", labels.get(name)?));
        let pairs: Vec<_> = self.labels.iter().filter_map(pair).collect();
        match pairs.is_empty() {
            true => String::new(),
            false => format!("{}{}{}", self.before, pairs.join(", "), self.behind),
        }
    }
}

/// A measured burn rate. Templates cannot divide, so the template queries the recorded error ratio, divided by the budget.
#[derive(Clone, Debug)]
struct BurnRate {
    /// Labels that the series of the ratio has, with their values.
    fixed: Vec<(&'static str, String)>,
    labels: Vec<String>,
    budget: Number,
}

impl BurnRate {
    /// `, burn rate 14.40`; nothing if the series is missing.
    fn template(&self) -> String {
        let fixed = self.fixed.iter();
        let fixed = fixed.map(|(name, value)| format!("{name}=\"{value}\""));
        let given = self.labels.iter().map(|label| format!("{label}=%q"));
        let matchers: Vec<_> = fixed.chain(given).collect();
        let arguments = self.labels.iter().map(|label| format!(" $labels.{label}"));
        format!(
            "{{{{ with printf `{}{{{}}} / {}`{} | query }}}}, burn rate {{{{ . | first | value | printf \"%.2f\" }}}}{{{{ end }}}}",
            naming::ERROR_RATIO,
            matchers.join(", "),
            decimal(self.budget),
            arguments.collect::<String>(),
        )
    }

    fn shown(&self, ratio: f64) -> String {
        format!(", burn rate {:.2}", ratio / float(self.budget))
    }
}

/// How far the last digits of what a rule computes may be off.
pub(super) const HAIR: f64 = 1e-9;

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

    fn burn_rate(mut self, rate: BurnRate) -> Self {
        self.0.push(Piece::BurnRate(rate));
        self
    }

    fn label_list(mut self, labels: &[String]) -> Self {
        for (i, label) in labels.iter().enumerate() {
            let before = if i == 0 { "" } else { ", " };
            self = self.and(format!("{before}{label} "));
            self.0.push(Piece::Label(label.clone()));
        }
        self
    }

    /// ` (cluster c1)`. An only label may be one that the targets lack.
    fn labels(self, labels: &[String]) -> Self {
        match labels {
            [] | [_] => self.known_labels(labels),
            labels => self.and(" (").label_list(labels).and(")"),
        }
    }

    /// ` (cluster c1, model_name m1)` without missing labels.
    fn known_labels(self, labels: &[String]) -> Self {
        self.known_between(" (", labels, ")")
    }

    fn known_between(
        mut self,
        before: &'static str,
        labels: &[String],
        behind: &'static str,
    ) -> Self {
        if !labels.is_empty() {
            let labels = labels.to_vec();
            self.0.push(Piece::KnownLabels(KnownLabels {
                before,
                labels,
                behind,
            }));
        }
        self
    }

    fn template(&self) -> String {
        let piece = |p: &Piece| match p {
            Piece::Plain(text) => text.replace("{{", "{{ \"{{\" }}"),
            Piece::Own(text) => text.clone(),
            Piece::Label(label) => format!("{{{{ $labels.{label} }}}}"),
            Piece::KnownLabels(known) => known.template(),
            Piece::Chosen(chosen) => chosen.template(),
            Piece::Value(unit) => {
                let (function, suffix) = format(*unit);
                format!("{{{{ $value | {function} }}}}{suffix}")
            }
            Piece::Small(unit) => {
                format!("{{{{ $value | printf \"%.4g\" }}}}{}", format(*unit).1)
            }
            Piece::Coefficient => "{{ $value | printf \"%.2f\" }}".to_owned(),
            Piece::BurnRate(rate) => rate.template(),
        };
        self.0.iter().map(piece).collect()
    }

    fn shown(&self, value: f64, labels: &Pairs) -> Option<String> {
        let piece = |p: &Piece| match p {
            Piece::Plain(text) => Some(text.clone()),
            Piece::Own(text) => filled(text, labels),
            Piece::Label(label) => labels.get(label).cloned(),
            Piece::KnownLabels(known) => Some(known.shown(labels)),
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
            Piece::Small(unit) => Some(format!("{}{}", go::four_digits(value), format(*unit).1)),
            Piece::Coefficient => Some(format!("{value:.2}")),
            Piece::BurnRate(rate) => Some(rate.shown(value)),
        };
        self.0.iter().map(piece).collect()
    }
}

/// A text with each `{{ $labels.NAME }}` replaced by the label; `None` for other template code.
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
    // To Prometheus, an empty label is none.
    let all: Option<Pairs> = labels.iter().map(shown).collect();
    Some(
        all?.into_iter()
            .filter(|(_, text)| !text.is_empty())
            .collect(),
    )
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
        Unit::Money(currency) => return ("humanize", format!(" {currency}{per}")),
    };
    (function, format!("{name}{per}"))
}

impl Annotations {
    pub(super) fn templates(&self) -> Pairs {
        let pair = |(name, text): &(String, Text)| (name.clone(), text.template());
        self.0.iter().map(pair).collect()
    }

    /// The texts for a value and labels; `None` where the author's own text holds template code other than labels.
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

    /// `labels` are the labels of the result, `looked` is the look-back of the alert.
    fn new(
        summary: Text,
        description: Text,
        links: &Links,
        labels: &[String],
        looked: Duration,
    ) -> Self {
        let mut all = vec![
            ("summary", summary),
            ("description", description),
            ("runbook_url", Text::plain(&links.runbook)),
        ];
        let url = links.dashboard_url();
        if !url.is_empty() {
            let mut dashboard = Text::plain(url);
            let chosen = Chosen::new(links, labels, looked);
            dashboard.0.push(Piece::Chosen(chosen));
            all.push(("dashboard_url", dashboard));
        }
        let named = all.into_iter();
        Self(named.map(|(name, text)| (name.to_owned(), text)).collect())
    }

    /// With the author's own behind them.
    fn and(mut self, marks: &Marks) -> Self {
        let own = marks.annotations.iter();
        self.0
            .extend(own.map(|(name, text)| (name.clone(), Text::own(text))));
        self
    }
}

pub(super) fn condition(service: &Service, alert: &Alert) -> Annotations {
    let labels = &alert.condition.query().labels;
    let mut text = measured(&alert.condition, labels, alert.hold);
    if let Some(own) = &alert.description {
        text = text.and(" ");
        text.0.push(Piece::Own(own.clone()));
    }
    // A page shows little more: what the author does not say begins with the service.
    let of_service = Text::plain(format!("{}: ", service.title));
    let summary = match (alert.summary_is_own, alert.condition.slo_data()) {
        (true, None) => Text::own(&alert.summary),
        (true, Some(_)) => Text([of_service.0, Text::own(&alert.summary).0].concat()),
        (false, _) => of_service.and(&alert.summary),
    };
    let looked = looked(&alert.condition, alert.hold);
    let mut all = Annotations::new(summary, text, &alert.links, labels, looked);
    if let Some(action) = &alert.action {
        all.0.insert(2, ("action".to_owned(), Text::own(action)));
    }
    all.and(&alert.marks)
}

/// The measured value, the threshold and the duration: `Queue depth: 57 (cluster c1). Threshold: > 50. Duration: at least 10m.`
fn measured(condition: &Condition, labels: &[String], hold: Duration) -> Text {
    let duration = match hold == Duration::default() {
        true => String::new(),
        false => format!(" Duration: at least {hold}."),
    };
    let held = words::held(hold);
    match condition {
        Condition::Compare(c) => value_of(c, labels).and(threshold(c) + &duration),
        Condition::Absent(a) => Text::plain(words::gone(a))
            .known_labels(labels)
            .and(format!(".{duration}")),
        Condition::Raw(r) => {
            let threshold = r.threshold.as_ref();
            let threshold = threshold.map(|bound| format!(" Threshold: {bound}."));
            raw_value(r, labels).and(threshold.unwrap_or_default() + &duration)
        }
        Condition::Unless(parts, _) if has_threshold(&parts[0]) => {
            let not_while = format!(" Not while {}", words::nested(&parts[1]));
            // What holds back one of many is often a state of them all.
            let wider = &parts[1].query().labels;
            let scope: &[String] = if wider.len() < labels.len() {
                wider
            } else {
                &[]
            };
            let value = measured(&parts[0], labels, Duration::default());
            let value = value.and(not_while).labels(scope);
            value.and(format!(".{duration}"))
        }
        // The value belongs to the leading part.
        Condition::All(..) => leading(condition, labels).and(format!(
            "Conditions (all{held}): {}.",
            words::parts(condition)
        )),
        Condition::Unless(..) => {
            let held = match held.trim_start() {
                "" => String::new(),
                held => format!(" ({held})"),
            };
            leading(condition, labels).and(format!("Condition{held}: {}.", words::parts(condition)))
        }
        // Any part may give the value, so its unit is unknown.
        Condition::Any(..) => affected(condition, labels).and(format!(
            "Conditions (any{held}): {}.",
            words::parts(condition)
        )),
    }
}

/// The labels of a condition that shows no value.
fn affected(condition: &Condition, labels: &[String]) -> Text {
    match labels {
        [] => Text::default(),
        labels if condition.forgets() => Text::default().known_between("Affected: ", labels, ". "),
        labels => Text::plain("Affected: ").label_list(labels).and(". "),
    }
}

/// True for a condition whose text is its value and its threshold.
fn has_threshold(condition: &Condition) -> bool {
    match condition {
        Condition::Compare(_) => true,
        Condition::Raw(r) => r.threshold.is_some(),
        _ => false,
    }
}

/// ` Threshold: > 50 over 15m.`; empty for a state, which has only one other state.
fn threshold(c: &Compare) -> String {
    let is_over = matches!(c.bound, Bound::Fixed(..))
        && !c.signal.is_instant(c.stat)
        && !matches!(c.stat, Stat::Increase | Stat::Slope);
    let over = match is_over {
        true => format!(" over {}", c.window),
        false => String::new(),
    };
    match words::state(c) {
        Some(_) => String::new(),
        None => format!(" Threshold: {}{over}.", words::bound(&c.bound)),
    }
}

fn leading(condition: &Condition, labels: &[String]) -> Text {
    match condition.valued() {
        Some(Condition::Absent(absent)) => {
            let text = Text::plain(words::gone(absent));
            text.known_labels(labels).and(". ")
        }
        Some(Condition::Compare(c)) => value_of(c, labels).and(" "),
        Some(Condition::Raw(r)) => raw_value(r, labels).and(" "),
        _ => affected(condition, labels),
    }
}

/// `Correlation of queue depth and p95 wait over 20m: 0.93 (cluster c1).`
fn raw_value(r: &RawCondition, labels: &[String]) -> Text {
    if r.of_slos.is_some() {
        return Text::plain("Data is missing").known_labels(labels).and(".");
    }
    let value = match &r.correlated {
        Some(c) => {
            let mut text = Text::plain(format!(
                "{}: ",
                words::capital(&words::correlation(&c.of, c.window))
            ));
            text.0.push(Piece::Coefficient);
            text
        }
        None => Text::plain("Value: ").value(r.unit),
    };
    value.labels(labels).and(".")
}

/// `P95 time to first token: 3.2s (cluster c1).`, `Endpoint health: down (cluster c1).`
fn value_of(c: &Compare, labels: &[String]) -> Text {
    let name = words::capital(&words::subject(c));
    let value = match words::state(c) {
        Some(state) => Text::plain(format!("{name}: {state}")),
        None if is_small(c) => {
            let mut text = Text::plain(format!("{name}: "));
            text.0.push(Piece::Small(c.unit));
            text
        }
        None => Text::plain(format!("{name}: ")).value(c.unit),
    };
    value.labels(labels).and(".")
}

/// True for a count that fires only below a thousand, or above a threshold below 1: `humanize` prints a half as `500m`.
fn is_small(c: &Compare) -> bool {
    let small = match &c.bound {
        Bound::Fixed(op, bound, _) if op.is_upper() => *bound < Number::from_integer(1),
        Bound::Fixed(_, bound, _) => *bound <= Number::from_integer(1_000),
        _ => false,
    };
    small && format(c.unit).0 == "humanize"
}

pub(super) fn burn(service: &Service, slo: &Slo, tier: &Tier) -> Annotations {
    let events = &slo.events;
    let (long, short) = (tier.long, tier.short);
    let factor = decimal(readable(tier.factor));
    let made = format!(
        "{}: {} burn rate above {factor} ({long} window)",
        service.title,
        words::capital(&slo.title)
    );
    let counted = words::of_counted(&events.sli);
    let least = words::minimum(events, &long.to_string());
    let fixed = [
        (naming::SERVICE, service.name.clone()),
        (naming::SLO, slo.name.clone()),
        (naming::WINDOW, long.to_string()),
    ];
    let rate = BurnRate {
        fixed: fixed.into(),
        labels: slo.labels.clone(),
        budget: events.budget.budget,
    };
    let description = Text::plain(format!("{} over {long}: ", words::bad_share(&events.sli)))
        .value(ValueUnit::plain(Unit::Ratio))
        .and(counted)
        .burn_rate(rate)
        .labels(&slo.labels)
        .and(format!(
            ". Threshold: > {} over {long} and over {short} (burn rate {factor}).{least} Objective: {} over {}. At the threshold, {}.",
            shown(readable(tier.threshold), Unit::Ratio),
            shown(events.budget.objective, Unit::Ratio),
            slo.period,
            words::spent(slo, tier)
        ));
    let summary = summary(slo, made);
    Annotations::new(summary, description, &slo.links, &slo.labels, long).and(&tier.marks)
}

fn summary(slo: &Slo, made: String) -> Text {
    match &slo.summary {
        Some(own) => Text::own(own),
        None => Text::plain(made),
    }
}

/// The longest window of a condition plus its duration, without the past of a baseline. What is absent is seen in the time for which
/// it is remembered.
fn looked(condition: &Condition, hold: Duration) -> Duration {
    let window = |leaf: &Condition| match leaf {
        Condition::Compare(c) => c.window.as_secs(),
        Condition::Absent(absent) => absent.memory.unwrap_or_default().as_secs(),
        _ => 0,
    };
    let longest = condition.leaves().into_iter().map(window).max();
    Duration::from_secs(longest.unwrap_or(0) + hold.as_secs())
}
