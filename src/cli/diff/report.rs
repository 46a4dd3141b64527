//! Changes for people: on a terminal, and in a comment on a pull request.

use std::io::Write;

use anyhow::Result;
use indexmap::IndexMap;
use serde_json::Value;

use super::changes::{Changed, Changes, Kind};
use crate::cli::words::{count, first_of};
use slosmith_render::template::markdown::{code, inline};
use slosmith_text::diag::one_line;

/// An equal change of so many services is told once.
const MANY: usize = 3;

/// Of the places of such a change, so many are named.
const NAMED: usize = 5;

pub(super) fn text(out: &mut dyn Write, changes: &Changes) -> Result<()> {
    let report = Report::of(changes, heading, &str::to_owned);
    for (changes, places) in &report.common {
        writeln!(out, "~ {places}")?;
        for change in changes {
            writeln!(out, "    {change}")?;
        }
    }
    for service in &report.services {
        writeln!(out, "{}", service.heading)?;
        for line in &service.lines {
            writeln!(out, "    {line}")?;
        }
        for entry in &service.entries {
            writeln!(out, "  {}", entry.heading)?;
            for line in &entry.lines {
                writeln!(out, "      {line}")?;
            }
        }
    }
    for line in pages(changes, &str::to_owned) {
        writeln!(out, "{line}")?;
    }
    Ok(writeln!(out, "{}", total(changes))?)
}

pub(super) fn markdown(out: &mut dyn Write, changes: &Changes) -> Result<()> {
    writeln!(out, "### slosmith: {}\n", total(changes))?;
    for line in pages(changes, &code) {
        writeln!(out, "{line}\n")?;
    }
    let report = Report::of(changes, titled, &code);
    for (changes, places) in &report.common {
        writeln!(out, "{places}")?;
        for change in changes {
            writeln!(out, "- {change}")?;
        }
        writeln!(out)?;
    }
    for service in &report.services {
        writeln!(out, "{}", service.heading)?;
        for line in &service.lines {
            writeln!(out, "- {line}")?;
        }
        for entry in &service.entries {
            writeln!(out, "- {}", entry.heading)?;
            for line in &entry.lines {
                writeln!(out, "  - {line}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

struct Report<'a> {
    /// Changes that many services have, with their places.
    common: Vec<(Vec<String>, String)>,
    services: Vec<Item<'a>>,
}

/// A service with its entries, or an entry.
struct Item<'a> {
    of: &'a Changed,
    heading: String,
    lines: Vec<String>,
    entries: Vec<Item<'a>>,
}

impl<'a> Report<'a> {
    fn of(
        changes: &'a Changes,
        heading: fn(&Changed) -> String,
        quoted: &dyn Fn(&str) -> String,
    ) -> Self {
        let item = |of: &'a Changed, entries| Item {
            of,
            heading: heading(of),
            lines: fields(of, quoted),
            entries,
        };
        let services = changes.services.iter().map(|service| {
            let entries = service.entries.iter();
            item(service, entries.map(|of| item(of, Vec::new())).collect())
        });
        let mut services: Vec<_> = services.collect();
        let mut common: IndexMap<String, Vec<[&str; 2]>> = IndexMap::new();
        for service in &services {
            for item in std::iter::once(service).chain(&service.entries) {
                let names = [&service.of.name, &item.of.name].map(String::as_str);
                for change in item.changes() {
                    common.entry(change).or_default().push(names);
                }
            }
        }
        common.retain(|_, places| places.chunk_by(|a, b| a[0] == b[0]).count() >= MANY);
        for service in &mut services {
            service.entries.retain_mut(|entry| entry.without(&common));
        }
        services.retain_mut(|service| service.without(&common));
        let mut told: IndexMap<_, Vec<_>> = IndexMap::new();
        for (change, places) in &common {
            told.entry(places).or_default().push(change.clone());
        }
        let common = told.into_iter();
        let common = common.map(|(places, changes)| (changes, listed(places, quoted)));
        Self {
            common: common.collect(),
            services,
        }
    }
}

/// The first places, and how many others there are.
fn listed(places: &[[&str; 2]], quoted: &dyn Fn(&str) -> String) -> String {
    let names = places.iter().map(|[service, name]| match service == name {
        true => quoted(name),
        false => quoted(&format!("{service}/{name}")),
    });
    first_of(&names.collect::<Vec<_>>(), NAMED)
}

impl Item<'_> {
    /// What another service may have as well. A new or a removed service is told of with its name.
    fn changes(&self) -> Vec<String> {
        match self.of.change {
            Kind::Changed => self.lines.iter().map(|line| self.change(line)).collect(),
            _ if self.of.kind == "service" => Vec::new(),
            _ => vec![self.heading.clone()],
        }
    }

    fn change(&self, line: &str) -> String {
        format!("{}: {line}", self.of.kind)
    }

    /// Leaves out what is told of many services; `false` if nothing else is to be told.
    fn without(&mut self, common: &IndexMap<String, Vec<[&str; 2]>>) -> bool {
        let mut lines = std::mem::take(&mut self.lines);
        lines.retain(|line| !common.contains_key(&self.change(line)));
        self.lines = lines;
        match self.of.change {
            Kind::Changed => {
                self.of.was.is_some() || !self.lines.is_empty() || !self.entries.is_empty()
            }
            _ => !common.contains_key(&self.heading),
        }
    }
}

fn heading(of: &Changed) -> String {
    let sign = match of.change {
        Kind::Added => '+',
        Kind::Changed => '~',
        Kind::Removed => '-',
    };
    let about = match (&of.was, of.about.as_str()) {
        (Some(was), _) => format!(" (was {was})"),
        (None, "") => String::new(),
        (None, about) => format!(" ({about})"),
    };
    format!("{sign} {} {}{about}", of.kind, of.name)
}

fn titled(of: &Changed) -> String {
    let change = match of.change {
        Kind::Added => " added",
        Kind::Changed => "",
        Kind::Removed => " removed",
    };
    let about = match (&of.was, of.about.as_str()) {
        (Some(was), _) => format!(", before: {}", code(was)),
        (None, "") => String::new(),
        (None, about) => format!(": {}", inline(about)),
    };
    format!("{} {}{change}{about}", of.kind, code(&of.name))
}

/// Each field with its old and its new value. A query alone is told where nothing else tells of the change.
fn fields(of: &Changed, quoted: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    let others = of.fields.keys().any(|field| field != "query");
    for (field, [old, new]) in &of.fields {
        let name = field.replace("_url", " URL").replace('_', " ");
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
                let (old, new) = hosts(old, new).unwrap_or((old.clone(), new.clone()));
                let [old, new] = [&old, &new].map(|value| match value {
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

/// Of two URLs that differ in the host alone, what differs: a moved host is one change of many links.
fn hosts(old: &Value, new: &Value) -> Option<(Value, Value)> {
    let split = |url: &str| {
        let at = url.find("://")? + "://".len();
        let end = url[at..].find('/').map_or(url.len(), |end| at + end);
        Some((url[..end].to_owned(), url[end..].to_owned()))
    };
    let (old, new) = (split(old.as_str()?)?, split(new.as_str()?)?);
    (old.1 == new.1 && !old.1.is_empty())
        .then(|| (format!("{}/…", old.0).into(), format!("{}/…", new.0).into()))
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
