//! What SARIF says of rules.

use super::super::Report;
use super::level;
use super::model::{Configuration, Description, Help, Rule, RuleProperties};
use crate::diag::rule::HOME;
use crate::diag::{Diagnostic, RuleInfo, Severity, capital, codes};

const DESCRIPTION: usize = 1_024;

pub(super) fn rules<'a>(report: &Report<'a>) -> Vec<Rule<'a>> {
    let mut rules: Vec<_> = report.rules.iter().map(rule).collect();
    for d in report.diagnostics {
        if !rules.iter().any(|rule| rule.id == d.code) {
            rules.push(other(d));
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
        help_uri: info.url(),
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

/// A code of findings that no rule of the report makes; SARIF needs a rule for each result.
fn other(d: &Diagnostic) -> Rule<'_> {
    let info = codes::find(d.code);
    let summary = match info {
        Some(info) => info.summary.to_owned(),
        None => sentence(&d.code.replace('-', " ")),
    };
    let docs = info.map_or_else(|| summary.clone(), |info| info.docs());
    Rule {
        id: d.code,
        name: pascal(d.code),
        short_description: describe(&summary),
        full_description: describe(&info.map_or_else(|| summary.clone(), |info| info.meaning())),
        help_uri: info.map_or_else(|| HOME.to_owned(), |info| info.url()),
        help: Help {
            text: docs.clone(),
            markdown: docs,
        },
        default_configuration: Configuration {
            level: level(d.severity),
        },
        properties: None,
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
