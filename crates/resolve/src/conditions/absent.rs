//! Conditions on series that are missing.

use super::Resolver;
use crate::doubts::starts;
use crate::family;
use crate::slis::sides;
use slosmith_plan::plan::{Absent, Condition, Family, Query, Signal, SignalKind, Source};
use slosmith_plan::query::{self, bin};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp, Selector};
use slosmith_promql::{build, visit};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Stat};
use slosmith_text::diag::{Diagnostic, Severity};
use slosmith_text::source::Spanned;
use slosmith_text::units::Duration;

/// How long an `absent` condition without `window` remembers a label set.
const MEMORY: Duration = Duration::from_mins(60);

/// How long before the end of all series a label set must have had some, to be remembered as long as there are none.
const LATELY: Duration = Duration::from_mins(15);

const SHORTEST_MEMORY: Duration = Duration::from_mins(5);
pub(crate) const LONGEST_MEMORY: Duration = Duration::from_secs(30 * 86_400);

impl Resolver<'_, '_> {
    pub(super) fn absent(
        &mut self,
        signal: &Signal,
        c: &spec::Condition,
        absent: Spanned<bool>,
    ) -> Option<Condition> {
        if !absent.value {
            let message = "`absent: false` is not a condition";
            let error = Diagnostic::error("contradiction", absent.span, message);
            self.cx
                .sink
                .push(error.help("write `absent: true`, or a comparison such as `above: 10`"));
            return None;
        }
        let Some(found) = signal.family() else {
            let found = match signal.kind() {
                SignalKind::Ratio => "a ratio",
                _ => "raw PromQL",
            };
            let message = format!(
                "`absent` needs a signal that is a single metric; `{}` is {found}",
                signal.name
            );
            let error = Diagnostic::error("wrong-kind", absent.span, message);
            let own = match &signal.source {
                Source::Raw(raw) => visit::selectors(&raw.expr).first().copied().cloned(),
                Source::Family(_) | Source::Ratio { .. } => None,
            };
            self.cx.sink.push(error.help(match own {
                Some(series) => format!(
                    "write `{{promql: '{}'}}` as the condition, and a `summary`",
                    build::call("absent", [series])
                ),
                None => "name the signal of one of its metrics".into(),
            }));
            return None;
        };
        family::check_present_from_start(self.cx, found, absent.span)?;
        let labels = self.cx.labels(signal, c.selection());
        self.doubt_absence(signal, &labels, absent);
        let memory = match self.memory(c.window, &labels) {
            Ok(memory) => memory,
            Err(error) => {
                self.cx.sink.push(error);
                return None;
            }
        };
        let expr = self.gone(found, &labels, memory);
        Some(Condition::Absent(Box::new(Absent {
            signal: signal.clone(),
            memory,
            query: Query { expr, labels },
        })))
    }

    /// How long a label set without series is remembered. A condition outside an alert records nothing, and one without
    /// labels has nothing to remember.
    fn memory(
        &mut self,
        window: Option<Spanned<Duration>>,
        labels: &[String],
    ) -> Result<Option<Duration>, Diagnostic> {
        let useless = if self.alert.is_empty() {
            Some((
                "in a runbook step: only an alert remembers label sets",
                "remove `window`",
            ))
        } else if labels.is_empty() {
            Some((
                "on `absent` without labels: the condition holds as long as no series exists",
                "remove `window`, or group the condition by a label with `by`",
            ))
        } else {
            None
        };
        match (window, useless) {
            (None, Some(_)) => Ok(None),
            (None, None) => Ok(Some(MEMORY)),
            // The condition holds longer than the author asked for.
            (Some(window), Some((why, help))) if !self.alert.is_empty() => {
                let mut warning = self.cx.without_effect(window, why).help(help);
                warning.severity = Severity::Warning;
                self.cx.sink.push(warning);
                Ok(None)
            }
            (Some(window), Some((why, help))) => {
                Err(self.cx.without_effect(window, why).help(help))
            }
            (Some(window), None) => {
                let memory = window.value;
                let help = if memory < SHORTEST_MEMORY {
                    format!("write `window: {SHORTEST_MEMORY}` or more")
                } else if memory > LONGEST_MEMORY {
                    format!("write `window: {LONGEST_MEMORY}` or less")
                } else {
                    return Ok(Some(memory));
                };
                let message = format!(
                    "the `window` of `absent` must be between {SHORTEST_MEMORY} and {LONGEST_MEMORY}; found {memory}"
                );
                Err(Diagnostic::error("bad-window", window.span, message).help(help))
            }
        }
    }

    /// Warns of a counter with a label of its own: it has no series before the first event. Beside another condition, it is meant.
    fn doubt_absence(&mut self, signal: &Signal, labels: &[String], absent: Spanned<bool>) {
        if self.joined {
            return;
        }
        let Some(label) = self.cx.late_label(signal) else {
            return;
        };
        let message = format!(
            "`{}` has the label `{label}`, so it usually has no series until its first event, also after a restart: the alert fires then",
            signal.name
        );
        let warning = Diagnostic::warning("not-from-start", absent.span, message);
        let read = (Stat::Increase, Duration::from_mins(15));
        let form = starts::without_events(self.cx, &signal.name, labels, read, "above: 0");
        let help = match sides::is_of_failures(signal, &signal.name) {
            // Without failures, it has no series, and no events.
            true => "watch `up`, which exists from the first scrape on, as in `{signal: up, absent: true}`".to_owned(),
            false => format!(
                "keep it if the alert should fire then; to notice that nothing happens, write {form}"
            ),
        };
        self.cx.sink.push(warning.help(help));
    }

    /// Label sets that had series and lost them. While no series exists at all, those that had some until then are not forgotten: the
    /// alert keeps its labels. If none is known, as after the loss of Prometheus's data, the condition holds without labels.
    fn gone(&mut self, family: &Family, labels: &[String], memory: Option<Duration>) -> Expr {
        let none = query::silence(family);
        let Some(memory) = memory else {
            return none;
        };
        let now = query::presence(family, labels);
        let seen = self.record(Query {
            expr: now.clone(),
            labels: labels.to_vec(),
        });
        let within = |series: Selector, time: Duration| {
            let seen = build::call("present_over_time", [query::range(series, time)]);
            build::aggregate(AggregateOp::Max, labels, seen)
        };
        let no_labels: [&str; 0] = [];
        // A series of its own: sets that were lost long before are not remembered again.
        let key = naming::key(&none.to_string());
        let mut both = seen.clone();
        let parts = both.matchers.iter_mut();
        for part in parts.filter(|m| m.label.text == naming::PART) {
            part.op = MatchOp::Match;
            part.value = format!("{}|{key}", part.value.value).as_str().into();
        }
        let lately = within(both, LATELY.min(memory));
        let lately = build::binary(BinaryOp::And, lately, none.clone()).on(&no_labels);
        let kept = self.record_part(
            key,
            Query {
                expr: lately.into(),
                labels: labels.to_vec(),
            },
        );
        let kept = build::aggregate(AggregateOp::Max, labels, kept);
        let remembered = within(seen, memory);
        let gone = bin(BinaryOp::Unless, remembered, now);
        let gone = bin(BinaryOp::Or, gone, kept);
        build::binary(BinaryOp::Or, gone, none)
            .on(&no_labels)
            .into()
    }
}
