//! Series that a release does not have yet.

use crate::diag::{RuleInfo, Severity};
use crate::lint::mend;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, Rule};
use crate::lint::subject::Why;

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "future-metric",
        summary: "a release asked for does not have the metric yet",
        docs: "The query selects a series that came with a later release. There a panel is empty and an alert \
               never fires. Ask for the older name as well, raise the lower end of the range, or leave the \
               query out.\n\n\
               ```promql\n\
               vllm:kv_cache_usage_perc > 0.9                                    # bad before 0.9.2\n\
               (vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc) > 0.9     # good\n\
               ```",
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
            .filter(|dead| dead.why == Why::Future)
        {
            let product = known.product;
            let life = product
                .catalog
                .first_last_in(&known.family, &product.profiles);
            let since = life.map(|life| format!(" came with {}", life.first));
            let since = since.unwrap_or_else(|| " is not there yet".to_owned());
            let on = product.describe(&dead.releases);
            let message = format!("`{}`{since}: no data on {on}", series.name);
            let finding = out.at(cx.span(&series.name_span), message).label("not yet");
            out.push(mend::advise(cx, series, known, &dead.releases, finding));
        }
    }
}
