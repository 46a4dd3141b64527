//! Lines, bands and alarms in a graph.

use super::{parts, time};
use crate::fields::Fields;
use crate::unknown::known;

/// Checks the annotations of a graph; `metrics`: it has some. Gives back whether it is the graph of an alarm.
pub(super) fn check(p: &mut Fields<'_, '_>, metrics: bool) -> bool {
    let Some(mut annotations) = p.object("annotations") else {
        return false;
    };
    let alarms = annotations.list("alarms");
    let is_alarm = !alarms.is_empty();
    if known(alarms).count() > 1 {
        annotations.wrong("alarms", "a graph can show only one alarm");
    }
    parts::alarms(&mut annotations, alarms);
    if is_alarm {
        if metrics {
            annotations.wrong("", "a graph of an alarm cannot have metrics of its own");
        }
        annotations.none_of(&["horizontal", "vertical"], "alarms");
    }
    each(&mut annotations, "horizontal", line);
    each(&mut annotations, "vertical", moment);
    is_alarm
}

/// A line by itself, or two that bound a band.
fn each(f: &mut Fields<'_, '_>, key: &str, check: fn(&mut Fields<'_, '_>)) {
    for (i, one) in known(f.list(key)) {
        let mut one = f.at(&format!("{key}/{i}"), one);
        let Some(band) = one.value.as_array() else {
            object(&mut one, check);
            continue;
        };
        if known(band).count() == band.len() && band.len() != 2 {
            one.wrong("", format!("a band needs two lines, got {}", band.len()));
        }
        for (j, edge) in known(band) {
            object(&mut one.at(&j.to_string(), edge), check);
        }
    }
}

fn object(f: &mut Fields<'_, '_>, check: fn(&mut Fields<'_, '_>)) {
    match f.value.is_object() {
        true => {
            f.required("value");
            f.text("label");
            f.boolean("visible");
            // Names of colors are not documented, and taken.
            let named = f.get("color").and_then(|color| color.as_str());
            if !named.is_some_and(|color| color.chars().all(|c| c.is_ascii_alphabetic())) {
                parts::color(f);
            }
            check(f);
        }
        false => f.wrong("", "a line must be an object with a value"),
    }
}

fn line(f: &mut Fields<'_, '_>) {
    f.number("value");
    f.one_of("fill", &["above", "below", "none"]);
    f.one_of("yAxis", &["left", "right"]);
}

fn moment(f: &mut Fields<'_, '_>) {
    if let Some(text) = f.text("value")
        && !time::is_moment(text)
    {
        f.wrong("value", format!("`{text}` is not an ISO 8601 time"));
    }
    f.one_of("fill", &["before", "after", "none"]);
}
