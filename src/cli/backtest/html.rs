//! The report as a page that needs nothing else.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;

use super::report::{
    Row, alerts, firings, heading, objectives, other_values, percent_whole, place, remarks, sent,
    short, title, told,
};
use crate::cli::history::shown;
use crate::cli::words::count;
use slosmith_backtest::{Alert, COLUMNS, Found, Incident, Objective, Plot, Report};
use slosmith_text::diag::render::escape_xml as escape;

/// Sizes in units of the drawing, which is as wide as the page.
const WIDTH: f64 = 840.0;
const HEIGHT: f64 = 110.0;

/// Above and below the values.
const MARGIN: f64 = 6.0;

/// Classes of lines; a sixth line has the colour of the first.
const COLORS: usize = 5;

const DAY: i64 = 86_400;

/// Most times that are written.
const DATES: i64 = 14;

/// From one to the next.
const TICKS: [i64; 7] = [600, 3_600, 21_600, DAY, 2 * DAY, 7 * DAY, 28 * DAY];

const STYLE: &str = include_str!("style.css");

pub(super) fn page(out: &mut dyn Write, all: &[Found], incidents: &[Incident]) -> Result<()> {
    let names: Vec<_> = all
        .iter()
        .map(|found| found.report.service.as_str())
        .collect();
    let title = escape(&format!("Backtest of {}", names.join(", ")));
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>"
    )?;
    for found in all {
        write!(out, "{}", service(found, incidents))?;
    }
    writeln!(out, "</body>\n</html>")?;
    Ok(())
}

fn service(found: &Found, incidents: &[Incident]) -> String {
    let report = &found.report;
    let mut html = format!("<h1>{}</h1>\n", escape(&heading(report)));
    for line in remarks(found) {
        let _ = writeln!(html, "<p class=\"remark\">{}</p>", escape(&line));
    }
    for rows in [objectives(report), alerts(found)] {
        if rows.len() > 1 {
            html += &table(&rows);
        }
    }
    if let Some(incidents) = &found.incidents {
        html += "<ul>\n";
        for line in told(incidents) {
            let _ = writeln!(html, "<li>{}</li>", escape(line.trim()));
        }
        html += "</ul>\n";
    }
    for slo in report.objectives.iter().filter(|slo| !slo.line.is_empty()) {
        let _ = writeln!(
            html,
            "<h2>{} <small>{}</small></h2>\n{}",
            escape(&slo.name),
            escape(&place(&slo.labels)),
            budget(slo)
        );
    }
    html += "<p class=\"remark\">Alerts: firings are red, incidents blue, and times without data grey. Times are UTC.</p>\n";
    let known = || report.alerts.iter().filter(|alert| alert.unknown.is_none());
    for alert in known().filter(|alert| !alert.firings.is_empty()) {
        html += &of_alert(report, alert, incidents);
    }
    let quiet: Vec<_> = known().filter(|alert| alert.firings.is_empty()).collect();
    if !quiet.is_empty() {
        let number = count(quiet.len(), "alert");
        let _ = writeln!(html, "<details><summary>{number} without firings</summary>");
        for alert in quiet {
            html += &of_alert(report, alert, incidents);
        }
        html += "</details>\n";
    }
    let _ = writeln!(html, "<p class=\"remark\">{}</p>", escape(&sent(found)));
    html
}

/// Without the sparklines: the page has drawings.
fn table(rows: &[Row]) -> String {
    let mut html = "<table>\n".to_owned();
    for (i, [cells @ .., _]) in rows.iter().enumerate() {
        let tag = if i == 0 { "th" } else { "td" };
        let cells = cells
            .iter()
            .map(|cell| format!("<{tag}>{}</{tag}>", escape(cell)));
        let _ = writeln!(html, "<tr>{}</tr>", cells.collect::<String>());
    }
    html + "</table>\n"
}

/// The spent budget over the SLO window.
fn budget(slo: &Objective) -> String {
    let spent = slo.line.last().copied().unwrap_or(0.0);
    let top = slo.line.iter().copied().fold(1.0, f64::max);
    let y = |value: f64| HEIGHT - MARGIN - value / top * (HEIGHT - 2.0 * MARGIN);
    let step = WIDTH / slo.line.len() as f64;
    let mut path = format!("M0 {:.1}", y(0.0));
    for (i, value) in slo.line.iter().enumerate() {
        let _ = write!(path, "L{:.1} {:.1}", step * (i + 1) as f64, y(*value));
    }
    let whole = y(1.0);
    let inner = format!(
        "<path class=\"bound\" d=\"M0 {whole:.1}H{WIDTH}\"/><path class=\"line l0\" d=\"{path}\"/>"
    );
    let spent = percent_whole(spent);
    format!(
        "{}<p class=\"key\"><span class=\"bound\">whole error budget</span> <span class=\"l0\">spent: {spent}</span></p>",
        drawing(&inner, &format!("Error budget spent: {spent}"))
    )
}

