//! All rules: one file each, and one word here.

use super::rule::Rule;
use super::suppress;
use crate::diag::RuleInfo;

macro_rules! rules {
    ($($name:ident),* $(,)?) => {
        $(pub mod $name;)*

        /// Every rule, in the order in which they are documented.
        pub static RULES: &[&Rule] = &[$(&$name::RULE),*];
    };
}

rules!(
    // queries as such
    invalid_promql,
    experimental_promql,
    // catalog
    unknown_metric,
    normalised_name,
    removed_metric,
    hidden_metric,
    future_metric,
    conditional_metric,
    deprecated_metric,
    unrecorded_release,
    unknown_label,
    unknown_label_value,
);

/// The rule of a name.
pub fn find(name: &str) -> Option<&'static RuleInfo> {
    let rules = RULES.iter().map(|rule| &rule.info);
    rules
        .chain(suppress::rules::RULES)
        .find(|info| info.name == name)
}

/// What is known of every rule, those about suppressions included.
pub fn infos() -> Vec<RuleInfo> {
    let rules = RULES.iter().map(|rule| rule.info);
    rules
        .chain(suppress::rules::RULES.iter().copied())
        .collect()
}
