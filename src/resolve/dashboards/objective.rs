//! Panels of an objective: what is left of its budget, how fast it burns, how good the service is.

use super::Panels;
use super::panel::{amount, blank};
use super::thresholds::target;
use super::variables::filtered_series;
use crate::naming;
use crate::plan::dashboard::{Color, Origin, Panel, PanelSignal, Role, Series, Size, Threshold};
use crate::plan::{
    BASE_WINDOW, EventSlo, PercentileSlo, Query, Slo, SloKind, recorded, slo_series, words,
};
use crate::promql::ast::{BinaryOp, Expr};
use crate::promql::build;
use crate::query::bin;
use crate::spec::{self, GraphKind};
use crate::units::{Number, Unit, decimal, shown};

/// Columns of a single value beside graphs.
const VALUE: u32 = 4;

/// Columns of a graph beside another one.
const GRAPH: u32 = 10;

/// Lines of both.
const HEIGHT: u32 = 9;

impl Panels<'_, '_> {
    pub(super) fn named_slo(&mut self, p: &spec::Panel) -> Vec<Panel> {
        let Some(name) = &p.slo else {
            return Vec::new();
        };
        let slos = self.slos;
        match slos.iter().find(|slo| slo.name == name.value) {
            Some(slo) => self.slo(slo),
            None => {
                let declared = self.cx.spec.slos.keys();
                if !declared.clone().any(|key| key.value == name.value) {
                    self.unknown("SLO", name, declared.map(|key| key.value.as_str()));
                }
                Vec::new()
            }
        }
    }

    /// All panels of one objective.
    pub(super) fn slo(&mut self, slo: &Slo) -> Vec<Panel> {
        let (value, graphs) = match &slo.kind {
            SloKind::Events(events) => (
                self.budget_left(slo),
                vec![self.burn_rate(slo, events), self.sli(slo, events)],
            ),
            SloKind::Percentile(percentile) => (
                self.percentile(slo, percentile, GraphKind::Number),
                vec![self.percentile(slo, percentile, GraphKind::Timeseries)],
            ),
        };
        let width = if graphs.len() > 1 { GRAPH } else { 2 * GRAPH };
        let sized = |panel, w| Panel {
            size: Size::Fixed(w, HEIGHT),
            ..panel
        };
        let graphs = graphs.into_iter().map(|panel| sized(panel, width));
        std::iter::once(sized(value, VALUE)).chain(graphs).collect()
    }

    fn recorded(&self, slo: &Slo, series: &str, window: Option<String>) -> Expr {
        let service = &self.cx.spec.service.name.value;
        let selector = match window {
            Some(window) => slo_series(series, service, &slo.name, &window),
            None => recorded(
                series,
                &[(naming::SERVICE, service), (naming::SLO, &slo.name)],
            ),
        };
        filtered_series(selector, &slo.labels, &self.variables).into()
    }

    fn budget_left(&self, slo: &Slo) -> Panel {
        let expr = self.recorded(slo, naming::BUDGET_REMAINING, None);
        let step = |percent: i128, color| Threshold {
            value: Number::new(percent, 100),
            text: format!("{percent}%"),
            role: Role::Advisory,
            color,
            upper: false,
        };
        Panel {
            description: format!(
                "Share of the error budget of {} that is left. {}",
                slo.period, slo.description
            ),
            series: vec![one("", expr, slo, Origin::Budget(slo.name.clone()))],
            unit: amount(Unit::Ratio),
            thresholds: vec![step(0, Color::Red), step(25, Color::Yellow)],
            links: runbook(slo),
            ..blank(format!("{}: budget left", slo.title), GraphKind::Number)
        }
    }

