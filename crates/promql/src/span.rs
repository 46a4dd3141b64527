//! Places in a query's text.

use std::ops::Range;

/// Bytes of the query text a node was read from; empty for nodes built by hand.
pub type TextSpan = Range<usize>;
