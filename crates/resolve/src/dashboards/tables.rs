//! The tables of SLOs and of alerts.
//!
//! Each row is a label set: `availability` of `cluster="eu-1"`, or `HighTTFT` of one model. The queries of a table are joined by
//! their labels. Links are labels, too: each row leads to its own runbook and panel. Missing data has a row of its own.

use slosmith_plan::plan::dashboard::{Cells, Color, Column, Field, Lead, Origin, Series};
use slosmith_plan::plan::{BASE_WINDOW, Links, Query, Slo, marker};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp, Selector};
use slosmith_promql::{self as promql, build};
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number, decimal};

const ALERT_NAME: &str = "alertname";
const STATE: &str = "alertstate";
const RUNBOOK: &str = "runbook";
/// Label of a row: the panel that shows more.
const PANEL: &str = "panel";

/// Labels of a row: whose it is, and the name behind a title.
const FOR: &str = "for";
const NAME: &str = "alert_name";
/// Labels of a row: the value of an alert, its unit, and its threshold.
const MEASURED: &str = "measured";
const UNIT: &str = "measured_in";
const THRESHOLD: &str = "threshold";

/// The states of an alert. No data is the worst: the state is unknown.
const PENDING: u32 = 1;
const RECOVERING: u32 = 2;
const FIRING: u32 = 3;
const NO_DATA: u32 = 4;

pub(super) struct Scope<'a> {
    pub(super) service: &'a str,
    pub(super) groups: &'a [String],
    pub(super) variables: &'a [String],
    pub(super) page: &'a str,
    /// The `uid` of the dashboard: rows without a panel link to the dashboard.
    pub(super) dashboard: &'a str,
}

impl Scope<'_> {
    /// A series of the service: of the selected label sets, and without these labels.
    pub(super) fn series(&self, name: &str) -> Selector {
        let all = build::metric(name).matcher(naming::SERVICE, MatchOp::Equal, self.service);
        let variables = self.variables.iter().filter(|v| self.groups.contains(v));
        variables.fold(all, |series, label| {
            series.matcher(label, MatchOp::Match, &marker::filter_or_none(label))
        })
    }

    fn labels(&self, own: &[&str]) -> Vec<String> {
        let own = own.iter().map(|label| (*label).to_owned());
        own.chain(self.groups.iter().cloned()).collect()
    }

    /// Whose a row is: one column for all groups, from the narrowest to the widest as in legends.
    fn for_column(&self) -> Option<Column> {
        (!self.groups.is_empty()).then(|| column(FOR, "For", Cells::Text(Vec::new())))
    }

    /// Sets the label of that column.
    fn named(&self, rows: Expr) -> Expr {
        match self.groups.is_empty() {
            true => rows,
            false => {
                let groups: Vec<_> = self.groups.iter().rev().map(String::as_str).collect();
                let rows = joined(rows, FOR, " ", &groups);
                // A row without groups is of nothing, not of spaces.
                labelled(rows, FOR, "", FOR, " *")
            }
        }
    }

    /// The groups join the queries of a table; their column is another.
    fn hidden_groups(&self) -> impl Iterator<Item = Column> {
        self.groups.iter().map(|label| hidden(label))
    }
}

fn bin(op: BinaryOp, lhs: impl Into<Expr>, rhs: impl Into<Expr>) -> Expr {
    build::binary(op, lhs, rhs).into()
}

pub(super) fn or(first: Expr, second: impl Into<Expr>) -> Expr {
    bin(BinaryOp::Or, first, second)
}

pub(super) fn times(times: u32, expr: impl Into<Expr>) -> Expr {
    bin(BinaryOp::Mul, build::number(times.to_string()), expr)
}

/// `0 * expr + value`: the labels of an expression with one value for all.
fn all_at(value: u32, expr: impl Into<Expr>) -> Expr {
    match value {
        0 => times(0, expr),
        _ => bin(
            BinaryOp::Add,
            times(0, expr),
            build::number(value.to_string()),
        ),
    }
}

fn max(labels: &[String], expr: impl Into<Expr>) -> Expr {
    build::aggregate(AggregateOp::Max, labels, expr)
}

/// Sets a label where another label matches a pattern; an empty pattern matches a missing label.
pub(super) fn labelled(expr: Expr, label: &str, value: &str, source: &str, pattern: &str) -> Expr {
    // `$` begins a group of the pattern in PromQL, and a variable in Grafana.
    let value = value.replace('$', "%24");
    let words = [label, &value, source, pattern].map(build::string);
    build::call("label_replace", std::iter::once(expr).chain(words))
}

fn joined(expr: Expr, label: &str, between: &str, sources: &[&str]) -> Expr {
    let words = [label, between].into_iter().chain(sources.iter().copied());
    build::call(
        "label_join",
        std::iter::once(expr).chain(words.map(build::string)),
    )
}

