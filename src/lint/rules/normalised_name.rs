//! `vllm_x` for `vllm:x`.

use crate::diag::{Applicability, Group, Severity};
use crate::lint::mend;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Meant, Subject};

declare_rule! {
    /// vLLM's own names begin with `vllm:` since its first release. The spelling `vllm_` comes from guides,
    /// and from pipelines that replace colons; a Prometheus that scrapes vLLM never has such a series.
    ///
    /// ```promql
    /// vllm_num_requests_waiting   # bad
    /// vllm:num_requests_waiting   # good
    /// ```
    pub const RULE: Rule = Rule {
        name: "normalised-name",
        summary: "the name has an underscore where vLLM has a colon",
        group: Group::Catalog,
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Subject::Strange(strange) = &**series.subject else {
            continue;
        };
        let Meant::Normalised(known) = &strange.meant else {
            continue;
        };
        if cx.is_spare(series) {
            continue;
        }
        let product = known.product;
        let prefix = product.catalog.prefix();
        let message = format!(
            "`{}` is not how {} names it: its names begin with `{prefix}`",
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
                let fix = mend::rename(cx, series, series.name, &new, applicability);
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
                let finding = finding.note(format!("`{own}` has no data on {on}"));
                mend::advise(cx, series, known, &dead, finding)
            }
        };
        out.push(finding);
    }
}
