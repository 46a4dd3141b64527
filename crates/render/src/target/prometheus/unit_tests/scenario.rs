//! Which leaves of a condition are bad at once, so that it holds or just does not.

use slosmith_plan::health;
use slosmith_plan::plan::{Compare, Condition, words};

/// Leaves by their place in the condition, from the left; true means bad.
pub(super) type Faults = Vec<bool>;

/// The comparisons of a condition in order; `None` when a part of it cannot be driven.
pub(super) fn leaves(condition: &Condition) -> Option<Vec<&Compare>> {
    let leaves = condition.leaves().into_iter();
    leaves.map(Condition::compare).collect()
}

/// What each leaf is called in the names of tests: by its signal, and in full where several look at one.
pub(super) fn names(condition: &Condition) -> Vec<String> {
    let leaves = condition.leaves();
    let titles: Vec<_> = leaves.iter().map(|leaf| title(leaf)).collect();
    let named = |(leaf, title): (&&Condition, &Option<&str>)| match title {
        Some(title) if titles.iter().filter(|t| **t == Some(title)).count() == 1 => {
            (*title).to_owned()
        }
        _ => words::condition(leaf),
    };
    leaves.iter().zip(&titles).map(named).collect()
}

/// The title of the signal that a leaf looks at.
fn title(leaf: &Condition) -> Option<&str> {
    let signal = match leaf {
        Condition::Compare(c) => &c.signal,
        Condition::Absent(a) => &a.signal,
        Condition::Raw(raw) => &raw.correlated.as_ref()?.of[0].signal,
        Condition::All(..) | Condition::Any(..) | Condition::Unless(..) => return None,
    };
    Some(&signal.title)
}

/// The smallest sets of faults under which the condition holds: one for each part of an `any`.
pub(super) fn firing(condition: &Condition) -> Vec<Faults> {
    match condition {
        Condition::Compare(_) | Condition::Absent(_) | Condition::Raw(_) => vec![vec![true]],
        Condition::All(parts, _) => {
            let all: Vec<_> = parts.iter().map(firing).collect();
            let longest = all.iter().map(Vec::len).max().unwrap_or(0);
            let pick = |i: usize| {
                all.iter()
                    .flat_map(move |sets| sets[i.min(sets.len() - 1)].clone())
            };
            (0..longest).map(|i| pick(i).collect()).collect()
        }
        Condition::Any(parts, _) => {
            let mut out = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                for faults in firing(part) {
                    let quiet = |p: &Condition| vec![false; p.leaves().len()];
                    let mut all: Faults = parts[..i].iter().flat_map(quiet).collect();
                    all.extend(faults);
                    all.extend(parts[i + 1..].iter().flat_map(quiet));
                    out.push(all);
                }
            }
            out
        }
        Condition::Unless(parts, _) => {
            let quiet = vec![false; parts[1].leaves().len()];
            let with = |mut faults: Faults| {
                faults.extend_from_slice(&quiet);
                faults
            };
            firing(&parts[0]).into_iter().map(with).collect()
        }
    }
}

/// The leaves whose values keep an alert from firing: the second parts of `unless`, and series that must be missing.
pub(super) fn excuses(condition: &Condition) -> Faults {
    match condition {
        Condition::Compare(_) | Condition::Raw(_) => vec![false],
        Condition::Absent(_) => vec![true],
        Condition::All(parts, _) => parts.iter().flat_map(excuses).collect(),
        // Another part may hold.
        Condition::Any(parts, _) => {
            let of_part = |part: &Condition| match part {
                Condition::Absent(_) => vec![false],
                part => excuses(part),
            };
            parts.iter().flat_map(of_part).collect()
        }
        Condition::Unless(parts, _) => {
            let mut all = excuses(&parts[0]);
            all.resize(all.len() + parts[1].leaves().len(), true);
            all
        }
    }
}

/// Whether the condition holds under a set of faults.
pub(super) fn holds(condition: &Condition, faults: &[bool]) -> bool {
    let mut faults = faults.iter();
    let mut leaf = |_: &Condition| Ok::<_, ()>(faults.next() == Some(&true));
    health::evaluate(condition, &mut leaf) == Ok(true)
}
