//! One spec, every recorded release: where it builds, each query is alive on each release; where it does
//! not, each error names what that release really lacks.

use slosmith::catalog::{Catalog, DEFAULT_PROFILE, Range, ReleaseId};
use slosmith::diag::Diagnostic;
use slosmith::plan::Plan;
use slosmith::promql;
use slosmith::promql::ast::{BinaryOp, Expr, ExprKind};
use slosmith::resolve::{self, Options};
use slosmith::source::FileId;

const SPECS: [&str; 2] = ["vllm-serving", "mangaassist"];

fn build(spec: &str, range: &str) -> Result<Plan, Vec<Diagnostic>> {
    let path = format!("{}/specs/{spec}.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a spec");
    let document = crate::bundled::read(&text).expect("a valid spec");
    let options = Options {
        vllm: Some(range),
        ..Options::default()
    };
    resolve::resolve(&document, options)
        .map(|(plan, _)| plan)
        .map_err(slosmith::diag::Sink::into_sorted)
}

/// Every query of a plan with a name for messages.
fn queries(plan: &Plan) -> Vec<(String, &Expr)> {
    let mut all: Vec<(String, &Expr)> = Vec::new();
    for slo in &plan.slos {
        if let Some(counted) = &slo.events.counted {
            all.push((format!("{} bad", slo.name), &counted.bad));
            all.push((format!("{} total", slo.name), &counted.total));
        }
        let ratios = slo.events.ratios.iter();
        all.extend(ratios.map(|r| (slo.name.clone(), &r.expr)));
    }
    let records = plan.records.iter();
    all.extend(records.map(|r| (r.name.clone(), &r.query.expr)));
    for alert in &plan.alerts {
        all.push((alert.name.clone(), &alert.condition.query().expr));
        let records = alert.records.iter();
        all.extend(records.map(|r| (alert.name.clone(), &r.query.expr)));
    }
    all
}

/// The recorded family of a series, if it is one of vLLM's.
fn family(series: &str) -> Option<&'static str> {
    let (family, _) = Catalog::vllm().series_of(series)?;
    Some(family.name())
}

fn is_on(family: &str, release: ReleaseId) -> bool {
    Catalog::vllm()
        .shape(family, release, &[DEFAULT_PROFILE])
        .is_some()
}

/// True when the query can give something on a release: each side of an `or` may be missing, nothing else.
fn is_alive(expr: &Expr, release: ReleaseId) -> bool {
    let served = |name: Option<&promql::ast::Name>| {
        let family = name.and_then(|name| family(&name.text));
        family.is_none_or(|family| is_on(family, release))
    };
    match &expr.kind {
        ExprKind::Selector(selector) => served(selector.metric.as_ref()),
        ExprKind::Range(range) => served(range.selector.metric.as_ref()),
        ExprKind::Binary(b) => match b.op {
            BinaryOp::Or => is_alive(&b.lhs, release) || is_alive(&b.rhs, release),
            BinaryOp::Unless => is_alive(&b.lhs, release),
            _ => is_alive(&b.lhs, release) && is_alive(&b.rhs, release),
        },
        _ => promql::visit::children(expr).all(|child| is_alive(child, release)),
    }
}

/// Every family in every query is on some release, and every query is alive on all.
fn check_plan(plan: &Plan, range: &str) {
    let catalog = Catalog::vllm();
    let range: Range = range.parse().expect("a range");
    let selection = catalog.select(&range).expect("releases");
    let mut families = 0;
    for (name, expr) in queries(plan) {
        for selector in promql::selectors(expr) {
            // A pattern of a name selects what some releases lack.
            let Some(metric) = selector.metric.as_ref() else {
                let mut labels = selector.matchers.iter().map(|m| m.label.text.as_str());
                assert!(
                    labels.any(|label| label == "__name__"),
                    "{range}: {name}: {expr}"
                );
                continue;
            };
            let Some(family) = family(&metric.text) else {
                assert!(!metric.text.starts_with("vllm:"), "{range}: {name}: {expr}");
                continue;
            };
            families += 1;
            let coverage = catalog.coverage(family, &selection, &[DEFAULT_PROFILE]);
            assert!(
                !coverage.present.is_empty(),
                "{range}: {name}: {family} is on no page"
            );
            if selection.releases.len() == 1 {
                assert!(coverage.absent.is_empty(), "{range}: {name}: {family}");
            }
        }
        for release in &selection.releases {
            let version = catalog.release(*release).version();
            assert!(
                is_alive(expr, *release),
                "{range}: {name} is dead on {version}: {expr}"
            );
        }
    }
    assert!(families > 10, "{range}: only {families} families");
}

