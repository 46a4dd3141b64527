//! How deep a query may nest, and the stack for it: reading a tree, and most of what is done with it, recurses.

/// Levels of a tree, whether they nest or are a chain such as `a or b or c or …`; real queries stay under 30.
pub(super) const LEVELS: u32 = 1_000;

/// What is there for anything between two calls of [`with_room`].
const LEAST: usize = 256 << 10;

/// How much is added at once.
const MORE: usize = 8 << 20;

/// Does the work on more stack, if little is left.
///
/// Each function that calls itself for the parts of a tree does so in here.
pub fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST, MORE, work)
}
