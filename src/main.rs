//! The slosmith command.

fn main() {}