/// The family that an error names must be missing, under all its names, on some release of the range.
fn check_error(error: &Diagnostic, range: &str) {
    let catalog = Catalog::vllm();
    let range: Range = range.parse().expect("a range");
    let selection = catalog.select(&range).expect("releases");
    // Releases before 0.8.3 do not label the engine; releases before 0.13 do not count its errors.
    let has = |id: &ReleaseId| {
        let shape = catalog.shape("vllm:request_success_total", *id, &[DEFAULT_PROFILE]);
        shape.is_some_and(|shape| match error.code {
            "unknown-label" => shape.has_label("engine"),
            _ => shape
                .domain("finished_reason")
                .is_some_and(|known| known.iter().any(|value| value == "error")),
        })
    };
    if ["unknown-label", "unknown-label-value"].contains(&error.code) {
        let all = selection.releases.iter().all(has);
        assert!(!all, "{range}: {}", error.message);
        return;
    }
    let quoted = error.message.split('`').skip(1).step_by(2);
    let named = quoted.filter_map(family).next();
    let family = named.unwrap_or_else(|| panic!("{range}: {}", error.message));
    match error.code {
        "future-metric" | "removed-metric" | "hidden-metric" => {
            let lineage = catalog.lineage();
            let newest = lineage.successor(family).unwrap_or(family);
            // PromQL in a spec has the name that it has; a signal has all names of its metric.
            let names = match error.message.starts_with(&format!("`{family}`")) {
                true => vec![family],
                false => std::iter::once(newest)
                    .chain(lineage.predecessors(newest))
                    .collect(),
            };
            let lacks = |r: &ReleaseId| names.iter().all(|name| !is_on(name, *r));
            assert!(
                selection.releases.iter().any(lacks),
                "{range}: {}",
                error.message
            );
        }
        "not-from-start" => {
            let there = catalog.present_from_start(family, &selection);
            assert!(!there, "{range}: {}", error.message);
        }
        code => panic!("{range}: {code}: {}", error.message),
    }
}

fn check(spec: &str, range: &str) -> bool {
    match build(spec, range) {
        Ok(plan) => check_plan(&plan, range),
        Err(errors) => {
            assert!(!errors.is_empty());
            errors.iter().for_each(|error| check_error(error, range));
            return false;
        }
    }
    true
}

fn versions() -> Vec<String> {
    let releases = Catalog::vllm().releases().iter();
    releases.map(|r| r.version().to_string()).collect()
}

#[test]
#[ignore = "ci"]
fn every_release_is_built_for_or_refused_for_a_reason() {
    let mut builds = Vec::new();
    for version in versions() {
        for spec in SPECS {
            if check(spec, &format!("=={version}")) {
                builds.push(format!("{spec} {version}"));
            }
        }
    }
    // Too strict would pass all checks above.
    for wanted in [
        "mangaassist 0.12.0",
        "vllm-serving 0.33.0",
        "mangaassist 0.33.0",
    ] {
        assert!(builds.iter().any(|b| b == wanted), "{wanted}: {builds:?}");
    }
}

/// A plain run has [`ranges_over_renames_build`].
#[test]
#[ignore = "ci"]
fn every_query_is_alive_on_every_release_of_a_range() {
    let versions = versions();
    let mut built = 0;
    for (i, first) in versions.iter().enumerate() {
        let ends = [i + 1, i + 3, i + 8, versions.len() - 1];
        for last in ends.iter().filter_map(|end| versions.get(*end)) {
            built += usize::from(check("vllm-production", &format!(">={first}, <={last}")));
        }
    }
    assert!(built > 50, "only {built} ranges build");
}

#[test]
fn ranges_over_renames_build() {
    for range in ["==0.12.0", ">=0.9,<0.13", "==0.33.0", ">=0.9.2,<0.11"] {
        assert!(check("vllm-production", range), "{range}");
    }
}

#[test]
fn an_old_release_is_refused_with_each_missing_signal_at_its_line() {
    let errors = build("vllm-serving", "==0.5.1").expect_err("0.5.1 lacks much");
    let path = format!("{}/specs/vllm-serving.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a spec");
    // What the specs that it extends lack is in their files.
    let of_it = errors.iter().filter(|e| e.span.file == FileId(2));
    let told: Vec<_> = of_it
        .map(|e| format!("{}: {}", &text[e.span.range()], e.message))
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}
