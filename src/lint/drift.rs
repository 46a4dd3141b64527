//! What an upgrade does to the queries of a file.

mod meaning;

use std::collections::BTreeSet;
use std::rc::Rc;

use super::file::sited;
use super::query::{Memo, Names, QueryCx, Review, Series, Site, series};
use super::rule::{Check, Findings};
use super::rules::{RULES, invalid_promql};
use super::scope::Scope;
use super::subject::{Meant, Subject, Why};
use crate::artifact::Artifact;
use crate::diag::Diagnostic;
use crate::source::Span;

/// What becomes of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It gives data before and after, and means the same.
    Works,
    /// It had no data before, and has some after.
    Revived,
    /// It has no data, neither before nor after.
    Dead,
    /// It gives data before and after that are not the same thing.
    ChangesMeaning,
    /// It gives data before, and none after.
    Dies,
}

impl Fate {
    /// The words for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Revived => "revived",
            Self::Dead => "dead before and after",
            Self::ChangesMeaning => "changes meaning",
            Self::Dies => "dies",
        }
    }

    /// The words behind a number.
    pub fn plural(self, n: usize) -> &'static str {
        match self {
            Self::Works if n != 1 => "work",
            Self::ChangesMeaning if n != 1 => "change meaning",
            Self::Dies if n != 1 => "die",
            fate => fate.as_str(),
        }
    }
}

/// A panel, alert, recording rule or other place of queries, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is, in the words of its author: `alert HighTtft`.
    pub what: String,
    /// Its first query.
    pub span: Span,
    /// The worst fate of its queries.
    pub fate: Fate,
    /// How many queries it has, and how many of them give no data afterwards.
    pub queries: (usize, usize),
    /// Why, one line each.
    pub reasons: Vec<String>,
    /// What to do about it, one line each.
    pub fixes: Vec<String>,
}

/// What an upgrade does to the queries of a file, in the order of the file; queries without a series of a
/// recorded product are left out.
pub fn drift(artifact: &Artifact, text: &str, from: &Scope<'_>, to: &Scope<'_>) -> Vec<Item> {
    let readings = artifact.readings();
    let mut items: Vec<_> = readings
        .flat_map(|reading| drift_reading(reading, text, from, to))
        .collect();
    if !artifact.branches.is_empty() {
        let mut seen = BTreeSet::new();
        items.retain(|item| seen.insert((item.span, item.what.clone(), item.reasons.clone())));
        items.sort_by_key(|item| item.span);
    }
    items
}

fn drift_reading(artifact: &Artifact, text: &str, from: &Scope<'_>, to: &Scope<'_>) -> Vec<Item> {
    let (old_names, new_names) = (Names::new(from), Names::new(to));
    let mut items: Vec<Item> = Vec::new();
    let mut last = Site::Other;
    let every = |_: &str| true;
    for (query, site) in sited(artifact) {
        let Some(expr) = invalid_promql::parse(query).0 else {
            continue;
        };
        let (old, holders) = series(&expr, &old_names);
        let (new, _) = series(&expr, &new_names);
        let (old_memo, new_memo) = (
            Memo::new(Rc::clone(&holders), &old_names.patterns),
            Memo::new(holders, &new_names.patterns),
        );
        let cx = |scope, series, memo| QueryCx {
            scope,
            artifact,
            file_text: text,
            query,
            site,
            expr: &expr,
            series,
            memo,
            // The fixes are only told.
            review: Some(Review(&every)),
        };
        let pair = Pair {
            old: cx(from, &old, &old_memo),
            new: cx(to, &new, &new_memo),
        };
        let Some(item) = pair.item() else { continue };
        match items.last_mut() {
            Some(known) if same_panel(last, site) => join(known, item),
            _ => items.push(item),
        }
        last = site;
    }
    items.iter_mut().for_each(Item::count_dead);
    items
}

impl Item {
    /// Says so when a panel keeps a part of what it shows.
    fn count_dead(&mut self) {
        if let (all, dead @ 1..) = self.queries
            && dead < all
        {
            let said = format!("{dead} of {all} queries dead");
            self.reasons.insert(0, said);
        }
    }
}

