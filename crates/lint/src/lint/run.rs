//! A whole run: files and their relations, levels, suppressions.

use std::collections::BTreeSet;
use std::path::Path;

use super::date::Date;
use super::file;
use super::levels::Levels;
use super::rule::{Check, Findings, ProjectCx, Rule};
use super::rules::{self, RULES, infos};
use super::scope::Scope;
use super::spec::{self, Declared};
use super::suppress::{Suppressions, Syntax};
use crate::artifact::{self, Artifact, Kind};
use slosmith_plan::plan::Plan;
use slosmith_spec::config::Config;
use slosmith_spec::spec::Document;
use slosmith_text::diag::{Diagnostic, RuleInfo, Sink, guarded};
use slosmith_text::source::{FileId, Sources};

/// The rule about names that `build` spells as the store does.
const SPELLING: &str = "normalised-name";

/// What a spec with PromQL contains.
const PROMQL: &str = "promql";

const SPEC: &str = "spec.yaml";

#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    pub scope: &'a Scope<'a>,
    pub config: &'a Config,
    pub vllm: Option<&'a str>,
    pub today: Date,
    pub root: &'a Path,
}

pub fn run(artifacts: &[Artifact], sources: &Sources, settings: &Settings<'_>) -> Vec<Diagnostic> {
    run_telling(artifacts, sources, settings, &|| ())
}

pub fn run_telling(
    artifacts: &[Artifact],
    sources: &Sources,
    settings: &Settings<'_>,
    done: &dyn Fn(),
) -> Vec<Diagnostic> {
    let config = settings.config;
    let known = infos();
    let levels = Levels::new(config, &known);
    let rules = active(&levels);
    let (mut found, declared) = specs(artifacts, sources, settings.scope, (config, settings.vllm));
    let written = artifacts.iter().flat_map(Artifact::readings);
    let written = written.flat_map(|a| &a.records);
    let scope = settings
        .scope
        .clone()
        .recorded(written.map(|record| record.name.value.clone()))
        .declared(declared);
    for artifact in artifacts {
        let text = sources.get(artifact.file).text();
        let findings = guarded(artifact.file, || match artifact.kind {
            Kind::Spec => own_queries(artifact, text, &scope, &rules, &found),
            _ => file::lint(artifact, text, &scope, &rules),
        });
        let findings = found.take(findings).into_iter().flatten();
        findings.for_each(|d| found.push(d));
        done();
    }
    project(artifacts, settings, &rules, &mut found);
    let suppressions = suppressions(artifacts, sources, &known, &mut found);
    let kept = suppressions.apply(found.into_sorted(), settings.today, &|rule| {
        levels.is_off(rule) || rules::asks_server(rule)
    });
    let mut kept = levels.apply(kept);
    kept.extend(levels.apply(config.unknown_rules(&known)));
    kept
}

fn active(levels: &Levels) -> Vec<&'static Rule> {
    let rules = RULES.iter().copied();
    rules
        .filter(|rule| !levels.is_off(rule.info.name))
        .collect()
}

/// `scope` with the labels and series that specs among `artifacts` declare.
pub fn declared<'c>(
    scope: Scope<'c>,
    artifacts: &[Artifact],
    sources: &Sources,
    config: &Config,
) -> Scope<'c> {
    let (_, declared) = specs(artifacts, sources, &scope, (config, None));
    scope.declared(declared)
}

fn specs(
    artifacts: &[Artifact],
    sources: &Sources,
    scope: &Scope<'_>,
    (config, vllm): (&Config, Option<&str>),
) -> (Sink, Declared) {
    let mut found = Sink::default();
    let mut declared = Declared::default();
    for artifact in artifacts.iter().filter(|a| a.kind == Kind::Spec) {
        let path = sources.get(artifact.file).path();
        if config.build.is_defaults(path) {
            continue;
        }
        let itself = [artifact.file];
        let parts = match artifact.parts.is_empty() {
            true => &itself[..],
            false => &artifact.parts,
        };
        let parts: Vec<_> = parts.iter().map(|f| (*f, sources.get(*f).text())).collect();
        let said = guarded(artifact.file, || {
            let policy = config.build.policy.as_ref();
            spec::lint(&parts, (vllm, policy), scope.others(), &mut declared)
        });
        let said = found.take(said).unwrap_or_default();
        found.absorb(said);
    }
    (found, declared)
}

