//! Limits of templates that replace ours: a loop without end, or a text that doubles itself, is an error with a place.

use std::cell::Cell;

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, Output, State};

/// Instructions of one template. Ours need about a hundred for an alert.
pub(super) const STEPS: u64 = 50_000_000;

/// Bytes of all that one template prints, into its file or into variables. No file of ours is near it.
const BYTES: usize = 64 << 20;

thread_local! {
    /// Bytes that the template printed which is rendered on this thread.
    static PRINTED: Cell<usize> = const { Cell::new(0) };
}

/// Counts what was printed.
fn charge(bytes: usize) -> Result<(), Error> {
    let printed = PRINTED.get().saturating_add(bytes);
    PRINTED.set(printed);
    if printed <= BYTES {
        return Ok(());
    }
    let why = format!("it prints more than {BYTES} bytes");
    Err(Error::new(ErrorKind::InvalidOperation, why))
}

/// Begins a template.
pub(super) fn start() {
    PRINTED.set(0);
}

/// Bounds what a template may do and print.
pub(super) fn set(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(STEPS));
    environment.set_formatter(|out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value| {
        charge(value.as_str().map_or(8, str::len))?;
        minijinja::escape_formatter(out, state, value)
    });
}
