//! What can be wrong with a family that exists: labels, values, boundaries, raw names.

use std::rc::Rc;

use super::missing::{self, Missing};
use super::{own_buckets, service};
use crate::context::{Absence, Context, Outcome};
use crate::labels::{ALWAYS_THERE, is_label_name};
use crate::{matchers, names};
use slosmith_catalog::{ReleaseId, split_series};
use slosmith_plan::plan::{Family, Raw, Signal, SignalKind, Source, selection, words};
use slosmith_promql::ast::Expr;
use slosmith_promql::{self as promql, visit};
use slosmith_spec::library;
use slosmith_spec::spec::{Across, MatchValue, Matchers, RatioSide, Selection, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean, one_of};
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Number, Quantity, Unit, shown};

pub(crate) fn check_matchers(
    cx: &mut Context<'_>,
    signal: &Signal,
    wanted: &Matchers,
) -> Option<()> {
    let family = signal.family()?;
    let selected = matchers::matchers(wanted);
    let mut fits = Some(());
    for (label, value) in wanted {
        if !is_label_name(&label.value) {
            // Reported where the selection is read.
            continue;
        }
        if !signal.labels.contains(&label.value) && !open_labels(cx, family) {
            cx.missing_label(signal, &label.value, label.span);
            fits = None;
            continue;
        }
        if !family.recorded {
            if !selection::passes_all(&label.value, "", &selected) {
                let late = service::late_label(cx, family, label);
                late.into_iter().for_each(|late| cx.sink.push(late));
            }
            matchers::check_class(cx, &label.value, value);
        }
        let domain = domain(cx, family, &label.value);
        if let (Some(domain), MatchValue::Matches(regex)) = (&domain, value) {
            let none = |known: &String| promql::matches(&regex.value, known) == Some(false);
            if domain.iter().all(none) {
                let message = format!(
                    "`{regex}` matches no value of the label `{label}` of `{}`",
                    signal.name
                );
                let error = Diagnostic::error("unknown-label-value", regex.span, message);
                cx.sink.push(error.help(format!("use {}", one_of(domain))));
                fits = None;
            }
        }
        let said = matches!(value, MatchValue::Is { said: true, .. });
        for asked in matchers::asked_values(value) {
            let class = matchers::status_class(&asked.value).filter(|_| !said);
            let error = match (&domain, class) {
                (Some(domain), _) if !domain.contains(&asked.value) => {
                    let message = format!(
                        "the label `{label}` of `{}` never has the value `{asked}`",
                        signal.name
                    );
                    let known = domain.iter().map(String::as_str);
                    Diagnostic::error("unknown-label-value", asked.span, message)
                        .maybe_help(did_you_mean(&asked.value, known))
                        .help(format!("use {}", one_of(domain)))
                }
                // The label's values are not recorded: this may be a class of status codes or an exact value.
                (None, Some(regex)) if !family.recorded => matchers::like_regex(cx, asked, &regex),
                _ => {
                    let late = late_value(cx, signal, family, &label.value, asked);
                    let slip = || service::check_value(cx, family, &label.value, asked);
                    match late.or_else(slip) {
                        Some(found) => cx.sink.push(found),
                        None => service::note_value(cx, family, &label.value, asked),
                    }
                    continue;
                }
            };
            cx.sink.push(error);
            fits = None;
        }
    }
    fits
}

/// Reports a label of `prometheus.selector` that other metrics of vLLM have, and this one has not: it selects nothing here. Other
/// labels come from the scrape, as far as is known.
pub(crate) fn check_selector(cx: &mut Context<'_>, signal: &Signal) {
    let Some(family) = signal.family().filter(|family| family.recorded) else {
        return;
    };
    let mut selector = cx.spec.prometheus.selector.keys();
    let missing = selector
        .find(|label| !signal.labels.contains(&label.value) && cx.is_of_servers(&label.value));
    let Some(label) = missing.filter(|_| !open_labels(cx, family)) else {
        return;
    };
    let message = format!(
        "`{}` has no label `{label}`, so `prometheus.selector` selects nothing of it",
        signal.name
    );
    let error = Diagnostic::error("unknown-label", label.span, message);
    cx.sink.push(error.help(format!(
        "select by `{label}` with `where` in the signals that have it, or list it under `scrape_labels` if the scrape adds it"
    )));
}

