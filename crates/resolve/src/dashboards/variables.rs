//! Variables: labels that filter a dashboard.

use crate::context::Context;
use slosmith_plan::plan::dashboard::{Row, Variable};
use slosmith_plan::plan::marker;
use slosmith_plan::plan::{Dashboard, Family, Signal, Source};
use slosmith_promql::ast::{Expr, MatchOp, Matcher, Selector};
use slosmith_promql::{build, visit};
use slosmith_spec::spec;
use slosmith_text::diag::Diagnostic;

#[derive(Default)]
pub(super) struct Seen(Vec<(Family, Vec<String>)>);

/// Labels that may filter a dashboard: its `variables`, else `group_by` of the service, and the labels of repeated rows.
pub(super) fn wanted(cx: &mut Context<'_>, declared: &spec::Dashboard) -> Vec<String> {
    let spec = cx.spec;
    let named = declared.variables.as_ref();
    for label in named.into_iter().flatten() {
        cx.check_label_name(label);
        cx.check_group_label(label);
        cx.check_slo_label(label);
    }
    let named = named.unwrap_or(&spec.prometheus.group_by);
    let rows = declared.rows.value.iter();
    let repeated = rows.filter_map(|row| row.value.repeat.as_ref());
    let mut wanted: Vec<String> = Vec::new();
    for label in named.iter().chain(repeated) {
        if !wanted.contains(&label.value) {
            wanted.push(label.value.clone());
        }
    }
    wanted
}

pub(super) fn check_used(cx: &mut Context<'_>, declared: &spec::Dashboard, made: &Dashboard) {
    // A signal that has been reported leaves no panel.
    if cx.sink.has_errors() {
        return;
    }
    let rows = declared.rows.value.iter();
    let repeated = rows.filter_map(|row| row.value.repeat.as_ref());
    let named = declared.variables.iter().flatten();
    let named = named.map(|label| (label, "the variable"));
    for (label, what) in named.chain(repeated.map(|label| (label, "`repeat`"))) {
        if !made.variables.iter().any(|v| v.label == label.value) {
            let message = format!("no panel has the label `{label}`: {what} would have no effect");
            let error = Diagnostic::error("unused-variable", label.span, message);
            cx.sink.push(error.help(format!(
                "remove {what}, or add a panel on a signal with this label"
            )));
        }
    }
}

pub(super) fn filtered(signal: &Signal, variables: &[String]) -> Signal {
    let mut signal = signal.clone();
    filter(&mut signal, variables);
    signal
}

fn filter(signal: &mut Signal, variables: &[String]) {
    match &mut signal.source {
        Source::Family(family) => {
            for label in variables.iter().filter(|v| signal.labels.contains(v)) {
                let chosen = (label.clone(), MatchOp::Match, marker::filter(label));
                family.matchers.push(chosen);
            }
            family.matchers.sort_by(|a, b| a.0.cmp(&b.0));
        }
        Source::Ratio { of, over, before } => {
            // The share of one value in all stays the share in all.
            let selects = |part: &Signal, label: &String| {
                let matchers = part.family().map(|family| &family.matchers);
                matchers.is_some_and(|all| all.iter().any(|(name, ..)| name == label))
            };
            let variables = variables.iter();
            let variables: Vec<_> = variables
                .filter(|label| !selects(of, label) || selects(over, label))
                .cloned()
                .collect();
            for part in [Some(of), Some(over), before.as_mut()]
                .into_iter()
                .flatten()
            {
                filter(part, &variables);
            }
        }
        Source::Raw(raw) => filter_author(&mut raw.expr, &signal.labels, variables),
    }
}

/// PromQL of the author's, with the variables that are labels of its result in every selector that has no matcher on them.
/// Only labels that every series of its result has can be filtered by: a selector without the label would be empty.
pub(super) fn filter_author(expr: &mut Expr, labels: &[String], variables: &[String]) {
    let of_result = |label: &&String| labels.contains(label);
    for label in variables.iter().filter(of_result) {
        visit::selectors_mut(expr, &mut |selector| {
            let mut matchers = selector.matchers.iter();
            if matchers.all(|matcher| matcher.label.text != *label) {
                let all = std::mem::replace(selector, build::metric(""));
                *selector = all.matcher(label, MatchOp::Match, &marker::filter_or_none(label));
            }
        });
    }
}

