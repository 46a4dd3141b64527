//! `slosmith health`: checks `/metrics` output against the conditions of a spec.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::terminal::{Mood, Terminal};
use super::{Format, page, plan};
use slosmith_plan::health::{self, Finding, Headline, Pages, Shown, Verdict, judge};
use slosmith_plan::plan::Plan;
use slosmith_resolve as resolve;
use slosmith_spec::spec::Document;
use slosmith_text::units::Duration;

/// Show which alert conditions are true on a server right now
#[derive(Debug, Args)]
pub struct HealthArgs {
    /// `/metrics` output: an http:// or https:// URL, a file, or - for standard input
    #[arg(value_name = "METRICS")]
    page: String,
    /// Spec with the conditions
    #[arg(long, value_name = "FILE")]
    spec: PathBuf,
    /// Environment of the spec, if it has several
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Earlier `/metrics` output of the same server. Rates and percentiles are computed from the difference
    #[arg(long, value_name = "METRICS")]
    since: Option<String>,
    /// Time between `--since` and METRICS. Default for files: the difference of the modification times
    #[arg(long, value_name = "DURATION", requires = "since")]
    interval: Option<Duration>,
    /// Exit with 1 if a condition with this or a higher severity is true. `never`: always exit with 0. Default: severity of
    /// the paging alerts of the spec
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    http: page::HttpArgs,
}

pub fn run(args: &HealthArgs, out: &mut Terminal) -> Result<u8> {
    let Some((plan, document)) = plan::with_document(&args.spec, args.environment.as_deref())?
    else {
        return Ok(2);
    };
    let fail_on = severities(args, &plan)?;
    let now = page::read(&args.page, &args.http)?;
    let since = args.since.as_deref();
    let since = since.map(|page| page::read(page, &args.http)).transpose()?;
    let since = match &since {
        None => None,
        Some(page) => Some((page, seconds(args)?)),
    };
    let pages = Pages { now: &now, since };
    let found = judge(&plan, pages);
    let headlines = health::headlines(&headlines(&document), pages);
    match args.format {
        Format::Text => text(out, &plan, &found, &headlines)?,
        Format::Json => writeln!(out, "{:#}", json(&plan, &found, &headlines))?,
    }
    let fails = |f: &Finding| holds(f) && fail_on.contains(&f.severity);
    Ok(match status(&found) {
        _ if fail_on.is_empty() => 0,
        // A run that could not check a condition must not look like a success.
        UNKNOWN => 3,
        _ => u8::from(found.iter().any(fails)),
    })
}

/// The key metrics that the releases of the spec have.
fn headlines(document: &Document) -> Vec<Headline> {
    let known = health::HEADLINES.into_iter().filter_map(|(name, stat)| {
        let signal = resolve::library_signal(document, name)?;
        Some(Headline { signal, stat })
    });
    known.collect()
}

fn holds(finding: &Finding) -> bool {
    matches!(finding.verdict, Verdict::Holds(_))
}

/// No condition is true, and some could not be checked.
const UNKNOWN: &str = "unknown";

/// Every condition was checked, and none is true.
const HEALTHY: &str = "healthy";

fn is_unknown(finding: &Finding) -> bool {
    matches!(finding.verdict, Verdict::Unknown(_))
}

fn status(found: &[Finding]) -> &'static str {
    if found.iter().any(holds) {
        "degraded"
    } else if found.iter().any(is_unknown) {
        UNKNOWN
    } else {
        HEALTHY
    }
}

/// The reason of the verdict: `13 of 15 conditions were not checked, and none of the others is true`.
fn verdict(found: &[Finding]) -> String {
    let count = |wanted: fn(&Finding) -> bool| found.iter().filter(|f| wanted(f)).count();
    let (all, holding, unknown) = (found.len(), count(holds), count(is_unknown));
    let were = |n| if n == 1 { "was" } else { "were" };
    let are = if holding == 1 { "is" } else { "are" };
    match (holding, unknown) {
        (0, 0) => format!("none of {all} conditions is true"),
        (0, n) if n == all => "no condition could be checked".to_owned(),
        (0, n) => format!(
            "{n} of {all} conditions {} not checked, and none of the others is true",
            were(n)
        ),
        (_, 0) => format!("{holding} of {all} conditions {are} true"),
        (_, n) => format!(
            "{holding} of {all} conditions {are} true, and {n} {} not checked",
            were(n)
        ),
    }
}

