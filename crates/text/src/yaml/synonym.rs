//! The field that was meant: a typing mistake, or the word of another tool.

use crate::diag::nearest;

/// Words of Prometheus, sloth, OpenSLO, Pyrra and Grafana, and the fields that say the same here. The first that the
/// mapping knows is meant.
const WORDS: &[(&str, &[&str])] = &[
    ("alertname", &["alert"]),
    ("alerting", &["alerts", "alert"]),
    ("and", &["all"]),
    ("avg", &["avg_over"]),
    ("below", &["at_most"]),
    ("burn_rate", &["factor"]),
    ("burn_rate_threshold", &["factor"]),
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
    ("latency_target", &["at_most"]),
    ("less_than", &["below"]),
    ("level", &["severity"]),
    ("lt", &["below"]),
    ("lte", &["at_most"]),
    ("message", &["summary"]),
    ("metric", &["signal"]),
    ("objectives", &["slos"]),
    ("or", &["any"]),
    ("pending", &["for"]),
    ("percentile", &["stat"]),
    ("period", &["window"]),
    ("priority", &["severity"]),
    ("quantile", &["stat"]),
    ("query", &["promql"]),
    ("runbook_url", &["runbook"]),
    ("success", &["good"]),
    ("target", &["objective", "at_most"]),
    ("team", &["owner"]),
    ("threshold", &["above", "at_most"]),
    ("time_window", &["period", "window"]),
    ("total_query", &["total"]),
    ("use", &["signal"]),
];

/// Units as other tools name them, and what to write.
const UNITS: &[(&[&str], &str)] = &[
    (
        &["percent", "percentage", "%"],
        "use `ratio`, with `scale: 1%` if 100 means all",
    ),
    (
        &["ms", "milliseconds"],
        "use `seconds`, with `scale: 1ms` if the values are milliseconds",
    ),
    (&["s", "sec", "second", "duration"], "use `seconds`"),
    (
        &["mb", "mib", "gb", "gib", "kb", "kib"],
        "use `bytes`, with a `scale` such as `1MiB` if the values are not bytes",
    ),
    (
        &["messages", "items", "rows", "events", "errors", "jobs"],
        "use `count`",
    ),
];

/// What to write for a unit of another tool.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let mut units = UNITS.iter();
    let found = units.find(|(words, _)| words.contains(&word.as_str()));
    found.map(|(_, help)| *help)
}

/// Fields that hold another map, and what they hold.
const HOLDERS: &[(&str, &[&str])] = &[
    (
        "when",
        &[
            "signal", "promql", "above", "below", "at_least", "at_most", "outside", "absent",
            "stat", "by", "where", "all", "any", "unless",
        ],
    ),
    ("sli", &["ratio", "latency", "time", "promql"]),
];

/// What to write where a word means a field of a map that a known field holds: `when: {promql: "…"}` for `expr`.
pub(super) fn inside(word: &str, known: &[&str]) -> Option<String> {
    let mut holders = HOLDERS.iter().filter(|(name, _)| known.contains(name));
    holders.find_map(|(holder, fields)| {
        let value = match field(word, fields)? {
            "promql" if *holder == "when" => "promql: \"…\"".to_owned(),
            inner @ ("promql" | "ratio" | "latency" | "time" | "outside") => {
                format!("{inner}: {{…}}")
            }
            inner => format!("{inner}: …"),
        };
        Some(format!("{holder}: {{{value}}}"))
    })
}

/// The known field that was meant by `word`.
pub(super) fn field(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let find = |name: &str| known.iter().copied().find(|field| *field == name);
    let small = word.to_ascii_lowercase().replace('-', "_");
    // A slip in another tool's word is one too: `treshold`. A short word may be any other: `for` is not `or`.
    let words = WORDS.iter().map(|(other, _)| *other);
    let word_of = nearest(
        &small,
        words.filter(|word| word.len() > 3 || *word == small),
    );
    let synonym = |word: &str| {
        let (_, fields) = WORDS.iter().find(|(other, _)| *other == word)?;
        fields.iter().find_map(|name| find(name))
    };
    // The word itself comes before a slip: `and` means `all`, and is near to `any`.
    synonym(&small)
        .or_else(|| nearest(word, known.iter().copied()).and_then(find))
        .or_else(|| synonym(word_of?))
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
        assert_eq!(field("and", &["any", "all"]), Some("all"));
        assert_eq!(field("burn_rate", &["consumes", "factor"]), Some("factor"));
        assert_eq!(field("abve", &condition), Some("above"));
        assert_eq!(field("colour", &condition), None);
        assert_eq!(field("below", &["signal", "at_most"]), Some("at_most"));
        assert_eq!(unit("Messages"), Some("use `count`"));
    }

    #[test]
    fn words_of_a_condition_lead_to_the_field_that_holds_it() {
        let alert = ["severity", "when", "for"];
        let found = |word| inside(word, &alert);
        assert_eq!(found("expr").as_deref(), Some("when: {promql: \"…\"}"));
        assert_eq!(found("threshold").as_deref(), Some("when: {above: …}"));
        assert_eq!(found("colour"), None);
        assert_eq!(inside("expr", &["signal", "above"]), None);
        assert_eq!(
            inside("promql", &["objective", "sli"]).as_deref(),
            Some("sli: {promql: {…}}")
        );
    }
}
