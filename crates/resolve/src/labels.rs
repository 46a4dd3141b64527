//! Labels: what a signal is grouped by, what the scrape adds, which names are not allowed.
//!
//! With `group_by: [cluster, model_name]` and `by: [gpu]`, a signal without `model_name` is grouped by `cluster` and
//! `gpu`.

use super::context::Context;
use slosmith_catalog::VLLM;
use slosmith_plan::plan::{Signal, SignalKind, Source};
use slosmith_promql::kept_labels;
use slosmith_spec::library;
use slosmith_spec::naming;
use slosmith_spec::spec::{self, FamilyKind, Selection, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean};
use slosmith_text::source::Span;

/// A family that every release exposes from start-up.
pub(super) const ALWAYS_THERE: &str = "vllm:num_requests_running";

pub(super) const SCRAPE_LABELS: [&str; 2] = ["job", "instance"];

/// The labels of a gauge in PromQL, or of a ratio with one: its query sets them, and no reading can change them.
pub(super) fn own_labels(signal: &Signal) -> Option<Vec<String>> {
    match &signal.source {
        Source::Raw(raw) if raw.kind == FamilyKind::Gauge => kept_labels(&raw.expr).names(),
        Source::Ratio { of, over, .. } => own_labels(of).or_else(|| own_labels(over)),
        Source::Raw(_) | Source::Family(_) => None,
    }
}

