//! One file: every rule over every query and dashboard in it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::query::{Memo, Names, QueryCx, Review, Series, Site, series};
use super::rule::{Check, DashboardCx, Findings, ResourceCx, Rule};
use super::rules::invalid_promql::Read;
use super::rules::{invalid_promql, unknown_label};
use super::scope::Scope;
use crate::artifact::{Artifact, Dashboard, Language, Query, Resource, Role, read_languages};
use slosmith_promql::ast::Expr;
use slosmith_promql::parse_with;
use slosmith_text::diag::{Diagnostic, Group};
use slosmith_text::source::Span;

const CHUNK: usize = 512;

/// The rules for metric names in prose and in broken queries, which may mean what they write.
const OF_PARTS: [&str; 2] = ["hidden-metric", "removed-metric"];

/// All findings in a file, in all its readings, before levels and suppressions.
pub(super) fn lint(
    artifact: &Artifact,
    file_text: &str,
    scope: &Scope<'_>,
    rules: &[&'static Rule],
) -> Vec<Diagnostic> {
    let readings = artifact.readings();
    let found = readings.map(|reading| lint_reading(reading, file_text, scope, rules));
    let mut found: Vec<_> = found.flatten().collect();
    if !artifact.branches.is_empty() {
        let mut seen = BTreeSet::new();
        found.retain(|d| seen.insert((d.span, d.code, d.message.clone())));
        found.sort_by_key(|d| d.span);
    }
    once_per_label(found, file_text)
}

fn lint_reading(
    artifact: &Artifact,
    file_text: &str,
    scope: &Scope<'_>,
    rules: &[&'static Rule],
) -> Vec<Diagnostic> {
    let (found, in_doubt) = lint_languages(artifact, file_text, scope, rules);
    if !in_doubt {
        return found;
    }
    match read_languages(artifact) {
        Some(artifact) => lint_languages(&artifact, file_text, scope, rules).0,
        None => found,
    }
}

fn lint_languages(
    artifact: &Artifact,
    file_text: &str,
    scope: &Scope<'_>,
    rules: &[&'static Rule],
) -> (Vec<Diagnostic>, bool) {
    let queries = sited(artifact);
    let file = File {
        artifact,
        file_text,
        scope,
        rules,
        queries: &queries,
        repeats: OnceLock::new(),
        in_doubt: AtomicBool::new(false),
    };
    let chunks = queries.par_chunks(CHUNK);
    let found: Vec<_> = chunks.map(|chunk| file.queries(chunk)).collect();
    let faults = artifact.faults.iter().cloned();
    let dashboards = artifact.dashboards.iter().flat_map(|d| file.dashboard(d));
    let found = faults
        .chain(found.into_iter().flatten())
        .chain(dashboards)
        .chain(artifact.resources.iter().flat_map(|r| file.resource(r)))
        .collect();
    (found, file.in_doubt.into_inner())
}

/// An unknown label usually affects all queries of a file. So only its first place is reported, with the number of the
/// others. A label with a fix is reported everywhere.
fn once_per_label(found: Vec<Diagnostic>, file_text: &str) -> Vec<Diagnostic> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut more: BTreeMap<usize, usize> = BTreeMap::new();
    for d in found {
        let label = file_text.get(d.span.range());
        match label.filter(|_| d.code == unknown_label::RULE.info.name && d.details.fix.is_none()) {
            Some(label) => match first.get(label) {
                Some(&at) => *more.entry(at).or_default() += 1,
                None => {
                    first.insert(label, kept.len());
                    kept.push(d);
                }
            },
            None => kept.push(d),
        }
    }
    for (at, n) in more {
        let places = if n == 1 { "place" } else { "places" };
        let note = format!("this file uses the label in {n} more {places}");
        kept[at].details.notes.push(note);
    }
    kept
}

struct File<'a> {
    artifact: &'a Artifact,
    file_text: &'a str,
    scope: &'a Scope<'a>,
    rules: &'a [&'static Rule],
    queries: &'a [(&'a Query, Site<'a>)],
    repeats: OnceLock<Repeats<'a>>,
    /// A query that should be PromQL is not.
    in_doubt: AtomicBool,
}

/// Queries that a file repeats: the first place, and the number of places.
struct Repeats<'a>(HashMap<&'a str, (Span, usize)>);

impl<'a> Repeats<'a> {
    fn of(queries: &[(&'a Query, Site<'_>)]) -> Self {
        let mut places: HashMap<&str, (Span, usize)> = HashMap::with_capacity(queries.len());
        for (query, _) in queries {
            let place = places
                .entry(&query.text)
                .or_insert_with(|| (query.span(), 0));
            place.1 += 1;
        }
        Self(places)
    }

    /// The mistakes of a query at its first place only, with the number of the others.
    fn once(&self, query: &Query, mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        match self.0.get(query.text.as_str()) {
            Some((first, _)) if *first != query.span() => return Vec::new(),
            Some((_, count @ 2..)) => {
                let more = count - 1;
                let places = if more == 1 { "place" } else { "places" };
                let note = format!("the file has the same query in {more} more {places}");
                errors
                    .iter_mut()
                    .for_each(|error| error.details.notes.push(note.clone()));
            }
            _ => {}
        }
        errors
    }
}

