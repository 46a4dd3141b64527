//! Limits of templates that replace ours: a loop without end, or a file without end, is an error with a place.

use std::cell::Cell;

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, Output, State};

pub(super) const STEPS: u64 = 50_000_000;

/// Bytes that one template prints, into its file or into variables. No generated file is near it. What an operator joins and does not
/// print is not counted: a template that doubles such a text takes all memory.
const BYTES: usize = 64 << 20;

thread_local! {
    /// Bytes that the template printed which is rendered on this thread.
    static PRINTED: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn start() {
    PRINTED.set(0);
}

pub(super) fn set(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(STEPS));
    environment.set_formatter(
        |out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value| {
            let printed = PRINTED.get() + value.as_str().map_or(8, str::len);
            PRINTED.set(printed);
            if printed > BYTES {
                let why = format!("the template writes more than {BYTES} bytes");
                return Err(Error::new(ErrorKind::InvalidOperation, why));
            }
            minijinja::escape_formatter(out, state, value)
        },
    );
}
