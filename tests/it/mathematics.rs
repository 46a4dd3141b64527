//! The tables and plots of `docs/mathematics.md`: the tiers that a build makes, on simulated errors.

use std::fmt::Write;

use slosmith::plan::Tier;
use slosmith::units::{decimal, float};

use crate::update;

const PAGE: &str = "docs/mathematics.md";
const SECONDS: usize = 60;
const COLOURS: [&str; 4] = ["#c0392b", "#d68910", "#2e86c1", "#7f8c8d"];

/// The tiers of an objective of 99.9% over 30 days without `burn`.
fn tiers() -> Vec<Tier> {
    let spec = "\
apiVersion: slosmith/v1
service: {name: shop, owner: web}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  requests: {kind: counter, unit: requests, prometheus: {metric: shop_requests_total}}
  errors: {kind: counter, unit: requests, prometheus: {metric: shop_errors_total}}
slos:
  availability:
    objective: 99.9%
    period: 30d
    sli: {ratio: {bad: errors, total: requests}}
";
    let plan = crate::bundled::plan(spec);
    plan.slos[0].events.tiers.clone()
}

/// The share of bad events within a window that ends at each second, where traffic is even and was good before.
fn windowed(ratios: &[f64], window: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let mut out = Vec::with_capacity(ratios.len());
    for (at, ratio) in ratios.iter().enumerate() {
        sum += ratio;
        if at >= window {
            sum -= ratios[at - window];
        }
        out.push(sum / window as f64);
    }
    out
}

fn seconds(duration: slosmith::units::Duration) -> usize {
    usize::try_from(duration.as_secs()).expect("fits")
}

/// The first second at which a tier fires, and the first one after it at which it no longer does.
fn fires(tier: &Tier, ratios: &[f64]) -> Option<(usize, usize)> {
    let threshold = float(tier.threshold);
    let long = windowed(ratios, seconds(tier.long));
    let short = windowed(ratios, seconds(tier.short));
    let firing = |at: &usize| long[*at] > threshold && short[*at] > threshold;
    let from = (0..ratios.len()).find(firing)?;
    let to = (from..ratios.len()).find(|at| !firing(at))?;
    Some((from, to))
}

/// Errors at a ratio for some time, then none.
fn incident(ratio: f64, length: usize, all: usize) -> Vec<f64> {
    (0..all)
        .map(|at| if at < length { ratio } else { 0.0 })
        .collect()
}

/// The formulas of the page: how long after the start of errors a tier fires, and after their end it resolves.
fn formula(tier: &Tier, ratio: f64) -> (f64, f64) {
    let share = float(tier.threshold) / ratio;
    (
        share * seconds(tier.long) as f64,
        (1.0 - share) * seconds(tier.short) as f64,
    )
}

#[test]
fn the_formulas_are_what_windows_do() {
    for tier in tiers() {
        for ratio in [0.002, 0.02, 0.2, 1.0] {
            let lasts = seconds(tier.long);
            let ratios = incident(ratio, lasts, 3 * lasts);
            let fired = fires(&tier, &ratios);
            if float(tier.threshold) >= ratio {
                assert_eq!(fired, None, "{} at {ratio}", tier.name);
                continue;
            }
            let (from, to) = fired.expect("fires");
            let (detection, reset) = formula(&tier, ratio);
            let after = to as f64 - lasts as f64;
            assert!((from as f64 - detection).abs() <= 2.0, "{from} {detection}");
            assert!((after - reset).abs() <= 2.0, "{after} {reset}");
        }
    }
}

/// Hours, minutes and seconds, as far as they matter.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0}s"),
        s if s < 5400.0 => format!("{:.1}m", s / 60.0),
        s if s < 172_800.0 => format!("{:.1}h", s / 3600.0),
        s => format!("{:.1}d", s / 86_400.0),
    }
    .replace(".0", "")
}

fn computed() -> String {
    let mut text = String::from(
        "| tier | windows | budget spent `c` | burn rate `b` | fires above | at 100% errors | at 10% | at 1% | resolves, 10% |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for tier in tiers() {
        let after = |ratio: f64| match float(tier.threshold) < ratio {
            true => time(formula(&tier, ratio).0),
            false => "never".to_owned(),
        };
        writeln!(
            text,
            "| `{}` | {}, {} | {}% | {} | {}% | {} | {} | {} | {} |",
            tier.name,
            tier.long,
            tier.short,
            decimal(tier.consumed * 100),
            decimal(tier.factor),
            decimal(tier.threshold * 100),
            after(1.0),
            after(0.1),
            after(0.01),
            time(formula(&tier, 0.1).1),
        )
        .expect("text");
    }
    text
}

