//! Fractions taken for percentages.

use crate::diag::{Applicability, Diagnostic, Edit as FileEdit, Fix, RuleInfo, Severity};
use crate::lint::mend;
use crate::lint::quantity::{self, Measure, measure};
use crate::lint::query::{QueryCx, Site};
use crate::lint::rule::{Check, Findings, Rule};
use crate::promql::ast::BinaryOp;
use crate::promql::rewrite::Edit;
use crate::promql::usage::{Comparison, Exact, comparisons};
use crate::units::decimal;

/// See [`RuleInfo::docs`].
pub const RULE: Rule = Rule {
    info: RuleInfo {
        name: "fraction-as-percent",
        summary: "a fraction from 0 to 1 is compared with, or shown as, a percentage",
        docs: "Every `_perc` gauge of vLLM is a fraction from 0 to 1, in every release. `> 95` is never true, `< 50` always; a panel with the unit `percent` shows 0.95 %.\n\
               \n\
               ```promql\n\
               vllm:kv_cache_usage_perc > 95     # bad: never fires\n\
               vllm:kv_cache_usage_perc > 0.95   # good\n\
               ```",
        level: Severity::Error,
        since: "0.1.0",
    },
    check: Check::Query(check),
};

fn check(cx: &QueryCx<'_, '_>, out: &mut Findings) {
    if !cx
        .series
        .iter()
        .any(|series| series.subject.known().is_some())
    {
        return;
    }
    for comparison in comparisons(cx.expr) {
        if let Some((Measure::Fraction, series)) = measure(cx, comparison.subject) {
            let what = match series.subject.is_gauge() {
                true => format!("`{}`", series.name),
                false => "this ratio".to_owned(),
            };
            compared(cx, out, &comparison, &what);
        }
    }
    if let (Site::Panel(dashboard, panel, _), Some((Measure::Fraction, series))) =
        (cx.site, measure(cx, cx.expr))
        && let Some(unit) = panel.unit.as_ref().filter(|unit| unit.value == "percent")
    {
        let message = format!(
            "`{}` is a fraction from 0 to 1, shown with the unit `percent`",
            series.name
        );
        let mut finding = out
            .at(unit.span(), message)
            .help("use the unit `percentunit`");
        let plain = quantity::limits(dashboard, panel).is_some_and(|limits| {
            panel.targets.len() == 1 && limits.iter().all(|limit| *limit <= 1.0)
        });
        if plain
            && let Some((span, text)) =
                unit.map
                    .edit(cx.file_text, 0..unit.value.len(), "percentunit")
        {
            let edits = vec![FileEdit::replace(span, text)];
            finding = finding.fix(Fix::safe_edits("set the unit to `percentunit`", edits));
        } else {
            finding = finding
                .help("thresholds, `min`, `max` and other queries of the panel change with it");
        }
        out.push(finding);
    }
}

fn compared(cx: &QueryCx<'_, '_>, out: &mut Findings, comparison: &Comparison<'_>, what: &str) {
    let one = Exact::from_integer(1);
    let Some(threshold) = comparison.threshold().filter(|t| *t > one) else {
        return;
    };
    let always = match comparison.op {
        BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq => "never",
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne => "always",
        _ => return,
    };
    let constant = cx.text(&comparison.constant_span);
    let message = format!(
        "{what} is a fraction from 0 to 1: `{} {constant}` is {always} true",
        comparison.op
    );
    let finding = out
        .at(cx.span(&comparison.constant_span), message)
        .label("a percentage?");
    out.push(mended(cx, comparison, threshold, finding));
}

/// A hundredth of the constant, when that is what was meant.
fn mended(
    cx: &QueryCx<'_, '_>,
    comparison: &Comparison<'_>,
    threshold: Exact,
    finding: Diagnostic,
) -> Diagnostic {
    let hundred = Exact::from_integer(100);
    if comparison.scale != Exact::from_integer(1) || threshold > hundred {
        return finding;
    }
    let new = decimal(threshold / hundred);
    let edit = Edit::new(comparison.constant_span.clone(), new.clone());
    let fix = cx.fix(
        format!("replace with `{new}`"),
        &[edit],
        Applicability::Safe,
    );
    mend::with(finding.help(format!("use `{new}`")), fix)
}
