//! Two signals that move together, more or less.
//!
//! Both rise in a line, and the one of the newest values also goes up and down from step to step. What that takes away
//! from the correlation follows from how far it goes: a line over `n` steps of `s` has the deviation `s n / √12`.

use super::course::Course;
use super::drive::{Driver, Level};
use super::level::{inside_bucket, usual_level};
use crate::target::prometheus::view::Input;
use slosmith_plan::plan::{Correlated, Reading};
use slosmith_text::units::{Number, float};

/// What the first signal's usual level is multiplied by, in hundredths: it may have to be high, or low.
const LEVELS: [i128; 6] = [204, 176, 100, 60, 300, 20];

/// How far both rise during the fault, as a share of where they begin.
const RISE: (i128, i128) = (10, 100);

/// Of the way from the coefficient that is asked for to 1.
const BEYOND: f64 = 0.25;

/// A correlation so many hundredths as high as it must be, or higher than that.
pub(super) fn inputs(
    driver: &Driver<'_>,
    c: &Correlated,
    course: &Course,
    share: i128,
    strength: usize,
) -> Option<Vec<Input>> {
    let above = float(c.above);
    let wanted = match share {
        100 => above + (1.0 - above) * BEYOND,
        _ => above * share as f64 / 100.0,
    };
    let noisy = c.of.iter().position(|r| r.signal.is_instant(r.stat));
    let mut all: Vec<Input> = Vec::new();
    for (i, reading) in c.of.iter().enumerate() {
        let times = if i == 0 { LEVELS[strength] } else { 100 };
        let base = level(reading)? * Number::new(times, 100);
        let rise = base * Number::new(RISE.0, RISE.1) / i128::from(course.fault);
        let noise = match noisy == Some(i) {
            true => noise(wanted, c, driver.step)?,
            // Without a signal of the newest values the other one just does not move.
            false if noisy.is_none() && i == 0 && share < 100 => None,
            false => Some(0.0),
        };
        let value = |step: u64| {
            let sign = if step.is_multiple_of(2) { 1 } else { -1 };
            let steps = match noise {
                Some(noise) => Number::new((noise * 100.0) as i128 * sign, 100) + i128::from(step),
                None => Number::from_integer(0),
            };
            base + rise * steps
        };
        let mut levels = vec![Level::new(course.history, base)];
        levels.extend((1..=course.fault).map(|step| Level::new(1, value(step))));
        levels.push(Level::new(course.after, base));
        all.extend(driver.reading(reading, &levels)?);
    }
    Some(all)
}

fn level(reading: &Reading) -> Option<Number> {
    let level = usual_level(&reading.signal, reading.stat, Number::from_integer(1))?;
    Some(inside_bucket(&reading.signal, reading.stat, level))
}

/// How far a signal goes up and down, in steps of its rise; nothing at all where it does not rise.
fn noise(wanted: f64, c: &Correlated, step: u64) -> Option<Option<f64>> {
    if wanted <= 0.0 {
        return Some(None);
    }
    let n = (c.window.as_secs() / 60 / step) as f64;
    Some(Some(
        n / 12_f64.sqrt() * (1.0 / (wanted * wanted) - 1.0).sqrt(),
    ))
}
