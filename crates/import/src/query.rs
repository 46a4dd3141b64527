//! Queries of objectives: the window is spelled `$window`, and the results have labels that are known.

use super::context::Cx;
use slosmith_plan::plan::marker::WINDOW;
use slosmith_promql::{self as promql, Dialect, ast::ExprKind, placeholder, visit};
use slosmith_spec::naming;
use slosmith_text::source::{Span, common_indent};
use slosmith_text::yaml;

/// Five minutes, as long as [`WINDOW`] is, so that every byte keeps its place.
const STAND_IN: &str = "000300s";

#[derive(Clone, Debug)]
pub(super) struct Query {
    /// PromQL over `$window`.
    pub(super) text: String,
    /// The labels of its results; `None` where these are not known.
    pub(super) labels: Option<Vec<String>>,
    pub(super) span: Span,
    pub(super) is_one: bool,
}

/// How queries that an objective cannot be grouped by are put together.
#[derive(Clone, Copy)]
pub(super) enum Combine {
    Sum,
    /// Shares do not.
    Avg,
}

impl Combine {
    fn word(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Avg => "avg",
        }
    }
}

/// A query in which a Go template stands for the window; without one, its reason as a comment.
pub(super) fn over_window(cx: &mut Cx<'_>, text: &yaml::Text) -> Result<Query, String> {
    let mut out = String::new();
    let mut end = 0;
    for at in placeholder::spans(&text.value, Dialect::GoTemplate) {
        let action = &text.value[at.clone()];
        let name = action.trim_matches(['{', '}']).trim_matches('-').trim();
        if !matches!(name, ".window" | "$.window") {
            let what = format!("`{action}` in a query: only `{{{{.window}}}}` is supported");
            return Err(cx.lost(text.map.span(at), what, ""));
        }
        out.push_str(&text.value[end..at.start]);
        out.push_str(WINDOW);
        end = at.end;
    }
    out.push_str(&text.value[end..]);
    check(cx, out, text)
}

/// A query that has `$window` already, which comes from a text of the source.
pub(super) fn check(cx: &mut Cx<'_>, query: String, text: &yaml::Text) -> Result<Query, String> {
    let span = text.span();
    let query = dedent(&query);
    let expr = match promql::parse(&query.replace(WINDOW, STAND_IN)) {
        Ok(expr) => expr,
        Err(error) => {
            let what = format!("invalid PromQL: {}", error.message);
            let help = error.help.unwrap_or_default();
            return Err(cx.lost(span, what, &help));
        }
    };
    if lengths(&expr) < query.matches(WINDOW).count() {
        let what = "`{{.window}}` in a metric name or label: in a spec, `$window` works only as the length of a range";
        return Err(cx.lost(
            span,
            what,
            "write the query of the recording rule instead of the recorded series",
        ));
    }
    if promql::value_type(&expr) == promql::ValueType::Scalar {
        let is_one = matches!(&visit::bare(&expr).kind, ExprKind::Number(n) if n.value == 1.0);
        return Ok(Query {
            text: format!("vector({query})"),
            labels: Some(Vec::new()),
            span,
            is_one,
        });
    }
    if promql::value_type(&expr) != promql::ValueType::Vector {
        let what = "this query must return an instant vector";
        return Err(cx.lost(span, what, ""));
    }
    Ok(Query {
        is_one: query.split_whitespace().collect::<String>() == "vector(1)",
        labels: promql::kept_labels(&expr).names(),
        text: query,
        span,
    })
}

fn lengths(expr: &promql::ast::Expr) -> usize {
    let mut found = 0;
    visit::walk(expr, &mut |node| {
        let length = match &node.kind {
            ExprKind::Range(range) => &range.range,
            ExprKind::Subquery(subquery) => &subquery.range,
            _ => return,
        };
        found += length.text.matches(STAND_IN).count();
    });
    found
}

impl Query {
    pub(super) fn has_window(&self) -> bool {
        self.text.contains(WINDOW)
    }

    pub(super) fn windowless(&self, cx: &mut Cx<'_>) -> String {
        let what = "this query has no `{{.window}}`: every window would get the same value";
        let help = "write `$window` as the length of the ranges";
        cx.lost(self.span, what, help)
    }

    /// The labels by which an objective can be grouped; aggregates the query where it keeps others.
    pub(super) fn grouped(
        &mut self,
        cx: &mut Cx<'_>,
        combine: Combine,
        comments: &mut Vec<String>,
    ) -> Vec<String> {
        let free =
            |label: &String| !naming::RESERVED_LABELS.contains(&label.as_str()) && label != "le";
        let kept = self.labels.clone();
        let by: Vec<String> = kept.iter().flatten().filter(|l| free(l)).cloned().collect();
        if kept.as_ref().is_some_and(|kept| kept.len() == by.len()) {
            return by;
        }
        let what = match &kept {
            None => "the query is not aggregated".to_owned(),
            Some(kept) => {
                let taken: Vec<_> = kept.iter().filter(|l| !free(l)).cloned().collect();
                let taken = taken.join("`, `");
                format!("slosmith sets `{taken}` itself")
            }
        };
        let word = combine.word();
        let what = format!("query wrapped in `{word}(…)` ({what}): one SLO for all series");
        comments.push(cx.changed(self.span, what));
        let by_text = match by.as_slice() {
            [] => String::new(),
            by => format!(" by ({}) ", by.join(", ")),
        };
        self.text = match self.text.contains(['\n', '#']) {
            true => format!("{word}{by_text}(\n  {}\n)", self.text.replace('\n', "\n  ")),
            false => format!("{word}{by_text}({})", self.text),
        };
        self.labels = Some(by.clone());
        by
    }
}

/// The text without what all its lines are indented by.
pub(super) fn dedent(text: &str) -> String {
    let text = text.trim_end();
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    let lines: Vec<&str> = lines.map(str::trim_end).collect();
    let least = common_indent(text);
    let cut = lines
        .iter()
        .map(|line| line.get(least..).unwrap_or_default());
    let text = cut.collect::<Vec<_>>().join("\n");
    text.trim_start().to_owned()
}
