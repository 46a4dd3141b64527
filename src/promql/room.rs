//! How deep a query may nest, which depends on the stack of the thread: reading a tree, and every walk over it, recurses.

use std::cell::Cell;

/// Bytes of stack for the deepest tree; see [`has_room`].
pub const STACK: usize = 64 << 20;

/// How much is read of a query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Parentheses, calls and signs inside each other; real queries stay under 30.
    pub(super) levels: u32,
    /// Levels of any tree. Chains such as `a or b or c or …` lean to the left and cost less stack per level.
    pub(super) terms: u32,
}

/// On a thread of the usual size.
const USUAL: Limits = Limits {
    levels: 100,
    terms: 300,
};

const DEEP: Limits = Limits {
    levels: 1_000,
    terms: 3_000,
};

thread_local! {
    static HERE: Cell<Limits> = const { Cell::new(USUAL) };
}

/// Tells that this thread has [`STACK`] bytes of stack: it reads queries that are ten times as deep.
///
/// Their trees must stay on such threads.
pub fn has_room() {
    HERE.set(DEEP);
}

pub(super) fn limits() -> Limits {
    HERE.get()
}
