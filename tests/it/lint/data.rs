//! No fix takes data away, and none leaves its finding: on queries of every family in every spelling, on every recorded release.
//!
//! A store holds a release's families in one spelling. A query has data if the selectors that its result needs select one.

use std::collections::BTreeMap;
use std::path::Path;

use slosmith::artifact;
use slosmith::catalog::Product;
use slosmith::catalog::{Catalog, Family, Release, Selection};
use slosmith::config::Config;
use slosmith::diag::{Diagnostic, fix};
use slosmith::lint::{Scope, Settings, run};
use slosmith::promql::ast::{BinaryOp, Expr, ExprKind, MatchOp, Selector};
use slosmith::promql::{alternatives, matches, parse};
use slosmith::source::{SourceFile, Sources};

/// How stores begin the names of vLLM.
const SPELLINGS: [&str; 5] = ["vllm:", "vllm_", "ray_vllm:", "ray_vllm_", "kserve_vllm:"];

/// This rule changes the spelling: its fix is for stores that have the other one.
const OF_SPELLING: &str = "normalised-name";

/// Numbers that look random, and are the same in each run.
struct Dice(u64);

impl Dice {
    fn of<T: Copy>(&mut self, sides: &[T]) -> T {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        sides[(self.0 >> 33) as usize % sides.len()]
    }
}

/// A query of a family, of any shape, whether it makes sense or not.
fn query(dice: &mut Dice, name: &str) -> String {
    let suffix = dice.of(&["", "", "", "_bucket", "_sum", "_count"]);
    let name = match dice.of(&[0, 0, 0, 1]) {
        0 => format!("{name}{suffix}"),
        _ => name.trim_end_matches("_total").to_owned(),
    };
    let matchers = dice.of(&[
        "",
        "{job=\"x\"}",
        "{le=\"1\"}",
        "{le=\"10.0\"}",
        "{le!=\"5\"}",
    ]);
    let series = match dice.of(&[0, 0, 0, 1, 2]) {
        0 => format!("{name}{matchers}"),
        1 => format!("{{__name__=\"{name}\"}}"),
        _ => format!("{{__name__=~\"{name}|other\"}}"),
    };
    let value = match dice.of(&[
        "",
        "rate",
        "rate",
        "increase",
        "delta",
        "avg_over_time",
        "of sum",
    ]) {
        "" => series,
        "of sum" => format!("rate(sum({series})[5m:1m])"),
        function => format!("{function}({series}[5m])"),
    };
    let summed = match dice.of(&[
        "",
        "sum",
        "sum by (model_name)",
        "sum by (le)",
        "avg",
        "max by (le, job)",
    ]) {
        "" => value,
        aggregation => format!("{aggregation} ({value})"),
    };
    let quantile = match dice.of(&[
        "",
        "",
        "histogram_quantile(0.95, ",
        "histogram_quantile(95, ",
    ]) {
        "" => summed,
        function => format!("{function}{summed})"),
    };
    let compared = dice.of(&[
        "",
        " > 95",
        " * 100 > 0.7",
        " > 500",
        " < 5",
        " / 2 >= 2",
        " or up",
        " and on () up",
    ]);
    format!("{quantile}{compared}")
}

/// The findings of queries, each with its query.
fn findings(
    queries: &[String],
    catalog: &Catalog,
    selection: &Selection,
) -> (Vec<(usize, Diagnostic)>, Sources) {
    let mut text = "groups:\n- name: a\n  rules:\n".to_owned();
    for (at, query) in queries.iter().enumerate() {
        text.push_str(&format!("  - {{record: \"a:b:r{at}\", expr: '{query}'}}\n"));
    }
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new("a.yaml", text.as_str()));
    let artifact = artifact::read(file, Path::new("a.yaml"), &text).expect("YAML");
    let vllm = Product {
        key: "vllm".to_owned(),
        name: "vLLM".to_owned(),
        is_guess: false,
        catalog,
        selection: selection.clone(),
        profiles: Vec::new(),
    };
    let scope = Scope::new(vec![vllm]);
    let settings = Settings {
        scope: &scope,
        config: &Config::default(),
        vllm: None,
        today: "2026-11-21".parse().expect("a date"),
        root: Path::new("."),
    };
    let found = run(&[artifact], &sources, &settings);
    let line = |d: &Diagnostic| text[..d.span.range().start].matches('\n').count() - 3;
    (found.into_iter().map(|d| (line(&d), d)).collect(), sources)
}

/// The text of a query in a line that [`findings`] writes.
fn expr_of(text: &str, at: usize) -> String {
    let line = text.lines().nth(at + 3).expect("a line");
    let (_, expr) = line.split_once("expr: '").expect("a query");
    expr.strip_suffix("'}").expect("its end").to_owned()
}

/// A release whose names a store keeps in one spelling, and its bucket boundaries as they are or without `.0`.
struct Store<'a> {
    catalog: &'a Catalog,
    release: &'a Release,
    spelling: &'a str,
    is_short: bool,
}

