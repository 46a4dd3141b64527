//! Every rule finds the mistakes of its `err` fixtures and nothing in its `ok` fixtures, and its fixes work.
//!
//! `tests/fixtures/rules/<rule>.md` has files, or folders of files that are linted together, whose names begin with `ok` or
//! `err`. A block `slosmith.toml` holds the configuration of a case.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use similar::TextDiff;
use slosmith::artifact::{self, Artifact};
use slosmith::catalog::{Catalog, Embedded, Product, Range};
use slosmith::config::Config;
use slosmith::diag::render::{Format, Report, render};
use slosmith::diag::{Applicability, Diagnostic, fix};
use slosmith::lint::date::Date;
use slosmith::lint::live::{Live, Refused, Server, Vector};
use slosmith::lint::rules::{self, CERTAIN, LIMITS, RULES, SECTIONS, infos};
use slosmith::lint::{Check, Scope, Settings, run};
use slosmith::promql;
use slosmith::promql::ast::ExprKind;
use slosmith::promql::sampled::{Labels, Model};
use slosmith::source::{SourceFile, Sources, Span, Spanned};

use crate::markdown::{self, Case};
use crate::trial::{Needs, trial};

/// The release that fixtures are checked against unless their configuration sets another one.
const RELEASE: &str = "0.33.0";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules")
}

fn page(rule: &str) -> PathBuf {
    fixtures().join(format!("{rule}.md"))
}

/// The cases of a rule whose names begin with `ok` or `err`.
fn cases(rule: &str, kind: &str) -> Vec<Case> {
    let mut all = markdown::cases(&page(rule));
    all.retain(|case| case.name.starts_with(kind));
    all
}

/// Lints texts; gives back the findings of one rule, or of all.
pub(crate) fn findings(
    case: &Case,
    rule: Option<&str>,
) -> (Vec<Diagnostic>, Sources, Vec<Artifact>) {
    let mut sources = Sources::default();
    let is_config = |(path, _): &&(String, String)| path.ends_with("slosmith.toml");
    let config = case.files.iter().find(is_config);
    let config = config.map_or("", |(_, text)| text.as_str());
    let config = sources.add(SourceFile::new("slosmith.toml", config));
    let config = Config::read(config, &sources);
    let mut config = config.unwrap_or_else(|e| panic!("{}: {e:?}", case.name));
    if config.choice.select.is_empty() {
        let all = Spanned::new("all".to_owned(), Span::default());
        config.choice.select.push(all);
    }
    let mut artifacts = Vec::new();
    let is_server = |(path, _): &&(String, String)| Path::new(path).ends_with(SERVER);
    let server = case.files.iter().find(is_server);
    let server = server.map(|(_, text)| Made::of(text));
    let is_linted = |file: &&(String, String)| !is_config(file) && !is_server(file);
    for (path, text) in case.files.iter().filter(is_linted) {
        let path = Path::new(path);
        let file = sources.add(SourceFile::new(path, text.as_str()));
        let read = artifact::read(file, path, text);
        artifacts.push(read.unwrap_or_else(|e| panic!("{}: {}", path.display(), e.fault.message)));
    }
    let catalog = Catalog::vllm();
    let range = config.vllm.as_ref().map(|range| range.value.clone());
    let range = range.unwrap_or_else(|| RELEASE.parse::<Range>().expect("a range"));
    let product = Product {
        key: "vllm".to_owned(),
        name: "vLLM".to_owned(),
        is_guess: false,
        catalog,
        selection: catalog.select(&range).expect("a recorded release"),
        profiles: config.profiles.iter().map(|p| p.value.clone()).collect(),
    };
    let texts = sources.iter().map(|(_, file)| file.text());
    let others = Embedded::in_texts(texts).into_iter().map(|other| {
        let mut ranges = config.products.iter();
        let range = ranges.find(|(name, _)| name.value == other.name);
        let range = range.map(|(_, range)| range);
        Product::new(other.name, other.catalog(), range).expect("recorded releases")
    });
    let products = std::iter::once(product).chain(others).collect();
    let scope = Scope::configured(products, &config);
    let scope = scope.asking(server.as_ref().map(|made| Live(made)));
    let root = fixtures();
    let settings = Settings {
        scope: &scope,
        config: &config,
        vllm: None,
        today: "2026-11-21".parse::<Date>().expect("a day"),
        root: &root,
    };
    let mut found = run(&artifacts, &sources, &settings);
    found.retain(|d| rule.is_none_or(|rule| d.code == rule));
    (found, sources, artifacts)
}

