//! Panels of an SLO: remaining error budget, burn rate, share of good events.

use super::Panels;
use super::panel::{blank, names};
use super::thresholds::target;
use super::variables::filtered_series;
use slosmith_plan::plan::dashboard::{
    COLUMNS, Color, Origin, Panel, Role, Series, Size, Threshold,
};
use slosmith_plan::plan::{
    BASE_WINDOW, Query, Slo, Tier, ValueUnit, marker, recorded, slo_series, words,
};
use slosmith_plan::query::{self, bin};
use slosmith_promql::ast::{
    AggregateOp, At, AtOffset, BinaryOp, Expr, ExprKind, Selector, Subquery,
};
use slosmith_promql::build;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, GraphKind};
use slosmith_text::units::{Duration, Unit, decimal, readable, shown};

const HEIGHT: u32 = 9;

/// Burn rates below are noise, and a logarithmic axis has no zero.
const LEAST_BURN: &str = "0.1";

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

    pub(super) fn slo(&mut self, slo: &Slo) -> Vec<Panel> {
        let panels = [self.budget(slo), self.burn_rate(slo), self.sli(slo)];
        let sized = |panel| Panel {
            size: Size::Fixed(COLUMNS / 3, HEIGHT),
            objective: Some(slo.name.clone()),
            ..panel
        };
        panels.map(sized).into()
    }

    fn recorded(&self, slo: &Slo, series: &str, window: Option<String>) -> Expr {
        self.selector(slo, series, window).into()
    }

    fn selector(&self, slo: &Slo, series: &str, window: Option<String>) -> Selector {
        let service = &self.cx.spec.service.name.value;
        let selector = match window {
            Some(window) => slo_series(series, service, &slo.name, &window),
            None => recorded(
                series,
                &[(naming::SERVICE, service), (naming::SLO, &slo.name)],
            ),
        };
        filtered_series(selector, &slo.labels, &self.variables)
    }

    fn budget(&self, slo: &Slo) -> Panel {
        let origin = Origin::Budget(slo.name.clone());
        let (left, even) = match slo.events.counted {
            Some(_) => (self.burn_down(slo), Some(even_use(slo.period))),
            None => (self.recorded(slo, naming::BUDGET_REMAINING, None), None),
        };
        let how = match even {
            Some(_) => format!(
                "Error budget of the last {}: the line starts at 100% and drops with every bad event. Its right end \
                 is the budget left now; the last {BASE_WINDOW} may be missing. Below the dashed line, the budget is being spent too fast.",
                slo.period
            ),
            None => format!(
                "Remaining error budget. Each point covers the previous {}.",
                slo.period
            ),
        };
        let even = even.map(|expr| Series {
            title: "even spending".to_owned(),
            query: Query {
                expr,
                labels: Vec::new(),
            },
            origin: Origin::Query("only PromQL can draw the line of even spending"),
        });
        let left = one("budget left", left, slo, origin);
        Panel {
            description: described(&how, slo),
            series: std::iter::once(left).chain(even).collect(),
            unit: ValueUnit::plain(Unit::Ratio),
            past: Some(slo.period),
            links: runbook(slo),
            ..blank(format!("{}: budget", slo.title), GraphKind::Timeseries)
        }
    }

    /// 1 minus the bad events since the left edge of the graph, divided by the bad events that the whole SLO window allows:
    /// `1 - sum_over_time((bad * (time > begin))[30d:5m]) / (budget * sum_over_time(total[30d:5m] @ end()))`. The recorded
    /// rates cover five minutes; their mean over each step includes every event.
    fn burn_down(&self, slo: &Slo) -> Expr {
        let mean = |series| {
            let series = self.selector(slo, series, Some(BASE_WINDOW.to_string()));
            build::call("avg_over_time", [query::range(series, BASE_WINDOW)])
        };
        let nothing: [&str; 0] = [];
        let time = build::call("vector", [build::call("time", Vec::<Expr>::new())]);
        let since = build::binary(BinaryOp::Gt, time, begin(slo.period)).with_bool();
        let bad = build::binary(BinaryOp::Mul, mean(naming::BAD_EVENTS), since);
        let bad = bad.on(&nothing).group_left(&nothing);
        let sum = |expr: Expr, at| {
            let over = Subquery {
                expr: Box::new(expr),
                range: query::time(slo.period),
                step: Some(query::time(BASE_WINDOW)),
                at: AtOffset {
                    at,
                    ..AtOffset::default()
                },
            };
            build::call(
                "sum_over_time",
                [Expr::from(ExprKind::Subquery(Box::new(over)))],
            )
        };
        let total = sum(mean(naming::TOTAL_EVENTS), Some(At::End));
        let budget = query::number(slo.events.budget.budget);
        let allowed = bin(BinaryOp::Mul, budget, total);
        let spent = bin(
            BinaryOp::Div,
            sum(bad.into(), None),
            query::positive(allowed),
        );
        bin(BinaryOp::Sub, build::number("1"), spent)
    }

    fn burn_rate(&self, slo: &Slo) -> Panel {
        let events = &slo.events;
        let budget = events.budget.budget;
        let mut windows: Vec<_> = events.tiers.iter().map(|tier| tier.long).collect();
        windows.push(BASE_WINDOW);
        windows.sort();
        windows.dedup();
        // Now, and how it came: more lines hide each other.
        windows.truncate(3);
        let series = windows.iter().map(|window| {
            let ratio = self.recorded(slo, naming::ERROR_RATIO, Some(window.to_string()));
            let burn = bin(BinaryOp::Div, ratio, build::number(decimal(budget)));
            let nothing: [&str; 0] = [];
            let worst = build::aggregate(AggregateOp::Max, &nothing, burn);
            let shown = build::call("clamp_min", [worst, build::number(LEAST_BURN)]);
            let origin = Origin::Burn(slo.name.clone(), *window);
            Series {
                query: Query {
                    expr: shown,
                    labels: Vec::new(),
                },
                ..one(&window.to_string(), build::number("0"), slo, origin)
            }
        });
        let page = &self.cx.spec.severities.page.name.value;
        let line = |tier: &Tier| {
            let text = format!("{}x over {}, {}", factor(tier), tier.long, tier.severity);
            let color = match tier.severity == *page {
                true => Color::Red,
                false => Color::Orange,
            };
            Threshold {
                role: Role::Alert,
                ..Threshold::at(tier.factor, text, color, true)
            }
        };
        let mut lines: Vec<_> = events.tiers.iter().map(line).collect();
        lines.sort_by_key(|line| line.value);
        lines.dedup_by_key(|line| line.value);
        let tier = |t: &Tier| {
            let (long, short) = (t.long, t.short);
            format!(
                "- {}: > {} over both {long} and {short}.{}",
                t.severity,
                factor(t),
                words::minimum(events, &t.long.to_string())
            )
        };
        let tiers: Vec<_> = events.tiers.iter().map(tier).collect();
        let alert = match tiers.is_empty() {
            true => String::new(),
            false => format!(
                "\n\nAlert {} fires on these burn rates:\n\n{}",
                slo.alert_name,
                tiers.join("\n")
            ),
        };
        Panel {
            description: format!(
                "Burn rate{}: how fast the error budget is spent. At a burn rate of 1, the budget lasts exactly {}. Values below \
                 {LEAST_BURN} are drawn at {LEAST_BURN}.{alert}",
                in_worst(&slo.labels),
                slo.period,
            ),
            series: series.collect(),
            unit: ValueUnit::plain(Unit::Count),
            thresholds: lines,
            alerts: vec![slo.alert_name.clone()],
            leads: vec![slo.alert_name.clone()],
            links: runbook(slo),
            ..blank(format!("{}: burn rate", slo.title), GraphKind::Timeseries)
        }
    }

    fn sli(&self, slo: &Slo) -> Panel {
        let objective = slo.events.budget.objective;
        let windows = [BASE_WINDOW, slo.period];
        let what = words::counted(&slo.events.sli).trim_start_matches("the ");
        let series = windows.iter().map(|window| {
            let ratio = self.recorded(slo, naming::ERROR_RATIO, Some(window.to_string()));
            one(
                &format!("last {window}"),
                bin(BinaryOp::Sub, build::number("1"), ratio),
                slo,
                Origin::Good(slo.name.clone(), *window),
            )
        });
        Panel {
            description: described(
                &format!(
                    "Share of good {what}: now ({BASE_WINDOW}) and over the SLO window ({}). The SLO is met while the line of the SLO \
                     window is above the objective, {}.",
                    slo.period,
                    shown(objective, Unit::Ratio),
                ),
                slo,
            ),
            series: series.collect(),
            unit: ValueUnit::plain(Unit::Ratio),
            thresholds: vec![Threshold {
                upper: false,
                ..target(objective, shown(objective, Unit::Ratio))
            }],
            links: runbook(slo),
            ..blank(format!("{}: good {what}", slo.title), GraphKind::Timeseries)
        }
    }
}