/// Severities that exit with 1. Severities other than the two named ones count as paging.
fn severities(args: &HealthArgs, plan: &Plan) -> Result<Vec<String>> {
    let own = &plan.service.severities;
    let asked = args.fail_on.as_deref().unwrap_or(&own.page);
    let mut known: Vec<String> = plan.alerts.iter().map(|a| a.severity.clone()).collect();
    known.extend([own.page.clone(), own.ticket.clone()]);
    known.sort();
    known.dedup();
    match asked {
        "never" => Ok(Vec::new()),
        asked if asked == own.ticket => Ok(known),
        asked if asked == own.page => {
            known.retain(|severity| *severity != own.ticket);
            Ok(known)
        }
        asked if known.iter().any(|severity| severity == asked) => Ok(vec![asked.to_owned()]),
        asked => bail!(
            "`--fail-on {asked}`: unknown severity; use {} or never",
            known.join(", ")
        ),
    }
}

/// Seconds between the two snapshots.
fn seconds(args: &HealthArgs) -> Result<f64> {
    if let Some(interval) = args.interval {
        let seconds = interval.as_secs();
        if seconds == 0 {
            bail!("`--interval` must be greater than 0");
        }
        return Ok(Duration::from_secs(seconds).as_secs() as f64);
    }
    let changed = |address: &str| -> Result<SystemTime> {
        let about = std::fs::metadata(address);
        let about = about.ok().filter(std::fs::Metadata::is_file);
        let about = about
            .with_context(|| format!("{address} is not a file: pass `--interval`, such as 60s"))?;
        Ok(about.modified()?)
    };
    let since = args.since.as_deref().unwrap_or_default();
    let (before, after) = (changed(since)?, changed(&args.page)?);
    let passed = after.duration_since(before).map(|d| d.as_secs_f64());
    match passed {
        Ok(seconds) if seconds > 0.0 => Ok(seconds),
        _ => bail!(
            "{since} must be older than {}: pass `--interval`, such as 60s",
            args.page
        ),
    }
}

fn text(out: &mut Terminal, plan: &Plan, found: &[Finding], headlines: &[Shown]) -> Result<()> {
    let mood = match status(found) {
        UNKNOWN => Mood::Doubtful,
        HEALTHY => Mood::Good,
        _ => Mood::Bad,
    };
    write!(out, "{}: ", plan.service.name)?;
    out.paint(mood, status(found))?;
    write!(out, ": ")?;
    let taken = [plan.service.name.as_str(), status(found)].map(|word| word.chars().count() + 2);
    out.fold(taken.iter().sum(), 2, &verdict(found))?;
    for f in found.iter().filter(|f| holds(f)) {
        let mood = match f.severity == plan.service.severities.ticket {
            true => Mood::Doubtful,
            false => Mood::Bad,
        };
        out.paint(mood, &f.severity)?;
        write!(out, " ")?;
        let text = format!("{}: {}", f.alert, f.summary);
        out.fold(f.severity.chars().count() + 1, 2, &text)?;
        if let Verdict::Holds(groups) = &f.verdict {
            for group in groups.iter().filter(|group| !group.is_empty()) {
                inner(out, &format!("where {group}"))?;
            }
        }
        for line in &f.measured {
            inner(out, line)?;
        }
        if let Some(action) = &f.action {
            inner(out, &format!("do first: {action}"))?;
        }
        inner(out, &format!("runbook: {}", f.runbook))?;
    }
    let mut unknown: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for f in found {
        if let Verdict::Unknown(why) = &f.verdict {
            unknown.entry(why.to_string()).or_default().push(&f.alert);
        }
    }
    for (why, alerts) in unknown {
        let what = "not checked";
        out.paint(Mood::Doubtful, what)?;
        write!(out, ", ")?;
        out.fold(what.len() + 2, 2, &format!("{why}: {}", alerts.join(", ")))?;
    }
    for headline in headlines {
        out.fold(0, 2, &format!("{}: {}", headline.title, headline.text))?;
    }
    Ok(())
}

/// A line that belongs to the one before.
fn inner(out: &mut Terminal, text: &str) -> std::io::Result<()> {
    write!(out, "  ")?;
    out.fold(2, 4, text)
}

fn json(plan: &Plan, found: &[Finding], headlines: &[Shown]) -> Value {
    let entries: Vec<_> = found
        .iter()
        .map(|f| {
            let (verdict, groups, why) = match &f.verdict {
                Verdict::Holds(groups) => ("holds", groups.clone(), Value::Null),
                Verdict::Clear => ("clear", Vec::new(), Value::Null),
                Verdict::Unknown(why) => ("unknown", Vec::new(), json!(why.to_string())),
            };
            json!({
                "alert": f.alert,
                "severity": f.severity,
                "summary": f.summary,
                "verdict": verdict,
                "groups": groups,
                "why": why,
                "measured": f.measured,
                "action": f.action,
                "runbook": f.runbook,
            })
        })
        .collect();
    let headlines = headlines.iter().map(|h| {
        let value = h.value.as_ref().ok();
        json!({"title": h.title, "value": value, "text": h.text})
    });
    json!({
        "service": plan.service.name,
        "status": status(found),
        "headlines": headlines.collect::<Vec<_>>(),
        "conditions": entries,
    })
}
