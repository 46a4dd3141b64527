//! The language of queries that nothing around them names, from the words of all queries of a file.

use std::collections::HashSet;

use memchr::memmem::Finder;
use rayon::prelude::*;

use super::language::{self, Sign};
use super::{Artifact, Language, Query, Role};
use slosmith_promql::{parse_untyped, parse_with};

/// True for a file of rules. Nearly always all of its queries are PromQL, and lint parses them anyway: the words are read
/// when one of them is not.
pub(super) fn may_wait(artifact: &Artifact) -> bool {
    let vmrange = Finder::new("vmrange");
    artifact.queries.iter().all(|query| {
        let is_rule = matches!(query.role, Role::Alert { .. } | Role::Record { .. });
        is_rule && query.source.is_none() && vmrange.find(query.text.as_bytes()).is_none()
    })
}

/// The file in the languages that the words of its queries show, for a reader that found one that is not PromQL; none if they
/// show no other.
pub fn read_languages(artifact: &Artifact) -> Option<Artifact> {
    artifact.open_languages.as_ref()?;
    let mut other = artifact.clone();
    read(&mut other, false);
    let mut pairs = artifact.queries.iter().zip(&other.queries);
    let is_same = pairs.all(|(before, now)| before.language == now.language);
    (!is_same).then_some(other)
}

/// Finds the language of what is no PromQL by its own words. Others that are none go with it as far as they may be in that
/// language: those of the same evaluator.
pub(super) fn read(artifact: &mut Artifact, is_of_loki: bool) {
    let assumed = artifact.open_languages.take().unwrap_or_default();
    let is_assumed = |at: usize| assumed.binary_search(&at).is_ok();
    let queries = &mut artifact.queries;
    let mut found = Vec::new();
    let mut has_vmrange = false;
    let signs: Vec<_> = queries.par_iter().map(language::sign_of).collect();
    for ((at, query), sign) in queries.iter_mut().enumerate().zip(signs) {
        match sign {
            Some(Sign::VmRange) => {
                query.language = Language::MetricsQl;
                has_vmrange = true;
            }
            Some(Sign::Of(sign))
                if (sign == Language::MetricsQl || is_assumed(at)) && !is_prom_ql(query) =>
            {
                query.language = sign;
                found.push(sign);
            }
            _ => {}
        }
    }
    if is_of_loki {
        found.push(Language::Other);
    }
    if found.is_empty() && !has_vmrange {
        return;
    }
    let is_victoria = found.contains(&Language::MetricsQl);
    let rest = queries.iter_mut().enumerate();
    let rest = rest.filter(|(_, query)| query.language == Language::PromQl && !is_prom_ql(query));
    for (at, query) in rest {
        let is_rule = matches!(query.role, Role::Alert { .. } | Role::Record { .. });
        let has_form = || has_form(query);
        if (has_vmrange || is_victoria) && language::may_be_metrics_ql(&query.text)
            || is_victoria && has_form()
        {
            query.language = Language::MetricsQl;
        } else if found.contains(&Language::Other) && is_rule && is_assumed(at) {
            query.language = Language::Other;
        }
    }
}

/// A data source that gets MetricsQL in one file gets it in all: other queries to a data source of the same name are in
/// MetricsQL, too, as far as they may be.
pub fn share_languages(artifacts: &mut [Artifact]) {
    let mut known: HashSet<String> = HashSet::new();
    for query in artifacts
        .iter()
        .flat_map(Artifact::readings)
        .flat_map(|a| &a.queries)
    {
        if let Some(source) = query
            .source
            .as_ref()
            .filter(|_| query.language == Language::MetricsQl)
        {
            known.insert(source.clone());
        }
    }
    if known.is_empty() {
        return;
    }
    for artifact in artifacts {
        let branches = artifact.branches.iter_mut().flat_map(|a| &mut a.queries);
        for query in artifact.queries.iter_mut().chain(branches) {
            let is_shared = query.language == Language::PromQl
                && query
                    .source
                    .as_ref()
                    .is_some_and(|source| known.contains(source));
            if is_shared
                && !is_prom_ql(query)
                && (language::may_be_metrics_ql(&query.text) || has_form(query))
            {
                query.language = Language::MetricsQl;
            }
        }
    }
}

pub(super) fn is_prom_ql(query: &Query) -> bool {
    parse_with(&query.text, query.dialect).is_ok()
}

/// True for a query with the form of PromQL, whatever its types are.
fn has_form(query: &Query) -> bool {
    parse_untyped(&query.text, query.dialect).is_ok()
}
