//! Queries of published dashboards and rules, where they have been put beside the package.

use std::path::{Path, PathBuf};

use serde_json::Value;
use slosmith::promql::{Dialect, parse_recovering, parse_with};

use super::conformance::shared;

/// Starts of the files' queries that are no PromQL: a log query.
const OTHER_LANGUAGES: [&str; 1] = ["count_over_time(rate({"];

const LISTED: [&str; 5] = ["custom", "textbox", "constant", "interval", "datasource"];

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Every `expr` and every `query` text of a document, also of documents inside strings.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        // A variable whose values are listed, or typed in.
        Value::Object(fields)
            if fields
                .get("type")
                .is_some_and(|kind| LISTED.iter().any(|listed| kind == listed)) => {}
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if matches!(key.as_str(), "expr" | "query") => {
                        found.push(text.clone());
                    }
                    Value::String(text) if text.starts_with('{') => {
                        if let Ok(inner) = serde_json::from_str(text) {
                            queries(&inner, found);
                        }
                    }
                    _ => queries(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| queries(item, found)),
        _ => {}
    }
}

fn read(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut found = Vec::new();
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        if let Ok(value) = serde_json::from_str(&text) {
            queries(&value, &mut found);
        }
        return found;
    }
    for part in text.split("\n---") {
        if let Ok(value) = serde_yaml::from_str::<Value>(part) {
            queries(&value, &mut found);
        }
    }
    found
}

/// What a dashboard's `query` holds besides PromQL: `label_values(…)` and the like, and data source types.
fn is_variable_query(text: &str) -> bool {
    ["label_values(", "query_result(", "label_names(", "metrics("]
        .iter()
        .any(|start| text.starts_with(start))
        || matches!(text, "" | "prometheus" | "loki")
        || text.contains(',') && !text.contains(['(', '{'])
}

#[test]
#[allow(clippy::print_stderr)] // the count is what one wants to see
fn published_queries_parse() {
    for (folder, dialect) in [
        ("dashboards", Dialect::Grafana),
        ("rules", Dialect::Prometheus),
    ] {
        let mut paths = Vec::new();
        files(&shared().join("corpus").join(folder), &mut paths);
        let (mut count, mut wrong) = (0, Vec::new());
        for path in &paths {
            for text in read(path).iter().filter(|text| !is_variable_query(text)) {
                count += 1;
                let (expr, errors) = parse_recovering(text, dialect);
                assert_eq!(
                    expr.is_some() && errors.is_empty(),
                    parse_with(text, dialect).is_ok()
                );
                let other = OTHER_LANGUAGES.iter().any(|start| text.starts_with(start));
                if let (Some(error), false) = (errors.first(), other) {
                    wrong.push(format!("{}: {text}: {error}", path.display()));
                }
            }
        }
        eprintln!("{folder}: {count} queries in {} files", paths.len());
        assert_eq!(wrong, [""; 0]);
    }
}
