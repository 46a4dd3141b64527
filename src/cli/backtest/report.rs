//! The report of a backtest: on a terminal, and in a comment on a pull request.

use std::io::Write;

use anyhow::Result;

use crate::cli::history::shown;
use crate::cli::table::Table;
use crate::cli::words::count;
use slosmith_backtest::{Alert, Firing, Found, Incidents, Objective, Report};
use slosmith_promql::sampled::Labels;
use slosmith_render::template::markdown::{cell, code_cell, inline};

/// Marks of a sparkline, from nothing on.
const MARKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Columns of a sparkline.
const COLUMNS: usize = 28;

/// A row of a table.
pub(super) type Row = [String; 6];

/// So many firings of an alert are listed, the last ones.
const LISTED: usize = 10;

pub(super) fn text(out: &mut dyn Write, all: &[Found]) -> Result<()> {
    for (i, found) in all.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        service(out, found)?;
    }
    Ok(())
}

fn service(out: &mut dyn Write, found: &Found) -> Result<()> {
    let report = &found.report;
    writeln!(out, "{}", heading(report))?;
    for rows in [objectives(report), alerts(found)] {
        if rows.len() > 1 {
            let mut table = Table::right_aligned(&[2, 3, 4]);
            for row in &rows {
                table.row(row.each_ref().map(String::as_str));
            }
            writeln!(out, "\n{}", table.text("").trim_end())?;
        }
    }
    let remarks = remarks(found);
    if !remarks.is_empty() {
        writeln!(out)?;
    }
    for line in remarks {
        writeln!(out, "{line}")?;
    }
    for alert in report
        .alerts
        .iter()
        .filter(|alert| !alert.firings.is_empty())
    {
        writeln!(out, "\n{}", title(alert))?;
        write!(out, "{}", firings(report, alert).text("  "))?;
        if let Some(other) = other_values(alert) {
            writeln!(out, "  {other}")?;
        }
    }
    if let Some(incidents) = &found.incidents {
        writeln!(out)?;
        for line in told(incidents) {
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out, "\n{}", sent(found))?;
    Ok(())
}

/// What the server was sent.
pub(super) fn sent(found: &Found) -> String {
    let queries = &found.report.queries;
    let sent = count(queries.count as usize, "request");
    let kept = match queries.kept as usize {
        0 => String::new(),
        kept => format!(", {} of earlier runs", count(kept, "answer")),
    };
    format!(
        "{sent} to {} in {:.1} s{kept}: {} samples",
        found.server, queries.seconds, queries.samples
    )
}

/// The heads of a table, and a row for each SLO and place; the last column is a sparkline.
pub(super) fn objectives(report: &Report) -> Vec<Row> {
    let heads = [
        "SLO",
        "place",
        "objective",
        "attained",
        "budget spent",
        "over the time",
    ];
    let row = |slo: &Objective| {
        [
            slo.name.clone(),
            place(&slo.labels),
            percent(slo.objective),
            slo.attained.map_or("no events".into(), percent),
            slo.budget.map_or(String::new(), percent_whole),
            line(slo),
        ]
    };
    let rows = report.objectives.iter().map(row);
    [heads.map(str::to_owned)].into_iter().chain(rows).collect()
}

/// The heads of a table, and a row for each alert, with the firings of another version before an arrow; the last column is a sparkline.
pub(super) fn alerts(found: &Found) -> Vec<Row> {
    let report = &found.report;
    let heads = [
        "alert",
        "severity",
        "firings",
        "a week",
        "longest",
        "over the time",
    ];
    let number = |alert: &Alert| match alert.unknown {
        Some(_) => "unknown".to_owned(),
        None => alert.firings.len().to_string(),
    };
    let row = |alert: &Alert| {
        let now = number(alert);
        let before = found.against.as_ref().map(|old| match same(old, alert) {
            Some(old) => number(old),
            None => "new".to_owned(),
        });
        let known = |text: String| match &alert.unknown {
            Some(_) => String::new(),
            None => text,
        };
        let longest = match alert.firings.is_empty() {
            true => String::new(),
            false => length(alert.longest(report.from, report.to)),
        };
        [
            title(alert),
            alert.severity.clone(),
            match before {
                Some(before) if before != now => format!("{before} → {now}"),
                _ => now,
            },
            known(rate(report.a_week(alert.firings.len()))),
            longest,
            known(days(report, alert)),
        ]
    };
    let removed = |alert: &Alert| {
        let firings = format!("{} → removed", number(alert));
        let empty = String::new;
        let (title, severity) = (title(alert), alert.severity.clone());
        [title, severity, firings, empty(), empty(), empty()]
    };
    let mut rows = vec![heads.map(str::to_owned)];
    rows.extend(report.alerts.iter().map(row));
    let old = found.against.iter().flat_map(|old| &old.alerts);
    rows.extend(
        old.filter(|alert| same(report, alert).is_none())
            .map(removed),
    );
    rows
}

pub(super) fn heading(report: &Report) -> String {
    format!(
        "{}: {} to {}",
        report.service,
        shown(report.from),
        shown(report.to)
    )
}

/// What limits the results.
pub(super) fn remarks(found: &Found) -> Vec<String> {
    let report = &found.report;
    let mut all = Vec::new();
    let is_inexact = |alert: &Alert| alert.firings.iter().any(|firing| inexact(alert, firing));
    if let Some(begins) = report.begins {
        let mut line = format!("The history begins at {}.", shown(begins));
        if report.alerts.iter().any(is_inexact) {
            line += " Firings with `?` began before the windows of their rules were full.";
        }
        all.push(line);
    }
    for alert in &report.alerts {
        if let Some(why) = &alert.unknown {
            all.push(format!("{} is unknown: {why}.", title(alert)));
        }
    }
    let never = |alert: &&Alert| alert.exact_from.is_some_and(|from| from >= report.to);
    let never: Vec<_> = report.alerts.iter().filter(never).map(title).collect();
    if !never.is_empty() {
        let names = never.join(", ");
        all.push(format!(
            "Not exact, because the windows are longer than the history: {names}."
        ));
    }
    for gap in &report.gaps {
        let (from, to) = (shown(gap.from), shown(gap.to));
        all.push(format!(
            "No data from {from} to {to}: firings in this time are unknown."
        ));
    }
    all
}

pub(super) fn told(incidents: &Incidents) -> Vec<String> {
    let mut all = Vec::new();
    for outcome in &incidents.outcomes {
        let title = &outcome.incident.title;
        all.push(match &outcome.caught {
            None => format!("Missed: {title}"),
            Some(page) => {
                let after = page.after.unwrap_or(0);
                let when = match after < 0 {
                    true => format!("{} before its start", length(-after)),
                    false => format!("after {}", length(after)),
                };
                format!("Caught: {title}: {} {when}", page.alert)
            }
        });
    }
    if incidents.outcomes.is_empty() {
        all.push("No incident in this time".to_owned());
    } else {
        let number = count(incidents.outside.len(), "page");
        all.push(format!("{number} outside the incidents"));
    }
    let hidden = incidents.outside.len().saturating_sub(LISTED);
    if hidden > 0 {
        let hidden = count(hidden, "earlier page");
        all.push(format!("  {hidden} not shown"));
    }
    for page in incidents.outside.iter().skip(hidden) {
        all.push(format!("  {}  {}", shown(page.start), page.alert));
    }
    all
}

pub(super) fn markdown(out: &mut dyn Write, all: &[Found]) -> Result<()> {
    for found in all {
        let report = &found.report;
        writeln!(out, "### {}\n", inline(&heading(report)))?;
        for line in remarks(found) {
            writeln!(out, "- {}", inline(&line))?;
        }
        if !remarks(found).is_empty() {
            writeln!(out)?;
        }
        for rows in [objectives(report), alerts(found)] {
            if rows.len() > 1 {
                write!(out, "{}", markdown_table(&rows))?;
                writeln!(out)?;
            }
        }
        if let Some(incidents) = &found.incidents {
            for line in told(incidents) {
                writeln!(out, "- {}", inline(line.trim()))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Without the sparklines, which a proportional font distorts; the first column has names.
fn markdown_table(rows: &[Row]) -> String {
    let mut text = String::new();
    for (i, [name, middle @ .., _]) in rows.iter().enumerate() {
        let name = match i {
            0 => name.clone(),
            _ => code_cell(name),
        };
        let middle: Vec<_> = middle.iter().map(|text| cell(text)).collect();
        text += &format!("| {name} | {} |\n", middle.join(" | "));
        if i == 0 {
            text += "|---|---|--:|--:|--:|\n";
        }
    }
    text
}

/// True for a firing that began before the windows of its rule were full.
fn inexact(alert: &Alert, firing: &Firing) -> bool {
    alert.exact_from.is_some_and(|from| firing.start < from)
}

/// The same alert in another report.
fn same<'a>(report: &'a Report, alert: &Alert) -> Option<&'a Alert> {
    let is_same = |other: &&Alert| title(other) == title(alert);
    report.alerts.iter().find(is_same)
}

pub(super) fn title(alert: &Alert) -> String {
    match &alert.tier {
        Some(tier) => format!("{} ({})", alert.name, tier.name),
        None => alert.name.clone(),
    }
}

pub(super) fn place(labels: &Labels) -> String {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(label, value)| format!("{label}={value}"))
        .collect();
    match pairs.is_empty() {
        true => "all".to_owned(),
        false => pairs.join(", "),
    }
}

fn percent(ratio: f64) -> String {
    let digits = match 1.0 - ratio {
        rest if rest < 0.001 => 4,
        rest if rest < 0.01 => 3,
        _ => 2,
    };
    let text = format!("{:.digits$}", ratio * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}%")
}

pub(super) fn percent_whole(ratio: f64) -> String {
    match ratio * 100.0 {
        small if small > 0.0 && small < 1.0 => "<1%".to_owned(),
        whole => format!("{whole:.0}%"),
    }
}

fn rate(number: f64) -> String {
    format!("{number:.1}")
}

/// `42m`, `3h`, `1h30m`, `2d4h`: of the two largest units.
fn length(seconds: i64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (size, unit) in units {
        if rest >= size && parts.len() < 2 {
            parts.push(format!("{}{unit}", rest / size));
            rest %= size;
        } else if !parts.is_empty() {
            break;
        }
    }
    match parts.is_empty() {
        true => "0s".to_owned(),
        false => parts.concat(),
    }
}

/// The spent budget from its beginning to its end: the highest mark is all of it.
fn line(slo: &Objective) -> String {
    slo.line.iter().map(|spent| mark(*spent)).collect()
}

/// When an alert fired: the highest mark is all of a column's time.
fn days(report: &Report, alert: &Alert) -> String {
    let width = (report.to - report.from) as f64 / COLUMNS as f64;
    let column = |i: usize| {
        let from = report.from as f64 + width * i as f64;
        let fired = alert.firings.iter().map(|firing| {
            let end = firing.end.unwrap_or(report.to) as f64;
            (end.min(from + width) - (firing.start as f64).max(from)).max(0.0)
        });
        fired.fold(0.0, f64::max) / width
    };
    match alert.firings.is_empty() {
        true => String::new(),
        false => (0..COLUMNS).map(|i| mark(column(i))).collect(),
    }
}

/// Nothing has the lowest mark, and everything else a higher one.
fn mark(share: f64) -> char {
    let last = MARKS.len() - 1;
    let at = (share.clamp(0.0, 1.0) * last as f64).ceil() as usize;
    MARKS[at.min(last)]
}

pub(super) fn firings(report: &Report, alert: &Alert) -> Table {
    let mut table = Table::right_aligned(&[1, 2, 3]);
    let hidden = alert.firings.len().saturating_sub(LISTED);
    if hidden > 0 {
        let hidden = count(hidden, "earlier firing");
        table.row([&format!("{hidden} not shown"), "", "", "", ""]);
    }
    for firing in alert.firings.iter().skip(hidden) {
        let end = firing.end.unwrap_or(report.to);
        let peak = match alert.tier {
            Some(_) => format!("burn rate {:.1}", firing.peak),
            None => format!("peak {}", short(firing.peak)),
        };
        let spent = firing
            .spent
            .map(|spent| format!("{} of the budget", percent_whole(spent)));
        let before = if firing.began_before { "before " } else { "" };
        let mark = if inexact(alert, firing) { " ?" } else { "" };
        let more = if firing.end.is_none() {
            ", and goes on"
        } else {
            ""
        };
        table.row([
            &format!("{before}{}{mark}", shown(firing.start)),
            &format!("{}{more}", length(end - firing.start)),
            &peak,
            &spent.unwrap_or_default(),
            &place(&firing.labels),
        ]);
    }
    table
}

pub(super) fn short(value: f64) -> String {
    match value.abs() {
        small if small != 0.0 && small < 0.001 => format!("{value:.1e}"),
        large if large >= 1e6 => format!("{value:.2e}"),
        _ => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// `5 at 25 to 75, 0 at 100`: thresholds with the same number of firings are told together.
pub(super) fn other_values(alert: &Alert) -> Option<String> {
    let own = alert.curve.iter().find(|point| point.own)?;
    let others = alert.curve.iter().filter(|point| point.r#for == own.r#for);
    let mut runs: Vec<(usize, f64, f64)> = Vec::new();
    for point in others {
        match runs.last_mut() {
            Some((firings, _, last)) if *firings == point.firings => *last = point.threshold,
            _ => runs.push((point.firings, point.threshold, point.threshold)),
        }
    }
    let shown = |(firings, first, last): &(usize, f64, f64)| match first == last {
        true => format!("{firings} at {}", short(*first)),
        false => format!("{firings} at {} to {}", short(*first), short(*last)),
    };
    let all: Vec<_> = runs.iter().map(shown).collect();
    Some(format!("Firings by threshold: {}", all.join(", ")))
}
