//! Errors of numbers, durations and quantities in a spec.

/// The most significant digits a number in a spec may have.
pub(super) const MAX_DIGITS: usize = 12;

/// What a text that cannot be read should be. Each holds the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A decimal number.
    #[error("`{0}` is not a number")]
    Number(String),
    /// A number that exact arithmetic can hold.
    #[error("`{0}` has more than {MAX_DIGITS} digits")]
    Digits(String),
    /// A length of time.
    #[error("`{0}` is not a duration")]
    Duration(String),
    /// A length of time without fractions of a second.
    #[error("`{0}` must be a whole number of seconds, 0 or more")]
    WholeSeconds(String),
    /// A length of time that a server can look back.
    #[error("`{0}` is longer than ten years")]
    TenYears(String),
    /// A number with a unit.
    #[error("`{0}` is not a quantity")]
    Quantity(String),
    /// The time that a rate is counted over.
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
