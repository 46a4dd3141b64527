//! Reading our own output back: what a template wrote must be a rule file with queries that parse.

use serde::de::DeserializeOwned;

use super::view::{PrometheusRule, RuleFile};
use crate::promql;
use crate::source::{FileId, SourceFile};
use crate::target::{OutFile, TargetError};
use crate::yaml;

pub(super) fn invalid(file: &OutFile, why: impl Into<String>) -> TargetError {
    TargetError::Invalid {
        path: file.path.clone(),
        why: why.into(),
    }
}

/// Parses a file into its view.
pub(super) fn read<T: DeserializeOwned>(file: &OutFile) -> Result<T, TargetError> {
    yaml::read(FileId::default(), &file.text).map_err(|diagnostic| {
        let source = SourceFile::new(file.path.as_str(), file.text.as_str());
        let at = source.line_col(diagnostic.span.start as usize);
        invalid(
            file,
            format!(
                "line {}, column {}: {}",
                at.line, at.col, diagnostic.message
            ),
        )
    })
}

/// A rule file must say what the plan says: templates may change what surrounds queries, not queries.
pub(super) fn rule_file(file: &OutFile, view: &RuleFile) -> Result<(), TargetError> {
    compare(file, &read(file)?, view)
}

pub(super) fn prometheus_rule(file: &OutFile, view: &RuleFile) -> Result<(), TargetError> {
    let resource: PrometheusRule = read(file)?;
    if resource.kind != "PrometheusRule" || !resource.api_version.contains('/') {
        return Err(invalid(file, "it is no PrometheusRule"));
    }
    compare(file, &resource.spec, view)
}

fn compare(file: &OutFile, back: &RuleFile, view: &RuleFile) -> Result<(), TargetError> {
    for rule in back.groups.iter().flat_map(|g| &g.rules) {
        if rule.record.is_some() == rule.alert.is_some() {
            return Err(invalid(
                file,
                "a rule needs exactly one of `record` and `alert`",
            ));
        }
        if let Err(error) = promql::parse(&rule.expr) {
            return Err(invalid(file, format!("`{}`: {}", rule.expr, error.message)));
        }
    }
    let queries = |f: &RuleFile| -> Vec<String> {
        let rules = f.groups.iter().flat_map(|g| &g.rules);
        rules.map(|r| r.expr.trim().to_owned()).collect()
    };
    if queries(back) != queries(view) {
        return Err(invalid(file, "its queries are not those of the plan"));
    }
    Ok(())
}
