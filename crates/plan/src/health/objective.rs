//! Error budgets on pages: how fast the events between two pages would use one up.
//!
//! An objective of 99% of which 5% of the events were bad burns 5 times too fast. Without an earlier page these are all
//! events since the server started. Over which windows a tier looks is not asked.

use super::index::{Group, Indexed, named};
use super::value::{self, Measurement};
use super::{Finding, Unknown, Verdict};
use crate::plan::{Bucket, EventSli, EventSlo, Family, Plan, Signal, Slo, Tier, words};
use slosmith_catalog::Series;
use slosmith_text::units::{Unit, float, shown_measured};

struct Counted {
    bad: f64,
    total: f64,
}

/// Judges every objective that has tiers by them, every other one that has no alert by its budget; what it misses
/// so has the severity of tickets.
pub(super) fn judge(plan: &Plan, since: &Indexed<'_>) -> Vec<Finding> {
    let ticket = &plan.service.severities.ticket;
    let slos = plan.slos.iter();
    slos.map(|slo| finding(slo, ticket, since)).collect()
}

fn finding(slo: &Slo, ticket: &str, pages: &Indexed<'_>) -> Finding {
    let events = &slo.events;
    let (mut holds, mut why, mut measured) = (Vec::new(), None, Vec::new());
    let mut worst: Option<&Tier> = None;
    let untiered = events.tiers.is_empty();
    let groups = match events.sli.signal() {
        Some(signal) => value::groups_or_whole(signal, &slo.labels, pages),
        None => vec![Group::new()],
    };
    for group in groups {
        match count(events, pages, &group) {
            Err(reason) => why = Some(reason),
            Ok(counted) => {
                let ratio = counted.bad / counted.total;
                measured.push(line(events, ratio, pages));
                if untiered && ratio > float(events.budget.budget) {
                    holds.push(named(&group));
                }
                if let Some(tier) = exceeded(events, ratio) {
                    holds.push(named(&group));
                    let faster = worst.is_none_or(|worst| tier.factor > worst.factor);
                    worst = if faster { Some(tier) } else { worst };
                }
            }
        }
    }
    measured.dedup();
    let tier = worst.or(events.tiers.first());
    let title = words::capital(&slo.title);
    Finding {
        alert: match untiered {
            true => slo.name.clone(),
            false => slo.alert_name.clone(),
        },
        severity: tier.map_or(ticket, |t| &t.severity).to_owned(),
        summary: match worst {
            Some(tier) => format!("{title}: at this rate, over {}", words::spent(slo, tier)),
            None => format!("{title}: error budget"),
        },
        action: None,
        runbook: slo.links.runbook.clone(),
        verdict: Verdict::of(holds, why),
        measured,
        parts: 1,
    }
}

/// `5% of events were bad between the two snapshots: burn rate 5 (error budget 1%)`
fn line(events: &EventSlo, ratio: f64, pages: &Indexed<'_>) -> String {
    let budget = float(events.budget.budget);
    let burns = shown_measured(ratio / budget, Unit::Count);
    format!(
        "{} of events were bad {}: burn rate {burns} (error budget {})",
        shown_measured(ratio, Unit::Ratio),
        pages.span(),
        shown_measured(budget, Unit::Ratio),
    )
}

fn exceeded(events: &EventSlo, ratio: f64) -> Option<&Tier> {
    let over = events.tiers.iter().filter(|t| ratio > float(t.threshold));
    over.max_by(|a, b| a.factor.cmp(&b.factor))
}

fn total(sli: &EventSli) -> Result<&Signal, Unknown> {
    match sli {
        EventSli::Ratio { total, .. } => Ok(total),
        EventSli::Latency { signal, .. } => Ok(signal),
        EventSli::Time(_) => Err(Unknown::ShareOfTime),
        EventSli::Own(_) | EventSli::OwnRatio(_) => Err(Unknown::OwnPromQl),
    }
}

fn count(events: &EventSlo, pages: &Indexed<'_>, group: &Group) -> Result<Counted, Unknown> {
    let total = Measurement::events(total(&events.sli)?).value(pages, group)?;
    let seconds = pages.seconds();
    let least = f64::from(events.min_events);
    if total <= 0.0 {
        return Err(Unknown::NoEvents);
    }
    if total * seconds < least {
        return Err(Unknown::FewEvents(events.min_events));
    }
    let bad = match &events.sli {
        EventSli::Ratio { part, good, .. } => {
            let part = Measurement::events(part).part_value(pages, group)?;
            if *good { total - part } else { part }
        }
        EventSli::Latency { family, within, .. } => {
            let buckets = value::buckets(family, pages, group)?;
            total - at_most(&buckets, within).ok_or_else(|| lacks(family, within))? / seconds
        }
        EventSli::Time(_) | EventSli::Own(_) | EventSli::OwnRatio(_) => {
            return Err(Unknown::OwnPromQl);
        }
    };
    Ok(Counted {
        bad: bad.max(0.0),
        total,
    })
}

fn at_most(buckets: &[(f64, f64)], within: &Bucket) -> Option<f64> {
    let bound = float(within.bound);
    let same = |(end, _): &&(f64, f64)| (end - bound).abs() <= bound.abs() * 1e-9;
    buckets.iter().find(same).map(|(_, count)| *count)
}

fn lacks(family: &Family, within: &Bucket) -> Unknown {
    let name = family.served.newest();
    let series = Series::Bucket.suffix();
    Unknown::NotOnPage(format!("{name}{series}{{le=\"{}\"}}", within.le))
}
