//! Tags: names and values that a resource of AWS may have.

use std::collections::BTreeSet;

use super::fields::Fields;
use super::limits;
use super::unknown::known;

/// True when AWS takes this pair as a tag.
///
/// Letters, digits, blanks and `_.:/=+-@`, as the reference of the tagging API has it.
pub fn is_tag(name: &str, value: &str) -> bool {
    (1..=limits::TAG_NAME).contains(&name.chars().count())
        && value.chars().count() <= limits::TAG_VALUE
        && !is_reserved(name)
        && fits(name)
        && fits(value)
}

fn fits(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || " _.:/=+-@".contains(c))
}

/// True for the names that AWS keeps to itself, in letters of any size.
pub fn is_reserved(name: &str) -> bool {
    name.get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("aws:"))
}

/// Checks the tags of a request, but not their characters: AWS documents those for all services together, and the model
/// of the API does not have them.
pub(super) fn check(f: &mut Fields<'_, '_>) {
    let mut seen = BTreeSet::new();
    for (i, tag) in known(f.at_most("Tags", limits::TAGS)) {
        let mut tag = f.at(&format!("Tags/{i}"), tag);
        tag.only(&["Key", "Value"]);
        tag.required("Key");
        tag.required("Value");
        if let Some(name) = tag.length("Key", 1, limits::TAG_NAME) {
            if is_reserved(name) {
                tag.wrong(
                    "Key",
                    "tag names that start with `aws:` are reserved for AWS",
                );
            } else if !seen.insert(name) {
                tag.wrong("Key", format!("two tags have the name `{name}`"));
            }
        }
        tag.length("Value", 0, limits::TAG_VALUE);
    }
}
