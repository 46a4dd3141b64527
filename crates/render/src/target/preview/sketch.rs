//! A panel with simulated values, drawn as Grafana draws it: the same axis, colours, thresholds and legend.

use super::facts;
use super::simulated::{Course, Day, Errors, Group, NOW, course, groups, minutes};
use super::tables;
use super::value::value;
use super::view::{Cell, Legend, Shape, Sketch, Word};
use crate::target::grafana::{Ends, color_name, color_of, ends, state_of};
use slosmith_plan::plan::dashboard::{self, Draw, Origin, Panel, Series};
use slosmith_plan::plan::{Bucket, Plan, words};
use slosmith_spec::spec::GraphKind;
use slosmith_text::units::{Duration, float};

const POINTS: u32 = 90;

const BAR: usize = 3;

/// Buckets of a heatmap whose buckets differ between releases.
const BUCKETS: usize = 12;

const COLUMNS: u32 = 36;

/// Colours of series without one of their own.
const PALETTE: [&str; 5] = ["s0", "s1", "s2", "s3", "s4"];

struct Line {
    name: String,
    color: &'static str,
    dashed: bool,
    source: Source,
}

/// Where the values of a line come from.
#[derive(Clone, Copy)]
enum Source {
    Course(Course),
    Burn(Errors, Duration),
    Good(Errors, Duration),
    Budget(Errors, Duration),
    Even(Duration),
    Bound(f64),
}

impl Line {
    /// Bounds need no data.
    fn is_drawn(&self, day: Day) -> bool {
        day != Day::Silent || matches!(self.source, Source::Bound(_))
    }

    fn at(&self, day: Day, minute: f64) -> f64 {
        match &self.source {
            Source::Course(course) => course.at(day, minute),
            Source::Burn(errors, window) => errors.burn(*window, day, minute),
            Source::Good(errors, window) => 1.0 - errors.over(*window, day, minute),
            Source::Budget(errors, period) => errors.burnt_down(*period, day, minute),
            Source::Even(period) => (NOW - minute) / minutes(*period),
            Source::Bound(value) => *value,
        }
    }
}

/// A panel on all days, and the legend of all.
pub(super) fn sketches(
    plan: &Plan,
    dashboard: &dashboard::Dashboard,
    panel: &Panel,
) -> (Vec<Sketch>, Vec<Legend>) {
    let lines = lines(plan, panel);
    let range = panel.past.unwrap_or(dashboard.range);
    let sketch = |day: Day| {
        let empty = Sketch {
            day: day.class().to_owned(),
            ..Sketch::default()
        };
        match &panel.draw {
            Draw::Text(_) => empty,
            Draw::Alerts(columns) => tables::alerts(plan, columns, day, empty),
            Draw::Objectives(columns) => tables::objectives(plan, columns, day, empty),
            Draw::Changes(columns) => facts::changes(columns, plan, day, empty),
            Draw::Verdict(words) => facts::verdict(plan, words, day, empty),
            Draw::Fact(fact) => facts::fact(plan, *fact, day, empty),
            Draw::Graph(GraphKind::Heatmap) => heatmap(panel, day, range, empty),
            Draw::Graph(GraphKind::Table) => newest(panel, &lines, day, empty),
            Draw::Graph(kind) if kind.is_over_time() => graph(panel, &lines, day, range, empty),
            Draw::Graph(_) => number(panel, &lines, day, empty),
            Draw::Tile => Sketch {
                shapes: graph(panel, &lines, day, range, Sketch::default()).shapes,
                ..number(panel, &lines, day, empty)
            },
        }
    };
    let kind = panel.draw.graph();
    let named = kind.is_some_and(|kind| kind.is_over_time() && kind != GraphKind::Heatmap);
    let legend = lines.iter().filter(|_| named).map(|line| Legend {
        name: line.name.clone(),
        color: line.color.to_owned(),
        dashed: line.dashed,
    });
    (Day::ALL.map(sketch).into(), legend.collect())
}

