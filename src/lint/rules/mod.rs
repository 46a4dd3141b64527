//! All rules: one file each, and one word in the list below.
//!
//! `rate_of_gauge.rs` holds the rule `rate-of-gauge`: its documentation, its level, and the function that looks for it.

use super::rule::Rule;
use super::suppress;
use crate::diag::{RuleInfo, capital};

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
    needs_newer_prometheus,
    query_too_deep,
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
    // type
    rate_of_gauge,
    delta_of_counter,
    counter_without_rate,
    aggregate_before_rate,
    quantile_of_non_histogram,
    quantile_without_le,
    average_of_quantiles,
    fraction_as_percent,
    sum_of_fractions,
    unit_mismatch,
    // histogram
    threshold_not_a_bucket,
    le_spelling,
    threshold_beyond_buckets,
    // labels
    unmatched_join,
    ratio_of_itself,
    template_label_dropped,
    // alerts and SLOs
    unreachable_burn_rate,
    rate_window_too_short,
    always_firing,
    impossible_comparison,
    alert_without_runbook,
    dead_runbook_link,
    // dashboards
    schema_invalid,
    panel_without_unit,
    panel_without_query,
    hard_coded_datasource,
    fixed_rate_interval,
    threshold_differs_from_alert,
    duplicate_uid,
    // cloudwatch
    alarm_limit,
    alarm_cycle,
    undefined_metric_id,
    metric_not_delivered,
    dimension_set,
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

/// A rule's page, in Markdown.
pub fn page(info: &RuleInfo) -> String {
    format!(
        "## {}\n\n{}. Group: {}; level: {}; since {}.\n\n{}\n",
        info.name,
        capital(info.summary),
        info.group.as_str(),
        info.level.as_str(),
        info.since,
        info.docs()
    )
}

/// The pages of all rules, for `docs/rules.md`.
pub fn pages() -> String {
    let mut text =
        "# Lint rules\n\nGenerated from the code; `slosmith explain RULE` prints one of them. The rules of the group `style` \
         run only\nif `select` or a level names them: [lint.md](lint.md#which-rules).\n\n\
         | rule | group | level | finds |\n|---|---|---|---|\n"
            .to_owned();
    let infos = infos();
    for info in &infos {
        let (name, group, level) = (info.name, info.group.as_str(), info.level.as_str());
        text.push_str(&format!(
            "| [`{name}`](#{name}) | {group} | {level} | {} |\n",
            info.summary
        ));
    }
    for info in &infos {
        text.push('\n');
        text.push_str(&page(info));
    }
    text
}
