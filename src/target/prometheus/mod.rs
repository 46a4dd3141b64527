//! Prometheus: rule files, the operator's resource, unit tests, inhibition, scraping.
//!
//! An alert `QueueOverflow: {when: {signal: queue_depth, above: 80}, for: 2m}` is in `rules/alerts.yaml` as
//!
//! ```yaml
//! - alert: QueueOverflow
//!   expr: sum by (model_name) (vllm:num_requests_waiting) > 80
//!   for: 2m
//! ```
//!
//! and `tests/` has a promtool test that fires it and one that just does not.

mod annotations;
mod check;
mod compat;
mod dashboard_link;
mod go;
mod parts;
mod rules;
mod unit_tests;
mod view;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Options, OutFile, Rendered, TargetError};
use crate::plan::Plan;
use view::{File, Resource, RuleFile};

/// Renders everything for one service.
///
/// # Errors
/// When a template fails or its output does not read back.
pub(super) fn render(plan: &Plan, options: Options<'_>) -> Result<Rendered, TargetError> {
    let out = Out {
        service: &plan.service.name,
        options,
    };
    let mut rendered = Rendered::default();
    let rule_files = rules::files(plan);
    for named in &rule_files {
        let path = format!("rules/{}.yaml", named.name);
        let file = out.file(&path, "prometheus/rules.yaml", &named.title, &named.file)?;
        if options.reads_back(&file.text) {
            check::rule_file(&file, &named.file)?;
        }
        rendered.files.push(file);
    }
    let title = format!(
        "{}: all rules, for the Prometheus operator.",
        plan.service.title
    );
    let all = RuleFile {
        groups: rule_files.into_iter().flat_map(|f| f.file.groups).collect(),
    };
    let resource = Resource {
        body: out.groups(&title, &all, &rendered.files)?,
        groups: options.templates.are_replaced().then_some(&all),
    };
    let file = out.file(
        "prometheusrule.yaml",
        "prometheus/prometheusrule.yaml",
        &title,
        &resource,
    )?;
    if options.reads_back(&file.text) {
        check::prometheus_rule(&file, &all, &rendered.files)?;
    }
    rendered.files.push(file);
    if let Some(inhibition) = parts::inhibition(plan) {
        let file = out.file(
            "alertmanager.yaml",
            "prometheus/alertmanager.yaml",
            "",
            &inhibition,
        )?;
        if options.reads_back(&file.text) {
            out.same(&file, &inhibition)?;
        }
        rendered.files.push(file);
    }
    let scrape = parts::scrape(plan);
    let file = out.file("scrape.yaml", "prometheus/scrape.yaml", "", &scrape)?;
    if options.reads_back(&file.text) {
        check::read::<view::ScrapeFile>(&file)?;
    }
    rendered.files.push(file);
    let tests = match options.unit_tests {
        true => unit_tests::files(plan),
        false => unit_tests::Tests::default(),
    };
    if !tests.untested.is_empty() {
        return Err(TargetError::Untested {
            alerts: tests.untested,
        });
    }
    for named in &tests.files {
        let path = format!("tests/{}.yaml", named.name);
        let file = out.file(&path, "prometheus/test.yaml", &named.title, &named.file)?;
        if options.reads_back(&file.text) {
            out.same(&file, &named.file)?;
        }
        rendered.files.push(file);
    }
    rendered.notes = tests.notes;
    Ok(rendered)
}

/// Where files go through.
struct Out<'a> {
    service: &'a str,
    options: Options<'a>,
}

impl Out<'_> {
    fn file(
        &self,
        path: &str,
        template: &str,
        title: &str,
        content: &impl Serialize,
    ) -> Result<OutFile, TargetError> {
        let view = File {
            service: self.service,
            title,
            content,
        };
        Ok(OutFile {
            path: path.to_owned(),
            text: self.options.templates.render(template, &view)?,
        })
    }

    /// All groups as they stand in a resource: those of the rule files, two columns further right.
    fn groups(
        &self,
        title: &str,
        all: &RuleFile,
        files: &[OutFile],
    ) -> Result<String, TargetError> {
        let groups = match self.options.templates.are_replaced() {
            true => self.file("", "prometheus/groups.yaml", title, all)?.text,
            false => {
                let parts = files.iter().map(|f| f.text.split_once("\ngroups:\n"));
                parts.flatten().map(|(_, groups)| groups).collect()
            }
        };
        let mut body = String::with_capacity(groups.len() + groups.len() / 4);
        for line in groups.lines() {
            let indent = if line.is_empty() { "" } else { "  " };
            body.extend([indent, line, "\n"]);
        }
        body.truncate(body.trim_end().len());
        Ok(body)
    }

    /// Reads a file back; what our own template writes must be what the view said.
    fn same<T: DeserializeOwned + PartialEq>(
        &self,
        file: &OutFile,
        view: &T,
    ) -> Result<(), TargetError> {
        let back: T = check::read(file)?;
        if back == *view || self.options.templates.are_replaced() {
            return Ok(());
        }
        Err(check::invalid(file, "it reads back as something else"))
    }
}
