//! What SARIF says of rules.

use super::super::{Report, VERSION};
use super::level;
use super::model::{Configuration, Description, Help, Rule, RuleProperties};
use crate::diag::{Diagnostic, Group, RuleInfo, Severity, capital};

/// GitHub cuts longer descriptions.
const DESCRIPTION: usize = 1_024;

/// Where the documentation of this version is.
pub(super) fn home() -> String {
    format!("https://docs.rs/slosmith/{VERSION}/slosmith/")
}

/// All rules that were asked, then the codes of findings that no rule made.
pub(super) fn rules<'a>(report: &Report<'a>) -> Vec<Rule<'a>> {
    let mut rules: Vec<_> = report.rules.iter().map(rule).collect();
    for d in report.diagnostics {
        if !rules.iter().any(|rule| rule.id == d.code) {
            rules.push(fault(d));
        }
    }
    let known = report.rules.len();
    rules[known..].sort_by_key(|rule| rule.id);
    rules
}

fn rule(info: &RuleInfo) -> Rule<'_> {
    Rule {
        id: info.name,
        name: pascal(info.name),
        short_description: describe(&sentence(info.summary)),
        full_description: describe(&first_paragraph(&info.docs())),
        help_uri: page(info),
        help: Help {
            text: info.docs(),
            markdown: info.docs(),
        },
        default_configuration: Configuration {
            level: level(info.level),
        },
        properties: Some(RuleProperties {
            since: info.since,
            tags: [info.group.as_str()],
            severity: match info.level {
                Severity::Info => "recommendation",
                other => other.as_str(),
            },
        }),
    }
}

/// What is said while files are read: no rule, but SARIF wants one for each result.
fn fault(d: &Diagnostic) -> Rule<'_> {
    let words = sentence(&d.code.replace('-', " "));
    let full = format!("{words} Reported while files, specs and configuration are read.");
    Rule {
        id: d.code,
        name: pascal(d.code),
        short_description: describe(&words),
        full_description: describe(&full),
        help_uri: home(),
        help: Help {
            text: full.clone(),
            markdown: full,
        },
        default_configuration: Configuration {
            level: level(d.severity),
        },
        properties: None,
    }
}

/// The page of a rule: the documentation of its declaration.
fn page(info: &RuleInfo) -> String {
    let home = home();
    match info.group {
        Group::Suppression => format!("{home}lint/suppress/rules/index.html"),
        _ => {
            let module = info.name.replace('-', "_");
            format!("{home}lint/rules/{module}/constant.RULE.html")
        }
    }
}

/// `rate-of-gauge` → `RateOfGauge`
fn pascal(name: &str) -> String {
    name.split('-').map(capital).collect()
}

fn sentence(words: &str) -> String {
    format!("{}.", capital(words))
}

fn first_paragraph(docs: &str) -> String {
    let paragraphs = docs.split("\n\n");
    let mut text = paragraphs.filter(|p| !p.is_empty() && !p.starts_with('#'));
    text.next().unwrap_or(docs).to_owned()
}

fn describe(text: &str) -> Description {
    let cut = text.char_indices().nth(DESCRIPTION).map(|(end, _)| end);
    Description {
        text: text[..cut.unwrap_or(text.len())].to_owned(),
    }
}
