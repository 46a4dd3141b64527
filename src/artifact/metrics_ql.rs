//! MetricsQL, the language of VictoriaMetrics: PromQL and more.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// Functions and words that PromQL does not have.
const WORDS: [&str; 58] = [
    "aggr_over_time",
    "bottomk_avg",
    "bottomk_last",
    "bottomk_max",
    "bottomk_median",
    "bottomk_min",
    "buckets_limit",
    "changes_prometheus",
    "count_eq_over_time",
    "count_gt_over_time",
    "count_le_over_time",
    "count_ne_over_time",
    "count_values_over_time",
    "default_rollup",
    "delta_prometheus",
    "drop_common_labels",
    "drop_empty_series",
    "duration_over_time",
    "histogram_over_time",
    "histogram_share",
    "ifnot",
    "increase_prometheus",
    "increase_pure",
    "keep_last_value",
    "keep_metric_names",
    "keep_next_value",
    "label_copy",
    "label_del",
    "label_graphite_group",
    "label_keep",
    "label_lowercase",
    "label_map",
    "label_match",
    "label_mismatch",
    "label_move",
    "label_set",
    "label_transform",
    "label_uppercase",
    "label_value",
    "limit_offset",
    "median_over_time",
    "prometheus_buckets",
    "quantiles_over_time",
    "range_median",
    "range_quantile",
    "rate_over_sum",
    "rollup_candlestick",
    "rollup_delta",
    "rollup_increase",
    "rollup_rate",
    "running_sum",
    "share_gt_over_time",
    "share_le_over_time",
    "tlast_over_time",
    "topk_avg",
    "topk_last",
    "topk_max",
    "vmrange",
];

/// Finds where they may begin, many bytes at once: every query of every file is searched.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let builder = &mut AhoCorasick::builder();
    builder.match_kind(MatchKind::LeftmostFirst);
    builder.build(WORDS).ok()
});

/// True for a text with a word that only MetricsQL has. It may be PromQL all the same: `vmrange` can be a label.
pub(super) fn has_words(text: &str) -> bool {
    let in_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let is_one = |at: usize| {
        let (before, word) = text.as_bytes().split_at(at);
        let end = word.iter().position(|b| !in_word(b));
        let word = &word[..end.unwrap_or(word.len())];
        !before.last().is_some_and(in_word) && WORDS.iter().any(|one| one.as_bytes() == word)
    };
    let found = FINDER.iter().flat_map(|finder| finder.find_iter(text));
    found.map(|found| found.start()).any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found() {
        assert!(WORDS.is_sorted() && WORDS.iter().all(|word| has_words(word)));
    }

    #[test]
    fn words_are_whole() {
        assert!(has_words("histogram_share(0.2, x)"));
        assert!(has_words("rate(x[5m]) keep_metric_names"));
        assert!(!has_words("sum(my_histogram_share_total)"));
        assert!(has_words("label_mapping or label_map(x)"));
        assert!(!has_words("label_set2 + rollup_rate_total"));
    }
}
