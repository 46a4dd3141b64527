//! Findings in the environments of a spec: each once, with the names of the environments where not all have it.

use slosmith_text::diag::{Diagnostic, Sink};

#[derive(Debug, Default)]
pub struct Findings {
    found: Vec<(Diagnostic, Vec<String>)>,
    environments: usize,
}

impl Findings {
    /// Adds the findings of one environment, or of a spec without environments.
    pub fn add(&mut self, environment: Option<&str>, findings: Sink) {
        self.environments += 1;
        let name = environment.unwrap_or_default();
        for finding in findings.into_sorted() {
            match self.found.iter_mut().find(|(known, _)| *known == finding) {
                Some((_, names)) => names.push(name.to_owned()),
                None => self.found.push((finding, vec![name.to_owned()])),
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All of them. The place of a finding may be right in other environments.
    pub fn told(self) -> Sink {
        let mut sink = Sink::default();
        for (finding, names) in self.found {
            let finding = match (names.len() == self.environments, &names[..]) {
                (true, _) => finding,
                (false, [one]) => finding.help(format!("only in the environment `{one}`")),
                (false, names) => {
                    let names = names.join("`, `");
                    finding.help(format!("only in the environments `{names}`"))
                }
            };
            sink.push(finding);
        }
        sink
    }
}
