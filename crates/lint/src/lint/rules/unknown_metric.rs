//! Metrics that never existed in any release.

use crate::artifact::Role;
use crate::lint::fixes;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Meant, Subject, UnknownMetric};
use slosmith_catalog::lineage::Mistake;
use slosmith_catalog::{MetricType, Series as Part, Shape};
use slosmith_promql::usage::Use;
use slosmith_text::diag::{Applicability, Diagnostic, Fixes, Group, Severity};

declare_rule! {
    /// ### What it does
    ///
    /// Reports metrics whose name begins like names of vLLM or of another recorded server, but that exist in no recorded
    /// release and in no other known exporter. In a spec, also reports names one slip away from a metric that the spec declares.
    ///
    /// ### Why
    ///
    /// The query returns no data on any release. Common causes:
    ///
    /// - `_total` is missing;
    /// - a histogram is queried without `_bucket`, `_sum` or `_count`;
    /// - the name comes from a blog post with an invented name.
    ///
    /// ### Example
    ///
    /// ```promql
    /// rate(vllm:num_preemptions[5m])
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```promql
    /// rate(vllm:num_preemptions_total[5m])
    /// ```
    ///
    /// ### Limits
    ///
    /// - Names with the prefix of another spelling (`vllm_`, `ray_vllm_`, `kserve_vllm:`, see `normalised-name`) are
    ///   checked like the names with `vllm:`. If such a name is unknown, the finding is a warning: another program may
    ///   expose the metric.
    /// - The base name of a histogram is a warning: a Prometheus that converts histograms to native ones stores it.
    /// - A name with a second colon, or with a window at the end such as `_5m`, belongs to a recording rule.
    /// - Metrics that programs in the linted folders publish are known: calls such as `Gauge("vllm_queue_depth", …)` or
    ///   `prometheus.GaugeOpts{…}`, `# TYPE` lines, recording rules, and metric names that relabelling writes.
    /// - Some servers, such as LiteLLM and Dynamo, show metrics only after their first use or with an option. Their
    ///   unknown metrics are information, and a warning if the name is almost the name of a recorded metric.
    /// - Metrics of your own services are known once their `/metrics` output is recorded (`slosmith catalog record`).
    /// - Metrics that recording rules of the same run write are known, too.
    pub const RULE: Rule = Rule {
        name: "unknown-metric",
        summary: "the metric never existed in any release",
        group: Group::Catalog,
        level: Severity::Error,
        certain: "Certain that no recorded release exposes the name. The rule assumes that no recording rule or program outside the run writes it.",
        fixes: Fixes::Both { safe: "appends a missing `_total`", risky: "replaces a known wrong name with the name of the real metric" },
        since: "0.1.0",
        check: Check::Query(check),
    };
}

/// Where the base name of a histogram has data.
pub(super) const NATIVE: &str = "a Prometheus stores the base name only with `convert_classic_histograms_to_nhcb` in the scrape configuration";

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        if let Subject::Slip(meant) = &**series.subject {
            let name = series.name;
            let message = format!("the spec declares no metric `{name}`");
            let mut finding = out.at(cx.span(&series.name_span), message);
            finding.severity = Severity::Warning;
            out.push(finding.help(format!("did you mean `{meant}`?")));
        }
        let Subject::Unknown(unknown) = &**series.subject else {
            continue;
        };
        if cx.is_spare(series) {
            continue;
        }
        let (product, name) = (&unknown.product.name, series.name);
        if matches!(unknown.meant, Meant::Unproven) {
            unproven(cx, series, unknown, out);
            continue;
        }
        let message = match unknown.meant {
            Meant::Histogram if series.in_quantile() => continue,
            // CloudWatch has no histograms: `metric-not-delivered` reports them.
            Meant::Histogram if matches!(cx.query.role, Role::Metric { .. }) => continue,
            Meant::Histogram => {
                format!("`{name}` is a histogram: its series end in `_bucket`, `_sum` or `_count`")
            }
            _ => format!("`{name}` exists in no {product} release"),
        };
        let finding = out
            .at(cx.span(&series.name_span), message)
            .label(match unknown.meant {
                Meant::Histogram => "no such series",
                _ => "never existed",
            });
        let mut finding = finding;
        if matches!(unknown.meant, Meant::Histogram) {
            finding.severity = Severity::Warning;
            finding = finding.note(NATIVE);
        }
        if unknown.spelling.is_some() {
            // Another program may expose the metric.
            finding.severity = Severity::Warning;
        }
        if matches!(unknown.meant, Meant::Alike) {
            // So a similar name of vLLM is not suggested.
            let prefix = unknown.product.catalog.prefix();
            finding = finding.note(format!("names of {product} metrics begin with `{prefix}`"));
        }
        let finding = match &unknown.meant {
            Meant::Mistake(mistake, part) => mistaken(cx, series, unknown, mistake, *part, finding),
            Meant::Histogram => finding.help(format!(
                "use `{name}_bucket`, `{name}_sum` or `{name}_count`"
            )),
            _ => near(cx, series, unknown, finding),
        };
        out.push(finding);
    }
}

