//! Runbooks: one Markdown page each, and an index with everything else.
//!
//! A step `{id: cache, when: {signal: hit_rate, below: 50%}, fix: revert, else: queue}` of `high-ttft` becomes a section of
//! `high-ttft.md`: the query, the threshold, a link to the fix, and a link to the step `queue`.

mod alerts;
mod chart;
mod check;
mod fence;
mod index;
mod load;
mod page;
mod query;
mod steps;

use std::borrow::Cow;

use super::{OutFile, Rendered, TargetError};
use crate::template::Templates;
use slosmith_plan::plan::Plan;
use slosmith_text::source::lines;

/// A longer URL goes to the end of its page.
const LONG: usize = 100;

pub(super) fn render(plan: &Plan, templates: &Templates) -> Result<Rendered, TargetError> {
    let mut rendered = Rendered::default();
    let runbooks = &plan.runbooks;
    let led = runbooks.pages.iter();
    let led: Vec<_> = led
        .map(|page| (page, alerts::of(plan, Some(&page.name))))
        .collect();
    let others = alerts::of(plan, None);
    let nothing = led.is_empty() && others.is_empty();
    if nothing && runbooks.load_tests.is_none() && runbooks.advice.is_empty() {
        return Ok(rendered);
    }
    for (page, alerts) in &led {
        let text = templates.render("runbook/page.md", &page::view(plan, page, alerts))?;
        rendered.files.push(OutFile {
            path: format!("{}.md", page.name),
            text: tidy(&text),
        });
    }
    let text = templates.render("runbook/index.md", &index::view(plan, &led, &others))?;
    rendered.files.push(OutFile {
        path: "README.md".to_owned(),
        text: tidy(&text),
    });
    if let Some(tests) = &runbooks.load_tests {
        rendered.files.extend(load::files(plan, tests, templates)?);
    }
    check::links(&rendered.files)?;
    Ok(rendered)
}

/// No more than one blank line in a row outside of code, none at the end of a line, one end. Lines with a long link alone
/// refer to the last lines of the page, so that a reader of the source can read it.
fn tidy(text: &str) -> String {
    let mut out: Vec<Cow<'_, str>> = Vec::new();
    let mut urls: Vec<&str> = Vec::new();
    let mut fences = fence::Fences::default();
    for line in lines(text).map(str::trim_end) {
        let code = fences.is_code(line);
        if line.is_empty() && !code && out.last().is_none_or(|last| last.is_empty()) {
            continue;
        }
        let link = long_link(line).filter(|_| !code);
        out.push(link.map_or(Cow::Borrowed(line), |(label, url)| {
            let known = urls.iter().position(|known| *known == url);
            let number = known.unwrap_or_else(|| {
                urls.push(url);
                urls.len() - 1
            });
            format!("{label}][run-{}]", number + 1).into()
        }));
    }
    let mut page = format!("{}\n", out.join("\n").trim_end());
    for (url, number) in urls.iter().zip(1..) {
        let before = if number == 1 { "\n" } else { "" };
        page.push_str(&format!("{before}[run-{number}]: {url}\n"));
    }
    page
}

/// `[label` and the URL of a line that is one long link.
fn long_link(line: &str) -> Option<(&str, &str)> {
    let (label, url) = line.strip_suffix(')')?.split_once("](")?;
    let is_url = url.starts_with("http") && !url.contains([' ', '(', ')', '<']);
    (label.starts_with('[') && !label.contains(']') && is_url && url.len() > LONG)
        .then_some((label, url))
}