/// The findings of rules in the PromQL of a spec, but for mistakes that `build` reports at the same place.
fn own_queries(
    artifact: &Artifact,
    text: &str,
    scope: &Scope<'_>,
    rules: &[&'static Rule],
    known: &Sink,
) -> Vec<Diagnostic> {
    if artifact.queries.is_empty() {
        return Vec::new();
    }
    let scope = scope.clone().of_spec(artifact.file);
    let rules = rules.iter().copied();
    let rules: Vec<_> = rules.filter(|rule| rule.info.name != SPELLING).collect();
    let mut found = file::lint(artifact, text, &scope, &rules);
    found.retain(|d| !known.has_at(d.span));
    found
}

/// Findings of rules in the PromQL of a spec that builds, without those that the configuration or comments suppress.
pub fn check_spec(
    parts: &[(FileId, &str)],
    (document, plan): (&Document, &Plan),
    settings: &Settings<'_>,
    known: &Sink,
) -> Vec<Diagnostic> {
    let mut found = match &settings.config.build.policy {
        Some(policy) => rules::policy::check(policy, document, plan),
        None => Vec::new(),
    };
    let is_read = |text: &str| text.contains(PROMQL);
    if found.is_empty() && !parts.iter().any(|(_, text)| is_read(text)) {
        return Vec::new();
    }
    let infos = infos();
    let levels = Levels::new(settings.config, &infos);
    let rules = active(&levels);
    let mut declared = Declared::default();
    declared.add(parts, &document.spec, plan);
    let scope = settings.scope.clone().declared(declared);
    let mut comments = Suppressions::default();
    for (file, text) in parts {
        if is_read(text)
            && let Ok(artifact) = artifact::read(*file, Path::new(SPEC), text)
        {
            found.extend(own_queries(&artifact, text, &scope, &rules, known));
        }
        comments.absorb(Suppressions::scan(*file, text, Syntax::Yaml, &infos));
    }
    levels.apply(comments.without(found, settings.today))
}

fn project(
    artifacts: &[Artifact],
    settings: &Settings<'_>,
    rules: &[&'static Rule],
    found: &mut Sink,
) {
    let cx = ProjectCx {
        artifacts,
        root: settings.root,
        scope: settings.scope,
    };
    for rule in rules {
        if let Check::Project(check) = rule.check {
            let mut out = Findings::new(&rule.info);
            // Which file is at fault is not known: the finding is at the first one.
            let file = artifacts.first().map(|artifact| artifact.file);
            found.take(guarded(file.unwrap_or_default(), || check(&cx, &mut out)));
            out.into_inner().into_iter().for_each(|d| found.push(d));
        }
    }
}

fn suppressions(
    artifacts: &[Artifact],
    sources: &Sources,
    known: &[RuleInfo],
    found: &mut Sink,
) -> Suppressions {
    let mut all = Suppressions::default();
    for artifact in artifacts {
        let source = sources.get(artifact.file);
        let text = source.text();
        if let Some(syntax) = comments(source.path(), artifact) {
            let scanned = guarded(artifact.file, || {
                Suppressions::scan(artifact.file, text, syntax, known)
            });
            all.absorb(found.take(scanned).unwrap_or_default());
        }
        let dashboards = artifact.readings().flat_map(|a| &a.dashboards);
        let mut seen = BTreeSet::new();
        for dashboard in dashboards {
            let whole = std::iter::once((&dashboard.description, dashboard.span));
            let panels = dashboard
                .panels
                .iter()
                .map(|panel| (&panel.description, panel.span));
            for (description, covers) in whole.chain(panels) {
                if let Some(words) = description
                    && seen.insert((words.span(), covers))
                {
                    all.describe(words.span(), &words.value, covers, text.len(), known);
                }
            }
        }
    }
    all
}

fn comments(path: &Path, artifact: &Artifact) -> Option<Syntax> {
    if artifact.kind == Kind::Markdown {
        return Some(Syntax::Markdown);
    }
    let json = path.extension().is_some_and(|e| e == "json");
    (!json).then_some(Syntax::Yaml)
}