    fn burn_rate(&self, slo: &Slo, events: &EventSlo) -> Panel {
        let budget = events.budget.budget;
        let mut windows: Vec<_> = events.tiers.iter().map(|tier| tier.long).collect();
        windows.push(BASE_WINDOW);
        windows.sort();
        windows.dedup();
        let series = windows.iter().map(|window| {
            let ratio = self.recorded(slo, naming::ERROR_RATIO, Some(window.to_string()));
            let burn = bin(BinaryOp::Div, ratio, build::number(decimal(budget)));
            let origin = Origin::Burn(slo.name.clone(), *window);
            one(&window.to_string(), burn, slo, origin)
        });
        let page = &self.cx.spec.severities.page.name.value;
        let mut lines: Vec<_> = events
            .tiers
            .iter()
            .map(|tier| Threshold {
                value: tier.factor,
                text: decimal(tier.factor),
                role: Role::Alert,
                color: if tier.severity == *page {
                    Color::Red
                } else {
                    Color::Orange
                },
                upper: true,
            })
            .collect();
        lines.sort_by_key(|line| line.value);
        lines.dedup_by_key(|line| line.value);
        let tiers: Vec<_> = events
            .tiers
            .iter()
            .map(|t| {
                let factor = decimal(t.factor);
                format!(
                    "- above {factor} over {} and {}: {}",
                    t.long, t.short, t.severity
                )
            })
            .collect();
        Panel {
            description: format!(
                "How many times faster than allowed the error budget is spent; at 1 it lasts exactly {}.\n\n{}",
                slo.period,
                tiers.join("\n")
            ),
            series: series.collect(),
            unit: amount(Unit::Count),
            thresholds: lines,
            alerts: vec![slo.alert_name.clone()],
            links: runbook(slo),
            ..blank(format!("{}: burn rate", slo.title), GraphKind::Timeseries)
        }
    }

    fn sli(&self, slo: &Slo, events: &EventSlo) -> Panel {
        let objective = events.budget.objective;
        let windows = [BASE_WINDOW, slo.period];
        let what = words::counted(&events.sli).trim_start_matches("the ");
        let series = windows.iter().map(|window| {
            let ratio = self.recorded(slo, naming::ERROR_RATIO, Some(window.to_string()));
            one(
                &window.to_string(),
                bin(BinaryOp::Sub, build::number("1"), ratio),
                slo,
                Origin::Good(slo.name.clone(), *window),
            )
        });
        Panel {
            description: format!(
                "Share of good {what} against the objective, {}. {}",
                shown(objective, Unit::Ratio),
                slo.description
            ),
            series: series.collect(),
            unit: amount(Unit::Ratio),
            thresholds: vec![Threshold {
                upper: false,
                ..target(objective, shown(objective, Unit::Ratio))
            }],
            links: runbook(slo),
            ..blank(format!("{}: good {what}", slo.title), GraphKind::Timeseries)
        }
    }

    fn percentile(&self, slo: &Slo, percentile: &PercentileSlo, draw: GraphKind) -> Panel {
        let expr = self.recorded(slo, naming::PERCENTILE, None);
        let below = target(percentile.below.0, percentile.below.1.clone());
        let origin = Origin::Signal(Box::new(PanelSignal {
            signal: percentile.signal.clone(),
            stat: spec::Stat::Quantile(percentile.quantile),
            window: Some(slo.period),
            by: Vec::new(),
        }));
        let mut thresholds = vec![below.clone()];
        if draw == GraphKind::Number {
            // Beyond the target a single value is no longer well.
            thresholds[0].color = Color::Red;
        }
        Panel {
            description: format!(
                "Over {}; the objective is below {}. {}",
                slo.period, percentile.below.1, slo.description
            ),
            series: vec![one("", expr, slo, origin)],
            unit: amount(percentile.signal.unit),
            thresholds,
            links: runbook(slo),
            ..blank(slo.title.clone(), draw)
        }
    }
}

fn one(title: &str, expr: Expr, slo: &Slo, origin: Origin) -> Series {
    Series {
        title: title.to_owned(),
        query: Query {
            expr,
            labels: slo.labels.clone(),
        },
        origin,
    }
}

fn runbook(slo: &Slo) -> Vec<(String, String)> {
    vec![("Runbook".to_owned(), slo.links.runbook.clone())]
}
