//! Alerts: conditions with the facts that the on-call engineer needs.
//!
//! `QueueOverflow: {severity: critical, when: {signal: queue_depth, above: 80}, for: 2m}` gets a summary where the
//! author wrote none, links to its runbook and panel, and a name that no other alert, file or anchor takes.

use std::collections::BTreeMap;

use super::conditions::Resolver;
use super::conditions::absent::LONGEST_MEMORY;
use super::context::Context;
use super::{absence, bound, doubts, names, templates};
use slosmith_plan::plan::{
    Alert, Bound, CompareOp, Condition, Limit, Links, ValueUnit, Window, words,
};
use slosmith_plan::query::SignalQuery;
use slosmith_promql::ast::ExprKind;
use slosmith_promql::kept_labels;
use slosmith_promql::labels::{AnySeries, Unmatched, unmatched_joins};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Baseline, Text};
use slosmith_text::diag::{Diagnostic, did_you_mean, one_of};
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Duration, Number, Quantity, decimal};

pub(super) fn resolve(cx: &mut Context<'_>) -> Vec<Alert> {
    let spec = cx.spec;
    check_names(cx);
    let alerts = spec.alerts.iter();
    let alerts: Vec<_> = alerts
        .filter_map(|(name, alert)| one(cx, name, alert))
        .collect();
    check_copies(cx, &alerts);
    check_order(cx, &alerts);
    alerts
}

/// A page that waits so many times longer than a ticket may be for a fault that lasts.
const LONGER: i128 = 4;

/// Warns of a page that fires while the ticket on the same value does not yet.
fn check_order(cx: &mut Context<'_>, alerts: &[Alert]) {
    let [page, ticket] = ["page", "ticket"].map(|role| cx.severity(role));
    if page == ticket {
        return;
    }
    let of = |severity: &str| -> Vec<_> {
        let alerts = alerts.iter().filter(|alert| alert.severity == severity);
        alerts
            .filter_map(|alert| Some((alert, tested(alert)?)))
            .collect()
    };
    let tickets = of(&ticket);
    for (page, (value, op, bound)) in of(&page) {
        let early = tickets.iter().find(|(ticket, (other, other_op, later))| {
            *other == value
                && other_op.is_upper() == op.is_upper()
                && *later != bound
                && op.holds(*later, bound)
                && page.hold.number() <= ticket.hold.number() * LONGER
        });
        let (Some((ticket, _)), Some((name, _))) =
            (early, cx.spec.alerts.get_key_value(page.name.as_str()))
        else {
            continue;
        };
        let before = match page.hold <= ticket.hold {
            true => "fires before",
            false => "fires at less than",
        };
        let message = format!(
            "`{name}` ({}) {before} `{}` ({}) on the same value",
            page.severity, ticket.name, ticket.severity
        );
        let warning = Diagnostic::warning("page-before-ticket", name.span, message);
        cx.sink
            .push(warning.help("swap the thresholds or the severities"));
    }
}

/// What a simple alert compares with a fixed bound.
fn tested(alert: &Alert) -> Option<(String, CompareOp, Number)> {
    range(&alert.condition)
}

fn range(condition: &Condition) -> Option<(String, CompareOp, Number)> {
    let compare = condition.compare()?;
    match (&compare.bound, &compare.query.expr.kind) {
        (Bound::Fixed(op, bound, _), ExprKind::Binary(binary)) => {
            Some((binary.lhs.to_string(), *op, *bound))
        }
        _ => None,
    }
}

/// Warns of an alert that was copied, and still has the condition of the other.
fn check_copies(cx: &mut Context<'_>, alerts: &[Alert]) {
    let mut known: BTreeMap<String, Vec<&Alert>> = BTreeMap::new();
    for alert in alerts {
        let same = known.entry(alert.condition.query().expr.to_string());
        let same = same.or_default();
        let is_copy =
            |other: &&&Alert| other.hold == alert.hold || other.severity == alert.severity;
        let first = same.iter().find(is_copy).copied();
        same.push(alert);
        let name = cx.spec.alerts.get_key_value(alert.name.as_str());
        if let Some((first, (name, _))) = first.zip(name) {
            let message = format!("`{name}` has the same condition as `{}`", first.name);
            let warning = Diagnostic::warning("duplicate-condition", name.span, message);
            cx.sink
                .push(warning.help("change the condition, or remove one of the alerts"));
        }
    }
}

