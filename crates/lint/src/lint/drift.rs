//! The effect of a vLLM upgrade on the queries of a file.

mod meaning;
mod selects;

use std::collections::BTreeSet;

use super::file::sited;
use super::query::{Memo, Names, QueryCx, Review, Series, Site, series};
use super::rule::{Check, Findings};
use super::rules::{RULES, invalid_promql};
use super::scope::Scope;
use super::subject::{Meant, Subject, Why};
use crate::artifact::Artifact;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;

/// The effect of an upgrade on a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// The query returns data before and after, with the same meaning.
    Works,
    StartsWorking,
    /// The query returns no data, neither before nor after.
    AlreadyBroken,
    ChangesMeaning,
    Breaks,
}

impl Fate {
    pub fn as_json(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::StartsWorking => "revived",
            Self::AlreadyBroken => "dead before and after",
            Self::ChangesMeaning => "changes meaning",
            Self::Breaks => "dies",
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Works => "ok",
            Self::StartsWorking => "starts working",
            Self::AlreadyBroken => "already broken",
            Self::ChangesMeaning => "changes meaning",
            Self::Breaks => "breaks",
        }
    }

    pub fn plural(self, n: usize) -> &'static str {
        match self {
            Self::StartsWorking if n != 1 => "start working",
            Self::ChangesMeaning if n != 1 => "change meaning",
            Self::Breaks if n != 1 => "break",
            fate => fate.as_str(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    /// Its kind and name: `alert HighTtft`.
    pub what: String,
    pub span: Span,
    pub fate: Fate,
    pub queries: Queries,
    pub reasons: Vec<String>,
    pub fixes: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    pub all: usize,
    pub dead: usize,
    pub breaking: usize,
}

/// The effect of an upgrade on the queries of a file, in the order of the file. Queries without a series of a recorded
/// product are omitted.
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
    let every = |_: &str, _: &str| true;
    for (query, site) in sited(artifact) {
        let Some((expr, _)) = invalid_promql::parse(query).0 else {
            continue;
        };
        let (old, others) = series(&expr, &old_names);
        let old_memo = Memo::new(others);
        let (new, others) = series(&expr, &new_names);
        let new_memo = Memo::new(others);
        let cx = |scope, series, memo| QueryCx {
            scope,
            artifact,
            file_text: text,
            query,
            site,
            expr: &expr,
            series,
            memo,
            rule: "",
            // The fixes are only printed.
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
    fn count_dead(&mut self) {
        let Queries { all, dead, .. } = self.queries;
        if (1..all).contains(&dead) {
            let reason = format!("{dead} of {all} queries return no data");
            self.reasons.insert(0, reason);
        }
    }
}

fn same_panel(a: Site<'_>, b: Site<'_>) -> bool {
    match (a, b) {
        (Site::Panel(_, a, _), Site::Panel(_, b, _)) => std::ptr::eq(a, b),
        _ => false,
    }
}

fn join(known: &mut Item, item: Item) {
    known.fate = known.fate.max(item.fate);
    known.queries.all += item.queries.all;
    known.queries.dead += item.queries.dead;
    known.queries.breaking += item.queries.breaking;
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

struct Pair<'q, 'c> {
    old: QueryCx<'q, 'c>,
    new: QueryCx<'q, 'c>,
}

impl Pair<'_, '_> {
    fn item(&self) -> Option<Item> {
        let checked = |s: &&Series<'_, '_>| {
            s.subject.served().is_some() || matches!(**s.subject, Subject::Unknown(_))
        };
        let first = self.new.series.iter().find(checked)?;
        let (had_none, has_none) = (selects::lacking(&self.old), selects::lacking(&self.new));
        let before = is_alive(&self.old) && had_none.is_empty();
        let after = is_alive(&self.new) && has_none.is_empty();
        let mut reasons = Vec::new();
        let mut fixes = Vec::new();
        let mut fate = match (before, after) {
            (true, true) => Fate::Works,
            // A metric of another profile does not start working by itself.
            (false, true) if !is_served(&self.new) => Fate::AlreadyBroken,
            (false, true) => Fate::StartsWorking,
            (false, false) => Fate::AlreadyBroken,
            (true, false) => Fate::Breaks,
        };
        if after {
            let changes = meaning::changes(&self.old, &self.new);
            if before && !changes.is_empty() {
                fate = Fate::ChangesMeaning;
                reasons = changes;
            }
            if !before {
                reasons = findings(&self.old).into_iter().map(|f| f.message).collect();
                reasons.extend(had_none);
            }
        } else {
            for finding in findings(&self.new) {
                reasons.push(finding.message.clone());
                fixes.extend(advice(&finding));
            }
            reasons.extend(has_none);
        }
        Some(Item {
            what: self.new.query.role.to_string(),
            span: self.new.span(&first.name_span),
            fate,
            queries: Queries {
                all: 1,
                dead: usize::from(matches!(fate, Fate::AlreadyBroken | Fate::Breaks)),
                breaking: usize::from(fate == Fate::Breaks),
            },
            reasons,
            fixes,
        })
    }
}

/// True if every series is exposed. Metrics of another profile count as exposed: a query on them usually comes from a team
/// that uses the profile.
fn is_alive(cx: &QueryCx<'_, '_>) -> bool {
    cx.series.iter().all(|series| match &**series.subject {
        Subject::Unknown(unknown) => matches!(unknown.meant, Meant::Alike),
        Subject::Known(_) | Subject::Relabelled(_) => {
            let dead = cx.dead(series);
            dead.iter()
                .all(|dead| matches!(dead.why, Why::Conditional(_)))
        }
        Subject::Foreign(_) | Subject::Declared(_) | Subject::Slip(_) | Subject::Outside => true,
    })
}

fn is_served(cx: &QueryCx<'_, '_>) -> bool {
    cx.series.iter().all(|series| cx.dead(series).is_empty())
}

fn findings(cx: &QueryCx<'_, '_>) -> Vec<Diagnostic> {
    let about = [
        "removed-metric",
        "hidden-metric",
        "future-metric",
        "unknown-metric",
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
