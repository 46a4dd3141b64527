//! Threshold lines that differ from the alert.

use std::collections::BTreeMap;

use crate::artifact::{Artifact, Language, Panel, Query};
use crate::lint::rule::{Check, Findings, ProjectCx, declare_rule};
use slosmith_promql::ast::{Expr, ExprKind};
use slosmith_promql::parse_with;
use slosmith_promql::usage::{Exact, bare, comparisons};
use slosmith_promql::visit::{selectors_mut, walk_mut};
use slosmith_text::diag::{Edit, Fix, Fixes, Group, Severity};
use slosmith_text::source::Span;
use slosmith_text::units::{decimal, parse_decimal};

declare_rule! {
    /// ### What it does
    ///
    /// Compares the only threshold line of a panel with the threshold of an alert on the same query.
    ///
    /// ### Why
    ///
    /// Readers will assume that the alert fires at that line.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// expr: sum(vllm:num_requests_waiting) > 80   # the alert; the panel of the same query has its line at 100
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// expr: sum(vllm:num_requests_waiting) > 80   # the alert; the panel of the same query has its line at 80
    /// ```
    pub const RULE: Rule = Rule {
        name: "threshold-differs-from-alert",
        summary: "the threshold line of a panel differs from the threshold of the alert",
        group: Group::Alert,
        level: Severity::Warning,
        certain: "The rule assumes that a line and an alert on the same query should agree.",
        fixes: Fixes::Unsafe("moves the line to the threshold of the alert"),
        since: "0.1.0",
        check: Check::Project(check),
    };
}

struct Line {
    value: Exact,
    name: String,
    place: Span,
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let mut panels = Vec::new();
    for artifact in cx.artifacts {
        for panel in artifact
            .dashboards
            .iter()
            .flat_map(|dashboard| &dashboard.panels)
        {
            if let (Some(step), Some(query)) = (line(panel), query(artifact, panel)) {
                panels.push((step, query));
            }
        }
    }
    // Alerts are read only when there is a line to compare with.
    if panels.is_empty() {
        return;
    }
    let alerts = alerts(cx.artifacts);
    for (step, query) in panels {
        let shown = parse_with(&query.text, query.dialect).map(|expr| normal(&expr));
        let Some(lines) = shown.ok().and_then(|shown| alerts.get(&shown)) else {
            continue;
        };
        let here = parse_decimal(&step.value.to_string()).ok();
        if here.is_some_and(|here| lines.iter().any(|line| line.value == here)) {
            continue;
        }
        let Some(line) = lines.first() else {
            continue;
        };
        let value = decimal(line.value);
        let message = format!(
            "the threshold line is at {}, but the alert `{}` on the same query has the threshold {value}",
            step.value, line.name
        );
        let finding = out.at(step.span, message).related(line.place, "the alert");
        let title = format!("move the line to {value}");
        let fix = Fix::unsafe_edits(title.clone(), vec![Edit::replace(step.span, value)]);
        out.push(finding.help(title).fix(fix));
    }
}

fn line(panel: &Panel) -> Option<slosmith_text::source::Spanned<f64>> {
    let thresholds = panel.thresholds.as_ref()?;
    let percentage = thresholds.mode.as_deref() == Some("percentage");
    if !thresholds.is_drawn {
        return None;
    }
    let mut values = thresholds.steps.iter().filter_map(|step| step.value);
    let only = values.next().filter(|_| !percentage)?;
    values.next().is_none().then_some(only)
}

fn query<'a>(artifact: &'a Artifact, panel: &Panel) -> Option<&'a Query> {
    let mut queries = panel
        .targets
        .iter()
        .filter_map(|target| artifact.queries.get(target.query?));
    let only = queries
        .next()
        .filter(|query| query.language == Language::PromQl)?;
    queries.next().is_none().then_some(only)
}

fn alerts(artifacts: &[Artifact]) -> BTreeMap<String, Vec<Line>> {
    let mut found: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    for artifact in artifacts.iter().flat_map(Artifact::readings) {
        for alert in &artifact.alerts {
            let query = &artifact.queries[alert.query];
            let Ok(expr) = parse_with(&query.text, query.dialect) else {
                continue;
            };
            let compared = comparisons(&expr);
            let Some(comparison) = compared
                .first()
                .filter(|c| std::ptr::eq(c.expr, &raw const expr))
            else {
                continue;
            };
            let ExprKind::Binary(binary) = &comparison.expr.kind else {
                continue;
            };
            let side = if comparison.constant_on_left {
                &binary.rhs
            } else {
                &binary.lhs
            };
            let lines = found.entry(normal(side)).or_default();
            lines.push(Line {
                value: comparison.constant,
                name: alert.name.value.clone(),
                place: alert.name.span(),
            });
        }
    }
    found
}

/// The query without outer parentheses, window lengths, and matchers on dashboard variables.
fn normal(expr: &Expr) -> String {
    let mut expr = bare(expr).clone();
    walk_mut(&mut expr, &mut |node| {
        if let ExprKind::Range(range) = &mut node.kind {
            range.range.text = "1m".to_owned();
        }
    });
    selectors_mut(&mut expr, &mut |selector| {
        selector
            .matchers
            .retain(|matcher| matcher.value.placeholders.is_empty());
        selector
            .matchers
            .sort_by(|a, b| a.label.text.cmp(&b.label.text));
    });
    expr.to_string()
}
