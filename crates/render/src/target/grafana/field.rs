//! Units, colours and axes.

use super::view::{Field, Step};
use slosmith_plan::plan::ValueUnit;
use slosmith_plan::plan::dashboard::{Color, Draw, Fact, Origin, Panel, Threshold};
use slosmith_plan::plan::words::share_digits;
use slosmith_spec::spec::GraphKind;
use slosmith_text::units::{Number, Unit, printed_float};

/// The colour of a number that is well, on dark and on bright ground: readers who see fewer colours take Grafana's green for its red.
const WELL: &str = "#1AA39A";

pub(super) fn field(panel: &Panel) -> Field {
    let kind = panel.draw.graph();
    let graph = kind.is_some_and(GraphKind::is_over_time);
    let unit = panel.unit;
    let full = unit.unit == Unit::Ratio && unit.per.is_none();
    let mut field = Field {
        unit: match panel.draw {
            Draw::Fact(Fact::Since | Fact::Changed) => "dateTimeFromNow".to_owned(),
            Draw::Fact(Fact::Advice) => "none".to_owned(),
            Draw::Graph(GraphKind::Heatmap) => as_stored(panel),
            _ => grafana(unit),
        },
        steps: steps(&panel.thresholds, "green"),
        stacked: matches!(kind, Some(GraphKind::Stacked | GraphKind::Bars)),
        bars: kind == Some(GraphKind::Bars),
        ..Field::default()
    };
    if panel.draw == Draw::Tile || kind == Some(GraphKind::Number) {
        for step in field.steps.iter_mut().filter(|step| step.color == "green") {
            WELL.clone_into(&mut step.color);
        }
    }
    if kind == Some(GraphKind::Gauge) {
        field.min = Some(0.0);
        field.max = full.then_some(1.0);
    }
    let burns = |origin: &Origin| matches!(origin, Origin::Burn(..));
    field.logarithmic = panel.series.iter().any(|series| burns(&series.origin));
    if field.logarithmic {
        field.min = Some(0.1);
        // The tiers are shaded, and what calls nobody is not.
        field.steps[0].color = "transparent".to_owned();
    } else if panel
        .series
        .iter()
        .any(|series| matches!(series.origin, Origin::Budget(_)))
    {
        (field.soft_min, field.max) = (Some(0.0), Some(1.0));
    } else if graph {
        (field.soft_min, field.soft_max) = axis(panel, full);
        // 99.94 % and 99.9 % are not the same to an objective.
        let close = field.soft_min.is_some_and(|low| low > 0.0);
        let finest = panel.thresholds.iter().map(|line| share_digits(line.value));
        field.decimals = finest.max().filter(|_| close);
    }
    field
}

/// The ends of an axis.
#[derive(Clone, Copy, Debug)]
pub(in crate::target) struct Ends {
    pub(in crate::target) low: f64,
    pub(in crate::target) high: f64,
    /// True when each step is ten times the last.
    pub(in crate::target) logarithmic: bool,
}

/// The ends that Grafana gives a panel's axis for values from `lowest` to `highest`.
pub(in crate::target) fn ends(panel: &Panel, lowest: f64, highest: f64) -> Ends {
    let field = field(panel);
    let at_least = |end: Option<f64>, value: f64, wider: fn(f64, f64) -> f64| {
        end.map_or(value, |end| wider(end, value))
    };
    let low = field
        .min
        .unwrap_or_else(|| at_least(field.soft_min, lowest, f64::min));
    let high = field
        .max
        .unwrap_or_else(|| at_least(field.soft_max, highest, f64::max));
    Ends {
        low,
        high: if high > low { high } else { low + 1.0 },
        logarithmic: field.logarithmic,
    }
}

