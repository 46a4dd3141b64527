//! `vllm_x` for `vllm:x`.

use crate::diag::{Applicability, Fixes, Group, Severity};
use crate::lint::fixes;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Meant, Subject};

declare_rule! {
    /// ### What it does
    ///
    /// Reports vLLM metrics that are spelled `vllm_x` instead of `vllm:x`.
    ///
    /// ### Why
    ///
    /// The names of vLLM metrics have begun with `vllm:` since the first release. The spelling `vllm_` comes from blog
    /// posts, and from pipelines that replace colons. A Prometheus that scrapes vLLM never has such a series.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm_num_requests_waiting
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:num_requests_waiting
    /// ```
    pub const RULE: Rule = Rule {
        name: "normalised-name",
        summary: "the metric name has an underscore where vLLM has a colon",
        group: Group::Catalog,
        level: Severity::Error,
        certain: "The rule assumes a store that keeps the names as the server exposes them.",
        fixes: Fixes::Both { safe: "replaces the name with the current name of the metric, if every selected release has it", risky: "replaces the name with the current name of the metric, if only some selected releases have it" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Subject::Unknown(unknown) = &**series.subject else {
            continue;
        };
        let Meant::Normalised(known) = &unknown.meant else {
            continue;
        };
        if cx.is_spare(series) {
            continue;
        }
        let product = known.product;
        let prefix = product.catalog.prefix();
        let message = format!(
            "`{}` does not exist: names of {} metrics begin with `{prefix}`",
            series.name, product.name
        );
        let mut finding = out.at(cx.span(&series.name_span), message);
        let own = known.in_family(&known.family);
        let newest = product.selection.releases.last();
        let newest = newest.map(|id| product.catalog.release(*id));
        let now = newest.and_then(|release| {
            product
                .catalog
                .name_on(&known.family, release, &product.profiles)
        });
        finding = match now {
            Some(name) => {
                let new = known.in_family(name);
                let renamed = product
                    .catalog
                    .coverage(name, &product.selection, &product.profiles);
                let applicability = if renamed.absent.is_empty() {
                    Applicability::Safe
                } else {
                    Applicability::Unsafe
                };
                let fix = fixes::rename(cx, series, series.name, &new, applicability);
                let finding = finding.help(format!("use `{new}`"));
                let finding = if new == own {
                    finding
                } else {
                    finding.note(format!("`{own}` was renamed"))
                };
                finding.maybe_fix(fix)
            }
            None => {
                let dead: Vec<_> = known.dead.iter().flat_map(|d| d.releases.clone()).collect();
                let on = product.describe(&dead);
                let finding = finding.note(format!("`{own}` has no data on {} {on}", product.name));
                fixes::advise(cx, series, known, &dead, finding)
            }
        };
        out.push(finding);
    }
}
