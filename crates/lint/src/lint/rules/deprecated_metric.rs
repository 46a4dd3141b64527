//! Metrics that vLLM has deprecated.

use crate::lint::fixes;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Dead, Why};
use slosmith_catalog::ReleaseId;
use slosmith_catalog::lineage::ChangeKind;
use slosmith_text::diag::{Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics that still exist, but that vLLM has deprecated.
    ///
    /// ### Why
    ///
    /// A later release hides and removes the metric. Change the query before an upgrade breaks it.
    ///
    /// ### Example
    ///
    /// ```promql
    /// vllm:gpu_cache_usage_perc   # on 0.10.0: exists, but is removed in 0.12.0
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// vllm:kv_cache_usage_perc    # the same values, since 0.9.2
    /// ```
    pub const RULE: Rule = Rule {
        name: "deprecated-metric",
        summary: "the metric still exists, but vLLM has deprecated it",
        group: Group::Catalog,
        level: Severity::Info,
        certain: "Certain: lineage names the release that deprecates the metric.",
        fixes: Fixes::Safe("replaces the name with the new name, if every selected release has it. Unsafe if neither `vllm` in `slosmith.toml` nor `--vllm` selects releases"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        // A metric of another profile counts as exposed: a query on it usually comes from a team that uses the profile.
        let exposed = |dead: &Dead| matches!(dead.why, Why::Conditional(_));
        let known = series.subject.known();
        let Some(known) = known.filter(|known| known.dead.iter().all(exposed)) else {
            continue;
        };
        let catalog = known.product.catalog;
        let Some(change) = catalog.lineage().change(&known.family) else {
            continue;
        };
        let Some(since) = &change.deprecated else {
            continue;
        };
        let deprecated = |id: &ReleaseId| catalog.release(*id).version() >= since;
        let releases = &known.product.selection.releases;
        if !releases.iter().all(deprecated) || cx.has_replacement(series) {
            continue;
        }
        let mut message = format!("`{}` was deprecated in {since}", series.name);
        if let Some(removed) = &change.removed {
            message.push_str(&format!(" and is removed in {removed}"));
        }
        let mut finding = out.at(cx.span(&series.name_span), message);
        if let Some(new) = catalog.lineage().successor(&known.family)
            && change.kind == ChangeKind::Rename
        {
            finding = finding.help(format!("use `{}` (same values)", known.in_family(new)));
            let product = known.product;
            let coverage = catalog.coverage(new, &product.selection, &product.profiles);
            if coverage.absent.is_empty() {
                let fix = fixes::rename(
                    cx,
                    series,
                    &known.spelled(&known.family),
                    &known.spelled(new),
                    fixes::with_releases(product),
                );
                finding = finding.maybe_fix(fix);
            }
        } else {
            if let Some(new) = &change.replaced_by {
                finding = finding.help(format!("use {}", fixes::in_words(new, known)));
            }
            finding = finding.note(change.note.clone());
        }
        out.push(finding);
    }
}
