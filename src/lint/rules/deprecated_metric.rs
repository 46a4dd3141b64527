//! Series whose end is announced.

use crate::catalog::lineage::ChangeKind;
use crate::diag::{Applicability, Group, Severity};
use crate::lint::mend;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};

declare_rule! {
    /// The series is served, but its end is announced. Change the query before an upgrade empties it.
    ///
    /// ```promql
    /// vllm:gpu_cache_usage_perc   # on 0.10.0: works, gone in 0.12.0
    /// vllm:kv_cache_usage_perc    # the same values since 0.9.2
    /// ```
    pub const RULE: Rule = Rule {
        name: "deprecated-metric",
        summary: "every selected release that has the metric deprecates it",
        group: Group::Catalog,
        level: Severity::Info,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(known) = series.subject.known().filter(|known| known.is_alive()) else {
            continue;
        };
        let catalog = known.product.catalog;
        let Some(change) = catalog.lineage().change(&known.family) else {
            continue;
        };
        let Some(since) = &change.deprecated else {
            continue;
        };
        let deprecated = |id| catalog.release(id).version() >= since;
        if !known.present.iter().copied().all(deprecated) || cx.has_stand_in(series) {
            continue;
        }
        let mut message = format!("`{}` is deprecated since {since}", series.name);
        if let Some(removed) = &change.removed {
            message.push_str(&format!(" and removed in {removed}"));
        }
        let mut finding = out.at(cx.span(&series.name_span), message);
        if let Some(new) = catalog.lineage().successor(&known.family)
            && change.kind == ChangeKind::Rename
        {
            finding = finding.help(format!("use `{}`, the same values", known.in_family(new)));
            let product = known.product;
            let coverage = catalog.coverage(new, &product.selection, &product.profiles);
            if coverage.absent.is_empty() {
                let fix = mend::rename(cx, series, &known.family, new, Applicability::Safe);
                finding = finding.maybe_fix(fix);
            }
        } else {
            finding = finding.note(change.note.clone());
        }
        out.push(finding);
    }
}
