//! SLOs: their error budgets, and the time until an alert fires.

use super::dashboards;
use super::view::{Line, Objective, Plot, Tick, Tier};
use slosmith_plan::plan::{EventSlo, Plan, Slo, slo, words};
use slosmith_text::units::{Duration, Number, Unit, decimal, float, readable, shown};

/// Error ratios, in percent, that times are given for.
const RATIOS: [i128; 4] = [100, 10, 5, 1];

/// Size of the plot, without its axes.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 200.0;

/// The axes of the plot: error ratios from 0.1% to 100%, times from 10 seconds to 10 days.
const LOWEST_RATIO: f64 = 0.001;
const SHORTEST: f64 = 10.0;
const LONGEST: f64 = 864_000.0;

pub(super) fn objective(plan: &Plan, slo: &Slo) -> Objective {
    let events = &slo.events;
    let objective = shown(events.budget.objective, Unit::Ratio);
    Objective {
        name: slo.name.clone(),
        title: slo.title.clone(),
        description: slo.description.clone(),
        promise: format!("{objective} over {}", slo.period),
        budget: budget(slo),
        tiers: events.tiers.iter().map(tier).collect(),
        plot: (!events.tiers.is_empty()).then(|| plot(events)),
        runbook: slo.links.runbook.clone(),
        dashboard: slo.links.dashboard_url().to_owned(),
        panel: dashboards::of_objective(plan, &slo.name),
    }
}

/// The budget as a share of events, and as the time that everything may fail.
fn budget(slo: &Slo) -> String {
    let events = &slo.events;
    let seconds = events.budget.budget * i128::from(slo.period.as_secs());
    let share = shown(events.budget.budget, Unit::Ratio);
    let counted = words::counted(&events.sli);
    format!("{share} of {counted}, or {} of full outage", time(seconds))
}

fn tier(tier: &slo::Tier) -> Tier {
    Tier {
        severity: tier.severity.clone(),
        factor: decimal(readable(tier.factor)),
        windows: format!("{} and {}", tier.long, tier.short),
        threshold: shown(readable(tier.threshold), Unit::Ratio),
        consumed: shown(readable(tier.consumed), Unit::Ratio),
        times: RATIOS
            .iter()
            .map(|percent| {
                let found = detection(tier, Number::new(*percent, 100));
                found.map_or_else(|| "never".to_owned(), time)
            })
            .collect(),
    }
}

/// Seconds from the begin of a steady fault until the long window's ratio reaches the threshold: window × threshold
/// ÷ error ratio, after a time without errors (SRE workbook, chapter 5). The short window is there sooner.
fn detection(tier: &slo::Tier, errors: Number) -> Option<Number> {
    let seconds = i128::from(tier.long.as_secs());
    (errors > tier.threshold).then(|| tier.threshold / errors * seconds)
}

/// `43m12s`: whole seconds.
fn time(seconds: Number) -> String {
    let whole = seconds.round().to_integer();
    Duration::from_secs(u64::try_from(whole).unwrap_or_default()).to_string()
}

fn plot(events: &EventSlo) -> Plot {
    let lines = events.tiers.iter().enumerate().map(|(i, tier)| Line {
        points: points(tier),
        color: i % 4,
        name: format!("{} over {}", decimal(readable(tier.factor)), tier.long),
    });
    let tick = |at: f64, text: &str| Tick {
        at,
        text: text.to_owned(),
    };
    Plot {
        columns: RATIOS.iter().map(|percent| format!("{percent}%")).collect(),
        lines: lines.collect(),
        x: [(0.001, "0.1%"), (0.01, "1%"), (0.1, "10%"), (1.0, "100%")]
            .map(|(ratio, text)| tick(x(ratio), text))
            .into(),
        y: [
            (10.0, "10s"),
            (60.0, "1m"),
            (600.0, "10m"),
            (3_600.0, "1h"),
            (86_400.0, "1d"),
        ]
        .map(|(seconds, text)| tick(y(seconds), text))
        .into(),
    }
}

/// From the smallest ratio that fires to 100 %; a straight line on logarithmic axes.
fn points(tier: &slo::Tier) -> String {
    let threshold = float(tier.threshold);
    let long = float(Number::from_integer(i128::from(tier.long.as_secs())));
    let ends = [threshold.max(LOWEST_RATIO), 1.0];
    let points = ends.map(|ratio| format!("{:.1},{:.1}", x(ratio), y(long * threshold / ratio)));
    points.join(" ")
}

fn x(ratio: f64) -> f64 {
    rounded(WIDTH * (1.0 - ratio.ln() / LOWEST_RATIO.ln()))
}

fn y(seconds: f64) -> f64 {
    let height = (seconds / SHORTEST).ln() / (LONGEST / SHORTEST).ln();
    rounded(HEIGHT * (1.0 - height))
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
