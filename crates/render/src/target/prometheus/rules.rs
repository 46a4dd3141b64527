//! Recording and alerting rules of a plan, by file.

use super::annotations;
use super::compat;
use super::ruler;
use super::view::{Group, Named, Pairs, Rule, RuleFile, pairs, record};
use slosmith_plan::plan::{
    Alert, BASE_WINDOW, HELD, Increase, Marks, Plan, Record, Slo, Tier, WindowRatio, near_up_to,
    slo_series,
};
use slosmith_plan::query;
use slosmith_promql::ast::{BinaryOp, Expr, Selector};
use slosmith_promql::{build, pretty};
use slosmith_spec::naming::{self, SERVICE, SLO, WINDOW};
use slosmith_text::units::{Duration, Number, decimal};

const WIDTH: usize = 100;

/// Alerts that need more time than this to fire are in a separate file, as are those with an interval of their own: a unit test
/// evaluates all rules of the files that it loads, in each minute.
const ALERT_OWN_FILE_ABOVE: Duration = Duration::from_secs(3_600);

/// How often an SLO is evaluated over its period: its events come in sums of five minutes, and its series must stay in the five minutes
/// for which Prometheus looks back.
const PERIOD_EVALUATION: Duration = Duration::from_mins(3);

pub(super) fn files(plan: &Plan) -> Vec<Named<RuleFile>> {
    let service = &plan.service;
    let mut files = Vec::new();
    for slo in &plan.slos {
        let title = format!("{}: {}", service.title, slo.title);
        let now = named(
            plan,
            slo_file(slo),
            &title,
            naming::slo_group(&service.name, &slo.name),
            slo_rules(plan, slo),
        );
        files.push(now);
        let period = period_rules(plan, slo);
        if has_period_file(slo) && !period.is_empty() {
            let title = format!("{title}, over its SLO window of {}", slo.period);
            let group = naming::period_group(&service.name, &slo.name);
            let mut file = named(plan, period_file(slo), &title, group, period);
            for group in &mut file.file.groups {
                group.interval = PERIOD_EVALUATION.max(plan.evaluation).to_string();
            }
            file.file.groups.extend(sums(plan, slo));
            files.push(file);
        }
    }
    let (far, near): (Vec<_>, Vec<_>) = plan.alerts.iter().partition(|a| stands_alone(plan, a));
    if !near.is_empty() {
        let rules = near.iter().map(|a| alert_rules(plan, a)).collect();
        let title = format!("{}: alerts", service.title);
        let group = naming::alert_group(&service.name);
        files.push(shared(plan, "alerts", &title, &group, rules));
    }
    for alert in far {
        let title = format!("{}: {}", service.title, alert.name);
        let group = naming::single_alert_group(&service.name, &alert.name);
        let rules = alert_rules(plan, alert);
        let mut file = named(plan, alert_file(plan, alert), &title, group, rules);
        for group in &mut file.file.groups {
            group.interval = alert.evaluation.to_string();
        }
        files.push(file);
    }
    if !plan.records.is_empty() {
        let rules = plan.records.iter().map(|r| vec![value_rule(plan, r)]);
        let title = format!("{}: recorded values", service.title);
        let group = naming::record_group(&service.name);
        let rules = rules.collect();
        files.push(shared(plan, "records", &title, &group, rules));
    }
    files
}

fn named(
    plan: &Plan,
    name: String,
    title: &str,
    group: String,
    rules: Vec<Rule>,
) -> Named<RuleFile> {
    Named {
        name,
        title: title.to_owned(),
        file: RuleFile {
            groups: vec![grouped(plan, group, rules)],
        },
    }
}

fn grouped(plan: &Plan, name: String, rules: Vec<Rule>) -> Group {
    Group {
        name,
        interval: plan.evaluation.to_string(),
        rules,
        ..Group::default()
    }
}

fn shared(
    plan: &Plan,
    name: &str,
    title: &str,
    group: &str,
    rules: Vec<Vec<Rule>>,
) -> Named<RuleFile> {
    let groups = match plan.ruler {
        Some(_) => ruler::split(rules),
        None => vec![rules.into_iter().flatten().collect()],
    };
    let groups = groups.into_iter().enumerate();
    let groups = groups.map(|(i, rules)| grouped(plan, ruler::part(group, i), rules));
    Named {
        name: name.to_owned(),
        title: title.to_owned(),
        file: RuleFile {
            groups: groups.collect(),
        },
    }
}

pub(super) fn slo_file(slo: &Slo) -> String {
    naming::slo_file(&slo.name)
}

fn longest_beside_alerts(slo: &Slo) -> Duration {
    near_up_to(&slo.events.tiers)
}

pub(super) fn has_period_file(slo: &Slo) -> bool {
    slo.period > longest_beside_alerts(slo)
}

pub(super) fn period_file(slo: &Slo) -> String {
    naming::period_file(&slo.name)
}

pub(super) fn alert_file(plan: &Plan, alert: &Alert) -> String {
    if stands_alone(plan, alert) {
        naming::alert_file(&alert.name)
    } else {
        "alerts".into()
    }
}