impl File<'_> {
    fn queries(&self, queries: &[(&Query, Site<'_>)]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let names = Names::new(self.scope);
        for (query, site) in queries {
            let (expr, errors) = invalid_promql::parse(query);
            if !errors.is_empty() {
                let repeats = self.repeats.get_or_init(|| Repeats::of(self.queries));
                found.extend(repeats.once(query, errors));
            }
            if !matches!(expr, Some((_, Read::Whole))) {
                self.in_doubt.store(true, Ordering::Relaxed);
            }
            let Some((expr, read)) = expr else {
                continue;
            };
            let before = OnceCell::new();
            let review = |rule: &str, text: &str| {
                let checked = |text: &str| Some(counts(&self.check(query, *site, text, &names)?));
                let before = before.get_or_init(|| checked(&query.text));
                is_better(rule, before.as_ref(), checked(text).as_ref())
            };
            let (mut series, others) = series(&expr, &names);
            if query.role == Role::Mention {
                series.retain(|series| !self.is_settled(series));
            }
            let memo = Memo::new(others);
            let cx = self.context(query, *site, (&expr, &series, &memo), Some(Review(&review)));
            self.ask(&cx, read, &mut found);
        }
        found
    }

    fn context<'q>(
        &'q self,
        query: &'q Query,
        site: Site<'q>,
        (expr, series, memo): (&'q Expr, &'q [Series<'q, 'q>], &'q Memo<'q>),
        review: Option<Review<'q>>,
    ) -> QueryCx<'q, 'q> {
        QueryCx {
            scope: self.scope,
            artifact: self.artifact,
            file_text: self.file_text,
            query,
            site,
            expr,
            series,
            memo,
            rule: "",
            review,
        }
    }

    fn ask(&self, cx: &QueryCx<'_, '_>, read: Read, found: &mut Vec<Diagnostic>) {
        let read = match cx.query.role {
            Role::Mention => Read::Parts,
            _ => read,
        };
        let mut cx = *cx;
        for rule in self.rules {
            if let Check::Query(check) = rule.check
                && match read {
                    Read::Whole => true,
                    Read::Labels => [Group::Catalog, Group::Labels].contains(&rule.info.group),
                    Read::Form => rule.info.group == Group::Catalog,
                    Read::Parts => OF_PARTS.contains(&rule.info.name),
                }
            {
                cx.rule = rule.info.name;
                run(rule, found, |out| check(&cx, out));
            }
        }
    }

    /// The findings in another text in place of a query; none if the text is not a query. Only the number of findings is
    /// valid: their positions belong to the query.
    fn check(
        &self,
        query: &Query,
        site: Site<'_>,
        text: &str,
        names: &Names<'_>,
    ) -> Option<Vec<Diagnostic>> {
        let mut query = query.clone();
        text.clone_into(&mut query.text);
        let expr = parse_with(text, query.dialect).ok()?;
        let (series, others) = series(&expr, names);
        let memo = Memo::new(others);
        let cx = self.context(&query, site, (&expr, &series, &memo), None);
        let mut found = Vec::new();
        self.ask(&cx, Read::Whole, &mut found);
        Some(found)
    }

    /// True if the text also names the replacement of the series: the author is aware of the change.
    fn is_settled(&self, series: &Series<'_, '_>) -> bool {
        let new = series.subject.known().and_then(|known| {
            let lineage = known.product.catalog.lineage();
            Some(known.spelled(lineage.successor(&known.family)?))
        });
        new.is_some_and(|new| self.file_text.contains(&new))
    }

    fn dashboard(&self, dashboard: &Dashboard) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let cx = DashboardCx {
            artifact: self.artifact,
            file_text: self.file_text,
            dashboard,
        };
        for rule in self.rules {
            if let Check::Dashboard(check) = rule.check {
                run(rule, &mut found, |out| check(&cx, out));
            }
        }
        found
    }
}

impl File<'_> {
    fn resource(&self, resource: &Resource) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let cx = ResourceCx { resource };
        for rule in self.rules {
            if let Check::Resource(check) = rule.check {
                run(rule, &mut found, |out| check(&cx, out));
            }
        }
        found
    }
}

type Counts = BTreeMap<&'static str, usize>;

fn counts(found: &[Diagnostic]) -> Counts {
    let mut counts = Counts::new();
    for d in found {
        *counts.entry(d.code).or_default() += 1;
    }
    counts
}

/// True if a rule has fewer findings than before, no rule has more, and the text is still readable.
fn is_better(rule: &str, before: Option<&Counts>, after: Option<&Counts>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => {
            let had = |code| before.get(code).copied().unwrap_or(0);
            after
                .iter()
                .all(|(code, n)| *n + usize::from(*code == rule) <= had(code))
        }
        // The check of the whole file covers queries that could not be read before.
        (None, _) => true,
        (Some(_), None) => false,
    }
}

/// Every query in PromQL or MetricsQL with its site.
pub(super) fn sited(artifact: &Artifact) -> Vec<(&Query, Site<'_>)> {
    let queries = artifact.queries.iter().zip(sites(artifact));
    queries
        .filter(|(query, _)| query.language != Language::Other)
        .collect()
}

fn run(rule: &'static Rule, found: &mut Vec<Diagnostic>, check: impl FnOnce(&mut Findings)) {
    let mut out = Findings::new(&rule.info);
    check(&mut out);
    let mut new = out.into_inner();
    // Most rules find nothing in most queries.
    if !new.is_empty() {
        found.append(&mut new);
    }
}

fn sites(artifact: &Artifact) -> Vec<Site<'_>> {
    let mut sites = vec![Site::Other; artifact.queries.len()];
    let mut set = |query: usize, site| {
        if let Some(slot) = sites.get_mut(query) {
            *slot = site;
        }
    };
    for alert in &artifact.alerts {
        set(alert.query, Site::Alert(alert));
    }
    for record in &artifact.records {
        set(record.query, Site::Record(record));
    }
    for dashboard in &artifact.dashboards {
        for panel in &dashboard.panels {
            for target in &panel.targets {
                if let Some(query) = target.query {
                    set(query, Site::Panel(dashboard, panel, target));
                }
            }
        }
    }
    sites
}
