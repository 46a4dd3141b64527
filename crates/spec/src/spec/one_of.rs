//! Fields of which a map may have one: a field of a spec replaces the others of an extended file.

use super::pattern::{below, ends};

/// The field with the environments of a spec.
pub(super) const ENVIRONMENTS: &str = "environments";

/// Paths of maps, and the fields that exclude each other there.
const ONE_OF: &[(&str, &[&str])] = &[
    ("signals/*", &["use", "ratio", "per", "prometheus"]),
    ("signals/*/prometheus", &["metric", "promql"]),
    ("signals/*/where/*", MATCHES),
    ("signals/*/ratio/*/where/*", MATCHES),
    ("signals/*/per/*/where/*", MATCHES),
    ("slos/*", GROUPS),
    (
        "slos/*/sli",
        &["ratio", "latency", "time", "promql", "goodput"],
    ),
    ("slos/*/sli/ratio", &["bad", "good"]),
    ("slos/*/sli/ratio/*/where/*", MATCHES),
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

/// True for a path in an environment: `~` there is about the whole spec, and is kept until the environment is laid upon it.
pub(super) fn is_in_environment(path: &[String]) -> bool {
    path.len() >= 2 && path[0] == ENVIRONMENTS
}

/// The fields that `word` excludes in the map at a path.
pub(super) fn excluded(path: &[String], word: &str) -> Vec<&'static str> {
    let path = match is_in_environment(path) {
        true => path.get(2..).unwrap_or_default(),
        false => path,
    };
    let condition = CONDITIONS.iter().find_map(|at| behind(at, path));
    let sets = ONE_OF.iter().filter(|(at, words)| {
        let path = match at.starts_with("**") {
            true => condition,
            false => Some(path),
        };
        words.contains(&word) && path.is_some_and(|path| fits(at, path))
    });
    let others = sets.flat_map(|(_, words)| words.iter().copied());
    others.filter(|other| *other != word).collect()
}

fn fits(pattern: &str, path: &[String]) -> bool {
    let left = path
        .iter()
        .try_fold(pattern, |left, name| below(left, name));
    left.is_some_and(ends)
}

fn behind<'p>(place: &str, path: &'p [String]) -> Option<&'p [String]> {
    let (head, rest) = path.split_at_checked(place.split('/').count())?;
    fits(place, head).then_some(rest)
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
