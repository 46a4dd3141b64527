//! What a series counts already when Prometheus first sees it.
//!
//! `rate` does not see the first value of a series, and forgets a series that ends after one sample. So the first values
//! are recorded at each evaluation, and every window adds those that it holds. A first value counts where the page was
//! read without the series before: of a target that is new to Prometheus, nobody knows when it counted.

use super::gaps::{REMEMBERED, STORED, each_rate};
use super::{bin, family, range, time};
use crate::plan::{Family, slo_series};
use crate::promql::ast::{AggregateOp, BinaryOp, Expr, Selector};
use crate::promql::build;
use crate::units::Duration;

/// What Prometheus records of each target: one where its page was read.
const UP: &str = "up";

/// Where the first values of an objective's series are recorded.
pub struct NewSeries {
    /// The service.
    pub service: String,
    /// The objective.
    pub slo: String,
    /// Labels that identify a target.
    pub target: Vec<String>,
    /// The time from evaluation to evaluation.
    pub every: Duration,
}

/// A window without its start: Prometheus 2 reads the sample there, too.
pub(super) fn open(window: Duration) -> Duration {
    Duration::from_secs(window.as_secs() - 1)
}

/// Events per second, from those recorded of each evaluation in a window.
pub(super) fn inside(recorded: Selector, window: Duration) -> Expr {
    let sum = build::call("sum_over_time", [range(recorded, open(window))]);
    let seconds = build::number(window.as_secs().to_string());
    bin(BinaryOp::Div, sum, seconds)
}

impl NewSeries {
    /// The first values since the last evaluation, per group, from rates of a family.
    pub(super) fn found(&self, rates: Expr, all: &Family) -> Expr {
        each_rate(rates, &mut |selector| self.first(selector, all))
    }

    /// Events per second over a window, with those recorded under a name.
    pub(super) fn with(
        &self,
        events: Expr,
        name: &str,
        window: Duration,
        labels: &[String],
    ) -> Expr {
        let recorded = slo_series(name, &self.service, &self.slo, &self.every.to_string());
        super::sum(labels, bin(BinaryOp::Or, events, inside(recorded, window)))
    }

    /// `min_over_time(m[1m]) unless last_over_time(m[1h] offset 1m)`, and what a process counts again under the labels of
    /// one before it: `rate` sees how much more it is.
    fn first(&self, selector: &Selector, all: &Family) -> Expr {
        let ago = Duration::from_secs(self.every.as_secs() + STORED.as_secs());
        let then = selector.clone().offset(time(ago));
        let now = range(selector.clone().offset(time(STORED)), self.every);
        let first = build::call("min_over_time", [now]);
        let before = build::call("last_over_time", [range(then.clone(), REMEMBERED)]);
        let never = bin(BinaryOp::Unless, first.clone(), before.clone());
        let again = bin(BinaryOp::Le, before, first);
        let again = bin(BinaryOp::Unless, again, then.into());
        let up = range(self.up(all).offset(time(ago)), REMEMBERED);
        let up = build::call("max_over_time", [up]);
        let up = bin(BinaryOp::Eq, up, build::number("1"));
        let page = family::series(all, Some(ago));
        let known = self.of_targets(never, bin(BinaryOp::Or, page.clone(), up));
        let missing = self.missing(selector, all, page);
        bin(BinaryOp::Or, known, bin(BinaryOp::And, again, missing))
    }

    /// Series without which a page was read lately: one with others, or more often than they have samples.
    fn missing(&self, selector: &Selector, all: &Family, page: Expr) -> Expr {
        let lately = Duration::from_secs(2 * self.every.as_secs());
        let over = |function, selector: Selector| {
            build::call(function, [range(selector.offset(time(STORED)), lately)])
        };
        let samples = || over("count_over_time", selector.clone());
        let scrapes = over("sum_over_time", self.up(all));
        let scrapes = super::sum(&self.target, scrapes);
        let fewer = build::binary(BinaryOp::Lt, samples(), scrapes).on(&self.target);
        let fewer = fewer.group_left::<&str>(&[]);
        bin(BinaryOp::Or, fewer.into(), self.of_targets(samples(), page))
    }

    /// Series of these targets.
    fn of_targets(&self, series: Expr, targets: Expr) -> Expr {
        let targets = build::aggregate(AggregateOp::Group, &self.target, targets);
        let both = build::binary(BinaryOp::And, series, targets);
        both.on(&self.target).into()
    }

    /// Whether Prometheus reads a family's targets.
    fn up(&self, all: &Family) -> Selector {
        let known = |label: &str| self.target.iter().any(|target| target == label);
        let matchers = all.matchers.iter().filter(|(label, ..)| known(label));
        matchers.fold(build::metric(UP), |up, (label, op, value)| {
            up.matcher(label, *op, value)
        })
    }
}
