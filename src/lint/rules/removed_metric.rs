//! Series that are gone.

use crate::diag::{RuleInfo, Severity};
use crate::lint::mend;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, Rule};
use crate::lint::subject::Why;

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "removed-metric",
        summary: "a release asked for no longer has the metric",
        docs: "The query selects a series that a release in the range has removed. There a panel is empty and \
               an alert never fires again. The finding names the releases, and what replaced the metric.\n\n\
               ```promql\n\
               vllm:gpu_cache_usage_perc > 0.9   # bad on 0.12.0 and later\n\
               vllm:kv_cache_usage_perc > 0.9    # good since 0.9.2\n\
               ```\n\n\
               For a range that holds both, ask for both: `vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc`.",
        level: Severity::Error,
        since: "0.1.0",
        url: "",
    },
    check: Check::Query(check),
};

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(known) = series.subject.known().filter(|known| !known.is_alive()) else {
            continue;
        };
        for dead in cx
            .dead(series)
            .iter()
            .filter(|dead| dead.why == Why::Removed)
        {
            let product = known.product;
            let life = product
                .catalog
                .first_last_in(&known.family, &product.profiles);
            let last = life.and_then(|life| life.last);
            let last = last
                .map(|last| format!(" after {last}"))
                .unwrap_or_default();
            let on = product.describe(&dead.releases);
            let message = format!("`{}` was removed{last}: no data on {on}", series.name);
            let finding = out.at(cx.span(&series.name_span), message).label("removed");
            out.push(mend::advise(cx, series, known, &dead.releases, finding));
        }
    }
}
