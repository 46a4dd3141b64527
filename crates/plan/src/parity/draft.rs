//! The request for the alarms of one alert, and these alarms while they are made.
//!
//! The alert `Slow` by `adapter_id` with the known values `base` and `tuned` has two drafts: `app-slow-base` and
//! `app-slow-tuned`.

use super::delivery::Scrapes;
use crate::plan::cloudwatch::{Alarm, AlarmKind, MetricAlarm, Note, Rule};
use crate::plan::{Alert, Condition};
use slosmith_cloudwatch::limits;
use slosmith_spec::naming;
use slosmith_spec::spec::AlarmOverride;
use slosmith_text::source::{Span, Spanned};

pub struct AlarmRequest<'a> {
    pub alert: &'a Alert,
    /// The name of the alarm.
    pub alarm: String,
    /// The alert in the spec.
    pub at: Span,
    pub description: String,
    pub over: Option<&'a Spanned<AlarmOverride>>,
}

/// Values of labels: of all that are known, or the one that an alarm is about.
pub(super) type Values<T> = Vec<(String, T)>;

/// Alarms of one alert, until CloudWatch can express the whole alert.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) description: String,
    /// The label set of the alarm.
    pub(super) only: Values<String>,
    pub(super) alarms: Vec<Alarm>,
    pub(super) notes: Vec<Note>,
    pub(super) scraped: Scrapes,
    /// Numbers the parts; an alert of one part has none.
    pub(super) parts: Option<usize>,
}

impl Draft {
    /// Names and descriptions leave out labels with a single known value: all alarms share it.
    pub(super) fn new(
        request: &AlarmRequest<'_>,
        known: &[(String, Vec<String>)],
        only: Values<String>,
    ) -> Self {
        let leaf = matches!(
            request.alert.condition,
            Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_)
        );
        let several = known.iter().filter(|(_, values)| values.len() > 1);
        let several: Vec<_> = several.map(|(label, _)| label).collect();
        let named = || only.iter().filter(|(label, _)| several.contains(&label));
        let groups = named().map(|(label, value)| format!("{label} {value}: "));
        let description = groups
            .chain([request.description.clone()])
            .collect::<String>();
        let values = named().map(|(_, value)| format!("-{value}"));
        let name = [request.alarm.clone()].into_iter().chain(values).collect();
        Self {
            name,
            description: description.chars().take(limits::DESCRIPTION).collect(),
            only,
            parts: (!leaf).then_some(0),
            ..Self::default()
        }
    }

    pub(super) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds an alarm without actions; returns the rule on it.
    pub(super) fn push(&mut self, alarm: MetricAlarm) -> Rule {
        let name = match &mut self.parts {
            None => self.name.clone(),
            Some(parts) => {
                *parts += 1;
                naming::alarm_part(&self.name, *parts)
            }
        };
        let kind = AlarmKind::Metric(Box::new(alarm));
        let description = self.description.clone();
        self.alarms
            .push(Alarm::new(name.clone(), description, None, kind));
        Rule::Alarm(name)
    }
}