impl Store<'_> {
    fn has_data(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Selector(selector) => self.selects(selector),
            ExprKind::Range(range) => self.selects(&range.selector),
            ExprKind::Subquery(subquery) => self.has_data(&subquery.expr),
            ExprKind::Call(call) => call.args.iter().all(|arg| self.has_data(arg)),
            ExprKind::Aggregate(aggregate) => self.has_data(&aggregate.expr),
            ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => self.has_data(inner),
            ExprKind::Binary(binary) => match binary.op {
                BinaryOp::Or => self.has_data(&binary.lhs) || self.has_data(&binary.rhs),
                BinaryOp::Unless => self.has_data(&binary.lhs),
                _ => self.has_data(&binary.lhs) && self.has_data(&binary.rhs),
            },
            _ => true,
        }
    }

    fn selects(&self, selector: &Selector) -> bool {
        let named = selector
            .matchers
            .iter()
            .find(|m| m.label.text == "__name__");
        let names: Vec<&str> = match (&selector.metric, named) {
            (Some(metric), _) => vec![&metric.text],
            (None, Some(m)) if m.op == MatchOp::Match => {
                let value = m.value.value.as_str();
                let places = alternatives(value).expect("names");
                places.into_iter().map(|place| &value[place]).collect()
            }
            (None, m) => m.map(|m| m.value.value.as_str()).into_iter().collect(),
        };
        names.into_iter().any(|name| {
            let own = name
                .strip_prefix(self.spelling)
                .map(|rest| format!("vllm:{rest}"));
            let family = own.as_deref().and_then(|own| self.catalog.series_of(own));
            let served = |family: &Family| family.is_on(self.release);
            family.is_some_and(|(family, _)| served(family) && self.has_bucket(family, selector))
        })
    }

    fn has_bucket(&self, family: &Family, selector: &Selector) -> bool {
        let shapes = family.shapes().iter();
        let bounds: Vec<_> = shapes.flat_map(|shape| &shape.buckets).collect();
        let mut of_le = selector.matchers.iter().filter(|m| m.label.text == "le");
        of_le.all(|m| {
            let fits = |bound: &&String| {
                let stored = bound
                    .strip_suffix(".0")
                    .filter(|_| self.is_short)
                    .unwrap_or(bound);
                let value = m.value.value.as_str();
                match m.op {
                    MatchOp::Equal => stored == value,
                    MatchOp::NotEqual => stored != value,
                    MatchOp::Match => matches(value, stored).unwrap_or(true),
                    MatchOp::NotMatch => !matches(value, stored).unwrap_or(false),
                }
            };
            bounds.iter().any(fits)
        })
    }
}

fn count<'d>(found: impl Iterator<Item = &'d (usize, Diagnostic)>, code: &str) -> usize {
    found.filter(|(_, d)| d.code == code).count()
}

#[test]
fn no_fix_takes_data_away_or_leaves_its_finding() {
    on_every(36);
}

#[test]
#[ignore = "ci"]
fn no_fix_takes_data_away_or_leaves_its_finding_on_any_release() {
    on_every(1);
}

/// Checks the fixes on every `step`th release.
fn on_every(step: usize) {
    let catalog = Catalog::vllm();
    let all = catalog.select_all();
    let mut fixed: BTreeMap<&str, usize> = BTreeMap::new();
    for turn in (0..all.releases.len()).step_by(step) {
        let mut dice = Dice(turn as u64);
        let mut selection = all.clone();
        let last = (turn + dice.of(&[1, 1, 2, 9])).min(all.releases.len());
        selection.releases = all.releases[turn..last].to_vec();
        let mut spelled = Vec::new();
        for family in catalog.families() {
            let Some(own) = family.name().strip_prefix("vllm:") else {
                continue;
            };
            // Most fixes are for the first spelling.
            let spellings = SPELLINGS.iter().chain(&["vllm:"; 7]);
            spelled.extend(spellings.map(|spelling| (*spelling, format!("{spelling}{own}"))));
        }
        let before: Vec<_> = spelled
            .iter()
            .map(|(_, name)| query(&mut dice, name))
            .collect();
        let (found, sources) = findings(&before, catalog, &selection);
        let with_fix = found.iter().filter(|(_, d)| d.details.fix.is_some());
        let fixes: Vec<_> = with_fix
            .map(|(at, d)| {
                let outcome = fix::apply(&sources, std::slice::from_ref(d), true);
                let file = outcome.files.values().next().expect("a fixed file");
                (*at, d.code, expr_of(&file.text, *at))
            })
            .collect();
        let after: Vec<_> = fixes.iter().map(|(_, _, query)| query.clone()).collect();
        let (left, _) = findings(&after, catalog, &selection);
        for (new, (at, code, query)) in fixes.iter().enumerate() {
            *fixed.entry(code).or_default() += 1;
            let old = &before[*at];
            let had = count(found.iter().filter(|(line, _)| line == at), code);
            let has = count(left.iter().filter(|(line, _)| *line == new), code);
            assert!(
                has < had,
                "{code} is left on {}:\n{old}\n{query}",
                catalog.describe(&selection.releases)
            );
            if *code == OF_SPELLING {
                continue;
            }
            let (old_expr, new_expr) =
                (parse(old).expect("a query"), parse(query).expect("a query"));
            for release in selection.releases.iter().map(|id| catalog.release(*id)) {
                for is_short in [false, true] {
                    let spelling = spelled[*at].0;
                    let store = Store {
                        catalog,
                        release,
                        spelling,
                        is_short,
                    };
                    assert!(
                        !store.has_data(&old_expr) || store.has_data(&new_expr),
                        "{code} takes data away on {} ({spelling}):\n{old}\n{query}",
                        release.version(),
                    );
                }
            }
        }
    }
    let codes = [
        "future-metric",
        "fraction-as-percent",
        "le-spelling",
        "removed-metric",
        "quantile-without-le",
    ];
    for code in codes {
        assert!(fixed.get(code).is_some_and(|n| *n > 3), "{code}: {fixed:?}");
    }
}
