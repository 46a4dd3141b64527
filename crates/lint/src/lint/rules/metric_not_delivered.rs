//! Metrics that never arrive in CloudWatch.

use crate::artifact::NamedMetric;
use crate::lint::delivery::{self, Delivery, Shown};
use crate::lint::listing::Found;
use crate::lint::rule::{Check, Findings, ProjectCx, declare_rule};
use crate::lint::scope::Scope;
use crate::lint::subject::{Meant, Subject, Ties};
use slosmith_catalog::{MetricType, Series};
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics of alarms and dashboards that never arrive in CloudWatch:
    ///
    /// - histograms of vLLM and of recorded services;
    /// - metrics that no declaration selects, if the run also reads a CloudWatch agent configuration for their
    ///   namespace;
    /// - metrics that CloudWatch did not have, if the run reads a file of `slosmith cloudwatch list-metrics` for their
    ///   namespace.
    ///
    /// ### Why
    ///
    /// The alarm never has data. The CloudWatch agent converts counters from `/metrics` output to differences and keeps
    /// gauges unchanged. It drops histograms: no bucket, sum or count arrives.
    ///
    /// ### Example
    ///
    /// ```json
    /// {"MetricName": "vllm:time_to_first_token_seconds", "ExtendedStatistic": "p95"}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```json
    /// {"MetricName": "TTFTMs", "ExtendedStatistic": "p95"}
    /// ```
    ///
    /// Publish the values from the code of the service. Or send the metrics with OpenTelemetry, and write the alarm in
    /// PromQL.
    ///
    /// ### Limits
    ///
    /// CloudWatch lists a metric for two weeks after its last value.
    pub const RULE: Rule = Rule {
        name: "metric-not-delivered",
        summary: "an alarm or a dashboard uses a metric that never arrives in CloudWatch",
        group: Group::CloudWatch,
        level: Severity::Warning,
        certain: "The rule assumes that only the agent of the same run delivers metrics to the namespace.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let mut dropped = Vec::new();
    let resources = cx.artifacts.iter().flat_map(|a| &a.resources);
    for resource in resources {
        for metric in resource.metrics() {
            if metric.namespace.starts_with("AWS/") || !is_histogram(cx.scope, &metric) {
                continue;
            }
            let span = resource.span(&metric.pointer);
            let message = format!(
                "`{}` never arrives in CloudWatch: the agent drops histograms",
                metric.name
            );
            let help = "publish the values from the service itself, or send the metrics with OpenTelemetry and use PromQL";
            out.push(out.at(span, message).help(help));
            dropped.push(span);
        }
    }
    for shown in delivery::shown(cx) {
        let span = shown.resource.span(&shown.metric.pointer);
        if let Some((message, help)) = missing(&shown)
            && !dropped.contains(&span)
        {
            out.push(out.at(span, message).help(help));
        }
    }
}

/// Message and help for a metric that does not arrive.
fn missing(shown: &Shown<'_>) -> Option<(String, String)> {
    let Shown {
        metric, delivery, ..
    } = shown;
    let (name, namespace) = (&metric.name, &metric.namespace);
    match delivery {
        Delivery::Agent(_) | Delivery::Listed(Found::Series(_)) => None,
        Delivery::NoAgent => Some((
            format!("the agent configurations of this run do not deliver `{name}`"),
            "add the metric to `metric_declaration` of the agent configuration".to_owned(),
        )),
        Delivery::Listed(Found::Nothing { date, nearest }) => Some((
            format!("`{name}` had no value in `{namespace}` in the two weeks before {date}"),
            match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "check the name; after its first value, run `slosmith cloudwatch list-metrics` again".to_owned(),
            },
        )),
    }
}

fn is_histogram(scope: &Scope<'_>, metric: &NamedMetric) -> bool {
    match Subject::of(scope, &metric.name, Ties::default()) {
        Subject::Known(known) => match known.part {
            Series::Bucket | Series::Sum | Series::Count => {
                known.shapes.iter().any(|s| s.kind == MetricType::Histogram)
            }
            Series::Whole | Series::Created => false,
        },
        Subject::Unknown(unknown) => matches!(unknown.meant, Meant::Histogram),
        _ => false,
    }
}
