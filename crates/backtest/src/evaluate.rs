//! Evaluates the rules of a service at each step of a history.

use std::collections::BTreeMap;

use slosmith_plan::plan::{BASE_WINDOW, Plan, Slo};
use slosmith_plan::query;
use slosmith_promql::ast::{AtOffset, BinaryOp, Expr, ExprKind, Selector};
use slosmith_promql::sampled::{Labels, Model, Record, Row};
use slosmith_promql::{build, visit};
use slosmith_render::target::prometheus::Timed;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, float};

use crate::ask::{Asker, Range, Server};
use crate::error::Error;
use crate::firing::{firings, held};
use crate::plot::{self, Compared, plot};
use crate::prepare::{Prepared, base_ratio, lead, seconds, series};
use crate::readers::{Read, Readers, queries};
use crate::report::{Alert, Firing, Gap, Objective, Plot, Report, Tier};
use crate::tries::{Tries, Try, Variant};
use crate::{curve, needs, split, tries};

/// The least time without data that is reported, in steps.
const GAP: usize = 5;

/// Parts of the time for which the spent budget is told.
const PARTS: i64 = 28;

/// Characters of a query that an error shows: some have kilobytes.
const SHOWN: usize = 200;

/// What the rules of a plan would have done between two times, in seconds since 1970.
///
/// # Errors
///
/// If the server does not answer a query; a piece of the history that is missing for this reason is never taken for no data.
pub fn backtest(
    plan: &Plan,
    server: &dyn Server,
    range: (i64, i64),
    also: Also,
) -> Result<Report, Error> {
    Ok(history(plan, server, range, also)?.report)
}

/// What is found out beside the firings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Also {
    Nothing,
    /// The values of conditions.
    Plots,
    /// The firings with other numbers.
    Tries,
}

/// What [`history`] found.
pub(crate) struct History {
    pub(crate) report: Report,
    /// For each alert of the report, in their order, what it would have done with other numbers.
    pub(crate) tries: Vec<Tries>,
    /// For each SLO, the share of bad events in its worst place: until the time that divides the history, and from then on.
    pub(crate) bad: Vec<[Option<f64>; 2]>,
    pub(crate) divided: i64,
}

/// The same, also with other numbers where these are tried.
pub(crate) fn history(
    plan: &Plan,
    server: &dyn Server,
    (from, to): (i64, i64),
    also: Also,
) -> Result<History, Error> {
    let prepared = Prepared::new(plan, from, to)?;
    let asker = Asker::new(server, prepared.range, &prepared.queries);
    asker.during(|| evaluated(plan, &prepared, &asker, also))
}

