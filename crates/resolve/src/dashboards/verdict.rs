//! The links in the rows of tables: known when all dashboards are finished.

use std::cmp::Ordering;

use super::stored;
use super::tables::{self, Alerting, Burning, Judged, Named, Scope, Verdict};
use super::variables::{any_name, filtered_series};
use crate::context::Context;
use crate::matchers;
use slosmith_plan::plan::dashboard::{Color, Draw, Fact, Panel};
use slosmith_plan::plan::{
    Alert, Bound, Condition, Dashboard, Family, Links, Signal, Slo, Source, ValueUnit, alert, words,
};
use slosmith_plan::query::{self, bin};
use slosmith_promql::ast::{BinaryOp, Expr, MatchOp};
use slosmith_spec::naming;
use slosmith_spec::spec::FamilyKind;
use slosmith_text::units::{Number, Unit, decimal, readable};

pub(crate) fn fill(cx: &Context<'_>, dashboards: &mut [Dashboard], slos: &[Slo], alerts: &[Alert]) {
    // One alert that only CloudWatch has must not empty the tables of the others.
    let (slos, alerts) = (
        stored(slos, Slo::is_stored),
        stored(alerts, Alert::is_stored),
    );
    let places: Vec<_> = slos.iter().map(|slo| place(dashboards, slo)).collect();
    for dashboard in dashboards {
        let variables: Vec<_> = dashboard
            .variables
            .iter()
            .map(|v| v.label.clone())
            .collect();
        let table = Tables {
            cx,
            slos: &slos,
            alerts: &alerts,
            places: &places,
            variables: &variables,
            dashboard: &dashboard.uid,
        };
        let panels = dashboard.rows.iter_mut().flat_map(|row| &mut row.panels);
        table.fill(panels);
    }
}

fn place(dashboards: &[Dashboard], slo: &Slo) -> String {
    let panels = dashboards
        .iter()
        .flat_map(|d| d.panels().map(move |panel| (d, panel)));
    let mut of_slo = panels.filter(|(_, panel)| panel.objective.as_ref() == Some(&slo.name));
    of_slo.next().map_or_else(String::new, |(d, panel)| {
        format!("{}?viewPanel={}", d.uid, panel.id)
    })
}

struct Tables<'a> {
    cx: &'a Context<'a>,
    slos: &'a [Slo],
    alerts: &'a [Alert],
    places: &'a [String],
    variables: &'a [String],
    /// The `uid` of the dashboard.
    dashboard: &'a str,
}

