//! Descriptions of alarms, for the on-call engineer.
//!
//! The summary `TTFT is {{ $value }}` becomes `TTFT is …`, followed by the condition, the action and the runbook.

use crate::plan::Links;
use crate::plan::cloudwatch::{Grade, Note, Reference, Verdict};
use crate::plan::words::{capital, without_templates};
use slosmith_cloudwatch::limits;

/// Summary, condition, action and runbook. CloudWatch fills in no values: an ellipsis replaces each template.
pub fn description(
    summary: &str,
    condition: Option<&str>,
    action: Option<&str>,
    links: &Links,
) -> String {
    let mut text = without_templates(summary);
    if let Some(condition) = condition {
        text.push_str(&format!("\n{condition}"));
    }
    let action = action.map(|action| format!("Do first: {action}"));
    let tail = action.iter().chain([&links.runbook]);
    let tail: Vec<_> = tail.filter(|line| !line.is_empty()).cloned().collect();
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

/// The same with the differences from the alert of `reference`, as far as there is room.
pub(super) fn with_notes(description: &str, notes: &[Note], reference: Reference) -> String {
    let notes = Verdict::There(notes.to_vec()).notes(reference);
    let earlier = format!("earlier, or when {}", reference.at_rest());
    let mut whole = description.to_owned();
    for (grade, effect) in [
        (Grade::Weaker, "later, or not at all"),
        (Grade::Stronger, &*earlier),
    ] {
        let reasons = notes.iter().filter(|(of, _)| *of == grade);
        let mut line = format!(
            "\nDiffers from {}: this alarm may fire {effect}.",
            reference.as_str()
        );
        for (_, reason) in reasons {
            let more = format!("{line} {}.", capital(&reason.replace('`', "")));
            if whole.chars().count() + more.chars().count() <= limits::DESCRIPTION {
                line = more;
            }
        }
        // Without room for a single reason, the effect alone would only raise questions.
        if line.ends_with(&format!("{effect}.")) {
            continue;
        }
        whole.push_str(&line);
    }
    whole
}
