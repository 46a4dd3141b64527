//! Tags: names and values that a resource of AWS may have.

use super::limits;

/// True when AWS takes this pair as a tag.
///
/// Letters, digits, blanks and `_.:/=+-@`, as the reference of the tagging API has it.
pub fn is_tag(name: &str, value: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || " _.:/=+-@".contains(c);
    (1..=limits::TAG_NAME).contains(&name.chars().count())
        && value.chars().count() <= limits::TAG_VALUE
        && !name.starts_with("aws:")
        && name.chars().chain(value.chars()).all(fits)
}
