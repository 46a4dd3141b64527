//! The functions of Prometheus 3 and what they take.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueType {
    /// One number, without labels.
    Scalar,
    /// One sample per series: an instant vector.
    Vector,
    /// Many samples per series: a range vector.
    Matrix,
    String,
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scalar => "scalar",
            Self::Vector => "instant vector",
            Self::Matrix => "range vector",
            Self::String => "string",
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: &'static str,
    pub args: &'static [ValueType],
    pub extra: Extra,
    pub returns: ValueType,
    pub experimental: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Exactly one argument per type.
    None,
    /// One less than there are types, up to this many more than that.
    UpTo(usize),
    /// One less than there are types, or any number more.
    Any,
}

impl Function {
    pub fn get(name: &str) -> Option<&'static Self> {
        let at = FUNCTIONS.binary_search_by(|function| function.name.cmp(name));
        at.ok().map(|at| &FUNCTIONS[at])
    }

    pub fn all() -> &'static [Self] {
        FUNCTIONS
    }

    pub fn arity(&self) -> (usize, Option<usize>) {
        let count = self.args.len();
        match self.extra {
            Extra::None => (count, Some(count)),
            Extra::UpTo(more) => (count - 1, Some(count - 1 + more)),
            Extra::Any => (count - 1, None),
        }
    }

    pub fn arg(&self, index: usize) -> Option<ValueType> {
        self.args.get(index).or(self.args.last()).copied()
    }
}

use ValueType::{Matrix as M, Scalar as S, String as T, Vector as V};

const fn stable(name: &'static str, args: &'static [ValueType], returns: ValueType) -> Function {
    Function {
        name,
        args,
        extra: Extra::None,
        returns,
        experimental: false,
    }
}

const fn flagged(name: &'static str, args: &'static [ValueType], returns: ValueType) -> Function {
    Function {
        experimental: true,
        ..stable(name, args, returns)
    }
}

const fn extra(extra: Extra, function: Function) -> Function {
    Function { extra, ..function }
}

const FUNCTIONS: &[Function] = &[
    stable("abs", &[V], V),
    stable("absent", &[V], V),
    stable("absent_over_time", &[M], V),
    stable("acos", &[V], V),
    stable("acosh", &[V], V),
    stable("asin", &[V], V),
    stable("asinh", &[V], V),
    stable("atan", &[V], V),
    stable("atanh", &[V], V),
    stable("avg_over_time", &[M], V),
    stable("ceil", &[V], V),
    stable("changes", &[M], V),
    stable("clamp", &[V, S, S], V),
    stable("clamp_max", &[V, S], V),
    stable("clamp_min", &[V, S], V),
    stable("cos", &[V], V),
    stable("cosh", &[V], V),
    stable("count_over_time", &[M], V),
    extra(Extra::UpTo(1), stable("day_of_month", &[V], V)),
    extra(Extra::UpTo(1), stable("day_of_week", &[V], V)),
    extra(Extra::UpTo(1), stable("day_of_year", &[V], V)),
    extra(Extra::UpTo(1), stable("days_in_month", &[V], V)),
    stable("deg", &[V], V),
    stable("delta", &[M], V),
    stable("deriv", &[M], V),
    flagged("double_exponential_smoothing", &[M, S, S], V),
    flagged("end", &[], S),
    stable("exp", &[V], V),
    stable("first_over_time", &[M], V),
    stable("floor", &[V], V),
    stable("histogram_avg", &[V], V),
    stable("histogram_count", &[V], V),
    stable("histogram_fraction", &[S, S, V], V),
    stable("histogram_quantile", &[S, V], V),
    extra(
        Extra::UpTo(9),
        flagged("histogram_quantiles", &[V, T, S, S], V),
    ),
    stable("histogram_stddev", &[V], V),
    stable("histogram_stdvar", &[V], V),
    stable("histogram_sum", &[V], V),
    extra(Extra::UpTo(1), stable("hour", &[V], V)),
    stable("idelta", &[M], V),
    stable("increase", &[M], V),
    extra(Extra::UpTo(1), flagged("info", &[V, V], V)),
    extra(Extra::UpTo(1), flagged("integral", &[M, S], V)),
    stable("irate", &[M], V),
    extra(Extra::Any, stable("label_join", &[V, T, T, T], V)),
    stable("label_replace", &[V, T, T, T, T], V),
    stable("last_over_time", &[M], V),
    stable("ln", &[V], V),
    stable("log10", &[V], V),
    stable("log2", &[V], V),
    flagged("mad_over_time", &[M], V),
    flagged("max_of", &[S, S], S),
    stable("max_over_time", &[M], V),
    flagged("min_of", &[S, S], S),
    stable("min_over_time", &[M], V),
    extra(Extra::UpTo(1), stable("minute", &[V], V)),
    extra(Extra::UpTo(1), stable("month", &[V], V)),
    stable("pi", &[], S),
    stable("predict_linear", &[M, S], V),
    stable("present_over_time", &[M], V),
    stable("quantile_over_time", &[S, M], V),
    stable("rad", &[V], V),
    flagged("range", &[], S),
    stable("rate", &[M], V),
    stable("resets", &[M], V),
    extra(Extra::UpTo(1), stable("round", &[V, S], V)),
    stable("scalar", &[V], S),
    stable("sgn", &[V], V),
    stable("sin", &[V], V),
    stable("sinh", &[V], V),
    stable("sort", &[V], V),
    extra(Extra::Any, flagged("sort_by_label", &[V, T], V)),
    extra(Extra::Any, flagged("sort_by_label_desc", &[V, T], V)),
    stable("sort_desc", &[V], V),
    stable("sqrt", &[V], V),
    flagged("start", &[], S),
    flagged("start_timestamp", &[V], V),
    stable("stddev_over_time", &[M], V),
    stable("stdvar_over_time", &[M], V),
    flagged("step", &[], S),
    stable("sum_over_time", &[M], V),
    stable("tan", &[V], V),
    stable("tanh", &[V], V),
    stable("time", &[], S),
    stable("timestamp", &[V], V),
    flagged("ts_of_first_over_time", &[M], V),
    flagged("ts_of_last_over_time", &[M], V),
    flagged("ts_of_max_over_time", &[M], V),
    flagged("ts_of_min_over_time", &[M], V),
    stable("vector", &[S], V),
    extra(Extra::UpTo(1), stable("year", &[V], V)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(FUNCTIONS.is_sorted_by(|a, b| a.name < b.name));
        assert!(FUNCTIONS.iter().all(|f| Function::get(f.name) == Some(f)));
        assert_eq!(Function::get("holt_winters"), None);
    }

    #[test]
    fn arity_follows_extra() {
        let arity = |name| Function::get(name).unwrap().arity();
        assert_eq!(arity("rate"), (1, Some(1)));
        assert_eq!(arity("round"), (1, Some(2)));
        assert_eq!(arity("hour"), (0, Some(1)));
        assert_eq!(arity("label_join"), (3, None));
        assert_eq!(arity("histogram_quantiles"), (3, Some(12)));
    }
}
