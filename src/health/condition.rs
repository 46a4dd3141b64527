//! Conditions on pages.
//!
//! `queue_depth above 80` on a page with 93 waiting requests holds, and the page's line says: `Waiting requests is
//! 93, above 80`.

use indexmap::IndexSet;

use super::index::{Group, Indexed, named};
use super::value::{self, Measurement};
use super::{Unknown, Verdict};
use crate::plan::{Absent, Bound, Compare, Condition, words};
use crate::units::{float, shown_measured};

/// What a condition says for one group.
enum Found {
    Yes,
    No,
    Unknown(Unknown),
}

/// Signals that a condition takes together.
pub(super) fn parts(condition: &Condition) -> usize {
    match condition {
        Condition::All(parts, _) => parts.iter().map(self::parts).sum(),
        Condition::Any(parts, _) => parts.iter().map(self::parts).max().unwrap_or(0),
        Condition::Unless(parts, _) => self::parts(&parts[0]),
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => 1,
    }
}

/// Judges a condition for every group; what was measured comes beside it.
pub(super) fn judge(condition: &Condition, pages: &Indexed<'_>) -> (Verdict, Vec<String>) {
    let groups = groups(condition, pages);
    let (mut holds, mut why, mut measured) = (Vec::new(), None, Measured::new());
    for group in &groups {
        match one(condition, pages, group, &mut measured) {
            Found::Yes => holds.push(named(group)),
            Found::No => {}
            Found::Unknown(reason) => why = Some(reason),
        }
    }
    let verdict = match (holds.is_empty(), why) {
        (false, _) => Verdict::Holds(holds),
        (true, Some(why)) => Verdict::Unknown(why),
        (true, None) => Verdict::Clear,
    };
    (verdict, measured.into_iter().collect())
}

/// Lines, each once, in the order of the groups.
type Measured = IndexSet<String>;

/// Groups of the leading part; at least the whole server.
fn groups(condition: &Condition, pages: &Indexed<'_>) -> Vec<Group> {
    match condition.leading() {
        Condition::Compare(c) => value::groups_or_whole(&c.signal, &c.query.labels, pages),
        _ => vec![Vec::new()],
    }
}

fn one(
    condition: &Condition,
    pages: &Indexed<'_>,
    group: &Group,
    measured: &mut Measured,
) -> Found {
    match condition {
        Condition::Compare(c) => compare(c, pages, group, measured),
        Condition::Absent(a) => absent(a, pages),
        Condition::Raw(raw) => Found::Unknown(match &raw.words {
            Some(_) => Unknown::NeedsHistory,
            None => Unknown::OwnPromQl,
        }),
        Condition::All(parts, _) => {
            let found = parts.iter().map(|part| one(part, pages, group, measured));
            all(found.collect())
        }
        Condition::Any(parts, _) => {
            let found: Vec<_> = parts
                .iter()
                .map(|part| one(part, pages, group, measured))
                .collect();
            not(all(found.into_iter().map(not).collect()))
        }
        Condition::Unless(parts, _) => {
            let first = one(&parts[0], pages, group, measured);
            let second = one(&parts[1], pages, group, measured);
            all(vec![first, not(second)])
        }
    }
}

/// One that does not hold decides; else one that is unknown does.
fn all(found: Vec<Found>) -> Found {
    let mut unknown = None;
    for part in found {
        match part {
            Found::No => return Found::No,
            Found::Unknown(why) => unknown = Some(why),
            Found::Yes => {}
        }
    }
    unknown.map_or(Found::Yes, Found::Unknown)
}

fn not(found: Found) -> Found {
    match found {
        Found::Yes => Found::No,
        Found::No => Found::Yes,
        unknown => unknown,
    }
}

fn compare(c: &Compare, pages: &Indexed<'_>, group: &Group, measured: &mut Measured) -> Found {
    let Bound::Fixed(op, bound, _) = &c.bound else {
        return Found::Unknown(Unknown::ComparesWithPast);
    };
    let reading = Measurement {
        signal: &c.signal,
        stat: c.stat,
        window: c.window,
    };
    let value = match value::value(&reading, pages, group) {
        Ok(value) => value,
        Err(why) => return Found::Unknown(why),
    };
    let per = c.unit.per.map_or(1.0, |per| f64::from(per.seconds));
    let value = value * per;
    let time = c
        .unit
        .per
        .map(|per| format!("/{}", per.name))
        .unwrap_or_default();
    let found = format!(
        "{} is {}{time}",
        words::subject(c),
        shown_measured(value, c.unit.unit)
    );
    let holds = op.holds(value, float(*bound));
    let line = match holds {
        true => format!("{found}, threshold {}", words::bound(&c.bound)),
        false => found,
    };
    measured.insert(line);
    if holds { Found::Yes } else { Found::No }
}

fn absent(a: &Absent, pages: &Indexed<'_>) -> Found {
    let names: &[String] = a.signal.family().map_or(&[], |family| &family.served);
    let there = pages
        .now
        .page
        .families
        .iter()
        .any(|family| names.contains(&family.name) && !family.samples.is_empty());
    if there { Found::No } else { Found::Yes }
}
