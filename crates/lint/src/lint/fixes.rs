//! Replacements for series that a release does not expose, and the fixes that write them.

use super::query::{QueryCx, Series};
use super::subject::Known;
use slosmith_catalog::lineage::{ChangeKind, Replacement};
use slosmith_catalog::{Catalog, Product, ReleaseId};
use slosmith_promql::Dialect;
use slosmith_promql::Function;
use slosmith_promql::ast::{AggregateOp, Expr, ExprKind};
use slosmith_promql::rewrite::{Edit, apply, rename_in_selector};
use slosmith_text::diag::{self, Applicability, Diagnostic, Fix};
use slosmith_text::yaml::Text;

/// Adds the advice of lineage for a series that is missing on some releases.
pub(super) fn advise<'q, 'c>(
    cx: &QueryCx<'q, 'c>,
    series: &Series<'q, 'c>,
    known: &Known<'c>,
    dead: &[ReleaseId],
    mut finding: Diagnostic,
) -> Diagnostic {
    let catalog = known.product.catalog;
    let change = catalog.lineage().change(&known.family);
    let advice = Advice { cx, series, known };
    let Some(last) = dead.last() else {
        return finding;
    };
    let release = catalog.release(*last);
    let certain = series.subject.known().is_some();
    if let Some(name) = catalog.name_on(&known.family, release, &known.product.profiles) {
        if name == known.family {
            // The release has another type of it, without these series.
            let shape = catalog.shape(name, *last, &known.product.profiles);
            let (name, kind) = (
                known.spelled(name),
                shape.map_or("", |shape| shape.kind.as_str()),
            );
            return finding.help(format!(
                "there, `{name}` is a {kind}: use the series of this type"
            ));
        }
        let (help, fix) = advice.renamed(name);
        return finding.help(help).maybe_fix(fix.filter(|_| certain));
    }
    if let Some(new) = catalog.replacement_on(&known.family, release, &known.product.profiles) {
        let kind = change.map_or(ChangeKind::Semantics, |change| change.kind);
        finding = finding.help(format!("use {}", in_words(&new, known)));
        let fix = certain.then(|| advice.reshaped(&new, kind)).flatten();
        finding = finding.maybe_fix(fix);
    } else if is_counted(series) {
        finding = finding
            .help("count a metric that every instance exposes: the metric has no replacement");
    } else if let Some(nearest) = change.and_then(|change| change.nearest.as_deref()) {
        let nearest = known.spelled(nearest);
        finding = finding.help(format!(
            "remove the query, or use the closest metric, `{nearest}`: the metric has no replacement"
        ));
    } else if change.is_some() {
        finding = finding.help("remove the query: the metric has no replacement");
    }
    match change {
        Some(change) => finding.note(change.note.clone()),
        None => finding,
    }
}

/// True if the query only counts series, or tests for their absence: other metrics with similar values do not help.
fn is_counted(series: &Series<'_, '_>) -> bool {
    const MISSED: [&str; 3] = ["absent", "absent_over_time", "present_over_time"];
    let around = &series.context;
    MISSED.iter().any(|function| around.calls(function))
        || around.aggregates(AggregateOp::Count)
        || around.aggregates(AggregateOp::Group)
}

pub(super) fn set_text(
    file_text: &str,
    text: &Text,
    new: &str,
    title: impl Into<String>,
    applicability: Applicability,
) -> Option<Fix> {
    let (span, spelled) = text.map.edit(file_text, 0..text.value.len(), new)?;
    Some(Fix {
        title: title.into(),
        edits: vec![diag::Edit::replace(span, spelled)],
        applicability,
    })
}

pub(super) fn set_unit(
    cx: &QueryCx<'_, '_>,
    unit: &Text,
    new: &str,
    applicability: Applicability,
) -> Option<Fix> {
    let title = format!("set the unit to `{new}`");
    set_text(cx.file_text, unit, new, title, applicability)
}

pub(super) fn rename(
    cx: &QueryCx<'_, '_>,
    series: &Series<'_, '_>,
    from: &str,
    to: &str,
    applicability: Applicability,
) -> Option<Fix> {
    let edits = rename_in_selector(series.context.selector, from, to);
    cx.fix(
        format!("replace `{from}` with `{to}`"),
        &edits,
        applicability,
    )
}

pub(super) fn rate_window(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Grafana => "$__rate_interval",
        Dialect::Prometheus | Dialect::GoTemplate | Dialect::Adapter | Dialect::Template => "5m",
    }
}

pub(super) fn in_words(new: &Replacement, known: &Known<'_>) -> String {
    let spelled = |name: &str| known.spelled(name);
    let same_part = |name: &str| format!("`{}{}`", spelled(name), known.part.suffix());
    match new {
        Replacement::Family(name) => same_part(name),
        Replacement::Rate(name) => format!("`rate({}[…])`", spelled(name)),
        Replacement::Ratio { of, over } => {
            let (of, over) = (spelled(of), spelled(over));
            format!("`rate({of}[…]) / rate({over}[…])`")
        }
        Replacement::Split(names) => {
            let names: Vec<_> = names.iter().map(|name| same_part(name)).collect();
            names.join(" and ")
        }
    }
}

