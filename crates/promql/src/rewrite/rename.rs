//! Metric names: `x`, `{"x"}`, `{__name__="x"}`, `{__name__=~"x|y"}`.

use super::Edit;
use crate::ast::{MatchOp, Matcher, Name, Selector};
use crate::build::metric;
use crate::lexer::quote;
use crate::regex;
use crate::series::Series;

/// The edits that rename a family in a selector, with its `_bucket`, `_sum` and `_count`.
///
/// A pattern is edited if it is a list of plain names. Names with placeholders stay as they are, and so
/// does everything else.
pub fn rename_in_selector(selector: &Selector, from: &str, to: &str) -> Vec<Edit> {
    Rename { from, to }.selector(selector)
}

struct Rename<'a> {
    from: &'a str,
    to: &'a str,
}

impl Rename<'_> {
    fn name(&self, old: &str) -> Option<String> {
        let suffix = old.strip_prefix(self.from)?;
        let parts = Series::OF_HISTOGRAM.map(Series::suffix);
        let known = suffix.is_empty() || parts.contains(&suffix);
        known.then(|| format!("{}{suffix}", self.to))
    }

    fn selector(&self, selector: &Selector) -> Vec<Edit> {
        let metric = selector.metric.as_ref();
        let mut edits = match metric.filter(|metric| metric.placeholders.is_empty()) {
            Some(metric) => self.metric(selector, metric),
            None => Vec::new(),
        };
        let named = |matcher: &&Matcher| matcher.label.text == "__name__";
        let matchers = selector.matchers.iter().filter(named);
        edits.extend(matchers.filter_map(|matcher| self.matcher(matcher)));
        edits
    }

    fn metric(&self, selector: &Selector, old: &Name) -> Vec<Edit> {
        let Some(new) = self.name(&old.text) else {
            return Vec::new();
        };
        let span = old.span.clone();
        if old.quoted {
            return vec![Edit::new(span, quote(&new))];
        }
        if !metric(&new).to_string().starts_with('{') {
            return vec![Edit::new(span, new)];
        }
        // A name that needs quotes goes into the braces.
        if selector.braces.is_empty() {
            return vec![Edit::new(span, metric(&new).to_string())];
        }
        let first = selector.braces.start + 1;
        let more = !selector.matchers.is_empty() || !selector.filters.is_empty();
        let comma = if more { ", " } else { "" };
        vec![
            Edit::new(span, ""),
            Edit::new(
                first..first,
                format!("{}{comma}", Name::from(new.as_str()).metric_in_braces()),
            ),
        ]
    }

    fn matcher(&self, matcher: &Matcher) -> Option<Edit> {
        let value = &matcher.value;
        if !value.placeholders.is_empty() {
            return None;
        }
        let new = match matcher.op {
            MatchOp::Equal | MatchOp::NotEqual => self.name(&value.value)?,
            MatchOp::Match | MatchOp::NotMatch => self.pattern(&value.value)?,
        };
        Some(Edit::new(
            matcher.value_span.clone(),
            requote(&value.raw, &new),
        ))
    }

    /// `x|y|z` with the new name among the others.
    fn pattern(&self, pattern: &str) -> Option<String> {
        let mut new = String::with_capacity(pattern.len());
        let (mut at, mut renamed) = (0, false);
        for place in regex::alternatives(pattern)? {
            let old = &pattern[place.clone()];
            let name = self.name(old).map(|name| literal_pattern(&name));
            renamed |= name.is_some();
            new.push_str(&pattern[at..place.start]);
            new.push_str(name.as_deref().unwrap_or(old));
            at = place.end;
        }
        new.push_str(&pattern[at..]);
        renamed.then_some(new)
    }
}

fn literal_pattern(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if !regex::is_literal(c.encode_utf8(&mut [0; 4])) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn requote(raw: &str, value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_:.|-".contains(c);
    match raw.chars().next() {
        Some(mark @ ('\'' | '`')) if value.chars().all(plain) => format!("{mark}{value}{mark}"),
        _ => quote(value),
    }
}
