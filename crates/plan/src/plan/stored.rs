//! What Prometheus has of a plan: a signal may be bound to CloudWatch alone.

use std::borrow::Cow;

use super::dashboard::{Dashboard, Panel};
use super::{Alert, Plan, Signal, Slo, Source};
use slosmith_promql::ast::Expr;
use slosmith_promql::visit;

/// Prefix of the family that stands for a signal which only CloudWatch has. No output holds it.
pub const ELSEWHERE: &str = "cloudwatch:";

impl Signal {
    pub fn is_stored(&self) -> bool {
        match &self.source {
            Source::Family(family) => !family.names.newest().starts_with(ELSEWHERE),
            Source::Ratio { of, over, .. } => of.is_stored() && over.is_stored(),
            Source::Raw(_) => true,
        }
    }
}

impl Slo {
    /// True when Prometheus has its signals.
    pub fn is_stored(&self) -> bool {
        self.signals().into_iter().all(Signal::is_stored)
    }
}

impl Alert {
    /// True when Prometheus has its signals.
    pub fn is_stored(&self) -> bool {
        self.condition.signals().into_iter().all(Signal::is_stored)
    }
}

/// True when Prometheus has all that a query reads.
pub fn is_stored(expr: &Expr) -> bool {
    let selectors = visit::selectors(expr).into_iter();
    let mut names = selectors.filter_map(|selector| selector.metric.as_ref());
    !names.any(|name| name.text.starts_with(ELSEWHERE))
}

impl Plan {
    /// What Prometheus and Grafana show of it; `None` where that is nothing.
    pub fn stored(&self) -> Option<Cow<'_, Plan>> {
        let elsewhere = |name: &String| {
            let mut slos = self.slos.iter().filter(|slo| !slo.is_stored());
            slos.any(|slo| slo.name == *name)
        };
        let shown = |panel: &Panel| {
            !panel.objective.as_ref().is_some_and(elsewhere)
                && panel.series.iter().all(|s| is_stored(&s.query.expr))
        };
        let mut panels = self.dashboards.iter().flat_map(Dashboard::panels);
        let is_all = self.slos.iter().all(Slo::is_stored)
            && self.alerts.iter().all(Alert::is_stored)
            && self.records.iter().all(|record| record.signal.is_stored())
            && panels.all(shown);
        if is_all {
            return Some(Cow::Borrowed(self));
        }
        let mut plan = self.clone();
        plan.slos.retain(Slo::is_stored);
        plan.alerts.retain(Alert::is_stored);
        plan.records.retain(|record| record.signal.is_stored());
        for row in plan.dashboards.iter_mut().flat_map(|board| &mut board.rows) {
            row.panels.retain(shown);
        }
        for board in &mut plan.dashboards {
            board.rows.retain(|row| !row.panels.is_empty());
        }
        plan.dashboards.retain(|board| !board.rows.is_empty());
        let is_empty = plan.slos.is_empty()
            && plan.alerts.is_empty()
            && plan.records.is_empty()
            && plan.dashboards.is_empty();
        (!is_empty).then_some(Cow::Owned(plan))
    }
}
