//! The functions of metric math: what they take and what they give.
//!
//! Source: "Functions supported for metric math" in the user guide, as of 2026.

use crate::fields::hint;

pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) takes: Takes,
}

/// What a function takes first, and what it gives of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A series gives a series, several give several.
    Each,
    /// A series gives a number, several give a series.
    Merge,
    /// Several series give one.
    Pick,
    /// A series gives a series.
    Series,
    /// A metric gives a number.
    Metric,
    /// Several series give a number.
    Count,
    /// A number gives a series.
    Scalar,
    /// Several series give several.
    Array,
    /// A condition and values give a series.
    Choice,
    /// A text gives several series.
    Metrics,
    /// A series gives two: the limits of what is usual.
    Band,
    /// Several series in an order.
    Sorted,
    /// Arguments that are not looked at give a series.
    Foreign,
    /// Arguments that are not looked at give several series.
    Search,
}

use Takes::{
    Array, Band, Choice, Count, Each, Foreign, Merge, Metric, Metrics, Pick, Scalar, Search,
    Series, Sorted,
};

const fn of(name: &'static str, least: usize, most: usize, takes: Takes) -> Function {
    Function {
        name,
        least,
        most,
        takes,
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    of("ABS", 1, 1, Each),
    of("ANOMALY_DETECTION_BAND", 1, 2, Band),
    of("AVG", 1, 1, Merge),
    of("CEIL", 1, 1, Each),
    of("DATAPOINT_COUNT", 1, 1, Merge),
    of("DATE", 1, 1, Series),
    of("DAY", 1, 1, Series),
    of("DB_PERF_INSIGHTS", 1, usize::MAX, Foreign),
    of("DIFF", 1, 1, Each),
    of("DIFF_TIME", 1, 1, Each),
    of("EPOCH", 1, 1, Series),
    of("FILL", 2, 2, Each),
    of("FIRST", 1, 1, Pick),
    of("FLOOR", 1, 1, Each),
    of("HOUR", 1, 1, Series),
    of("IF", 2, 3, Choice),
    of("INSIGHT_RULE_METRIC", 2, 2, Foreign),
    of("LAMBDA", 1, usize::MAX, Foreign),
    of("LAST", 1, 1, Pick),
    of("LOG", 1, 1, Each),
    of("LOG10", 1, 1, Each),
    of("MAX", 1, 1, Merge),
    of("METRICS", 0, 1, Metrics),
    of("METRIC_COUNT", 1, 1, Count),
    of("MIN", 1, 1, Merge),
    of("MINUTE", 1, 1, Series),
    of("MONTH", 1, 1, Series),
    of("PERIOD", 1, 1, Metric),
    of("RATE", 1, 1, Each),
    of("REMOVE_EMPTY", 1, 1, Array),
    of("RUNNING_SUM", 1, 1, Each),
    of("SEARCH", 1, 3, Search),
    of("SERVICE_QUOTA", 1, 1, Series),
    of("SLICE", 2, 3, Sorted),
    of("SORT", 3, 4, Sorted),
    of("STDDEV", 1, 1, Merge),
    of("SUM", 1, 1, Merge),
    of("TIME_SERIES", 1, 1, Scalar),
    of("YEAR", 1, 1, Series),
];

pub(super) fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

pub(super) fn no_function(name: &str) -> String {
    let capitals = name.to_ascii_uppercase();
    if function(&capitals).is_some() {
        return format!("function names must be upper-case: write {capitals}");
    }
    let known = FUNCTIONS.iter().map(|function| function.name);
    format!("unknown function {name}{}", hint(&capitals, known))
}

pub(crate) fn unsupported(name: &str) -> Option<&'static str> {
    (name == "SEARCH")
        .then_some("SEARCH cannot be used in an alarm: its result depends on which metrics exist")
}
