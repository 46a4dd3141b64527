//! Limits of templates that replace ours: a loop without end, or a text that doubles itself, is an error with a place.

mod growth;

use std::cell::Cell;

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, Output, State};

pub(super) use growth::check;

/// Instructions of one template. Ours need about a hundred for an alert.
pub(super) const STEPS: u64 = 50_000_000;

/// Bytes of all that one template prints or joins, into its file or into variables. No generated file is near it.
const BYTES: usize = 64 << 20;

thread_local! {
    /// Bytes that the template printed which is rendered on this thread.
    static PRINTED: Cell<usize> = const { Cell::new(0) };
}

/// Begins a template.
pub(super) fn start() {
    PRINTED.set(0);
}

/// Bounds what a template may do and print. Filters that can make much of little count what they make.
pub(super) fn set(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(STEPS));
    environment.set_formatter(
        |out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value| {
            charge(value.as_str().map_or(8, str::len))?;
            minijinja::escape_formatter(out, state, value)
        },
    );
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    environment.add_filter("indent", indent);
    for name in [
        "batch", "chain", "format", "list", "pprint", "slice", "sum", "zip",
    ] {
        environment.remove_filter(name);
    }
}

/// Counts what was made.
fn charge(bytes: usize) -> Result<(), Error> {
    let printed = PRINTED.get().saturating_add(bytes);
    PRINTED.set(printed);
    if printed <= BYTES {
        return Ok(());
    }
    let why = format!("the template writes more than {BYTES} bytes");
    Err(Error::new(ErrorKind::InvalidOperation, why))
}

fn join(value: &Value, joiner: Option<&str>) -> Result<String, Error> {
    let mut out = String::new();
    for (i, item) in value.try_iter()?.enumerate() {
        let joiner = joiner.filter(|_| i > 0).unwrap_or_default();
        let item = item.to_string();
        charge(joiner.len() + item.len() + 1)?;
        out.push_str(joiner);
        out.push_str(&item);
    }
    Ok(out)
}

fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let found = text.matches(from).count();
    charge(text.len().saturating_add(found.saturating_mul(to.len())))?;
    Ok(text.replace(from, to))
}

/// Every line but the first, behind so many blanks.
fn indent(text: &str, width: usize) -> Result<String, Error> {
    let lines = text.lines().count();
    charge(text.len().saturating_add(lines.saturating_mul(width)))?;
    let pad = " ".repeat(width);
    let lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| match (i, line.is_empty()) {
            (0, _) | (_, true) => line.to_owned(),
            _ => format!("{pad}{line}"),
        });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
