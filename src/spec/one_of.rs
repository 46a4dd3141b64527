//! Fields of which a map may have one: a field of a spec replaces the others of an extended file.

/// Paths of maps, and the fields that exclude each other there; `*` is any name or place in a list, `**` is a condition or one
/// inside of it.
const ONE_OF: &[(&str, &[&str])] = &[
    ("signals/*", &["use", "ratio", "per", "prometheus"]),
    ("signals/*/prometheus", &["metric", "promql"]),
    ("signals/*/where/*", MATCHES),
    ("slos/*", GROUPS),
    (
        "slos/*/sli",
        &[
            "ratio",
            "latency",
            "percentile",
            "time",
            "promql",
            "goodput",
        ],
    ),
    ("slos/*/sli/ratio", &["bad", "good"]),
    ("slos/*/sli/time", BOUNDS),
    ("slos/*/sli/promql", &["bad", "good", "error_ratio"]),
    ("slos/*/where/*", MATCHES),
    ("records/*", GROUPS),
    ("records/*/where/*", MATCHES),
    ("**", &["signal", "promql", "all", "any"]),
    ("**", BOUNDS),
    ("**", GROUPS),
    ("**/where/*", MATCHES),
    (
        "dashboards/*/rows/*/panels/*",
        &["signal", "promql", "series"],
    ),
    ("dashboards/*/rows/*/panels/*", GROUPS),
    ("dashboards/*/rows/*/panels/*/where/*", MATCHES),
    ("runbooks/*/steps/*", &["when", "alert", "run"]),
    ("runbooks/*/steps/*", &["fix", "then"]),
    ("prometheus/jobs/*/kubernetes", &["pods", "services"]),
    ("load_tests/scenarios/*", &["duration", "requests"]),
];

const GROUPS: &[&str] = &["by", "group_by"];

const BOUNDS: &[&str] = &[
    "above",
    "below",
    "at_least",
    "at_most",
    "equals",
    "outside",
    "correlated",
    "absent",
    // These have no value of their own.
    "all",
    "any",
];

const MATCHES: &[&str] = &["is", "not", "matches", "not_matches"];

/// Where conditions are.
const CONDITIONS: [&str; 2] = ["alerts/*/when", "runbooks/*/steps/*/when"];

/// The fields that `word` excludes in the map at a path.
pub(super) fn excluded(path: &[String], word: &str) -> Vec<&'static str> {
    let sets = ONE_OF.iter().filter(|(at, words)| {
        words.contains(&word)
            && match at.strip_prefix("**") {
                None => fits(at, path),
                Some(rest) => {
                    let below = rest.trim_start_matches('/');
                    CONDITIONS.iter().any(|at| is_condition(at, path, below))
                }
            }
    });
    let others = sets.flat_map(|(_, words)| words.iter().copied());
    others.filter(|other| *other != word).collect()
}

fn fits(pattern: &str, path: &[String]) -> bool {
    let parts = pattern.split('/').filter(|part| !part.is_empty());
    parts.clone().count() == path.len() && begins(pattern, path)
}

fn begins(pattern: &str, path: &[String]) -> bool {
    let mut parts = pattern.split('/').zip(path);
    parts.all(|(part, name)| part == "*" || part == name)
}

/// True below a condition, or one inside of it.
fn is_condition(at: &str, path: &[String], below: &str) -> bool {
    let start = at.split('/').count();
    let end = path
        .len()
        .saturating_sub(below.split('/').filter(|part| !part.is_empty()).count());
    let inner = |name: &String| ["all", "any", "unless", "*"].contains(&name.as_str());
    start <= end
        && begins(at, path)
        && path[start..end].iter().all(inner)
        && fits(below, &path[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_exclude_each_other_where_they_stand() {
        let found = |path: &str, word: &str| {
            let path: Vec<_> = path.split('/').map(str::to_owned).collect();
            excluded(&path, word).contains(&"above")
        };
        assert!(found("alerts/A/when", "below"));
        assert!(found("alerts/A/when/unless", "outside"));
        assert!(found("runbooks/r/steps/*/when/all/*", "absent"));
        assert!(found("slos/a/sli/time", "equals"));
        // Two limits of a usual range, and two labels.
        assert!(!found("alerts/A/when/outside", "below"));
        assert!(!found("alerts/A/when/where", "below"));
        assert!(!found("alerts", "below"));
        let is = |path: &str| {
            let path: Vec<_> = path.split('/').map(str::to_owned).collect();
            excluded(&path, "is").contains(&"not")
        };
        assert!(is("alerts/A/when/any/*/where/code"));
        assert!(is("signals/a/where/code"));
        assert!(!is("signals/a/where"));
    }
}
