//! Series that a release only shows with a flag.

use crate::diag::{RuleInfo, Severity};
use crate::lint::mend;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, Rule};
use crate::lint::subject::Why;

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "hidden-metric",
        summary: "a release asked for shows the metric only with a flag",
        docs: "vLLM hides a deprecated metric before it removes it. Without \
               `--show-hidden-metrics-for-version` the series does not exist, and the flag must name exactly \
               the minor release before the running one.\n\n\
               ```promql\n\
               rate(vllm:time_per_output_token_seconds_sum[5m])   # bad on 0.12.0 to 0.14.0\n\
               rate(vllm:inter_token_latency_seconds_sum[5m])     # good since 0.10.2\n\
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
            .filter(|dead| dead.why == Why::Hidden)
        {
            let catalog = known.product.catalog;
            let on = known.product.describe(&dead.releases);
            let message = format!("`{}` is hidden: no data on {on}", series.name);
            let mut finding = out.at(cx.span(&series.name_span), message).label("hidden");
            finding = mend::advise(cx, series, known, &dead.releases, finding);
            let change = catalog.lineage().change(&known.family);
            for id in &dead.releases {
                let version = catalog.release(*id).version();
                if let Some(flag) = change.and_then(|change| change.flag_on(version)) {
                    finding = finding.note(format!(
                        "{version} shows it when started with `--show-hidden-metrics-for-version={flag}`"
                    ));
                }
            }
            out.push(finding);
        }
    }
}