fn check_names(cx: &mut Context<'_>) {
    let spec = cx.spec;
    let mut taken: Vec<(String, &Text, &str)> = Vec::new();
    for (name, slo) in &spec.slos {
        if let Some(own) = &slo.alert_name {
            cx.check_name(own, false);
            absence::check_name(cx, own);
        }
        let used = |old: &str| spec.slos.keys().any(|slo| slo.value == old);
        cx.check_old_name(("SLO", name), slo.renamed_from.as_ref(), used);
        claim(
            cx,
            &mut taken,
            names::slo_alert_name(name, slo),
            name,
            "SLO",
        );
    }
    for (name, alert) in &spec.alerts {
        absence::check_name(cx, name);
        let used = |old: &str| spec.alerts.keys().any(|alert| alert.value == old);
        cx.check_old_name(("alert", name), alert.renamed_from.as_ref(), used);
        claim(cx, &mut taken, name.value.clone(), name, "alert");
    }
}

fn claim<'a>(
    cx: &mut Context<'_>,
    taken: &mut Vec<(String, &'a Text, &'static str)>,
    alert: String,
    owner: &'a Text,
    what: &'static str,
) {
    let (kebab, anchor) = (naming::kebab(&alert), naming::anchor(&alert));
    let same = |other: &str| naming::kebab(other) == kebab || naming::anchor(other) == anchor;
    let Some((other, first, of)) = taken.iter().find(|(other, ..)| same(other)) else {
        taken.push((alert, owner, what));
        return;
    };
    let (message, help) = match (*of, what) {
        ("SLO", "SLO") => (
            format!("the alerts of the SLOs `{owner}` and `{first}` have the same name"),
            "rename one of the SLOs, or set `alert_name`",
        ),
        ("SLO", _) => (
            format!("`{owner}` is already the name of the alert of the SLO `{first}`"),
            "rename the alert, or set `alert_name` in the SLO",
        ),
        _ => {
            let kebab = naming::kebab(other);
            let message =
                format!("`{owner}` and `{first}` have the same name in files and links: `{kebab}`");
            (message, "rename one of the alerts")
        }
    };
    let error = Diagnostic::error("duplicate-name", owner.span, message)
        .related(first.span, format!("this {of}"));
    cx.sink.push(error.help(help));
}

/// The conditions that are joined in one.
fn joined(condition: &spec::Condition) -> impl Iterator<Item = &Spanned<spec::Condition>> {
    let lists = [&condition.all, &condition.any].into_iter().flatten();
    lists.flat_map(|list| &list.value)
}

/// The parts of a condition that wait for missing series, in order.
fn absences(condition: &spec::Condition) -> Vec<Span> {
    let own = condition.absent.map(|absent| absent.span);
    let parts = joined(condition).flat_map(|part| absences(&part.value));
    own.into_iter().chain(parts).collect()
}

/// PromQL in a condition.
fn promql(condition: &spec::Condition) -> Option<&Text> {
    let mut parts = joined(condition).chain(condition.unless.as_deref());
    let own = condition.promql.as_ref();
    own.or_else(|| parts.find_map(|part| promql(&part.value)))
}

/// An `absent` alert must fire for a label set before it forgets the label set.
fn check_hold(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert, condition: &Condition) {
    let Some(hold) = alert.hold else {
        return;
    };
    let leaves = condition.holding().into_iter();
    let memories = leaves.filter_map(|leaf| match leaf {
        Condition::Absent(a) => Some(a.memory),
        _ => None,
    });
    // The last evaluation with series comes before the first without, and the one at the end of the memory is left out.
    let unseen = 2 * cx.evaluation_interval().as_secs();
    let longest = |memory: Duration| Duration::from_secs(memory.as_secs().saturating_sub(unseen));
    let found = absences(&alert.when.value).into_iter().zip(memories);
    let mut found = found.filter_map(|(at, memory)| Some((at, memory?)));
    let Some((at, memory)) = found.find(|(_, memory)| hold.value > longest(*memory)) else {
        return;
    };
    let message = format!(
        "`{name}` can never fire for a label set: `absent` remembers a label set for {memory}, which is too short for `for: {hold}`"
    );
    let shorter = format!("use a `for` of at most {}", longest(memory));
    let longer = Duration::from_secs(2 * hold.value.as_secs()).min(LONGEST_MEMORY);
    let help = match hold.value <= longest(longer) {
        true => {
            format!("set a longer memory beside `absent`, such as `window: {longer}`, or {shorter}")
        }
        false => shorter,
    };
    let error = Diagnostic::error("never-firing", hold.span, message)
        .related(at, "`absent` is set here")
        .help(help);
    cx.sink.push(error);
}

