//! All rules: one file each, and one word in the list below.
//!
//! `rate_of_gauge.rs` contains the rule `rate-of-gauge`: its documentation, its level, its fixes, and its check.

use super::rule::Rule;
use super::suppress;
use slosmith_text::diag::{Applicability, Group, RuleInfo, capital};

macro_rules! rules {
    ($($name:ident),* $(,)?) => {
        $(pub mod $name;)*

        /// Every rule, in the order in which they are documented.
        pub static RULES: &[&Rule] = &[$(&$name::RULE),*];
    };
}

rules!(
    // promql
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
    buckets_added_up,
    uneven_ratio,
    average_of_quantiles,
    fraction_as_percent,
    sum_of_fractions,
    unit_mismatch,
    // histogram
    threshold_not_a_bucket,
    le_spelling,
    threshold_beyond_buckets,
    // labels
    literal_pattern,
    unmatched_join,
    ratio_of_itself,
    template_label_dropped,
    // alerts and SLOs
    unreachable_burn_rate,
    unrecorded_series,
    rate_window_too_short,
    short_prediction,
    always_firing,
    impossible_comparison,
    policy,
    alert_without_runbook,
    dead_runbook_link,
    // server
    missing_series,
    rejected_query,
    true_alert,
    costly_query,
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

/// All rules, those about suppressions last.
fn all() -> impl Iterator<Item = &'static RuleInfo> {
    let rules = RULES.iter().chain(suppress::rules::RULES);
    rules.map(|rule| &rule.info)
}

pub fn find(name: &str) -> Option<&'static RuleInfo> {
    all().find(|info| info.name == name)
}

/// True for rules that ask a running server: what they find depends on the time of the run.
pub fn asks_server(name: &str) -> bool {
    all().any(|info| info.name == name && info.group == Group::Server)
}

pub fn infos() -> Vec<RuleInfo> {
    all().copied().collect()
}

/// The headings of every rule's doc comment, in this order; [`LIMITS`] may follow.
pub const SECTIONS: [&str; 4] = ["What it does", "Why", "Example", "Use instead"];

/// The heading of an optional last section: what a rule does not report, and when it is uncertain.
pub const LIMITS: &str = "Limits";

/// The heading of the section on certainty.
pub const CERTAIN: &str = "Certainty";

/// A rule's page, in Markdown: the doc comment, then the sections *Certainty*, *Fix* and *How to turn it off*.
pub fn page(info: &RuleInfo) -> String {
    format!(
        "## {}\n\n{}. Category: {}{}; level: {}; since {}.\n\n{}\n\n### {CERTAIN}\n\n{}\n\n### Fix\n\n{}\n\n### How to turn it off\n\n{}\n",
        info.name,
        capital(info.summary),
        info.group.as_str(),
        match info.group.is_truth() {
            true => "",
            false => " (off by default)",
        },
        info.level.as_str(),
        info.since,
        info.docs(),
        info.certain,
        fix(info),
        off(info)
    )
}

fn fix(info: &RuleInfo) -> String {
    let kinds = [
        (Applicability::Safe, "Safe (`--fix`)"),
        (Applicability::Unsafe, "Unsafe (`--fix --unsafe-fixes`)"),
    ];
    let kinds = kinds
        .iter()
        .filter_map(|(kind, words)| Some(format!("{words}: {}.", info.fixes.of(*kind)?)));
    let lines: Vec<_> = kinds.collect();
    match lines.is_empty() {
        true => "None.".to_owned(),
        false => lines.join("\n\n"),
    }
}

fn off(info: &RuleInfo) -> String {
    let name = info.name;
    let toml = format!("```toml\n[levels]\n{name} = \"off\"\n```");
    if info.group == Group::Suppression {
        return format!(
            "A comment cannot suppress this finding. For the whole project, in `slosmith.toml`:\n\n{toml}"
        );
    }
    format!(
        "For one finding, add the comment to the marked line or to the line above. For a whole file, use `allow-file`. \
         In a dashboard, put the text without `#` on a separate line in the description of the dashboard or panel.\n\n\
         ```yaml\n# slosmith: allow({name}) -- REASON\n# slosmith: allow-file({name}) -- REASON\n```\n\n\
         For the whole project, in `slosmith.toml`:\n\n{toml}"
    )
}
