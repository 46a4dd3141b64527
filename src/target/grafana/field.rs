//! Units, colours and axes.

use super::view::{Field, Step};
use crate::plan::ValueUnit;
use crate::plan::dashboard::{Color, Panel, Role, Threshold};
use crate::spec::GraphKind;
use crate::units::{Number, Unit, printed_float};

/// How the values of a panel are shown.
pub(super) fn field(panel: &Panel) -> Field {
    let kind = panel.draw.graph();
    let graph = kind.is_some_and(GraphKind::is_over_time);
    let unit = panel.unit;
    let full = unit.unit == Unit::Ratio && unit.per.is_none();
    let mut field = Field {
        unit: grafana(unit),
        lines: graph && !panel.thresholds.is_empty(),
        steps: match graph {
            true => lines(&panel.thresholds),
            false => colors(&panel.thresholds),
        },
        stacked: matches!(kind, Some(GraphKind::Stacked | GraphKind::Bars)),
        bars: kind == Some(GraphKind::Bars),
        ..Field::default()
    };
    if kind == Some(GraphKind::Gauge) {
        field.min = Some(0.0);
        field.max = full.then_some(1.0);
    }
    if graph {
        (field.soft_min, field.soft_max) = axis(panel, full);
        // 99.94 % and 99.9 % are not the same to an objective.
        field.decimals = field.soft_min.filter(|low| *low > 0.0).map(|_| 3);
    }
    field
}

/// The axis holds every line with some room: Grafana scales it to the data alone.
fn axis(panel: &Panel, full: bool) -> (Option<f64>, Option<f64>) {
    let zero = (panel.unit.unit != Unit::Celsius).then_some(0.0);
    let values = panel
        .thresholds
        .iter()
        .map(|line| printed_float(line.value));
    let highest = values.clone().fold(None, |max: Option<f64>, v| {
        Some(max.map_or(v, |max| max.max(v)))
    });
    let Some(highest) = highest else {
        return (zero, None);
    };
    // An objective of 99.9 % on an axis from 0 to 1 is a line on the edge.
    let lowest = values.fold(1.0, f64::min);
    if full && lowest > 0.9 && panel.thresholds.iter().all(|line| !line.upper) {
        return (Some(1.0 - 4.0 * (1.0 - lowest)), Some(1.0));
    }
    // A line at zero wants room above it as well.
    let room = if highest > 0.0 { highest * 1.2 } else { 1.0 };
    let top = if full { room.min(1.0) } else { room };
    (zero, Some(rounded(top)))
}

/// Six digits: what binary fractions add behind them is nobody's business.
fn rounded(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}

/// Lines in a graph; what is below the first has no colour of its own.
fn lines(thresholds: &[Threshold]) -> Vec<Step> {
    let mut steps = vec![Step {
        value: None,
        color: "transparent".to_owned(),
    }];
    for line in thresholds {
        let color = match line.role {
            Role::Alert | Role::Target | Role::Advisory => name(line.color),
        };
        let step = Step {
            value: Some(printed_float(line.value)),
            color: color.to_owned(),
        };
        // Two lines at one value: the worse one is seen.
        match steps.last_mut().filter(|last| last.value == step.value) {
            Some(last) => *last = step,
            None => steps.push(step),
        }
    }
    steps
}

/// Colours of a single value: each region has that of the worst bound it is beyond.
fn colors(thresholds: &[Threshold]) -> Vec<Step> {
    let bounds: Vec<&Threshold> = thresholds
        .iter()
        .filter(|t| t.color != Color::Green)
        .collect();
    if bounds.is_empty() {
        return vec![Step {
            value: None,
            color: "text".to_owned(),
        }];
    }
    let mut starts: Vec<Option<Number>> = vec![None];
    starts.extend(bounds.iter().map(|t| Some(t.value)));
    starts.dedup();
    let region = |from: Option<Number>| {
        let beyond = bounds.iter().filter(|t| match from {
            None => !t.upper,
            Some(from) if t.upper => t.value <= from,
            Some(from) => t.value > from,
        });
        let worst = beyond.map(|t| t.color).max_by_key(|color| weight(*color));
        Step {
            value: from.map(printed_float),
            color: name(worst.unwrap_or(Color::Green)).to_owned(),
        }
    };
    starts.into_iter().map(region).collect()
}

fn weight(color: Color) -> u8 {
    match color {
        Color::Green => 0,
        Color::Blue => 1,
        Color::Yellow => 2,
        Color::Orange => 3,
        Color::Red => 4,
    }
}

/// Grafana's name of a colour, which follows the theme.
fn name(color: Color) -> &'static str {
    match color {
        Color::Green => "green",
        Color::Blue => "blue",
        Color::Yellow => "yellow",
        Color::Orange => "orange",
        Color::Red => "red",
    }
}

/// Grafana's unit of a value.
fn grafana(unit: ValueUnit) -> String {
    let Some(per) = unit.per else {
        return match unit.unit {
            Unit::Seconds => "s",
            Unit::Ratio => "percentunit",
            Unit::Bytes => "bytes",
            Unit::Bool => "bool_yes_no",
            Unit::Count | Unit::Requests => "short",
            Unit::Tokens => "si:tok",
            Unit::Flops => "si:FLOP",
            Unit::Watts => "watt",
            Unit::Celsius => "celsius",
            Unit::Hertz => "hertz",
        }
        .to_owned();
    };
    match (unit.unit, per.name) {
        (Unit::Requests, "s") => "reqps".to_owned(),
        (Unit::Count, "s") => "cps".to_owned(),
        (Unit::Count, "min") => "cpm".to_owned(),
        (Unit::Bytes, "s") => "binBps".to_owned(),
        (Unit::Flops, "s") => "flops".to_owned(),
        (other, per) => format!("si:{}/{per}", symbol(other)),
    }
}

fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::Seconds => "s",
        Unit::Ratio => "1",
        Unit::Bytes => "B",
        Unit::Bool | Unit::Count => "",
        Unit::Requests => "req",
        Unit::Tokens => "tok",
        Unit::Flops => "FLOP",
        Unit::Watts => "W",
        Unit::Celsius => "°C",
        Unit::Hertz => "Hz",
    }
}
