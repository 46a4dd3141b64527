//! Tiers of a source as a spec can have them.

use super::context::Cx;
use super::model::{Burn, Objective, Tier};
use super::print::{Map, Value};
use slosmith_plan::plan::PAGE_UP_TO;
use slosmith_resolve::tiers::{SHORTEST, SLOWEST, SRE_WORKBOOK, twelfth};
use slosmith_text::units::{Duration, Number, decimal};

impl Tier {
    pub(super) fn factor(&self, period: Duration) -> Number {
        match self.burn {
            Burn::Factor(factor) => factor,
            Burn::Consumes(share) => share * period.number() / self.long.number(),
        }
    }
}

pub(super) fn workbook() -> Vec<Tier> {
    let tier = |(hours, percent)| {
        let long = Duration::from_secs(hours * 3_600);
        Tier {
            burn: Burn::Consumes(Number::new(percent, 100)),
            long,
            short: twelfth(long),
            is_page: long <= PAGE_UP_TO,
            at: None,
        }
    };
    SRE_WORKBOOK.map(tier).into()
}

/// The tiers of an objective that says nothing of alerts: those of the workbook that fit, in proportion to its period.
///
/// 2% of the budget in 1/720 of the period, as in 1h of 30d, and so on.
pub(super) fn usual(objective: Number, period: Duration) -> Vec<Tier> {
    const DAY: u64 = 86_400;
    let is_long = (28 * DAY..=90 * DAY).contains(&period.as_secs());
    let scaled = |tier: Tier| {
        let minutes = tier.long.as_secs() * period.as_secs() / (30 * DAY) / 60;
        let long = Duration::from_mins(minutes.max(12));
        let short = twelfth(long);
        Tier {
            long,
            short,
            ..tier
        }
    };
    let mut kept = Vec::new();
    for tier in workbook() {
        let tier = if is_long { tier } else { scaled(tier) };
        if fault(&tier, objective, period, &kept).is_none() {
            kept.push(tier);
        }
    }
    kept
}

pub(super) fn fit(cx: &mut Cx<'_>, objective: &mut Objective) {
    let period = objective.window;
    let (page, ticket) = (objective.page.is_some(), objective.ticket.is_some());
    let mut kept: Vec<Tier> = Vec::new();
    for tier in std::mem::take(&mut objective.tiers) {
        if !(if tier.is_page { page } else { ticket }) {
            continue;
        }
        let Some(why) = fault(&tier, objective.objective, period, &kept) else {
            kept.push(tier);
            continue;
        };
        let at = tier.at.unwrap_or(objective.at);
        let what = format!(
            "burn-rate alert ({} over {}) of the SLO `{}`: {why}",
            decimal(tier.factor(period)),
            tier.long,
            objective.name
        );
        let comment = cx.lost(at, what, "");
        objective.comments.push(comment);
    }
    objective.tiers = kept;
}

fn fault(tier: &Tier, objective: Number, period: Duration, others: &[Tier]) -> Option<String> {
    let factor = tier.factor(period);
    let ratio = factor * (Number::from_integer(1) - objective);
    if ratio >= Number::from_integer(1) {
        let ratio = decimal(ratio * 100);
        Some(format!(
            "the alert can never fire, because it needs an error ratio of {ratio}%"
        ))
    } else if factor < SLOWEST {
        Some("the alert would fire while the objective is met".to_owned())
    } else if tier.long > period {
        Some(format!(
            "the window is longer than the SLO window of {period}"
        ))
    } else if tier.short < SHORTEST || tier.short >= tier.long {
        Some(format!(
            "the short window of {} must be at least {SHORTEST} and shorter than the long window",
            tier.short
        ))
    } else if others.iter().any(|other| other.long == tier.long) {
        Some("another tier has the same long window".to_owned())
    } else {
        None
    }
}

pub(super) struct Severities<'a> {
    pub(super) page: &'a str,
    pub(super) ticket: &'a str,
}

pub(super) fn burn(objective: &Objective, severities: &Severities<'_>) -> Option<Value> {
    if objective.tiers.is_empty() {
        return Some(Value::word("none"));
    }
    let names = [
        (&objective.page, severities.page, "critical"),
        (&objective.ticket, severities.ticket, "warning"),
    ];
    let names = names.map(|(urgency, default, unnamed)| {
        let own = urgency.as_ref().and_then(|u| u.severity.as_deref());
        (own.unwrap_or(unnamed), default)
    });
    let is_default = names.iter().all(|(own, default)| own == default);
    if is_default && is_workbook(objective) {
        return None;
    }
    let tiers = objective.tiers.iter().map(|tier| {
        let mut map = Map::default();
        match tier.burn {
            Burn::Consumes(share) => {
                let share = format!("{}%", decimal(share * 100));
                map.put("consumes", Value::word(share));
            }
            Burn::Factor(factor) => map.put("times", Value::word(decimal(factor))),
        }
        map.put("long", Value::word(tier.long));
        if tier.short != twelfth(tier.long) {
            map.put("short", Value::word(tier.short));
        }
        let (own, _) = names[usize::from(!tier.is_page)];
        let (_, default) = names[usize::from(tier.long > PAGE_UP_TO)];
        if own != default {
            map.put("severity", own);
        }
        Value::Map(map)
    });
    Some(Value::List(tiers.collect()))
}

fn is_workbook(objective: &Objective) -> bool {
    const DAY: u64 = 86_400;
    let period = objective.window;
    let known = workbook();
    let same = |(a, b): (&Tier, &Tier)| {
        (a.long, a.short, a.is_page) == (b.long, b.short, b.is_page)
            && a.factor(period) == b.factor(period)
            // The policy has no burn rate below 1.
            && a.factor(period) >= Number::from_integer(1)
    };
    (28 * DAY..=90 * DAY).contains(&period.as_secs())
        && objective.tiers.len() == known.len()
        && objective.tiers.iter().zip(&known).all(same)
}
