//! The table of SLOs.

use super::{
    ALERT_NAME, NONE, Named, PANEL, RUNBOOK, STATE, Scope, all_at, bin, burn, by_name, column,
    first, hidden, labelled, max, or, page, per_slo, runbook_column, series, silent, times,
    titles_of, value,
};
use crate::naming;
use crate::plan::dashboard::{Cells, Color, Column, Lead, Role, Series, Threshold, Word};
use crate::plan::words::share_digits;
use crate::plan::{BASE_WINDOW, EventSlo, PercentileSlo, Slo, SloKind, ValueUnit};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp, Selector};
use crate::promql::build;
use crate::query;
use crate::spec::Stat;
use crate::units::{Duration, Number, Unit, decimal, shown};

/// Label of a row: the objective.
const TARGET: &str = "target";

/// A remaining budget below this is low.
const LOW: Number = Number::new_raw(1, 4);

/// A label set whose events were counted within this time, and are not now, has no data. Later it counts as retired: its
/// remaining budget is known for one more SLO window.
const LOST: Duration = Duration::from_mins(24 * 60);

/// Windows of the shown burn rates, if they are recorded.
const BURN: [Duration; 2] = [Duration::from_mins(60), Duration::from_mins(360)];

/// How far back the beginning of a burn is looked for, and how exactly.
const BEGAN: Duration = Duration::from_mins(6 * 60);
const EXACT: Duration = Duration::from_mins(1);

/// The states of a row and of the whole service, from the best to the worst. Red is a page or a missed promise: an empty budget by
/// itself calls nobody. Blue is unknown.
const STATES: [(u32, &str, Color); 11] = [
    (0, "ok", Color::Green),
    (1, "budget low", Color::Yellow),
    (2, "budget spent", Color::Yellow),
    (BURNING_NOW, "burning now", Color::Yellow),
    (TICKET, "ticket alert fires", Color::Orange),
    (5, "burning", Color::Orange),
    (6, "missed", Color::Red),
    (UNKNOWN, "no data", Color::Blue),
    (SILENT, "no data", Color::Blue),
    (FAST, "burning fast", Color::Red),
    (PAGE, "paging alert fires", Color::Red),
];
const BURNING_NOW: u32 = 3;
const TICKET: u32 = 4;
/// No data of one SLO, and of a whole job or of all rules, which explains the first.
const UNKNOWN: u32 = 7;
const SILENT: u32 = 8;
const FAST: u32 = 9;
const PAGE: u32 = 10;

/// Label: the SLO or the alert of the worst state.
const WHAT: &str = "what";

/// Words for all states.
fn words() -> Vec<Word> {
    STATES
        .map(|(n, word, color)| (n, word.to_owned(), color))
        .into()
}

