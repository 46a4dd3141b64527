//! The format for terminals: the lines in question with the bytes underlined.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::place::{clamp, floor};
use crate::diag::{Diagnostic, Severity};
use crate::source::{SourceFile, Sources, Span};

/// A line longer than this is shown in part.
const LONG_LINE: usize = 240;

/// Renders all findings, with colours when `styled`.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, styled: bool) -> String {
    let renderer = if styled {
        Renderer::styled().decor_style(DecorStyle::Unicode)
    } else {
        Renderer::plain()
    };
    let mut out = String::new();
    for d in diagnostics {
        out.push_str(&renderer.render(&[group(d, sources)]));
        out.push_str("\n\n");
    }
    out
}

fn group<'a>(d: &'a Diagnostic, sources: &'a Sources) -> Group<'a> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let mut group = level
        .primary_title(d.message.as_str())
        .id(d.code)
        .element(snippet(d, sources));
    for label in d.related.iter().filter(|l| l.span.file != d.span.file) {
        let (view, span) = View::of(sources.get(label.span.file), label.span);
        group = group.element(
            view.snippet()
                .annotation(AnnotationKind::Context.span(span).label(&label.text)),
        );
    }
    for help in &d.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

fn snippet<'a>(
    d: &'a Diagnostic,
    sources: &'a Sources,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.get(d.span.file);
    let (view, span) = View::of(file, d.span);
    let label = (!d.details.label.is_empty()).then_some(&*d.details.label);
    let mut snippet = view
        .snippet()
        .annotation(AnnotationKind::Primary.span(span).label(label));
    if view.whole {
        for l in d.related.iter().filter(|l| l.span.file == d.span.file) {
            let context = AnnotationKind::Context.span(clamp(file, l.span));
            snippet = snippet.annotation(context.label(l.text.as_str()));
        }
    }
    snippet
}

/// The part of a file that is shown: all of it, or a piece of one very long line.
struct View<'a> {
    path: String,
    text: &'a str,
    line: usize,
    whole: bool,
}

impl<'a> View<'a> {
    fn of(file: &'a SourceFile, span: Span) -> (Self, std::ops::Range<usize>) {
        let range = clamp(file, span);
        let text = file.text();
        let line_start = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[range.start..]
            .find('\n')
            .map_or(text.len(), |i| i + range.start);
        let path = file.path().display().to_string();
        if line_end - line_start <= LONG_LINE {
            let view = View {
                path,
                text,
                line: 1,
                whole: true,
            };
            return (view, range);
        }
        let from = floor(
            text,
            range.start.saturating_sub(LONG_LINE / 3).max(line_start),
        );
        let to = floor(text, (from + LONG_LINE).min(line_end));
        let shown = range.start - from..range.end.clamp(range.start, to) - from;
        let view = View {
            path,
            text: &text[from..to],
            line: file.line_col(range.start).line,
            whole: false,
        };
        (view, shown)
    }

    fn snippet<T: Clone>(&self) -> Snippet<'a, T> {
        Snippet::source(self.text)
            .path(self.path.clone())
            .line_start(self.line)
    }
}
