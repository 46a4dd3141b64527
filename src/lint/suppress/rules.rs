//! What can be wrong with a suppression.

use crate::diag::{Diagnostic, Group, RuleInfo, Severity};
use crate::lint::rule::declare_rule;
use crate::source::{Span, Spanned};

declare_rule! {
    /// A comment or a baseline entry allows a finding that is not there (any more). It would hide the next
    /// one that appears at this place.
    ///
    /// ```yaml
    /// expr: up == 0   # slosmith: allow(unknown-metric) -- not needed: `up` is known
    /// ```
    ///
    /// Remove it. A rule that is turned off in `slosmith.toml` is not counted as unused.
    const UNUSED: RuleInfo = RuleInfo {
        name: "unused-suppression",
        summary: "a suppression suppresses nothing",
        group: Group::Suppression,
        level: Severity::Warning,
        since: "0.1.0",
    };
}

declare_rule! {
    /// A comment says `until` a day that is past, so it holds no longer and the finding is shown again. The
    /// day named is the last one on which it holds.
    ///
    /// ```yaml
    /// # slosmith: allow(removed-metric) until 2026-06-30 -- dashboard goes with the old fleet
    /// ```
    ///
    /// Mend what it suppressed, or decide on another day.
    const EXPIRED: RuleInfo = RuleInfo {
        name: "expired-suppression",
        summary: "a suppression has expired",
        group: Group::Suppression,
        level: Severity::Warning,
        since: "0.1.0",
    };
}

declare_rule! {
    /// A rule's name is misspelt, or the rule is gone.
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metrics) -- bad: the rule is called `unknown-metric`
    /// ```
    const UNKNOWN: RuleInfo = RuleInfo {
        name: "unknown-rule",
        summary: "a suppression or the configuration names a rule that does not exist",
        group: Group::Suppression,
        level: Severity::Warning,
        since: "0.1.0",
    };
}

declare_rule! {
    /// The next reader must be able to judge whether a suppression is still right.
    ///
    /// ```yaml
    /// # slosmith: allow(unknown-metric)                              # bad
    /// # slosmith: allow(unknown-metric) -- served by our own sidecar # good
    /// ```
    const REASON: RuleInfo = RuleInfo {
        name: "suppression-without-reason",
        summary: "a suppression gives no reason",
        group: Group::Suppression,
        level: Severity::Warning,
        since: "0.1.0",
    };
}

declare_rule! {
    /// Written `slosmith: allow(RULE, …) until YYYY-MM-DD -- REASON`, where `until` may be left out, or
    /// `allow-file(…)` for a whole file.
    const INVALID: RuleInfo = RuleInfo {
        name: "invalid-suppression",
        summary: "a suppression cannot be parsed, so it suppresses nothing",
        group: Group::Suppression,
        level: Severity::Warning,
        since: "0.1.0",
    };
}

/// The rules about suppressions. Their findings cannot be suppressed, only turned off in the configuration.
pub const RULES: &[RuleInfo] = &[UNUSED, EXPIRED, UNKNOWN, REASON, INVALID];

pub(super) fn unused(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(UNUSED.name, span, message)
}

pub(super) fn expired(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(EXPIRED.name, span, message).help("fix the finding, or set a later day")
}

pub(super) fn unknown(rule: &Spanned<String>) -> Diagnostic {
    Diagnostic::warning(
        UNKNOWN.name,
        rule.span,
        format!("there is no rule `{rule}`"),
    )
}

pub(super) fn without_reason(span: Span) -> Diagnostic {
    Diagnostic::warning(REASON.name, span, "this suppression gives no reason")
        .help("add the reason after it: `-- because …`")
}

pub(super) fn invalid(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(INVALID.name, span, message)
        .help("write `slosmith: allow(RULE) until YYYY-MM-DD -- REASON`; `until` may be left out")
}
