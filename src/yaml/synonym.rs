//! The field that somebody meant, by a slip of the pen or by another tool's word for it.

use crate::diag::nearest;

/// Words of Prometheus, sloth, OpenSLO, Pyrra and Grafana, and the fields that say the same here. The first that the
/// mapping knows is meant.
const WORDS: &[(&str, &[&str])] = &[
    ("alertname", &["alert"]),
    ("alerting", &["alerts", "alert"]),
    ("duration", &["for", "window"]),
    ("error_query", &["bad"]),
    ("errors", &["bad"]),
    ("expr", &["promql"]),
    ("expression", &["promql"]),
    ("goal", &["objective"]),
    ("greater_than", &["above"]),
    ("gt", &["above"]),
    ("gte", &["at_least"]),
    ("group", &["group_by"]),
    ("groups", &["group_by"]),
    ("indicator", &["sli"]),
    ("latency_target", &["within"]),
    ("less_than", &["below"]),
    ("level", &["severity"]),
    ("lt", &["below"]),
    ("lte", &["at_most"]),
    ("message", &["summary"]),
    ("metric", &["signal"]),
    ("objectives", &["slos"]),
    ("pending", &["for"]),
    ("percentile", &["stat"]),
    ("period", &["window"]),
    ("priority", &["severity"]),
    ("quantile", &["stat"]),
    ("query", &["promql"]),
    ("runbook_url", &["runbook"]),
    ("success", &["good"]),
    ("target", &["objective", "within"]),
    ("team", &["owner"]),
    ("threshold", &["above", "within"]),
    ("time_window", &["window"]),
    ("total_query", &["total"]),
];

/// The known field that was meant by `word`.
pub(super) fn field(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let find = |name: &str| known.iter().copied().find(|field| *field == name);
    let small = word.to_ascii_lowercase().replace('-', "_");
    // A slip in another tool's word is one too: `treshold`.
    let word_of = nearest(&small, WORDS.iter().map(|(other, _)| *other));
    let synonym = || {
        let (_, fields) = WORDS.iter().find(|(other, _)| Some(*other) == word_of)?;
        fields.iter().find_map(|name| find(name))
    };
    nearest(word, known.iter().copied())
        .and_then(find)
        .or_else(synonym)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tools_words_lead_to_our_fields() {
        let condition = ["signal", "promql", "above", "below"];
        assert_eq!(field("treshold", &condition), Some("above"));
        assert_eq!(field("greater-than", &condition), Some("above"));
        assert_eq!(field("expr", &condition), Some("promql"));
        assert_eq!(field("abve", &condition), Some("above"));
        assert_eq!(field("colour", &condition), None);
    }
}