#[test]
fn the_page_is_computed() {
    let path = format!("{}/{PAGE}", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).expect("the page");
    let parts: Vec<_> = page.split("<!-- computed -->\n").collect();
    let [before, _, after] = parts.as_slice() else {
        panic!("{} parts", parts.len());
    };
    let mark = "<!-- computed -->\n";
    update::check(PAGE, &format!("{before}{mark}{}{mark}{after}", computed()));
}

#[test]
fn detection_is_drawn() {
    let mut chart = Chart::new(
        Axis::log(0.001, 1.0),
        Axis::log(10.0, 259_200.0),
        "error ratio",
        "time until the alert fires",
    );
    for (x, label) in [(0.001, "0.1%"), (0.01, "1%"), (0.1, "10%"), (1.0, "100%")] {
        chart.tick_x(x, label);
    }
    for (y, label) in [
        (10.0, "10s"),
        (60.0, "1m"),
        (600.0, "10m"),
        (3600.0, "1h"),
        (21_600.0, "6h"),
        (86_400.0, "1d"),
        (259_200.0, "3d"),
    ] {
        chart.tick_y(y, label);
    }
    // The slowest tier first: two tiers can have one line, on which the faster one is seen.
    for (tier, colour) in tiers().iter().zip(COLOURS).rev() {
        let least = float(tier.threshold);
        let ends = [least, 1.0];
        let points = ends.map(|ratio| (ratio, formula(tier, ratio).0));
        chart.line(&points, colour);
        let name = format!("{}, burn rate {}", tier.name, decimal(tier.factor));
        match tier.long.as_secs() {
            0..=86_400 => chart.text_before(points[0].0, points[0].1, colour, &name),
            _ => chart.text(points[0].0, points[0].1, colour, &name),
        }
    }
    update::check("docs/pictures/detection.svg", &chart.svg());
}

#[test]
fn an_incident_is_drawn() {
    let tier = &tiers()[0];
    let ratios = incident(0.1, 20 * SECONDS, 90 * SECONDS);
    let (from, to) = fires(tier, &ratios).expect("fires");
    let mut chart = Chart::new(
        Axis::linear(0.0, 90.0),
        Axis::linear(0.0, 0.12),
        "minutes since the errors began",
        "error ratio",
    );
    for minute in [0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0] {
        chart.tick_x(minute, &format!("{minute}"));
    }
    for (ratio, label) in [(0.0, "0"), (0.05, "5%"), (0.1, "10%")] {
        chart.tick_y(ratio, label);
    }
    let minutes = |at: usize| at as f64 / SECONDS as f64;
    chart.band(minutes(from), minutes(to));
    for ((window, name), colour) in [(tier.long, "long"), (tier.short, "short")]
        .iter()
        .zip(COLOURS)
    {
        let points: Vec<_> = windowed(&ratios, seconds(*window))
            .into_iter()
            .enumerate()
            .step_by(30)
            .map(|(at, ratio)| (minutes(at), ratio))
            .collect();
        chart.line(&points, colour);
        let (x, y) = match *name {
            "short" => (21.0, 0.1),
            _ => (45.0, 0.035),
        };
        chart.text(x, y, colour, &format!("{name} window, {window}"));
    }
    let threshold = float(tier.threshold);
    chart.line(&[(0.0, threshold), (90.0, threshold)], "#333");
    let label = format!("fires above {}%", decimal(tier.threshold * 100));
    chart.text(72.0, threshold, "#333", &label);
    let label = format!("fires from {} to {}", time(from as f64), time(to as f64));
    chart.text(minutes(from) + 0.5, 0.115, "#c0392b", &label);
    update::check("docs/pictures/incident.svg", &chart.svg());
}

/// Requests and errors of each minute of three hours: 10 a minute, and 6,000 with 10% errors for ten minutes.
fn uneven() -> Vec<(f64, f64)> {
    (0..180)
        .map(|minute| match minute {
            60..70 => (6000.0, 600.0),
            _ => (10.0, 0.0),
        })
        .collect()
}

