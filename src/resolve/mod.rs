//! Spec, library and catalog → plan, or findings.

mod alerts;
mod bound;
mod conditions;
mod context;
mod describe;
mod family;
mod matchers;
mod query;
mod service;
mod signals;
mod slos;
mod tiers;

use context::Context;
pub use describe::subject;
pub use query::slo_series;
pub use slos::BASE_WINDOW;

use crate::diag::{Diagnostic, Sink};
use crate::plan::{Plan, Record};
use crate::spec::Document;

/// What a build may override.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// A version range in place of the spec's `runtime.vllm`.
    pub vllm: Option<&'a str>,
}

/// Turns a spec into a plan.
///
/// # Errors
/// Everything that is wrong with it. Warnings about a good plan come back beside it.
pub fn resolve(document: &Document, options: Options<'_>) -> Result<(Plan, Sink), Sink> {
    let mut cx = Context::new(document, options);
    service::check(&mut cx);
    signals::resolve_declared(&mut cx);
    let slos = slos::resolve(&mut cx);
    let records = records(&mut cx);
    let alerts = alerts::resolve(&mut cx);
    service::check_group_labels(&mut cx);
    let plan = Plan {
        service: service::plan(&cx),
        runtime: cx.runtime(),
        slos,
        records,
        alerts,
        scrape: service::scrape(&cx),
        left_out: cx.left_out,
        notes: cx.notes,
    };
    if cx.sink.has_errors() {
        Err(cx.sink)
    } else {
        Ok((plan, cx.sink))
    }
}

fn records(cx: &mut Context<'_>) -> Vec<Record> {
    let spec = cx.spec;
    let mut out = Vec::new();
    for (name, record) in &spec.records {
        cx.check_name(name, false);
        let Some(signal) = cx.optional_signal(&record.signal) else {
            continue;
        };
        let asked = query::Asked {
            signal: &signal,
            stat: record.stat,
            window: record.window,
            by: &record.by,
            at: record.signal.span,
        };
        let Some(read) = cx.read(&asked) else {
            continue;
        };
        let series = crate::naming::record_series(&name.value, &read.stat.to_string());
        if out.iter().any(|r: &Record| r.series == series) {
            let message = format!("`{name}` would be recorded as `{series}`, like another record");
            cx.sink
                .push(Diagnostic::error("duplicate-name", name.span, message));
        }
        out.push(Record {
            name: name.value.clone(),
            series,
            query: query::query(&read, None),
            stat: read.stat,
            window: read.window,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, SourceFile, Sources};

    #[test]
    fn scratch() {
        for name in ["mangaassist", "vllm-serving"] {
            let text = std::fs::read_to_string(format!("specs/{name}.yaml")).expect("spec");
            let mut sources = Sources::default();
            sources.add(SourceFile::new(name, text.clone()));
            let result = crate::spec::read(FileId(0), &text)
                .and_then(|doc| resolve(&doc, Options::default()));
            match result {
                Ok((plan, sink)) => {
                    println!(
                        "{}",
                        crate::diag::render::human::render(&sink.into_sorted(), &sources, false)
                    );
                    for slo in &plan.slos {
                        if let crate::plan::SloKind::Events(e) = &slo.kind {
                            for r in &e.ratios {
                                println!(
                                    "{} {} {}",
                                    slo.name,
                                    r.window,
                                    crate::promql::pretty(&r.expr, 100)
                                );
                            }
                        }
                    }
                    for a in &plan.alerts {
                        println!(
                            "{} = {}\n{}",
                            a.name,
                            a.summary,
                            crate::promql::pretty(&a.condition.query().expr, 100)
                        );
                    }
                    for r in &plan.records {
                        println!(
                            "{} = \n{}",
                            r.series,
                            crate::promql::pretty(&r.query.expr, 100)
                        );
                    }
                    println!("{:?} {:?} {:?}", plan.left_out, plan.notes, plan.runtime);
                }
                Err(sink) => println!(
                    "{}",
                    crate::diag::render::human::render(&sink.into_sorted(), &sources, false)
                ),
            }
        }
    }
}
