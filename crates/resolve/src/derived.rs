//! Signals that the library computes with PromQL of its own, and the facts of the spec that they need.
//!
//! `vllm.output_token_cost` divides the price of all GPUs by their tokens: `$gpu_hour` in its `promql` is `runtime.gpu_hour`, `$by` the
//! labels of `group_by` that its metrics have. Each metric is read as the library's signal of it: same names, same selection.

use std::rc::Rc;

use super::context::{Context, Outcome};
use super::family::Unbound;
use slosmith_catalog::split_series;
use slosmith_plan::plan::{Raw, Signal, Source};
use slosmith_promql::ast::Selector;
use slosmith_promql::{self as promql, visit};
use slosmith_spec::spec::FamilyKind;
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::source::Span;
use slosmith_text::units::{Number, Unit, decimal};

/// Facts of a spec: the word in PromQL, the field, and how to set it.
const FACTS: [(&str, &str, &str); 3] = [
    (
        "$gpus_per_engine",
        "runtime.gpus_per_engine",
        "runtime: {gpus_per_engine: 8}",
    ),
    (
        "$gpu_hour",
        "runtime.gpu_hour",
        "runtime: {gpu_hour: 2.50 USD}",
    ),
    (
        "$capacity",
        "load_tests.capacity",
        "load_tests: {capacity: peak}",
    ),
];

/// The series that Prometheus writes for each target, which has the labels of the target only.
const UP: &str = "up";

/// Reports facts that no signal can be computed with.
pub(super) fn check(cx: &mut Context<'_>) {
    let runtime = cx.spec.runtime.as_ref().map(|runtime| &runtime.value);
    if let Some(gpus) = runtime
        .and_then(|r| r.gpus_per_engine)
        .filter(|g| g.value == 0)
    {
        let message = "`gpus_per_engine` must be 1 or more; found 0";
        let error = Diagnostic::error("bad-threshold", gpus.span, message);
        cx.sink
            .push(error.help("write tensor parallel size × pipeline parallel size"));
    }
    if let Some(price) = runtime.and_then(|r| r.gpu_hour.as_ref()) {
        let message = match price.value.money() {
            None => Some(format!("`{price}` is not the price of an hour")),
            Some((_, amount)) if amount <= Number::from_integer(0) => {
                Some(format!("`gpu_hour` must be above 0; found `{price}`"))
            }
            Some(_) => None,
        };
        if let Some(message) = message {
            let error = Diagnostic::error("wrong-unit", price.span, message);
            cx.sink
                .push(error.help("write an amount and a currency, such as `2.50 USD`"));
        }
    }
    let Some(tests) = &cx.spec.beta.load_tests else {
        return;
    };
    let Some(capacity) = &tests.capacity else {
        return;
    };
    let error = match tests.scenarios.get(capacity.value.as_str()) {
        None => {
            let known = tests.scenarios.keys().map(|k| k.value.as_str());
            let message = format!("unknown scenario `{capacity}`");
            Diagnostic::error("unknown-name", capacity.span, message)
                .maybe_help(did_you_mean(&capacity.value, known))
        }
        Some(scenario) if scenario.rate.is_none() => {
            let message =
                format!("the scenario `{capacity}` has no `rate`, so it proves no capacity");
            Diagnostic::error("missing-field", capacity.span, message)
                .help("name a scenario with a `rate`, such as `rate: 50/s`")
        }
        Some(_) => return,
    };
    cx.sink.push(error);
}

fn fact(cx: &Context<'_>, word: &str) -> Option<Number> {
    let runtime = cx.spec.runtime.as_ref().map(|runtime| &runtime.value);
    match word {
        "$gpus_per_engine" => Some(Number::from_integer(runtime?.gpus_per_engine?.value.into())),
        "$gpu_hour" => Some(runtime?.gpu_hour.as_ref()?.value.money()?.1),
        _ => {
            let tests = cx.spec.beta.load_tests.as_ref()?;
            let scenario = tests
                .scenarios
                .get(tests.capacity.as_ref()?.value.as_str())?;
            let rate = &scenario.rate.as_ref()?.value;
            let per = rate.per().map_or(1, |per| i128::from(per.seconds));
            Some(rate.of(Unit::Requests, true).ok()? / per)
        }
    }
}

fn is_set(cx: &Context<'_>, word: &str) -> bool {
    let (runtime, tests) = (&cx.spec.runtime, &cx.spec.beta.load_tests);
    match word {
        "$gpu_hour" => runtime.as_ref().is_some_and(|r| r.value.gpu_hour.is_some()),
        "$capacity" => tests.as_ref().is_some_and(|t| t.capacity.is_some()),
        _ => false,
    }
}

/// Binds a library signal with PromQL; `at` is where the spec names it. `parts` are the library's signals of its
/// metrics. The unit of a price is the currency of the spec.
pub(super) fn resolve(
    cx: &mut Context<'_>,
    mut unbound: Unbound,
    is_price: bool,
    parts: &[Rc<Signal>],
    text: &str,
    at: Span,
) -> Outcome {
    let mut text = text.to_owned();
    for (word, field, example) in FACTS {
        if !text.contains(word) {
            continue;
        }
        let Some(value) = fact(cx, word) else {
            if is_set(cx, word) {
                // Reported by `check`.
                return Outcome::Failed;
            }
            let message = format!("`{}` needs `{field}`", cx.name_in_spec(&unbound.name));
            let error = Diagnostic::error("missing-field", at, message);
            return cx.fail(error.help(format!("add `{example}`")));
        };
        text = text.replace(word, &decimal(value));
    }
    let mut labels = parts
        .first()
        .map_or_else(Vec::new, |part| cx.usual_labels(part));
    labels.retain(|label| parts.iter().all(|part| part.labels.contains(label)));
    let by = labels.join(", ");
    let server = labels.iter().map(String::as_str).chain(["instance"]);
    let text = text
        .replace("$server", &server.collect::<Vec<_>>().join(", "))
        .replace("$target", &cx.labels_of_targets().join(", "))
        .replace("$by", &by);
    let Ok(mut expr) = promql::parse(&text) else {
        return Outcome::Failed;
    };
    let of_target = cx.labels_of_targets();
    visit::selectors_mut(&mut expr, &mut |selector| bind(selector, parts, &of_target));
    let money = cx
        .spec
        .runtime
        .as_ref()
        .and_then(|r| r.value.gpu_hour.as_ref()?.value.money());
    if let Some((currency, _)) = money.filter(|_| is_price) {
        unbound.unit = Unit::Money(currency);
    }
    let raw = Raw {
        kind: FamilyKind::Gauge,
        expr,
        buckets: Vec::new(),
        recorded: true,
    };
    Outcome::Ready(Rc::new(unbound.with(Source::Raw(Box::new(raw)), labels)))
}

/// Reads a metric as its signal does.
fn bind(selector: &mut Selector, parts: &[Rc<Signal>], of_target: &[String]) {
    let Some(metric) = &mut selector.metric else {
        return;
    };
    let (base, series) = split_series(&metric.text);
    let of = |part: &&Rc<Signal>| part.family().is_some_and(|f| f.served.newest() == base);
    let family = parts
        .iter()
        .find(of)
        .or(parts.first())
        .and_then(|part| part.family());
    let Some(family) = family else { return };
    let up = metric.text == UP;
    if !up {
        metric.text = format!("{}{}", family.names.newest(), series.suffix());
    }
    let matchers = family.matchers.iter();
    let matchers = matchers.filter(|(label, ..)| !up || of_target.contains(label));
    *selector = selector.clone().with_matchers(matchers);
}