/// True for an alert that needs much time to fire, or is evaluated at times of its own.
fn stands_alone(plan: &Plan, alert: &Alert) -> bool {
    let compares = alert.condition.compares();
    let looks_back = compares.map(|c| c.bound.past().unwrap_or(c.window)).max();
    let needed = looks_back.unwrap_or_default().as_secs() + alert.hold.as_secs();
    needed > ALERT_OWN_FILE_ABOVE.as_secs() || alert.evaluation != plan.evaluation
}

pub(super) fn text(expr: &Expr) -> String {
    pretty(expr, WIDTH)
}

fn slo_rules(plan: &Plan, slo: &Slo) -> Vec<Rule> {
    let service = plan.service.name.as_str();
    let events = &slo.events;
    let base = BASE_WINDOW.to_string();
    let labels = [(SERVICE, service), (SLO, &slo.name), (WINDOW, &base)];
    let increases = events.increases.iter();
    let mut rules: Vec<_> = increases.map(|i| increase_rule(service, slo, i)).collect();
    if let Some(counted) = &events.counted {
        rules.push(record(naming::TOTAL_EVENTS, text(&counted.total), &labels));
        rules.push(record(naming::BAD_EVENTS, text(&counted.bad), &labels));
    }
    let longest = longest_beside_alerts(slo);
    let near = events.ratios.iter().filter(|r| r.window <= longest);
    rules.extend(near.map(|r| ratio_rule(service, slo, r)));
    let constants = constants(service, slo).into_iter();
    rules.extend(constants.map(|of| constant(of.series, of.value, &of.labels)));
    rules.extend(compat::near(service, slo, longest));
    if !has_period_file(slo) {
        rules.push(remaining(service, slo));
    }
    rules.extend(events.tiers.iter().map(|t| burn_rule(plan, slo, t)));
    rules
}

fn period_rules(plan: &Plan, slo: &Slo) -> Vec<Rule> {
    let service = plan.service.name.as_str();
    let longest = longest_beside_alerts(slo);
    let far = slo.events.ratios.iter().filter(|r| r.window > longest);
    let mut rules: Vec<_> = far.map(|r| ratio_rule(service, slo, r)).collect();
    rules.push(remaining(service, slo));
    rules.extend(compat::far(service, slo, longest));
    rules
}

fn increase_rule(service: &str, slo: &Slo, increase: &Increase) -> Rule {
    let window = increase.window.to_string();
    let labels = [(SERVICE, service), (SLO, &slo.name), (WINDOW, &window)];
    record(increase.name, text(&increase.expr), &labels)
}

/// Sums that the rules over the period read, in a group that is evaluated as often as they have events.
fn sums(plan: &Plan, slo: &Slo) -> Option<Group> {
    let service = plan.service.name.as_str();
    let rules = slo.events.sums.iter();
    let rules: Vec<_> = rules.map(|sum| increase_rule(service, slo, sum)).collect();
    let name = naming::sums_group(service, &slo.name);
    (!rules.is_empty()).then(|| Group {
        interval: BASE_WINDOW.to_string(),
        ..grouped(plan, name, rules)
    })
}

fn ratio_rule(service: &str, slo: &Slo, ratio: &WindowRatio) -> Rule {
    let window = ratio.window.to_string();
    let labels = [(SERVICE, service), (SLO, &slo.name), (WINDOW, &window)];
    record(naming::ERROR_RATIO, text(&ratio.expr), &labels)
}

/// `vector(0.999)` under a name.
fn constant(series: &str, value: Number, labels: &[(&str, &str)]) -> Rule {
    record(series, format!("vector({})", decimal(value)), labels)
}

/// A series that is always one number.
pub(super) struct Constant<'a> {
    pub(super) series: &'static str,
    pub(super) value: Number,
    pub(super) labels: Vec<(&'a str, &'a str)>,
}

