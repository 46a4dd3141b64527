//! Names of lines: the labels that differ, without the labels that all lines share.
//!
//! Most services run in one cluster, and a reader of several chooses one: `p95 llama` says it all, and `p95 llama eu-1` is only
//! better beside `us-1`. Grafana has no such format, but it replaces variables in a legend before it fills in labels. So the legend
//! is `p95 {{model_name}} {{$legend_cluster}}`, and a hidden variable `legend_cluster` is `cluster` where the series shown come from
//! several clusters, and otherwise a label that no series has.

use std::iter::once;

use super::SPELLING;
use super::view::{LegendVariable, Panel};
use slosmith_plan::plan::Dashboard;
use slosmith_plan::plan::dashboard::Variable;
use slosmith_plan::plan::marker;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Duration, Expr, MatchOp};
use slosmith_promql::build;

/// The name of a line with this title and these labels, from the widest to the narrowest.
///
/// The first word is always there: a line without a name would be called like its query.
pub(super) fn name(dashboard: &Dashboard, title: &str, labels: &[String]) -> String {
    let widest = widest(dashboard).map(|variable| &variable.label);
    let mut words: Vec<_> = Some(title.to_owned())
        .filter(|title| !title.is_empty())
        .into_iter()
        .collect();
    // From the narrowest to the widest: the end of a long name is what most of them have in common.
    let others = labels.iter().rev().filter(|label| Some(*label) != widest);
    words.extend(others.map(|label| always(label)));
    if let Some(label) = widest.filter(|label| labels.contains(label)) {
        words.push(match words.is_empty() {
            true => always(label),
            false => reference(label),
        });
    }
    words.join(" ")
}

fn always(label: &str) -> String {
    format!("{{{{{label}}}}}")
}

/// The variable that is named only where its label has several values: the outermost group label.
fn widest(dashboard: &Dashboard) -> Option<&Variable> {
    let (widest, others) = dashboard.variables.split_first()?;
    let name = variable_name(&widest.label);
    let is_free = others.iter().all(|other| other.label != name);
    (!others.is_empty() && is_free).then_some(widest)
}

fn variable_name(label: &str) -> String {
    format!("legend_{label}")
}

fn reference(label: &str) -> String {
    format!("{{{{${}}}}}", variable_name(label))
}

/// The hidden variable, if some legend uses it.
pub(super) fn variable(dashboard: &Dashboard, panels: &[Panel]) -> Option<LegendVariable> {
    let variable = widest(dashboard)?;
    let reference = reference(&variable.label);
    let mut all = panels
        .iter()
        .flat_map(|panel| once(panel).chain(&panel.inside));
    let used = all.any(|panel| {
        panel
            .targets
            .iter()
            .any(|query| query.legend.contains(&reference))
    });
    used.then(|| LegendVariable {
        name: variable_name(&variable.label),
        query: format!("query_result({})", SPELLING.of(&label_to_write(variable))),
    })
}

/// A series whose label `legend` is the label to write, or one that no series has.
///
/// ```promql
/// label_replace(count(group by (cluster) (last_over_time(up{cluster=~"$cluster"}[$__range]))) > 1, "legend", "cluster", "", "")
///   or on () label_replace(vector(1), "legend", "__none__", "", "")
/// ```
fn label_to_write(variable: &Variable) -> Expr {
    let label = &variable.label;
    let series = variable.series.clone();
    let series = series.matcher(label, MatchOp::Match, &marker::filter(label));
    // Keeps the names of the series: a family under two names would otherwise have every series twice.
    let shown = build::call(
        "last_over_time",
        [build::range(series, Duration::placeholder("$__range"))],
    );
    let values = build::aggregate(AggregateOp::Group, &[label], shown);
    let count = build::aggregate::<&str>(AggregateOp::Count, &[], values);
    let several = build::binary(BinaryOp::Gt, count, build::number("1"));
    let always = build::call("vector", [build::number("1")]);
    let written = |expr: Expr, label: &str| {
        let texts = ["legend", label, "", ""].map(build::string);
        build::call("label_replace", once(expr).chain(texts))
    };
    let or = build::binary(
        BinaryOp::Or,
        written(several.into(), label),
        written(always, "__none__"),
    );
    or.on::<&str>(&[]).into()
}
