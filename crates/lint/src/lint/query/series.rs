//! The series that a query selects.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::rc::Rc;

use memchr::memmem;

use crate::lint::scope::Scope;
use crate::lint::subject::{Subject, Ties};
use slosmith_promql::alternatives;
use slosmith_promql::ast::{Expr, ExprKind, MatchOp, Matcher, Selector, TextSpan};
use slosmith_promql::labels::Flow;
use slosmith_promql::usage::{SelectorContext, surroundings};

/// Names in one pattern; a longer list is a pattern like any other.
const MOST_NAMES: usize = 1_000;

#[derive(Clone, Debug)]
pub struct Series<'q, 'c> {
    pub context: Rc<SelectorContext<'q>>,
    pub name: &'q str,
    /// Where the name is in the query; a whole pattern that is spelled with escapes.
    pub name_span: TextSpan,
    pub subject: Rc<Named<'c>>,
}

impl Series<'_, '_> {
    pub fn is_bucket(&self) -> bool {
        self.subject.is_bucket()
    }

    /// True for a metric that a spec declares.
    pub fn is_declared(&self) -> bool {
        matches!(**self.subject, Subject::Declared(_))
    }

    /// True inside `histogram_quantile`.
    pub fn in_quantile(&self) -> bool {
        self.context.calls("histogram_quantile")
    }
}

#[derive(Debug)]
pub struct Named<'c> {
    subject: Subject<'c>,
    labels: OnceCell<Flow>,
}

impl<'c> Deref for Named<'c> {
    type Target = Subject<'c>;

    fn deref(&self) -> &Subject<'c> {
        &self.subject
    }
}

impl Named<'_> {
    /// The labels of its series, as far as recordings show.
    pub(super) fn labels(&self, scope: &Scope<'_>) -> &Flow {
        self.labels.get_or_init(|| recorded(&self.subject, scope))
    }
}

/// A cache of names; most queries of a file share a few.
pub(in crate::lint) struct Names<'c> {
    scope: &'c Scope<'c>,
    seen: RefCell<[HashMap<String, Rc<Named<'c>>>; 4]>,
    router: memmem::Finder<'static>,
}

impl<'c> Names<'c> {
    pub(in crate::lint) fn new(scope: &'c Scope<'c>) -> Self {
        Self {
            scope,
            seen: RefCell::default(),
            router: memmem::Finder::new("router"),
        }
    }

    fn get(&self, name: &str, ties: Ties) -> Rc<Named<'c>> {
        let mut seen = self.seen.borrow_mut();
        let seen = &mut seen[usize::from(ties.servers) + 2 * usize::from(ties.router)];
        if let Some(known) = seen.get(name) {
            return Rc::clone(known);
        }
        let named = Rc::new(Named {
            subject: Subject::of(self.scope, name, ties),
            labels: OnceCell::new(),
        });
        seen.insert(name.to_owned(), Rc::clone(&named));
        named
    }
}

/// Every name that a query selects, left to right, and all its expressions but the selectors.
pub(in crate::lint) fn series<'q, 'c>(
    expr: &'q Expr,
    names: &Names<'c>,
) -> (Vec<Series<'q, 'c>>, Vec<&'q Expr>) {
    let (contexts, others) = surroundings(expr);
    let router = is_routed(&contexts, &others, names);
    let mut found = Vec::with_capacity(contexts.len());
    for context in contexts {
        let context = Rc::new(context);
        let servers = is_tied(context.selector, names.scope);
        let ties = Ties { servers, router };
        for (name, name_span) in named(context.selector) {
            found.push(Series {
                context: Rc::clone(&context),
                name,
                name_span,
                subject: names.get(name, ties),
            });
        }
    }
    (found, others)
}

