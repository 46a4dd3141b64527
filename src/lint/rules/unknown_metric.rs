//! Series that no release ever had.

use crate::artifact::Role;
use crate::catalog::Series as Part;
use crate::catalog::lineage::Mistake;
use crate::diag::{Applicability, Diagnostic, Severity};
use crate::lint::mend;
use crate::lint::query::{QueryCx, Series};
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::lint::subject::{Meant, Strange, Subject};

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
    /// Names of your own services are known once their pages are recorded (`slosmith catalog record`); names
    /// that recording rules of the same run write are known as well.
    pub const RULE: Rule = Rule {
        name: "unknown-metric",
        summary: "no release ever had the metric",
        level: Severity::Error,
        since: "0.1.0",
        check: Check::Query(check),
    };
}

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    for series in cx.series {
        let Subject::Strange(strange) = &*series.subject else {
            continue;
        };
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
        let finding = match &strange.meant {
            Meant::Mistake(mistake, part) => mistaken(cx, series, mistake, *part, finding),
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
    mistake: &Mistake,
    part: Part,
    finding: Diagnostic,
) -> Diagnostic {
    let finding = finding.note(mistake.note.clone());
    match (&mistake.family, &mistake.instead) {
        (Some(family), _) => {
            let new = format!("{family}{}", part.suffix());
            let fix = mend::rename(cx, series, series.name, &new, Applicability::Unsafe);
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
    let Some(meant) = strange.product.catalog.suggest(series.name) else {
        return finding.help(
            "if another service publishes it, record its page with `slosmith catalog record` and name the \
             catalog in `slosmith.toml`",
        );
    };
    let name = series.name;
    // Only a forgotten `_total` is certain.
    let certain = meant == format!("{name}_total");
    let applicability = if certain {
        Applicability::Safe
    } else {
        Applicability::Unsafe
    };
    let fix = mend::rename(cx, series, name, &meant, applicability);
    finding
        .help(format!("did you mean `{meant}`?"))
        .maybe_fix(fix)
}
