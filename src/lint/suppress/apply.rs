//! Taking suppressed findings out, and telling which suppressions took none.

use std::collections::BTreeMap;

use super::{Suppression, Suppressions, rules};
use crate::diag::{Diagnostic, Edit, Fix, Sink};
use crate::lint::date::Date;
use crate::source::{FileId, Span, Spanned};

impl Suppressions {
    /// The findings that stay, with those about the suppressions themselves; sorted.
    ///
    /// `today` decides which suppressions are over. Rules for which `off` is true find nothing anyway, so
    /// a suppression of them is not called unused.
    pub fn apply(
        self,
        diagnostics: Vec<Diagnostic>,
        today: Date,
        off: &dyn Fn(&str) -> bool,
    ) -> Vec<Diagnostic> {
        let mut kept = Sink::default();
        self.faults.into_iter().for_each(|fault| kept.push(fault));
        let (over, held): (Vec<_>, Vec<_>) = self.all.into_iter().partition(|s| s.is_over(today));
        let mut held = by_file(held);
        for d in diagnostics {
            let here = held.get_mut(&d.span.file).into_iter().flatten();
            // All that cover it are asked, so that none of them is called unused.
            let taken = here.map(|h| h.takes(&d)).fold(false, |a, b| a | b);
            if !taken {
                kept.push(d);
            }
        }
        over.iter()
            .filter_map(Suppression::expired)
            .for_each(|d| kept.push(d));
        held.values()
            .flatten()
            .filter_map(|h| h.unused(off))
            .for_each(|d| kept.push(d));
        kept.into_sorted()
    }
}

fn by_file(held: Vec<Suppression>) -> BTreeMap<FileId, Vec<Held>> {
    let mut files: BTreeMap<FileId, Vec<Held>> = BTreeMap::new();
    for suppression in held {
        let file = files.entry(suppression.covers.file).or_default();
        file.push(Held::new(suppression));
    }
    files
}

impl Suppression {
    /// The day named is the last one on which it holds.
    fn is_over(&self, today: Date) -> bool {
        self.until.as_ref().is_some_and(|until| until.value < today)
    }

    fn covers(&self, span: Span) -> bool {
        let covered = self.covers;
        let holds = |at: u32| covered.start <= at && at <= covered.end;
        let last = span.end.saturating_sub(1).max(span.start);
        covered.file == span.file
            && covered.start < covered.end
            && (holds(span.start) || holds(last))
    }

    fn expired(&self) -> Option<Diagnostic> {
        let until = self.until.as_ref()?;
        let message = format!("this suppression was over after {until}");
        Some(rules::expired(until.span, message).related(self.span, "the suppression"))
    }
}

/// A suppression that holds, and which of its rules were needed.
struct Held {
    suppression: Suppression,
    used: Vec<bool>,
}

impl Held {
    fn new(suppression: Suppression) -> Self {
        let used = vec![false; suppression.rules.len()];
        Self { suppression, used }
    }

    fn takes(&mut self, d: &Diagnostic) -> bool {
        let mut taken = false;
        if !self.suppression.covers(d.span) {
            return taken;
        }
        for (rule, used) in self.suppression.rules.iter().zip(&mut self.used) {
            if rule.value == d.code {
                *used = true;
                taken = true;
            }
        }
        taken
    }

    /// The finding about rules that nothing needed, if there are any.
    fn unused(&self, off: &dyn Fn(&str) -> bool) -> Option<Diagnostic> {
        let rules = self.suppression.rules.iter().zip(&self.used);
        let (needed, idle): (Vec<_>, Vec<_>) =
            rules.partition(|(rule, used)| **used || off(&rule.value));
        let (first, _) = idle.first()?;
        let names: Vec<_> = idle.iter().map(|(rule, _)| format!("`{rule}`")).collect();
        let names = names.join(", ");
        let whole = needed.is_empty();
        let span = if whole {
            self.suppression.span
        } else {
            first.span
        };
        let message = format!("nothing here needs {names} to be allowed");
        let needed: Vec<_> = needed.into_iter().map(|(rule, _)| rule).collect();
        let found = rules::unused(span, message);
        Some(match self.removal(&needed, &names) {
            Some(fix) => found.fix(fix),
            None => found.help(format!("remove {names} from the description")),
        })
    }

    /// The edit is offered, not made: another release or profile may need the suppression.
    fn removal(&self, needed: &[&Spanned<String>], idle: &str) -> Option<Fix> {
        let removal = self.suppression.removal?;
        if needed.is_empty() {
            let edit = Edit::delete(removal.whole);
            return Some(Fix::needs_review("remove the suppression", vec![edit]));
        }
        let left: Vec<_> = needed.iter().map(|rule| rule.value.as_str()).collect();
        let edit = Edit::replace(removal.list, left.join(", "));
        Some(Fix::needs_review(
            format!("remove {idle} from the suppression"),
            vec![edit],
        ))
    }
}
