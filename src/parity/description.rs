//! What an alarm says to the people it notifies.
//!
//! Of `TTFT is {{ $value }}`, an action and a link there remain `TTFT is …` and both below it.

use crate::cloudwatch::limits;
use crate::plan::Links;

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
