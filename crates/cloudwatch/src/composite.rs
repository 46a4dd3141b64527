//! Composite alarms: `ALARM("a") AND NOT OK("b")`.
//!
//! [`children`] reads that rule as two names and two elements; `ALARM("a") AND` as [`BadRule::NoAlarm`].

use serde_json::Value;
use thiserror::Error;

use super::actions::Sort;
use super::alarm::common;
use super::fields::{Fields, Form};
use super::violation::Violation;

const FIELDS: &[&str] = &[
    "AlarmName",
    "AlarmDescription",
    "ActionsEnabled",
    "OKActions",
    "AlarmActions",
    "InsufficientDataActions",
    "AlarmRule",
    "ActionsSuppressor",
    "ActionsSuppressorWaitPeriod",
    "ActionsSuppressorExtensionPeriod",
    "ActionConfiguration",
    "Tags",
];

const STATES: [&str; 3] = ["ALARM", "OK", "INSUFFICIENT_DATA"];

pub fn composite(request: &Value, form: Form) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut f = Fields::new(request, form, &mut found);
    f.only(FIELDS);
    common(&mut f, Sort::Composite);
    f.required("AlarmRule");
    if let Some(rule) = f.length("AlarmRule", 1, 10_240) {
        check_rule(&mut f, rule);
    }
    suppressor(&mut f);
    found
}

/// An alarm that silences this one, and how long it is waited for.
fn suppressor(f: &mut Fields<'_, '_>) {
    let periods = [
        "ActionsSuppressorWaitPeriod",
        "ActionsSuppressorExtensionPeriod",
    ];
    f.length("ActionsSuppressor", 1, 1600);
    for key in periods {
        if f.has("ActionsSuppressor") && f.lacks(key) {
            let message = format!("`ActionsSuppressor` needs `{key}`");
            f.wrong("ActionsSuppressor", message);
        }
        if f.lacks("ActionsSuppressor") && f.has(key) {
            f.wrong(key, format!("`{key}` needs `ActionsSuppressor`"));
        } else if f.whole(key).is_some_and(|seconds| seconds < 0) {
            f.wrong(key, format!("`{key}` must be 0 or more"));
        }
    }
}

