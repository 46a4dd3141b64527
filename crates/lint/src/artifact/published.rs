//! Metrics that a text publishes, in any language: calls of client libraries, expositions, recording rules, relabelling.
//!
//! ```
//! use slosmith_lint::artifact::published;
//!
//! let text = r#"Gauge("vllm_depth", "…")  GaugeOpts{Namespace: "tgi", Name: "lag"}  # TYPE sglang:x gauge"#;
//! assert_eq!(published(text), ["sglang:x", "tgi_lag", "vllm_depth"]);
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use slosmith_catalog as catalog;

/// Parts of the names of functions and types that make a metric.
const MAKERS: &str = "counter|enum|gauge|histogram|info|metricfamily|newdesc|opts|summary|timer";

/// A call of a function, or a type, whose name has a part that makes a metric, up to its bracket.
static MAKER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(r"(?i-u)(?:{MAKERS}|\.name)[a-z0-9_.:!]*[({{]");
    Regex::new(&pattern).expect("a valid pattern")
});

static MAKES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("(?i-u){MAKERS}")).expect("a valid pattern"));

/// What stands before the name of a metric in other texts, spaces and quotes left out.
const MARKS: [&str; 7] = [
    "# HELP",
    "# TYPE",
    "new_name:",
    "record:",
    "record\":",
    "replacement:",
    "replacement\":",
];

/// How functions that read a metric begin.
const READERS: [&str; 13] = [
    "assert", "check", "expect", "extract", "fetch", "find", "get", "has", "is", "parse", "query",
    "read", "scrape",
];

/// Bytes of the arguments of a call that are read.
const LONGEST: usize = 600;

/// What names of recorded servers begin with, without the separator behind it, and a pattern of them.
static STEMS: LazyLock<(BTreeSet<&str>, Regex)> = LazyLock::new(|| {
    let stems: BTreeSet<_> = catalog::served_prefixes().map(bare).collect();
    let words: Vec<_> = stems.iter().map(|stem| regex::escape(stem)).collect();
    let pattern = Regex::new(&words.join("|")).expect("literals make a pattern");
    (stems, pattern)
});

fn bare(prefix: &str) -> &str {
    prefix.trim_end_matches([':', '_'])
}

/// The metrics whose names begin as those of recorded servers do, sorted.
pub fn published(text: &str) -> Vec<String> {
    let (stems, pattern) = &*STEMS;
    let places: Vec<_> = pattern.find_iter(text).map(|stem| stem.start()).collect();
    let mut found = BTreeSet::new();
    // Each part of a name is a literal.
    let mut has_literal = false;
    for at in places.iter().copied() {
        let before = &text[..at];
        has_literal |= before.ends_with(['"', '\'', '`']);
        let before = before.trim_end_matches([' ', '"', '\'']);
        if MARKS.iter().any(|mark| before.ends_with(mark)) {
            found.insert(word(&text[at..]));
        }
    }
    let constants = constants(text, &places);
    for call in MAKER.find_iter(if has_literal { text } else { "" }) {
        if is_maker(&text[..call.end() - 1]) {
            let arguments = &text[call.end()..];
            let arguments = &arguments[..arguments.floor_char_boundary(LONGEST)];
            found.extend(name(&constants, within(arguments)));
        }
    }
    let ours = |name: &String| {
        let rests = stems.iter().filter_map(|stem| name.strip_prefix(stem));
        let mut rests = rests.filter(|rest| rest.len() > 1);
        rests.any(|rest| rest.starts_with(['_', ':']))
    };
    found.into_iter().filter(ours).collect()
}

/// Labels that scrapes add: targets of relabelling, and labels of pods and services that monitors copy.
pub fn added_labels(text: &str) -> Vec<String> {
    const TARGETS: [&str; 4] = [
        "target_label:",
        "targetLabel:",
        "target_label\":",
        "targetLabel\":",
    ];
    const LISTS: [&str; 2] = ["podTargetLabels:", "targetLabels:"];
    if memchr::memmem::find(text.as_bytes(), b"arget").is_none() {
        return Vec::new();
    }
    let behind = |mark: &'static str| {
        let places = text.match_indices(mark);
        places.map(move |(at, _)| &text[at + mark.len()..])
    };
    let bare = |text: &str| word(text.trim_start_matches([' ', '"', '\'']));
    let targets = TARGETS.into_iter().flat_map(behind).map(bare);
    let lists = LISTS.into_iter().flat_map(behind).flat_map(|rest| {
        let lines = rest.lines().skip(1).map(str::trim_start);
        lines.map_while(|line| line.strip_prefix("- ")).map(bare)
    });
    let labels = targets
        .chain(lists)
        .filter(|label| !label.is_empty() && !label.starts_with("__"));
    labels.collect::<BTreeSet<_>>().into_iter().collect()
}

/// True if a text ends with a function or a type that makes a metric.
fn is_maker(before: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '!');
    let start = before.trim_end_matches(is_part).len();
    let path = before[start..].to_ascii_lowercase();
    let mut parts = path.split(['.', ':', '!']).filter(|part| !part.is_empty());
    let reads = |part: &str| READERS.iter().any(|reader| part.starts_with(reader));
    let makes = |part: &str| MAKES.is_match(part) && !reads(part);
    // `.name("x")` of a builder.
    path.ends_with(".name") || parts.any(makes)
}

