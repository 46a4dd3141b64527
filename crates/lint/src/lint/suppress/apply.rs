//! Removing suppressed findings, and reporting suppressions that match none.

use std::collections::BTreeMap;

use super::{Suppression, Suppressions, rules};
use crate::lint::date::Date;
use slosmith_text::diag::{Diagnostic, Edit, Fix, Sink};
use slosmith_text::source::{FileId, Span, Spanned};

impl Suppressions {
    /// The remaining findings, and the findings about the suppressions themselves, sorted.
    ///
    /// `today` decides whether suppressions have expired. Rules for which `off` is true find nothing, so their
    /// suppressions are not reported as unused.
    pub fn apply(
        self,
        diagnostics: Vec<Diagnostic>,
        today: Date,
        off: &dyn Fn(&str) -> bool,
    ) -> Vec<Diagnostic> {
        let (over, held): (Vec<_>, Vec<_>) = self.all.into_iter().partition(|s| s.is_over(today));
        let (covered, found) = (Covered::by(&held), Found::of(&diagnostics));
        let mut kept = Sink::default();
        self.faults.into_iter().for_each(|fault| kept.push(fault));
        let left = diagnostics.into_iter().filter(|d| !covered.has(d));
        left.for_each(|d| kept.push(d));
        let over = over.iter().filter_map(Suppression::expired);
        let idle = held.iter().filter_map(|s| s.unused(&found, off));
        over.chain(idle).for_each(|d| kept.push(d));
        kept.into_sorted()
    }

    pub(in crate::lint) fn without(self, found: Vec<Diagnostic>, today: Date) -> Vec<Diagnostic> {
        let held: Vec<_> = self.all.into_iter().filter(|s| !s.is_over(today)).collect();
        let covered = Covered::by(&held);
        found.into_iter().filter(|d| !covered.has(d)).collect()
    }
}

type Of<'s> = (&'s str, FileId);

/// First and last byte of a finding: either may be covered.
fn ends(d: &Diagnostic) -> [u32; 2] {
    [d.span.start, d.span.end.saturating_sub(1).max(d.span.start)]
}

/// The covered ranges from first to last byte, sorted, and without overlaps.
struct Covered<'s>(BTreeMap<Of<'s>, Vec<(u32, u32)>>);

impl<'s> Covered<'s> {
    fn by(held: &'s [Suppression]) -> Self {
        let mut all = BTreeMap::<Of<'s>, Vec<_>>::new();
        for s in held.iter().filter(|s| s.covers.start < s.covers.end) {
            for rule in &s.rules {
                let of = all.entry((rule.value.as_str(), s.covers.file));
                of.or_default().push((s.covers.start, s.covers.end));
            }
        }
        for stretches in all.values_mut() {
            stretches.sort_unstable();
            stretches.dedup_by(|next, before| {
                let joined = next.0 <= before.1;
                before.1 = if joined {
                    before.1.max(next.1)
                } else {
                    before.1
                };
                joined
            });
        }
        Self(all)
    }

    fn has(&self, d: &Diagnostic) -> bool {
        let stretches = self.0.get(&(d.code, d.span.file));
        let stretches = stretches.map_or(&[][..], Vec::as_slice);
        ends(d).into_iter().any(|at| {
            let before = stretches.partition_point(|(start, _)| *start <= at);
            before > 0 && at <= stretches[before - 1].1
        })
    }
}

/// The positions of findings, sorted.
struct Found(BTreeMap<Of<'static>, Vec<u32>>);

impl Found {
    fn of(diagnostics: &[Diagnostic]) -> Self {
        let mut all = BTreeMap::<Of<'static>, Vec<u32>>::new();
        for d in diagnostics {
            all.entry((d.code, d.span.file))
                .or_default()
                .extend(ends(d));
        }
        all.values_mut().for_each(|places| places.sort_unstable());
        Self(all)
    }

    /// True when a finding of `rule` is in what is covered.
    fn has(&self, rule: &str, covers: Span) -> bool {
        let places = self.0.get(&(rule, covers.file));
        let places = places.map_or(&[][..], Vec::as_slice);
        let next = places.partition_point(|at| *at < covers.start);
        covers.start < covers.end && places.get(next).is_some_and(|at| *at <= covers.end)
    }
}

impl Suppression {
    /// The finding if the suppression has expired; it is still valid on its last day.
    fn is_over(&self, today: Date) -> bool {
        self.until.as_ref().is_some_and(|until| until.value < today)
    }

    fn expired(&self) -> Option<Diagnostic> {
        let until = self.until.as_ref()?;
        let message = format!("this suppression expired after {until}");
        Some(rules::expired(until.span, message).related(self.span, "the suppression"))
    }

    /// The finding about rules that match no finding, if any.
    fn unused(&self, found: &Found, off: &dyn Fn(&str) -> bool) -> Option<Diagnostic> {
        let used =
            |rule: &&Spanned<String>| found.has(&rule.value, self.covers) || off(&rule.value);
        let (needed, idle): (Vec<_>, Vec<_>) = self.rules.iter().partition(used);
        let first = idle.first()?;
        let names: Vec<_> = idle.iter().map(|rule| format!("`{rule}`")).collect();
        let names = names.join(", ");
        let span = match needed.is_empty() {
            true => self.span,
            false => first.span,
        };
        let message = format!("the suppression of {names} matches no finding");
        let found = rules::unused(span, message);
        Some(match self.removal(&needed, &names) {
            Some(fix) => found.fix(fix),
            None => found.help(format!("remove {names} from the description")),
        })
    }

    /// The fix is unsafe: another release or profile may need the suppression.
    fn removal(&self, needed: &[&Spanned<String>], idle: &str) -> Option<Fix> {
        let removal = self.removal?;
        if needed.is_empty() {
            let edit = Edit::delete(removal.whole);
            return Some(Fix::unsafe_edits("remove the suppression", vec![edit]));
        }
        let left: Vec<_> = needed.iter().map(|rule| rule.value.as_str()).collect();
        let edit = Edit::replace(removal.list, left.join(", "));
        Some(Fix::unsafe_edits(
            format!("remove {idle} from the suppression"),
            vec![edit],
        ))
    }
}