/// One value cannot be above a threshold and below a lower one.
fn check_disjoint(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert, condition: &Condition) {
    let Condition::All(parts, _) = condition else {
        return;
    };
    let ranges: Vec<_> = parts.iter().filter_map(range).collect();
    let contradict = ranges.iter().find_map(|(value, op, bound)| {
        let other = ranges.iter().find(|(other, other_op, below)| {
            let is_open = *op == CompareOp::Above || *other_op == CompareOp::Below;
            other == value
                && op.is_upper()
                && !other_op.is_upper()
                && (below < bound || below == bound && is_open)
        })?;
        Some((*op, *bound, other.1, other.2))
    });
    if let Some((op, bound, other, below)) = contradict {
        let message = format!(
            "`{name}` can never fire: no value is both {} {} and {} {}",
            op.symbol(),
            decimal(bound),
            other.symbol(),
            decimal(below)
        );
        let error = Diagnostic::error("never-firing", alert.when.span, message);
        cx.sink
            .push(error.help("use `any` instead of `all`, or correct a threshold"));
    }
}

/// A change that becomes the past is usual again: a condition on it ends by itself.
fn check_lasting(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert, condition: &Condition) {
    let Some(hold) = alert.hold else {
        return;
    };
    let shortest = condition.leaves().into_iter().filter_map(unusual_for).min();
    if let Some(unusual) = shortest.filter(|unusual| hold.value >= *unusual) {
        let message = format!(
            "`{name}` can never fire: a change stands out from its own past for at most {unusual}, but `for` is {hold}"
        );
        let error = Diagnostic::error("never-firing", hold.span, message);
        cx.sink
            .push(error.help(format!("use a `for` below {unusual}")));
    }
}

/// Parts of PromQL that select different values of a label are never true for one label set.
fn check_values(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert, condition: &Condition) {
    let Some(promql) = promql(&alert.when.value) else {
        return;
    };
    let joins = unmatched_joins(&condition.query().expr, &AnySeries);
    for join in joins {
        let Unmatched::Values(one, other) = join.why else {
            continue;
        };
        let message = format!(
            "two parts of the condition of `{name}` never match: `{}` is `{one}` in one part and `{other}` in the other",
            join.label
        );
        let error = Diagnostic::error("never-firing", promql.span, message).help(format!(
            "aggregate each part without `{}`, as in `max(…)`, or join the parts on other labels: `on: [LABEL]` beside `all`, \
             `and on (LABEL)` in one query",
            join.label
        ));
        cx.sink.push(error);
        break;
    }
}

/// How long a value that changed once and for all differs from its own past as much as a part of a condition wants;
/// a usual range leaves out what may belong to the change.
fn unusual_for(leaf: &Condition) -> Option<Duration> {
    let c = leaf.compare()?;
    match &c.bound {
        Bound::Times(_, _, Baseline::Offset(ago)) => Some(*ago),
        Bound::Times(op, factor, Baseline::AvgOver(window)) => {
            let grown = op.is_upper() && *factor > 1.into();
            // Once this share of the window is new, not even an endless value is so many times the mean.
            let share = if grown {
                Number::from_integer(1) / factor
            } else {
                1.into()
            };
            Some(Duration::from_secs(whole(window.number() * share)))
        }
        Bound::Fixed(..) | Bound::Outside(_) => None,
    }
}

fn whole(seconds: Number) -> u64 {
    u64::try_from(seconds.floor().to_integer()).unwrap_or(u64::MAX)
}

fn one(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert) -> Option<Alert> {
    cx.own_evaluation = alert.evaluation_interval.map(|interval| interval.value);
    let resolved = resolved(cx, name, alert);
    cx.own_evaluation = None;
    resolved
}