/// Reports a selection that excludes what is selected already.
pub(super) fn check_possible(
    cx: &mut Context<'_>,
    name: &str,
    family: &Family,
    selection: &Matchers,
) -> Option<()> {
    let label = selection::impossible(family.matchers.iter());
    let mut keys = selection.keys();
    let Some(at) = label.and_then(|label| keys.find(|at| at.value == label)) else {
        return Some(());
    };
    let message =
        format!("`where` selects no series: `{name}` already selects other values of `{at}`");
    let error = Diagnostic::error("contradiction", at.span, message);
    cx.sink.push(
        error.help("use a value that the signal selects, or a signal without this selection"),
    );
    None
}

fn releases<'a>(cx: &'a Context<'_>) -> impl Iterator<Item = &'a ReleaseId> {
    cx.range.iter().flat_map(|range| &range.selection.releases)
}

fn open_labels(cx: &Context<'_>, family: &Family) -> bool {
    family.recorded
        && family.served.iter().any(|name| {
            releases(cx).any(|r| {
                let shape = cx.catalog.shape(name, *r, &cx.profiles);
                shape.is_some_and(|s| s.open_labels)
            })
        })
}

/// All values a label has on any release of the range, when they are known.
fn domain(cx: &Context<'_>, family: &Family, label: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    for name in family.served.iter().filter(|_| family.recorded) {
        for release in releases(cx) {
            if let Some(shape) = cx.catalog.shape(name, *release, &cx.profiles) {
                values.extend_from_slice(shape.domain(label)?);
            }
        }
    }
    values.sort();
    values.dedup();
    (!values.is_empty()).then_some(values)
}

/// Warns of a value that only newer releases of the range have: on the others, nothing is selected.
fn late_value(
    cx: &Context<'_>,
    signal: &Signal,
    family: &Family,
    label: &str,
    asked: &Text,
) -> Option<Diagnostic> {
    let lacks = |release: &&ReleaseId| {
        let shapes = family.served.iter().filter(|_| family.recorded);
        let mut shapes = shapes.filter_map(|name| cx.catalog.shape(name, **release, &cx.profiles));
        let domain = shapes.find_map(|shape| shape.domain(label));
        domain.is_some_and(|values| !values.contains(&asked.value))
    };
    let last = releases(cx).filter(lacks).last()?;
    let message = format!(
        "the label `{label}` of `{}` has no value `{asked}` in vLLM {}",
        signal.name,
        cx.catalog.release(*last).version()
    );
    let warning = Diagnostic::warning("unknown-label-value", asked.span, message);
    Some(warning.help("raise `runtime.vllm`, or select by another label"))
}

/// The signal with the series of a selection, combined as it says.
pub(crate) fn narrowed(
    cx: &mut Context<'_>,
    signal: &Rc<Signal>,
    of: Selection<'_>,
) -> Option<Rc<Signal>> {
    if of.matchers.is_none() && of.across.is_none() {
        return Some(signal.clone());
    }
    let mut narrowed = Signal::clone(signal);
    if let Some(matchers) = of.matchers {
        matchers::check(cx, matchers);
        narrow(cx, &mut narrowed, matchers)?;
        let before = words::selection_of(signal);
        let added = words::selection_of(&narrowed).iter();
        let added = words::selected(added.filter(|matcher| !before.contains(matcher)));
        narrowed.title.push_str(&added);
    }
    if let Some(across) = of.across {
        combine(cx, &mut narrowed, across)?;
    }
    Some(Rc::new(narrowed))
}

/// The signal of a side of a ratio, with the series that the side selects.
pub(crate) fn side(
    cx: &mut Context<'_>,
    signal: &Rc<Signal>,
    side: &RatioSide,
) -> Option<Rc<Signal>> {
    let of = Selection {
        matchers: Some(&side.matchers).filter(|all| !all.is_empty()),
        ..Selection::default()
    };
    narrowed(cx, signal, of)
}

pub(crate) fn combine(
    cx: &mut Context<'_>,
    signal: &mut Signal,
    across: Spanned<Across>,
) -> Option<()> {
    let why = match (&signal.source, signal.kind()) {
        (Source::Raw(_), _) => "the query itself combines the series",
        (_, SignalKind::Histogram) => "the buckets of all replicas are added",
        (_, SignalKind::Ratio) => "both sides are combined first, each as its own signal",
        (_, SignalKind::Gauge | SignalKind::Counter) => {
            signal.across = across.value;
            if is_state(cx, signal) {
                signal.unit = match across.value {
                    // How many of them are true, and which share.
                    Across::Sum => Unit::Count,
                    Across::Avg => Unit::Ratio,
                    Across::Min | Across::Max => Unit::Bool,
                };
            }
            return Some(());
        }
    };
    let message = format!("`across` has no effect on `{}`: {why}", signal.name);
    cx.reject_field("across", across.span, &message);
    None
}