/// The one with the highest or lowest value.
pub(super) fn first(op: AggregateOp, expr: impl Into<Expr>) -> Expr {
    build::aggregate_with(op, build::number("1"), NONE, expr)
}

/// Sets a label of each row by the row's name, with one `label_replace` for each value.
fn by_name(expr: Expr, label: &str, name: &str, values: &[(String, String)]) -> Expr {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (of, value) in values {
        match groups.iter_mut().find(|(known, _)| known == value) {
            Some((_, names)) if !names.contains(&of.as_str()) => names.push(of),
            Some(_) => {}
            None => groups.push((value, vec![of])),
        }
    }
    groups.iter().fold(expr, |expr, (value, names)| {
        labelled(expr, label, value, name, &names.join("|"))
    })
}

pub(super) fn column(label: &str, heading: &str, cells: Cells) -> Column {
    Column {
        field: Field::Label(label.to_owned()),
        heading: heading.to_owned(),
        cells,
        leads_to: None,
    }
}

pub(super) fn value(index: usize, heading: &str, cells: Cells) -> Column {
    Column {
        field: Field::Value(index),
        heading: heading.to_owned(),
        cells,
        leads_to: None,
    }
}

fn page(url: &str) -> String {
    url.split('#').next().unwrap_or(url).to_owned()
}

/// The dashboard and panel of a URL: `uid?viewPanel=5`.
fn panel_of(url: &str) -> Option<String> {
    url.rsplit_once("/d/").map(|(_, rest)| rest.to_owned())
}

pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    pub(super) title: String,
    /// What it is about, and what to do first.
    pub(super) action: String,
    pub(super) links: &'a Links,
}

/// An SLO and its panel: `uid?viewPanel=5`.
pub(super) type Shown<'a> = Vec<(&'a Slo, String)>;

fn titles_of(named: &[Named<'_>]) -> Vec<(String, String)> {
    let titled = named.iter().filter(|alert| alert.title != alert.name);
    titled
        .map(|alert| (alert.name.to_owned(), alert.title.clone()))
        .collect()
}

/// The value of an alert with a fixed threshold, as people read both.
pub(super) struct Judged {
    pub(super) alert: String,
    /// Its value, in the unit of the threshold's text.
    pub(super) value: Expr,
    pub(super) bound: Number,
    pub(super) upper: bool,
    /// What is written behind the value.
    pub(super) unit: String,
    /// The threshold: `> 3s`.
    pub(super) text: String,
}

impl Judged {
    fn worst(&self, groups: &[String]) -> Expr {
        let op = match self.upper {
            true => AggregateOp::Max,
            false => AggregateOp::Min,
        };
        build::aggregate(op, &had(groups, &self.value), self.value.clone())
    }

    /// Three digits of a value near the threshold.
    fn step(&self) -> String {
        let zero = Number::from_integer(0);
        let mut step = Number::from_integer(1);
        while self.bound > zero && step * 100 > self.bound && step > Number::new(1, 1_000_000) {
            step /= 10;
        }
        decimal(step)
    }

    /// A row with the value while it is on the good side of the threshold.
    fn recovered(&self, groups: &[String]) -> Expr {
        let op = match self.upper {
            true => BinaryOp::Le,
            false => BinaryOp::Ge,
        };
        let good = bin(op, self.worst(groups), build::number(decimal(self.bound)));
        labelled(good, ALERT_NAME, &self.alert, "", "")
    }
}

/// A tier of burn-rate alerts: its name, its long window, and the threshold of each alert.
pub(super) struct Burning {
    pub(super) tier: String,
    pub(super) long: Duration,
    pub(super) bounds: Vec<(String, String)>,
}

/// The rows of both tables end in a link to the runbook.
fn runbook_column() -> Column {
    Column {
        leads_to: Some(Lead::Url),
        ..column(RUNBOOK, "Runbook", Cells::Always("open".to_owned()))
    }
}

fn hidden(label: &str) -> Column {
    column(label, label, Cells::Hidden)
}

pub(super) struct Alerting<'a> {
    pub(super) named: &'a [Named<'a>],
    /// Series that always exist, each with the row to show when it is missing.
    pub(super) beats: &'a [(String, Expr)],
    pub(super) judged: Vec<Judged>,
    pub(super) burning: Vec<Burning>,
    pub(super) severities: Vec<(String, Color)>,
}

