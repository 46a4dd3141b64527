//! Translates Prometheus queries for metrics that an OpenTelemetry collector sends to CloudWatch.
//!
//! ```text
//! histogram_quantile(0.95, sum by (le, model) (rate(ttft_bucket{job="vllm"}[5m])))
//!   → histogram_quantile(0.95, sum by (model) (rate(ttft{"@resource.service.name"="vllm"}[5m])))
//! sum(rate(ttft_bucket{le="0.5"}[5m]))
//!   → histogram_fraction(0, 0.5, sum(rate(ttft[5m]))) * histogram_count(sum(rate(ttft[5m])))
//! ```
//!
//! The collector's receiver makes `job` and `instance` attributes of the resource, and CloudWatch keeps a histogram as
//! samples of one series (AWS: "PromQL querying", "How CloudWatch stores histogram metrics").

use crate::plan::cloudwatch::NotExpressible;
use slosmith_promql::ast::{
    Aggregate, AggregateOp, BinaryOp, Expr, ExprKind, Grouping, MatchOp, Matching, Name, Selector,
};

use slosmith_promql::{Series, build, split_series, visit, with_room};

const RESOURCE: [(&str, &str); 2] = [
    ("job", "@resource.service.name"),
    ("instance", "@resource.service.instance.id"),
];

/// The attribute that has the job's name.
pub(super) const JOB: &str = RESOURCE[0].1;

const LE: &str = "le";

/// Functions whose result for a histogram is a histogram.
const OF_HISTOGRAMS: [&str; 6] = [
    "rate",
    "increase",
    "delta",
    "last_over_time",
    "sum_over_time",
    "avg_over_time",
];

/// The query in CloudWatch's terms. `plain` are names of series that belong to no histogram, whatever they end in.
pub(super) fn translate(query: &Expr, plain: &[String]) -> Result<Expr, NotExpressible> {
    let mut query = query.clone();
    Dialect { plain }.expr(&mut query)?;
    rename_labels(&mut query);
    Ok(query)
}

struct Dialect<'a> {
    plain: &'a [String],
}

impl Dialect<'_> {
    fn expr(&self, expr: &mut Expr) -> Result<(), NotExpressible> {
        if let Some(counted) = self.bucket(expr) {
            *expr = counted;
            return Ok(());
        }
        for child in visit::children_mut(expr) {
            with_room(|| self.expr(child))?;
        }
        match &mut expr.kind {
            ExprKind::Aggregate(aggregate) => without_le(&mut aggregate.grouping),
            ExprKind::Selector(selector) => {
                let series = self.take_suffix(selector)?;
                wrap(expr, series);
            }
            ExprKind::Call(call) => {
                let ranged = call.args.iter_mut().find_map(|arg| match &mut arg.kind {
                    ExprKind::Range(range) => Some(&mut range.selector),
                    _ => None,
                });
                let Some(selector) = ranged else {
                    return Ok(());
                };
                let series = self.take_suffix(selector)?;
                let of_histograms = OF_HISTOGRAMS.contains(&call.function.text.as_str());
                if series != Series::Whole && !of_histograms {
                    return Err(NotExpressible::HistogramSamples(call.function.text.clone()));
                }
                wrap(expr, series);
            }
            _ => {}
        }
        Ok(())
    }

    /// The series of a histogram that a selector selects. Afterwards, the selector selects the whole histogram.
    fn take_suffix(&self, selector: &mut Selector) -> Result<Series, NotExpressible> {
        let Some(name) = &mut selector.metric else {
            return Ok(Series::Whole);
        };
        let (family, series) = self.split(&name.text);
        if series == Series::Bucket && selector.matchers.iter().any(|m| m.label.text == LE) {
            return Err(NotExpressible::SingleBucket(family.to_owned()));
        }
        name.text = family.to_owned();
        Ok(series)
    }

    fn split<'n>(&self, name: &'n str) -> (&'n str, Series) {
        match self.plain.iter().any(|plain| plain == name) {
            true => (name, Series::Whole),
            false => split_series(name),
        }
    }

    /// The count in one bucket, where the expression is a sum of such: there are no buckets, but the share of a
    /// histogram below a bound.
    fn bucket(&self, expr: &Expr) -> Option<Expr> {
        let ExprKind::Aggregate(sum) = &expr.kind else {
            return None;
        };
        let mut bounds = visit::selectors(expr).into_iter();
        let bound = self.bound(bounds.next()?)?;
        let same = |selector: &Selector| self.bound(selector).as_deref() == Some(&bound);
        if sum.op != AggregateOp::Sum || !bounds.all(same) {
            return None;
        }
        let mut whole = expr.clone();
        visit::selectors_mut(&mut whole, &mut |selector| {
            selector.matchers.retain(|m| m.label.text != LE);
            if let Some(name) = &mut selector.metric {
                name.text = split_series(&name.text).0.to_owned();
            }
        });
        let share = [build::number("0"), build::number(bound), whole.clone()];
        let share = build::call("histogram_fraction", share);
        let count = build::call("histogram_count", [whole]);
        Some(build::binary(BinaryOp::Mul, share, count).into())
    }

    fn bound(&self, selector: &Selector) -> Option<String> {
        let (_, series) = self.split(&selector.metric.as_ref()?.text);
        let le = selector.matchers.iter().find(|m| m.label.text == LE)?;
        let text = match le.op {
            MatchOp::Equal => le.value.value.clone(),
            MatchOp::Match => first_spelling(&le.value.value),
            MatchOp::NotEqual | MatchOp::NotMatch => return None,
        };
        let number = text.parse::<f64>().is_ok();
        (series == Series::Bucket && number).then_some(text)
    }
}

