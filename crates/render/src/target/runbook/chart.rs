//! The decision tree as a Mermaid flow chart.

use super::steps;
use slosmith_plan::plan::runbook::{Lead, Page};

/// Settings with which every chart that we ship is at most 420 pixels wide: a phone shows wider ones with smaller letters.
const NARROW: &str = r#"%%{init: {"flowchart": {"wrappingWidth": 70, "nodeSpacing": 4, "rankSpacing": 24, "padding": 3}}}%%"#;

/// The chart; none for a page without a choice.
pub(super) fn flow(page: &Page) -> Option<String> {
    if page.steps.len() < 2 {
        return None;
    }
    let mut lines = vec![NARROW.to_owned(), "flowchart TD".to_owned()];
    for (i, step) in page.steps.iter().enumerate() {
        let number = i + 1;
        lines.push(format!(
            "  {}({})",
            step.id,
            label(&format!("{number}. {}", steps::title(step)))
        ));
    }
    let mut used: Vec<&str> = Vec::new();
    let mut ends = false;
    for step in &page.steps {
        let mut edge = |lead: &Lead, word: &str| {
            let to = match lead {
                Lead::Step(n) => format!("s{n}"),
                Lead::Fix(name) => fix_id(page, name),
                Lead::End => {
                    ends = true;
                    "escalate".to_owned()
                }
            };
            lines.push(match word {
                "" => format!("  {} --> {to}", step.id),
                word => format!("  {} -->|{word}| {to}", step.id),
            });
        };
        if step.yes == step.no {
            edge(&step.yes, "");
        } else {
            edge(&step.yes, "yes");
            edge(&step.no, "no");
        }
    }
    for step in &page.steps {
        if let Lead::Fix(name) = &step.yes
            && !used.contains(&name.as_str())
        {
            used.push(name);
            let fix = page.fixes.iter().find(|fix| fix.name == *name);
            let title = fix.map_or(name, |fix| &fix.title);
            lines.push(format!("  {}[{}]", fix_id(page, name), label(title)));
        }
    }
    if ends {
        let end = match page.escalation {
            Some(_) => "Escalate",
            None => "End of this runbook",
        };
        lines.push(format!("  escalate([{}])", label(end)));
    }
    Some(lines.join("\n"))
}

/// Two names that differ by a sign that Mermaid does not know must not meet.
fn fix_id(page: &Page, name: &str) -> String {
    let place = page.fixes.iter().position(|fix| fix.name == *name);
    format!("fix{}", place.map_or(0, |place| place + 1))
}

/// A label in quotes; Mermaid writes signs that end one by their names.
fn label(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '`' => {}
            '"' => plain.push_str("#quot;"),
            '#' => plain.push_str("#35;"),
            '<' => plain.push_str("#lt;"),
            '>' => plain.push_str("#gt;"),
            '\\' => plain.push_str("#92;"),
            c if c.is_whitespace() => plain.push(' '),
            c => plain.push(c),
        }
    }
    format!("\"{plain}\"")
}