/// Pending and firing alerts: one row for each alert and label set. A paging alert hides the ticket alerts of the same SLO, like
/// Alertmanager's inhibition.
pub(super) fn alerts(scope: &Scope<'_>, all: &Alerting<'_>) -> (Vec<Series>, Vec<Column>) {
    let labels = scope.labels(&[ALERT_NAME, naming::SEVERITY]);
    let listed = listed(scope, &labels);
    let since = max(&labels, scope.series("ALERTS_FOR_STATE"));
    let since = build::binary(BinaryOp::And, times(1000, since), listed.clone()).on(&labels);
    let measured = measured(scope, all, &listed);
    let rows = recovering(scope, all, listed);
    let named = all.named.iter();
    let runbooks = named
        .clone()
        .map(|alert| (alert.name.to_owned(), page(&alert.links.runbook)));
    let panels =
        named.filter_map(|alert| Some((alert.name.to_owned(), panel_of(&alert.links.dashboard)?)));
    let linked = by_name(rows, RUNBOOK, ALERT_NAME, &runbooks.collect::<Vec<_>>());
    let linked = by_name(linked, PANEL, ALERT_NAME, &panels.collect::<Vec<_>>());
    let linked = joined(scope.named(linked), NAME, "", &[ALERT_NAME]);
    let rows = labelled(
        verdict(linked, all.beats),
        PANEL,
        &format!("{}?", scope.dashboard),
        PANEL,
        "",
    );
    let mut made = vec![
        series("State", rows, &labels),
        series("Alert since", since.into(), &labels),
    ];
    let text = |label, heading| column(label, heading, Cells::Text(Vec::new()));
    let states = [
        (0, "ok", Color::Green),
        (PENDING, "pending", Color::Yellow),
        (RECOVERING, "recovering", Color::Yellow),
        (FIRING, "firing", Color::Red),
        (NO_DATA, "no data", Color::Blue),
    ];
    let states = states.map(|(number, word, color)| (number, word.to_owned(), color));
    let mut columns = vec![
        value(0, "State", Cells::Words(states.into())),
        Column {
            leads_to: Some(Lead::Panel(PANEL.to_owned())),
            ..column(ALERT_NAME, "Alert", Cells::Text(titles_of(all.named)))
        },
    ];
    columns.extend(scope.for_column());
    if measured.is_some() {
        columns.extend([text(MEASURED, "Value"), text(THRESHOLD, "Threshold")]);
    }
    columns.extend([
        column(
            naming::SEVERITY,
            "Severity",
            Cells::Coloured(all.severities.clone()),
        ),
        value(1, "Alert since", Cells::Since),
        runbook_column(),
        text(NAME, "Name"),
    ]);
    if let Some(measured) = measured {
        columns.extend([hidden(UNIT), value(made.len(), "rows", Cells::Hidden)]);
        made.push(series("Value", measured, &labels));
    }
    columns.extend(scope.hidden_groups());
    columns.push(hidden(PANEL));
    (made, columns)
}

fn key(scope: &Scope<'_>) -> Vec<String> {
    scope.labels(&[ALERT_NAME])
}

/// Those of the labels that a query may return.
fn had(labels: &[String], query: &Expr) -> Vec<String> {
    let kept = promql::kept_labels(query).names();
    let may_have = |label: &&String| kept.as_ref().is_none_or(|names| names.contains(label));
    labels.iter().filter(may_have).cloned().collect()
}

/// A value as a label: the cells of a column can then have different units.
fn written(labels: &[String], step: &str, expr: Expr) -> Expr {
    let labels = &had(labels, &expr);
    let rounded = build::call("round", [expr, build::number(step)]);
    build::aggregate_with(
        AggregateOp::CountValues,
        build::string(MEASURED),
        labels,
        rounded,
    )
}

fn measured(scope: &Scope<'_>, all: &Alerting<'_>, listed: &Expr) -> Option<Expr> {
    let key = key(scope);
    let groups = scope.labels(&[]);
    let of_tier = |burning: &Burning| {
        let alerts = scope
            .series("ALERTS")
            .matcher(naming::TIER, MatchOp::Equal, &burning.tier);
        let burn = alert_burn(scope, alerts, burning.long);
        by_name(
            written(&key, "0.01", burn),
            THRESHOLD,
            ALERT_NAME,
            &burning.bounds,
        )
    };
    // Of an alert that fires on several tiers, the fastest.
    let tiers = all
        .burning
        .iter()
        .map(of_tier)
        .reduce(|all, tier| build::binary(BinaryOp::Or, all, tier).on(&key).into());
    let one = |of: &Judged| {
        let texts = [
            (ALERT_NAME, &of.alert),
            (THRESHOLD, &of.text),
            (UNIT, &of.unit),
        ];
        let value = written(&groups, &of.step(), of.worst(&groups));
        let texts = texts.iter().filter(|(_, text)| !text.is_empty());
        texts.fold(value, |value, (label, text)| {
            labelled(value, label, text, "", "")
        })
    };
    let values = all.judged.iter().map(one).reduce(or);
    let values = values.map(|values| joined(values, MEASURED, "", &[MEASURED, UNIT]));
    let both = tiers.into_iter().chain(values).reduce(or)?;
    let listed = build::binary(BinaryOp::And, both, listed.clone());
    Some(listed.on(&key).into())
}

