//! Releases without a recording whose neighbours differ.

use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_catalog::Answer;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics for which the result on a selected release is derived or uncertain.
    ///
    /// ### Why
    ///
    /// The catalog has no recording of the selected release. slosmith then compares the releases before and after it.
    /// Here they differ, so the result relies on vLLM's change history, or is uncertain.
    ///
    /// ### Example
    ///
    /// ```toml
    /// vllm = "0.12.1"   # the catalog has 0.12.0 and 0.13.0
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```toml
    /// vllm = "0.13.0"
    /// ```
    ///
    /// `slosmith catalog list` prints the recorded releases.
    pub const RULE: Rule = Rule {
        name: "unrecorded-release",
        summary: "the catalog lacks a selected release, and the releases around it differ",
        group: Group::Catalog,
        level: Severity::Info,
        certain: "Certain that the catalog has no recording of the release.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(known) = series.subject.known() else {
            continue;
        };
        let Some(version) = &known.product.selection.unrecorded else {
            continue;
        };
        let how = match known.answer {
            Answer::Lineage => "the result for `{}` relies on the dates of its changes",
            Answer::Undecided => {
                "the releases around it differ for `{}`, so the result is uncertain"
            }
            Answer::Recorded | Answer::Neighbours => continue,
        };
        let how = how.replace("{}", series.name);
        let message = format!("{version} is not in the catalog: {how}");
        out.push(out.at(cx.span(&series.name_span), message));
    }
}
