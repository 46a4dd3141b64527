//! The level of each rule in a run.

use std::collections::BTreeMap;

use slosmith_spec::config::{Config, Level};
use slosmith_text::diag::{Diagnostic, RuleInfo};

/// The levels that differ from those that the rules declare.
#[derive(Debug)]
pub(super) struct Levels(BTreeMap<&'static str, Level>);

impl Levels {
    pub(super) fn new(config: &Config, known: &[RuleInfo]) -> Self {
        let level = |rule: &RuleInfo| match config.choice.asks(rule) {
            true => config.level(rule.name),
            false => Some(Level::Off),
        };
        let levels = known
            .iter()
            .filter_map(|rule| Some((rule.name, level(rule)?)));
        Self(levels.collect())
    }

    pub(super) fn is_off(&self, rule: &str) -> bool {
        self.0.get(rule) == Some(&Level::Off)
    }

    /// Sets the level of every finding, and removes findings of rules that are off. Findings without a rule are unchanged.
    pub(super) fn apply(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let apply = |mut d: Diagnostic| {
            if let Some(level) = self.0.get(d.code) {
                d.severity = level.severity()?;
            }
            Some(d)
        };
        found.into_iter().filter_map(apply).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::infos;
    use slosmith_text::diag::Severity;
    use slosmith_text::source::{SourceFile, Sources, Span};

    #[test]
    fn levels_are_given_and_taken() {
        let text = "[levels]\nremoved-metric = \"off\"\nunknown-metric = \"warning\"\n\
                    panel-without-unit = \"info\"\n";
        let mut sources = Sources::default();
        let file = sources.add(SourceFile::new("/w/slosmith.toml", text));
        let config = Config::read(file, &sources).expect("a configuration");
        let levels = Levels::new(&config, &infos());
        assert!(levels.is_off("removed-metric") && levels.is_off("schema-invalid"));
        assert!(!levels.is_off("unknown-metric"));
        let codes = [
            "unknown-metric",
            "removed-metric",
            "panel-without-unit",
            "schema-invalid",
            "no-rule",
        ];
        let found = codes.map(|code| Diagnostic::error(code, Span::default(), "no"));
        let levelled = levels.apply(found.to_vec());
        let shown: Vec<_> = levelled.iter().map(|d| (d.code, d.severity)).collect();
        let wanted = [
            ("unknown-metric", Severity::Warning),
            ("panel-without-unit", Severity::Info),
            ("no-rule", Severity::Error),
        ];
        assert_eq!(shown, wanted);
    }
}
