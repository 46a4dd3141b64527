//! Read the output back: the text of a template must be a rule file with queries that parse.

use serde::de::DeserializeOwned;

use super::view::{PrometheusRule, RuleFile};
use crate::target::{OutFile, TargetError};
use slosmith_promql as promql;
use slosmith_text::source::{FileId, SourceFile};
use slosmith_text::yaml;

pub(super) fn read<T: DeserializeOwned>(file: &OutFile) -> Result<T, TargetError> {
    yaml::read(FileId::default(), &file.text).map_err(|diagnostic| {
        let source = SourceFile::new(file.path.as_str(), file.text.as_str());
        let at = source.line_col(diagnostic.span.start as usize);
        file.invalid(format!(
            "line {}, column {}: {}",
            at.line, at.col, diagnostic.message
        ))
    })
}

/// A file that must be YAML.
pub(super) fn yaml(file: &OutFile) -> Result<(), TargetError> {
    read::<serde_json::Value>(file).map(drop)
}

pub(super) fn rule_file(file: &OutFile, view: &RuleFile) -> Result<(), TargetError> {
    compare(file, &read(file)?, view)
}

/// The resource must hold what the rule files hold, which have been read back already: where its lines are
/// theirs, only the lines before them need the reader.
pub(super) fn prometheus_rule(
    file: &OutFile,
    view: &RuleFile,
    parts: &[OutFile],
) -> Result<(), TargetError> {
    const GROUPS: &str = "\n  groups:\n";
    let split = file.text.split_once(GROUPS);
    let head = split.filter(|(_, body)| holds(body, parts));
    let head = head.map(|(head, _)| OutFile {
        path: file.path.clone(),
        text: format!("{head}\n  groups: []\n"),
    });
    let resource: PrometheusRule = read(head.as_ref().unwrap_or(file))?;
    if resource.kind != "PrometheusRule" || !resource.api_version.contains('/') {
        return Err(file.invalid("it is no PrometheusRule"));
    }
    match head {
        Some(_) => Ok(()),
        None => compare(file, &resource.spec, view),
    }
}

/// True when a text is the groups of all files, two columns further right.
fn holds(body: &str, files: &[OutFile]) -> bool {
    let mut lines = body.lines();
    let mut same = |line: &str| match lines.next() {
        Some("") => line.is_empty(),
        Some(found) => found.strip_prefix("  ") == Some(line),
        None => false,
    };
    let groups = |file: &OutFile| {
        let body = file.text.split_once("\ngroups:\n");
        body.is_some_and(|(_, body)| body.lines().all(&mut same))
    };
    files.iter().all(groups) && lines.next().is_none()
}

fn compare(file: &OutFile, back: &RuleFile, view: &RuleFile) -> Result<(), TargetError> {
    for rule in back.groups.iter().flat_map(|g| &g.rules) {
        if rule.record.is_some() == rule.alert.is_some() {
            return Err(file.invalid("a rule needs exactly one of `record` and `alert`"));
        }
        if let Err(error) = promql::parse(&rule.expr) {
            return Err(file.invalid(format!("`{}`: {}", rule.expr, error.message)));
        }
    }
    let queries = |f: &RuleFile| -> Vec<String> {
        let rules = f.groups.iter().flat_map(|g| &g.rules);
        rules.map(|r| r.expr.trim().to_owned()).collect()
    };
    if queries(back) != queries(view) {
        return Err(file.invalid("queries differ from the plan"));
    }
    Ok(())
}
