//! The type of lint rules, what they read, and the macro that declares one.

use std::path::Path;

use super::query::QueryCx;
use super::scope::Scope;
use crate::artifact::{Artifact, Dashboard, Resource, ResourceKind};
use slosmith_cloudwatch::{self as cloudwatch, Violation};
use slosmith_text::diag::{Diagnostic, RuleInfo};
use slosmith_text::source::Span;

/// A lint rule: its description and its check.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub info: RuleInfo,
    /// The function that finds mistakes, by its input.
    pub check: Check,
}

/// The check of a rule, by what it reads.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Each query by itself, with the alert, recording rule or panel it is in.
    Query(fn(&QueryCx<'_, '_>, &mut Findings)),
    /// Each dashboard by itself.
    Dashboard(fn(&DashboardCx<'_>, &mut Findings)),
    /// Each CloudWatch alarm or dashboard by itself.
    Resource(fn(&ResourceCx<'_>, &mut Findings)),
    /// All files together.
    Project(fn(&ProjectCx<'_>, &mut Findings)),
    /// No function: another part of the linter reports the findings.
    Elsewhere,
}

/// One dashboard, with everything that rules need.
#[derive(Clone, Copy, Debug)]
pub struct DashboardCx<'a> {
    pub artifact: &'a Artifact,
    pub file_text: &'a str,
    pub dashboard: &'a Dashboard,
}

/// One CloudWatch resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourceCx<'a> {
    pub resource: &'a Resource,
}

impl ResourceCx<'_> {
    pub fn violations(&self) -> Vec<Violation> {
        let resource = self.resource;
        let mut found = match resource.what {
            ResourceKind::Alarm => cloudwatch::any_alarm_in(&resource.request, resource.form),
            ResourceKind::Dashboard => cloudwatch::dashboard(&resource.request),
            ResourceKind::PutDashboard => {
                cloudwatch::put_dashboard(&resource.request, resource.form)
            }
            ResourceKind::Agent | ResourceKind::Listing => Vec::new(),
        };
        found.extend(resource.faults.iter().cloned());
        found
    }

    pub fn title(&self) -> String {
        match self.resource.name.as_str() {
            "" => String::new(),
            name => format!("alarm `{name}`: "),
        }
    }
}

/// All files of a run together.
#[derive(Clone, Copy, Debug)]
pub struct ProjectCx<'a> {
    pub artifacts: &'a [Artifact],
    pub root: &'a Path,
    pub scope: &'a Scope<'a>,
}

/// Declares a rule. The doc comment becomes the page of the rule in `docs/rules.md`.
///
/// ```text
/// declare_rule! {
///     /// ### What it does
///     ///
///     /// Reports panels that draw numbers but set no unit.
///     ///
///     /// (Then the sections of [`SECTIONS`](super::rules::SECTIONS) that follow.)
///     pub const RULE: Rule = Rule {
///         name: "panel-without-unit",
///         summary: "a panel shows numbers without a unit",
///         group: Group::Style,
///         level: Severity::Warning,
///         certain: "Certain as to the missing unit. Whether a panel needs one is a convention.",
///         fixes: Fixes::None,
///         since: "0.1.0",
///         check: Check::Dashboard(check),
///     };
/// }
/// ```
macro_rules! declare_rule {
    (
        $(#[doc = $line:literal])+
        $visibility:vis const $rule:ident: Rule = Rule {
            name: $name:literal,
            summary: $summary:literal,
            group: $group:expr,
            level: $level:expr,
            certain: $certain:expr,
            fixes: $fixes:expr,
            since: $since:literal,
            check: $check:expr,
        };
    ) => {
        $(#[doc = $line])+
        $visibility const $rule: $crate::lint::rule::Rule = $crate::lint::rule::Rule {
            info: slosmith_text::diag::RuleInfo {
                name: $name,
                summary: $summary,
                group: $group,
                doc_comment: concat!($($line, "\n"),+),
                level: $level,
                certain: $certain,
                fixes: $fixes,
                since: $since,
            },
            check: $check,
        };
    };
}
pub(super) use declare_rule;

#[derive(Debug)]
pub struct Findings {
    rule: &'static RuleInfo,
    found: Vec<Diagnostic>,
}

impl Findings {
    pub(super) fn new(rule: &'static RuleInfo) -> Self {
        let found = Vec::new();
        Self { rule, found }
    }

    /// A finding at the rule's own level, to be filled in and pushed.
    pub fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.rule.level, self.rule.name, span, message)
    }

    pub fn push(&mut self, finding: Diagnostic) {
        self.found.push(finding);
    }

    pub(super) fn into_inner(self) -> Vec<Diagnostic> {
        self.found
    }
}