/// The name of a block with the series of a server: `metric{labels} value`, `# ended` behind a series that ended half a day
/// ago, and `# takes 2s and reads 10 samples`.
const SERVER: &str = "server";

/// Minutes of history of a made-up server.
const MINUTES: usize = 8 * 1_440;

/// A server whose series have one value for all time.
struct Made {
    model: Model,
    cost: (f64, u64),
}

impl Made {
    fn of(text: &str) -> Self {
        let mut model = Model::new(0, 60, MINUTES, false);
        let mut cost = (0.001, 10);
        for line in text.lines() {
            if let Some(words) = line.strip_prefix("# takes ") {
                let (seconds, samples) = words.split_once("s and reads ").expect("a cost");
                let samples = samples.trim_end_matches(" samples");
                let number = |text: &str| text.parse().expect("a number");
                cost = (number(seconds), number(samples) as u64);
                continue;
            }
            let (line, ends) = match line.strip_suffix(" # ended") {
                Some(line) => (line, MINUTES - 720),
                None => (line, MINUTES),
            };
            let (series, value) = line.rsplit_once(' ').expect("a value");
            let selector = promql::parse(series).expect("a series");
            let ExprKind::Selector(selector) = &selector.kind else {
                panic!("{series}");
            };
            let matchers = selector.matchers.iter();
            let mut labels: Labels = matchers
                .map(|m| (m.label.text.clone(), m.value.value.clone()))
                .collect();
            let name = selector.metric.as_ref().expect("a name");
            labels.insert("__name__".into(), name.text.clone());
            let value: f64 = value.parse().expect("a number");
            let samples = (0..MINUTES).map(|minute| (minute < ends).then_some(value));
            model.add(labels, samples.collect(), 1);
        }
        Self { model, cost }
    }
}

impl Server for Made {
    fn instant(&self, query: &str) -> Result<Vector, Refused> {
        let now = (MINUTES as i64 - 1) * 60;
        let expr = promql::parse(query).expect("PromQL");
        let elements = self.model.elements(&expr, now);
        match elements {
            Some(elements) => Ok(Vector {
                elements,
                seconds: self.cost.0,
                samples: Some(self.cost.1),
            }),
            None => Err(Refused::Query("many-to-many matching not allowed".into())),
        }
    }
}

fn names_of_rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.info.name)
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut all = trials! {
        "rules",
        Nothing:
            trial every_rule_has_a_page_and_every_page_a_rule,
            trial rules_are_named_and_documented_alike,
            trial pages_have_the_same_sections,
            trial rules_declare_their_fixes;
    };
    for rule in names_of_rules() {
        all.extend(cases(rule, "ok").into_iter().map(|case| {
            let name = format!("rules::{rule}::{}", case.name);
            trial(name, Needs::Nothing, move || is_clean(rule, &case))
        }));
        all.extend(cases(rule, "err").into_iter().map(|case| {
            let name = format!("rules::{rule}::{}", case.name);
            trial(name, Needs::Nothing, move || {
                is_found(rule, &case);
                is_fixed(rule, &case);
            })
        }));
    }
    all
}

fn every_rule_has_a_page_and_every_page_a_rule() {
    let known: BTreeSet<_> = names_of_rules().collect();
    for rule in &known {
        for kind in ["ok", "err"] {
            assert!(
                !cases(rule, kind).is_empty(),
                "{rule} has no `{kind}` fixture"
            );
        }
    }
    for entry in std::fs::read_dir(fixtures()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(known.contains(&*name), "{name} is no rule");
    }
}

fn is_clean(rule: &str, case: &Case) {
    let (found, sources, _) = findings(case, Some(rule));
    let text = render(Format::Concise, &Report::new(&found, &sources, &[]));
    assert!(found.is_empty(), "{text}");
}

/// The last block is what a person sees.
fn is_found(rule: &str, case: &Case) {
    let (found, sources, _) = findings(case, Some(rule));
    assert!(!found.is_empty(), "nothing found");
    let text = render(Format::Human, &Report::new(&found, &sources, &[]));
    case.check(&page(rule), "text", &text);
}

