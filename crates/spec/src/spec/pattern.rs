//! Paths with wildcards: `slos/*/period`, `alerts/*/when/**/on`.
//!
//! `*` is any name, or a place in a list. `**` is a condition, or one inside of it.

/// What leads from a condition to those inside of it; `*` is a place in a list.
const INNER: [&str; 4] = ["all", "any", "unless", "*"];

/// What is left of a pattern below an entry of this name; `None` where it does not lead there.
pub(super) fn below<'p>(pattern: &'p str, name: &str) -> Option<&'p str> {
    let (first, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    match first {
        "" => None,
        "**" if INNER.contains(&name) => Some(pattern),
        "**" => below(rest, name),
        _ => (first == "*" || first == name).then_some(rest),
    }
}

/// True when nothing of a pattern has to follow.
pub(super) fn ends(pattern: &str) -> bool {
    matches!(pattern, "" | "**")
}