fn of_alert(report: &Report, alert: &Alert, incidents: &[Incident]) -> String {
    let number = alert.firings.len();
    let mut html = format!(
        "<h2>{} <small>{}</small></h2>\n",
        escape(&title(alert)),
        escape(&alert.severity)
    );
    let behind = background(report, alert, incidents);
    let what = format!("{}: {}", title(alert), count(number, "firing"));
    for (i, plot) in alert.plots.iter().enumerate() {
        let part = match (alert.plots.len(), &alert.tier, i) {
            (1, _, _) => String::new(),
            (_, Some(_), 0) => "Long window. ".to_owned(),
            (_, Some(_), _) => "Short window. ".to_owned(),
            (all, None, _) => format!("Condition {} of {all}. ", i + 1),
        };
        html += &drawing(&format!("{behind}{}", lines(plot)), &what);
        html += &key(plot, alert, &part);
    }
    if alert.plots.is_empty() {
        html += &drawing(&behind, &what);
    }
    if number > 0 {
        let rows = escape(&firings(report, alert).text(""));
        let other = other_values(alert).map(|text| format!("\n{}", escape(&text)));
        let _ = writeln!(html, "<pre>{rows}{}</pre>", other.unwrap_or_default());
    }
    html
}

fn key(plot: &Plot, alert: &Alert, part: &str) -> String {
    let of = if alert.tier.is_some() {
        "burn rate "
    } else {
        ""
    };
    let side = if plot.low { "below" } else { "above" };
    let mut html = format!(
        "<p class=\"key\">{part}<span class=\"bound\">fires {side} {of}{}</span>",
        short(plot.threshold)
    );
    for (i, line) in plot.lines.iter().enumerate() {
        let _ = write!(
            html,
            " <span class=\"l{}\">{}</span>",
            i % COLORS,
            escape(&place(&line.labels))
        );
    }
    if plot.hidden > 0 {
        let _ = write!(html, " and {} more", plot.hidden);
    }
    html + "</p>\n"
}

/// Days, incidents, times without data, and firings.
fn background(report: &Report, alert: &Alert, incidents: &[Incident]) -> String {
    let mut html = String::new();
    let length = (report.to - report.from) as f64;
    let x = |time: i64| (time - report.from) as f64 / length * WIDTH;
    let mut band = |class: &str, from: i64, to: i64, text: &str| {
        let (from, to) = (from.max(report.from), to.min(report.to));
        if from < to {
            // A firing of minutes in a month is still seen.
            let width = (x(to) - x(from)).max(1.0);
            let _ = write!(
                html,
                "<rect class=\"{class}\" x=\"{:.1}\" width=\"{width:.1}\" height=\"{HEIGHT}\"><title>{}</title></rect>",
                x(from),
                escape(text)
            );
        }
    };
    for gap in &report.gaps {
        let text = format!("No data from {} to {}", shown(gap.from), shown(gap.to));
        band("gap", gap.from, gap.to, &text);
    }
    for incident in incidents {
        band("incident", incident.start, incident.end, &incident.title);
    }
    for firing in &alert.firings {
        let end = firing.end.unwrap_or(report.to);
        let text = format!("{} {}", shown(firing.start), place(&firing.labels));
        band("firing", firing.start, end, &text);
    }
    let every = TICKS
        .into_iter()
        .find(|every| length as i64 / every <= DATES);
    let every = every.unwrap_or(length as i64 / DATES);
    let first = report.from - report.from.rem_euclid(every) + every;
    for time in (first..report.to).step_by(every as usize) {
        let (x, shown) = (x(time), shown(time));
        // The time of the day, or the day.
        let text = match time.rem_euclid(DAY) {
            0 => shown.get(5..10),
            _ => shown.get(11..16),
        };
        let (text, right) = (text.unwrap_or_default(), x + 3.0);
        let _ = write!(
            html,
            "<path class=\"day\" d=\"M{x:.1} 0V{HEIGHT}\"/><text x=\"{right:.1}\" y=\"14\">{text}</text>"
        );
    }
    html
}

/// The values of a comparison, and the threshold. The scale begins at zero, or at the lowest value below it.
fn lines(plot: &Plot) -> String {
    let values = || {
        plot.lines
            .iter()
            .flat_map(|line| line.values.iter().flatten().copied())
    };
    let top = values().chain([plot.threshold * 1.2]).fold(0.0, f64::max);
    let bottom = values().chain([plot.threshold]).fold(0.0, f64::min);
    let range = if top > bottom { top - bottom } else { 1.0 };
    let y = |value: f64| HEIGHT - MARGIN - (value - bottom) / range * (HEIGHT - 2.0 * MARGIN);
    let mut html = format!(
        "<path class=\"bound\" d=\"M0 {:.1}H{WIDTH}\"/>",
        y(plot.threshold)
    );
    for (i, line) in plot.lines.iter().enumerate().rev() {
        let step = WIDTH / line.values.len().max(1) as f64;
        let (mut path, mut was_there) = (String::new(), false);
        for (column, value) in line.values.iter().enumerate() {
            if let Some(value) = value {
                let command = if was_there { 'L' } else { 'M' };
                let _ = write!(
                    path,
                    "{command}{:.1} {:.1}",
                    (column as f64 + 0.5) * step,
                    y(*value)
                );
                if !was_there {
                    // A single value is a dot.
                    path += "h.1";
                }
            }
            was_there = value.is_some();
        }
        let _ = write!(html, "<path class=\"line l{}\" d=\"{path}\"/>", i % COLORS);
    }
    let _ = write!(html, "<text x=\"4\" y=\"14\">{}</text>", short(top));
    html
}

fn drawing(inner: &str, what: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">{inner}</svg>\n",
        escape(what)
    )
}

const _: () = assert!(COLUMNS as f64 * 2.0 == WIDTH);
