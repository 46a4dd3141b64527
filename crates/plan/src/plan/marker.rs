//! Markers: the parts of a dashboard's queries that each back end spells in its own way.
//!
//! `rate(x{model_name=~"$__filter:model_name"}[$__zoom])` is in the plan; Grafana's file has
//! `rate(x{model_name=~"$model_name"}[$__rate_interval])`.

use slosmith_promql::ast::{Duration, Expr, ExprKind};
use slosmith_promql::visit;

/// The window that follows the zoom of a graph, as a length of time.
pub const ZOOM: &str = "$__zoom";

/// The window of an objective in PromQL of the author's.
pub const WINDOW: &str = "$window";

/// A query whose windows are all known.
pub fn at_window(expr: &Expr, window: slosmith_text::units::Duration) -> Expr {
    let mut expr = expr.clone();
    windows(&mut expr, &mut |found| {
        if found.text == WINDOW {
            *found = Duration::from_secs(window.as_secs());
        }
    });
    expr
}

/// Visits the lengths of all ranges, and how far back they begin.
pub fn windows(expr: &mut Expr, visit: &mut impl FnMut(&mut Duration)) {
    visit::walk_mut(expr, &mut |node| match &mut node.kind {
        ExprKind::Range(range) => {
            visit(&mut range.range);
            range.selector.at.offset.iter_mut().for_each(&mut *visit);
        }
        ExprKind::Selector(selector) => selector.at.offset.iter_mut().for_each(&mut *visit),
        ExprKind::Subquery(sub) => {
            visit(&mut sub.range);
            sub.at.offset.iter_mut().for_each(&mut *visit);
        }
        _ => {}
    });
}

/// The end of the time that a dashboard shows, in milliseconds since 1970, as a number in a query.
pub const END: &str = "$__to";

/// What the value of a matcher begins with that a reader of the dashboard chooses.
const FILTER: &str = "$__filter:";

/// The value of a matcher on `label` that a reader of the dashboard chooses, as a pattern.
pub fn filter(label: &str) -> String {
    format!("{FILTER}{label}")
}

/// The same, which also accepts series without the label: an alert over all models has no `model_name`.
pub fn filter_or_none(label: &str) -> String {
    format!("|{FILTER}{label}")
}

/// The label of a value that [`filter`] or [`filter_or_none`] made.
pub fn filtered_label(value: &str) -> Option<&str> {
    value
        .strip_prefix('|')
        .unwrap_or(value)
        .strip_prefix(FILTER)
}

/// How a back end writes the markers.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// The zoom's window: `$__rate_interval`.
    pub zoom: &'static str,
    /// The values that are chosen for a label: `$model_name`.
    pub filter: fn(&str) -> String,
}

impl Spelling {
    /// A query without markers.
    pub fn of(&self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        visit::walk_mut(&mut expr, &mut |node| {
            if let ExprKind::Range(range) = &mut node.kind
                && range.range.text == ZOOM
            {
                range.range = Duration::placeholder(self.zoom);
            }
        });
        visit::selectors_mut(&mut expr, &mut |selector| {
            for matcher in &mut selector.matchers {
                let value = &matcher.value.value;
                if let Some(label) = filtered_label(value) {
                    let none = if value.starts_with('|') { "|" } else { "" };
                    matcher.value.value = format!("{none}{}", (self.filter)(label));
                }
            }
        });
        expr
    }
}
