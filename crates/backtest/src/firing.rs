//! When one element of an alert fires.

use slosmith_promql::sampled::{Labels, Model, Row};
use slosmith_text::units::Duration;

use crate::report::Firing;

/// The firings of one element between two times; one that began before has its true start.
pub(crate) fn firings(
    model: &Model,
    (labels, values): (&Labels, &[Option<f64>]),
    (hold, keep): (Duration, Duration),
    (from, to): (i64, i64),
) -> Vec<Firing> {
    let fires = model.fires(values, hold, keep);
    let mut all: Vec<Firing> = Vec::new();
    let mut open: Option<Firing> = None;
    for (time, fires) in model.times().zip(fires).take_while(|(time, _)| *time <= to) {
        if fires {
            open.get_or_insert_with(|| Firing {
                labels: labels.clone(),
                start: time,
                began_before: false,
                end: None,
                peak: f64::NAN,
                spent: None,
            });
        } else if let Some(firing) = open.take().filter(|_| time > from) {
            let end = Some(time);
            all.push(Firing { end, ..firing });
        }
    }
    all.extend(open);
    all
}

/// The elements of a rule that is evaluated at each `every`th step: its result stays until its next evaluation.
pub(crate) fn held(mut rows: Vec<Row>, every: usize) -> Vec<Row> {
    for (_, values) in &mut rows {
        for i in 0..values.len() {
            values[i] = values[i - i % every.max(1)];
        }
    }
    rows
}