/// Which value a panel shows for several label sets: `` in the worst selected label set (`cluster`)``.
pub(super) fn in_worst(labels: &[String]) -> String {
    match labels.is_empty() {
        true => String::new(),
        false => format!(" in the worst selected label set ({})", names(labels)),
    }
}

fn factor(tier: &Tier) -> String {
    decimal(readable(tier.factor))
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

/// How to read a panel, then the description of its SLO.
fn described(how: &str, slo: &Slo) -> String {
    [how, &slo.description]
        .map(str::trim)
        .join("\n\n")
        .trim()
        .to_owned()
}

/// Start of the SLO window that ends at the right edge of the graph: `$__to / 1000 - 2592000`.
fn begin(period: Duration) -> Expr {
    let end = bin(
        BinaryOp::Div,
        build::number(marker::END),
        build::number("1000"),
    );
    bin(
        BinaryOp::Sub,
        end,
        build::number(period.as_secs().to_string()),
    )
}

/// A straight line from 100% of the budget at the start of the SLO window to 0% at its end.
fn even_use(period: Duration) -> Expr {
    let time = build::call("vector", [build::call("time", Vec::<Expr>::new())]);
    let passed = bin(BinaryOp::Sub, time, begin(period));
    let share = bin(
        BinaryOp::Div,
        passed,
        build::number(period.as_secs().to_string()),
    );
    bin(BinaryOp::Sub, build::number("1"), share)
}

fn runbook(slo: &Slo) -> Vec<(String, String)> {
    vec![("Runbook".to_owned(), slo.links.runbook.clone())]
}
