//! Queries as a page shows them, each with a link that runs it.

use serde::Serialize;

use crate::naming;
use crate::plan::Plan;
use crate::promql::ast::Expr;
use crate::promql::pretty;

/// Columns that a query may take on a page.
const WIDTH: usize = 100;

/// A query, as the templates see it.
#[derive(Debug, Serialize)]
pub(super) struct Query {
    /// What it shows; may be empty.
    title: String,
    /// PromQL, over as many lines as it needs.
    text: String,
    /// Grafana Explore.
    explore: String,
}

/// A query that the text before it explains.
pub(super) fn plain(plan: &Plan, expr: &Expr) -> Query {
    titled(plan, String::new(), expr)
}

/// A query under a title.
pub(super) fn titled(plan: &Plan, title: String, expr: &Expr) -> Query {
    Query {
        title,
        text: pretty(expr, WIDTH),
        explore: naming::explore_url(&plan.service.grafana, &expr.to_string()),
    }
}