impl Tables<'_> {
    /// There is a panel for each alert, too: what is made of all alerts is made once.
    fn fill<'p>(&self, panels: impl Iterator<Item = &'p mut Panel>) {
        let spec = self.cx.spec;
        let groups: Vec<_> = spec
            .prometheus
            .group_by
            .iter()
            .map(|l| l.value.clone())
            .collect();
        let scope = Scope {
            service: &spec.service.name.value,
            groups: &groups,
            variables: self.variables,
            page: &spec.severities.page.name.value,
            dashboard: self.dashboard,
        };
        let shown = self.slos.iter().zip(self.places.iter().cloned()).collect();
        let (named, beats) = (self.named(), self.beats(&scope));
        let runbooks = spec.links.as_ref().and_then(|l| l.runbooks.as_ref());
        let verdict = Verdict {
            scope: &scope,
            shown: &shown,
            named: &named,
            beats: &beats,
            fine: alert::about_fine(self.slos, self.alerts),
            index: &runbooks.map_or_else(String::new, |url| naming::runbook_index(&url.value)),
        };
        let fact = |series: Option<_>, fact| (series.into_iter().collect(), Draw::Fact(fact));
        for panel in panels {
            (panel.series, panel.draw) = match &panel.draw {
                Draw::Objectives(_) => {
                    let (series, columns) = tables::objectives(&scope, &shown);
                    (series, Draw::Objectives(columns))
                }
                Draw::Verdict(_) => {
                    let (worst, words) = verdict.worst();
                    (vec![worst], Draw::Verdict(words))
                }
                Draw::Fact(Fact::Lasts) => fact(verdict.spent(), Fact::Lasts),
                Draw::Fact(Fact::Since) => fact(Some(verdict.since()), Fact::Since),
                Draw::Fact(Fact::Advice) => fact(Some(verdict.advice()), Fact::Advice),
                Draw::Alerts(_) => {
                    let all = Alerting {
                        named: &named,
                        beats: &beats,
                        judged: self.judged(),
                        burning: self.burning(),
                        severities: self.severities(),
                    };
                    let (series, columns) = tables::alerts(&scope, &all);
                    (series, Draw::Alerts(columns))
                }
                _ => continue,
            };
        }
    }

    fn named(&self) -> Vec<Named<'_>> {
        let of_slos = self.slos.iter().map(|slo| Named {
            name: &slo.alert_name,
            title: format!("{}: error budget", slo.title),
            action: self.action(&slo.title, None, &slo.links),
            links: &slo.links,
        });
        let of_alerts = self.alerts.iter().map(|alert| Named {
            name: &alert.name,
            title: words::about(&alert.condition).unwrap_or_else(|| alert.name.clone()),
            action: self.action(&alert.name, alert.action.as_deref(), &alert.links),
            links: &alert.links,
        });
        of_slos.chain(of_alerts).collect()
    }

    fn action(&self, about: &str, action: Option<&str>, links: &Links) -> String {
        let mut runbooks = self.cx.spec.runbooks.iter();
        let own = runbooks.find(|(name, _)| links.page.as_ref() == Some(&name.value));
        let title = own.map(|(_, runbook)| runbook.title.value.as_str());
        words::action(about, action, title)
    }

    /// The tiers of all SLOs, the fastest first.
    fn burning(&self) -> Vec<Burning> {
        let mut all: Vec<Burning> = Vec::new();
        for slo in self.slos {
            for tier in &slo.events.tiers {
                let burn = format!(
                    "burn rate > {} in {}",
                    decimal(readable(tier.factor)),
                    tier.long
                );
                let bound = (slo.alert_name.clone(), burn);
                match all.iter_mut().find(|known| known.tier == tier.name) {
                    Some(known) => known.bounds.push(bound),
                    None => all.push(Burning {
                        tier: tier.name.clone(),
                        long: tier.long,
                        bounds: vec![bound],
                    }),
                }
            }
        }
        all.sort_by_key(|burning| burning.long);
        all
    }

    fn judged(&self) -> Vec<Judged> {
        let judged = |alert: &Alert| {
            let valued = alert.condition.valued()?;
            let Condition::Compare(compare) = valued else {
                return None;
            };
            let Bound::Fixed(op, bound, _) = &compare.bound else {
                return None;
            };
            let (scale, unit) = written(compare.unit, *bound);
            let value = valued.value().clone();
            Some(Judged {
                alert: alert.name.clone(),
                value: match scale.cmp(&Number::from_integer(1)) {
                    Ordering::Equal => value,
                    Ordering::Greater => bin(BinaryOp::Mul, value, query::number(scale)),
                    Ordering::Less => bin(BinaryOp::Div, value, query::number(scale.recip())),
                },
                bound: *bound * scale,
                upper: op.is_upper(),
                unit,
                text: words::bound(&compare.bound),
            })
        };
        self.alerts.iter().filter_map(judged).collect()
    }

    fn severities(&self) -> Vec<(String, Color)> {
        let declared = &self.cx.spec.severities;
        let color = |name: &str| match name {
            name if name == declared.page.name.value => Color::Red,
            name if name == declared.ticket.name.value => Color::Orange,
            _ => Color::Blue,
        };
        let all = declared.all().map(|severity| severity.name.value.clone());
        all.map(|name| (name.clone(), color(&name))).collect()
    }

    /// For each scrape job of alerts and SLOs, a series that exists while the job does; and one of the rules.
    fn beats(&self, scope: &Scope<'_>) -> Vec<(String, Expr)> {
        let signals = self.slos.iter().flat_map(Slo::signals);
        let signals = signals.chain(self.alerts.iter().flat_map(|a| a.condition.signals()));
        let mut jobs: Vec<(String, &Family, &Signal)> = Vec::new();
        for (family, signal) in signals.flat_map(families) {
            let job = job(family);
            match jobs.iter_mut().find(|(known, ..)| *known == job) {
                Some(known) if rank(family) < rank(known.1) => *known = (job, family, signal),
                Some(_) => {}
                None => jobs.push((job, family, signal)),
            }
        }
        let selector = matchers::of_own_servers(self.cx.spec);
        let own: Vec<_> = selector.iter().map(|(label, ..)| label.as_str()).collect();
        let beat = |(job, family, signal): (String, &Family, &Signal)| {
            let series = filtered_series(any_name(family, &own), &signal.labels, self.variables);
            let from = if job.is_empty() { "the service" } else { &job };
            (format!("no data from {from}"), Expr::from(series))
        };
        let beats = jobs.into_iter().map(beat);
        beats.chain(tables::rules_beat(scope, self.slos)).collect()
    }
}

/// The unit in which people read values near a threshold, and the factor to it: `14.5s`, `139ms`, `98.5%`, `12/min`.
fn written(unit: ValueUnit, bound: Number) -> (Number, String) {
    let one = Number::from_integer(1);
    let (scale, symbol) = match unit.unit {
        Unit::Seconds if bound < one => (Number::from_integer(1000), "ms"),
        Unit::Seconds => (one, "s"),
        Unit::Ratio => (Number::from_integer(100), "%"),
        Unit::Bytes => {
            let sizes = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
            let size = sizes
                .into_iter()
                .map(|(power, name)| (Number::from_integer(1 << power), name))
                .find(|(size, _)| *size <= bound);
            size.map_or((one, "B"), |(size, name)| (one / size, name))
        }
        Unit::Watts => (one, "W"),
        Unit::Celsius => (one, "°C"),
        Unit::Hertz => (one, "Hz"),
        Unit::Money(currency) => (one, currency),
        Unit::Bool | Unit::Count | Unit::Requests | Unit::Tokens | Unit::Flops => (one, ""),
    };
    let time = unit.per.map(|per| format!("/{}", per.name));
    (scale, format!("{symbol}{}", time.unwrap_or_default()))
}

fn families(signal: &Signal) -> Vec<(&Family, &Signal)> {
    match &signal.source {
        Source::Family(family) => vec![(family, signal)],
        Source::Ratio { of, over, .. } => [families(of), families(over)].concat(),
        Source::Raw(_) => Vec::new(),
    }
}

pub(super) fn job(family: &Family) -> String {
    let mut matchers = family.matchers.iter();
    let job = matchers.find(|(label, op, _)| label == "job" && *op == MatchOp::Equal);
    job.map(|(.., value)| value.clone()).unwrap_or_default()
}

/// Gauges exist from start-up; a counter may be missing until its first event.
pub(super) fn rank(family: &Family) -> (bool, u8) {
    let kind = match family.kind {
        FamilyKind::Gauge => 0,
        FamilyKind::Histogram => 1,
        FamilyKind::Counter => 2,
    };
    (family.names.len() > 1, kind)
}
