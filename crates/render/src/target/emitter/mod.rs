//! The service's own metrics and spans as Python modules: one contract for code, alarms and dashboards.
//!
//! A declared histogram `gateway_ttft` becomes an entry of the module's list of metrics, with its name, labels and
//! buckets, and a test that the numbers it emits arrive under the dimensions that alarms ask for.

use serde_json::{Value, json};

use super::{OutFile, Rendered, TargetError};
use crate::template::Templates;
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::cloudwatch::{Published, PublishedMetric};
use slosmith_plan::plan::runbook::Traces;
use slosmith_spec::naming;
use slosmith_text::units::{Number, printed_float};

/// Words that Python or the modules' functions keep for themselves.
const RESERVED: &str = "False None True and as assert async await break class continue def del elif else \
    except finally for from global if import in is lambda nonlocal not or pass raise \
    return self try while with yield float numbers labels given values value signal \
    found tracer name Optional Attribute Value SIGNALS";

/// Renders the modules and their unit tests: metrics for a service that publishes some, spans for one that has traces.
pub(super) fn render(plan: &Plan, templates: &Templates) -> Result<Rendered, TargetError> {
    let mut rendered = Rendered::default();
    let mut add = |module: &str, view: &Value| -> Result<(), TargetError> {
        for path in [format!("{module}.py"), format!("test_{module}.py")] {
            let text = templates.render(&format!("emitter/{path}"), view)?;
            let text = format!("{}\n", text.trim_end());
            rendered.files.push(OutFile { path, text });
        }
        Ok(())
    };
    if !plan.published.is_empty() {
        add("metrics", &view(plan))?;
    }
    if let Some(traces) = plan
        .runbooks
        .traces
        .as_ref()
        .filter(|t| !t.attributes.is_empty())
    {
        add("traces", &spans(plan, traces))?;
    }
    Ok(rendered)
}

fn docstring(text: &str) -> String {
    text.replace('"', "'").replace('\\', "/")
}

fn spans(plan: &Plan, traces: &Traces) -> Value {
    let mut taken = Vec::new();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let attributes = traces.attributes.iter().map(|(name, what)| {
        let word: String = name.chars().map(plain).collect();
        let what: Vec<_> = what.split_whitespace().collect();
        json!({
            "name": name,
            "argument": claim(&mut taken, argument(&word), ""),
            "what": what.join(" "),
        })
    });
    json!({
        "service": plan.service.name,
        "title": docstring(&plan.service.title),
        "span": traces.span,
        "attributes": attributes.collect::<Vec<_>>(),
    })
}

fn view(plan: &Plan) -> Value {
    let mut labels: Vec<&String> = plan.published.iter().flat_map(|p| &p.labels).collect();
    labels.sort();
    labels.dedup();
    let mut taken = Vec::new();
    let signals: Vec<_> = plan
        .published
        .iter()
        .map(|p| signal(plan, p, &claim(&mut taken, argument(&p.signal), "")))
        .collect();
    let labels: Vec<_> = labels
        .into_iter()
        .map(|name| {
            let argument = claim(&mut taken, argument(name), "_label");
            json!({"label": name, "argument": argument})
        })
        .collect();
    json!({
        "service": plan.service.name,
        "title": docstring(&plan.service.title),
        "log_group": naming::agent_log(&plan.service.name),
        "signals": signals,
        "labels": labels,
    })
}

fn argument(name: &str) -> String {
    let name = name.replace('-', "_");
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else if RESERVED.split(' ').any(|word| word == name) {
        format!("{name}_")
    } else {
        name
    }
}

/// A name of its own: names that differ by a sign that Python does not know must not meet.
fn claim(taken: &mut Vec<String>, name: String, suffix: &str) -> String {
    let mut own = name.clone();
    let mut n = 1;
    while taken.contains(&own) {
        own = match n {
            1 if !suffix.is_empty() => format!("{name}{suffix}"),
            n => format!("{name}{suffix}_{}", n + usize::from(suffix.is_empty())),
        };
        n += 1;
    }
    taken.push(own.clone());
    own
}

fn signal(plan: &Plan, p: &Published, argument: &str) -> Value {
    let metrics: Vec<_> = p.metrics.iter().map(|m| metric(plan, p, m)).collect();
    json!({
        "argument": argument,
        "kind": p.kind.as_str(),
        "description": p.description,
        "labels": p.labels,
        "family": p.family,
        "buckets": p.buckets.iter().map(|b| number(*b)).collect::<Vec<_>>(),
        "metrics": metrics,
    })
}

fn metric(plan: &Plan, p: &Published, m: &PublishedMetric) -> Value {
    let mut cloudwatch = plan.cloudwatch.iter();
    let fine = cloudwatch.any(|cloudwatch| cloudwatch.is_fine(&m.metric));
    let times = p.scale / m.metric.worth;
    let label = |dimension: &String| {
        let pair = m.metric.labels.iter().find(|(_, d)| d == dimension);
        json!([dimension, pair.map_or(dimension, |(label, _)| label)])
    };
    let sets: Vec<Vec<_>> = m
        .metric
        .dimension_sets
        .iter()
        .map(|set| set.iter().map(label).collect())
        .collect();
    let only: Vec<_> = m
        .only
        .iter()
        .map(|(label, op, value)| json!([label, op.symbol(), value]))
        .collect();
    json!({
        "namespace": m.metric.namespace,
        "name": m.metric.names.newest(),
        "unit": m.metric.unit,
        "seconds": if fine { 1 } else { 60 },
        "times": number(times),
        "half": number(times / 2),
        "sets": sets,
        "only": only,
    })
}

fn number(value: Number) -> Value {
    json!(printed_float(value))
}
