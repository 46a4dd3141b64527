//! Words in PromQL of the author's that stand for settings of the spec.

use super::super::context::Context;
use super::super::matchers::{self, JOB};
use slosmith_promql::ast::{Expr, ExprKind, MatchOp, Name};
use slosmith_promql::visit;
use slosmith_spec::spec::Text;
use slosmith_text::diag::Diagnostic;

/// A word, and what PromQL can hold in its place while it is parsed: as long as the word, so that every place stays where it is.
pub(super) struct Word {
    name: &'static str,
    stand_in: &'static str,
    place: &'static str,
    example: &'static str,
}

/// The matchers of `selector`.
const SELECTOR: Word = Word {
    name: "$selector",
    stand_in: "__sel=\"0\"",
    place: "among matchers",
    example: "in braces, as in `errors_total{$selector}`",
};

/// The label of the matcher that stands for them.
const SELECTOR_LABEL: &str = "__sel";

/// The labels of `prometheus.group_by`.
const GROUP_BY: Word = Word {
    name: "$group_by",
    stand_in: "__groupby",
    place: "in lists of labels",
    example: "after `by` or `on`, as in `sum by ($group_by) (errors_total)`",
};

impl Word {
    pub(super) fn misplaced(&self, text: &Text) -> Diagnostic {
        let message = format!("`{}` can only be used {}", self.name, self.place);
        let error = Diagnostic::error("bad-promql", text.span, message);
        error.help(format!("write it {}", self.example))
    }

    fn count(&self, query: &str) -> usize {
        query.matches(self.name).count()
    }
}

/// A query that can be parsed.
pub(super) fn stood_in(query: &str) -> String {
    let all = [SELECTOR, GROUP_BY].into_iter();
    all.fold(query.to_owned(), |query, word| {
        query.replace(word.name, word.stand_in)
    })
}

/// The word at a place of a query, or just before it: what follows it may be what is wrong.
pub(super) fn at(query: &str, place: usize) -> Option<Word> {
    let is_here = |word: &Word| {
        let mut found = query.match_indices(word.name);
        found.any(|(at, name)| (at..=at + name.len()).contains(&place))
    };
    [SELECTOR, GROUP_BY].into_iter().find(is_here)
}

/// Puts what the words of a query stand for in their place.
pub(super) fn fill(cx: &mut Context<'_>, text: &Text, query: &str, expr: &mut Expr) -> Option<()> {
    select(cx, text, expr, SELECTOR.count(query))?;
    group(cx, text, expr, GROUP_BY.count(query))
}

fn group(cx: &mut Context<'_>, text: &Text, expr: &mut Expr, wanted: usize) -> Option<()> {
    let labels = &cx.spec.prometheus.group_by;
    let mut found = 0;
    let mut fill = |list: &mut Vec<Name>| {
        let Some(at) = list.iter().position(|l| l.text == GROUP_BY.stand_in) else {
            return;
        };
        found += 1;
        let word = list.remove(at);
        let missing = labels
            .iter()
            .filter(|label| list.iter().all(|l| l.text != label.value));
        let missing: Vec<_> = missing
            .map(|label| Name {
                text: label.value.clone(),
                ..word.clone()
            })
            .collect();
        list.splice(at..at, missing);
    };
    visit::walk_mut(expr, &mut |node| match &mut node.kind {
        ExprKind::Aggregate(aggregate) => {
            if let Some(grouping) = &mut aggregate.grouping {
                fill(&mut grouping.labels);
            }
        }
        ExprKind::Binary(binary) => {
            if let Some(matching) = &mut binary.matching {
                fill(&mut matching.labels);
                if let Some(group) = &mut matching.group {
                    fill(&mut group.include);
                }
            }
        }
        _ => {}
    });
    if found < wanted {
        cx.sink.push(GROUP_BY.misplaced(text));
        return None;
    }
    Some(())
}

/// Puts the matchers of a selector in their place: of the job that is matched beside it, or of the service, except for labels
/// that are matched beside it.
fn select(cx: &mut Context<'_>, text: &Text, expr: &mut Expr, wanted: usize) -> Option<()> {
    cx.selects |= wanted > 0;
    let own = matchers::of_own_servers(cx.spec);
    let servers = matchers::own_job(cx.spec);
    let (mut found, mut empty) = (0, false);
    visit::selectors_mut(expr, &mut |selector| {
        let before = selector.matchers.len();
        selector.matchers.retain(|m| m.label.text != SELECTOR_LABEL);
        if before == selector.matchers.len() {
            return;
        }
        found += before - selector.matchers.len();
        let beside = selector.matchers.clone();
        let job = beside
            .iter()
            .find(|m| m.label.text == JOB && m.op == MatchOp::Equal);
        let job = job.map(|job| job.value.value.as_str());
        let of_job = job.filter(|job| *job != servers);
        let of_job = of_job.map(|job| matchers::of_job(cx, job));
        let added = of_job.filter(|added| !added.is_empty());
        let added = added.as_ref().unwrap_or(&own);
        empty |= added.is_empty();
        for (label, op, value) in added {
            if beside.iter().all(|m| m.label.text != *label) {
                *selector = selector.clone().matcher(label, *op, value);
            }
        }
    });
    if found < wanted {
        cx.sink.push(SELECTOR.misplaced(text));
        return None;
    }
    if empty {
        let message = "`$selector` stands for `prometheus.selector`, which this spec does not set";
        let error = Diagnostic::error("bad-promql", text.span, message);
        cx.sink.push(error.help(
            "set it, as in `prometheus: {selector: {env: prod}}`, or write `job` beside it: `$selector` then stands for the `selector` of this job",
        ));
        return None;
    }
    Some(())
}