struct Advice<'a, 'q, 'c> {
    cx: &'a QueryCx<'q, 'c>,
    series: &'a Series<'q, 'c>,
    known: &'a Known<'c>,
}

impl Advice<'_, '_, '_> {
    /// The edits that rename the family to `name`, in the spelling of the query.
    fn edits(&self, name: &str) -> Vec<Edit> {
        let [old, new] = [&self.known.family, name].map(|name| self.known.spelled(name));
        rename_in_selector(self.series.context.selector, &old, &new)
    }

    fn rename(&self, name: &str, applicability: Applicability) -> Option<Fix> {
        let [old, new] = [&self.known.family, name].map(|name| self.known.spelled(name));
        rename(self.cx, self.series, &old, &new, applicability)
    }

    fn renamed(&self, name: &str) -> (String, Option<Fix>) {
        let known = self.known;
        let product = known.product;
        let new = known.in_family(name);
        let coverage = product
            .catalog
            .coverage(name, &product.selection, &product.profiles);
        let since = since(product.catalog, name);
        // vLLM will remove an older name: use it only where the new name is missing.
        let older = product.catalog.lineage().successor(name) == Some(known.family.as_str());
        if coverage.absent.is_empty() && (!older || known.present.is_empty()) {
            let help = format!("use `{new}` (same values{since})");
            return (help, self.rename(name, with_releases(product)));
        }
        let on = product.describe(&coverage.present);
        let (first, second) = if older {
            (self.series.name, new.as_str())
        } else {
            (new.as_str(), self.series.name)
        };
        let help = format!("use `{first} or {second}`: `{new}` exists on {on}");
        let together = |id| coverage.present.contains(id) || known.present.contains(id);
        let all = product.selection.releases.iter().all(together);
        let fix = all.then(|| self.either(name, older)).flatten();
        (help, fix)
    }

    /// `(new or old)` in the place of the old, around the function where there is a range.
    fn either(&self, name: &str, older: bool) -> Option<Fix> {
        let cx = self.cx;
        if !cx.is_evaluated() || !cx.may_fix() {
            return None;
        }
        let context = &self.series.context;
        // A mistake in another call would appear twice.
        let call = |node: &&Expr| match &node.kind {
            ExprKind::Call(call) => Function::get(&call.function.text).is_some(),
            _ => false,
        };
        let place = match context.range {
            None => context.span.clone(),
            Some(_) => context.ancestors().next().filter(call)?.span.clone(),
        };
        let old = cx.text(&place);
        let new = self.renamed_in(old, place.start, name)?;
        let (first, second) = if older {
            (old, new.as_str())
        } else {
            (new.as_str(), old)
        };
        let text = format!("({first} or {second})");
        cx.replace_expr(&place, &text, Applicability::Safe)
    }

    /// A text around the selector, which starts at `start`, with the selector of another family; none if nothing changes.
    fn renamed_in(&self, text: &str, start: usize, name: &str) -> Option<String> {
        let edits = self.edits(name).into_iter();
        let shifted = edits.map(|edit| {
            let span = edit.span.start - start..edit.span.end - start;
            Edit::new(span, edit.text)
        });
        let new = apply(text, &shifted.collect::<Vec<_>>()).ok()?;
        (new != text).then_some(new)
    }

    /// An expression with the same meaning, for a gauge that is read without a function.
    fn reshaped(&self, new: &Replacement, kind: ChangeKind) -> Option<Fix> {
        let cx = self.cx;
        if matches!(kind, ChangeKind::Unit | ChangeKind::Semantics) {
            // The threshold of a comparison would have to change, too.
            return None;
        }
        if let Replacement::Family(name) = new {
            return self.rename(name, Applicability::Unsafe);
        }
        let context = &self.series.context;
        if kind == ChangeKind::Split || context.range.is_some() || !cx.is_evaluated() {
            return None;
        }
        if !cx.may_fix() {
            return None;
        }
        let old = cx.text(&context.span);
        let window = rate_window(cx.dialect());
        let rate = |name: &String| {
            let new = self.renamed_in(old, context.span.start, name)?;
            Some(format!("rate({new}[{window}])"))
        };
        let text = match new {
            Replacement::Rate(name) => rate(name)?,
            Replacement::Ratio { of, over } => format!("({} / {})", rate(of)?, rate(over)?),
            Replacement::Family(_) | Replacement::Split(_) => return None,
        };
        cx.replace_expr(&context.span, &text, Applicability::Unsafe)
    }
}

/// How certain a new name is: where nothing names the releases in use, they may be older and have only the old name.
pub(super) fn with_releases(product: &Product<'_>) -> Applicability {
    match product.is_guess {
        true => Applicability::Unsafe,
        false => Applicability::Safe,
    }
}

fn since(catalog: &Catalog, name: &str) -> String {
    let life = catalog.first_last_in::<&str>(name, &[]);
    life.map(|life| format!(", since {}", life.first))
        .unwrap_or_default()
}
