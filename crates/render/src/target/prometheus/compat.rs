//! Series and labels that sloth's dashboards read, made from ours (names as of sloth 0.16).

use super::view::{Pairs, Rule, pairs, record};
use slosmith_plan::plan::{Budget, Compat, Plan, Slo, Tier};
use slosmith_plan::plan::{PAGE_UP_TO, slo_series};
use slosmith_promql::ast::Expr;
use slosmith_spec::naming;
use slosmith_text::units::{Duration, decimal};

const SECONDS_IN_WEEK: u64 = 7 * 86_400;

fn window(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds.is_multiple_of(SECONDS_IN_WEEK) {
        format!("{}w", seconds / SECONDS_IN_WEEK)
    } else {
        duration.to_string()
    }
}

fn ids<'a>(service: &'a str, slo: &'a Slo, compat: &'a Compat) -> [(&'static str, &'a str); 3] {
    [
        ("sloth_id", &compat.id),
        ("sloth_service", service),
        ("sloth_slo", &slo.name),
    ]
}

pub(super) fn alert_labels(plan: &Plan, slo: &Slo, tier: &Tier) -> Pairs {
    let Some(compat) = &slo.compat else {
        return Pairs::new();
    };
    let severities = &plan.service.severities;
    let [page, ticket] = [&severities.page, &severities.ticket].map(|name| *name == tier.severity);
    // A severity that is neither, or both, does not tell; the window does.
    let page = if page == ticket {
        tier.long <= PAGE_UP_TO
    } else {
        page
    };
    let mut labels = pairs(&ids(&plan.service.name, slo, compat));
    let severity = if page { "page" } else { "ticket" };
    labels.insert("sloth_severity".into(), severity.into());
    labels
}

pub(super) fn near(service: &str, slo: &Slo, limit: Duration) -> Vec<Rule> {
    let Some(compat) = &slo.compat else {
        return Vec::new();
    };
    let ids = ids(service, slo, compat);
    let selector = select(&ids);
    let Budget { objective, budget } = slo.events.budget;
    let budget = decimal(budget);
    let days = decimal(slo.period.number() / 86_400);
    let mut rules: Vec<_> = ratios(service, slo, &ids, |w| w <= limit);
    for (series, value) in [
        ("slo:objective:ratio", decimal(objective)),
        ("slo:error_budget:ratio", budget.clone()),
        ("slo:time_period:days", days),
    ] {
        rules.push(record(series, format!("vector({value})"), &ids));
    }
    let burn = |window: &str| format!("slo:sli_error:ratio_rate{window}{selector} / {budget}");
    rules.push(record("slo:current_burn_rate:ratio", burn("5m"), &ids));
    let objective = decimal(objective * 100);
    let mut info = pairs(&ids);
    let extra = [
        (
            "sloth_version",
            concat!("slosmith ", env!("CARGO_PKG_VERSION")),
        ),
        ("sloth_mode", "cli-gen-prom"),
        ("sloth_spec", "prometheus/v1"),
        ("sloth_objective", &objective),
    ];
    info.extend(pairs(&extra));
    let mut rule = record("sloth_slo_info", "vector(1)".into(), &[]);
    rule.labels = info;
    rules.push(rule);
    if slo.period <= limit {
        rules.extend(period(slo, &ids, &burn));
    }
    rules
}

pub(super) fn far(service: &str, slo: &Slo, limit: Duration) -> Vec<Rule> {
    let Some(compat) = slo.compat.as_ref().filter(|_| slo.period > limit) else {
        return Vec::new();
    };
    let ids = ids(service, slo, compat);
    let selector = select(&ids);
    let budget = decimal(slo.events.budget.budget);
    let burn = |window: &str| format!("slo:sli_error:ratio_rate{window}{selector} / {budget}");
    let mut rules = ratios(service, slo, &ids, |w| w > limit);
    rules.extend(period(slo, &ids, &burn));
    rules
}

fn period(slo: &Slo, ids: &[(&str, &str)], burn: &dyn Fn(&str) -> String) -> [Rule; 2] {
    let selector = select(ids);
    [
        record("slo:period_burn_rate:ratio", burn(&window(slo.period)), ids),
        record(
            "slo:period_error_budget_remaining:ratio",
            format!("1 - slo:period_burn_rate:ratio{selector}"),
            ids,
        ),
    ]
}

fn select(ids: &[(&str, &str)]) -> String {
    let matchers: Vec<_> = ids.iter().map(|(k, v)| format!("{k}=\"{v}\"")).collect();
    format!("{{{}}}", matchers.join(", "))
}

fn ratios(
    service: &str,
    slo: &Slo,
    ids: &[(&str, &str)],
    wanted: impl Fn(Duration) -> bool,
) -> Vec<Rule> {
    let ratios = slo.events.ratios.iter().filter(|r| wanted(r.window));
    ratios
        .map(|r| {
            let ours = slo_series(
                naming::ERROR_RATIO,
                service,
                &slo.name,
                &r.window.to_string(),
            );
            let expr = format!("sum without (service, slo, window) ({})", Expr::from(ours));
            let window = window(r.window);
            let mut labels = ids.to_vec();
            labels.push(("sloth_window", &window));
            record(&format!("slo:sli_error:ratio_rate{window}"), expr, &labels)
        })
        .collect()
}