/// What an SLO promises, and its error budget.
pub(super) fn constants<'a>(service: &'a str, slo: &'a Slo) -> [Constant<'a>; 2] {
    let labels = vec![(SERVICE, service), (SLO, slo.name.as_str())];
    let mut facts = labels.clone();
    facts.extend(slo.facts.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    let budget = &slo.events.budget;
    [
        Constant {
            series: naming::OBJECTIVE,
            value: budget.objective,
            labels: facts,
        },
        Constant {
            series: naming::ERROR_BUDGET,
            value: budget.budget,
            labels,
        },
    ]
}

fn remaining(service: &str, slo: &Slo) -> Rule {
    let window = slo.period.to_string();
    let ratio = slo_series(naming::ERROR_RATIO, service, &slo.name, &window);
    let expr = format!(
        "1 - {} / {}",
        Expr::from(ratio),
        decimal(slo.events.budget.budget)
    );
    record(
        naming::BUDGET_REMAINING,
        expr,
        &[(SERVICE, service), (SLO, &slo.name)],
    )
}

fn alert_labels(plan: &Plan, severity: &str, marks: &Marks) -> Pairs {
    let mut labels = pairs(&[(naming::SEVERITY, severity), (SERVICE, &plan.service.name)]);
    if let Some(owner) = &marks.owner {
        labels.insert(naming::OWNER.into(), owner.clone());
    }
    labels.extend(marks.labels.iter().cloned());
    labels
}

fn burn_rule(plan: &Plan, slo: &Slo, tier: &Tier) -> Rule {
    let service = plan.service.name.as_str();
    let series =
        |name: &str, window: Duration| slo_series(name, service, &slo.name, &window.to_string());
    let over =
        |ratio: Expr| build::binary(BinaryOp::Gt, ratio, build::number(decimal(tier.threshold)));
    let long = series(naming::ERROR_RATIO, tier.long);
    let short = series(naming::ERROR_RATIO, tier.short);
    let short = match slo.events.is_held(tier) {
        true => {
            let last = |series: &Selector, window| {
                let range = query::range(series.clone(), window);
                build::call("last_over_time", [range])
            };
            // Between the last event and the end of the data, the window holds a sample and no event.
            let now = last(&short, Duration::from_secs(2 * plan.evaluation.as_secs()));
            let total = series(naming::TOTAL_EVENTS, BASE_WINDOW);
            // Of a service that was idle when its data ended, the last ratio is older than the data.
            // The short window still has a ratio for as long as itself after the end.
            let seen = Duration::from_secs(HELD.as_secs() + tier.short.as_secs());
            let newest = |series: &Selector| {
                let times = build::call("timestamp", [Expr::from(series.clone())]);
                let step = Some(query::time(BASE_WINDOW));
                let times = build::subquery(times, query::time(seen), step);
                build::call("max_over_time", [times])
            };
            let end = build::binary(
                BinaryOp::Sub,
                newest(&total),
                build::number(BASE_WINDOW.as_secs().to_string()),
            );
            let busy = build::binary(BinaryOp::Ge, newest(&short), end).ignoring(&[WINDOW]);
            let ended = build::binary(BinaryOp::And, last(&short, HELD), busy).ignoring(&[WINDOW]);
            let ended = build::binary(BinaryOp::Unless, ended, total);
            let ended = match slo.events.all_up.as_ref() {
                // A place without events has ended, and the data has not.
                Some(up) if slo.events.places_end => ended.on(&up.labels),
                _ => ended.ignoring(&[WINDOW]),
            };
            // A label set that ended where no target is down was removed.
            let ended: Expr = match &slo.events.all_up {
                None => ended.into(),
                Some(up) => build::binary(BinaryOp::Unless, ended, up.expr.clone())
                    .on(&up.labels)
                    .into(),
            };
            build::binary(BinaryOp::Or, now, ended).into()
        }
        false => short.into(),
    };
    // The tier names the window: the alert has no label for it.
    let long = build::max_without(&[WINDOW], over(long.into()));
    let both = build::binary(BinaryOp::And, long, over(short)).ignoring(&[WINDOW]);
    let expr = match &tier.enough {
        None => both.into(),
        Some(enough) => build::binary(BinaryOp::And, both, enough.clone())
            .on(&slo.labels)
            .into(),
    };
    Rule {
        alert: Some(slo.alert_name.clone()),
        expr: text(&expr),
        labels: burn_labels(plan, slo, tier),
        annotations: annotations::burn(&plan.service, slo, tier).templates(),
        ..Rule::default()
    }
}

pub(super) fn burn_labels(plan: &Plan, slo: &Slo, tier: &Tier) -> Pairs {
    let mut labels = alert_labels(plan, &tier.severity, &tier.marks);
    labels.insert(SLO.into(), slo.name.clone());
    labels.insert(naming::TIER.into(), tier.name.clone());
    labels.extend(compat::alert_labels(plan, slo, tier));
    labels
}

fn alert_rules(plan: &Plan, alert: &Alert) -> Vec<Rule> {
    let mut rules: Vec<_> = alert
        .records
        .iter()
        .map(|r| {
            let labels = r.labels.each_ref();
            let labels = labels.map(|(label, value)| (*label, value.as_str()));
            record(naming::BASELINE, text(&r.query.expr), &labels)
        })
        .collect();
    let set = |time: Duration| (time > Duration::default()).then(|| time.to_string());
    rules.push(Rule {
        alert: Some(alert.name.clone()),
        expr: text(&alert.condition.query().expr),
        hold: set(alert.hold),
        keep_firing_for: set(alert.keep),
        labels: condition_labels(plan, alert),
        annotations: annotations::condition(&plan.service, alert).templates(),
        ..Rule::default()
    });
    rules
}

pub(super) fn condition_labels(plan: &Plan, alert: &Alert) -> Pairs {
    alert_labels(plan, &alert.severity, &alert.marks)
}

fn value_rule(plan: &Plan, r: &Record) -> Rule {
    let window = r.window.to_string();
    let labels = [(SERVICE, plan.service.name.as_str()), (WINDOW, &window)];
    record(&r.series, text(&r.query.expr), &labels)
}
