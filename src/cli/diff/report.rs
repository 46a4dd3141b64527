//! Changes for people: on a terminal, and in a comment on a pull request.

use std::io::Write;

use anyhow::Result;
use serde_json::Value;

use super::changes::{Changed, Changes, Kind};
use crate::cli::words::count;
use crate::diag::one_line;
use crate::template::markdown::{code, inline};

pub(super) fn text(out: &mut dyn Write, changes: &Changes) -> Result<()> {
    for service in &changes.services {
        let of = heading(service);
        writeln!(out, "{} {of}", sign(service.change))?;
        for line in fields(service, &|text| text.to_owned()) {
            writeln!(out, "    {line}")?;
        }
        for entry in &service.entries {
            writeln!(out, "  {} {}", sign(entry.change), heading(entry))?;
            for line in fields(entry, &|text| text.to_owned()) {
                writeln!(out, "      {line}")?;
            }
        }
    }
    for line in pages(changes, &|text| text.to_owned()) {
        writeln!(out, "{line}")?;
    }
    Ok(writeln!(out, "{}", total(changes))?)
}

pub(super) fn markdown(out: &mut dyn Write, changes: &Changes) -> Result<()> {
    writeln!(out, "### slosmith: {}\n", total(changes))?;
    for line in pages(changes, &code) {
        writeln!(out, "{line}\n")?;
    }
    for service in &changes.services {
        writeln!(out, "{}", titled(service))?;
        for line in fields(service, &code) {
            writeln!(out, "- {line}")?;
        }
        for entry in &service.entries {
            writeln!(out, "- {}", titled(entry))?;
            for line in fields(entry, &code) {
                writeln!(out, "  - {line}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn sign(change: Kind) -> char {
    match change {
        Kind::Added => '+',
        Kind::Changed => '~',
        Kind::Removed => '-',
    }
}

fn heading(of: &Changed) -> String {
    let about = match of.about.is_empty() {
        true => String::new(),
        false => format!(" ({})", of.about),
    };
    format!("{} {}{about}", of.kind, of.name)
}

fn titled(of: &Changed) -> String {
    let change = match of.change {
        Kind::Added => " added",
        Kind::Changed => "",
        Kind::Removed => " removed",
    };
    let about = match of.about.is_empty() {
        true => String::new(),
        false => format!(": {}", inline(&of.about)),
    };
    format!("{} {}{change}{about}", of.kind, code(&of.name))
}

/// Each field with its old and its new value. A query alone is told where nothing else tells of the change.
fn fields(of: &Changed, quoted: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    let others = of.fields.keys().any(|field| field != "query");
    for (field, [old, new]) in &of.fields {
        let name = field.replace('_', " ");
        match (old, new) {
            _ if field == "query" && others => {}
            (Value::Array(old), Value::Array(new)) => {
                let only = |these: &[Value], those: &[Value], verb: &str| {
                    let these = these.iter().filter(|item| !those.contains(item));
                    let lines =
                        these.map(|item| format!("{name} {verb}: {}", quoted(&plain(item))));
                    lines.collect::<Vec<_>>()
                };
                let found = [only(old, new, "removed"), only(new, old, "added")].concat();
                match found.is_empty() {
                    true => lines.push(format!("{name}: another order")),
                    false => lines.extend(found),
                }
            }
            (old, new) => {
                let [old, new] = [old, new].map(|value| match value {
                    Value::Null => "none".to_owned(),
                    Value::Object(fields) if fields.is_empty() => "none".to_owned(),
                    value => quoted(&plain(value)),
                });
                lines.push(format!("{name}: {old} → {new}"));
            }
        }
    }
    lines
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text).into_owned(),
        Value::Object(fields) => {
            let pairs = fields
                .iter()
                .map(|(name, value)| format!("{name}={}", plain(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn pages(changes: &Changes, quoted: &dyn Fn(&str) -> String) -> Vec<String> {
    let line = |title: &str, names: &[String]| {
        let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
        (!names.is_empty()).then(|| format!("{title}: {}", names.join(", ")))
    };
    let now = line("Pages now", &changes.pages);
    let no_longer = line("No longer pages", &changes.no_longer_pages);
    now.into_iter().chain(no_longer).collect()
}

fn total(changes: &Changes) -> String {
    let entries = |of: &Changed| {
        of.entries.len() + usize::from(of.entries.is_empty() || !of.fields.is_empty())
    };
    let all: usize = changes.services.iter().map(entries).sum();
    match all {
        0 => "no change".to_owned(),
        all => {
            let services = count(changes.services.len(), "service");
            format!("{} in {services}", count(all, "change"))
        }
    }
}