/// True for a gauge of zeros and ones, also where its replicas are counted.
fn is_state(cx: &Context<'_>, signal: &Signal) -> bool {
    let mut name = signal.name.as_str();
    let own = |name: &str| cx.spec.signals.get(name).or_else(|| cx.built_in(name));
    // An alias may be of an alias, but not of itself: that was reported.
    while let Some(declared) = own(name) {
        match (&declared.unit, &declared.base) {
            (Some(unit), _) => return unit.value == Unit::Bool,
            (None, Some(base)) => name = &base.value,
            (None, None) => break,
        }
    }
    signal.unit == Unit::Bool
}

pub(crate) fn narrow(
    cx: &mut Context<'_>,
    signal: &mut Signal,
    selection: &Matchers,
) -> Option<()> {
    match &mut signal.source {
        Source::Family(family) => {
            family.matchers.extend(matchers::matchers(selection));
            family.matchers.sort_by(|a, b| a.0.cmp(&b.0));
            check_possible(cx, &signal.name, family, selection)?;
            // A fault in it is reported once, not for each side of a ratio.
            check_matchers(cx, signal, selection)
        }
        Source::Ratio { of, over, before } => {
            for part in [Some(of), Some(over), before.as_mut()]
                .into_iter()
                .flatten()
            {
                narrow(cx, part, selection)?;
            }
            Some(())
        }
        Source::Raw(raw) if raw.recorded => {
            narrow_recorded(cx, raw, selection);
            Some(())
        }
        Source::Raw(_) => {
            reject_where(cx, Some(selection));
            None
        }
    }
}

/// Adds an alias's own selection to the metrics of a library signal.
fn narrow_recorded(cx: &mut Context<'_>, raw: &mut Raw, selection: &Matchers) {
    let mut names: Vec<_> = metrics(&raw.expr);
    names.dedup();
    for part in names
        .iter()
        .filter_map(|name| library::of_family(split_series(name).0))
    {
        if let Some(Outcome::Ready(part)) = cx.known.get(&part).cloned() {
            check_matchers(cx, &part, selection);
            break;
        }
    }
    let added = matchers::matchers(selection);
    visit::selectors_mut(&mut raw.expr, &mut |selector| {
        if selector
            .metric
            .as_ref()
            .is_some_and(|metric| metric.text != "up")
        {
            *selector = selector.clone().with_matchers(&added);
        }
    });
}

fn metrics(expr: &Expr) -> Vec<String> {
    let selectors = promql::selectors(expr).into_iter();
    let names = selectors.filter_map(|selector| selector.metric.as_ref());
    names.map(|name| name.text.clone()).collect()
}

pub(crate) fn reject_where(cx: &mut Context<'_>, selection: Option<&Matchers>) {
    if let Some(first) = selection.and_then(|all| all.keys().next()) {
        let message = "`where` cannot filter a signal in PromQL: write the matcher in the query";
        cx.reject_field("where", first.span, message);
    }
}

/// False for a family that targets are known to lack before the first request.
pub(crate) fn is_present_from_start(cx: &Context<'_>, family: &Family) -> bool {
    let Some(range) = cx.range.as_ref().filter(|_| family.recorded) else {
        return true;
    };
    let starts = |name: &String| cx.catalog.present_from_start(name, &range.selection);
    family.served.iter().any(starts)
}

/// `absent` needs series that exist from start-up.
pub(crate) fn check_present_from_start(
    cx: &mut Context<'_>,
    family: &Family,
    at: Span,
) -> Option<()> {
    if is_present_from_start(cx, family) {
        return Some(());
    }
    let name = family.served.newest();
    let message =
        format!("`absent` cannot use `{name}`: some releases do not expose it from start-up");
    let rule = &cx.catalog.lineage().present_from_start;
    let help = if name == ALWAYS_THERE {
        format!(
            "select vLLM {} or newer: these releases expose it from start-up",
            rule.since
        )
    } else {
        "use a signal that every server exposes from start-up, such as `vllm.requests_running`"
            .into()
    };
    let error = Diagnostic::error("not-from-start", at, message).help(help);
    cx.sink.push(error);
    None
}