#[test]
fn averages_are_drawn() {
    let minutes = uneven();
    let mut chart = Chart::new(
        Axis::linear(0.0, 180.0),
        Axis::linear(0.0, 0.12),
        "minutes; 10 requests in each, and 6,000 with 10% errors in ten of them",
        "error ratio so far",
    );
    for minute in [0.0, 60.0, 120.0, 180.0] {
        chart.tick_x(minute, &format!("{minute}"));
    }
    for (ratio, label) in [(0.0, "0"), (0.05, "5%"), (0.1, "10%")] {
        chart.tick_y(ratio, label);
    }
    let (mut all, mut bad, mut mean) = (0.0, 0.0, 0.0);
    let (mut sums, mut means) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
    for (at, (requests, errors)) in (1..).map(f64::from).zip(&minutes) {
        all += requests;
        bad += errors;
        mean += errors / requests;
        sums.push((at, bad / all));
        means.push((at, mean / at));
    }
    let (truth, wrong) = (sums[180].1, means[180].1);
    assert!(truth > 0.09 && wrong < 0.006, "{truth} {wrong}");
    for (points, colour, name) in [
        (&sums, COLOURS[0], "ratio of sums"),
        (&means, COLOURS[2], "mean of ratios"),
    ] {
        chart.line(points, colour);
        let last = points[180].1;
        chart.text(
            130.0,
            last + 0.003,
            colour,
            &format!("{name}: {:.1}%", last * 100.0),
        );
    }
    update::check("docs/pictures/averages.svg", &chart.svg());
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 50.0;

/// The range of an axis.
#[derive(Clone, Copy)]
struct Axis {
    from: f64,
    to: f64,
    log: bool,
}

impl Axis {
    fn linear(from: f64, to: f64) -> Self {
        let log = false;
        Self { from, to, log }
    }

    fn log(from: f64, to: f64) -> Self {
        let log = true;
        Self { from, to, log }
    }

    /// Where a value is, from 0 to 1.
    fn share(self, value: f64) -> f64 {
        let scale = |value: f64| if self.log { value.ln() } else { value };
        (scale(value) - scale(self.from)) / (scale(self.to) - scale(self.from))
    }
}

/// A chart with lines, as SVG.
struct Chart {
    x: Axis,
    y: Axis,
    body: String,
}

impl Chart {
    fn new(x: Axis, y: Axis, below: &str, beside: &str) -> Self {
        let body = format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{below}</text>\n\
             <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{beside}</text>\n",
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 10.0,
            f64::midpoint(TOP, HEIGHT - BOTTOM),
        );
        Self { x, y, body }
    }

    fn left(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (WIDTH - RIGHT - LEFT)
    }

    fn top(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - BOTTOM - TOP)
    }

    fn add(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    fn tick_x(&mut self, value: f64, label: &str) {
        let x = self.left(value);
        let (bottom, below) = (HEIGHT - BOTTOM, HEIGHT - BOTTOM + 18.0);
        self.add(&format!(
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{label}</text>"
        ));
    }

    fn tick_y(&mut self, value: f64, label: &str) {
        let y = self.top(value);
        let (right, beside) = (WIDTH - RIGHT, LEFT - 8.0);
        self.add(&format!(
            "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/><text x=\"{beside}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            y + 4.0
        ));
    }

    /// A shaded time.
    fn band(&mut self, from: f64, to: f64) {
        let (left, right) = (self.left(from), self.left(to));
        let height = HEIGHT - BOTTOM - TOP;
        self.add(&format!(
            "<rect x=\"{left:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{height}\" fill=\"#fadbd8\"/>",
            right - left
        ));
    }

    fn line(&mut self, points: &[(f64, f64)], colour: &str) {
        let points: Vec<_> = points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", self.left(*x), self.top(*y)))
            .collect();
        self.add(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        ));
    }

    /// Words just above a point.
    fn text(&mut self, x: f64, y: f64, colour: &str, words: &str) {
        let (left, top) = (self.left(x) + 4.0, self.top(y) - 5.0);
        self.add(&format!(
            "<text x=\"{left:.1}\" y=\"{top:.1}\" fill=\"{colour}\">{words}</text>"
        ));
    }

    /// Words to the left of a point.
    fn text_before(&mut self, x: f64, y: f64, colour: &str, words: &str) {
        let (right, top) = (self.left(x) - 6.0, self.top(y) + 10.0);
        self.add(&format!(
            "<text x=\"{right:.1}\" y=\"{top:.1}\" text-anchor=\"end\" fill=\"{colour}\">{words}</text>"
        ));
    }

    fn svg(&self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }
}
