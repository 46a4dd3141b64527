//! The rules about suppressions.

use crate::lint::rule::{Check, Rule, declare_rule};
use slosmith_text::diag::{Diagnostic, Fixes, Group, Severity};
use slosmith_text::source::{Span, Spanned};

declare_rule! {
    /// ### What it does
    ///
    /// Reports suppression comments and baseline entries that match no finding (any more).
    ///
    /// ### Why
    ///
    /// The suppression could hide a future finding at the same place. Remove it.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// expr: up == 0   # slosmith: allow(unknown-metric) -- not needed: `up` is known
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// expr: up == 0
    /// ```
    ///
    /// ### Limits
    ///
    /// Suppressions of a rule that is off in `slosmith.toml` are not reported, and none of the rules of the group `server`,
    /// whose findings depend on the time of the run.
    const UNUSED: Rule = Rule {
        name: "unused-suppression",
        summary: "a suppression matches no finding",
        group: Group::Suppression,
        level: Severity::Warning,
        certain: "Certain for the rules that run.",
        fixes: Fixes::Unsafe("removes the comment, or the rule from its list"),
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

declare_rule! {
    /// ### What it does
    ///
    /// Reports suppression comments whose `until` date is past. The suppression is valid on that day, for the last
    /// time.
    ///
    /// ### Why
    ///
    /// An expired suppression suppresses nothing: its finding is shown again. Fix the finding, or set a new date.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// # slosmith: allow(removed-metric) until 2026-06-30 -- dashboard goes with the old fleet
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// # slosmith: allow(removed-metric) until 2027-06-30 -- dashboard goes with the old fleet, now in 2027
    /// ```
    const EXPIRED: Rule = Rule {
        name: "expired-suppression",
        summary: "a suppression has expired",
        group: Group::Suppression,
        level: Severity::Warning,
        certain: "Certain: the date of the comment is past.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

declare_rule! {
    /// ### What it does
    ///
    /// Reports unknown rule names in suppression comments and in `slosmith.toml`.
    ///
    /// ### Why
    ///
    /// The rule name is misspelt, or the rule no longer exists. The name has no effect.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metrics) -- served by our own sidecar
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metric) -- served by our own sidecar
    /// ```
    const UNKNOWN: Rule = Rule {
        name: "unknown-rule",
        summary: "a suppression or the configuration names a rule that does not exist",
        group: Group::Suppression,
        level: Severity::Warning,
        certain: "Certain: no rule has the name.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

declare_rule! {
    /// ### What it does
    ///
    /// Reports suppression comments without a reason.
    ///
    /// ### Why
    ///
    /// The next reader must be able to check whether the suppression is still right.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metric)
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metric) -- served by our own sidecar
    /// ```
    const REASON: Rule = Rule {
        name: "suppression-without-reason",
        summary: "a suppression gives no reason",
        group: Group::Suppression,
        level: Severity::Warning,
        certain: "Certain as to the missing reason.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

declare_rule! {
    /// ### What it does
    ///
    /// Reports suppression comments that do not match `slosmith: allow(RULE, …) until YYYY-MM-DD -- REASON`. `until`
    /// and its date are optional. `allow-file(…)` covers the whole file.
    ///
    /// ### Why
    ///
    /// The comment suppresses nothing.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// # slosmith: alow(unknown-metric) -- served by our own sidecar
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metric) -- served by our own sidecar
    /// ```
    const INVALID: Rule = Rule {
        name: "invalid-suppression",
        summary: "a suppression cannot be parsed, so it suppresses nothing",
        group: Group::Suppression,
        level: Severity::Warning,
        certain: "Certain: slosmith cannot read the comment.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Elsewhere,
    };
}

/// The rules about suppressions. A comment cannot suppress their findings; the configuration can turn them off.
pub static RULES: &[&Rule] = &[&UNUSED, &EXPIRED, &UNKNOWN, &REASON, &INVALID];

pub(super) fn unused(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(UNUSED.info.name, span, message)
}

pub(super) fn expired(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(EXPIRED.info.name, span, message)
        .help("fix the finding, or set a later date")
}

pub(super) fn unknown(rule: &Spanned<String>) -> Diagnostic {
    Diagnostic::warning(
        UNKNOWN.info.name,
        rule.span,
        format!("unknown rule `{rule}`"),
    )
}

pub(super) fn without_reason(span: Span) -> Diagnostic {
    Diagnostic::warning(REASON.info.name, span, "this suppression gives no reason")
        .help("add the reason: `-- because …`")
}

pub(super) fn invalid(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(INVALID.info.name, span, message).help(
        "write `slosmith: allow(RULE) until YYYY-MM-DD -- REASON`; `until YYYY-MM-DD` is optional",
    )
}
