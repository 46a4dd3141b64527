//! The table of SLOs.

use super::{
    PANEL, RUNBOOK, STATE, Scope, Shown, all_at, bin, burn, by_name, column, hidden, labelled, max,
    or, page, per_slo, runbook_column, series, times, value,
};
use slosmith_plan::plan::dashboard::{BEGAN, Cells, Color, Column, Lead, Series, Threshold, Word};
use slosmith_plan::plan::words::share_digits;
use slosmith_plan::plan::{BASE_WINDOW, EventSlo, Slo, ValueUnit};
use slosmith_plan::query;
use slosmith_promql::ast::{BinaryOp, Expr, MatchOp, Selector};
use slosmith_promql::build;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, Number, Unit, decimal, shown};

const TARGET: &str = "target";

/// A remaining budget below this is low.
const LOW: Number = Number::new_raw(1, 4);

/// A label set whose events were counted within this time, and are not now, has no data. Later it counts as retired: its
/// remaining budget is known for one more SLO window.
const LOST: Duration = Duration::from_mins(24 * 60);

/// Windows of the shown burn rates, if they are recorded.
const BURN: [Duration; 2] = [Duration::from_mins(60), Duration::from_mins(360)];

/// How exactly the beginning of a state is looked for.
pub(in crate::dashboards) const EXACT: Duration = Duration::from_mins(1);

/// The states of a row and of the whole service, from the best to the worst. Red is a page or a missed promise: an empty budget by
/// itself calls nobody. Blue is unknown.
const STATES: [(u32, &str, Color); 10] = [
    (0, "ok", Color::Green),
    (1, "budget low", Color::Yellow),
    (2, "budget spent", Color::Yellow),
    (BURNING_NOW, "burning now", Color::Yellow),
    (TICKET, "ticket alert fires", Color::Orange),
    (BURNING, "burning", Color::Orange),
    (UNKNOWN, "no data", Color::Blue),
    (SILENT, "no data", Color::Blue),
    (PAGE, "paging alert fires", Color::Red),
    (FAST, "burning fast", Color::Red),
];
const BURNING_NOW: u32 = 3;
pub(super) const TICKET: u32 = 4;
const BURNING: u32 = 5;
/// No data of one SLO, and of a whole job or of all rules, which explains the first.
const UNKNOWN: u32 = 7;
pub(super) const SILENT: u32 = 8;
/// An SLO comes before alerts on causes of the same severity.
pub(super) const PAGE: u32 = 9;
pub(super) const FAST: u32 = 10;

/// Words for all states.
pub(super) fn words() -> Vec<Word> {
    STATES
        .map(|(n, word, color)| (n, word.to_owned(), color))
        .into()
}

/// A state of rows: its number, what has elements while it holds, and the second in which it began.
///
/// Its rank is a number less `began / 1e10`: the next integer is the number, and of two equal states, the one that began first has
/// the higher rank. A state whose begin is too long ago to be known has an integer as its rank.
pub(super) struct State {
    number: u32,
    holds: Expr,
    began: Option<Expr>,
}

/// Seconds that a rank has as 1: some time in 2286.
const ERA: &str = "1e10";

impl State {
    pub(super) fn new(number: u32, holds: Expr, began: Option<Expr>) -> Self {
        let began = began.map(|began| bin(BinaryOp::And, began, holds.clone()));
        Self {
            number,
            holds,
            began,
        }
    }

    /// A state of SLOs that began after the last moment at which they were better.
    fn after(number: u32, better: Expr, holds: Expr) -> Self {
        let last = last_seen(build::call("timestamp", [better]));
        Self::new(number, holds, Some(last))
    }

    /// An SLO burns since its burn rate is above 1, not since an alert noticed: the begin of another state, where that is known.
    fn earlier(self, other: &Self) -> Self {
        let Self {
            number,
            holds,
            began,
        } = self;
        let earlier = other
            .began
            .clone()
            .map(|other| bin(BinaryOp::And, other, holds.clone()));
        Self {
            number,
            began: earlier.into_iter().chain(began).reduce(or),
            holds,
        }
    }

    fn number(&self) -> Expr {
        all_at(self.number, self.holds.clone())
    }

    pub(super) fn ranks(&self) -> impl Iterator<Item = Expr> + use<> {
        let began = self.began.clone().map(|began| {
            let share = bin(BinaryOp::Div, began, build::number(ERA));
            bin(BinaryOp::Sub, build::number(self.number.to_string()), share)
        });
        began.into_iter().chain([self.number()])
    }
}

/// When the states of some ranks began, in milliseconds since 1970; 0 of those that began too long ago.
pub(super) fn began_of(rank: Expr) -> Expr {
    let one = || build::number("1");
    let share = bin(BinaryOp::Sub, one(), bin(BinaryOp::Mod, rank, one()));
    let share = bin(BinaryOp::Mod, build::paren(share), one());
    bin(BinaryOp::Mul, build::number("1e13"), build::paren(share))
}

/// Alerts that fire, and when their conditions became true.
pub(super) fn firing_since(
    number: u32,
    labels: &[String],
    alerts: &dyn Fn(&str) -> Selector,
) -> State {
    let firing = || alerts("ALERTS").matcher(STATE, MatchOp::Equal, "firing");
    let began = build::binary(BinaryOp::And, alerts("ALERTS_FOR_STATE"), firing());
    State {
        number,
        holds: max(labels, firing()),
        began: Some(build::min(labels, began.ignoring(&[STATE]))),
    }
}

/// The latest of some moments, if it is not too long ago.
pub(super) fn last_seen(moments: Expr) -> Expr {
    let moments = build::subquery(moments, query::time(BEGAN), Some(query::time(EXACT)));
    build::call("max_over_time", [moments])
}

