//! Which release of Prometheus reads a query first.

use std::fmt;

use super::ast::{
    At, AtOffset, Binary, BinaryOp, Duration, Expr, ExprKind, MatchOp, Matching, Name, Selector,
    TextSpan,
};
use super::lexer::{duration_millis, is_lossy};
use super::visit::walk;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(pub u32, pub u32);

impl Release {
    /// Reads `2.42`, also with a patch level: `v2.42.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let mut number = || -> Option<u32> { parts.next()?.parse().ok() };
        let release = Self(number()?, number()?);
        let patch = parts
            .next()
            .is_none_or(|patch| patch.parse::<u32>().is_ok());
        (patch && parts.next().is_none()).then_some(release)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    pub span: TextSpan,
    pub what: String,
    pub since: Release,
}

/// What a query needs a certain release for, in the order written. Releases before 2.20 are not told apart.
pub fn requirements(expr: &Expr) -> Vec<Requirement> {
    let mut needs = Needs(Vec::new());
    walk(expr, &mut |node| needs.node(node));
    needs.0.sort_by_key(|need| need.span.start);
    needs.0
}

struct Needs(Vec<Requirement>);

impl Needs {
    fn add(&mut self, span: &TextSpan, since: (u32, u32), what: impl Into<String>) {
        self.0.push(Requirement {
            span: span.clone(),
            what: what.into(),
            since: Release(since.0, since.1),
        });
    }

    fn node(&mut self, node: &Expr) {
        match &node.kind {
            ExprKind::Number(number) => self.number(&number.text, &node.span),
            ExprKind::Selector(selector) => self.selector(selector, node),
            ExprKind::Range(range) => {
                self.range(&range.range);
                self.selector(&range.selector, node);
            }
            ExprKind::Subquery(subquery) => {
                self.range(&subquery.range);
                subquery.step.iter().for_each(|step| self.range(step));
                self.shift(&subquery.at, node);
            }
            ExprKind::Call(call) => self.word(&call.function.text, &call.function.span),
            ExprKind::Aggregate(aggregate) => {
                let start = node.span.start;
                let end = (start + aggregate.op.name().len()).min(node.span.end);
                self.word(aggregate.op.name(), &(start..end));
                let by = aggregate.grouping.iter();
                by.for_each(|by| self.labels(&by.labels));
            }
            ExprKind::Binary(binary) => self.binary(binary),
            ExprKind::Unknown(unknown) => self.matching(unknown.matching.as_ref()),
            ExprKind::String(_)
            | ExprKind::Unary(..)
            | ExprKind::Paren(_)
            | ExprKind::Placeholder(_)
            | ExprKind::Invalid(_) => {}
        }
    }

    fn word(&mut self, word: &str, span: &TextSpan) {
        if let Some(since) = word_since(word) {
            self.add(span, since, format!("`{word}`"));
        }
    }

    fn number(&mut self, text: &str, span: &TextSpan) {
        if text.contains('_') {
            self.add(span, (2, 54), "`_` in a number");
        } else if duration_millis(text).is_some() {
            self.add(span, (2, 54), "a duration as a number");
        }
    }

    fn names(&mut self, names: &[Name]) {
        for name in names.iter().filter(|name| name.quoted) {
            self.add(&name.span, (3, 0), "a name in quotes");
        }
    }

    fn labels(&mut self, labels: &[Name]) {
        self.names(labels);
        let colon = |label: &&Name| !label.quoted && label.text.contains(':');
        for label in labels.iter().filter(colon) {
            self.add(&label.span, (3, 0), "a colon in a label");
        }
    }

    fn selector(&mut self, selector: &Selector, node: &Expr) {
        self.names(selector.metric.as_slice());
        for matcher in &selector.matchers {
            // The second name of `{"a", "b"}` is a matcher without a label of its own.
            if matcher.label.quoted || matcher.label.span == matcher.value_span && node.span.end > 0
            {
                self.add(&matcher.label.span, (3, 0), "a name in quotes");
            }
            let pattern = matches!(matcher.op, MatchOp::Match | MatchOp::NotMatch);
            if pattern && is_lossy(&matcher.value.raw) {
                self.add(&matcher.value_span, (3, 0), "a pattern that is no UTF-8");
            }
        }
        self.shift(&selector.at, node);
    }

    fn shift(&mut self, shift: &AtOffset, node: &Expr) {
        if let Some(bounds) = shift.bounds {
            self.add(&node.span, (3, 7), format!("`{}`", bounds.word()));
        }
        match &shift.at {
            Some(At::Timestamp(time)) => {
                self.number(time.text.trim_start_matches('-'), &node.span);
                self.add(&node.span, (2, 33), "`@`");
            }
            Some(_) => self.add(&node.span, (2, 33), "`@`"),
            None => {}
        }
        if let Some(offset) = &shift.offset {
            self.offset(offset);
        }
    }

    fn offset(&mut self, offset: &Duration) {
        let unsigned = offset.text.trim_start_matches('-');
        if !self.arithmetic(offset) && offset.placeholders.is_empty() {
            if duration_millis(unsigned).is_none_or(|millis| millis == 0) {
                self.add(&offset.span, (2, 54), "an `offset` of 0 or without a unit");
            } else if unsigned.len() < offset.text.len() {
                self.add(&offset.span, (2, 33), "a negative offset");
            }
        }
    }

    fn range(&mut self, range: &Duration) {
        let plain = range.placeholders.is_empty() && !self.arithmetic(range);
        if plain && duration_millis(&range.text).is_none() {
            self.add(
                &range.span,
                (2, 54),
                "a range without a unit, such as `[300]`,",
            );
        }
    }