fn within(text: &str) -> &str {
    let mut depth = 0_usize;
    let close = text.char_indices().find(|(_, c)| {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' if depth == 0 => return true,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        false
    });
    close.map_or(text, |(at, _)| &text[..at])
}

/// The name of the metric that a call with these arguments makes.
fn name(constants: &BTreeMap<&str, &str>, arguments: &str) -> Option<String> {
    let first = arguments.trim_start_matches(|c: char| c.is_whitespace() || c == '{' || c == '&');
    let own = keyed(arguments, "name")
        .or_else(|| literal(first))
        .or_else(|| constants.get(identifier(first)).copied())?;
    let outer = ["namespace", "subsystem"].map(|key| keyed(arguments, key));
    let parts = outer.into_iter().flatten().chain([own]);
    let name = parts.collect::<Vec<_>>().join("_");
    Some(name.replace(['.', '-', '/'], "_"))
}

/// The literal behind a key in any spelling: `Name: "x"`, `name="x"`, `"name": 'x'`.
fn keyed<'t>(arguments: &'t str, key: &str) -> Option<&'t str> {
    let small = arguments.to_ascii_lowercase();
    let mut places = small.match_indices(key).filter(|(at, _)| {
        let before = small[..*at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    });
    places.find_map(|(at, _)| {
        let rest = arguments[at + key.len()..].trim_start_matches(['"', '\'', ' ']);
        literal(rest.strip_prefix([':', '='])?.trim_start())
    })
}

/// The constants with a name of a metric at one of the places: `DEPTH = "vllm_depth"`.
fn constants<'t>(text: &'t str, places: &[usize]) -> BTreeMap<&'t str, &'t str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let quoted = places.iter().filter_map(|&at| {
        let before = text[..at].strip_suffix(['"', '\'', '`'])?;
        let value = literal(&text[before.len()..])?;
        let before = before.trim_end_matches([' ', ':', '=']);
        let before = before
            .strip_suffix("&str")
            .map_or(before, |rest| rest.trim_end_matches([' ', ':']));
        let start = before.trim_end_matches(is_part).len();
        Some((&before[start..], value))
    });
    quoted
        .filter(|(constant, _)| !constant.is_empty())
        .collect()
}

/// The identifier that a text begins with.
fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    &text[..end.unwrap_or(text.len())]
}

/// The literal that a text begins with, if it holds only a name.
fn literal(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = &text[1..];
    let inner = &inner[..inner.find(quote)?];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-' | '/');
    (!inner.is_empty() && inner.chars().all(is_name)).then_some(inner)
}

/// The word that a text begins with, if nothing fills it in.
fn word(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    match text[end..].starts_with(['$', '{', '%', '\\']) {
        true => String::new(),
        false => text[..end].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{added_labels, published};

    #[test]
    fn labels_that_scrapes_add() {
        let text = "- target_label: model\n- {targetLabel: 'tenant'}\n- target_label: __address__\n- target_label: $1\n\
                    podTargetLabels:\n  - team\n  - \"tier\"\nother:\n  - none\n";
        assert_eq!(added_labels(text), ["model", "team", "tenant", "tier"]);
    }

    #[test]
    fn client_libraries_of_every_language() {
        for (text, name) in [
            (
                "D = Gauge(\n    \"vllm_queue_depth\",\n    \"doc\")",
                "vllm_queue_depth",
            ),
            (
                "Counter('hits', 'doc', namespace='vllm', subsystem='cache')",
                "vllm_cache_hits",
            ),
            ("DEPTH = \"vllm:depth\"\nGauge(DEPTH, \"d\")", "vllm:depth"),
            (
                "meter.create_observable_gauge(name=\"vllm.queue.depth\", callbacks=[f()])",
                "vllm_queue_depth",
            ),
            (
                "prometheus.NewGaugeVec(prometheus.GaugeOpts{\n\tNamespace: \"vllm\",\n\tName: \"lag\"}, nil)",
                "vllm_lag",
            ),
            (
                "prometheus.NewDesc(\"vllm_up\", \"x\", nil, nil)",
                "vllm_up",
            ),
            ("meter.Int64Counter(\"vllm_retries\")", "vllm_retries"),
            (
                "new client.Histogram({ help: 'x', name: 'vllm_ttft_seconds' })",
                "vllm_ttft_seconds",
            ),
            ("register_int_gauge!(\"vllm_slots\", \"x\")", "vllm_slots"),
            ("Gauge.build().name(\"vllm_jobs\").register()", "vllm_jobs"),
            ("echo \"# TYPE vllm_restarts counter\"", "vllm_restarts"),
            ("{ record: 'vllm:ttft:p95', expr: q }", "vllm:ttft:p95"),
            (
                "target_label: __name__\nreplacement: vllm_total_waiting",
                "vllm_total_waiting",
            ),
        ] {
            assert_eq!(published(text), [name], "{text}");
        }
    }

    #[test]
    fn what_only_reads_a_metric_publishes_none() {
        for text in [
            "get_gauge(\"vllm:queue_depth\")",
            "print(\"vllm_queue_depth\")",
            "replacement: vllm:$1",
            "Gauge(f\"vllm_{name}\")",
            "Gauge(\"vllm\")",
            "queue(vllm_depth) é(",
        ] {
            assert!(published(text).is_empty(), "{text}");
        }
    }
}
