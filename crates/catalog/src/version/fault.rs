//! Why a text is not a range, and which range it means: other tools write ranges in other ways.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifier};

use super::{Range, RangeError};

type Fault = (String, Option<String>);

pub(super) fn of(text: &str) -> RangeError {
    let trimmed = text.trim();
    let (why, meant) = [between, open, star, caret, equals, joined]
        .into_iter()
        .find_map(|form| form(trimmed))
        .unwrap_or_else(|| (part(trimmed), None));
    RangeError {
        text: text.to_owned(),
        why,
        meant: meant.filter(|meant| Range::parse(meant).is_ok()),
    }
}

/// The version in a text, without the `v` of a tag.
fn version(text: &str) -> Option<&str> {
    let text = text.trim().trim_start_matches(['v', 'V']);
    Version::from_str(text).ok().map(|_| text)
}

/// `0.20 - 0.33`, `0.20..0.33`, `0.20 to 0.33`.
fn between(text: &str) -> Option<Fault> {
    let (low, high) = [" - ", "..", " to ", "-", "–"]
        .into_iter()
        .filter_map(|sign| text.split_once(sign))
        .find_map(|(low, high)| Some((version(low)?, version(high.trim_start_matches('='))?)))?;
    let why = "a range needs two limits".to_owned();
    Some((why, Some(format!(">={low}, <={high}"))))
}

/// `v0.20+`.
fn open(text: &str) -> Option<Fault> {
    let bound = text.strip_suffix('+')?;
    let low = version(bound.trim_start_matches(['>', '=']))?;
    let why = "a lower limit is written with `>=`, not with `+`".to_owned();
    Some((why, Some(format!(">={low}"))))
}

/// `0.20.x`, and `>=0.20.*`.
fn star(text: &str) -> Option<Fault> {
    let (operator, rest) = split(text);
    let low = rest.strip_suffix(".x").or(rest.strip_suffix(".*"))?;
    let low = version(low)?;
    Some(match operator {
        "" | "=" | "==" => (
            "versions that start with the same numbers are written with `==` and `*`".to_owned(),
            Some(format!("=={low}.*")),
        ),
        _ => (
            format!("`{operator}` cannot have a `*`"),
            Some(format!("{operator}{low}")),
        ),
    })
}

/// `^0.20` and `~0.20`: up to the next version that may break something.
fn caret(text: &str) -> Option<Fault> {
    let sign = text
        .chars()
        .next()
        .filter(|sign| matches!(sign, '^' | '~'))?;
    let low = version(text.strip_prefix(sign)?)?;
    let numbers: Vec<u64> = low.split('.').map_while(|n| n.parse().ok()).collect();
    let kept = match sign {
        '^' => numbers.iter().position(|number| *number > 0)?,
        _ => 1.min(numbers.len().checked_sub(1)?),
    };
    let mut next: Vec<_> = numbers[..=kept].iter().map(u64::to_string).collect();
    next[kept] = numbers[kept].checked_add(1)?.to_string();
    let why = format!("`{sign}` is not an operator of version ranges");
    Some((why, Some(format!(">={low}, <{}", next.join(".")))))
}

/// `=0.20`, `=>0.20`, `=<0.20`.
fn equals(text: &str) -> Option<Fault> {
    let (operator, rest) = split(text);
    let meant = match operator {
        "=" => "==",
        "=>" => ">=",
        "=<" => "<=",
        _ => return None,
    };
    let why = format!("`{operator}` is not an operator of version ranges");
    Some((why, Some(format!("{meant}{}", version(rest)?))))
}

/// Bounds without commas between them, or without an operator.
fn joined(text: &str) -> Option<Fault> {
    let bounds = bounds(text);
    let sound = |bound: &String| VersionSpecifier::from_str(bound).is_ok();
    let bare = |bound: &String| version(bound).is_some();
    if bounds.len() < 2 || !bounds.iter().all(|bound| sound(bound) || bare(bound)) {
        return None;
    }
    if !bounds.iter().any(bare) {
        let why = "a comma is missing between the limits".to_owned();
        return Some((why, Some(bounds.join(", "))));
    }
    let first = (!bounds[1..].iter().any(bare)).then(|| format!(">={}", bounds.join(", ")));
    Some((
        "each limit needs an operator before the version".to_owned(),
        first,
    ))
}

fn part(text: &str) -> String {
    if text.is_empty() {
        return "the text is empty".to_owned();
    }
    if text.contains('|') {
        return "a version must be within all limits: `||` is not supported".to_owned();
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || "v<>=!~".contains(c)) {
        return "expected an operator or a number at the start".to_owned();
    }
    let bounds = bounds(text);
    let wrong = bounds
        .iter()
        .find(|bound| VersionSpecifier::from_str(bound).is_err() && version(bound).is_none());
    let (operator, rest) = split(wrong.map_or(text, String::as_str));
    match rest {
        "" => format!("no version follows `{operator}`"),
        _ if operator == "~=" && version(rest).is_some() => {
            "`~=` needs a version of two numbers or more".to_owned()
        }
        _ if version(rest).is_some() => {
            format!("`{operator}` is not an operator of version ranges")
        }
        _ => format!("`{rest}` is not a version"),
    }
}

fn bounds(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&'));
    let words = words.filter(|word| !word.is_empty() && *word != "and");
    let mut bounds: Vec<String> = Vec::new();
    // True after an operator whose version is still to come.
    let mut open = false;
    for word in words {
        match bounds.last_mut() {
            Some(last) if open => last.push_str(word),
            _ => bounds.push(word.to_owned()),
        }
        open = split(word).1.is_empty();
    }
    bounds
}

fn split(bound: &str) -> (&str, &str) {
    let end = bound.find(|c: char| !"<>=!~".contains(c));
    let (operator, rest) = bound.split_at(end.unwrap_or(bound.len()));
    (operator, rest.trim())
}
