//! Times as people write them, and files with incidents.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;

use slosmith_backtest::Incident;
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::input;
use slosmith_text::source::{Sources, Spanned};
use slosmith_text::yaml;

/// A time in RFC 3339, or a day in UTC, in seconds since 1970.
pub(in crate::cli) fn read(text: &str) -> Result<i64> {
    if let Ok(day) = text.parse::<Date>()
        && text.len() == "2026-11-01".len()
    {
        return Ok(TimeZone::UTC.to_zoned(day.into())?.timestamp().as_second());
    }
    let time: Result<Timestamp, _> = text.parse();
    let time =
        time.map_err(|_| anyhow!("not a time; expected one such as 2026-11-01T00:00:00Z"))?;
    Ok(time.as_second())
}

/// To the minute where that is exact: `2026-11-01T00:00Z`.
pub(in crate::cli) fn shown(time: i64) -> String {
    let whole = slosmith_backtest::report::rfc3339(time);
    match whole.strip_suffix(":00Z") {
        Some(minutes) => format!("{minutes}Z"),
        None => whole,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    title: String,
    start: Spanned<String>,
    end: Spanned<String>,
}

/// The incidents of a file, or what is wrong with it.
pub(in crate::cli) fn incidents(path: &Path) -> Result<Result<Vec<Incident>, (Sink, Sources)>> {
    let bytes = input::read_named(path, input::SMALL);
    let bytes = bytes.with_context(|| format!("cannot read {}", path.display()))?;
    let (mut sources, mut findings) = (Sources::default(), Sink::default());
    let read = yaml::decode(path, bytes, &mut sources);
    let read = read.and_then(|file| yaml::read::<Vec<Written>>(file, sources.get(file).text()));
    let written = match read {
        Ok(written) => written,
        Err(error) => {
            findings.push(error);
            return Ok(Err((findings, sources)));
        }
    };
    let mut time = |text: &Spanned<String>| match self::read(&text.value) {
        Ok(time) => Some(time),
        Err(why) => {
            let message = format!("`{text}` is {why}");
            findings.push(Diagnostic::error("invalid-value", text.span, message));
            None
        }
    };
    let mut incidents = Vec::new();
    for incident in &written {
        let (start, end) = (time(&incident.start), time(&incident.end));
        let Some((start, end)) = start.zip(end) else {
            continue;
        };
        incidents.push(Incident {
            title: incident.title.clone(),
            start,
            end,
        });
    }
    for (incident, written) in incidents.iter().zip(&written) {
        if incident.end < incident.start && !findings.has_errors() {
            let message = format!("`{}` ends before it starts", incident.title);
            findings.push(Diagnostic::error(
                "invalid-value",
                written.end.span,
                message,
            ));
        }
    }
    match findings.has_errors() {
        true => Ok(Err((findings, sources))),
        false => Ok(Ok(incidents)),
    }
}
