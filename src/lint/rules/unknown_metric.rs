//! Series that no release ever had.

use crate::artifact::Role;
use crate::catalog::lineage::Mistake;
use crate::catalog::{MetricType, Series as Part, Shape};
use crate::diag::{Applicability, Diagnostic, Group, Severity};
use crate::lint::mend;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Meant, Strange, Subject};
use crate::promql::usage::Use;

declare_rule! {
    /// The name begins like vLLM's own, but no recorded release and no other known exporter has it. Often
    /// `_total` is missing, a histogram is asked for without `_bucket`, `_sum` or `_count`, or the name comes
    /// from a guide that made it up.
    ///
    /// ```promql
    /// rate(vllm:num_preemptions[5m])         # bad
    /// rate(vllm:num_preemptions_total[5m])   # good
    /// ```
    ///
    /// A name that begins with `vllm_`, and is none of vLLM's with its colon replaced, is a warning: another program
    /// may publish it. Names that Ray serves (`ray_vllm_…`) are judged as vLLM's.
    ///
    /// Names of your own services are known once their pages are recorded (`slosmith catalog record`); names
    /// that recording rules of the same run write are known as well.
    pub const RULE: Rule = Rule {
        name: "unknown-metric",
        summary: "no release ever had the metric",
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
        if cx.is_spare(series) {
            continue;
        }
        let product = &strange.product.name;
        let message = match strange.meant {
            Meant::Normalised(_) => continue,
            Meant::Histogram(_) if series.in_quantile() => continue,
            // CloudWatch has no series, and no histograms either: `metric-not-delivered` says so.
            Meant::Histogram(_) if matches!(cx.query.role, Role::Metric { .. }) => continue,
            Meant::Histogram(name) => {
                format!("`{name}` is a histogram: it has no series of that name")
            }
            _ => format!("no {product} release has `{}`", series.name),
        };
        let finding = out
            .at(cx.span(&series.name_span), message)
            .label("never existed");
        let mut finding = finding;
        if matches!(strange.meant, Meant::Alike) {
            // vLLM never had it, but another program may: what is spelled alike is no help either.
            finding.severity = Severity::Warning;
            let prefix = strange.product.catalog.prefix();
            finding = finding.note(format!("{product}'s own names begin with `{prefix}`"));
        }
        let finding = match &strange.meant {
            Meant::Mistake(mistake, part) => mistaken(cx, series, strange, mistake, *part, finding),
            Meant::Histogram(name) => finding.help(format!(
                "use `{name}_bucket`, `{name}_sum` or `{name}_count`"
            )),
            _ => near(cx, series, strange, finding),
        };
        out.push(finding);
    }
}

fn mistaken(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    strange: &Strange<'_>,
    mistake: &Mistake,
    part: Part,
    finding: Diagnostic,
) -> Diagnostic {
    let finding = finding.note(mistake.note.clone());
    match (&mistake.family, &mistake.instead) {
        (Some(family), _) => {
            let new = format!("{family}{}", part.suffix());
            let fits = is_used_as(cx, series, strange, &new);
            let rename = || mend::rename(cx, series, series.name, &new, Applicability::Unsafe);
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
    strange: &Strange<'_>,
    finding: Diagnostic,
) -> Diagnostic {
    let suggest = || strange.product.catalog.suggest(series.name);
    let suggested = (!matches!(strange.meant, Meant::Alike)).then(suggest);
    let Some(meant) = suggested.flatten() else {
        return finding.help(
            "if another service publishes it, record its page with `slosmith catalog record` and name the \
             catalog in `slosmith.toml`",
        );
    };
    let name = series.name;
    // A name that is spelled alike may count the opposite; only a forgotten `_total` is certain.
    let certain = meant == format!("{name}_total");
    let rename = || mend::rename(cx, series, name, &meant, Applicability::Safe);
    let fix = certain.then(rename).flatten();
    finding
        .help(format!("did you mean `{meant}`?"))
        .maybe_fix(fix)
}

/// True when the query treats the series as what `name` is: a rate of a gauge would be as wrong as before.
fn is_used_as(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    strange: &Strange<'_>,
    name: &str,
) -> bool {
    let catalog = strange.product.catalog;
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
