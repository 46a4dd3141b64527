//! `vllm_x` for `vllm:x`.

use crate::lint::fixes;
use crate::lint::query::QueryCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use slosmith_text::diag::{Applicability, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports vLLM metrics, and metrics of SGLang and llama.cpp, that are not spelled as your store spells them, if `names` in
    /// `slosmith.toml` or in a spec sets the spelling. Without `names`, the rule reports names that begin with `vllm_`, as information.
    ///
    /// ### Why
    ///
    /// vLLM's metric names begin with `vllm:`, but not every store has them under this prefix:
    ///
    /// | stored prefix | set-up |
    /// |---|---|
    /// | `vllm:` | Prometheus 3 |
    /// | `vllm:` | any Prometheus, if Python client 0.22.1 or older serves the metrics |
    /// | `vllm:` | any Prometheus with the scrape configuration that slosmith generates |
    /// | `vllm_` | Prometheus 2, if Python client 0.23.1 or newer serves the metrics |
    /// | `vllm_` | Prometheus 3 with `metric_name_validation_scheme: legacy`, with the same client |
    /// | `vllm_` | OpenTelemetry pipelines that replace colons |
    /// | `ray_vllm:` or `ray_vllm_` | Ray |
    /// | `kserve_vllm:` | KServe |
    ///
    /// Prometheus 2 requests OpenMetrics text without UTF-8 names. The newer Python client then replaces the colon. The
    /// vLLM release does not decide which client is installed.
    ///
    /// A query with the wrong prefix returns no data. The other rules check names with each of these prefixes. The same holds for
    /// SGLang (`sglang:` and `sglang_`) and llama.cpp (`llamacpp:` and `llamacpp_`).
    ///
    /// ### Example
    ///
    /// With `names = ["vllm:"]` in `slosmith.toml`:
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
    ///
    /// A query that works in every store has both names: `{__name__=~"vllm[:_]num_requests_waiting"}`.
    ///
    /// ### Limits
    ///
    /// The rule has no fix without `names`: a fix could turn a working query into one without data. Names that begin with
    /// `ray_vllm` or `kserve_vllm` are reported only if `names` is set.
    pub const RULE: Rule = Rule {
        name: "normalised-name",
        summary: "the store has the metric under another prefix",
        group: Group::Catalog,
        level: Severity::Warning,
        certain: "With `names`: certain if the setting is right. Without: certain that vLLM serves another name, so the finding is information.",
        fixes: Fixes::Unsafe("replaces the prefix with the prefix in `names`, if `names` has only one"),
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Some(known) = series.subject.served() else {
            continue;
        };
        let product = known.product;
        let names = cx.scope.names_of(product);
        let prefix = known.spelling.unwrap_or(product.catalog.prefix());
        let is_stored = match names.is_empty() {
            // Only one prefix has the meaning of another one.
            true => !product.catalog.is_ambiguous(prefix),
            false => names.contains(&prefix),
        };
        if is_stored || cx.has_replacement(series) {
            continue;
        }
        let served = known.in_served_family();
        if !product.claims(&served) {
            continue;
        }
        let at = cx.span(&series.name_span);
        let finding = if names.is_empty() {
            let message = format!("{} serves `{}` as `{served}`", product.name, series.name);
            let mut finding = out.at(at, message);
            finding.severity = Severity::Info;
            let stored_by = product.catalog.spelling(prefix).map(|s| &s.stored_by);
            let note = stored_by.map(|by| format!("stores with the prefix `{prefix}`: {by}"));
            note.into_iter()
                .fold(finding, |finding, note| finding.note(note))
                .help(format!(
                    "if your store has this name, set `names = [\"{prefix}\"]` in `slosmith.toml`; otherwise use `{served}`"
                ))
        } else {
            let stored: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            let message = format!(
                "`{}` begins with `{prefix}`: your store has the prefix {}",
                series.name,
                stored.join(" or ")
            );
            let mut new = names
                .iter()
                .map(|name| product.catalog.stored(name, &served));
            let new = new.next().unwrap_or_default();
            let fix = || fixes::rename(cx, series, series.name, &new, Applicability::Unsafe);
            let fix = (names.len() == 1).then(fix).flatten();
            let finding = out.at(at, message).help(format!("use `{new}`"));
            finding.maybe_fix(fix)
        };
        out.push(finding);
    }
}