/// The listed alerts; those that still fire while their value is back on the good side of the threshold have a state of their own.
fn recovering(scope: &Scope<'_>, all: &Alerting<'_>, listed: Expr) -> Expr {
    let groups = scope.labels(&[]);
    let tiers = (!all.burning.is_empty()).then(|| {
        let alerts = scope
            .series("ALERTS")
            .matcher(naming::TIER, MatchOp::NotEqual, "");
        let burn = alert_burn(scope, alerts, BASE_WINDOW);
        bin(BinaryOp::Lt, burn, build::number("1"))
    });
    let good = all.judged.iter().map(|of| of.recovered(&groups));
    let Some(good) = tiers.into_iter().chain(good).reduce(or) else {
        return listed;
    };
    let firing = bin(
        BinaryOp::Eq,
        listed.clone(),
        build::number(FIRING.to_string()),
    );
    let recovering = build::binary(BinaryOp::And, all_at(RECOVERING, firing), good);
    or(recovering.on(&key(scope)).into(), listed)
}

fn burn(scope: &Scope<'_>, labels: &[String], window: Duration) -> Expr {
    let ratio = scope.series(naming::ERROR_RATIO).matcher(
        naming::WINDOW,
        MatchOp::Equal,
        &window.to_string(),
    );
    per_slo(
        scope,
        BinaryOp::Div,
        max(labels, ratio),
        naming::ERROR_BUDGET,
    )
}

/// `expr op` a value that is recorded once for each SLO.
fn per_slo(scope: &Scope<'_>, op: BinaryOp, expr: Expr, name: &str) -> Expr {
    let all = build::metric(name).matcher(naming::SERVICE, MatchOp::Equal, scope.service);
    let slo = [naming::SLO.to_owned()];
    let joined = build::binary(op, expr, max(&slo, all)).on(&slo);
    joined.group_left(NONE).into()
}

fn alert_burn(scope: &Scope<'_>, alerts: Selector, window: Duration) -> Expr {
    let slo = scope.labels(&[naming::SLO]);
    let alerts = max(&scope.labels(&[ALERT_NAME, naming::SLO]), alerts);
    let burn = build::paren(burn(scope, &slo, window));
    let of_alerts = build::binary(BinaryOp::Mul, alerts, burn).on(&slo);
    max(&key(scope), of_alerts.group_left(NONE))
}

fn listed(scope: &Scope<'_>, labels: &[String]) -> Expr {
    let alerts = |state: &str, severity| {
        scope
            .series("ALERTS")
            .matcher(STATE, MatchOp::Equal, state)
            .matcher(naming::SEVERITY, severity, scope.page)
    };
    let both = |severity| {
        let firing = times(FIRING, alerts("firing", severity));
        max(labels, or(firing, alerts("pending", severity)))
    };
    let without: Vec<_> = labels.iter().filter(|l| *l != naming::SEVERITY).collect();
    let others = build::binary(
        BinaryOp::Unless,
        both(MatchOp::NotEqual),
        alerts("firing", MatchOp::Equal),
    );
    or(both(MatchOp::Equal), others.on(&without))
}

fn absent(series: &Expr) -> Expr {
    let absent = build::call("absent", [series.clone()]);
    build::aggregate(AggregateOp::Sum, NONE, absent)
}

/// The rows of alerts, and one for each missing series; the row `nothing is firing` appears only without any of these.
fn verdict(alerts: Expr, beats: &[(String, Expr)]) -> Expr {
    let silent = beats
        .iter()
        .map(|(what, series)| labelled(times(NO_DATA, absent(series)), ALERT_NAME, what, "", ""));
    let rows = silent.fold(alerts, or);
    let zero = build::call("vector", [build::number("0")]);
    let nothing = labelled(zero, ALERT_NAME, "nothing is firing", "", "");
    build::binary(BinaryOp::Or, rows, nothing).on(NONE).into()
}

const NONE: &[&str] = &[];

pub(super) fn series(title: &str, expr: Expr, labels: &[String]) -> Series {
    Series {
        title: title.to_owned(),
        query: Query {
            expr,
            labels: labels.to_vec(),
        },
        origin: Origin::Query("the table joins several PromQL queries"),
    }
}

pub(super) fn rules_beat(scope: &Scope<'_>, slos: &[Slo]) -> Option<(String, Expr)> {
    slos.first()?;
    let all =
        build::metric(naming::OBJECTIVE).matcher(naming::SERVICE, MatchOp::Equal, scope.service);
    Some(("no data from the recording rules".to_owned(), all.into()))
}

pub(super) use facts::Verdict;
pub(super) use objectives::{EXACT, objectives};

mod facts;
mod objectives;