/// Every fix removes its finding, keeps the file valid and adds no other finding; the page shows all of them together.
fn is_fixed(rule: &str, case: &Case) {
    let (found, sources, artifacts) = findings(case, None);
    let count = |all: &[Diagnostic], code: &str| all.iter().filter(|d| d.code == code).count();
    let mut fixable = found.clone();
    fixable.retain(|d| d.code == rule && d.details.fix.is_some());
    let mut changes = String::new();
    for (file, fixed) in fix::apply(&sources, &fixable, true).files {
        let diff = TextDiff::from_lines(sources.get(file).text(), &fixed.text);
        changes += &diff.unified_diff().context_radius(0).to_string();
    }
    case.check(&page(rule), "diff", &changes);
    for finding in &fixable {
        let file = finding.span.file;
        let outcome = fix::apply(&sources, std::slice::from_ref(finding), true);
        assert!(outcome.left.is_empty(), "{:?}", outcome.left);
        let at = artifacts.iter().position(|a| a.file == file);
        let mut after = case.clone();
        after.files[at.expect("the file")].1 = outcome.files[&file].text.clone();
        let (left, _, _) = findings(&after, None);
        let what = &finding.message;
        assert!(
            count(&left, rule) < count(&found, rule),
            "still there: {what}"
        );
        for new in &left {
            let (before, after) = (count(&found, new.code), count(&left, new.code));
            assert!(after <= before, "{what}: the fix leaves {}", new.message);
        }
    }
}

/// The headings of a page, with the level.
fn headings(page: &str) -> Vec<&str> {
    let mut in_code = false;
    let headings = page.lines().filter(|line| {
        in_code ^= line.starts_with("```");
        !in_code && line.starts_with('#')
    });
    headings.collect()
}

fn pages_have_the_same_sections() {
    for info in infos() {
        let mut expected = vec![format!("## {}", info.name)];
        expected.extend(SECTIONS.map(|section| format!("### {section}")));
        let limits = format!("### {LIMITS}");
        let page = rules::page(&info);
        let found = headings(&page);
        if found.contains(&limits.as_str()) {
            expected.push(limits);
        }
        expected.push(format!("### {CERTAIN}"));
        expected.extend(["### Fix", "### How to turn it off"].map(str::to_owned));
        assert_eq!(found, expected, "{}", info.name);
        let empty = page.split("\n### ").skip(1).find(|section| {
            let text = section.split_once('\n').map(|(_, text)| text.trim());
            text.is_none_or(str::is_empty)
        });
        assert_eq!(empty, None, "{}", info.name);
    }
}

/// Unsafe fixes that lead to a finding of another rule, so that no fixture may have them.
const LEAD_ON: [&str; 1] = ["quantile-of-non-histogram"];

/// A rule emits the kinds of fixes that it declares, and no others.
fn rules_declare_their_fixes() {
    let kinds = [Applicability::Safe, Applicability::Unsafe];
    for rule in RULES {
        let name = rule.info.name;
        let found = cases(name, "err").into_iter();
        let found: Vec<_> = found
            .flat_map(|case| findings(&case, Some(name)).0)
            .collect();
        let emits = |kind| {
            let mut fixes = found.iter().filter_map(|d| d.details.fix.as_ref());
            fixes.any(|fix| fix.applicability == kind)
        };
        for kind in kinds {
            let is_declared = rule.info.fixes.of(kind).is_some();
            if kind == Applicability::Unsafe && LEAD_ON.contains(&name) {
                assert!(is_declared, "{name}: {kind:?}");
            } else {
                assert_eq!(emits(kind), is_declared, "{name}: {kind:?}");
            }
        }
    }
}

fn rules_are_named_and_documented_alike() {
    let kebab = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let mut names = BTreeSet::new();
    for info in infos() {
        assert!(kebab(info.name), "{}", info.name);
        assert!(names.insert(info.name), "{} appears twice", info.name);
        assert!(
            !info.summary.ends_with('.') && !info.docs().is_empty(),
            "{}",
            info.name
        );
    }
    let elsewhere = RULES.iter().filter(|r| matches!(r.check, Check::Elsewhere));
    let elsewhere: Vec<_> = elsewhere.map(|r| r.info.name).collect();
    assert_eq!(elsewhere, ["query-too-deep", "policy"]);
}
