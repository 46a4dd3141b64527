//! The tables of SLOs and of alerts.
//!
//! Each row is a label set: `availability` of `cluster="eu-1"`, or `HighTTFT` of one model. The queries of a table are joined by
//! their labels. Links are labels, too: each row leads to its own runbook and panel. Missing data has a row of its own.

use crate::naming;
use crate::plan::dashboard::{Cells, Color, Column, Field, Lead, Origin, Series};
use crate::plan::words::capital;
use crate::plan::{Links, Query, Slo, ValueUnit, marker};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp, Selector};
use crate::promql::build;
use crate::units::Unit;

/// Label: the name of an alert.
const ALERT_NAME: &str = "alertname";
/// Label: the state of an alert.
const STATE: &str = "alertstate";
/// Label of a row: the URL of its runbook.
const RUNBOOK: &str = "runbook";
/// Label of a row: the panel that shows more.
const PANEL: &str = "panel";

/// Pending, firing, and no data. No data is the worst: the state is unknown.
const PENDING: u32 = 1;
const FIRING: u32 = 2;
const NO_DATA: u32 = 3;

/// Heading: the value of an alert, divided by its threshold.
const MULTIPLE: &str = "Value ÷ threshold";

/// How to read that column.
pub(super) const MULTIPLE_HELP: &str = "Value ÷ threshold: the current value divided by the alert's threshold. Alerts on high values fire above 1, \
     alerts on low values below 1. For several conditions, the first one is shown. A value that has just recovered can be on the other side of \
     1 while the alert still fires: Prometheus resolves the alert at its next evaluation.";

/// The service and dashboard of a table.
pub(super) struct Scope<'a> {
    /// The service.
    pub(super) service: &'a str,
    /// Labels that distinguish the rows.
    pub(super) groups: &'a [String],
    /// Labels that filter the dashboard.
    pub(super) variables: &'a [String],
    /// The severity of paging alerts.
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

    /// The labels of a row: its own, then `group_by`.
    fn labels(&self, own: &[&str]) -> Vec<String> {
        let own = own.iter().map(|label| (*label).to_owned());
        own.chain(self.groups.iter().cloned()).collect()
    }

    fn group_columns(&self) -> impl Iterator<Item = Column> {
        self.groups.iter().map(|label| {
            column(
                label,
                &capital(&label.replace('_', " ")),
                Cells::Text(Vec::new()),
            )
        })
    }
}

fn bin(op: BinaryOp, lhs: impl Into<Expr>, rhs: impl Into<Expr>) -> Expr {
    build::binary(op, lhs, rhs).into()
}

fn or(first: Expr, second: impl Into<Expr>) -> Expr {
    bin(BinaryOp::Or, first, second)
}

