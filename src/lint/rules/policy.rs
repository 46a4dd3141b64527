//! Services that do not fit the policy of the project.

use serde_json::Value;

use crate::config::Policy;
use crate::diag::{Diagnostic, Fixes, Group, Severity};
use crate::inventory::Service;
use crate::lint::rule::{Check, declare_rule};
use crate::plan::Plan;
use crate::spec::Document;

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

/// The lists of a service whose entries have places.
const LISTS: [(&str, &str); 2] = [("slos", "SLO"), ("alerts", "alert")];

pub(in crate::lint) fn check(policy: &Policy, document: &Document, plan: &Plan) -> Vec<Diagnostic> {
    let service = Service::of(document, plan);
    let value = serde_json::to_value(&service).unwrap_or_default();
    let file = policy
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let violations = policy.violations(&value).into_iter();
    let found = violations.map(|violation| {
        let mut path = violation.pointer.split('/').skip(1);
        let (list, index) = (path.next(), path.clone().next());
        let entry = index.and_then(|index| index.parse::<usize>().ok());
        let place = match (list, entry) {
            (Some("slos"), Some(index)) => service.slos.get(index).map(|slo| slo.at),
            (Some("alerts"), Some(index)) => service.alerts.get(index).map(|alert| alert.at),
            _ => None,
        };
        let of_list = LISTS.into_iter().find(|(name, _)| list == Some(*name));
        let named = of_list.zip(entry).and_then(|((list, word), index)| {
            let name = value
                .get(list)?
                .get(index)?
                .get("name")
                .and_then(Value::as_str)?;
            path.next();
            Some(format!("{word} `{name}`"))
        });
        let field: Vec<_> = match named {
            Some(_) => path.collect(),
            None => list.into_iter().chain(path).collect(),
        };
        let owner = named.unwrap_or_else(|| format!("service `{}`", service.name));
        let field = match field.is_empty() {
            true => String::new(),
            false => format!(" `{}`:", field.join(".")),
        };
        let message = format!(
            "the {owner} does not fit the policy:{field} {}",
            violation.message
        );
        let why = violation.why.map(|why| format!("{why} ({file})"));
        let finding = Diagnostic::error("policy", place.unwrap_or(service.at), message);
        finding.help(why.unwrap_or_else(|| format!("see {file}")))
    });
    found.collect()
}
