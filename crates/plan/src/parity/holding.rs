//! How the time that a condition must hold differs.
//!
//! `for: 10m` on a window of 5 minutes is three values of 5 minutes in a row.

use super::draft::Draft;
use super::timing::{self, Timing};
use crate::plan::cloudwatch::{Difference, Grade, TOLERANCE};
use crate::plan::{Bound, Compare};
use slosmith_cloudwatch::Statistic;
use slosmith_text::units::Duration;

/// What the author wants in place of the alert's own look-back.
pub(super) fn chosen(
    draft: &mut Draft,
    statistic: &Statistic,
    other: bool,
    (usual, timing): (Timing, Timing),
) {
    let own = Difference::AuthorsTiming {
        statistic: statistic.clone(),
        period: Duration::from_secs(timing.period),
        datapoints: timing.datapoints,
        evaluate: timing.evaluate,
    };
    draft.note(own.at(match timing.datapoints < timing.evaluate {
        true => Grade::Stronger,
        false if other || timing.period != usual.period => Grade::Weaker,
        false => Grade::Equivalent,
    }));
    let (own, usual) = (timing.held(), usual.held());
    if own > usual {
        let later = Duration::from_secs(own - usual);
        self::later(draft, later);
    }
    earlier(draft, Duration::from_secs(usual.saturating_sub(own)));
}

pub(super) fn held(draft: &mut Draft, c: &Compare, hold: Duration, timing: Timing) {
    // Periods without events that make up the window hold as long as the window.
    let is_split = timing::is_without_events(c) && timing.period < c.window.as_secs();
    if timing::is_instant(&c.signal, c.stat) || is_split || matches!(c.bound, Bound::Outside(_)) {
        return;
    }
    if timing.evaluate > 1 {
        let points = Difference::HoldsByPoints {
            points: timing.evaluate,
            period: Duration::from_secs(timing.period),
            hold,
        };
        draft.note(points.at(Grade::Equivalent));
    }
    earlier(
        draft,
        Duration::from_secs(hold.as_secs().saturating_sub(timing.held())),
    );
}

pub(super) fn later(draft: &mut Draft, by: Duration) {
    draft.note(Difference::Later(by).at(beyond_tolerance(by, Grade::Weaker)));
}

fn earlier(draft: &mut Draft, by: Duration) {
    if by.as_secs() > 0 {
        draft.note(Difference::Earlier(by).at(beyond_tolerance(by, Grade::Stronger)));
    }
}

fn beyond_tolerance(time: Duration, grade: Grade) -> Grade {
    match time > TOLERANCE {
        true => grade,
        false => Grade::Equivalent,
    }
}
