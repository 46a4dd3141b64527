//! The verdict and the facts beside it: the worst state of the service, for whom and since when it is so, how long the budget lasts,
//! and what to do.

use super::objectives::{
    PAGE, SILENT, State, TICKET, Table, began_of, firing_since, last_seen, titles, words,
};
use super::{
    ALERT_NAME, FOR, NONE, Named, RUNBOOK, Scope, Shown, absent, bin, by_name, first, joined,
    labelled, max, or, series, times, titles_of,
};
use slosmith_plan::plan::dashboard::{CAUSE_FIRST, Series, Word};
use slosmith_plan::plan::{BASE_WINDOW, Slo, words::about_missing};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp};
use slosmith_promql::build;
use slosmith_spec::naming;

/// Label: the SLO or the alert of the worst state.
const WHAT: &str = "what";

/// Label: what to do about it.
const ACTION: &str = "action";

/// What the verdict is made of.
pub(in crate::dashboards) struct Verdict<'a> {
    pub(in crate::dashboards) scope: &'a Scope<'a>,
    pub(in crate::dashboards) shown: &'a Shown<'a>,
    pub(in crate::dashboards) named: &'a [Named<'a>],
    /// Series that always exist, each with the words for its absence.
    pub(in crate::dashboards) beats: &'a [(String, Expr)],
    /// The words for a service without a bad state.
    pub(in crate::dashboards) fine: &'static str,
    /// URL of the index of runbooks.
    pub(in crate::dashboards) index: &'a str,
}

impl<'a> Verdict<'a> {
    /// The worst state of SLOs, alerts and missing data, and whose it is.
    pub(in crate::dashboards) fn worst(&self) -> (Series, Vec<Word>) {
        let state = build::call("ceil", [self.rank()]);
        let state = or_fine(state, "0", WHAT, self.fine);
        (self.whose(state), words())
    }

    /// For whom and since when the worst state is so.
    pub(in crate::dashboards) fn since(&self) -> Series {
        let began = self.scope.named(began_of(self.rank()));
        let rows = labelled(began, FOR, "the whole service", FOR, "");
        series("", or_fine(rows, "-1", FOR, "none"), &[FOR.to_owned()])
    }

    /// What to do about the worst alert on a cause; if none fires, about the worst state.
    pub(in crate::dashboards) fn advice(&self) -> Series {
        let table = self.table();
        let slos = self.slos();
        let of = |name: &str| self.named.iter().find(|named| named.name == name);
        let all = || {
            slos.iter()
                .filter_map(|slo| Some((slo, of(&slo.alert_name)?)))
        };
        let actions = all().map(|(slo, named)| (slo.name.clone(), named.action.clone()));
        let runbooks = all().map(|(slo, _)| (slo.name.clone(), slo.links.runbook.clone()));
        let of_slos = (!slos.is_empty()).then(|| {
            let ranks = by_name(
                table.ranks(&slos),
                ACTION,
                naming::SLO,
                &actions.collect::<Vec<_>>(),
            );
            by_name(ranks, RUNBOOK, naming::SLO, &runbooks.collect::<Vec<_>>())
        });
        let named = || self.named.iter();
        let actions = named().map(|named| (named.name.to_owned(), named.action.clone()));
        let runbooks = named().map(|named| (named.name.to_owned(), named.links.runbook.clone()));
        let before = build::number(CAUSE_FIRST.to_string());
        let alerts = self.alerts().map(|alerts| {
            let ranks = bin(BinaryOp::Add, build::paren(alerts), before);
            let ranks = by_name(ranks, ACTION, ALERT_NAME, &actions.collect::<Vec<_>>());
            by_name(ranks, RUNBOOK, ALERT_NAME, &runbooks.collect::<Vec<_>>())
        });
        let missing = self.missing(ACTION, about_missing);
        let rows = of_slos.into_iter().chain(alerts).chain(missing);
        let worst = build::call("ceil", [self.first(&[ACTION, RUNBOOK], rows)]);
        let rows = self
            .scope
            .named(or_fine(worst, "0", ACTION, "all SLOs and alerts"));
        let rows = labelled(rows, RUNBOOK, self.index, RUNBOOK, "");
        series("", rows, &[FOR.to_owned(), ACTION.to_owned()])
    }

