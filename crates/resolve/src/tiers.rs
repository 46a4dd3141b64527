//! Burn-rate mathematics, exact.
//!
//! With objective `s`, error budget `e = 1 - s`, period `P` and long window `W`, consuming a share `c` of
//! the budget within `W` is a burn rate of `c * P / W`, and fires at the error ratio `rate * e`
//! (Google SRE Workbook, chapter 5).

use slosmith_plan::plan::{Budget, Marks, PAGE_UP_TO, Severities, Tier};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Burn, Policy};
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Duration, Number, decimal};

/// Hours, and the percentage of a budget that is consumed in them.
pub const SRE_WORKBOOK: [(u64, i128); 4] = [(1, 2), (6, 5), (24, 10), (72, 10)];

/// The slowest burn rate of a tier, as at 1 the budget lasts for the period exactly. The workbook's last tier would be at 0.93
/// for 28 days: `sre-workbook` makes 1 of it, and other tools' tiers are taken as they are.
pub const SLOWEST: Number = Number::new_raw(9, 10);

/// The shortest window a rate is taken over.
pub const SHORTEST: Duration = Duration::from_mins(1);

pub(super) struct Objective<'a> {
    pub(super) name: &'a str,
    pub(super) budget: Budget,
    pub(super) at: Span,
    pub(super) period: Spanned<Duration>,
    pub(super) severities: &'a Severities,
}

pub(super) fn budget(
    objective: &Spanned<slosmith_text::units::Quantity>,
) -> Result<Budget, Diagnostic> {
    let out_of_range = |message: String, help: &str| {
        Diagnostic::error("objective-out-of-range", objective.span, message).help(help)
    };
    let value = objective
        .value
        .ratio()
        .map_err(|m| Diagnostic::error("wrong-unit", objective.span, m.message).help(m.help))?;
    let (zero, one) = (Number::from_integer(0), Number::from_integer(1));
    if value == one {
        return Err(out_of_range(
            "an objective of 100% leaves no error budget: every burn rate would be infinite".into(),
            "use a lower objective, such as `99.9%`",
        ));
    }
    if value <= zero || value > one {
        return Err(out_of_range(
            format!("an objective must be above 0% and below 100%; found {objective}"),
            "write the share of good events, such as `99.9%`",
        ));
    }
    Ok(Budget {
        objective: value,
        budget: one - value,
    })
}

pub(super) fn resolve(
    objective: &Objective<'_>,
    burn: Option<&Spanned<spec::Burn>>,
    notes: &mut Vec<String>,
    sink: &mut Sink,
) -> Vec<Tier> {
    let mut tiers = match burn.map(|burn| (&burn.value, burn.span)) {
        None => workbook(objective, None, notes, sink),
        Some((Burn::Tiers(tiers), _)) => own(objective, tiers, sink),
        Some((Burn::Policy(Policy::SreWorkbook), at)) => workbook(objective, Some(at), notes, sink),
        Some((Burn::Policy(Policy::None), _)) => {
            notes.push(format!("`{}` has no burn-rate alerts", objective.name));
            Vec::new()
        }
    };
    tiers.sort_by_key(|t| (t.long, t.short));
    tiers
}

/// A tier that fits any objective and period: five times the error budget, but less than all events.
fn example(objective: &Objective<'_>) -> String {
    let percent = Number::from_integer(100);
    let budget = objective.budget.budget * percent;
    let ratio =
        (budget * Number::from_integer(5)).min((budget + percent) / Number::from_integer(2));
    let long = objective.period.value.min(Duration::from_mins(60));
    format!("{{ratio: {}%, long: {long}}}", decimal(ratio))
}

