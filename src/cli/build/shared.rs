//! Findings in files that specs extend, with the specs that have them.

use std::collections::BTreeSet;

use slosmith_text::diag::{Diagnostic, Severity, Sink, count};
use slosmith_text::source::{FileId, Sources};

/// Number of specs that a finding names.
const NAMED: usize = 2;

#[derive(Default)]
pub(super) struct Shared(Vec<(Diagnostic, BTreeSet<FileId>)>);

impl Shared {
    pub(super) fn add(&mut self, finding: Diagnostic, spec: FileId) {
        match self.0.iter_mut().find(|(known, _)| *known == finding) {
            Some((_, specs)) => drop(specs.insert(spec)),
            None => self.0.push((finding, BTreeSet::from([spec]))),
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        let mut severities = self.0.iter().map(|(finding, _)| finding.severity);
        severities.any(|severity| severity == Severity::Error)
    }

    /// Moves all to the other findings. The text of an extended file does not show which spec makes it wrong.
    pub(super) fn tell(self, findings: &mut Sink, sources: &Sources) {
        for (finding, specs) in self.0 {
            let path = |spec: &FileId| sources.get(*spec).path().display().to_string();
            let named: Vec<_> = specs.iter().take(NAMED).map(path).collect();
            let more = match specs.len() - named.len() {
                0 => String::new(),
                more => format!(" and {}", count(more, "more spec")),
            };
            findings.push(finding.help(format!("found for {}{more}", named.join(", "))));
        }
    }
}
