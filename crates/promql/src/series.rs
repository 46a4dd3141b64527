//! The series of a family, by what their names add to the family's.
//!
//! `split_series("http_seconds_bucket")` is `("http_seconds", Series::Bucket)`.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Series {
    /// The family's own name; a histogram has no such series.
    Whole,
    Bucket,
    Sum,
    Count,
    Created,
}

impl Series {
    pub const OF_HISTOGRAM: [Self; 3] = [Self::Bucket, Self::Sum, Self::Count];

    /// What it adds to the family's name; `_created` replaces a counter's `_total`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Bucket => "_bucket",
            Self::Sum => "_sum",
            Self::Count => "_count",
            Self::Created => "_created",
        }
    }

    pub fn ends(self, name: &str) -> bool {
        name.ends_with(self.suffix())
    }
}

/// A name without the suffix of a histogram's series, and which series that is.
pub fn split_series(name: &str) -> (&str, Series) {
    let split = |series: Series| Some((name.strip_suffix(series.suffix())?, series));
    let mut parts = Series::OF_HISTOGRAM.into_iter();
    parts.find_map(split).unwrap_or((name, Series::Whole))
}
