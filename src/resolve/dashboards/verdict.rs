//! The links in the rows of tables: known when all dashboards are finished.

use super::tables::{self, Named, Scope};
use super::variables::{any_name, filtered_series};
use crate::naming;
use crate::plan::dashboard::{Color, Draw, Panel};
use crate::plan::{
    Alert, Bound, Condition, Dashboard, Family, Signal, Slo, SloKind, Source, alert, slo_series,
};
use crate::promql::ast::{BinaryOp, Expr, MatchOp};
use crate::query::{self, bin};
use crate::resolve::context::Context;
use crate::spec::FamilyKind;
use crate::units::Number;

/// Gives the tables of alerts and of SLOs their queries.
pub(in crate::resolve) fn fill(
    cx: &Context<'_>,
    dashboards: &mut [Dashboard],
    slos: &[Slo],
    alerts: &[Alert],
) {
    let places: Vec<_> = slos.iter().map(|slo| place(dashboards, slo)).collect();
    for dashboard in dashboards {
        let variables: Vec<_> = dashboard
            .variables
            .iter()
            .map(|v| v.label.clone())
            .collect();
        let table = Tables {
            cx,
            slos,
            alerts,
            places: &places,
            variables: &variables,
            dashboard: &dashboard.uid,
        };
        let panels = dashboard.rows.iter_mut().flat_map(|row| &mut row.panels);
        panels.for_each(|panel| table.fill(panel));
    }
}

/// The first panel of an SLO; the overview has panels of every SLO.
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
    /// The panel of each SLO.
    places: &'a [String],
    variables: &'a [String],
    /// The `uid` of the dashboard.
    dashboard: &'a str,
}

impl Tables<'_> {
    fn fill(&self, panel: &mut Panel) {
        let mine = matches!(
            panel.draw,
            Draw::Alerts(_) | Draw::Objectives(_) | Draw::Verdict(_)
        );
        if !mine {
            return;
        }
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
        (panel.series, panel.draw) = match panel.draw {
            Draw::Objectives(_) => {
                let shown = self.slos.iter().zip(self.places.iter().cloned()).collect();
                let (series, columns) = tables::objectives(&scope, &shown);
                (series, Draw::Objectives(columns))
            }
            Draw::Verdict(_) => {
                let shown = self.slos.iter().zip(self.places.iter().cloned()).collect();
                let (worst, words) = tables::worst(&scope, &shown, &self.beats(&scope));
                (vec![worst], Draw::Verdict(words))
            }
            _ => {
                let beats = self.beats(&scope);
                let excesses = self.excesses(&scope);
                if !excesses.is_empty() {
                    panel.description =
                        format!("{}\n\n{}", panel.description, tables::MULTIPLE_HELP);
                }
                let (series, columns) =
                    tables::alerts(&scope, &self.named(), &beats, &excesses, &self.severities());
                (series, Draw::Alerts(columns))
            }
        };
    }

    fn named(&self) -> Named<'_> {
        let slos = self
            .slos
            .iter()
            .map(|slo| (slo.alert_name.as_str(), &slo.links));
        let alerts = self
            .alerts
            .iter()
            .map(|alert| (alert.name.as_str(), &alert.links));
        slos.chain(alerts).collect()
    }

    /// For each alert with a fixed threshold, its value divided by the threshold: comparable in every unit.
    fn excesses(&self, scope: &Scope<'_>) -> Vec<(String, Expr)> {
        let of_slos = self.slos.iter().filter_map(|slo| {
            let SloKind::Events(events) = &slo.kind else {
                return None;
            };
            let tiers = events.tiers.iter().map(|tier| {
                let window = tier.long.to_string();
                let ratio = slo_series(naming::ERROR_RATIO, scope.service, &slo.name, &window);
                bin(BinaryOp::Div, ratio.into(), query::number(tier.threshold))
            });
            let all = tiers.reduce(|all, tier| bin(BinaryOp::Or, all, tier))?;
            Some((slo.alert_name.clone(), all))
        });
        let on_values = alert::on_conditions(self.slos, self.alerts).filter_map(|alert| {
            let leading = alert.condition.leading();
            let Condition::Compare(compare) = leading else {
                return None;
            };
            let Bound::Fixed(_, bound, _) = &compare.bound else {
                return None;
            };
            let beyond = bin(
                BinaryOp::Div,
                leading.value().clone(),
                query::number(*bound),
            );
            (*bound != Number::default()).then(|| (alert.name.to_owned(), beyond))
        });
        of_slos.chain(on_values).collect()
    }

    /// Paging alerts are red, ticket alerts orange, others blue.
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
        let selector = self.cx.spec.prometheus.selector.keys();
        let own: Vec<_> = selector.map(|label| label.value.as_str()).collect();
        let beat = |(job, family, signal): (String, &Family, &Signal)| {
            let series = filtered_series(any_name(family, &own), &signal.labels, self.variables);
            let from = if job.is_empty() { "the service" } else { &job };
            (format!("no data from {from}"), Expr::from(series))
        };
        let beats = jobs.into_iter().map(beat);
        beats.chain(tables::rules_beat(scope, self.slos)).collect()
    }
}

/// The families under a signal.
fn families(signal: &Signal) -> Vec<(&Family, &Signal)> {
    match &signal.source {
        Source::Family(family) => vec![(family, signal)],
        Source::Ratio { of, over, .. } => [families(of), families(over)].concat(),
        Source::Raw(_) => Vec::new(),
    }
}

/// The scrape job of a family; empty if no matcher selects one.
fn job(family: &Family) -> String {
    let mut matchers = family.matchers.iter();
    let job = matchers.find(|(label, op, _)| label == "job" && *op == MatchOp::Equal);
    job.map(|(.., value)| value.clone()).unwrap_or_default()
}

/// Gauges exist from start-up; a counter may be missing until its first event.
fn rank(family: &Family) -> (bool, u8) {
    let kind = match family.kind {
        FamilyKind::Gauge => 0,
        FamilyKind::Histogram => 1,
        FamilyKind::Counter => 2,
    };
    (family.names.len() > 1, kind)
}