/// A recorded series, filtered by the variables that it has the labels for.
pub(super) fn filtered_series(
    series: Selector,
    labels: &[String],
    variables: &[String],
) -> Selector {
    let known = variables.iter().filter(|v| labels.contains(v));
    known.fold(series, |series, label| {
        series.matcher(label, MatchOp::Match, &marker::filter(label))
    })
}

impl Seen {
    pub(super) fn add(&mut self, signal: &Signal) {
        match &signal.source {
            Source::Family(family) => self.0.push((family.clone(), signal.labels.clone())),
            Source::Ratio { of, over, .. } => {
                self.add(of);
                self.add(over);
            }
            Source::Raw(_) => {}
        }
    }

    /// The variables that some panel uses; each lists only values that fit those before it.
    ///
    /// `own` are the labels that say where the service's series come from.
    pub(super) fn variables(&self, wanted: &[String], rows: &[Row], own: &[&str]) -> Vec<Variable> {
        let mut variables: Vec<Variable> = Vec::new();
        for label in wanted {
            let before: Vec<_> = variables.iter().map(|v| v.label.clone()).collect();
            let panels = rows.iter().flat_map(|row| &row.panels);
            let mut shown = panels.flat_map(|panel| &panel.series);
            let Some(filtered) = shown.find_map(|s| filtered_by(&s.query.expr, label, &before))
            else {
                continue;
            };
            let source = self.source(label);
            let series = source
                .map(|(family, labels)| filtered_series(any_name(family, own), labels, &before));
            variables.push(Variable {
                label: label.clone(),
                series: series.unwrap_or(filtered),
            });
        }
        variables
    }

    /// A family with the label; best one that is there under a single name and from start-up.
    fn source(&self, label: &str) -> Option<&(Family, Vec<String>)> {
        let having = || {
            self.0
                .iter()
                .filter(|(_, labels)| labels.iter().any(|l| l == label))
        };
        let plain =
            |family: &Family| family.names.len() == 1 && family.kind == spec::FamilyKind::Gauge;
        let engine = |family: &Family| family.served.iter().all(|name| name.starts_with("vllm:"));
        having()
            .find(|(family, _)| family.recorded && plain(family))
            .or_else(|| having().find(|(family, _)| engine(family) && family.names.len() == 1))
            .or_else(|| having().find(|(family, _)| family.names.len() == 1))
            .or_else(|| having().next())
    }
}

/// The first series of a query that a label filters, without its filters by labels other than those before it.
fn filtered_by(expr: &Expr, label: &str, before: &[String]) -> Option<Selector> {
    let is_filter = |matcher: &Matcher| {
        let label = &matcher.label.text;
        [marker::filter(label), marker::filter_or_none(label)].contains(&matcher.value.value)
    };
    let mut selectors = visit::selectors(expr).into_iter();
    let found = selectors.find(|selector| {
        let mut matchers = selector.matchers.iter();
        matchers.any(|matcher| matcher.label.text == label && is_filter(matcher))
    })?;
    let kept = found.matchers.iter();
    let kept = kept.filter(|m| !is_filter(m) || before.contains(&m.label.text));
    Some(Selector {
        metric: found.metric.clone(),
        matchers: kept.cloned().collect(),
        ..build::metric("")
    })
}

/// The series of a family under every name it has in the range, whatever a signal selects of them: only matchers on the
/// labels in `own` are kept, and the job.
pub(super) fn any_name(family: &Family, own: &[&str]) -> Selector {
    let suffix = family.counted().suffix();
    let names: Vec<_> = family
        .names
        .iter()
        .map(|name| format!("{name}{suffix}"))
        .collect();
    let series = match names.as_slice() {
        [one] => build::metric(one),
        several => Selector {
            metric: None,
            ..build::metric("")
        }
        .matcher("__name__", MatchOp::Match, &several.join("|")),
    };
    let matchers = family.matchers.iter();
    let matchers = matchers.filter(|(label, ..)| label == "job" || own.contains(&label.as_str()));
    series.with_matchers(matchers)
}
