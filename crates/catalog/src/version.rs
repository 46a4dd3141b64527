//! Versions and ranges of versions, by PEP 440.

mod fault;

use std::fmt;
use std::str::FromStr;

pub use pep440_rs::Version;
use pep440_rs::{Operator, VersionSpecifiers};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    text: String,
    specifiers: VersionSpecifiers,
    exact: Option<Version>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a version or version range: {why}")]
pub struct RangeError {
    pub text: String,
    pub why: String,
    /// The range that it means, where that is known.
    pub meant: Option<String>,
}

impl RangeError {
    pub const HELP: &'static str = "write one version, such as `0.20.2`, or limits with a comma between them, such as `>=0.20, <0.34`";

    pub fn help(&self) -> String {
        match &self.meant {
            Some(meant) => format!("write `{meant}`"),
            None => Self::HELP.to_owned(),
        }
    }

    pub fn with_help(&self) -> String {
        format!("{self}; {}", self.help())
    }
}

impl Range {
    /// [`parse`](Self::parse) for a command line: its fault with what to write instead.
    pub fn told(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|error| error.with_help())
    }

    pub fn parse(text: &str) -> Result<Self, RangeError> {
        Self::read(text.trim()).ok_or_else(|| fault::of(text))
    }

    fn read(text: &str) -> Option<Self> {
        if text.starts_with(|c: char| c.is_ascii_digit() || c == 'v') {
            return Version::from_str(text).ok().map(Self::exact);
        }
        // No bounds at all would be every version.
        let specifiers = VersionSpecifiers::from_str(text).ok()?;
        let exact = match &*specifiers {
            [] => return None,
            [one] if *one.operator() == Operator::Equal => Some(one.version().clone()),
            _ => None,
        };
        Some(Self {
            text: text.to_owned(),
            specifiers,
            exact,
        })
    }

    pub fn exact(version: Version) -> Self {
        let specifier = pep440_rs::VersionSpecifier::equals_version(version.clone());
        Self {
            text: version.to_string(),
            specifiers: VersionSpecifiers::from(specifier),
            exact: Some(version),
        }
    }

    pub fn contains(&self, version: &Version) -> bool {
        self.specifiers.contains(version)
    }

    pub fn as_exact(&self) -> Option<&Version> {
        self.exact.as_ref()
    }

    pub fn versions(&self) -> Vec<&Version> {
        self.specifiers.iter().map(|s| s.version()).collect()
    }

    /// True when the range ends before it begins: a lower bound is above an upper one.
    pub fn is_inverted(&self) -> bool {
        use Operator::{GreaterThan, GreaterThanEqual, LessThan, LessThanEqual};
        let bounds = |operators: [Operator; 2]| {
            let own = self.specifiers.iter();
            let own = own.filter(move |s| operators.contains(s.operator()));
            own.map(|s| s.version())
        };
        let lower = bounds([GreaterThan, GreaterThanEqual]).max();
        let upper = bounds([LessThan, LessThanEqual]).min();
        lower.zip(upper).is_some_and(|(lower, upper)| lower > upper)
    }

    /// True when nothing bounds the range from above.
    pub fn is_open_ended(&self) -> bool {
        use Operator::{Equal, EqualStar, ExactEqual, LessThan, LessThanEqual, TildeEqual};
        !self.specifiers.iter().any(|specifier| {
            matches!(
                specifier.operator(),
                Equal | EqualStar | ExactEqual | LessThan | LessThanEqual | TildeEqual
            )
        })
    }
}

impl FromStr for Range {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        Self::parse(text)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_may_end_before_it_begins() {
        for (text, inverted) in [
            (">=0.34, <0.20", true),
            (">0.20, <0.34, <0.10", true),
            (">=0.20, <0.34", false),
            (">=0.20", false),
            ("0.20.2", false),
        ] {
            let range = Range::parse(text).expect(text);
            assert_eq!(range.is_inverted(), inverted, "{text}");
        }
    }

    fn version(text: &str) -> Version {
        text.parse().expect("version")
    }

    #[test]
    fn bounds_single_versions_and_stars() {
        let range = Range::parse(">=0.20, <0.34").expect("range");
        assert!(range.contains(&version("0.20.2")) && !range.contains(&version("0.34.0")));
        assert!(!range.is_open_ended() && range.as_exact().is_none());
        assert!(Range::parse(">=0.20").expect("range").is_open_ended());
        assert!(
            Range::parse("==0.10.*")
                .expect("range")
                .contains(&version("0.10.2"))
        );
        for text in ["0.12", "==0.12", " v0.12.0 "] {
            let range = Range::parse(text).expect("range");
            assert_eq!(range.as_exact(), Some(&version("0.12.0")));
            assert!(range.contains(&version("0.12.0")));
        }
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let texts = [
            "",
            ">=0.20 <0.34",
            "0.20, <0.34",
            "latest",
            "0.20.x",
            ">=",
            "0.8-0.10",
            "0.20 - 0.33",
            "v0.20..v0.33",
            "0.20 to 0.33",
            "v0.20+",
            ">=0.20+",
            ">=0.20.*",
            "==0.20.x",
            "^0.20.1",
            "^1.2",
            "~0.20",
            "~0.20.1",
            "~=0",
            "=0.20",
            "=>0.20",
            ">=0.20 and <0.34",
            ">= 0.20 && < 0.34",
            ">=0.20, 0.34",
            "0.20 0.34",
            ">=0.20, <0.34,",
            ">=0.20 || <0.10",
            ">=0.20, <newest",
            "0.20 - newest",
            "v",
            "<>0.20",
            "+",
            "^",
        ];
        let faults = texts.map(|text| match Range::parse(text) {
            Ok(range) => format!("{text} is {:?}", range.specifiers.to_string()),
            Err(error) => format!("{error}\n  {}", error.help()),
        });
        insta::assert_snapshot!(faults.join("\n"));
    }
}