    /// The SLO whose budget is spent first at the present burn rate, and when: those that have some left come before those that have
    /// none.
    pub(in crate::dashboards) fn spent(&self) -> Option<Series> {
        let slos = self.slos();
        let table = self.table();
        let spent = by_name(table.spent_in(&slos)?, WHAT, naming::SLO, &titles(&slos));
        let spent = build::min(&self.scope.labels(&[WHAT]), spent);
        let left = bin(BinaryOp::Gt, spent.clone(), build::number("0"));
        let spent = [left, spent].map(|spent| first(AggregateOp::Bottomk, spent));
        // A budget covers weeks: it does not say that there are events.
        let now = match slos.iter().any(|slo| slo.events.counted.is_some()) {
            true => table.of(naming::TOTAL_EVENTS),
            false => {
                let ratio = table.of(naming::ERROR_RATIO);
                ratio.matcher(naming::WINDOW, MatchOp::Equal, &BASE_WINDOW.to_string())
            }
        };
        let now = build::aggregate(AggregateOp::Max, NONE, now);
        let lasting = bin(BinaryOp::Sub, times(0, now), build::number("1"));
        let lasting = labelled(lasting, WHAT, "all budgets", "", "");
        let rows = spent.into_iter().chain([lasting]);
        let rows =
            rows.reduce(|rows, next| build::binary(BinaryOp::Or, rows, next).on(NONE).into());
        Some(self.whose(rows?))
    }

    fn slos(&self) -> Vec<&'a Slo> {
        self.shown.iter().map(|(slo, _)| *slo).collect()
    }

    fn table(&self) -> Table<'a> {
        Table {
            scope: self.scope,
            labels: self.scope.labels(&[naming::SLO]),
        }
    }

    /// The worst state of SLOs, alerts and missing data as a rank; of several, the one that began first.
    fn rank(&self) -> Expr {
        let slos = self.slos();
        let table = self.table();
        let of_slos = (!slos.is_empty())
            .then(|| by_name(table.ranks(&slos), WHAT, naming::SLO, &titles(&slos)));
        let alerts = self.alerts().map(|alerts| {
            let alerts = joined(alerts, WHAT, "", &[ALERT_NAME]);
            let of_tiers = |name: &str| slos.iter().any(|slo| slo.alert_name == name);
            let mut titles = titles_of(self.named);
            titles.retain(|(name, _)| !of_tiers(name));
            by_name(alerts, WHAT, ALERT_NAME, &titles)
        });
        let missing = self.missing(WHAT, str::to_owned);
        self.first(&[WHAT], of_slos.into_iter().chain(alerts).chain(missing))
    }

    /// The ranks of firing alerts on conditions.
    fn alerts(&self) -> Option<Expr> {
        let firing = |number, severity| {
            let alerts = |name: &str| {
                let all = self.scope.series(name);
                let all = all.matcher(naming::TIER, MatchOp::Equal, "");
                all.matcher(naming::SEVERITY, severity, self.scope.page)
            };
            firing_since(number, &self.scope.labels(&[ALERT_NAME]), &alerts)
        };
        let alerts = [
            firing(PAGE, MatchOp::Equal),
            firing(TICKET, MatchOp::NotEqual),
        ];
        alerts.iter().flat_map(State::ranks).reduce(or)
    }

    /// The ranks of missing series, with words in a label.
    fn missing(&self, label: &str, said: impl Fn(&str) -> String) -> Vec<Expr> {
        let missing = self.beats.iter().flat_map(|(what, series)| {
            let seen = last_seen(build::call("timestamp", [series.clone()]));
            let seen = build::aggregate(AggregateOp::Max, NONE, seen);
            let ranks = State::new(SILENT, absent(series), Some(seen)).ranks();
            ranks.map(|rank| labelled(rank, label, &said(what), "", ""))
        });
        missing.collect()
    }

    /// The row with the highest rank, unless that is fine.
    fn first(&self, own: &[&str], rows: impl Iterator<Item = Expr>) -> Expr {
        let rows = rows.reduce(or).unwrap_or_else(|| build::number("0"));
        let rows = max(&self.scope.labels(own), rows);
        first(
            AggregateOp::Topk,
            bin(BinaryOp::Gt, rows, build::number("0")),
        )
    }

    /// Names begin with the last label.
    fn whose(&self, rows: Expr) -> Series {
        let mut labels = self.scope.labels(&[]);
        labels.push(WHAT.to_owned());
        series("", rows, &labels)
    }
}

/// A value of the verdict; without a bad state, another one.
fn or_fine(rows: Expr, value: &str, label: &str, what: &str) -> Expr {
    let fine = build::call("vector", [build::number(value)]);
    let fine = labelled(fine, label, what, "", "");
    build::binary(BinaryOp::Or, rows, fine).on(NONE).into()
}