/// The workbook's tiers that fit the period and the objective; a note names the others.
fn workbook(
    objective: &Objective<'_>,
    asked: Option<Span>,
    notes: &mut Vec<String>,
    sink: &mut Sink,
) -> Vec<Tier> {
    let period = objective.period.value;
    let all = SRE_WORKBOOK.map(|(hours, percent)| {
        let long = Duration::from_secs(hours * 3_600);
        let factor = Number::new(percent, 100) * period.number() / long.number();
        let one = Number::from_integer(1);
        let factor = if factor < SLOWEST {
            factor
        } else {
            factor.max(one)
        };
        tier(objective, factor, long, twelfth(long), None)
    });
    let is_slow = |tier: &Tier| tier.long > period || tier.factor < SLOWEST;
    let (slow, fit): (Vec<_>, Vec<_>) = all.into_iter().partition(is_slow);
    let Some(slowest) = fit.last().cloned() else {
        let message = format!(
            "no tier of `sre-workbook` fits an SLO window of {period}: each would alert while `{}` meets its objective",
            objective.name
        );
        let at = asked.unwrap_or(objective.period.span);
        let error = Diagnostic::error("no-tiers", at, message)
            .help(format!(
                "set your own tiers: `burn: [{}]`",
                example(objective)
            ))
            .help("or build the SLO without alerts: `burn: none`");
        sink.push(error);
        return Vec::new();
    };
    let is_unreachable = |tier: &Tier| tier.threshold >= Number::from_integer(1);
    let (unreachable, kept): (Vec<_>, Vec<_>) = fit.into_iter().partition(is_unreachable);
    if kept.is_empty() {
        check_threshold(objective, &slowest, objective.at, sink);
        return Vec::new();
    }
    let mut note = |left_out: &[Tier], why: &str| {
        if !left_out.is_empty() {
            let names: Vec<_> = left_out.iter().map(|tier| tier.long.to_string()).collect();
            notes.push(format!(
                "`{}` has no burn-rate alert over {}: {why}",
                objective.name,
                names.join(" and ")
            ));
        }
    };
    note(
        &slow,
        &format!("with an SLO window of {period}, it would fire while the objective is met"),
    );
    let share = decimal(objective.budget.objective * 100);
    note(
        &unreachable,
        &format!("with an objective of {share}%, its burn rate can never be reached"),
    );
    kept
}

fn own(objective: &Objective<'_>, tiers: &[Spanned<spec::Tier>], sink: &mut Sink) -> Vec<Tier> {
    let mut out: Vec<Tier> = Vec::new();
    for spec in tiers {
        let Some(found) = sink.take(one(objective, spec)) else {
            continue;
        };
        if out.iter().any(|t| t.name == found.name) {
            let message = format!("two tiers have the same long window, {}", found.long);
            let at = spec.value.long.span;
            sink.push(Diagnostic::error("duplicate-name", at, message));
            continue;
        }
        let at = place(&spec.value, spec.span);
        check_factor(objective, &found, at, sink);
        check_threshold(objective, &found, at, sink);
        out.push(found);
    }
    out
}

/// Warns of a fast burn that opens a ticket beside a slower one that pages.
pub(super) fn check_severities(
    Severities { page, ticket }: &Severities,
    given: &[Spanned<spec::Tier>],
    tiers: &[Tier],
    sink: &mut Sink,
) {
    let pages = tiers
        .iter()
        .filter(|tier| tier.severity == *page && page != ticket);
    for slow in pages {
        let fast = tiers.iter().find(|tier| {
            tier.severity == *ticket && tier.long < slow.long && tier.factor > slow.factor
        });
        let at = given.iter().find(|tier| tier.value.long.value == slow.long);
        if let (Some(fast), Some(at)) = (fast, at) {
            let message = format!(
                "the tier over {} pages at a burn rate of {}, and the one over {} only opens a ticket at {}",
                slow.long,
                decimal(slow.factor),
                fast.long,
                decimal(fast.factor)
            );
            let warning = Diagnostic::warning("page-before-ticket", at.span, message);
            sink.push(warning.help("page for the fast burn, and open tickets for the slow one"));
            return;
        }
    }
}

/// Warns of a tier that a shorter one tells before.
pub(super) fn check_order(
    Severities { page, .. }: &Severities,
    given: &[Spanned<spec::Tier>],
    tiers: &[Tier],
    sink: &mut Sink,
) {
    for long in tiers {
        let short = tiers.iter().find(|tier| {
            let tells = tier.severity == long.severity || tier.severity == *page;
            tells && tier.long < long.long && tier.factor <= long.factor
        });
        let at = given.iter().find(|tier| tier.value.long.value == long.long);
        if let (Some(short), Some(at)) = (short, at) {
            let message = format!(
                "the tier over {} has a burn rate of {}, and the one over {} already fires at {}",
                long.long,
                decimal(long.factor),
                short.long,
                decimal(short.factor)
            );
            let warning = Diagnostic::warning("contradiction", at.span, message);
            sink.push(warning.help("a longer window needs a lower burn rate"));
        }
    }
}

fn place(tier: &spec::Tier, whole: Span) -> Span {
    [&tier.consumes, &tier.ratio, &tier.times]
        .into_iter()
        .flatten()
        .map(|q| q.span)
        .next()
        .unwrap_or(whole)
}

fn one(objective: &Objective<'_>, tier_spec: &Spanned<spec::Tier>) -> Result<Tier, Diagnostic> {
    let t = &tier_spec.value;
    let long = t.long;
    let short = match t.short {
        Some(short) => short.value,
        None => twelfth(long.value),
    };
    check_windows(objective, long, t.short, short)?;
    let factor = factor(objective, t, long.value, tier_spec.span)?;
    let severity = t.severity.as_ref().map(|s| s.value.clone());
    Ok(tier(objective, factor, long.value, short, severity))
}

