//! Releases that nobody recorded and whose neighbours disagree.

use crate::catalog::Answer;
use crate::diag::{Group, Severity};
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// No page of the release asked for is in the catalog. Where the release before and the one after agree,
    /// they answer for it. Here they do not: the dates of the lineage decide, or the answer is not certain.
    pub const RULE: Rule = Rule {
        name: "unrecorded-release",
        summary: "a selected release is not recorded, and its neighbours disagree about the metric",
        group: Group::Catalog,
        level: Severity::Info,
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
            Answer::Lineage => "decided by when the metric came or went",
            Answer::Undecided => "nothing decides between the releases around it",
            Answer::Recorded | Answer::Neighbours | Answer::SourceOnly => continue,
        };
        let message = format!("{version} is not recorded; `{}`: {how}", series.name);
        out.push(out.at(cx.span(&series.name_span), message));
    }
}
