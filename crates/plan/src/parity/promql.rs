//! Alarms on PromQL, for metrics that arrive by OpenTelemetry.
//!
//! `histogram_quantile(0.95, …) > 3` for five minutes is evaluated each minute, and pends for 300 seconds.

use super::builder::Builder;
use super::otlp;
use crate::plan::cloudwatch::{NotExpressible, PromQl};
use slosmith_cloudwatch::limits;
use slosmith_promql as promql;
use slosmith_promql::ast::{Expr, ExprKind, MatchOp};
use slosmith_text::units::Duration;

/// How far an evaluation sees, offsets included (AWS: "PromQL limits and restrictions").
const FARTHEST: Duration = Duration::from_secs(7 * 86_400);

/// Seconds between two evaluations.
const INTERVAL: u64 = 60;

impl Builder<'_> {
    /// A query as CloudWatch evaluates it. What it reads is delivered.
    pub(super) fn ask(&mut self, query: &Expr) -> Result<Expr, NotExpressible> {
        if let Some(name) = record(query) {
            return Err(NotExpressible::ReadsRecord(name));
        }
        check_look_back(query)?;
        let query = otlp::translate(query, self.known.plain)?;
        for selector in promql::visit::selectors(&query) {
            if let Some(name) = &selector.metric {
                let job = selector.matchers.iter();
                let mut job = job.filter(|m| m.label.text == otlp::JOB && m.op == MatchOp::Equal);
                let job = job.next().map(|m| m.value.value.clone());
                self.queried.push((name.text.clone(), job));
            }
        }
        Ok(query)
    }
}

pub(super) fn alarm(
    query: &Expr,
    hold: Duration,
    keep: Duration,
) -> Result<PromQl, NotExpressible> {
    let text = query.to_string();
    if text.chars().count() > limits::PROMQL {
        return Err(NotExpressible::QueryTooLong(limits::PROMQL));
    }
    let (wanted, most) = (hold.max(keep), Duration::from_secs(limits::PROMQL_WAIT));
    if wanted > most {
        return Err(NotExpressible::PromQlWait { most, wanted });
    }
    Ok(PromQl {
        query: text,
        pending: hold.as_secs(),
        recovery: keep.as_secs(),
        interval: INTERVAL,
    })
}

fn check_look_back(query: &Expr) -> Result<(), NotExpressible> {
    let seconds = |millis: u64| Duration::from_secs(millis / 1_000);
    let longest = seconds(promql::visit::longest_range(query));
    let most = Duration::from_secs(limits::PROMQL_RANGE);
    if longest > most {
        return Err(NotExpressible::PromQlRange {
            most,
            wanted: longest,
        });
    }
    let far = seconds(look_back(query));
    match far > FARTHEST {
        true => Err(NotExpressible::PromQlBeyond {
            most: FARTHEST,
            wanted: far,
        }),
        false => Ok(()),
    }
}

/// A series named like a recording rule, `level:metric:operation`: `/metrics` outputs have no such series.
fn record(query: &Expr) -> Option<String> {
    let names = promql::visit::selectors(query);
    let names = names.iter().filter_map(|selector| selector.metric.as_ref());
    let mut names = names.map(|name| name.text.as_str());
    let record = names.find(|name| name.matches(':').count() > 1)?;
    Some(record.to_owned())
}

/// Milliseconds from the evaluation to the oldest sample it reads.
fn look_back(expr: &Expr) -> u64 {
    let own = match &expr.kind {
        ExprKind::Range(range) => range.range.millis + shift(range.selector.at.offset.as_ref()),
        ExprKind::Selector(selector) => shift(selector.at.offset.as_ref()),
        ExprKind::Subquery(sub) => sub.range.millis + shift(sub.at.offset.as_ref()),
        _ => 0,
    };
    let inner = promql::visit::children(expr)
        .map(|child| promql::with_room(|| look_back(child)))
        .max()
        .unwrap_or(0);
    u64::try_from(own).unwrap_or(0) + inner
}

fn shift(offset: Option<&promql::ast::Duration>) -> i64 {
    offset.map_or(0, |offset| offset.millis)
}
