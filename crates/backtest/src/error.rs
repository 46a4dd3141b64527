//! Why there is no report.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the server did not answer `{query}`: {why}")]
    Server { query: String, why: String },
    #[error("the server has no series that the rules of `{0}` read, between these times")]
    Empty(String),
    #[error("{0}")]
    Time(String),
    #[error(
        "{service}: {days:.1} days with data are too few for values with at most {} a week: {needed:.1} days are needed",
        count_of(*.a_week)
    )]
    Short {
        service: String,
        days: f64,
        a_week: f64,
        needed: f64,
    },
}

/// So many firings: `1 firing`, `0.5 firings`.
pub fn count_of(number: f64) -> String {
    match number == 1.0 {
        true => "1 firing".to_owned(),
        false => format!("{number} firings"),
    }
}
