//! Spec, library and catalog → plan, or findings.
//!
//! `when: {signal: vllm.requests_waiting, above: 80}` becomes an alert whose query names `vllm:num_requests_waiting`, as
//! every release of the range serves it; on a range with a release that lacks it, a finding at `signal`.

mod absence;
mod alerts;
mod bound;
mod cloudwatch;
mod conditions;
mod context;
mod copies;
mod dashboards;
mod derived;
mod doubts;
mod family;
mod grafana;
mod kubernetes;
mod labels;
mod marks;
mod matchers;
mod names;
mod own_promql;
mod own_signals;
mod request;
mod ruler;
mod runbooks;
mod scrape;
mod service;
mod signals;
mod slis;
mod slos;
mod templates;
pub mod tiers;

pub use labels::is_label_name;
pub use matchers::own_job;
pub use names::{own_prefix, servers};

use context::Context;
pub use context::SelectError;

use slosmith_catalog::{Catalog, Product};
use slosmith_plan::plan::{Plan, Record, Signal};
use slosmith_spec::kubernetes::Metadata;
use slosmith_spec::spec::{Document, Text};
use slosmith_text::diag::{Diagnostic, Sink};

#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// A version range in place of the spec's `runtime.vllm`.
    pub vllm: Option<&'a str>,
    /// The services of the project that have recordings.
    pub recorded: &'a [Product<'a>],
    /// What the project puts on resources for Kubernetes; the spec's own goes before it.
    pub kubernetes: Option<&'a Metadata>,
}

/// Checks a version range that is in no spec.
pub fn check_range(text: &str) -> Result<(), SelectError> {
    context::select(Catalog::vllm(), text).map(drop)
}

/// Turns a spec into a plan.
///
/// # Errors
/// Everything that is wrong with it. Warnings about a good plan come back beside it.
pub fn resolve(document: &Document, options: Options<'_>) -> Result<(Plan, Sink), Sink> {
    let mut cx = Context::new(document, options);
    service::check(&mut cx);
    derived::check(&mut cx);
    copies::check(&mut cx);
    signals::resolve_declared(&mut cx);
    let mut slos = slos::resolve(&mut cx);
    let records = records(&mut cx);
    let mut alerts = alerts::resolve(&mut cx);
    slos::note_first_events(&mut cx, &slos, &alerts);
    let on_data = absence::alerts(&mut cx, &slos, &alerts);
    alerts.extend(on_data);
    let mut dashboards = dashboards::resolve(&mut cx, &slos, &alerts);
    dashboards::link(&cx, &dashboards, &mut slos, &mut alerts);
    dashboards::fill(&cx, &mut dashboards, &slos, &alerts);
    let cloudwatch = cloudwatch::resolve(&mut cx, &slos, &alerts, &dashboards);
    let published = cloudwatch::published(&mut cx);
    let runbooks = runbooks::resolve(&mut cx, &slos, &alerts);
    let unknown = service::check_group_labels(&mut cx);
    slos::check_groups(&mut cx, &slos, &unknown);
    service::check_selector(&mut cx);
    let scrape = scrape::resolve(&mut cx);
    let ruler = ruler::resolve(&mut cx);
    let kubernetes = kubernetes::resolve(&mut cx, options.kubernetes);
    let provisioning = grafana::resolve(&mut cx);
    signals::note_unused(&mut cx);
    if document.spec.slos.is_empty() && document.spec.alerts.is_empty() {
        cx.notes
            .push("the spec has no SLOs and no alerts".to_owned());
    }
    let plan = Plan {
        service: service::plan(&cx),
        servers: cx.servers(),
        slos,
        records,
        alerts,
        dashboards,
        cloudwatch,
        runbooks,
        published,
        scrape,
        ruler,
        kubernetes,
        provisioning,
        evaluation: cx.evaluation_interval(),
        span_counts: cx.span_counts,
        left_out: cx.left_out,
        notes: cx.notes,
    };
    let found = document.errors.with(cx.sink);
    match found.has_errors() {
        true => Err(found),
        false => Ok((plan, found)),
    }
}

/// A built-in signal of the server that a spec is about, as its releases have it, whether the spec uses it or not.
pub fn library_signal(document: &Document, name: &str) -> Option<Signal> {
    let at = document.spec.runtime.as_ref()?.span;
    let server = document.spec.own_server()?;
    let mut cx = Context::new(document, Options::default());
    let name = Text::new(format!("{server}.{name}"), at);
    let found = family::tolerating(&mut cx, true, |cx| cx.optional_signal(&name));
    found.map(|signal| Signal::clone(&signal))
}

fn records(cx: &mut Context<'_>) -> Vec<Record> {
    let spec = cx.spec;
    let mut out = Vec::new();
    for (name, record) in &spec.records {
        cx.check_name(name, false);
        let Some(signal) = cx.optional_signal(&record.signal) else {
            continue;
        };
        let Some(signal) = family::narrowed(cx, &signal, record.selection()) else {
            continue;
        };
        let request = request::SignalRequest {
            signal: &signal,
            stat: record.stat,
            window: record.window,
            of: record.selection(),
            at: record.signal.span,
        };
        let Some(read) = cx.read(&request) else {
            continue;
        };
        cx.check_window_used(&read, record.window);
        doubts::record(cx, name, read.stat);
        let series = slosmith_spec::naming::record_series(&name.value, &read.stat.to_string());
        if let Some(first) = out.iter().find(|r: &&Record| r.series == series) {
            let message = format!(
                "`{name}` and `{}` would both record the series `{series}`",
                first.name
            );
            cx.sink
                .push(Diagnostic::error("duplicate-name", name.span, message));
        }
        out.push(Record {
            name: name.value.clone(),
            series,
            query: slosmith_plan::query::to_record(&read),
            signal: Signal::clone(&signal),
            stat: read.stat,
            window: read.window.usual(),
        });
    }
    out
}