/// The name of the colour that a single value has.
pub(in crate::target) fn color_of(bounds: &[Threshold], value: f64) -> String {
    let steps = steps(bounds, "green").into_iter();
    let mut reached = steps.filter(|step| step.value.is_none_or(|from| from <= value));
    reached
        .next_back()
        .map_or_else(String::new, |step| step.color)
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

/// Six digits: more would only be noise of binary fractions.
fn rounded(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}

/// Colours of a single value: each region has the colour of the worst crossed threshold.
pub(super) fn steps(thresholds: &[Threshold], well: &str) -> Vec<Step> {
    let regions = regions(thresholds);
    if regions.is_empty() {
        return vec![Step {
            value: None,
            color: "text".to_owned(),
        }];
    }
    let step = |(from, worst): (Option<Number>, Option<&Threshold>)| Step {
        value: from.map(printed_float),
        color: worst
            .map_or(well, |worst| color_name(worst.color))
            .to_owned(),
    };
    regions.into_iter().map(step).collect()
}

/// Where each region begins, and the worst threshold that its values cross; nothing without a threshold that judges.
pub(super) fn regions(thresholds: &[Threshold]) -> Vec<(Option<Number>, Option<&Threshold>)> {
    let bounds: Vec<&Threshold> = thresholds
        .iter()
        .filter(|t| t.color != Color::Green)
        .collect();
    if bounds.is_empty() {
        return Vec::new();
    }
    let mut starts: Vec<Option<Number>> = vec![None];
    starts.extend(bounds.iter().map(|t| Some(t.value)));
    starts.dedup();
    let region = |from: Option<Number>| {
        let beyond = bounds.iter().copied().filter(|t| match from {
            None => !t.upper,
            Some(from) if t.upper => t.value <= from,
            Some(from) => t.value > from,
        });
        (from, beyond.max_by_key(|t| weight(t.color)))
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
pub(in crate::target) fn color_name(color: Color) -> &'static str {
    match color {
        Color::Green => "green",
        Color::Blue => "blue",
        Color::Yellow => "yellow",
        Color::Orange => "orange",
        Color::Red => "red",
    }
}

/// The background of a state: with the text that Grafana writes on it, and with each other, these colours can be told apart by
/// readers who see fewer colours.
pub(super) fn background(color: Color) -> &'static str {
    match color {
        Color::Green => "#14746F",
        Color::Blue => "#3B3FB6",
        Color::Yellow => "#FFEE52",
        Color::Orange => "#FFA940",
        Color::Red => "#B0142B",
    }
}

/// The unit of a heatmap, whose axis has the bucket boundaries as they are stored.
fn as_stored(panel: &Panel) -> String {
    let mut scales = panel
        .series
        .iter()
        .filter_map(|series| match &series.origin {
            Origin::Signal(read) => Some(read.signal.scale),
            _ => None,
        });
    let scale = scales.next().unwrap_or(Number::from_integer(1));
    let stored = match (panel.unit.unit, scale.into_raw()) {
        (_, (1, 1)) => return grafana(panel.unit),
        (Unit::Seconds, (1, 1_000)) => "ms",
        (Unit::Seconds, (1, 1_000_000)) => "µs",
        (Unit::Seconds, (1, 1_000_000_000)) => "ns",
        (Unit::Bytes, (1_024, 1)) => "kbytes",
        (Unit::Bytes, (1_048_576, 1)) => "mbytes",
        (Unit::Bytes, (1_073_741_824, 1)) => "gbytes",
        (Unit::Ratio, (1, 100)) => "percent",
        _ => "short",
    };
    stored.to_owned()
}

pub(super) fn grafana(unit: ValueUnit) -> String {
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
            Unit::Money(currency) => return format!("currency:{currency} "),
        }
        .to_owned();
    };
    match (unit.unit, per.name) {
        (Unit::Requests, "s") => "reqps".to_owned(),
        // Grafana's own units of these are abbreviations: `c/m`.
        (Unit::Count | Unit::Requests, per) => format!("suffix:{}/{per}", symbol(unit.unit)),
        (Unit::Bytes, "s") => "binBps".to_owned(),
        (Unit::Flops, "s") => "flops".to_owned(),
        (other, per) => format!("si:{}/{per}", symbol(other)),
    }
}

/// True when a panel's unit is not in the list of dashboard-linter: tokens, money, and rates of what has no unit for them.
pub(super) fn is_own_unit(panel: &Panel) -> bool {
    let unit = grafana(panel.unit);
    let own = ["si:", "suffix:", "currency:"];
    panel.draw.graph().is_some() && own.iter().any(|own| unit.starts_with(own))
}

/// A unit behind a number.
pub(in crate::target) fn symbol(unit: Unit) -> &'static str {
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
        Unit::Money(currency) => currency,
    }
}