    /// Whether a duration is an expression, which it is with a second sign, too.
    fn arithmetic(&mut self, duration: &Duration) -> bool {
        let text = duration.text.as_str();
        let since = match text {
            text if text.contains("_of(") => (3, 13),
            text if text.contains("-(") || text.contains("+(") => (3, 15),
            text if text.contains("range(") => (3, 12),
            text if text.contains("step(") => (3, 6),
            text if duration.is_expression() || text.contains('+') || text.starts_with("--") => {
                (3, 4)
            }
            _ => return false,
        };
        self.add(&duration.span, since, "arithmetic on durations");
        true
    }

    fn binary(&mut self, binary: &Binary) {
        match binary.op {
            BinaryOp::Atan2 => self.add(&binary.op_span, (2, 31), "`atan2`"),
            BinaryOp::TrimUpper | BinaryOp::TrimLower => {
                self.add(&binary.op_span, (3, 11), format!("`{}`", binary.op));
            }
            _ => {}
        }
        if binary.fill.is_some() {
            self.add(&binary.op_span, (3, 10), "`fill`");
        }
        self.matching(binary.matching.as_ref());
    }

    fn matching(&mut self, matching: Option<&Matching>) {
        if let Some(matching) = matching {
            self.labels(&matching.labels);
            let group = matching.group.iter();
            group.for_each(|group| self.labels(&group.include));
        }
    }
}

/// The release that had a function or an aggregation first, if that was after 2.20.
fn word_since(word: &str) -> Option<(u32, u32)> {
    Some(match word {
        "clamp" | "last_over_time" | "sgn" => (2, 26),
        "present_over_time" => (2, 29),
        "acos" | "acosh" | "asin" | "asinh" | "atan" | "atanh" | "cos" | "cosh" | "deg" | "pi"
        | "rad" | "sin" | "sinh" | "tan" | "tanh" => (2, 31),
        "day_of_year" => (2, 37),
        "histogram_count" | "histogram_fraction" | "histogram_sum" => (2, 40),
        "histogram_stddev" | "histogram_stdvar" => (2, 47),
        "mad_over_time" | "sort_by_label" | "sort_by_label_desc" => (2, 49),
        "histogram_avg" => (2, 51),
        "limit_ratio" | "limitk" => (2, 54),
        "info" => (2, 55),
        "double_exponential_smoothing" => (3, 0),
        "ts_of_last_over_time" | "ts_of_max_over_time" | "ts_of_min_over_time" => (3, 5),
        "first_over_time" | "ts_of_first_over_time" => (3, 7),
        "histogram_quantiles" => (3, 11),
        "end" | "range" | "start" | "step" => (3, 12),
        "max_of" | "min_of" => (3, 13),
        "start_timestamp" => (3, 14),
        "integral" => (3, 16),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn needs(text: &str) -> Vec<(&str, String)> {
        let needs = requirements(&parse(text).unwrap());
        let shown = |need: Requirement| (&text[need.span], format!("{} {}", need.what, need.since));
        needs.into_iter().map(shown).collect()
    }

    #[test]
    fn old_queries_need_nothing() {
        let text = "sum by (le) (rate(x_bucket{a=~\"b\"}[5m] offset 1h)) / on (a) group_left (b) max(y[1h:5m])";
        assert_eq!(needs(text.replace("max(y", "max_over_time(y").as_str()), []);
    }

    #[test]
    fn each_part_names_its_release() {
        for (text, part, need) in [
            ("x @ 5", "x @ 5", "`@` 2.33"),
            ("x[-(-5m)]", "-(-5m)", "arithmetic on durations 3.15"),
            ("x offset -5m", "-5m", "a negative offset 2.33"),
            (
                "x offset 0s",
                "0s",
                "an `offset` of 0 or without a unit 2.54",
            ),
            (
                "x[300]",
                "300",
                "a range without a unit, such as `[300]`, 2.54",
            ),
            ("x > 1_000", "1_000", "`_` in a number 2.54"),
            ("time() > bool 5m", "5m", "a duration as a number 2.54"),
            ("limitk(1, x)", "limitk", "`limitk` 2.54"),
            ("{\"a.b\"}", "\"a.b\"", "a name in quotes 3.0"),
            ("sum by (\"a.b\") (x)", "\"a.b\"", "a name in quotes 3.0"),
            ("x[5m+1m]", "5m+1m", "arithmetic on durations 3.4"),
            (
                "x[min_of(5m, step())]",
                "min_of(5m, step())",
                "arithmetic on durations 3.13",
            ),
            ("x[5m] smoothed", "x[5m] smoothed", "`smoothed` 3.7"),
            ("x + fill (0) y", "+", "`fill` 3.10"),
            ("x </ 1", "</", "`</` 3.11"),
            ("integral(x[5m])", "integral", "`integral` 3.16"),
        ] {
            assert_eq!(needs(text), [(part, need.to_owned())], "{text}");
        }
    }

    #[test]
    fn a_time_is_a_number_too() {
        let newest = |text: &str| {
            requirements(&parse(text).unwrap())
                .iter()
                .map(|n| n.since)
                .max()
        };
        assert_eq!(newest("x @ 1_000"), Some(Release(2, 54)));
        assert_eq!(newest("x @ 5m"), Some(Release(2, 54)));
        assert_eq!(newest("x @ 5"), Some(Release(2, 33)));
    }

    #[test]
    fn releases_are_read() {
        assert_eq!(Release::parse("2.42"), Some(Release(2, 42)));
        assert_eq!(Release::parse("v3.5.1"), Some(Release(3, 5)));
        for text in ["", "2", "2.x", "2.42.0.1", "2.42.x", ">=2.42"] {
            assert_eq!(Release::parse(text), None, "{text}");
        }
        assert!(Release(2, 55) < Release(3, 0));
    }
}