/// The worst state of SLOs, alerts and missing data, and whose it is.
pub(in crate::resolve::dashboards) fn worst(
    scope: &Scope<'_>,
    all: &Shown<'_>,
    named: &[Named<'_>],
    beats: &[(String, Expr)],
) -> (Series, Vec<Word>) {
    let slos: Vec<&Slo> = all.iter().map(|(slo, _)| *slo).collect();
    let labels = scope.labels(&[naming::SLO]);
    let table = Table { scope, labels };
    let of_slos =
        (!slos.is_empty()).then(|| by_name(table.rows(&slos), WHAT, naming::SLO, &titles(&slos)));
    let firing = |number, severity| {
        let alerts = scope.series("ALERTS");
        let alerts = alerts
            .matcher(STATE, MatchOp::Equal, "firing")
            .matcher(naming::TIER, MatchOp::Equal, "")
            .matcher(naming::SEVERITY, severity, scope.page);
        let alerts = max(&scope.labels(&[ALERT_NAME]), alerts);
        all_at(number, titled(alerts, named))
    };
    let missing = beats.iter().map(|beat| silent(beat, WHAT, SILENT));
    let rows = of_slos
        .into_iter()
        .chain([
            firing(PAGE, MatchOp::Equal),
            firing(TICKET, MatchOp::NotEqual),
        ])
        .chain(missing);
    let labels = scope.labels(&[WHAT]);
    let rows = rows.reduce(or).unwrap_or_else(|| build::number("0"));
    let bad = bin(BinaryOp::Gt, max(&labels, rows), build::number("0"));
    let worst = first(AggregateOp::Topk, bad);
    let fine = labelled(
        build::call("vector", [build::number("0")]),
        WHAT,
        "all SLOs and alerts",
        "",
        "",
    );
    let rows = build::binary(BinaryOp::Or, worst, fine).on(NONE);
    (whose(scope, rows), words())
}

/// A value of the verdict. Names begin with the last label.
fn whose(scope: &Scope<'_>, rows: impl Into<Expr>) -> Series {
    let mut labels = scope.labels(&[]);
    labels.push(WHAT.to_owned());
    series("", rows.into(), &labels)
}

/// Sets the label of the verdict to the title of each alert.
fn titled(alerts: Expr, named: &[Named<'_>]) -> Expr {
    let alerts = super::joined(alerts, WHAT, "", &[ALERT_NAME]);
    by_name(alerts, WHAT, ALERT_NAME, &titles_of(named))
}

/// When the verdict began, and with what, in the order of the states: the first paging alert that fires, else missing data, else the first
/// ticket alert, else the SLO that has burned for the longest time.
pub(in crate::resolve::dashboards) fn since(
    scope: &Scope<'_>,
    all: &Shown<'_>,
    named: &[Named<'_>],
    beats: &[(String, Expr)],
) -> Series {
    let slos: Vec<&Slo> = all.iter().map(|(slo, _)| *slo).collect();
    let labels = scope.labels(&[WHAT]);
    let oldest = |expr: Expr| first(AggregateOp::Bottomk, build::min(&labels, expr));
    let firing = |severity| {
        let alerts = |name| {
            scope
                .series(name)
                .matcher(naming::SEVERITY, severity, scope.page)
        };
        let firing = alerts("ALERTS").matcher(STATE, MatchOp::Equal, "firing");
        let began = build::binary(BinaryOp::And, alerts("ALERTS_FOR_STATE"), firing);
        let began = build::min(&scope.labels(&[ALERT_NAME]), began.ignoring(&[STATE]));
        oldest(times(1000, titled(began, named)))
    };
    let table = Table {
        scope,
        labels: scope.labels(&[naming::SLO]),
    };
    let burning = slos.iter().any(|slo| events(slo).is_some()).then(|| {
        let began = by_name(table.burning_since(), WHAT, naming::SLO, &titles(&slos));
        oldest(began)
    });
    let never = build::call("vector", [build::number("0")]);
    let never = labelled(never, WHAT, "nothing fires", "", "");
    let missing = beats.iter().map(|(what, series)| {
        let seen = build::call("timestamp", [series.clone()]);
        let seen = build::subquery(seen, query::time(BEGAN), Some(query::time(EXACT)));
        let last = build::aggregate(AggregateOp::Max, NONE, build::call("max_over_time", [seen]));
        let absent = build::call("absent", [series.clone()]);
        let last = build::binary(BinaryOp::And, times(1000, last), absent).on(NONE);
        labelled(last.into(), WHAT, what, "", "")
    });
    let rows = [firing(MatchOp::Equal)]
        .into_iter()
        .chain(missing)
        .chain([firing(MatchOp::NotEqual)])
        .chain(burning)
        .chain([never]);
    let rows = rows.reduce(|rows, next| build::binary(BinaryOp::Or, rows, next).on(NONE).into());
    whose(scope, rows.unwrap_or_else(|| build::number("0")))
}

/// The SLO whose budget is spent first at the present burn rate, and when; nothing for SLOs without a budget.
pub(in crate::resolve::dashboards) fn spent(scope: &Scope<'_>, all: &Shown<'_>) -> Option<Series> {
    let slos: Vec<&Slo> = all.iter().map(|(slo, _)| *slo).collect();
    let labels = scope.labels(&[WHAT]);
    let table = Table {
        scope,
        labels: scope.labels(&[naming::SLO]),
    };
    let spent = by_name(table.spent_in(&slos)?, WHAT, naming::SLO, &titles(&slos));
    let spent = first(AggregateOp::Bottomk, build::min(&labels, spent));
    let left = build::aggregate(AggregateOp::Max, NONE, table.of(naming::BUDGET_REMAINING));
    let lasting = bin(BinaryOp::Sub, times(0, left), build::number("1"));
    let lasting = labelled(lasting, WHAT, "all budgets last", "", "");
    let rows = build::binary(BinaryOp::Or, spent, lasting).on(NONE);
    Some(whose(scope, rows))
}

/// An SLO and its panel: `uid?viewPanel=5`.
pub(in crate::resolve::dashboards) type Shown<'a> = Vec<(&'a Slo, String)>;

/// All SLOs: one row for each label set.
pub(in crate::resolve::dashboards) fn objectives(
    scope: &Scope<'_>,
    all: &Shown<'_>,
) -> (Vec<Series>, Vec<Column>) {
    let slos: Vec<&Slo> = all.iter().map(|(slo, _)| *slo).collect();
    let labels = scope.labels(&[naming::SLO]);
    let table = Table { scope, labels };
    let mut made = vec![table.state(all, &slos)];
    let mut columns = vec![
        value(0, "State", Cells::Words(words())),
        Column {
            leads_to: Some(Lead::Panel(PANEL.to_owned())),
            ..column(naming::SLO, "SLO", Cells::Text(titles(&slos)))
        },
    ];
    columns.extend(scope.for_column());
    columns.push(column(TARGET, "Objective", Cells::Text(Vec::new())));
    let values = table
        .budgets(&slos)
        .into_iter()
        .chain(table.percentiles(&slos));
    for (made_series, cells) in values {
        columns.push(value(made.len(), &made_series.title, cells));
        made.push(made_series);
    }
    if let Some(spent) = table.spent_in(&slos) {
        columns.push(value(made.len(), "Spent in", Cells::Spent));
        made.push(series("Spent in", spent, &table.labels));
    }
    columns.push(value(made.len(), "Since", Cells::Since));
    made.push(table.since(&slos));
    columns.extend([runbook_column(), hidden(PANEL)]);
    columns.extend(scope.hidden_groups());
    (made, columns)
}

fn titles(slos: &[&Slo]) -> Vec<(String, String)> {
    let titles = slos.iter().map(|slo| (slo.name.clone(), slo.title.clone()));
    titles.collect()
}

fn events(slo: &Slo) -> Option<&EventSlo> {
    match &slo.kind {
        SloKind::Events(events) => Some(events),
        SloKind::Percentile(_) => None,
    }
}

fn percentile(slo: &Slo) -> Option<&PercentileSlo> {
    match &slo.kind {
        SloKind::Percentile(percentile) => Some(percentile),
        SloKind::Events(_) => None,
    }
}

/// An objective in a few words.
fn target(slo: &Slo) -> String {
    match &slo.kind {
        SloKind::Events(events) => {
            format!(
                "{} over {}",
                shown(events.budget.objective, Unit::Ratio),
                slo.period
            )
        }
        SloKind::Percentile(percentile) => {
            let (stat, below) = (Stat::Quantile(percentile.quantile), &percentile.below.1);
            format!("{stat} below {below} ({})", slo.period)
        }
    }
}

fn amount(unit: Unit) -> ValueUnit {
    ValueUnit { unit, per: None }
}

/// A threshold of a column's colours.
fn bound(value: Number, color: Color, upper: bool) -> Threshold {
    Threshold {
        name: String::new(),
        value,
        text: decimal(value),
        role: Role::Advisory,
        color,
        upper,
    }
}

/// The colours of a remaining budget.
fn budget_bounds() -> Vec<Threshold> {
    vec![
        bound(Number::from_integer(0), Color::Orange, false),
        bound(LOW, Color::Yellow, false),
    ]
}

struct Table<'a> {
    scope: &'a Scope<'a>,
    labels: Vec<String>,
}

impl Table<'_> {
    fn of(&self, name: &str) -> Selector {
        self.scope.series(name)
    }

    fn worst(&self, expr: impl Into<Expr>) -> Expr {
        max(&self.labels, expr)
    }

    /// The state of every SLO, with the labels of its row.
    fn state(&self, all: &[(&Slo, String)], slos: &[&Slo]) -> Series {
        let of = |value: &dyn Fn(&Slo, &str) -> String| -> Vec<(String, String)> {
            let all = all.iter();
            all.map(|(slo, panel)| (slo.name.clone(), value(slo, panel)))
                .collect()
        };
        let rows = by_name(
            self.rows(slos),
            TARGET,
            naming::SLO,
            &of(&|slo, _| target(slo)),
        );
        let rows = by_name(
            rows,
            RUNBOOK,
            naming::SLO,
            &of(&|slo, _| page(&slo.links.runbook)),
        );
        let rows = by_name(rows, PANEL, naming::SLO, &of(&|_, panel| panel.to_owned()));
        series("State", self.scope.named(rows), &self.labels)
    }

    /// When the first alert of each SLO that fires now became true; without one, when its budget began to burn.
    fn since(&self, slos: &[&Slo]) -> Series {
        let tiers = |name| {
            let alerts = self.of(name).matcher(naming::SLO, MatchOp::NotEqual, "");
            alerts.matcher(naming::TIER, MatchOp::NotEqual, "")
        };
        let began = build::min(&self.labels, tiers("ALERTS_FOR_STATE"));
        let firing = tiers("ALERTS").matcher(STATE, MatchOp::Equal, "firing");
        let began = build::binary(BinaryOp::And, times(1000, began), firing).on(&self.labels);
        let burns = slos.iter().any(|slo| events(slo).is_some());
        let began = match burns {
            true => or(began.into(), self.burning_since()),
            false => began.into(),
        };
        series("Since", began, &self.labels)
    }

    /// When the budget of each SLO that burns began to burn: the last moment at which it did not.
    fn burning_since(&self) -> Expr {
        let burn = || burn(self.scope, &self.labels, BASE_WINDOW);
        let calm = build::call("timestamp", [bin(BinaryOp::Lt, burn(), build::number("1"))]);
        let calm = build::subquery(calm, query::time(BEGAN), Some(query::time(EXACT)));
        let began = times(1000, build::call("max_over_time", [calm]));
        let burning = bin(BinaryOp::Ge, burn(), build::number("1"));
        bin(BinaryOp::And, began, burning)
    }

    /// The seconds until each budget that burns now is spent: what is left of it, times the SLO window, divided by the burn rate.
    fn spent_in(&self, slos: &[&Slo]) -> Option<Expr> {
        let mut periods: Vec<(Duration, Vec<&str>)> = Vec::new();
        for slo in slos.iter().filter(|slo| events(slo).is_some()) {
            match periods.iter_mut().find(|(known, _)| *known == slo.period) {
                Some((_, names)) => names.push(&slo.name),
                None => periods.push((slo.period, vec![&slo.name])),
            }
        }
        let of = |(period, names): &(Duration, Vec<&str>)| {
            let left = self.of(naming::BUDGET_REMAINING);
            let left = left.matcher(naming::SLO, MatchOp::Match, &names.join("|"));
            let left = build::call("clamp_min", [self.worst(left), build::number("0")]);
            times(u32::try_from(period.as_secs()).unwrap_or(u32::MAX), left)
        };
        let left = periods.iter().map(of).reduce(or)?;
        let burn = burn(self.scope, &self.labels, BASE_WINDOW);
        let burning = bin(BinaryOp::Ge, burn, build::number("1"));
        Some(bin(BinaryOp::Div, left, burning))
    }

    /// The state of every SLO.
    fn rows(&self, slos: &[&Slo]) -> Expr {
        let mut states = Vec::new();
        if slos.iter().any(|slo| events(slo).is_some()) {
            states.extend(self.event_states());
        }
        if slos.iter().any(|slo| percentile(slo).is_some()) {
            states.extend(self.percentile_states());
        }
        let missing = slos.iter().map(|slo| {
            let missing = build::call("vector", [build::number(UNKNOWN.to_string())]);
            labelled(missing, naming::SLO, &slo.name, "", "")
        });
        let known = states.into_iter().reduce(or);
        let rows = missing.fold(known, |rows, missing| {
            Some(match rows {
                Some(rows) => build::binary(BinaryOp::Or, rows, missing)
                    .on(&[naming::SLO])
                    .into(),
                None => missing,
            })
        });
        rows.unwrap_or_else(|| build::number("0"))
    }

    /// The first that holds is the state.
    fn event_states(&self) -> Vec<Expr> {
        let left = || self.worst(self.of(naming::BUDGET_REMAINING));
        let firing = |severity| {
            let alerts = self
                .of("ALERTS")
                .matcher(naming::SLO, MatchOp::NotEqual, "")
                .matcher(naming::TIER, MatchOp::NotEqual, "")
                .matcher(STATE, MatchOp::Equal, "firing");
            self.worst(alerts.matcher(naming::SEVERITY, severity, self.scope.page))
        };
        let burn = burn(self.scope, &self.labels, BASE_WINDOW);
        let burning = bin(BinaryOp::Ge, burn, build::number("1"));
        vec![
            all_at(FAST, firing(MatchOp::Equal)),
            all_at(UNKNOWN, self.lost()),
            all_at(5, firing(MatchOp::NotEqual)),
            all_at(BURNING_NOW, burning),
            all_at(2, bin(BinaryOp::Le, left(), build::number("0"))),
            all_at(1, bin(BinaryOp::Lt, left(), build::number(decimal(LOW)))),
            all_at(0, left()),
        ]
    }

    /// Label sets whose events are no longer counted because all their targets are missing. Without traffic, the rate is 0.
    fn lost(&self) -> Expr {
        let total = || self.of(naming::TOTAL_EVENTS);
        let before = build::call("last_over_time", [query::range(total(), LOST)]);
        let now = self.worst(total());
        build::binary(BinaryOp::Unless, self.worst(before), now).into()
    }

    fn percentile_states(&self) -> Vec<Expr> {
        let value = || self.worst(self.of(naming::PERCENTILE));
        let missed = per_slo(self.scope, BinaryOp::Gt, value(), naming::PERCENTILE_BOUND);
        vec![all_at(6, missed), all_at(0, value())]
    }

    /// Share of good events over the SLO window, remaining budget, burn rates.
    fn budgets(&self, slos: &[&Slo]) -> Vec<(Series, Cells)> {
        let of_events: Vec<_> = slos.iter().filter_map(|slo| events(slo)).collect();
        if of_events.is_empty() {
            return Vec::new();
        }
        let left = || self.worst(self.of(naming::BUDGET_REMAINING));
        let one = || build::number("1");
        let spent = bin(BinaryOp::Sub, one(), left());
        let bad = per_slo(self.scope, BinaryOp::Mul, spent, naming::ERROR_BUDGET);
        let good = bin(BinaryOp::Sub, one(), bad);
        let digits = of_events
            .iter()
            .map(|events| share_digits(events.budget.objective));
        let current = Cells::Share(digits.max().unwrap_or(1));
        let budget = Cells::Number(amount(Unit::Ratio), budget_bounds());
        let mut made = vec![
            (series("Current", good, &self.labels), current),
            (series("Budget left", left(), &self.labels), budget),
        ];
        let recorded = |window: &Duration| {
            let mut ratios = of_events.iter().flat_map(|events| &events.ratios);
            ratios.any(|ratio| ratio.window == *window)
        };
        for window in BURN.into_iter().filter(recorded) {
            let burn = burn(self.scope, &self.labels, window);
            let title = format!("Burn rate {window}");
            let bounds = burn_bounds(&of_events, window);
            made.push((
                series(&title, burn, &self.labels),
                Cells::Number(amount(Unit::Count), bounds),
            ));
        }
        made
    }

    /// The percentiles, in a column for each unit.
    fn percentiles(&self, slos: &[&Slo]) -> Vec<(Series, Cells)> {
        let mut units: Vec<(Unit, Vec<&str>)> = Vec::new();
        for (slo, percentile) in slos.iter().filter_map(|slo| Some((slo, percentile(slo)?))) {
            let unit = percentile.signal.unit;
            match units.iter_mut().find(|(known, _)| *known == unit) {
                Some((_, names)) => names.push(&slo.name),
                None => units.push((unit, vec![&slo.name])),
            }
        }
        let several = units.len() > 1;
        let one = |(unit, names): &(Unit, Vec<&str>)| {
            let all = self.of(naming::PERCENTILE);
            let named = all.matcher(naming::SLO, MatchOp::Match, &names.join("|"));
            let title = match several {
                true => format!("Percentile ({})", unit.as_str()),
                false => "Percentile".to_owned(),
            };
            let cells = Cells::Number(amount(*unit), Vec::new());
            (series(&title, self.worst(named), &self.labels), cells)
        };
        units.iter().map(one).collect()
    }
}

/// Above 1, the budget does not last; above the factor of a tier over this window, an alert can fire.
fn burn_bounds(events: &[&EventSlo], window: Duration) -> Vec<Threshold> {
    let tiers = events.iter().flat_map(|events| &events.tiers);
    let factors = tiers
        .filter(|tier| tier.long == window)
        .map(|tier| tier.factor);
    let lasting = bound(Number::from_integer(1), Color::Yellow, true);
    let called = factors.min().map(|factor| bound(factor, Color::Red, true));
    std::iter::once(lasting).chain(called).collect()
}