impl Context<'_> {
    /// Labels that a signal is grouped by: labels of the service's `group_by` that it has and `by`, or the reading's own
    /// `group_by`. It must have the labels of the last two.
    pub(super) fn labels(&mut self, signal: &Signal, of: Selection<'_>) -> Vec<String> {
        let mut labels = match of.group_by {
            Some(_) => Vec::new(),
            None => self.usual_labels(signal),
        };
        let named = of.named();
        if let (Some(first), Source::Raw(raw)) = (named.first(), &signal.source)
            && raw.kind == FamilyKind::Gauge
            && kept_labels(&raw.expr).names().is_none()
        {
            let message = format!(
                "`{first}` has no effect: the query of `{}` keeps all labels of its series",
                signal.name
            );
            let warning = Diagnostic::warning("contradiction", first.span, message);
            self.sink.push(warning.help(format!(
                "aggregate in the query of the signal, as in `max by ({first}) (…)`"
            )));
        }
        for (i, label) in named.iter().enumerate() {
            if named[..i].iter().any(|before| before.value == label.value) {
                let message = format!("`{label}` appears twice");
                self.sink
                    .push(Diagnostic::error("duplicate-name", label.span, message));
                continue;
            }
            if !self.check_group_label(label) || labels.contains(&label.value) {
                continue;
            }
            if signal.labels.contains(&label.value) {
                labels.push(label.value.clone());
            } else {
                self.missing_label(signal, &label.value, label.span);
            }
        }
        // A query groups itself.
        let more: Vec<_> = own_labels(signal)
            .into_iter()
            .flatten()
            .filter(|label| !labels.contains(label))
            .collect();
        let at = of.group_by.map(|list| list.span);
        let at = at.or_else(|| named.first().map(|label| label.span));
        let is_known = named
            .iter()
            .all(|label| signal.labels.contains(&label.value));
        if let (Some(at), Some(label), true) = (at, more.first(), is_known) {
            let message = format!(
                "the query of `{}` is grouped by `{label}`, too",
                signal.name
            );
            let error = Diagnostic::error("label-mismatch", at, message);
            self.sink
                .push(error.help(format!("add `{label}` here, or remove it from the query")));
        }
        labels.extend(more);
        labels
    }

    pub(super) fn usual_labels(&self, signal: &Signal) -> Vec<String> {
        let group_by = self.spec.prometheus.group_by.iter();
        let known = group_by.filter(|label| signal.labels.contains(&label.value));
        known.map(|label| label.value.clone()).collect()
    }

    pub(super) fn slo_labels(&mut self, slo: &spec::Slo, signals: &[&Signal]) -> Vec<String> {
        let mut all = signals.iter();
        let first = all.next();
        let mut labels =
            first.map_or_else(Vec::new, |first| self.labels(first, slo.groups.selection()));
        for signal in all {
            let own = self.labels(signal, slo.groups.selection());
            labels.retain(|label| own.contains(label));
        }
        labels
    }

    pub(super) fn missing_label(&mut self, signal: &Signal, label: &str, at: Span) {
        if label == "le" && signal.kind() == SignalKind::Histogram {
            let message = format!(
                "`where` cannot filter `{}` by `le`, the bucket label",
                signal.name
            );
            let error = Diagnostic::error("reserved-label", at, message)
                .help("use a `latency` SLI (`at_most`) or a percentile instead");
            self.sink.push(error);
            return;
        }
        let message = format!("`{}` has no label `{label}`", signal.name);
        let error = Diagnostic::error("unknown-label", at, message)
            .maybe_help(did_you_mean(
                label,
                signal.labels.iter().map(String::as_str),
            ))
            .help(format!(
                "use one of its labels: `{}`",
                signal.labels.join("`, `")
            ));
        self.sink.push(error);
    }

    pub(super) fn target_labels(&self) -> Vec<String> {
        let declared = &self.spec.prometheus.scrape_labels;
        let mut labels: Vec<String> = declared.iter().map(|l| l.value.clone()).collect();
        labels.extend(SCRAPE_LABELS.map(str::to_owned));
        labels.sort();
        labels.dedup();
        labels
    }

    /// Labels that targets have: of the scrape, and those by which the servers and the jobs are selected, unless metrics have them
    /// themselves.
    pub(super) fn labels_of_targets(&self) -> Vec<String> {
        let prometheus = &self.spec.prometheus;
        let jobs = prometheus.jobs.values();
        let selected = prometheus.selector.keys();
        let selected = selected.chain(jobs.flat_map(|job| job.selector.keys()));
        let is_own = |label: &Text| {
            let mut signals = self.spec.signals.values();
            signals.any(|signal| signal.has_labels.iter().flatten().any(|own| own == label))
        };
        let of_targets =
            selected.filter(|label| !is_own(label) && !self.is_of_servers(&label.value));
        let mut labels = self.target_labels();
        labels.extend(of_targets.map(|label| label.value.clone()));
        labels.sort();
        labels.dedup();
        labels
    }

    /// True for a label that the metrics of the servers have themselves, such as `model_name`.
    pub(super) fn is_of_servers(&self, label: &str) -> bool {
        let other = self.spec.own_server().filter(|server| *server != VLLM);
        let signals = other.into_iter().flat_map(library::of_product);
        let mut labels = signals.flat_map(|(_, signal)| signal.has_labels.iter().flatten());
        if labels.any(|own| own.value == label) {
            return true;
        }
        let releases = self
            .range
            .iter()
            .flat_map(|range| &range.selection.releases);
        let mut shapes =
            releases.filter_map(|id| self.catalog.shape(ALWAYS_THERE, *id, &self.profiles));
        shapes.any(|shape| shape.labels.iter().any(|known| known == label))
    }

    /// A label of a declared counter or histogram that its targets do not have: it usually has no series before its first event, also after a
    /// restart.
    pub(super) fn late_label(&self, signal: &Signal) -> Option<String> {
        let family = signal.family()?;
        let of_target = self.labels_of_targets();
        let selected = family.matchers.iter().map(|(label, ..)| label);
        let mut labels = signal.labels.iter().chain(selected);
        let is_declared = !family.recorded && family.kind != FamilyKind::Gauge;
        let own = labels.find(|label| !of_target.contains(label));
        own.filter(|_| is_declared).cloned()
    }

    /// Reports a label that rules cannot see, or that the generated rules set.
    pub(super) fn check_group_label(&mut self, label: &Text) -> bool {
        let labels = &self.spec.prometheus;
        let name = label.value.as_str();
        let error = if name == "le" {
            let message = "you cannot group by `le`, the bucket label of histograms";
            Diagnostic::error("reserved-label", label.span, message).help("remove `le`")
        } else if name != naming::TIER && naming::RESERVED_LABELS.contains(&name) {
            reserved(label)
        } else if let Some(external) = labels.external_labels.iter().find(|l| l.value == name) {
            let message = format!(
                "you cannot group by the external label `{name}`: Prometheus adds it after rules have run"
            );
            let ruler = match &labels.ruler {
                Some(_) => format!(
                    "if the ruler reads the series of all servers, they have the label: list `{name}` in `scrape_labels` instead"
                ),
                None => "use only target labels and labels of signals".to_owned(),
            };
            Diagnostic::error("external-label", label.span, message)
                .related(external.span, "declared as an external label here")
                .help(ruler)
        } else {
            return true;
        };
        self.sink.push(error);
        false
    }

    pub(super) fn check_slo_label(&mut self, label: &Text) {
        if label.value == naming::TIER {
            let each = format!("or write one SLO for each value, with `where: {{{label}: gold}}`");
            self.sink.push(reserved(label).help(each));
        }
    }

    pub(super) fn check_label_name(&mut self, label: &Text) {
        if !is_label_name(&label.value) {
            let message = format!("`{}` is not a valid label name", label.value.escape_debug());
            let error = Diagnostic::error("bad-name", label.span, message);
            self.sink
                .push(error.help("use letters, digits and `_`, with no digit at the start"));
        }
    }
}

fn reserved(label: &Text) -> Diagnostic {
    let message = format!("`{label}` is reserved: the generated rules set this label");
    Diagnostic::error("reserved-label", label.span, message).help(
        "rename the label in the scrape job, with `relabel_configs` or `metric_relabel_configs`",
    )
}

pub fn is_label_name(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next();
    first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
