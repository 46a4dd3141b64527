//! Conditions on pages.
//!
//! `queue_depth above 80` on a page with 93 waiting requests holds, and the page's line says: `Waiting requests is
//! 93, above 80`.

use indexmap::IndexSet;

use super::index::{Group, Indexed, named};
use super::value::{self, Measurement};
use super::{Unknown, Verdict};
use crate::plan::{Absent, Bound, Compare, Condition, words};
use slosmith_catalog::Series;
use slosmith_spec::spec::FamilyKind;
use slosmith_text::units::{float, shown_measured};

/// The series that Prometheus writes for each target; no server exposes it.
const UP: &str = "up";

type Found<U = Unknown> = Result<bool, U>;

pub fn evaluate<U>(
    condition: &Condition,
    leaf: &mut dyn FnMut(&Condition) -> Found<U>,
) -> Found<U> {
    let mut each =
        |parts: &[Condition]| -> Vec<_> { parts.iter().map(|part| evaluate(part, leaf)).collect() };
    match condition {
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => leaf(condition),
        Condition::All(parts, _) => all(each(parts)),
        Condition::Any(parts, _) => not(all(each(parts).into_iter().map(not))),
        Condition::Unless(parts, _) => {
            let found = each(&parts[..]).into_iter().enumerate();
            all(found.map(|(i, found)| if i == 0 { found } else { not(found) }))
        }
    }
}

/// One that does not hold decides; else one that is unknown does.
fn all<U>(found: impl IntoIterator<Item = Found<U>>) -> Found<U> {
    let mut unknown = None;
    for part in found {
        match part {
            Ok(false) => return Ok(false),
            Err(why) => unknown = Some(why),
            Ok(true) => {}
        }
    }
    unknown.map_or(Ok(true), Err)
}

fn not<U>(found: Found<U>) -> Found<U> {
    found.map(|holds| !holds)
}

pub(super) fn parts(condition: &Condition) -> usize {
    match condition {
        Condition::All(parts, _) => parts.iter().map(self::parts).sum(),
        Condition::Any(parts, _) => parts.iter().map(self::parts).max().unwrap_or(0),
        Condition::Unless(parts, _) => self::parts(&parts[0]),
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => 1,
    }
}

pub(super) fn judge(condition: &Condition, pages: &Indexed<'_>) -> (Verdict, Vec<String>) {
    let groups = groups(condition, pages);
    let (mut holds, mut why, mut measured) = (Vec::new(), None, Measured::new());
    for group in &groups {
        let found = evaluate(condition, &mut |part| {
            leaf(part, pages, group, &mut measured)
        });
        match found {
            Ok(true) => holds.push(named(group)),
            Ok(false) => {}
            Err(reason) => why = Some(reason),
        }
    }
    (Verdict::of(holds, why), measured.into_iter().collect())
}

/// Lines, each once, in the order of the groups.
type Measured = IndexSet<String>;

fn groups(condition: &Condition, pages: &Indexed<'_>) -> Vec<Group> {
    match condition.leading() {
        Condition::Compare(c) => value::groups_or_whole(&c.signal, &c.query.labels, pages),
        _ => vec![Vec::new()],
    }
}

fn leaf(
    condition: &Condition,
    pages: &Indexed<'_>,
    group: &Group,
    measured: &mut Measured,
) -> Found {
    match condition {
        Condition::Compare(c) => compare(c, pages, group, measured),
        Condition::Absent(a) => absent(a, pages),
        Condition::Raw(raw) if raw.words.is_some() => Err(Unknown::NeedsHistory),
        _ => Err(Unknown::OwnPromQl),
    }
}

fn compare(c: &Compare, pages: &Indexed<'_>, group: &Group, measured: &mut Measured) -> Found {
    let Bound::Fixed(op, bound, _) = &c.bound else {
        return Err(Unknown::ComparesWithPast);
    };
    let value = Measurement::new(&c.signal, c.stat, c.window).value(pages, group)?;
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
    Ok(holds)
}

fn absent(a: &Absent, pages: &Indexed<'_>) -> Found {
    let names: &[String] = a.signal.family().map_or(&[], |family| &family.served);
    if let Some(up) = names.iter().find(|name| *name == UP) {
        return Err(Unknown::NotOnPage(up.clone()));
    }
    let Some(family) = a.signal.family() else {
        return Err(Unknown::OwnPromQl);
    };
    let series = match family.kind {
        FamilyKind::Histogram => Series::Count,
        FamilyKind::Gauge | FamilyKind::Counter => Series::Whole,
    };
    Ok(pages.now.samples(family, series, &Group::new()).is_empty())
}