fn resolved(cx: &mut Context<'_>, name: &Text, alert: &spec::Alert) -> Option<Alert> {
    cx.check_severity(&alert.severity);
    for time in [alert.hold, alert.keep_firing_for].into_iter().flatten() {
        cx.check_evaluated(time);
    }
    let mut resolver = Resolver {
        cx,
        alert: &alert.renamed_from.as_ref().unwrap_or(name).value,
        hold: alert.hold.map_or(Duration::default(), |h| h.value),
        records: Vec::new(),
        joined: false,
    };
    let condition = resolver.condition(&alert.when)?;
    let records = resolver.records;
    if alert.notice.summary.is_none()
        && let Some(promql) = promql(&alert.when.value)
    {
        let message = format!("`{name}` lacks the field `summary`: its condition is PromQL");
        let error = Diagnostic::error("missing-field", promql.span, message);
        cx.sink.push(
            error.help("add a `summary`, because slosmith cannot describe the query in words"),
        );
    }
    let target = alert.target.as_ref();
    let target = target.and_then(|target| self::target(cx, target, &condition));
    check_hold(cx, name, alert, &condition);
    check_lasting(cx, name, alert, &condition);
    check_disjoint(cx, name, alert, &condition);
    check_values(cx, name, alert, &condition);
    let kept = kept_labels(&condition.query().expr);
    let own = [&alert.notice.summary, &alert.description, &alert.action];
    for text in own.into_iter().flatten() {
        templates::check(cx, text, &kept);
    }
    let severity = cx.severity(&alert.severity.value);
    let marks = cx.marks(&severity, &alert.notice.marks, &kept);
    let summary = match &alert.notice.summary {
        Some(text) => text.value.trim().to_owned(),
        None => words::capital(&words::condition(&condition)),
    };
    let resolved = Alert {
        name: name.value.clone(),
        evaluation: cx.evaluation_interval(),
        severity,
        hold: alert.hold.map_or(Duration::default(), |h| h.value),
        keep: alert
            .keep_firing_for
            .map_or(Duration::default(), |k| k.value),
        condition,
        records,
        target,
        summary,
        summary_is_own: alert.notice.summary.is_some(),
        description: alert
            .description
            .as_ref()
            .map(|d| d.value.trim().to_owned()),
        action: alert.action.as_ref().map(|a| a.value.trim().to_owned()),
        links: cx.links(&name.value, alert.notice.runbook.as_ref()),
        marks,
    };
    doubts::alert(cx, name, alert, &resolved);
    Some(resolved)
}

/// What the team promises of the value that an alert compares: at its threshold, or on the good side of it.
fn target(
    cx: &mut Context<'_>,
    target: &Spanned<Quantity>,
    condition: &Condition,
) -> Option<Limit> {
    let Condition::Compare(compare) = condition else {
        return no_target(cx, target);
    };
    let Bound::Fixed(op, bound, written) = &compare.bound else {
        return no_target(cx, target);
    };
    let read = SignalQuery {
        signal: &compare.signal,
        stat: compare.stat,
        window: Window::Fixed(compare.window),
        labels: Vec::new(),
    };
    let side = match op.is_upper() {
        true => CompareOp::Above,
        false => CompareOp::Below,
    };
    let fixed = bound::fixed(cx, &read, side, target)?;
    let in_base =
        |value: Number, unit: ValueUnit| value / unit.per.map_or(1, |per| i128::from(per.seconds));
    let value = in_base(fixed.value, fixed.unit);
    let bound = in_base(*bound, compare.unit);
    if value != bound && (value > bound) == op.is_upper() {
        let message = format!(
            "the target is {} the threshold of its alert ({written})",
            side.as_str()
        );
        let error = Diagnostic::error("bad-threshold", target.span, message);
        let better = if op.is_upper() { "lower" } else { "higher" };
        cx.sink
            .push(error.help(format!("write {written}, or a {better} target")));
        return None;
    }
    Some(Limit {
        value,
        text: target.to_string(),
    })
}

fn no_target(cx: &mut Context<'_>, target: &Spanned<Quantity>) -> Option<Limit> {
    let at = cx.document.key(target.span, "target");
    let message = "`target` needs a `when` that compares one value with a quantity";
    let error = Diagnostic::error("contradiction", at, message);
    let help = "remove `target`, or give the comparison an alert of its own";
    cx.sink.push(error.help(help));
    None
}

