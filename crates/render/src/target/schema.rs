//! Outputs against the JSON Schemas in `schemas/`.

use jsonschema::Validator;

use super::{OutFile, Target, TargetError};

/// Which schema a file answers to, by its path below the target's folder.
fn schema_of(target: Target, path: &str) -> Option<&'static str> {
    match target {
        Target::Prometheus => Some(match path.split_once('/') {
            Some(("rules" | "ruler", _)) => {
                include_str!("../../schemas/prometheus/rules.schema.json")
            }
            Some(("tests", _)) => include_str!("../../schemas/prometheus/test.schema.json"),
            Some(("monitors", name)) => return monitor_schema(name),
            _ => match path {
                "prometheusrule.yaml" => {
                    include_str!("../../schemas/kubernetes/prometheusrule.schema.json")
                }
                "alertmanager.yaml" => {
                    include_str!("../../schemas/prometheus/alertmanager.schema.json")
                }
                "scrape.yaml" => include_str!("../../schemas/prometheus/scrape.schema.json"),
                _ => return None,
            },
        }),
        Target::Grafana => dashboard_schema(path),
        // What CloudWatch accepts is checked on every build, to the limit.
        // The module has a unit test, and every link of the pages is followed.
        Target::CloudWatch | Target::Emitter | Target::Runbook => None,
    }
}

fn monitor_schema(name: &str) -> Option<&'static str> {
    let (_, kind) = name.trim_end_matches(".yaml").rsplit_once('.')?;
    Some(match kind {
        "podmonitor" => include_str!("../../schemas/kubernetes/podmonitor.schema.json"),
        "servicemonitor" => include_str!("../../schemas/kubernetes/servicemonitor.schema.json"),
        "scrapeconfig" => include_str!("../../schemas/kubernetes/scrapeconfig.schema.json"),
        _ => return None,
    })
}

/// Grafana's schemas, and ours of what carries its dashboards.
fn dashboard_schema(path: &str) -> Option<&'static str> {
    let (folder, name) = path.split_once('/')?;
    Some(match folder {
        "dashboards" if name.ends_with(".json") => {
            include_str!("../../schemas/grafana/dashboard.jsonschema.json")
        }
        "operator" if name == "folder.yaml" => {
            include_str!("../../schemas/grafana/grafanafolder.schema.json")
        }
        "operator" => include_str!("../../schemas/grafana/grafanadashboard.schema.json"),
        "terraform" => include_str!("../../schemas/grafana/terraform.schema.json"),
        "grizzly" => include_str!("../../schemas/grafana/grizzly.schema.json"),
        "v2" if name.starts_with("folders.") => {
            include_str!("../../schemas/grafana/folder.schema.json")
        }
        "v2" => include_str!("../../schemas/grafana/dashboardv2.jsonschema.json"),
        _ => return None,
    })
}

pub fn validate(target: Target, files: &[OutFile]) -> Result<(), TargetError> {
    let folder = format!("{}/", target.as_str());
    for file in files {
        let path = file.path.strip_prefix(&folder).unwrap_or(&file.path);
        if let Some(schema) = schema_of(target, path) {
            one(file, schema)?;
        }
    }
    Ok(())
}

fn one(file: &OutFile, schema: &str) -> Result<(), TargetError> {
    let schema: serde_json::Value =
        serde_json::from_str(schema).map_err(|e| file.invalid(format!("its schema: {e}")))?;
    let validator =
        Validator::new(&schema).map_err(|e| file.invalid(format!("its schema: {e}")))?;
    let document: serde_json::Value = file.read()?;
    match validator.iter_errors(&document).next() {
        None => Ok(()),
        Some(error) => Err(file.invalid(format!("at {}: {error}", error.instance_path()))),
    }
}