/// `times * expr`
fn times(times: u32, expr: impl Into<Expr>) -> Expr {
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
fn labelled(expr: Expr, label: &str, value: &str, source: &str, pattern: &str) -> Expr {
    // `$` begins a group of the pattern in PromQL, and a variable in Grafana.
    let value = value.replace('$', "%24");
    let words = [label, &value, source, pattern].map(build::string);
    build::call("label_replace", std::iter::once(expr).chain(words))
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

fn column(label: &str, heading: &str, cells: Cells) -> Column {
    Column {
        field: Field::Label(label.to_owned()),
        heading: heading.to_owned(),
        cells,
        leads_to: None,
    }
}

fn value(index: usize, heading: &str, cells: Cells) -> Column {
    Column {
        field: Field::Value(index),
        heading: heading.to_owned(),
        cells,
        leads_to: None,
    }
}

/// The URL of a runbook without the section of an alert.
fn page(url: &str) -> String {
    url.split('#').next().unwrap_or(url).to_owned()
}

/// The dashboard and panel of a URL: `uid?viewPanel=5`.
fn panel_of(url: &str) -> Option<String> {
    url.rsplit_once("/d/").map(|(_, rest)| rest.to_owned())
}

/// Alerts with where they lead.
pub(super) type Named<'a> = Vec<(&'a str, &'a Links)>;

/// The rows of both tables end in a link to the runbook.
fn runbook_column() -> Column {
    Column {
        leads_to: Some(Lead::Url),
        ..column(RUNBOOK, "Runbook", Cells::Always("open".to_owned()))
    }
}

fn hidden_panel() -> Column {
    column(PANEL, PANEL, Cells::Hidden)
}

/// Pending and firing alerts: one row for each alert and label set. A paging alert hides the ticket alerts of the same SLO, like
/// Alertmanager's inhibition. `beats` are series that always exist, each with the row to show when it is missing.
pub(super) fn alerts(
    scope: &Scope<'_>,
    named: &Named<'_>,
    beats: &[(String, Expr)],
    excesses: &[(String, Expr)],
    severities: &[(String, Color)],
) -> (Vec<Series>, Vec<Column>) {
    let labels = scope.labels(&[ALERT_NAME, naming::SEVERITY]);
    let listed = listed(scope, &labels);
    let beyond = beyond(scope, excesses, &listed);
    let since = max(&labels, scope.series("ALERTS_FOR_STATE"));
    let since = bin(BinaryOp::Mul, since, build::number("1000"));
    let since = build::binary(BinaryOp::And, since, listed.clone()).on(&labels);
    let runbooks = named
        .iter()
        .map(|(name, links)| ((*name).to_owned(), page(&links.runbook)));
    let panels = named
        .iter()
        .filter_map(|(name, links)| Some(((*name).to_owned(), panel_of(&links.dashboard)?)));
    let linked = by_name(listed, RUNBOOK, ALERT_NAME, &runbooks.collect::<Vec<_>>());
    let linked = by_name(linked, PANEL, ALERT_NAME, &panels.collect::<Vec<_>>());
    let rows = labelled(
        verdict(linked, beats),
        PANEL,
        &format!("{}?", scope.dashboard),
        PANEL,
        "",
    );
    let columns = [
        value(
            0,
            "State",
            Cells::Words(vec![
                (0, "ok".into(), Color::Green),
                (PENDING, "pending".into(), Color::Yellow),
                (FIRING, "firing".into(), Color::Red),
                (NO_DATA, "no data".into(), Color::Blue),
            ]),
        ),
        Column {
            leads_to: Some(Lead::Panel(PANEL.to_owned())),
            ..column(ALERT_NAME, "Alert", Cells::Text(Vec::new()))
        },
        column(
            naming::SEVERITY,
            "Severity",
            Cells::Coloured(severities.to_vec()),
        ),
    ];
    let columns = columns.into_iter().chain(scope.group_columns()).chain([
        value(1, "Since", Cells::Since),
        runbook_column(),
        hidden_panel(),
    ]);
    let mut made = vec![
        series("State", rows, &labels),
        series("Since", since.into(), &labels),
    ];
    let mut columns: Vec<_> = columns.collect();
    if let Some(beyond) = beyond {
        made.push(series(MULTIPLE, beyond, &labels));
        let times = ValueUnit {
            unit: Unit::Count,
            per: None,
        };
        // Next to the time since when.
        let place = columns.len().saturating_sub(3);
        columns.insert(place, value(2, MULTIPLE, Cells::Number(times, Vec::new())));
    }
    (made, columns)
}

/// The values of the listed alerts, divided by their thresholds.
fn beyond(scope: &Scope<'_>, excesses: &[(String, Expr)], listed: &Expr) -> Option<Expr> {
    let groups = scope.labels(&[]);
    let named = |(name, excess): &(String, Expr)| {
        let worst = max(&groups, excess.clone());
        labelled(worst, ALERT_NAME, name, "", "")
    };
    let all = excesses.iter().map(named).reduce(or)?;
    let listed = build::binary(BinaryOp::And, all, listed.clone());
    Some(listed.on(&scope.labels(&[ALERT_NAME])).into())
}

/// The alerts that are pending or firing.
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

/// A row that exists while a series is missing.
fn silent((what, series): &(String, Expr), label: &str, state: u32) -> Expr {
    let absent = build::call("absent", [series.clone()]);
    let absent = times(state, build::aggregate(AggregateOp::Sum, NONE, absent));
    labelled(absent, label, what, "", "")
}

/// The rows of alerts, and one for each missing series; the row `nothing is firing` appears only without any of these.
fn verdict(alerts: Expr, beats: &[(String, Expr)]) -> Expr {
    let silent = beats.iter().map(|beat| silent(beat, ALERT_NAME, NO_DATA));
    let rows = silent.fold(alerts, or);
    let zero = build::call("vector", [build::number("0")]);
    let nothing = labelled(zero, ALERT_NAME, "nothing is firing", "", "");
    build::binary(BinaryOp::Or, rows, nothing).on(NONE).into()
}

const NONE: &[&str] = &[];

fn series(title: &str, expr: Expr, labels: &[String]) -> Series {
    Series {
        title: title.to_owned(),
        query: Query {
            expr,
            labels: labels.to_vec(),
        },
        origin: Origin::Query("the table joins several PromQL queries"),
    }
}

/// A recorded series of an SLO that exists whenever its rules are evaluated.
pub(super) fn rules_beat(scope: &Scope<'_>, slos: &[Slo]) -> Option<(String, Expr)> {
    let series = match slos.first()?.kind {
        crate::plan::SloKind::Events(_) => naming::OBJECTIVE,
        crate::plan::SloKind::Percentile(_) => naming::PERCENTILE_BOUND,
    };
    let all = build::metric(series).matcher(naming::SERVICE, MatchOp::Equal, scope.service);
    Some(("no data from the recording rules".to_owned(), all.into()))
}

pub(super) use objectives::{objectives, worst};

mod objectives;
