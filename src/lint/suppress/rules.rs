//! What can be wrong with a suppression.

use crate::diag::{Diagnostic, RuleInfo, Severity};
use crate::source::{Span, Spanned};

const UNUSED: &str = "unused-suppression";
const EXPIRED: &str = "expired-suppression";
const UNKNOWN: &str = "unknown-rule";
const REASON: &str = "suppression-without-reason";
const INVALID: &str = "invalid-suppression";

/// The rules about suppressions. Their findings cannot be suppressed, only turned off in the configuration.
pub const RULES: &[RuleInfo] = &[
    RuleInfo {
        name: UNUSED,
        summary: "a suppression suppresses nothing",
        docs: "A comment or a baseline entry allows a finding that is not there (any more). \
               It would hide the next one that appears at this place.\n\n\
               ```yaml\n\
               expr: up == 0   # slosmith: allow(unknown-metric) -- not needed: `up` is known\n\
               ```\n\n\
               Remove it. A rule that is turned off in `slosmith.toml` is not counted as unused.",
        level: Severity::Warning,
        since: "0.1.0",
    },
    RuleInfo {
        name: EXPIRED,
        summary: "the last day of a suppression is over",
        docs: "A comment says `until` a day that is past, so it holds no longer and the finding is \
               shown again. The day named is the last one on which it holds.\n\n\
               ```yaml\n\
               # slosmith: allow(removed-metric) until 2026-06-30 -- dashboard goes with the old fleet\n\
               ```\n\n\
               Mend what it suppressed, or decide on another day.",
        level: Severity::Warning,
        since: "0.1.0",
    },
    RuleInfo {
        name: UNKNOWN,
        summary: "a suppression or the configuration names a rule that does not exist",
        docs: "A rule's name is misspelt, or the rule is gone.\n\n\
               ```yaml\n\
               # slosmith: allow(unknown-metrics) -- bad: the rule is called `unknown-metric`\n\
               ```",
        level: Severity::Warning,
        since: "0.1.0",
    },
    RuleInfo {
        name: REASON,
        summary: "a suppression does not say why",
        docs: "The next reader must be able to judge whether a suppression is still right.\n\n\
               ```yaml\n\
               # slosmith: allow(unknown-metric)                              # bad\n\
               # slosmith: allow(unknown-metric) -- served by our own sidecar # good\n\
               ```",
        level: Severity::Warning,
        since: "0.1.0",
    },
    RuleInfo {
        name: INVALID,
        summary: "a suppression cannot be read, so it suppresses nothing",
        docs: "Written `slosmith: allow(RULE, …) until YYYY-MM-DD -- REASON`, where `until` may be \
               left out, or `allow-file(…)` for a whole file.",
        level: Severity::Warning,
        since: "0.1.0",
    },
];

pub(super) fn unused(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(UNUSED, span, message)
}

pub(super) fn expired(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(EXPIRED, span, message)
        .help("mend what it suppresses, or decide on another day")
}

pub(super) fn unknown(rule: &Spanned<String>) -> Diagnostic {
    Diagnostic::warning(UNKNOWN, rule.span, format!("there is no rule `{rule}`"))
}

pub(super) fn without_reason(span: Span) -> Diagnostic {
    Diagnostic::warning(REASON, span, "this suppression does not say why")
        .help("write the reason behind it: `-- because …`")
}

pub(super) fn invalid(span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(INVALID, span, message)
        .help("write `slosmith: allow(RULE) until YYYY-MM-DD -- REASON`; `until` may be left out")
}