fn lines(plan: &Plan, panel: &Panel) -> Vec<Line> {
    let mut made: Vec<Line> = Vec::new();
    for (index, series) in (0..).zip(&panel.series) {
        let of_slo = objective(plan, panel, series);
        let groups = match of_slo {
            Some(_) => vec![Group::whole()],
            None => groups(panel, series),
        };
        for (n, group) in (0..).zip(groups) {
            let source = of_slo
                .unwrap_or_else(|| Source::Course(part(plan, panel, series, (index, n), &group)));
            made.push(Line {
                name: name(panel, series, &group.name),
                color: group.color.unwrap_or(PALETTE[made.len() % PALETTE.len()]),
                dashed: matches!(source, Source::Even(_)),
                source,
            });
        }
    }
    if panel.draw.graph().is_some_and(GraphKind::is_over_time) {
        made.extend(panel.thresholds.iter().map(|bound| Line {
            name: words::line(bound),
            color: color_name(bound.color),
            dashed: true,
            source: Source::Bound(float(bound.value)),
        }));
    }
    made
}

/// One group of a series; of what is stacked, a part of the whole.
fn part(
    plan: &Plan,
    panel: &Panel,
    series: &Series,
    (index, group): (u32, u32),
    of: &Group,
) -> Course {
    let stacked = panel.draw == Draw::Graph(GraphKind::Stacked);
    let parts = match stacked && panel.series.len() > 1 {
        true => 1.0 / f64::from(index + 1),
        false => 1.0,
    };
    course(plan, panel, series, index).part(of.healthy * parts, of.incident * parts, 7 * group)
}

fn name(panel: &Panel, series: &Series, group: &str) -> String {
    let words: Vec<_> = [series.title.as_str(), group]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    match words.is_empty() {
        true => panel.title.clone(),
        false => words.join(" "),
    }
}

/// The values of an SLO, which depend on its budget and tiers.
fn objective(plan: &Plan, panel: &Panel, series: &Series) -> Option<Source> {
    let events = |name: &str| {
        let slo = plan.slos.iter().find(|slo| slo.name == name)?;
        Some((Errors::of(&slo.events), slo.period))
    };
    let budget = panel.series.iter().find_map(|series| match &series.origin {
        Origin::Budget(name) => events(name),
        _ => None,
    });
    match (&series.origin, budget) {
        (Origin::Burn(name, window), _) => {
            events(name).map(|(errors, _)| Source::Burn(errors, *window))
        }
        (Origin::Good(name, window), _) => {
            events(name).map(|(errors, _)| Source::Good(errors, *window))
        }
        (Origin::Budget(_), Some((errors, period))) => Some(Source::Budget(errors, period)),
        // The only other line of such a panel.
        (_, Some((_, period))) => Some(Source::Even(period)),
        _ => None,
    }
}

/// Minutes from the left edge of a graph to its right.
fn times(range: Duration, count: u32) -> impl Iterator<Item = f64> {
    let range = minutes(range);
    (0..count).map(move |i| NOW - range * (1.0 - f64::from(i) / f64::from(count - 1)))
}

/// Hundredths of the width and the height of a graph.
fn point(x: u32, y: f64) -> String {
    let x = f64::from(x) * 100.0 / f64::from(POINTS - 1);
    format!("{x:.1},{y:.1}")
}

fn graph(panel: &Panel, lines: &[Line], day: Day, range: Duration, empty: Sketch) -> Sketch {
    let kind = panel.draw.graph();
    let stacked = matches!(kind, Some(GraphKind::Stacked | GraphKind::Bars));
    let mut below = vec![0.0; POINTS as usize];
    let mut drawn: Vec<(&Line, Vec<f64>, Vec<f64>)> = Vec::new();
    for line in lines.iter().filter(|line| line.is_drawn(day)) {
        let values = times(range, POINTS).map(|minute| line.at(day, minute));
        let values = steps(values.collect(), kind == Some(GraphKind::Bars));
        let piled = stacked && !matches!(line.source, Source::Bound(_));
        let base = if piled {
            below.clone()
        } else {
            vec![0.0; POINTS as usize]
        };
        let values: Vec<f64> = values
            .into_iter()
            .zip(&base)
            .map(|(value, base)| value + base)
            .collect();
        if piled {
            below.clone_from(&values);
        }
        drawn.push((line, base, values));
    }
    let all = || {
        drawn
            .iter()
            .flat_map(|(_, _, values)| values.iter().copied())
    };
    let ends = ends(
        panel,
        all().fold(f64::INFINITY, f64::min),
        all().fold(f64::NEG_INFINITY, f64::max),
    );
    let shape = |(line, base, values): &(&Line, Vec<f64>, Vec<f64>)| {
        let at = |(x, value): (u32, &f64)| point(x, height(ends, *value));
        let mut points: Vec<String> = (0..).zip(values).map(at).collect();
        let filled = stacked && !line.dashed;
        if filled {
            let back = (0..POINTS).zip(base).collect::<Vec<_>>();
            points.extend(back.into_iter().rev().map(at));
        }
        if matches!(line.source, Source::Bound(_)) {
            points = vec![points[0].clone(), points[points.len() - 1].clone()];
        }
        Shape {
            points: points.join(" "),
            color: line.color.to_owned(),
            dashed: line.dashed,
            filled,
        }
    };
    Sketch {
        // What is piled up first is in front.
        shapes: drawn.iter().map(shape).collect(),
        high: value(ends.high, panel.unit),
        low: value(ends.low, panel.unit),
        from: format!("{range} ago"),
        ..empty
    }
}

