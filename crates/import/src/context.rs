//! Findings of an import: each is a diagnostic and a comment in the written spec.

use super::Options;
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::{FileId, Sources, Span};

/// A value of the source that the spec does not have.
const LOST: &str = "not-carried-over";
/// A value of the source that the spec has in another form.
const CHANGED: &str = "changed";

/// What the readers of all formats work with.
pub(super) struct Cx<'s> {
    sources: &'s Sources,
    pub(super) options: &'s Options,
    pub(super) sink: Sink,
    said: Vec<String>,
}

impl<'s> Cx<'s> {
    pub(super) fn new(sources: &'s Sources, options: &'s Options) -> Self {
        Self {
            sources,
            options,
            sink: Sink::default(),
            said: Vec::new(),
        }
    }

    pub(super) fn text_of(&self, file: FileId) -> &'s str {
        self.sources.get(file).text()
    }

    pub(super) fn lost(&mut self, at: Span, what: impl Into<String>, help: &str) -> String {
        let what = what.into();
        let comment = format!("not carried over ({}): {what}", self.place(at));
        let help = (!help.is_empty()).then(|| help.to_owned());
        let warning = Diagnostic::warning(LOST, at, what).maybe_help(help);
        self.sink.push(warning);
        self.said.push(comment.clone());
        comment
    }

    pub(super) fn changed(&mut self, at: Span, what: impl Into<String>) -> String {
        let what = what.into();
        let comment = format!("changed ({}): {what}", self.place(at));
        self.sink.push(Diagnostic::info(CHANGED, at, what));
        self.said.push(comment.clone());
        comment
    }

    pub(super) fn say_later(&mut self, said: Vec<String>) {
        self.said.extend(said);
    }

    pub(super) fn path_of(&self, file: FileId) -> &'s std::path::Path {
        self.sources.get(file).path()
    }

    pub(super) fn take_said(&mut self) -> Vec<String> {
        std::mem::take(&mut self.said)
    }

    pub(super) fn error(&mut self, code: &'static str, at: Span, message: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, at, message));
    }

    /// `slo.yml:12:7`, without the folder, which differs from machine to machine.
    fn place(&self, at: Span) -> String {
        let source = self.sources.get(at.file);
        let name = source.path().file_name().unwrap_or_default();
        let place = source.line_col(at.range().start);
        format!("{}:{}:{}", name.to_string_lossy(), place.line, place.col)
    }
}

/// The lines of comments directly above a byte of a YAML text, without their signs.
pub(super) fn comments_above(text: &str, offset: usize) -> Vec<String> {
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut lines: Vec<_> = before[..start].lines().rev().map_while(comment).collect();
    lines.reverse();
    lines
}

pub(super) fn comments_on_top(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| line.trim() == "---");
    let own = lines.map_while(comment);
    own.filter(|line| !line.starts_with("yaml-language-server:"))
        .collect()
}

fn comment(line: &str) -> Option<String> {
    let text = line.trim().strip_prefix('#')?;
    Some(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned())
}
