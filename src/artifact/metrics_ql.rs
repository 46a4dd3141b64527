//! MetricsQL, the language of VictoriaMetrics: PromQL and more.

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

/// For each first letter the lengths of these words, one bit each: every word of every query is looked up.
const LENGTHS: [u32; 26] = {
    let mut lengths = [0; 26];
    let mut index = 0;
    while index < WORDS.len() {
        let word = WORDS[index].as_bytes();
        lengths[(word[0] - b'a') as usize] |= 1 << word.len();
        index += 1;
    }
    lengths
};

/// For each byte whether words have it.
const IN_WORDS: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        bytes[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    bytes
};

/// True for a text with a word that only MetricsQL has. It may be PromQL all the same: `vmrange` can be a label.
pub(super) fn has_words(text: &str) -> bool {
    let mut words = text.as_bytes().split(|b| !IN_WORDS[usize::from(*b)]);
    words.any(|word| may_be_one(word) && WORDS.iter().any(|one| one.as_bytes() == word))
}

fn may_be_one(word: &[u8]) -> bool {
    let first = word.first().map(|b| usize::from(b.wrapping_sub(b'a')));
    let lengths = first.and_then(|first| LENGTHS.get(first)).unwrap_or(&0);
    word.len() < 32 && lengths >> word.len() & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found() {
        assert!(WORDS.iter().all(|word| has_words(word)));
    }

    #[test]
    fn words_are_whole() {
        assert!(has_words("histogram_share(0.2, x)"));
        assert!(has_words("rate(x[5m]) keep_metric_names"));
        assert!(!has_words("sum(my_histogram_share_total)"));
    }
}
