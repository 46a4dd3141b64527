//! An open document.

use std::path::PathBuf;

use lsp_types::{
    CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Uri,
};

use super::position::{Encoding, Lines};
use slosmith_lint::artifact::Kind;
use slosmith_lint::lint::rules;
use slosmith_text::diag::{Diagnostic, RuleInfo, Severity, codes};
use slosmith_text::source::{FileId, Sources};

pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) path: PathBuf,
    pub(super) version: i32,
    pub(super) text: String,
    pub(super) changed: bool,
    pub(super) kind: Kind,
    pub(super) file: FileId,
    pub(super) sources: Sources,
    pub(super) found: Vec<Diagnostic>,
}

impl Document {
    pub(super) fn new(uri: Uri, path: PathBuf) -> Self {
        Self {
            uri,
            path,
            version: 0,
            text: String::new(),
            changed: true,
            kind: Kind::Unknown,
            file: FileId(0),
            sources: Sources::default(),
            found: Vec::new(),
        }
    }

    pub(super) fn lines(&self, encoding: Encoding) -> Lines<'_> {
        Lines::new(&self.text, encoding)
    }

    pub(super) fn diagnostics(&self, encoding: Encoding) -> Vec<lsp_types::Diagnostic> {
        let lines = self.lines(encoding);
        self.found
            .iter()
            .map(|found| self.diagnostic(found, &lines))
            .collect()
    }

    pub(super) fn diagnostic(
        &self,
        found: &Diagnostic,
        lines: &Lines<'_>,
    ) -> lsp_types::Diagnostic {
        let severity = match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        };
        let help = found.help.iter().map(|help| format!("help: {help}"));
        let notes = found
            .details
            .notes
            .iter()
            .map(|note| format!("note: {note}"));
        let message: Vec<_> = std::iter::once(found.message.clone())
            .chain(notes)
            .chain(help)
            .collect();
        let here = found
            .related
            .iter()
            .filter(|label| label.span.file == self.file);
        let related: Vec<_> = here
            .map(|label| DiagnosticRelatedInformation {
                location: Location::new(self.uri.clone(), lines.range(label.span.range())),
                message: label.text.clone(),
            })
            .collect();
        lsp_types::Diagnostic {
            range: lines.range(found.span.range()),
            severity: Some(severity),
            code: Some(NumberOrString::String(found.code.to_owned())),
            code_description: entry(found.code),
            source: Some("slosmith".to_owned()),
            message: message.join("\n"),
            related_information: (!related.is_empty()).then_some(related),
            ..lsp_types::Diagnostic::default()
        }
    }
}

fn entry(code: &str) -> Option<CodeDescription> {
    let rule = rules::find(code).map(RuleInfo::url);
    let url = rule.or_else(|| codes::find(code).map(|info| info.url()))?;
    Some(CodeDescription {
        href: url.parse().ok()?,
    })
}

/// The path that an editor means by `file:///…`.
pub(super) fn path(uri: &Uri) -> Option<PathBuf> {
    url::Url::parse(uri.as_str()).ok()?.to_file_path().ok()
}
