//! How bad the findings of each rule are in a run.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::diag::{Diagnostic, RuleInfo, Severity};

/// What a run makes of each rule.
#[derive(Debug)]
pub(super) struct Levels(BTreeMap<&'static str, Asked>);

/// Whether a rule is asked, and how bad its findings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Its findings are not shown.
    Not,
    /// They are as bad as the rule says.
    AsDeclared,
    /// They are as bad as somebody says.
    At(Severity),
}

impl Levels {
    /// What a configuration makes of the rules.
    pub(super) fn new(config: &Config, known: &[RuleInfo]) -> Self {
        let asked = |rule: &RuleInfo| {
            if !config.choice.asks(rule) {
                return Asked::Not;
            }
            let given = config.level(rule.name);
            given.map_or(Asked::AsDeclared, |level| {
                level.severity().map_or(Asked::Not, Asked::At)
            })
        };
        Self(known.iter().map(|rule| (rule.name, asked(rule))).collect())
    }

    /// True when the findings of a rule are not shown.
    pub(super) fn is_off(&self, rule: &str) -> bool {
        self.0.get(rule) == Some(&Asked::Not)
    }

    /// Gives every finding its level, and drops those of rules that are off. What no rule found stays as it is.
    pub(super) fn judge(&self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let judge = |mut d: Diagnostic| {
            match self.0.get(d.code) {
                Some(Asked::Not) => return None,
                Some(Asked::At(severity)) => d.severity = *severity,
                Some(Asked::AsDeclared) | None => {}
            }
            Some(d)
        };
        found.into_iter().filter_map(judge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rules::infos;
    use crate::source::{SourceFile, Sources, Span};

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
        let judged = levels.judge(found.to_vec());
        let told: Vec<_> = judged.iter().map(|d| (d.code, d.severity)).collect();
        let wanted = [
            ("unknown-metric", Severity::Warning),
            ("panel-without-unit", Severity::Info),
            ("no-rule", Severity::Error),
        ];
        assert_eq!(told, wanted);
    }
}
