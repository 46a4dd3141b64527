//! Requests that meet several latency objectives at once, counted from vLLM's traces.
//!
//! Histograms cannot say which requests missed two objectives. A span of vLLM carries all latencies of one request, so an
//! OpenTelemetry collector counts the spans that meet all thresholds.

use super::boundary;
use crate::context::Context;
use crate::matchers;
use slosmith_plan::plan::{Family, Names, Signal, Source, SpanCount};
use slosmith_plan::query::Events;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Across, FamilyKind, Text};
use slosmith_text::diag::{Diagnostic, one_of};
use slosmith_text::units::{Number, Unit, decimal};

/// Latencies in the attributes of a span, by family: OTTL that is true within a threshold, which stands for `$`.
const SPAN: [(&str, &str); 6] = [
    (
        "vllm:time_to_first_token_seconds",
        r#"attributes["gen_ai.latency.time_to_first_token"] <= $"#,
    ),
    (
        "vllm:request_time_per_output_token_seconds",
        // No second token: nothing to wait for.
        r#"attributes["gen_ai.latency.time_in_model_decode"] <= $ * (Double(attributes["gen_ai.usage.completion_tokens"]) - 1.0)"#,
    ),
    (
        "vllm:e2e_request_latency_seconds",
        r#"attributes["gen_ai.latency.e2e"] <= $"#,
    ),
    (
        "vllm:request_queue_time_seconds",
        r#"attributes["gen_ai.latency.time_in_queue"] <= $"#,
    ),
    (
        "vllm:request_prefill_time_seconds",
        r#"attributes["gen_ai.latency.time_in_model_prefill"] <= $"#,
    ),
    (
        "vllm:request_decode_time_seconds",
        r#"attributes["gen_ai.latency.time_in_model_decode"] <= $"#,
    ),
];

/// One finished request. The span of a request without a token has zeros for latencies, so it counts as bad.
const REQUEST: &str = r#"name == "llm_request""#;
const ANSWERED: &str = r#"attributes["gen_ai.usage.completion_tokens"] > 0"#;

/// The counted requests of an objective.
pub(super) fn events(
    cx: &mut Context<'_>,
    name: &Text,
    slo: &spec::Slo,
    goodput: &spec::Goodput,
) -> Option<Events> {
    if let Some(label) = slo.groups.matchers.keys().next() {
        let message =
            "`where` cannot filter a `goodput` SLI: spans do not have the labels of metrics";
        cx.reject_field("where", label.span, message);
    }
    let mut conditions = vec![REQUEST.to_owned(), ANSWERED.to_owned()];
    let mut labels = Vec::new();
    for of in &goodput.of {
        let (signal, within) = objective(cx, of)?;
        labels = cx.slo_labels(slo, &[&signal]);
        let known = signal.family().and_then(|family| {
            SPAN.into_iter()
                .find(|(served, _)| *served == family.served.newest())
        });
        let Some((_, condition)) = known else {
            let message = format!("vLLM's traces do not contain `{}`", signal.name);
            let error = Diagnostic::error("wrong-kind", of.span, message);
            let help = "use objectives on `vllm.time_to_first_token`, `vllm.request_time_per_output_token` or `vllm.e2e_request_latency`";
            cx.sink.push(error.help(help));
            return None;
        };
        if let Some(label) = selected(cx, &signal) {
            let message = format!("`{of}` selects series by `{label}`, which spans do not have");
            let error = Diagnostic::error("wrong-kind", of.span, message);
            cx.sink
                .push(error.help("use an objective on all requests of the service"));
            return None;
        }
        conditions.push(condition.replace('$', &decimal(within)));
    }
    if goodput.of.len() < 2 {
        let message = "`goodput` needs two or more latency SLOs in `of`";
        let error = Diagnostic::error("missing-field", name.span, message);
        cx.sink
            .push(error.help("write the names of latency SLOs: `goodput: {of: [ttft, tpot]}`"));
        return None;
    }
    let parts = goodput
        .of
        .iter()
        .filter_map(|of| cx.spec.slos.get_key_value(of.value.as_str()));
    let share = |slo: &spec::Slo| slo.objective.value.ratio().ok();
    let lower = parts.into_iter().find(|(_, part)| share(part) < share(slo));
    if let Some((part, of)) = lower {
        let message = format!(
            "the objective {} is above {} of `{part}`: a request within all thresholds is within this one",
            slo.objective, of.objective
        );
        let warning = Diagnostic::warning("contradiction", slo.objective.span, message);
        cx.sink
            .push(warning.help("use an objective that is not above those of the parts"));
    }
    let series = |what| naming::goodput(&cx.spec.service.name.value, &name.value, what);
    let (good, total) = (series("good"), series("requests"));
    let count = |name: &str, condition| SpanCount {
        name: name.to_owned(),
        condition,
    };
    cx.span_counts.push(count(&total, REQUEST.to_owned()));
    cx.span_counts.push(count(&good, conditions.join(" and ")));
    let part = counter(&good, "Requests within all thresholds", &labels);
    let total = counter(&total, "Finished requests", &labels);
    Some(Events {
        sli: slosmith_plan::plan::EventSli::Ratio {
            part: Box::new(part),
            good: true,
            total: Box::new(total),
        },
        labels,
        new_series: super::new_series(cx, slo),
    })
}

/// The signal and the threshold, in seconds, of a latency SLO.
fn objective(cx: &mut Context<'_>, of: &Text) -> Option<(Signal, Number)> {
    let spec = cx.spec;
    let found = spec.slos.get(of.value.as_str());
    let latency =
        found.and_then(|slo| Some((slo.groups.selection(), slo.sli.value.latency.as_ref()?)));
    let Some((selection, latency)) = latency else {
        let message = match found {
            Some(_) => format!("the SLO `{of}` has no `latency` SLI"),
            None => format!("unknown SLO `{of}`"),
        };
        let known = spec
            .slos
            .iter()
            .filter(|(_, slo)| slo.sli.value.latency.is_some());
        let known: Vec<_> = known.map(|(name, _)| name.value.as_str()).collect();
        let error = Diagnostic::error("unknown-name", of.span, message);
        let help = (!known.is_empty()).then(|| format!("use {}", one_of(&known)));
        cx.sink.push(error.maybe_help(help));
        return None;
    };
    let signal = cx.selected(&latency.value.signal, selection)?;
    let within = boundary(cx, &signal, &latency.value)?;
    Some((Signal::clone(&signal), within.bound * signal.scale))
}

/// A label that an objective selects by, beyond the selector of the service.
fn selected(cx: &Context<'_>, signal: &Signal) -> Option<String> {
    let matchers = &signal.family()?.matchers;
    let selector = matchers::of_own_servers(cx.spec);
    let own = |label: &str| label == "job" || selector.iter().any(|(known, ..)| known == label);
    matchers
        .iter()
        .map(|(label, ..)| label)
        .find(|label| !own(label))
        .cloned()
}

fn counter(name: &str, title: &str, labels: &[String]) -> Signal {
    let series = Names::one(&format!("{name}_total"));
    let family = Family {
        kind: FamilyKind::Counter,
        names: series.clone(),
        served: series,
        matchers: Vec::new(),
        buckets: Vec::new().into(),
        recorded: false,
    };
    Signal {
        name: name.to_owned(),
        title: title.to_owned(),
        description: None,
        unit: Unit::Requests,
        scale: Number::from_integer(1),
        across: Across::Sum,
        labels: labels.to_vec(),
        source: Source::Family(family),
        cloudwatch: None,
    }
}