fn factor(
    objective: &Objective<'_>,
    t: &spec::Tier,
    long: Duration,
    at: Span,
) -> Result<Number, Diagnostic> {
    let ratio = |q: &Spanned<slosmith_text::units::Quantity>| {
        q.value
            .ratio()
            .map_err(|m| Diagnostic::error("wrong-unit", q.span, m.message).help(m.help))
    };
    if let Some(consumes) = &t.consumes {
        return Ok(ratio(consumes)? * objective.period.value.number() / long.number());
    }
    if let Some(r) = &t.ratio {
        return Ok(ratio(r)? / objective.budget.budget);
    }
    let missing = || Diagnostic::error("missing-field", at, "the tier has no burn rate");
    let q = t.times.as_ref().ok_or_else(missing)?;
    q.value
        .of(slosmith_text::units::Unit::Count, false)
        .map_err(|m| {
            Diagnostic::error("wrong-unit", q.span, m.message)
                .help("write a plain number such as `14.4`")
        })
}

fn tier(
    objective: &Objective<'_>,
    factor: Number,
    long: Duration,
    short: Duration,
    severity: Option<String>,
) -> Tier {
    let default = if long <= PAGE_UP_TO {
        &objective.severities.page
    } else {
        &objective.severities.ticket
    };
    Tier {
        name: naming::tier(long),
        severity: severity.unwrap_or_else(|| default.clone()),
        factor,
        threshold: factor * objective.budget.budget,
        long,
        short,
        consumed: factor * long.number() / objective.period.value.number(),
        enough: None,
        marks: Marks::default(),
    }
}

pub fn twelfth(long: Duration) -> Duration {
    Duration::from_secs((long.as_secs() / 12).max(SHORTEST.as_secs()))
}

fn check_windows(
    objective: &Objective<'_>,
    long: Spanned<Duration>,
    short_spec: Option<Spanned<Duration>>,
    short: Duration,
) -> Result<(), Diagnostic> {
    let period = objective.period.value;
    let error = |span, message: String| Err(Diagnostic::error("bad-window", span, message));
    let at = short_spec.map_or(long.span, |s| s.span);
    if long.value > period {
        let message = format!(
            "the long window {} of a tier is longer than the SLO window ({period})",
            long.value
        );
        return error(long.span, message);
    }
    if short >= long.value {
        let long = long.value;
        if short_spec.is_none() {
            let message = format!("the long window must be longer than {short}; found {long}");
            return error(at, message);
        }
        let message =
            format!("the short window ({short}) must be shorter than the long window ({long})");
        let usual = twelfth(long);
        let help = match short > long {
            true => format!("swap them: `long: {short}, short: {long}`"),
            false => format!("write `short: {usual}`, or leave `short` out"),
        };
        return error(at, message).map_err(|error| error.help(help));
    }
    if short < SHORTEST {
        let message = format!("the short window must be at least {SHORTEST}; found {short}");
        return error(at, message);
    }
    Ok(())
}

fn check_factor(objective: &Objective<'_>, tier: &Tier, at: Span, sink: &mut Sink) {
    if tier.factor >= SLOWEST {
        return;
    }
    let message = format!(
        "a burn rate of {} over {} would alert while `{}` meets its objective",
        decimal(tier.factor),
        tier.long,
        objective.name
    );
    let least = tier.long.number() / objective.period.value.number();
    let error = Diagnostic::error("slow-burn-rate", at, message).help(format!(
        "use a tier that consumes at least {}% of the budget in {}",
        up_to_tenth(least * 100),
        tier.long
    ));
    let error = error.help(format!(
        "for an alert on the budget that is spent so far, compare `slo:error_budget_remaining:ratio{{slo=\"{}\"}}` in a `promql` condition",
        objective.name
    ));
    sink.push(error);
}

fn check_threshold(objective: &Objective<'_>, tier: &Tier, at: Span, sink: &mut Sink) {
    if tier.threshold < Number::from_integer(1) {
        return;
    }
    let message = format!(
        "`{}` can never reach a burn rate of {} over {}: the error ratio would be {}%",
        objective.name,
        decimal(tier.factor),
        tier.long,
        decimal(tier.threshold * 100)
    );
    let least = Number::from_integer(1) - Number::from_integer(1) / tier.factor;
    let error = Diagnostic::error("unreachable-burn-rate", at, message).help(format!(
        "use an objective of at least {}%, or a lower burn rate",
        above_tenth(least * 100)
    ));
    sink.push(error);
}

/// The lowest multiple of 0.1 that is not below a number.
fn up_to_tenth(number: Number) -> String {
    decimal((number * 10).ceil() / 10)
}

