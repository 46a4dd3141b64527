//! Errors of numbers, durations and quantities in a spec.

pub(super) const MAX_DIGITS: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("`{0}` is not a number")]
    Number(String),
    #[error("`{0}` has more than {MAX_DIGITS} digits")]
    Digits(String),
    #[error("`{0}` is not a duration")]
    Duration(String),
    #[error("`{0}` must be a whole number of seconds, 0 or more")]
    WholeSeconds(String),
    #[error("`{0}` is longer than ten years")]
    TenYears(String),
    #[error("`{0}` is not a quantity")]
    Quantity(String),
    #[error("`/{0}` is not a unit of time for a rate")]
    Per(String),
}

impl ParseError {
    /// What to write instead, where the error does not say it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Duration(_) => Some("use a duration like `30s`, `5m`, `1h30m` or `28d`"),
            Self::Quantity(_) => Some("use a value like `500ms`, `95%`, `10/min`, `1GiB` or `80`"),
            Self::Per(_) => Some("use `/s`, `/min`, `/h` or `/d`"),
            Self::Number(_) | Self::Digits(_) | Self::WholeSeconds(_) | Self::TenYears(_) => None,
        }
    }
}