/// `1|1\.0` is 1.
fn first_spelling(pattern: &str) -> String {
    let first = pattern.split('|').next().unwrap_or(pattern);
    first.replace('\\', "")
}

fn wrap(expr: &mut Expr, series: Series) {
    let function = match series {
        Series::Count => "histogram_count",
        Series::Sum => "histogram_sum",
        Series::Whole | Series::Bucket | Series::Created => return,
    };
    let inner = std::mem::replace(expr, build::number("0"));
    *expr = build::call(function, [inner]);
}

fn without_le(grouping: &mut Option<Grouping>) {
    if let Some(by) = grouping {
        by.labels.retain(|label| label.text != LE);
    }
    if grouping
        .as_ref()
        .is_some_and(|by| by.labels.is_empty() && !by.without)
    {
        *grouping = None;
    }
}

fn rename_labels(query: &mut Expr) {
    visit::walk_mut(query, &mut |expr| match &mut expr.kind {
        ExprKind::Selector(selector) => rename_matchers(selector),
        ExprKind::Range(range) => rename_matchers(&mut range.selector),
        ExprKind::Aggregate(Aggregate {
            grouping: Some(by), ..
        }) => rename_all(&mut by.labels),
        ExprKind::Binary(binary) => {
            if let Some(Matching { labels, group, .. }) = &mut binary.matching {
                rename_all(labels);
                group
                    .iter_mut()
                    .for_each(|group| rename_all(&mut group.include));
            }
        }
        _ => {}
    });
}

fn rename_matchers(selector: &mut Selector) {
    selector
        .matchers
        .iter_mut()
        .for_each(|matcher| rename(&mut matcher.label));
}

fn rename_all(names: &mut [Name]) {
    names.iter_mut().for_each(rename);
}

fn rename(name: &mut Name) {
    if let Some((_, attribute)) = RESOURCE.iter().find(|(label, _)| *label == name.text) {
        *name = (*attribute).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use slosmith_promql::parse;

    /// Queries with their translation; `tools/otlp-check` evaluates both with Prometheus.
    const QUERIES: &str = include_str!("../../../../tests/fixtures/cloudwatch/otlp-queries.json");

    #[derive(Deserialize)]
    struct Pair {
        what: String,
        prometheus: String,
        cloudwatch: String,
    }

    fn translated(query: &str) -> Result<String, NotExpressible> {
        let query = parse(query).expect("a query");
        translate(&query, &["retry_count".to_owned()]).map(|query| query.to_string())
    }

    #[test]
    fn queries_ask_for_histograms_and_attributes_of_resources() {
        let pairs: Vec<Pair> = serde_json::from_str(QUERIES).expect("pairs");
        for pair in pairs {
            let found = translated(&pair.prometheus);
            assert_eq!(
                found.as_deref(),
                Ok(pair.cloudwatch.as_str()),
                "{}",
                pair.what
            );
            parse(&pair.cloudwatch).expect("what is written can be read");
        }
    }

    #[test]
    fn what_only_buckets_have_cannot_be_asked_for() {
        for (query, why) in [
            (
                "rate(a_bucket{le=\"1\"}[5m])",
                NotExpressible::SingleBucket("a".into()),
            ),
            (
                "max(rate(a_bucket{le=\"1\"}[5m]))",
                NotExpressible::SingleBucket("a".into()),
            ),
            (
                "max_over_time(a_count[5m])",
                NotExpressible::HistogramSamples("max_over_time".into()),
            ),
        ] {
            assert_eq!(translated(query), Err(why), "{query}");
        }
    }
}
