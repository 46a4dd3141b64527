//! The format for terminals: the lines in question with the bytes underlined. What a file has more than once is shown
//! once, with its other places.

mod view;

use std::collections::BTreeMap;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use super::{Report, fix_title};
use crate::diag::{Diagnostic, Fix, Label, Severity, one_line, wrapped};
use crate::source::{Sources, Span};
use view::View;

/// Fixes with more edits, or longer ones, are only named.
const SHORT_FIX: (usize, usize) = (4, 200);

pub fn render(diagnostics: &[Diagnostic], sources: &Sources, styled: bool) -> String {
    report(&Report::new(diagnostics, sources, &[]).styled(styled))
}

pub fn report(report: &Report<'_>) -> String {
    let renderer = if report.styled {
        Renderer::styled().decor_style(DecorStyle::Unicode)
    } else {
        Renderer::plain()
    };
    let renderer = match report.width {
        Some(width) => renderer.term_width(width),
        None => renderer,
    };
    let mut out = String::new();
    for (d, others) in folded(report.diagnostics) {
        let mut headings = Vec::new();
        let again = places(&others, report);
        let mut groups = vec![finding(d, again.as_deref(), report, &mut headings)];
        match d.details.fix.as_ref().map(|fix| (fix, patch(fix, report))) {
            Some((_, Some(patch))) => groups.push(patch),
            Some((fix, None)) => {
                let words = Level::HELP.message(lines_of(&fix_title(fix), BESIDE, report));
                groups = groups
                    .into_iter()
                    .map(|g| g.element(words.clone()))
                    .collect();
            }
            None => {}
        }
        out.push_str(&with_headings(renderer.render(&groups), &headings));
        out.push_str("\n\n");
    }
    out
}

/// Corrects the columns of pieces of lines; the title above the first heading is left alone.
fn with_headings(text: String, headings: &Headings) -> String {
    let mut text = text;
    let mut from = text.find('\n').unwrap_or_default();
    for (wrong, right) in headings {
        if let Some(at) = text[from..].find(wrong.as_str()) {
            let range = from + at..from + at + wrong.len();
            from = range.start;
            text.replace_range(range, right);
        }
    }
    text
}

type Headings = Vec<(String, String)>;

fn finding<'a>(
    d: &'a Diagnostic,
    again: Option<&str>,
    report: &Report<'a>,
    headings: &mut Headings,
) -> Group<'a> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let beside = "warning[]: ".len() + d.code.len();
    let title = level
        .primary_title(lines_of(&d.message, beside, report))
        .id(d.code);
    let (view, snippet, elsewhere) = lines(d, report);
    headings.extend(view.heading(d.span));
    let mut group = title.element(snippet);
    for label in elsewhere {
        let view = View::of(report, label.span, &[]);
        let context = AnnotationKind::Context.span(view.local(label.span));
        headings.extend(view.heading(label.span));
        group = group.element(view.snippet().annotation(context.label(clean(&label.text))));
    }
    for note in &d.details.notes {
        group = group.element(Level::NOTE.message(lines_of(note, BESIDE, report)));
    }
    for help in &d.help {
        group = group.element(Level::HELP.message(lines_of(help, BESIDE, report)));
    }
    match again {
        Some(again) => group.element(Level::NOTE.message(again.to_owned())),
        None => group,
    }
}

type Annotated<'a> = Snippet<'a, annotate_snippets::Annotation<'a>>;

fn lines<'a>(d: &'a Diagnostic, report: &Report<'a>) -> (View<'a>, Annotated<'a>, Vec<&'a Label>) {
    let here = |l: &&Label| l.span.file == d.span.file;
    let others: Vec<_> = d.related.iter().filter(here).map(|l| l.span).collect();
    let view = View::of(report, d.span, &others);
    let label = (!d.details.label.is_empty()).then_some(&*d.details.label);
    let primary = AnnotationKind::Primary.span(view.local(d.span));
    let mut snippet = view.snippet().annotation(primary.label(label.map(clean)));
    let mut elsewhere = Vec::new();
    for l in &d.related {
        if here(&l) && view.shows(l.span) {
            let context = AnnotationKind::Context.span(view.local(l.span));
            snippet = snippet.annotation(context.label(clean(&l.text)));
        } else {
            elsewhere.push(l);
        }
    }
    (view, snippet, elsewhere)
}

/// The fixed lines, when there are few; `None` when the title of the fix says more.
fn patch<'a>(fix: &'a Fix, report: &Report<'a>) -> Option<Group<'a>> {
    let (first, (most, longest)) = (fix.edits.first()?, SHORT_FIX);
    let (first, file) = (first.span, first.span.file);
    let length = |span: Span| span.range().len();
    let short = |e: &crate::diag::Edit| {
        e.span.file == file && e.text.len() <= longest && length(e.span) <= longest
    };
    if fix.edits.len() > most || !fix.edits.iter().all(short) {
        return None;
    }
    let spans: Vec<_> = fix.edits.iter().map(|e| e.span).collect();
    let view = View::of(report, first, &spans);
    let fits = |e: &crate::diag::Edit| view.shows(e.span) && view.is_whole(e.span);
    if !fix.edits.iter().all(fits) {
        return None;
    }
    let patches = fix.edits.iter();
    let patches = patches.map(|e| Patch::new(view.local(e.span), e.text.as_str()));
    let title = Level::HELP.secondary_title(lines_of(&fix_title(fix), BESIDE, report));
    Some(title.element(view.snippet().patches(patches)))
}

/// Columns in front of a note or a help: the numbers of lines, a rule and a word.
const BESIDE: usize = 16;

/// A message over as many lines as the terminal needs beside what is in front of it.
fn lines_of(text: &str, beside: usize, report: &Report<'_>) -> String {
    let text = clean(text);
    match report.width {
        Some(width) => wrapped(&text, width.saturating_sub(beside).max(30)).join("\n"),
        None => text,
    }
}

/// Text that may quote a file must neither steer the terminal nor forge a line of ours.
fn clean(text: &str) -> String {
    one_line(text).into_owned()
}

/// Places that are named; more are counted.
const NAMED: usize = 5;

/// Each finding with those of the same file that say the same, at the place of the first.
fn folded(all: &[Diagnostic]) -> Vec<(&Diagnostic, Vec<&Diagnostic>)> {
    let mut folded: Vec<(&Diagnostic, Vec<&Diagnostic>)> = Vec::new();
    let mut seen = BTreeMap::new();
    for d in all {
        let same = (
            d.span.file,
            d.code,
            d.severity,
            &d.message,
            &d.help,
            &d.details.notes,
        );
        let index = *seen.entry(same).or_insert(folded.len());
        match folded.get_mut(index) {
            Some((_, others)) => others.push(d),
            None => folded.push((d, Vec::new())),
        }
    }
    folded
}

/// `also at 12:5, 20:5 and 30 more places`
fn places(others: &[&Diagnostic], report: &Report<'_>) -> Option<String> {
    let place = |d: &&Diagnostic| {
        let file = report.sources.get(d.span.file);
        let at = file.line_col(d.span.start as usize);
        format!("{}:{}", at.line, at.col)
    };
    let (named, more) = others.split_at(others.len().min(NAMED));
    let mut named: Vec<_> = named.iter().map(place).collect();
    let last = match more.len() {
        0 => named.pop()?,
        1 => "1 more place".to_owned(),
        n => format!("{n} more places"),
    };
    Some(match named.is_empty() {
        true => format!("also at {last}"),
        false => format!("also at {} and {last}", named.join(", ")),
    })
}