/// Reports vLLM names in raw PromQL that some release of the range lacks, and spells them as the store does.
pub(crate) fn check_names(cx: &mut Context<'_>, expr: &mut Expr, text: &Text) {
    let mut findings = Vec::new();
    let prefix = names::own_prefix(cx.spec);
    promql::visit::selectors_mut(expr, &mut |selector| {
        let Some(name) = &mut selector.metric else {
            return;
        };
        if cx.catalog.foreign().find(&name.text).is_some() {
            return;
        }
        let at = cx.document.inside(text, name.span.clone());
        let served = cx.catalog.served(prefix, &name.text);
        let served = served.unwrap_or_else(|| name.text.clone());
        if let Some(error) = missing::normalised(cx, &served, at) {
            findings.push(error);
        } else if served.starts_with(super::VLLM) {
            findings.extend(check_name(cx, &served, at));
            name.text = cx.catalog.stored(prefix, &served);
        } else {
            findings.extend(super::misspelt(cx, &name.text, at));
        }
    });
    for finding in findings {
        cx.sink.push(finding);
    }
}

/// Why a signal in PromQL is left out if it is optional: some release of the range lacks this metric.
pub(crate) fn absence_of_name(cx: &Context<'_>, name: &str) -> Option<Absence> {
    let served = cx.catalog.served(names::own_prefix(cx.spec), name);
    let Some((family, _)) = cx.catalog.series_of(served.as_deref().unwrap_or(name)) else {
        let family = promql::split_series(name).0;
        return service::absence(cx, name).or_else(|| service::absence(cx, family));
    };
    let range = &cx.range.as_ref()?.selection;
    let coverage = cx.catalog.coverage(family.name(), range, &cx.profiles);
    let is_missing = !coverage.absent.is_empty();
    is_missing.then(|| Missing::of_name(cx, family.name(), &coverage.absent).absence(cx))
}

fn check_name(cx: &Context<'_>, name: &str, at: Span) -> Option<Diagnostic> {
    let Some((family, _)) = cx.catalog.series_of(name) else {
        return Some(missing::unknown(cx.catalog, name, at));
    };
    let Some(range) = &cx.range else {
        return missing::range(cx, name, at);
    };
    let coverage = cx
        .catalog
        .coverage(family.name(), &range.selection, &cx.profiles);
    if coverage.absent.is_empty() {
        return None;
    }
    let missing = Missing::of_name(cx, family.name(), &coverage.absent);
    let error = missing.error(cx, name, at);
    let signal = library_signal(cx, family.name());
    Some(error.maybe_help(signal.map(|signal| {
        format!("use the signal `{signal}`: slosmith queries the right name on every release")
    })))
}

/// The library signal that a renamed family belongs to.
fn library_signal(cx: &Context<'_>, family: &str) -> Option<String> {
    let today = cx.catalog.lineage().successor(family)?;
    library::of_family(today)
}

/// Reports a threshold that is not a bucket boundary, with its neighbours.
pub(crate) fn not_a_boundary(
    cx: &Context<'_>,
    signal: &Signal,
    value: Number,
    at: &Spanned<Quantity>,
) -> Diagnostic {
    let buckets = signal.buckets();
    let recorded = |f: &Family| f.recorded && own_buckets::of(cx, f).is_none();
    let scope = if signal.family().is_some_and(recorded) && cx.range.is_some() {
        " on every selected release"
    } else {
        ""
    };
    let message = format!("{at} is not a bucket boundary of `{}`{scope}", signal.name);
    let below = buckets.iter().rev().find(|b| b.bound < value);
    let above = buckets.iter().find(|b| b.bound > value);
    let show = |b: &slosmith_plan::plan::Bucket| shown(b.bound * signal.scale, signal.unit);
    let thousandth = value / Number::from_integer(1_000);
    let meant = buckets.iter().find(|b| b.bound == thousandth);
    let help = match (below, above) {
        (_, None) if let Some(b) = meant => format!("did you mean `{}`?", show(b)),
        (Some(b), Some(a)) => format!("use {} or {}, the nearest bucket boundaries", show(b), show(a)),
        (Some(b), None) => format!("use {}, the last bucket boundary", show(b)),
        (None, Some(a)) => format!("use {}, the first bucket boundary", show(a)),
        (None, None) => {
            "declare your own signal with `promql` and `buckets`: these buckets differ between servers"
                .into()
        }
    };
    let option = signal
        .family()
        .and_then(|f| own_buckets::since(cx, f, value));
    let older = option.map(|first| {
        format!("`custom_histogram_buckets` exists since vLLM {first}: begin `runtime.vllm` there, or use a boundary that older releases have, too")
    });
    let error = Diagnostic::error("threshold-not-a-bucket", at.span, message);
    error.maybe_help(older).help(help)
}
