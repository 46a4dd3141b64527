//! What an alarm says to the people it notifies.
//!
//! Of `TTFT is {{ $value }}`, an action and a link there remain `TTFT is …` and both below it.

use crate::cloudwatch::limits;
use crate::plan::Links;
use crate::plan::cloudwatch::{Grade, Note, Verdict};

/// What an alarm says: CloudWatch fills in no values, so those of templates become an ellipsis.
pub fn description(summary: &str, action: Option<&str>, links: &Links) -> String {
    let mut text = String::new();
    let mut rest = summary;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        text.push('…');
        rest = after.split_once("}}").map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let tail = [action.unwrap_or_default(), &links.runbook];
    let tail: Vec<_> = tail.into_iter().filter(|line| !line.is_empty()).collect();
    let tail = tail.join("\n");
    let room = limits::DESCRIPTION.saturating_sub(tail.chars().count() + 2);
    if text.chars().count() > room {
        text = text
            .chars()
            .take(room.saturating_sub(1))
            .chain(['…'])
            .collect();
    }
    let whole = format!("{text}\n{tail}");
    whole.trim().chars().take(limits::DESCRIPTION).collect()
}

/// The same with what the alarm does otherwise than Prometheus's alert, as far as there is room.
pub(super) fn with_notes(description: &str, notes: &[Note]) -> String {
    let verdict = Verdict::There(notes.to_vec());
    let told = verdict.notes().into_iter();
    let told = told.filter(|(grade, _)| *grade > Grade::Equivalent);
    let told: Vec<_> = told
        .map(|(grade, text)| format!("{} than in Prometheus: {text}.", grade.as_str()))
        .collect();
    let mut whole = description.to_owned();
    for line in told {
        let line = line.replace('`', "");
        let first = line.chars().next().unwrap_or_default();
        let line = line.replacen(first, &first.to_uppercase().to_string(), 1);
        if whole.chars().count() + 1 + line.chars().count() <= limits::DESCRIPTION {
            whole = format!("{whole}\n{line}");
        }
    }
    whole
}