/// A name that no recording has, of a product whose pages do not show all.
fn unproven(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    unknown: &UnknownMetric<'_>,
    out: &mut Findings,
) {
    let product = unknown.product;
    let releases = &product.selection.releases;
    let message = format!("no recording of {} has `{}`", product.name, series.name);
    let mut finding = out.at(cx.span(&series.name_span), message);
    let meant = product.catalog.suggest(series.name, releases);
    finding.severity = match meant {
        Some(_) => Severity::Warning,
        None => Severity::Info,
    };
    out.push(match meant {
        Some(meant) => finding.help(format!("did you mean `{meant}`?")),
        None => finding.note(format!(
            "{} shows some metrics only after their first use, or with an option: compare with the `/metrics` output of your server",
            product.name
        )),
    });
}

fn mistaken(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    unknown: &UnknownMetric<'_>,
    mistake: &Mistake,
    part: Part,
    finding: Diagnostic,
) -> Diagnostic {
    let finding = finding.note(mistake.note.clone());
    match (&mistake.family, &mistake.instead) {
        (Some(family), _) => {
            let product = unknown.product;
            let newest = product.selection.releases.last();
            let name = newest.and_then(|id| {
                let release = product.catalog.release(*id);
                product.catalog.name_on(family, release, &product.profiles)
            });
            // No selected release has what was meant.
            let Some(name) = name else {
                return finding;
            };
            let new = format!("{name}{}", part.suffix());
            let fits = is_used_as(cx, series, unknown, &new);
            let rename = || fixes::rename(cx, series, series.name, &new, Applicability::Unsafe);
            let fix = fits.then(rename).flatten();
            finding.help(format!("use `{new}`")).maybe_fix(fix)
        }
        (None, Some(instead)) => finding.help(format!("use `{instead}`")),
        (None, None) => finding,
    }
}

fn near(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    unknown: &UnknownMetric<'_>,
    finding: Diagnostic,
) -> Diagnostic {
    let product = unknown.product;
    let suggest = || {
        let releases = &product.selection.releases;
        product.catalog.suggest(series.name, releases)
    };
    let suggested = (!matches!(unknown.meant, Meant::Alike)).then(suggest);
    let Some(meant) = suggested.flatten() else {
        return finding.help(
            "if another service exposes the metric, record its `/metrics` output with `slosmith catalog record`, and \
             add the recording to `catalogs` in `slosmith.toml`",
        );
    };
    let name = series.name;
    // A similar name may count the opposite; only a missing `_total` is certain.
    let certain = meant == format!("{name}_total");
    // A level is no counter: with `== 1` in the query, another metric may be meant.
    let applicability = match is_used_as(cx, series, unknown, &meant) {
        true => Applicability::Safe,
        false => Applicability::Unsafe,
    };
    let rename = || fixes::rename(cx, series, name, &meant, applicability);
    let fix = certain.then(rename).flatten();
    finding
        .help(format!("did you mean `{meant}`?"))
        .maybe_fix(fix)
}

/// True if the query treats the series as the type of `name`; otherwise the fix would create a rate of a gauge.
fn is_used_as(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    unknown: &UnknownMetric<'_>,
    name: &str,
) -> bool {
    let catalog = unknown.product.catalog;
    let Some((family, part)) = catalog.series_of(name) else {
        return false;
    };
    let is_gauge = |shape: &Shape| shape.kind == MetricType::Gauge;
    let gauge = part == Part::Whole && family.shapes().iter().all(is_gauge);
    match series.context.used() {
        Use::Change(_) => !gauge,
        Use::OverTime(_) => gauge,
        Use::Instant => gauge || !cx.is_evaluated(),
        Use::Unknown => false,
    }
}