fn evaluated(
    plan: &Plan,
    prepared: &Prepared,
    asker: &Asker<'_>,
    also: Also,
) -> Result<History, Error> {
    let Prepared {
        rules,
        order,
        counted,
        range: Range { start, step, .. },
        ..
    } = prepared;
    let (from, to) = (prepared.from, prepared.range.end);
    let steps = prepared.steps();
    let mut run = Run {
        rules,
        asker,
        model: Model::new(*start, *step, steps, false),
        known: BTreeMap::new(),
        answered: 0,
        readers: Readers::of(rules, order, counted),
        has_data: vec![false; steps],
        foreign: None,
        unknown: BTreeMap::new(),
        from,
        to,
    };
    let mut found = Vec::new();
    let mut tries = BTreeMap::new();
    run.find_data()?;
    if run.begins().is_none() {
        return Err(Error::Empty(plan.service.name.clone()));
    }
    for rule in order.iter().copied() {
        if rules[rule].is_alert {
            let (mut alert, local) = run.alert(rule)?;
            if also == Also::Plots
                && let Some(local) = &local
            {
                alert.plots = run.plots(local, &alert);
            }
            if also == Also::Tries
                && let Some(local) = local
            {
                tries.insert(
                    rule,
                    Tries {
                        tries: run.tries(plan, rule, &local),
                        measured: run.measured(&local),
                    },
                );
            }
            found.push((rule, alert));
        } else {
            run.record(rule)?;
        }
        run.forget(rule);
    }
    // Burn-rate alerts first, then in the order of the spec.
    let place = |alert: &Alert| plan.alerts.iter().position(|of| of.name == alert.name);
    found.sort_by_key(|(rule, alert)| (alert.tier.is_none(), place(alert), *rule));
    let objectives = plan.slos.iter().flat_map(|slo| run.objectives(plan, slo));
    let objectives: Vec<_> = objectives.collect();
    let order = found.iter().map(|(rule, _)| rule);
    let tries = order.map(|rule| tries.remove(rule).unwrap_or_default());
    let tries = tries.collect();
    let divided = run.divided();
    let bad = plan.slos.iter().map(|slo| {
        let begin = run.begins().unwrap_or(from).max(from);
        let learned = run.bad_share(plan, slo, divided - begin, divided);
        [learned, run.bad_share(plan, slo, to - divided, to)]
    });
    let bad = bad.collect();
    let mut alerts: Vec<Alert> = found.into_iter().map(|(_, alert)| alert).collect();
    for alert in &mut alerts {
        run.spend(plan, alert, &objectives);
    }
    let report = Report {
        service: plan.service.name.clone(),
        from,
        to,
        step: *step,
        begins: run.begins().filter(|begins| *begins > *start + *step),
        alerts,
        objectives,
        gaps: run.gaps(),
        queries: asker.cost(),
    };
    Ok(History {
        report,
        tries,
        bad,
        divided,
    })
}

struct Run<'a> {
    rules: &'a [Timed],
    asker: &'a Asker<'a>,
    model: Model,
    /// Queries with the name of their series.
    known: BTreeMap<String, String>,
    /// How many queries were answered.
    answered: usize,
    /// How many rules are still to read each query, and each recording rule.
    readers: Readers,
    /// Whether the server has any series at a step.
    has_data: Vec<bool>,
    /// A series of another service that the last rule reads, and that the server does not have.
    foreign: Option<String>,
    /// Recording rules whose values are not known, and why.
    unknown: BTreeMap<usize, String>,
    from: i64,
    to: i64,
}

