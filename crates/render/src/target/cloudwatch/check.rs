//! Reads the generated files back: slosmith writes nothing that CloudWatch would reject.
//!
//! `alarms.json` with a period of 45 seconds ends the build: *at /3/Period: Period 45 is none of 10, 20, 30 …*.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use crate::target::{OutFile, TargetError, json};
use slosmith_cloudwatch::{self as cloudwatch, Violation};

pub(super) fn parsed<T: DeserializeOwned>(file: &OutFile) -> Result<T, TargetError> {
    serde_json::from_str(&file.text).map_err(|error| no_json(file, &error))
}

fn no_json(file: &OutFile, error: &serde_json::Error) -> TargetError {
    let line = file.text.lines().nth(error.line().saturating_sub(1));
    let line = line.unwrap_or_default().trim();
    file.invalid(format!("{error}: {line}"))
}

/// The same JSON, evenly indented.
pub(super) fn canonical(file: OutFile) -> Result<OutFile, TargetError> {
    read::<IgnoredAny>(file).map(|(_, file)| file)
}

fn read<T: DeserializeOwned>(file: OutFile) -> Result<(T, OutFile), TargetError> {
    let read = json::read(&file.text).and_then(|(value, json)| Ok((value, json.pretty()?)));
    let (value, text) = read.map_err(|error| no_json(&file, &error))?;
    Ok((value, OutFile { text, ..file }))
}

pub(super) fn compact(file: &OutFile) -> Result<String, TargetError> {
    let read = json::read::<IgnoredAny>(&file.text);
    let text = read.and_then(|(_, json)| json.compact());
    text.map_err(|error| no_json(file, &error))
}

fn reject(file: &OutFile, at: &str, found: Vec<Violation>) -> Result<(), TargetError> {
    match found.into_iter().next() {
        None => Ok(()),
        Some(v) => Err(file.invalid(format!("at {at}{}: {}", v.pointer, v.message))),
    }
}

/// A list of alarms, each behind those it is made from.
pub(super) fn alarms(file: OutFile) -> Result<OutFile, TargetError> {
    let (value, file): (Value, _) = read(file)?;
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (i, alarm) in value.as_array().into_iter().flatten().enumerate() {
        reject(&file, &format!("/{i}"), cloudwatch::any_alarm(alarm))?;
        let name = alarm["AlarmName"].as_str().unwrap_or_default();
        if let Some(rule) = alarm["AlarmRule"].as_str() {
            let children =
                cloudwatch::children(rule).map_err(|why| file.invalid(why.to_string()))?;
            let suppressor = alarm["ActionsSuppressor"].as_str().map(str::to_owned);
            let parts = children.names.into_iter().chain(suppressor);
            for part in parts {
                if !known.contains(part.as_str()) {
                    let why = format!("alarm `{name}` must come after `{part}`");
                    return Err(file.invalid(why));
                }
            }
        }
        if !known.insert(name) {
            return Err(file.invalid(format!("two alarms have the name `{name}`")));
        }
    }
    Ok(file)
}

pub(super) fn dashboard(file: OutFile) -> Result<OutFile, TargetError> {
    let (value, file) = read(file)?;
    reject(&file, "", cloudwatch::dashboard(&value))?;
    Ok(file)
}

pub(super) fn formation(file: OutFile) -> Result<OutFile, TargetError> {
    const RESOURCES: usize = 500;
    const BYTES: usize = 1_000_000;
    let bytes = file.text.len();
    let (template, file): (Template, _) = read(file)?;
    let resources = template.resources.len();
    if resources > RESOURCES || bytes > BYTES {
        let why = format!(
            "CloudFormation templates can have at most {RESOURCES} resources and {BYTES} bytes"
        );
        return Err(file.invalid(why));
    }
    Ok(file)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Template {
    #[serde(default)]
    resources: BTreeMap<String, IgnoredAny>,
}

/// Text that ends with its last line.
pub(super) fn text(file: OutFile) -> OutFile {
    OutFile {
        text: format!("{}\n", file.text.trim_end()),
        path: file.path,
    }
}