fn check_rule(f: &mut Fields<'_, '_>, rule: &str) {
    let read = match children(rule) {
        Ok(read) => read,
        Err(why) => return f.wrong("AlarmRule", format!("the rule is invalid: {why}")),
    };
    if read.names.len() > 100 {
        f.wrong(
            "AlarmRule",
            format!(
                "{} alarms in the rule; at most 100 are allowed",
                read.names.len()
            ),
        );
    }
    if read.elements > 500 {
        f.wrong(
            "AlarmRule",
            format!(
                "{} elements in the rule; at most 500 are allowed",
                read.elements
            ),
        );
    }
    let own = f.get("AlarmName").and_then(Value::as_str);
    if own.is_some_and(|own| read.names.iter().any(|name| name == own)) {
        f.wrong("AlarmRule", "the rule refers to the alarm itself");
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Children {
    pub names: Vec<String>,
    /// Alarms, TRUE, FALSE and parentheses.
    pub elements: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadRule {
    /// Something is where nothing may be.
    #[error("unexpected `{0}`")]
    Unexpected(String),
    #[error("unexpected `{found}`, expected `{wanted}`")]
    Expected { found: String, wanted: &'static str },
    #[error("`{0}` is missing at the end")]
    Ends(&'static str),
    #[error("after {state}: {why}")]
    Behind {
        state: &'static str,
        why: Box<BadRule>,
    },
    #[error("an alarm is missing at the end")]
    NoAlarm,
    /// Something else is where an alarm should.
    #[error(
        "unexpected `{0}`, expected ALARM(…), OK(…), INSUFFICIENT_DATA(…), TRUE, FALSE, NOT or `(`"
    )]
    NotAnAlarm(String),
    /// AT_LEAST of how many.
    #[error("AT_LEAST must start with a number or a percentage")]
    NoNumber,
    /// AT_LEAST of so many that it never or always holds.
    #[error(
        "AT_LEAST({0}, …): the number must be from 1 to the number of listed alarms, or from 1% to 100%"
    )]
    Count(String),
    /// AT_LEAST of which state.
    #[error("AT_LEAST must name ALARM, OK or INSUFFICIENT_DATA")]
    NoState,
    #[error("a closing quote is missing")]
    OpenQuote,
    #[error("the name of an alarm is missing")]
    NoName,
}

pub fn children(rule: &str) -> Result<Children, BadRule> {
    let mut parser = Parser {
        rest: rule,
        found: Children::default(),
    };
    parser.either()?;
    match parser.rest.trim_start() {
        "" => Ok(parser.found),
        rest => Err(BadRule::Unexpected(first_word(rest).to_owned())),
    }
}

/// The name in `arn:aws:cloudwatch:us-east-1:123456789012:alarm:NAME`; a plain name as it is.
pub fn alarm_name(name: &str) -> &str {
    let mut fields = name.splitn(7, ':');
    match (fields.next(), fields.nth(1), fields.nth(2), fields.next()) {
        (Some("arn"), Some("cloudwatch"), Some("alarm"), Some(name)) => name,
        _ => name,
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

struct Parser<'r> {
    rest: &'r str,
    found: Children,
}

impl Parser<'_> {
    /// Takes a sign or a word, which must end there.
    fn take(&mut self, wanted: &str) -> bool {
        let rest = self.rest.trim_start();
        let Some(after) = rest.strip_prefix(wanted) else {
            return false;
        };
        let word = wanted.ends_with(|c: char| c.is_ascii_alphabetic());
        if word && after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
            return false;
        }
        self.rest = after;
        true
    }

    fn need(&mut self, wanted: &'static str) -> Result<(), BadRule> {
        if self.take(wanted) {
            return Ok(());
        }
        Err(match first_word(self.rest) {
            "" => BadRule::Ends(wanted),
            found => BadRule::Expected {
                found: found.to_owned(),
                wanted,
            },
        })
    }

    fn either(&mut self) -> Result<(), BadRule> {
        self.both()?;
        while self.take("OR") {
            self.both()?;
        }
        Ok(())
    }

    fn both(&mut self) -> Result<(), BadRule> {
        self.one()?;
        while self.take("AND") {
            self.one()?;
        }
        Ok(())
    }

    fn one(&mut self) -> Result<(), BadRule> {
        if self.take("NOT") {
            return self.one();
        }
        if self.take("TRUE") || self.take("FALSE") {
            self.found.elements += 1;
            return Ok(());
        }
        if self.take("AT_LEAST") {
            return self.at_least();
        }
        if let Some(state) = STATES.into_iter().find(|state| self.take(state)) {
            self.found.elements += 1;
            self.need("(").map_err(|why| BadRule::Behind {
                state,
                why: Box::new(why),
            })?;
            self.name()?;
            return self.need(")");
        }
        if self.take("(") {
            self.found.elements += 2;
            self.either()?;
            return self.need(")");
        }
        Err(match first_word(self.rest) {
            "" => BadRule::NoAlarm,
            found => BadRule::NotAnAlarm(found.to_owned()),
        })
    }

    /// `AT_LEAST(2, ALARM, (a, b, c))`, `AT_LEAST(50%, NOT OK, (…))`.
    fn at_least(&mut self) -> Result<(), BadRule> {
        self.need("(")?;
        let rest = self.rest.trim_start();
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        if digits == 0 {
            return Err(BadRule::NoNumber);
        }
        let wanted = rest[..digits].parse().unwrap_or(usize::MAX);
        self.rest = &rest[digits..];
        let percent = self.take("%");
        self.need(",")?;
        self.take("NOT");
        if !STATES.into_iter().any(|state| self.take(state)) {
            return Err(BadRule::NoState);
        }
        self.need(",")?;
        self.need("(")?;
        let mut named = 0;
        loop {
            self.found.elements += 1;
            named += 1;
            self.name()?;
            if !self.take(",") {
                break;
            }
        }
        self.need(")")?;
        self.need(")")?;
        let most = if percent { 100 } else { named };
        match (1..=most).contains(&wanted) {
            true => Ok(()),
            false => Err(BadRule::Count(rest[..digits].to_owned())),
        }
    }

    /// A name in quotes, or one without blanks and signs.
    fn name(&mut self) -> Result<(), BadRule> {
        let rest = self.rest.trim_start();
        let (name, after) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => unquote(&rest[1..], quote).ok_or(BadRule::OpenQuote)?,
            _ => {
                let end = rest.find([',', ')', '(']).unwrap_or(rest.len());
                (rest[..end].trim_end().to_owned(), &rest[end..])
            }
        };
        if name.is_empty() {
            return Err(BadRule::NoName);
        }
        self.rest = after;
        if !self.found.names.contains(&name) {
            self.found.names.push(name);
        }
        Ok(())
    }
}

/// A name up to its closing quote, and what follows it. A backslash takes the next sign as it is.
fn unquote(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.push(chars.next()?.1),
            c if c == quote => return Some((name, &text[at + c.len_utf8()..])),
            c => name.push(c),
        }
    }
    None
}

pub fn quoted(name: &str) -> String {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::alarm_name;

    #[test]
    fn an_alarm_is_named_by_its_arn_too() {
        let arn = "arn:aws:cloudwatch:us-east-1:123456789012:alarm:a:b";
        assert_eq!(alarm_name(arn), "a:b");
        let of_another_service = "arn:aws:sns:x:1:alarm:a";
        assert_eq!(alarm_name(of_another_service), of_another_service);
        assert_eq!(alarm_name("a:b"), "a:b");
    }
}
