//! Services that do not fit the policy of the project.

use crate::lint::rule::{Check, declare_rule};
use slosmith_plan::inventory::Service;
use slosmith_plan::plan::Plan;
use slosmith_spec::config::Policy;
use slosmith_spec::spec::Document;
use slosmith_text::diag::{Diagnostic, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports what a spec has, or lacks, against the policy of the project: `policy` in the table `[build]` of `slosmith.toml` names a JSON
    /// Schema that every service must fit, as `slosmith list --format json` prints it. The help quotes the `description` of the part of the
    /// schema.
    ///
    /// ### Why
    ///
    /// An alert without an owner, or with a severity that Alertmanager does not route, reaches no team.
    ///
    /// ### Example
    ///
    /// With this policy:
    ///
    /// ```yaml
    /// properties:
    ///   owner:
    ///     description: every service has an owner
    ///     type: string
    /// ```
    ///
    /// ```yaml
    /// service: {name: chat}
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// service: {name: chat, owner: inference}
    /// ```
    ///
    /// ### Limits
    ///
    /// A policy sees what slosmith resolves: not comments, and not the files that a spec extends.
    pub const RULE: Rule = Rule {
        name: "policy",
        summary: "a service does not fit the policy of the project",
        group: Group::Slo,
        level: Severity::Error,
        certain: "Certain.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

pub(in crate::lint) fn check(policy: &Policy, document: &Document, plan: &Plan) -> Vec<Diagnostic> {
    let service = Service::of(document, plan);
    let value = serde_json::to_value(&service).unwrap_or_default();
    let file = policy.path.file_name().unwrap_or_default();
    let file = file.to_string_lossy();
    let violations = policy.violations(&value).into_iter();
    let found = violations.map(|violation| {
        let path: Vec<_> = violation.pointer.split('/').skip(1).collect();
        let entry = match path[..] {
            [list, index, ..] => index.parse().ok().and_then(|at| service.entry(list, at)),
            _ => None,
        };
        // Equal findings of all environments are one.
        let named = |word: &str, name: &str| format!("{word} `{name}`");
        let (what, at) = match (entry, &service.environment) {
            (Some((word, name, at)), _) => (named(word, name), at),
            (None, None) => (named("service", &service.name), service.at),
            (None, Some(_)) => ("service".to_owned(), service.at),
        };
        let of = entry.map(|(_, name, _)| (path[0], name));
        let inner = &path[if entry.is_some() { 2 } else { 0 }..];
        let set = inner
            .first()
            .and_then(|field| Service::field_at(document, of, field));
        let at = set.unwrap_or(at);
        let field = inner.join(".");
        let field = match field.is_empty() {
            true => String::new(),
            false => format!(" `{field}`:"),
        };
        let why_not = violation.message;
        let message = format!("the {what} does not fit the policy:{field} {why_not}");
        let why = violation.why.map(|why| format!("{why} ({file})"));
        let finding = Diagnostic::error("policy", at, message);
        finding.help(why.unwrap_or_else(|| format!("see {file}")))
    });
    found.collect()
}