impl Context<'_> {
    /// `for` must be a multiple of the evaluation interval.
    pub(super) fn check_evaluated(&mut self, hold: Spanned<Duration>) {
        let every = self.evaluation_interval();
        if every.as_secs() == 0 || hold.value.as_secs().is_multiple_of(every.as_secs()) {
            return;
        }
        let steps = hold.value.as_secs().div_ceil(every.as_secs());
        let really = Duration::from_secs(steps * every.as_secs());
        let message = format!(
            "`for: {hold}` is not a multiple of the evaluation interval ({every}): Prometheus would wait {really}"
        );
        let error = Diagnostic::error("bad-interval", hold.span, message);
        self.sink.push(error.help(format!(
            "write `for: {really}`, or set `prometheus: {{scrape_interval: 10s, evaluation_interval: 10s}}`"
        )));
    }

    /// Where an alert points; a spec that lacks a link has been rejected already.
    pub(super) fn links(&mut self, alert: &str, runbook: Option<&Text>) -> Links {
        let links = self.spec.links.as_ref();
        let base = |pick: fn(&spec::Links) -> &Option<Text>| {
            let url = links.and_then(|links| pick(links).as_ref());
            url.map_or("", |url| &url.value)
        };
        let elsewhere = runbook.filter(|name| is_elsewhere(name));
        let page = runbook.filter(|name| !is_elsewhere(name));
        if let Some(name) = page {
            self.check_name(name, true);
        }
        if let Some(link) = elsewhere {
            self.check_link(link);
        }
        let page = page.map(|name| name.value.clone());
        Links {
            runbook: match elsewhere {
                Some(link) => link.value.clone(),
                None => naming::runbook_url(base(|l| &l.runbooks), page.as_deref(), alert),
            },
            page,
            elsewhere: elsewhere.is_some(),
            dashboard: naming::dashboard_url(base(|l| &l.grafana), &self.spec.service.name.value),
            variables: Vec::new(),
        }
    }

    /// Names of severities, sorted.
    fn severities(&self) -> Vec<&str> {
        let actions = self.spec.cloudwatch.iter().flat_map(|c| c.actions.keys());
        let declared = self.spec.severities.all().map(|severity| &severity.name);
        let names = declared.chain(actions);
        let mut known: Vec<_> = names.map(|severity| severity.value.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        known
    }

    /// The name of a severity; `page` and `ticket` are those of the burn-rate alerts, whatever they are named.
    pub(super) fn severity(&self, given: &str) -> String {
        let roles = &self.spec.severities;
        let name = match given {
            _ if self.severities().contains(&given) => given,
            "page" => &roles.page.name.value,
            "ticket" => &roles.ticket.name.value,
            _ => given,
        };
        name.to_owned()
    }

    /// A severity is a label value that routing rules use: an undeclared one is not routed.
    pub(super) fn check_severity(&mut self, severity: &Text) {
        if !self.check_severity_name(severity) {
            return;
        }
        let known = self.severities();
        if known.contains(&self.severity(&severity.value).as_str()) {
            return;
        }
        let message = format!("the spec has no severity `{severity}`");
        let help = did_you_mean(&severity.value, known.iter().copied());
        let help = help.unwrap_or_else(|| {
            let known = one_of(&known);
            format!("use {known}, or declare the severity: `severities: {{more: [{severity}]}}`")
        });
        let error = Diagnostic::error("unknown-name", severity.span, message);
        self.sink.push(error.help(help));
    }

    /// One plain word.
    pub(super) fn check_severity_name(&mut self, severity: &Text) -> bool {
        let good = naming::check_name(&severity.value, false).is_ok();
        if !good {
            let message = format!(
                "`{}` is not a valid severity name",
                severity.value.escape_debug()
            );
            let error = Diagnostic::error("bad-name", severity.span, message);
            self.sink
                .push(error.help("use one word, such as `critical` or `warning`"));
        }
        good
    }
}

/// True for the URL of a runbook outside this service, also without its scheme.
pub(super) fn is_elsewhere(runbook: &Text) -> bool {
    let value = &runbook.value;
    value.contains("://") || (value.contains('/') && !value.contains(".."))
}