/// True if the query selects a router in front of the servers: by the label of the router, by a matcher that names the
/// router, or by a series that only the router has.
fn is_routed(contexts: &[SelectorContext<'_>], others: &[&Expr], names: &Names<'_>) -> bool {
    let is_router = |value: &str| names.router.find(value.as_bytes()).is_some();
    let names_router = |m: &Matcher| m.label.text == "server" || is_router(&m.value.value);
    contexts.iter().any(|context| {
        let selector = context.selector;
        let is_foreign = |(name, _): (&str, _)| names.scope.is_only_foreign(name);
        selector.matchers.iter().any(names_router) || named(selector).any(is_foreign)
    }) || others.iter().any(|expr| groups_by_server(expr))
}

fn groups_by_server(expr: &Expr) -> bool {
    let ExprKind::Aggregate(aggregate) = &expr.kind else {
        return false;
    };
    let mut labels = aggregate.grouping.iter().flat_map(|g| &g.labels);
    labels.any(|label| label.text == "server")
}

fn is_tied(selector: &Selector, scope: &Scope<'_>) -> bool {
    selector.matchers.iter().any(|m| {
        let exact = matches!(m.op, MatchOp::Equal | MatchOp::Match);
        exact && scope.ties(&m.label.text, &m.value.value)
    })
}

fn named(selector: &Selector) -> impl Iterator<Item = (&str, TextSpan)> {
    let metric = selector.metric.as_ref();
    let matched = match metric {
        Some(_) => Vec::new(),
        None => matched(selector),
    };
    let plain = metric.filter(|metric| metric.placeholders.is_empty());
    let plain = plain.map(|metric| (metric.text.as_str(), metric.span.clone()));
    plain.into_iter().chain(matched)
}

/// The names in the matchers of a selector without a metric name.
fn matched(selector: &Selector) -> Vec<(&str, TextSpan)> {
    let mut found = Vec::new();
    for matcher in &selector.matchers {
        if matcher.label.text != "__name__" || !matcher.value.placeholders.is_empty() {
            continue;
        }
        let value = matcher.value.value.as_str();
        let span = &matcher.value_span;
        match matcher.op {
            MatchOp::Equal => found.push((value, span.clone())),
            MatchOp::Match => {
                let places = alternatives(value).filter(|all| all.len() <= MOST_NAMES);
                let places = places.unwrap_or_default().into_iter();
                let verbatim = matcher.value.raw.len() == value.len() + 2;
                let exact = |at: &Range<usize>| match verbatim {
                    true => span.start + 1 + at.start..span.start + 1 + at.end,
                    false => span.clone(),
                };
                found.extend(places.map(|at| (&value[at.clone()], exact(&at))));
            }
            MatchOp::NotEqual | MatchOp::NotMatch => {}
        }
    }
    found
}

/// The labels that each series of a name has, and those that it never has: `unknown-label` reports them.
fn recorded(subject: &Subject<'_>, scope: &Scope<'_>) -> Flow {
    let shapes = subject.shapes();
    let Some((first, more)) = shapes.split_first() else {
        return Flow::unknown();
    };
    let le = subject.is_bucket().then(|| "le".into());
    let everywhere = |label: &&String| more.iter().all(|shape| shape.labels.contains(label));
    let targets = match subject {
        Subject::Declared(_) => scope.targets.as_slice(),
        _ => &[],
    };
    let sure = first.labels.iter().filter(everywhere).chain(targets);
    let all = shapes.iter().flat_map(|shape| &shape.labels);
    let all = all.chain(scope.added_labels());
    let is_open = shapes.iter().any(|shape| shape.open_labels);
    if !is_open && scope.has_all_labels() {
        return Flow::of_series(names(sure).chain(le).collect(), Some(names(all).collect()));
    }
    // A scrape may add any label, but hardly one that the product uses for something else.
    let has = |label: &str| shapes.iter().any(|shape| shape.may_have_label(label));
    let added = |label: &str| scope.added_labels().contains(label);
    let others = scope.own_labels().iter().copied();
    let others = others.filter(|label| !has(label) && !added(label));
    let own = shapes
        .iter()
        .any(|shape| shape.labels.iter().any(|label| label == "le"));
    let no_buckets = !own && subject.known().is_some_and(|known| !known.is_bucket());
    let others = others.chain(no_buckets.then_some("le"));
    let flow = Flow::of_series(names(sure).chain(le).collect(), None);
    others.fold(flow, Flow::without)
}

fn names<'l>(labels: impl Iterator<Item = &'l String>) -> impl Iterator<Item = Rc<str>> {
    labels.map(|label| label.as_str().into())
}
