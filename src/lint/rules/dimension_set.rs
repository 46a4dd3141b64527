//! Metrics under dimensions that nobody publishes.

use crate::diag::{Group, Severity};
use crate::lint::delivery;
use crate::lint::project::ProjectCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// Dimensions are a part of a metric's identity: one that is published under `[Cluster, Model]` does not
    /// exist under `[Cluster]`, nor without dimensions. Where the run also reads a configuration of the
    /// CloudWatch agent, the metrics of its namespace that alarms and dashboards show must be among its
    /// declarations, under exactly the dimensions they ask for.
    ///
    /// ```json
    /// {"metric_declaration": [{"metric_selectors": ["^vllm:num_requests_waiting$"], "dimensions": [["Cluster"]]}]}
    /// {"MetricName": "vllm:num_requests_waiting", "Dimensions": []}
    /// ```
    ///
    /// The alarm has no data: add `[]` to the declaration, or `Cluster` to the alarm.
    pub const RULE: Rule = Rule {
        name: "dimension-set",
        summary: "the CloudWatch agent delivers a metric under other dimensions",
        group: Group::CloudWatch,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    for (resource, metric, sets) in delivery::judged(cx) {
        let (Some(sets), shown) = (sets, delivery::shown(&metric.dimensions)) else {
            continue;
        };
        if sets.contains(&metric.dimensions) {
            continue;
        }
        let message = format!("the agent does not deliver `{}` under {shown}", metric.name);
        let known: Vec<_> = sets.iter().map(|set| delivery::shown(set)).collect();
        let finding = out.at(resource.span(&metric.pointer), message);
        out.push(finding.help(format!("it delivers it under {}", known.join(", "))));
    }
}
