//! Rules of composite alarms, as CloudWatch reads them.
//!
//! `Rule::Unless` of `a` and `b` is `ALARM("a") AND NOT ALARM("b")`.

use slosmith_plan::plan::cloudwatch::Rule;

/// The rule as text; `name` writes the name of an alarm, with its quotes.
pub(super) fn text(rule: &Rule, name: &impl Fn(&str) -> String) -> String {
    let inner = |rule: &Rule| match rule {
        Rule::Alarm(_) => text(rule, name),
        _ => format!("({})", text(rule, name)),
    };
    let list = |rules: &[Rule], word: &str| {
        let rules: Vec<_> = rules.iter().map(inner).collect();
        rules.join(word)
    };
    match rule {
        Rule::Alarm(alarm) => format!("ALARM({})", name(alarm)),
        Rule::All(rules) => list(rules, " AND "),
        Rule::Any(rules) => list(rules, " OR "),
        Rule::Unless(rules) => format!("{} AND NOT {}", inner(&rules[0]), inner(&rules[1])),
    }
}