fn same_panel(a: Site<'_>, b: Site<'_>) -> bool {
    match (a, b) {
        (Site::Panel(_, a, _), Site::Panel(_, b, _)) => std::ptr::eq(a, b),
        _ => false,
    }
}

/// The queries of one panel share an item.
fn join(known: &mut Item, item: Item) {
    known.fate = known.fate.max(item.fate);
    known.queries.0 += item.queries.0;
    known.queries.1 += item.queries.1;
    let more = |list: &mut Vec<String>, new: Vec<String>| {
        for line in new {
            if !list.contains(&line) {
                list.push(line);
            }
        }
    };
    more(&mut known.reasons, item.reasons);
    more(&mut known.fixes, item.fixes);
}

/// One query before and after.
struct Pair<'q, 'c> {
    old: QueryCx<'q, 'c>,
    new: QueryCx<'q, 'c>,
}

impl Pair<'_, '_> {
    fn item(&self) -> Option<Item> {
        let judged =
            |s: &&Series<'_, '_>| !matches!(&**s.subject, Subject::Foreign(_) | Subject::Outside);
        let first = self.new.series.iter().find(judged)?;
        let (before, after) = (is_alive(&self.old), is_alive(&self.new));
        let mut reasons = Vec::new();
        let mut fixes = Vec::new();
        let mut fate = match (before, after) {
            (true, true) => Fate::Works,
            // What only another serving configuration has does not come back by itself.
            (false, true) if !is_served(&self.new) => Fate::Dead,
            (false, true) => Fate::Revived,
            (false, false) => Fate::Dead,
            (true, false) => Fate::Dies,
        };
        if after {
            let changes = meaning::changes(&self.old, &self.new);
            if before && !changes.is_empty() {
                fate = Fate::ChangesMeaning;
                reasons = changes;
            }
            if !before {
                let said = findings(&self.old);
                reasons = said.into_iter().map(|f| f.message).collect();
            }
        } else {
            for finding in findings(&self.new) {
                reasons.push(finding.message.clone());
                fixes.extend(advice(&finding));
            }
        }
        Some(Item {
            what: self.new.query.role.to_string(),
            span: self.new.span(&first.name_span),
            fate,
            queries: (1, usize::from(matches!(fate, Fate::Dead | Fate::Dies))),
            reasons,
            fixes,
        })
    }
}

/// True when every series is served; those of another serving configuration count as served, because
/// whoever asks for them uses it.
fn is_alive(cx: &QueryCx<'_, '_>) -> bool {
    cx.series.iter().all(|series| match &**series.subject {
        Subject::Strange(strange) => matches!(strange.meant, Meant::Alike),
        Subject::Known(_) | Subject::InRay(_) => {
            let dead = cx.dead(series);
            dead.iter()
                .all(|dead| matches!(dead.why, Why::Conditional(_)))
        }
        Subject::Foreign(_) | Subject::Outside => true,
    })
}

/// True when the configuration in use serves every series.
fn is_served(cx: &QueryCx<'_, '_>) -> bool {
    cx.series.iter().all(|series| cx.dead(series).is_empty())
}

/// What the rules about missing series say.
fn findings(cx: &QueryCx<'_, '_>) -> Vec<Diagnostic> {
    let about = [
        "removed-metric",
        "hidden-metric",
        "future-metric",
        "unknown-metric",
        "normalised-name",
    ];
    let mut found = Vec::new();
    for rule in RULES.iter().filter(|rule| about.contains(&rule.info.name)) {
        if let Check::Query(check) = rule.check {
            let mut out = Findings::new(&rule.info);
            check(cx, &mut out);
            found.extend(out.into_inner());
        }
    }
    found
}

fn advice(finding: &Diagnostic) -> Vec<String> {
    match &finding.details.fix {
        Some(fix) => vec![fix.title.clone()],
        None => finding.help.clone(),
    }
}