/// The values of bars: each is there for [`BAR`] points.
fn steps(values: Vec<f64>, bars: bool) -> Vec<f64> {
    match bars {
        true => (0..values.len()).map(|i| values[i - i % BAR]).collect(),
        false => values,
    }
}

/// Hundredths from the upper edge of a graph.
fn height(ends: Ends, value: f64) -> f64 {
    let share = match ends.logarithmic {
        true => (value.max(ends.low) / ends.low).ln() / (ends.high / ends.low).ln(),
        false => (value - ends.low) / (ends.high - ends.low),
    };
    100.0 * (1.0 - share.clamp(0.0, 1.0))
}

/// The newest value in large type, in the colour of its thresholds.
fn number(panel: &Panel, lines: &[Line], day: Day, empty: Sketch) -> Sketch {
    let newest = lines.first().map(|line| line.at(day, NOW));
    let Some(newest) = newest else {
        return empty;
    };
    if day == Day::Silent {
        return tables::no_data(empty);
    }
    let status = panel.draw == Draw::Graph(GraphKind::Status);
    let (text, color) = match status {
        true if newest < 0.5 => ("Down".to_owned(), "red".to_owned()),
        true => ("Up".to_owned(), "green".to_owned()),
        false => (
            value(newest, panel.unit),
            color_of(&panel.thresholds, newest),
        ),
    };
    let state = state_of(panel, newest);
    Sketch {
        value: text,
        color,
        state: state.unwrap_or_default().to_owned(),
        ..empty
    }
}

/// The newest value of each series, one line each.
fn newest(panel: &Panel, lines: &[Line], day: Day, empty: Sketch) -> Sketch {
    let row = |line: &Line| {
        let newest = line.at(day, NOW);
        vec![
            tables::plain(&line.name),
            Word {
                text: value(newest, panel.unit),
                color: color_of(&panel.thresholds, newest),
                ..Word::default()
            },
        ]
    };
    Sketch {
        headings: vec!["Series".to_owned(), "Value".to_owned()],
        rows: lines
            .iter()
            .filter(|line| line.is_drawn(day))
            .map(row)
            .collect(),
        ..empty
    }
}

/// How many observations are in each bucket: most near the usual value, fewer far from it.
fn heatmap(panel: &Panel, day: Day, range: Duration, empty: Sketch) -> Sketch {
    let Some(series) = panel.series.first() else {
        return empty;
    };
    let buckets = match &series.origin {
        Origin::Signal(read) => read.signal.buckets(),
        _ => &[],
    };
    let count = if buckets.is_empty() {
        BUCKETS
    } else {
        buckets.len()
    };
    let rows = count as f64;
    let width = 100.0 / f64::from(COLUMNS);
    let mut cells = Vec::new();
    let columns = if day == Day::Silent { 0 } else { COLUMNS };
    for (x, minute) in (0..).zip(times(range, columns)) {
        let middle = rows * (0.4 + 0.2 * day.risen(minute));
        for y in (0..count).map(|y| y as f64) {
            let away = (y - middle) / (rows / 8.0).max(1.0);
            let dark = 1.0 / (1.0 + away.powi(4));
            if dark > 0.05 {
                cells.push(Cell {
                    x: f64::from(x) * width,
                    y: 100.0 - (y + 1.0) * 100.0 / rows,
                    width,
                    height: 100.0 / rows,
                    dark: (dark * 100.0).round() / 100.0,
                });
            }
        }
    }
    let bound = |bucket: Option<&Bucket>| {
        bucket.map_or_else(String::new, |bucket| value(float(bucket.bound), panel.unit))
    };
    Sketch {
        cells,
        high: bound(buckets.last()),
        low: bound(buckets.first()),
        from: format!("{range} ago"),
        ..empty
    }
}