/// The lowest multiple of 0.1 above a number.
fn above_tenth(number: Number) -> String {
    decimal(((number * 10).floor() + 1) / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiers(objective: &str, period: &str, burn: &str) -> Result<Vec<Tier>, Vec<Diagnostic>> {
        let quantity = Spanned::new(objective.parse().expect("quantity"), Span::default());
        let severities = Severities {
            page: "page".into(),
            ticket: "ticket".into(),
        };
        let objective = Objective {
            name: "x",
            budget: budget(&quantity).map_err(|d| vec![d])?,
            at: Span::default(),
            period: Spanned::new(period.parse().expect("duration"), Span::default()),
            severities: &severities,
        };
        let burn: Option<Spanned<spec::Burn>> = (!burn.is_empty()).then(|| {
            slosmith_text::yaml::read(slosmith_text::source::FileId(0), burn).expect("burn")
        });
        let mut sink = Sink::default();
        let tiers = resolve(&objective, burn.as_ref(), &mut Vec::new(), &mut sink);
        if sink.has_errors() {
            Err(sink.into_sorted())
        } else {
            Ok(tiers)
        }
    }

    fn factors(objective: &str, period: &str, burn: &str) -> Vec<String> {
        let tiers = tiers(objective, period, burn).expect("valid");
        tiers.iter().map(|t| decimal(t.factor)).collect()
    }

    fn code(objective: &str, period: &str, burn: &str) -> &'static str {
        tiers(objective, period, burn).expect_err("invalid")[0].code
    }

    #[test]
    fn the_workbook_policy_scales_with_the_period() {
        assert_eq!(factors("99.9%", "30d", ""), ["14.4", "6", "3", "1"]);
        assert_eq!(factors("99.9%", "28d", ""), ["13.44", "5.6", "2.8", "1"]);
        assert_eq!(factors("99.9%", "90d", ""), ["43.2", "18", "9", "3"]);
        // Of a week, 10% of the budget in a day is slower than the budget allows; of 10%, no ratio is 14.4 times more.
        assert_eq!(factors("99.9%", "7d", ""), ["3.36", "1.4"]);
        assert_eq!(factors("90%", "30d", ""), ["6", "3", "1"]);
    }

    #[test]
    fn tiers_are_data() {
        assert_eq!(
            factors("99.9%", "30d", "[{consumes: 1%, long: 1h}]"),
            ["7.2"]
        );
        assert_eq!(factors("99.9%", "1d", "[{ratio: 0.5%, long: 1h}]"), ["5"]);
        assert_eq!(
            factors("99.9%", "7d", "[{times: 4, long: 6h, short: 10m}]"),
            ["4"]
        );
    }

    #[test]
    fn tiers_of_other_tools_near_one_can_be_written() {
        let tiers = "[{consumes: 10%, long: 3d}]";
        assert_eq!(factors("99.9%", "28d", tiers), ["0.933333"]);
        let sloth = "[{consumes: 8%, long: 1h}, {consumes: 12.5%, long: 6h}, {consumes: 20%, long: 1d}, {consumes: 42%, long: 3d}]";
        assert_eq!(factors("99%", "7d", sloth), ["13.44", "3.5", "1.4", "0.98"]);
        let slow = "[{consumes: 9%, long: 3d}]";
        assert_eq!(code("99.9%", "28d", slow), "slow-burn-rate");
    }

    #[test]
    fn thresholds_are_exact() {
        let found = tiers("99.9%", "30d", "").expect("valid");
        let thresholds: Vec<_> = found.iter().map(|t| decimal(t.threshold)).collect();
        assert_eq!(thresholds, ["0.0144", "0.006", "0.003", "0.001"]);
        assert_eq!(found[0].short, Duration::from_mins(5));
        assert_eq!(decimal(found[3].consumed), "0.1");
    }

    #[test]
    fn impossible_tiers_are_refused() {
        assert_eq!(code("100%", "30d", ""), "objective-out-of-range");
        assert_eq!(code("0%", "30d", ""), "objective-out-of-range");
        assert_eq!(code("5%", "90d", ""), "unreachable-burn-rate");
        assert_eq!(code("99%", "1d", ""), "no-tiers");
        assert_eq!(
            code("99%", "7d", "[{consumes: 2%, long: 3d}]"),
            "slow-burn-rate"
        );
        assert_eq!(
            code("99%", "1d", "[{consumes: 2%, long: 3d}]"),
            "bad-window"
        );
        assert_eq!(
            code("99%", "7d", "[{times: 4, long: 1h, short: 1h}]"),
            "bad-window"
        );
        assert_eq!(
            code("99%", "7d", "[{times: 400, long: 1h}]"),
            "unreachable-burn-rate"
        );
    }
}
