//! Queries as a page shows them, each with a link that runs it.

use serde::Serialize;

use slosmith_plan::plan::Plan;
use slosmith_promql::ast::Expr;
use slosmith_promql::pretty;
use slosmith_spec::naming;

/// Columns that a query may take on a page: a phone shows them.
const WIDTH: usize = 46;

const FOLDED_ABOVE: usize = 15;

#[derive(Debug, Serialize)]
pub(super) struct Query {
    title: String,
    text: String,
    folded: bool,
    explore: String,
}

pub(super) fn plain(plan: &Plan, expr: &Expr) -> Query {
    titled(plan, String::new(), expr)
}

pub(super) fn titled(plan: &Plan, title: String, expr: &Expr) -> Query {
    let text = pretty(expr, WIDTH);
    Query {
        title,
        folded: text.lines().count() > FOLDED_ABOVE,
        text,
        explore: match plan.service.grafana.as_str() {
            "" => String::new(),
            root => naming::explore_url(root, &expr.to_string()),
        },
    }
}