/// All SLOs: one row for each label set.
pub(in crate::dashboards) fn objectives(
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
    for (made_series, cells) in table.budgets(&slos) {
        columns.push(value(made.len(), &made_series.title, cells));
        made.push(made_series);
    }
    if let Some(spent) = table.spent_in(&slos) {
        columns.push(value(made.len(), "Budget lasts", Cells::Spent));
        made.push(series("Budget lasts", spent, &table.labels));
    }
    columns.push(value(made.len(), "Since", Cells::Since));
    made.push(table.since(&slos));
    columns.extend([runbook_column(), hidden(PANEL)]);
    columns.extend(scope.hidden_groups());
    (made, columns)
}

pub(super) fn titles(slos: &[&Slo]) -> Vec<(String, String)> {
    let titles = slos.iter().map(|slo| (slo.name.clone(), slo.title.clone()));
    titles.collect()
}

fn target(slo: &Slo) -> String {
    let objective = shown(slo.events.budget.objective, Unit::Ratio);
    format!("{objective} over {}", slo.period)
}

fn bound(value: Number, color: Color, upper: bool) -> Threshold {
    Threshold::at(value, decimal(value), color, upper)
}

fn budget_bounds() -> Vec<Threshold> {
    vec![
        bound(Number::from_integer(0), Color::Orange, false),
        bound(LOW, Color::Yellow, false),
    ]
}

pub(super) struct Table<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) labels: Vec<String>,
}

impl Table<'_> {
    pub(super) fn of(&self, name: &str) -> Selector {
        self.scope.series(name)
    }

    fn worst(&self, expr: impl Into<Expr>) -> Expr {
        max(&self.labels, expr)
    }

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

    fn since(&self, slos: &[&Slo]) -> Series {
        let states = self.states(slos);
        let ranks = states.iter().flat_map(State::ranks).reduce(or);
        let ranks = ranks.unwrap_or_else(|| build::number("0"));
        let bad = bin(BinaryOp::Gt, ranks, build::number("0"));
        series("Since", began_of(bad), &self.labels)
    }

    /// The seconds until each budget that burns now is spent: what is left of it, times the SLO window, divided by the burn rate.
    pub(super) fn spent_in(&self, slos: &[&Slo]) -> Option<Expr> {
        let mut periods: Vec<(Duration, Vec<&str>)> = Vec::new();
        for slo in slos {
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

    fn rows(&self, slos: &[&Slo]) -> Expr {
        let states = self.states(slos);
        self.or_missing(slos, states.iter().map(State::number))
    }

    /// The rank of every SLO.
    pub(super) fn ranks(&self, slos: &[&Slo]) -> Expr {
        let states = self.states(slos);
        self.or_missing(slos, states.iter().flat_map(State::ranks))
    }

    /// The first row of each SLO; one without any has no data.
    fn or_missing(&self, slos: &[&Slo], rows: impl Iterator<Item = Expr>) -> Expr {
        let missing = slos.iter().map(|slo| {
            let missing = build::call("vector", [build::number(UNKNOWN.to_string())]);
            labelled(missing, naming::SLO, &slo.name, "", "")
        });
        let rows = missing.fold(rows.reduce(or), |rows, missing| {
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
    fn states(&self, slos: &[&Slo]) -> Vec<State> {
        if slos.is_empty() {
            return Vec::new();
        }
        let left = |op, than: &str| {
            let left = self.worst(self.of(naming::BUDGET_REMAINING));
            bin(op, left, build::number(than))
        };
        let firing = |number, severity| {
            let alerts = |name: &str| {
                self.of(name)
                    .matcher(naming::SLO, MatchOp::NotEqual, "")
                    .matcher(naming::TIER, MatchOp::NotEqual, "")
                    .matcher(naming::SEVERITY, severity, self.scope.page)
            };
            firing_since(number, &self.labels, &alerts)
        };
        let burn = |op| {
            let burn = burn(self.scope, &self.labels, BASE_WINDOW);
            bin(op, burn, build::number("1"))
        };
        let now = State::after(BURNING_NOW, burn(BinaryOp::Lt), burn(BinaryOp::Ge));
        let low = decimal(LOW);
        let ok = self.worst(self.of(naming::BUDGET_REMAINING));
        vec![
            firing(FAST, MatchOp::Equal).earlier(&now),
            self.lost(),
            firing(BURNING, MatchOp::NotEqual).earlier(&now),
            now,
            State::after(2, left(BinaryOp::Gt, "0"), left(BinaryOp::Le, "0")),
            State::after(1, left(BinaryOp::Ge, &low), left(BinaryOp::Lt, &low)),
            State::new(0, ok, None),
        ]
    }

    /// Label sets whose events are no longer counted because all their targets are missing. Without traffic, the rate is 0.
    fn lost(&self) -> State {
        let total = || self.of(naming::TOTAL_EVENTS);
        let before = build::call("last_over_time", [query::range(total(), LOST)]);
        let now = self.worst(total());
        let holds = build::binary(BinaryOp::Unless, self.worst(before), now);
        let seen = last_seen(build::call("timestamp", [total()]));
        State::new(UNKNOWN, holds.into(), Some(self.worst(seen)))
    }

    /// Share of good events over the SLO window, remaining budget, burn rates.
    fn budgets(&self, slos: &[&Slo]) -> Vec<(Series, Cells)> {
        let of_events: Vec<_> = slos.iter().map(|slo| &slo.events).collect();
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
        let budget = Cells::Number(ValueUnit::plain(Unit::Ratio), budget_bounds());
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
                Cells::Number(ValueUnit::plain(Unit::Count), bounds),
            ));
        }
        made
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