impl Run<'_> {
    /// An expression that is evaluated here; its other parts are asked of the server.
    fn local(&mut self, expr: &Expr) -> Result<Expr, Error> {
        let rules = self.rules;
        split::local(rules, expr, &mut |part| {
            let query = part.to_string();
            if let Some(name) = self.known.get(&query) {
                return Ok(name.clone());
            }
            self.answered += 1;
            let name = format!("asked:{}", self.answered);
            let rows = self.ask(&query)?;
            if rows.is_empty() {
                self.foreign = self.foreign.take().or_else(|| needs::foreign(part));
            }
            for (mut labels, values) in rows {
                labels.insert("__name__".into(), name.clone());
                self.model.add(labels, values, 1);
            }
            self.known.insert(query, name.clone());
            Ok(name)
        })
    }

    fn ask(&mut self, query: &str) -> Result<Vec<Row>, Error> {
        self.asker.rows(query).map_err(|why| {
            let mut query: String = query.chars().take(SHOWN).collect();
            if query.chars().count() == SHOWN {
                query.push('…');
            }
            Error::Server { query, why }
        })
    }

    /// Finds out when the server has any of the series that the rules read.
    fn find_data(&mut self) -> Result<(), Error> {
        let Some(query) = needs::any_series(self.rules) else {
            return Ok(());
        };
        for (_, values) in self.ask(&query)? {
            for (has, value) in self.has_data.iter_mut().zip(values) {
                *has |= value.is_some();
            }
        }
        Ok(())
    }

    /// Why the value of the last rule is not known, if it reads what another service records.
    fn of_others(&mut self) -> Option<String> {
        let name = self.foreign.take()?;
        Some(format!(
            "it reads `{name}` of another service, which the server does not have"
        ))
    }

    /// Steps from one evaluation of a rule to the next.
    fn steps(&self, rule: &Timed) -> usize {
        usize::try_from(seconds(rule.every) / self.asker.step()).unwrap_or(1)
    }

    /// Why one of the rules that an expression reads is not known.
    fn missing(&self, expr: &Expr) -> Option<String> {
        let mut read = needs::recorded(self.rules, expr).into_iter();
        read.find_map(|rule| self.unknown.get(&rule).cloned())
    }

    /// Removes the series that no later rule reads: a history of weeks has millions of samples.
    fn forget(&mut self, rule: usize) {
        let rules = self.rules;
        for query in queries(rules, &rules[rule].expr) {
            if self.readers.is_last(&Read::Query(query.clone()))
                && let Some(name) = self.known.remove(&query)
            {
                self.model.remove(&[("__name__".to_owned(), name)].into());
            }
        }
        for read in needs::recorded(rules, &rules[rule].expr) {
            if read != rule && self.readers.is_last(&Read::Rule(read)) {
                let mut labels: Labels = rules[read].labels.clone();
                labels.insert("__name__".into(), rules[read].name.clone());
                self.model.remove(&labels);
            }
        }
    }

    fn record(&mut self, rule: usize) -> Result<(), Error> {
        let rules = self.rules;
        let Timed {
            name, labels, expr, ..
        } = &rules[rule];
        if let Some(why) = self.missing(expr) {
            self.unknown.insert(rule, why);
            return Ok(());
        }
        let local = self.local(expr)?;
        if let Some(why) = self.of_others() {
            self.unknown.insert(rule, why);
            return Ok(());
        }
        let record = Record {
            name,
            labels,
            expr: &local,
        };
        let steps = self.steps(&rules[rule]);
        if self.model.record_every(&record, steps).is_none() {
            let why = format!("`{name}` is recorded by a query that only a Prometheus evaluates");
            self.unknown.insert(rule, why);
        }
        Ok(())
    }

    /// What an alert would have done, and its condition as it is evaluated here; none where that is not known.
    fn alert(&mut self, rule: usize) -> Result<(Alert, Option<Expr>), Error> {
        let rules = self.rules;
        let timed = &rules[rule];
        let expr = &timed.expr;
        let lead = lead(rules, rule, true);
        let label = |name: &str| timed.labels.get(name).cloned();
        let mut alert = Alert {
            name: timed.name.clone(),
            severity: label(naming::SEVERITY).unwrap_or_default(),
            tier: label(naming::TIER)
                .zip(label(naming::SLO))
                .map(|(name, slo)| Tier {
                    slo,
                    name,
                    burn_rate: 0.0,
                }),
            unknown: self.missing(expr),
            exact_from: None,
            firings: Vec::new(),
            curve: Vec::new(),
            plots: Vec::new(),
        };
        if alert.unknown.is_some() {
            return Ok((alert, None));
        }
        let local = self.local(expr)?;
        alert.unknown = self.of_others();
        if alert.unknown.is_some() {
            return Ok((alert, None));
        }
        let begins = self.begins().unwrap_or(self.to);
        alert.exact_from =
            Some(begins + lead).filter(|exact| *exact > self.from && begins > self.asker.start());
        let Some(rows) = self.model.results(&local) else {
            alert.unknown =
                Some("the condition is a query that only a Prometheus evaluates".into());
            return Ok((alert, None));
        };
        let times = (timed.hold, timed.keep);
        let between = (self.from, self.to);
        let every = self.steps(timed);
        let rows = self.within(held(rows, every));
        let low = is_low(&local);
        for (labels, values) in &rows {
            let mut own = labels.clone();
            own.retain(|label, _| !timed.labels.contains_key(label));
            let mut all = firings(&self.model, (&own, values), times, between);
            let values = values.iter().copied();
            let first = self.begins().unwrap_or(self.asker.start());
            let mut at_first = values.clone().zip(self.model.times());
            let was_there = at_first.any(|(value, time)| time == first && value.is_some());
            if let Some(firing) = all.first_mut()
                && was_there
            {
                firing.began_before = firing.start <= first + seconds(timed.hold);
            }
            for firing in &mut all {
                firing.peak = self.peak(firing, values.clone(), low);
            }
            alert.firings.extend(all);
        }
        alert
            .firings
            .sort_by(|a, b| (a.start, &a.labels).cmp(&(b.start, &b.labels)));
        if alert.tier.is_none() {
            let fired = |expr: &Expr, hold: Duration| {
                let rows = self.model.results(expr)?;
                let rows = self.within(held(rows, every));
                let of_row = |(labels, values): &Row| {
                    firings(&self.model, (labels, values), (hold, timed.keep), between).len()
                };
                Some(rows.iter().map(of_row).sum())
            };
            alert.curve = curve::curve(&local, timed.hold, fired).unwrap_or_default();
        }
        Ok((alert, Some(local)))
    }

    /// The values of a condition between the begin and the end of the report.
    fn plots(&self, local: &Expr, alert: &Alert) -> Vec<Plot> {
        let first = self.model.times().position(|time| time >= self.from);
        let one = |compared: &Compared| {
            let rows = self.model.results(&compared.value)?;
            let rows = rows
                .into_iter()
                .map(|(labels, values)| (own_labels(&labels), values));
            Some(plot(compared, rows.collect(), first?, &alert.firings))
        };
        let compared = plot::compared(local, alert.tier.is_some());
        compared.iter().filter_map(one).collect()
    }

    /// What an alert would have done with other numbers.
    fn tries(&self, plan: &Plan, rule: usize, local: &Expr) -> Vec<Try> {
        let timed = &self.rules[rule];
        let of_slo = timed
            .labels
            .get(naming::SLO)
            .zip(timed.labels.get(naming::TIER));
        let slo = of_slo.and_then(|(name, _)| plan.slos.iter().find(|slo| slo.name == *name));
        let alert = plan.alerts.iter().find(|alert| alert.name == timed.name);
        let variants = match (slo, alert) {
            (Some(slo), _) => tries::of_tier(slo.events.budget.budget, local, timed.hold),
            (None, Some(alert)) => tries::of_alert(&alert.condition, local, timed.hold),
            (None, None) => Vec::new(),
        };
        let one = |variant: Variant| {
            let rows = self.model.results(&variant.expr)?;
            let times = (variant.hold, timed.keep);
            let mut pages = Vec::new();
            for (labels, values) in self.within(held(rows, self.steps(timed))) {
                let all = firings(&self.model, (&labels, &values), times, (self.from, self.to));
                let interval = |f: Firing| (f.start.max(self.from), f.end.unwrap_or(self.to));
                pages.extend(all.into_iter().map(interval));
            }
            Some(Try {
                change: variant.change,
                pages,
            })
        };
        variants.into_iter().filter_map(one).collect()
    }

    /// When any series of a condition had a value: from when to when.
    fn measured(&self, local: &Expr) -> Vec<(i64, i64)> {
        let mut has = vec![false; self.has_data.len()];
        for selector in visit::selectors(local) {
            let selector = Selector {
                at: AtOffset::default(),
                ..selector.clone()
            };
            let rows = self.model.results(&Expr::from(selector));
            for (_, values) in self.within(rows.unwrap_or_default()) {
                for (has, value) in has.iter_mut().zip(values) {
                    *has |= value.is_some();
                }
            }
        }
        let mut all: Vec<(i64, i64)> = Vec::new();
        for (time, _) in self.model.times().zip(has).filter(|(_, has)| *has) {
            let end = time + self.asker.step();
            match all.last_mut() {
                Some((_, last)) if *last == time => *last = end,
                _ => all.push((time, end)),
            }
        }
        all
    }

    /// The time after two thirds of the history.
    fn divided(&self) -> i64 {
        let begin = self.begins().unwrap_or(self.from).max(self.from);
        let divided = begin + (self.to - begin) * 2 / 3;
        divided - divided.rem_euclid(self.asker.step())
    }

    /// The share of bad events in so many seconds, in the place where it is highest.
    fn bad_share(&self, plan: &Plan, slo: &Slo, length: i64, until: i64) -> Option<f64> {
        let counted = self.events(plan, slo, length, until);
        let shares = counted.values().filter(|[all, _]| *all > 0.0);
        let shares = shares.map(|[all, bad]| bad / all);
        match counted.is_empty() {
            true => self
                .mean(plan, slo, length, until)
                .into_values()
                .reduce(f64::max),
            false => shares.reduce(f64::max),
        }
    }

    /// The mean error ratio of an SLO in so many seconds, by place.
    fn mean(&self, plan: &Plan, slo: &Slo, length: i64, until: i64) -> BTreeMap<Labels, f64> {
        let length = Duration::from_secs(length.unsigned_abs());
        let ratios = query::range(base_ratio(plan, slo), length);
        let mean = build::call("avg_over_time", [ratios]);
        let means = self.model.elements(&mean, until - self.asker.start());
        let means = means.unwrap_or_default().into_iter();
        means
            .map(|(labels, mean)| (own_labels(&labels), mean))
            .collect()
    }

    /// The elements from the begin of the history on: before it, an absence is none.
    fn within(&self, mut rows: Vec<Row>) -> Vec<Row> {
        let first = self.has_data.iter().position(|has| *has).unwrap_or(0);
        for (_, values) in &mut rows {
            values[..first].fill(None);
        }
        rows
    }

    /// The value of a firing that is farthest beyond the threshold.
    fn peak(&self, firing: &Firing, values: impl Iterator<Item = Option<f64>>, low: bool) -> f64 {
        let end = firing.end.unwrap_or(self.to);
        let during = self
            .model
            .times()
            .zip(values)
            .filter(|(time, _)| (firing.start..=end).contains(time));
        let values = during.filter_map(|(_, value)| value);
        let farther = if low { f64::min } else { f64::max };
        values.reduce(farther).unwrap_or(f64::NAN)
    }

    /// The first time with data.
    fn begins(&self) -> Option<i64> {
        let first = self.has_data.iter().position(|has| *has)?;
        self.model.times().nth(first)
    }

    /// Times without data, after the first with data.
    fn gaps(&self) -> Vec<Gap> {
        let times: Vec<i64> = self.model.times().collect();
        let first = self.has_data.iter().position(|has| *has).unwrap_or(0);
        let mut gaps = Vec::new();
        let mut at = first;
        while at < times.len() {
            let length = self.has_data[at..].iter().take_while(|has| !**has).count();
            let ends = at + length;
            if length >= GAP && times[ends - 1] >= self.from {
                let end = times.get(ends).copied().unwrap_or(self.to);
                gaps.push(Gap {
                    from: times[at].max(self.from),
                    to: end,
                });
            }
            at = ends + 1;
        }
        gaps
    }

    /// All events of an SLO and its bad ones over so many seconds, by place; nothing where only their ratio is known.
    fn events(
        &self,
        plan: &Plan,
        slo: &Slo,
        length: i64,
        until: i64,
    ) -> BTreeMap<Labels, [f64; 2]> {
        let window = plan.evaluation.to_string();
        let sums = |name: &str| {
            let length = Duration::from_secs(length.unsigned_abs());
            let range = query::range(series(plan, slo, name, &window), length);
            let sum = build::call("sum_over_time", [range]);
            let elements = self.model.elements(&sum, until - self.asker.start());
            elements.unwrap_or_default().into_iter()
        };
        let part = slo.events.sli.part_events();
        let parts: BTreeMap<_, _> = sums(part).map(|(l, sum)| (own_labels(&l), sum)).collect();
        let both = |(labels, all): (Labels, f64)| {
            let labels = own_labels(&labels);
            let own = parts.get(&labels).copied().unwrap_or(0.0);
            let bad = match part {
                naming::GOOD_EVENTS => (all - own).max(0.0),
                _ => own,
            };
            (labels, [all, bad])
        };
        sums(naming::ALL_EVENTS).map(both).collect()
    }

    fn objectives(&self, plan: &Plan, slo: &Slo) -> Vec<Objective> {
        let begin = self.begins().unwrap_or(self.from).max(self.from);
        let length = self.to - begin;
        let period = seconds(slo.period);
        // The budget of the last SLO window, or its part for the time with data.
        let last = length.min(period);
        let budget = float(slo.events.budget.budget) * period as f64 / last as f64;
        let counted = self.events(plan, slo, length, self.to);
        let objective = |labels: Labels| Objective {
            name: slo.name.clone(),
            labels,
            objective: float(slo.events.budget.objective),
            good: None,
            total: None,
            attained: None,
            budget: None,
            line: Vec::new(),
        };
        if counted.is_empty() {
            let mean = |length: i64| self.mean(plan, slo, length, self.to).into_iter();
            let in_last: BTreeMap<Labels, f64> = mean(last).collect();
            let of_mean = |(labels, mean): (Labels, f64)| Objective {
                attained: Some(1.0 - mean),
                budget: in_last.get(&labels).map(|mean| mean / budget),
                ..objective(labels)
            };
            return mean(length).map(of_mean).collect();
        }
        let parts = (1..=PARTS).map(|part| {
            let length = last * part / PARTS;
            self.events(plan, slo, length, self.to - last + length)
        });
        let parts: Vec<_> = parts.collect();
        let of_count = |(labels, [all, bad]): (Labels, [f64; 2])| {
            let in_last = parts.last().and_then(|part| part.get(&labels));
            let all_in_last = in_last.map_or(0.0, |[all, _]| *all);
            let line = parts.iter().filter(|_| all_in_last > 0.0).map(|part| {
                let bad = part.get(&labels).map_or(0.0, |[_, bad]| *bad);
                bad / (all_in_last * budget)
            });
            let line: Vec<f64> = line.collect();
            Objective {
                good: Some(all - bad),
                total: Some(all),
                attained: (all > 0.0).then(|| 1.0 - bad / all),
                budget: line.last().copied(),
                line,
                ..objective(labels)
            }
        };
        counted.into_iter().map(of_count).collect()
    }

    /// Fills in the burn rates of a tier, and what was spent while it fired.
    fn spend(&self, plan: &Plan, alert: &mut Alert, objectives: &[Objective]) {
        let Some(of) = &mut alert.tier else {
            return;
        };
        let Some(slo) = plan.slos.iter().find(|slo| slo.name == of.slo) else {
            return;
        };
        let budget = float(slo.events.budget.budget);
        if let Some(tier) = slo.events.tiers.iter().find(|tier| tier.name == of.name) {
            of.burn_rate = float(tier.factor);
        }
        for plot in &mut alert.plots {
            plot.scale(1.0 / budget);
        }
        let begin = self.begins().unwrap_or(self.from).max(self.from);
        let periods = seconds(slo.period) as f64 / (self.to - begin) as f64;
        for firing in &mut alert.firings {
            firing.peak /= budget;
            let of_place = |of: &&Objective| of.name == slo.name && of.labels == firing.labels;
            let total = objectives.iter().find(of_place).and_then(|of| of.total);
            // Events are recorded five minutes late.
            let late = |time: i64| (time + seconds(BASE_WINDOW)).min(self.to);
            let (start, end) = (late(firing.start), late(firing.end.unwrap_or(self.to)));
            let during = self.events(plan, slo, end - start, end);
            let bad = during.get(&firing.labels).map(|[_, bad]| *bad);
            firing.spent = total
                .zip(bad)
                .map(|(total, bad)| bad / (total * periods * budget));
        }
    }
}

/// True for a condition on values below a number.
fn is_low(expr: &Expr) -> bool {
    let mut low = None;
    visit::walk(expr, &mut |node| {
        if let ExprKind::Binary(b) = &node.kind
            && b.op.is_comparison()
            && split::is_number(&b.rhs)
        {
            low.get_or_insert(matches!(b.op, BinaryOp::Lt | BinaryOp::Le));
        }
    });
    low == Some(true)
}

/// Labels beside those that every series of an SLO has.
fn own_labels(labels: &Labels) -> Labels {
    let mut own = labels.clone();
    own.retain(|label, _| {
        ![naming::SERVICE, naming::SLO, naming::WINDOW].contains(&label.as_str())
    });
    own
}
