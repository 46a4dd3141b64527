//! Alerts on SLIs that lose their data: without data, no burn-rate alert fires.
//!
//! A service has two of them, for all its SLOs: one pages where events ended together with their series, one opens a ticket
//! where an SLO is not measured.

use std::collections::BTreeSet;

use super::context::Context;
use super::family;
use super::matchers::JOB;
use slosmith_plan::plan::selection::Matcher;
use slosmith_plan::plan::{
    Alert, BASE_WINDOW, Bound, Condition, EventSli, EventSlo, Query, RawCondition, SliData, Slo,
    Unmeasured, ValueUnit, recorded,
};
use slosmith_plan::query;
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, MatchOp, Selector};
use slosmith_promql::{build, kept_labels, split_series, visit};
use slosmith_spec::naming;
use slosmith_spec::spec::{self, Across, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::units::{Duration, Unit};

/// How long ended series are remembered.
const MEMORY: Duration = Duration::from_mins(60);

/// The same where their targets are down, or none is left: so long the page of an outage stays.
const DOWN_MEMORY: Duration = Duration::from_mins(6 * 60);

/// How long an idle SLO may be without series that only its next request brings back: a night, and the morning after it.
const IDLE_MEMORY: Duration = Duration::from_secs(86_400);

/// A target that was down in this time is not up for good.
const AT_TIMES: Duration = Duration::from_mins(2);

/// How long a place must have had targets that are down now: the first ones after a time without any load.
const LOADED: Duration = Duration::from_mins(10);

/// How long events must be missing: a restart takes less.
const LOST_FOR: Duration = Duration::from_mins(10);

/// How long an SLO must be without a measurement.
const UNMEASURED_FOR: Duration = Duration::from_mins(30);

const LOST: &str = "SLODataLost";
const UNMEASURED: &str = "SLONotMeasured";

/// Reports alerts of the spec that have the name of a generated one.
pub(super) fn check_name(cx: &mut Context<'_>, name: &Text) {
    let (own, has_slos) = (naming::kebab(&name.value), !cx.spec.slos.is_empty());
    let mut generated = [LOST, UNMEASURED].into_iter();
    if let Some(taken) = generated.find(|known| has_slos && naming::kebab(known) == own) {
        let message = format!("`{taken}` is the name of a generated alert on the data of the SLOs");
        let error = Diagnostic::error("duplicate-name", name.span, message);
        cx.sink.push(error.help("give the alert another name"));
    }
}

/// The alerts on the data of all SLOs that have alerts, and of those that say so.
pub(super) fn alerts(cx: &mut Context<'_>, slos: &[Slo], own: &[Alert]) -> Vec<Alert> {
    let spec = cx.spec;
    let is_watched = |slo: &&Slo| {
        let written = spec.slos.get(slo.name.as_str());
        let wanted = written.and_then(|slo| slo.data_alerts);
        let events = &slo.events;
        wanted.map_or(!events.tiers.is_empty(), |wanted| wanted.value)
            && slo.is_stored()
            && events.counted.is_some()
    };
    let watched: Vec<_> = slos.iter().filter(is_watched).collect();
    if watched.is_empty() {
        return Vec::new();
    }
    let watch = Watch {
        service: &spec.service.name.value,
        all: slos,
        watched,
    };
    [watch.lost(cx, own), watch.unmeasured(cx)]
        .into_iter()
        .flatten()
        .collect()
}

struct Watch<'a> {
    service: &'a str,
    all: &'a [Slo],
    watched: Vec<&'a Slo>,
}

impl Watch<'_> {
    /// Pages where a place that targets are told by had events, and has no series now: its targets are down, or none is left at all.
    /// A value of another label may have been replaced, as one model by the next, and a place without targets removed.
    fn lost(&self, cx: &mut Context<'_>, own: &[Alert]) -> Option<Alert> {
        let page = cx.severity("page");
        let pages = |slo: &&Slo| {
            let fastest = slo.events.tiers.first();
            fastest.is_none_or(|tier| tier.severity == page)
        };
        let of_events = self.of_events();
        let ended: Vec<_> = of_events.into_iter().filter(pages).collect();
        let first = *ended.first()?;
        let target = cx.target_labels();
        let down = targets(cx, first).map(|_| DOWN_MEMORY);
        let data = SliData {
            ended: names(&ended),
            places: target.to_vec(),
            undecided: Vec::new(),
            unmeasured: None,
            late: Vec::new(),
            targets: targets(cx, first),
            memory: down.unwrap_or(MEMORY),
            down,
            paged_by: paged_by(cx, &ended, own),
        };
        let (words, description) = match ended.iter().all(|slo| targets(cx, slo).is_some()) {
            true => (
                "an SLO had events and has no series now, and its targets are down or gone",
                "The SLO had events before. Its series ended, and its targets are down or gone.",
            ),
            false => (
                "an SLO had events and has no series now",
                "The SLO had events before. Its series ended.",
            ),
        };
        let text = Texts {
            name: LOST,
            summary: "SLO {{ $labels.slo }} has no data",
            words,
            description,
            action: "Check that the targets are up and that requests succeed. Then compare the `/metrics` output of a target with the query of the SLI.",
        };
        let own = |slo: &Slo| {
            (
                labels(&[slo], |label| target.contains(label)),
                targets(cx, slo),
            )
        };
        let mut places = Vec::new();
        for place in ended.iter().map(|slo| own(slo)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let of_places = places.iter().flat_map(|place| {
            let slos = ended.iter().filter(|slo| own(slo) == *place);
            let slos: Vec<_> = slos.copied().collect();
            self.lost_of(&slos, place)
        });
        let expr = of_places.reduce(|one, other| build::binary(BinaryOp::Or, one, other).into())?;
        let labels = labels(&ended, |label| target.contains(label));
        Some(self.alert(cx, text, ("page", LOST_FOR), expr, (labels, data)))
    }

    /// The same of SLOs that have the same targets and labels of targets: where these are down, and where none is left.
    fn lost_of(
        &self,
        slos: &[&Slo],
        (labels, targets): &(Vec<String>, Option<Vec<Matcher>>),
    ) -> Vec<Expr> {
        let Some(targets) = targets else {
            return vec![self.ended(slos, labels, ("last_over_time", MEMORY))];
        };
        let (place, no_labels): (_, [&str; 0]) = (&labels[1..], []);
        // A process may hang before it dies: its last rates are 0. One that dies again and again is up at times.
        let ended = self.ended(slos, labels, ("max_over_time", DOWN_MEMORY));
        let lately = build::call("min_over_time", [query::range(up(targets), AT_TIMES)]);
        let best = build::aggregate(AggregateOp::Max, place, lately);
        let down = build::binary(BinaryOp::Eq, best, build::number("0"));
        let before = up(targets).offset(query::time(LOADED));
        let down = build::binary(BinaryOp::And, down, before).on(place);
        let down = build::binary(BinaryOp::And, ended, build::paren(down)).on(place);
        let ended = self.ended(slos, labels, ("last_over_time", DOWN_MEMORY));
        let gone = build::binary(BinaryOp::Unless, ended, up(targets)).on(&no_labels);
        vec![build::paren(down), build::paren(gone)]
    }

    /// Opens a ticket where nothing is measured.
    fn unmeasured(&self, cx: &mut Context<'_>) -> Option<Alert> {
        let (missing, late): (Vec<&Slo>, Vec<&Slo>) =
            self.watched.iter().partition(|slo| is_from_start(cx, slo));
        let of_events = self.of_events();
        let target = cx.target_labels();
        let place_of_all = labels(&self.watched, |label| target.contains(label));
        let total = |slos: &[&Slo]| self.base(naming::TOTAL_EVENTS, slos);
        let no_labels: [&str; 0] = [];
        let found = self
            .watched
            .iter()
            .filter_map(|slo| Some((*slo, undecided(slo)?)));
        let (undecided, without): (Vec<&Slo>, Vec<Expr>) = found.unzip();
        let place = |slo: &Slo| -> Vec<String> {
            let own = slo.labels.iter().filter(|label| target.contains(label));
            own.filter(|_| is_measured_everywhere(cx, slo))
                .cloned()
                .collect()
        };
        let labels = match undecided.is_empty() {
            true if of_events.is_empty() => {
                let places: BTreeSet<_> = missing.iter().flat_map(|slo| place(slo)).collect();
                std::iter::once(naming::SLO.to_owned())
                    .chain(places)
                    .collect()
            }
            true => place_of_all.clone(),
            false => labels(&self.watched, |_| true),
        };
        let either = |one, other| build::binary(BinaryOp::Or, one, other).into();
        let without = without.into_iter().reduce(either).map(|without| {
            // An SLO whose bucket no target has is one without series.
            let measured = total(&undecided);
            let without = build::paren(without);
            build::binary(BinaryOp::And, without, measured)
                .on(&[naming::SLO])
                .into()
        });
        let mut ways: Vec<Expr> = without.into_iter().collect();
        if !of_events.is_empty() {
            ways.push(self.ended(&of_events, &place_of_all, ("last_over_time", MEMORY)));
        }
        let is_time = |slo: &Slo| matches!(slo.events.sli, EventSli::Time(_));
        let kind = |slo: &Slo| (needed(cx, slo), may_idle(cx, slo), is_time(slo), place(slo));
        let kinds: BTreeSet<_> = missing.iter().map(|slo| kind(slo)).collect();
        let mut branches = Vec::new();
        for found in kinds {
            let of_these = |slo: &&&Slo| kind(slo) == found;
            let slos: Vec<_> = missing.iter().filter(of_these).copied().collect();
            let (targets, may_idle, is_time, place) = found;
            let branch = Unmeasured {
                slos: names(&slos),
                targets,
                place,
                idle: (may_idle && !is_time).then_some(IDLE_MEMORY),
            };
            ways.extend(self.without_series(&slos, &branch, is_time));
            branches.push(branch);
        }
        if !late.is_empty() && !missing.is_empty() {
            // Their series begin with the first request, which other SLOs count.
            let any = build::aggregate(AggregateOp::Sum, &no_labels, total(&self.watched));
            let none = build::binary(
                BinaryOp::And,
                self.without(&late, self.lately(&late)),
                query::positive(any),
            );
            ways.push(none.on(&no_labels).into());
        }
        let ways: Vec<_> = match ways.len() {
            1 => ways,
            _ => ways.into_iter().map(build::paren).collect(),
        };
        let expr = ways.into_iter().reduce(either)?;
        let data = SliData {
            // One without known targets has no series then, whatever was before.
            ended: names(&of_events)
                .into_iter()
                .zip(&of_events)
                .filter(|(_, slo)| targets(cx, slo).is_some() || !is_from_start(cx, slo))
                .map(|(name, _)| name)
                .collect(),
            places: target.to_vec(),
            targets: missing.first().and_then(|slo| needed(cx, slo)),
            undecided: names(&undecided),
            unmeasured: Some(branches),
            late: names(&late),
            memory: MEMORY,
            down: None,
            paged_by: Vec::new(),
        };
        let text = Texts {
            name: UNMEASURED,
            summary: "SLO {{ $labels.slo }} is not measured",
            words: "an SLO has no series, lacks its bucket or the status of its events, or had events in the last hour and has no series now",
            description: "The SLO is not measured, or only at some targets. Its targets are down or were removed, or a metric, a label or a \
                          bucket was renamed or does not exist, or no request came after a restart.",
            action: "Send a request. Then compare the `/metrics` output of a target with the query of the SLI.",
        };
        Some(self.alert(cx, text, ("ticket", UNMEASURED_FOR), expr, (labels, data)))
    }

    /// SLOs on counters. A gauge has values without traffic, too: its end may be intended.
    fn of_events(&self) -> Vec<&Slo> {
        let of_events = |slo: &&&Slo| !slo.events.increases.is_empty();
        self.watched.iter().filter(of_events).copied().collect()
    }

    /// SLOs of a branch that have no series, though they are to be measured.
    fn without_series(&self, slos: &[&Slo], branch: &Unmeasured, is_time: bool) -> Option<Expr> {
        if let Some(targets) = branch.targets.as_ref().filter(|_| !branch.place.is_empty()) {
            return self.places_without(slos, targets, &branch.place);
        }
        // Nothing else tells that a gauge has no series any more.
        let mut none = match is_time {
            true => self.without(slos, self.base(naming::TOTAL_EVENTS, slos).into()),
            false => self.without(slos, self.lately(slos)),
        };
        if branch.idle.is_some() {
            none = build::binary(BinaryOp::Unless, none, self.idle(slos))
                .on(&[naming::SLO])
                .into();
        }
        // Of targets that are down there is nothing to measure.
        let no_labels: [&str; 0] = [];
        Some(match &branch.targets {
            Some(targets) => build::binary(BinaryOp::And, none, is_up(targets))
                .on(&no_labels)
                .into(),
            None => none,
        })
    }

    /// The series of SLOs, also for a time after their end: until then, there may be a ticket for their last label sets.
    fn lately(&self, slos: &[&Slo]) -> Expr {
        let total = self.base(naming::TOTAL_EVENTS, slos);
        let lately = Duration::from_secs(MEMORY.as_secs() - UNMEASURED_FOR.as_secs());
        build::call("last_over_time", [query::range(total, lately)])
    }

    /// Places whose targets are up, without series of an SLO: one place that is measured says nothing of another.
    fn places_without(&self, slos: &[&Slo], targets: &[Matcher], place: &[String]) -> Option<Expr> {
        let up = build::aggregate(AggregateOp::Max, place, is_up(targets));
        let of_slo = |slo: &&Slo| {
            let named = [naming::SLO, slo.name.as_str(), "", ""].map(build::string);
            build::call("label_replace", std::iter::once(up.clone()).chain(named))
        };
        let either = |one, other| build::binary(BinaryOp::Or, one, other).into();
        let of_slos = slos.iter().map(of_slo).reduce(either)?;
        let of_slos = match slos.len() {
            1 => of_slos,
            _ => build::paren(of_slos),
        };
        let apart: Vec<_> = place
            .iter()
            .map(String::as_str)
            .chain([naming::SLO])
            .collect();
        let none = build::binary(BinaryOp::Unless, of_slos, self.lately(slos)).on(&apart);
        let none = build::binary(BinaryOp::And, none, self.of(naming::OBJECTIVE, slos));
        Some(none.on(&[naming::SLO]).into())
    }

    /// SLOs that have no such series.
    fn without(&self, slos: &[&Slo], series: Expr) -> Expr {
        let none = build::binary(BinaryOp::Unless, self.of(naming::OBJECTIVE, slos), series);
        build::aggregate(AggregateOp::Max, &[naming::SLO], none.on(&[naming::SLO]))
    }

    /// SLOs whose last events were none.
    fn idle(&self, slos: &[&Slo]) -> Expr {
        let total = self.base(naming::TOTAL_EVENTS, slos);
        let last = build::call("last_over_time", [query::range(total, IDLE_MEMORY)]);
        let last = build::aggregate(AggregateOp::Sum, &[naming::SLO], last);
        build::binary(BinaryOp::Eq, last, build::number("0")).into()
    }

    /// A function of the rates of series that ended, where it is above 0, of SLOs that still exist.
    fn ended(
        &self,
        slos: &[&Slo],
        labels: &[String],
        (function, memory): (&str, Duration),
    ) -> Expr {
        let total = || self.base(naming::TOTAL_EVENTS, slos);
        let last = build::call(function, [query::range(total(), memory)]);
        let [last, now] =
            [last, total().into()].map(|series| build::aggregate(AggregateOp::Sum, labels, series));
        let ended = build::binary(BinaryOp::Unless, query::positive(last), now);
        build::binary(BinaryOp::And, ended, self.of(naming::OBJECTIVE, slos))
            .on(&[naming::SLO])
            .into()
    }

    /// What is recorded of some SLOs over the base window.
    fn base(&self, name: &str, slos: &[&Slo]) -> Selector {
        let window = BASE_WINDOW.to_string();
        self.of(name, slos)
            .matcher(naming::WINDOW, MatchOp::Equal, &window)
    }

    fn of(&self, name: &str, slos: &[&Slo]) -> Selector {
        let series = recorded(name, &[(naming::SERVICE, self.service)]);
        let is_in = |slo: &&Slo| slos.iter().any(|of| of.name == slo.name);
        let (these, others): (Vec<&Slo>, Vec<_>) = self.all.iter().partition(is_in);
        let (op, few) = match these.len() > others.len() {
            true => ([MatchOp::NotEqual, MatchOp::NotMatch], others),
            false => ([MatchOp::Equal, MatchOp::Match], these),
        };
        match &few[..] {
            [] => series,
            [slo] => series.matcher(naming::SLO, op[0], &slo.name),
            _ => series.matcher(naming::SLO, op[1], &names(&few).join("|")),
        }
    }

    fn alert(
        &self,
        cx: &mut Context<'_>,
        text: Texts,
        (severity, hold): (&str, Duration),
        expr: Expr,
        (labels, data): (Vec<String>, SliData),
    ) -> Alert {
        let severity = cx.severity(severity);
        let marks = cx.marks(&severity, &spec::Marks::default(), &kept_labels(&expr));
        let condition = RawCondition {
            words: Some(text.words.to_owned()),
            correlated: None,
            of_slos: Some(data),
            expr: expr.clone(),
            unit: ValueUnit::plain(Unit::Count),
            threshold: None,
            query: Query { expr, labels },
        };
        Alert {
            name: text.name.to_owned(),
            severity,
            hold,
            keep: Duration::default(),
            evaluation: cx.evaluation_interval(),
            condition: Condition::Raw(Box::new(condition)),
            records: Vec::new(),
            target: None,
            summary: text.summary.to_owned(),
            summary_is_own: true,
            description: Some(text.description.to_owned()),
            action: Some(text.action.to_owned()),
            links: cx.links(text.name, None),
            marks,
        }
    }
}

struct Texts {
    name: &'static str,
    summary: &'static str,
    words: &'static str,
    description: &'static str,
    action: &'static str,
}

fn names(slos: &[&Slo]) -> Vec<String> {
    slos.iter().map(|slo| slo.name.clone()).collect()
}

/// `slo`, and those of the labels of SLOs that a filter keeps.
fn labels(slos: &[&Slo], keeps: impl Fn(&String) -> bool) -> Vec<String> {
    let mut all = vec![naming::SLO.to_owned()];
    for label in slos.iter().flat_map(|slo| &slo.labels) {
        if keeps(label) && !all.contains(label) {
            all.push(label.clone());
        }
    }
    all
}

/// Events of an SLO that lack its bucket or their status: a part of its targets may have others, as during a rollout.
fn undecided(slo: &Slo) -> Option<Expr> {
    let events = query::undecided(&slo.events.sli, &slo.labels)?;
    let named = [naming::SLO, slo.name.as_str(), "", ""].map(build::string);
    let args = std::iter::once(events).chain(named);
    Some(build::call("label_replace", args))
}

/// False for an SLO on series that targets are known to lack before the first request.
fn is_from_start(cx: &Context<'_>, slo: &Slo) -> bool {
    let signal = slo.events.sli.signal();
    if let Some(family) = signal.and_then(|signal| signal.family()) {
        return family::is_present_from_start(cx, family);
    }
    let (Some(range), Some([total, _])) = (&cx.range, slo.events.read()) else {
        return true;
    };
    let selectors = visit::selectors(total);
    let mut names = selectors.iter().filter_map(|selector| {
        let name = &selector.metric.as_ref()?.text;
        Some(split_series(name).0)
    });
    names.all(|name| {
        cx.catalog.family(name).is_none() || cx.catalog.present_from_start(name, &range.selection)
    })
}

/// The alerts of the spec that page while the targets of SLOs are down or their metrics are missing, and these SLOs.
fn paged_by(cx: &Context<'_>, slos: &[&Slo], own: &[Alert]) -> Vec<(String, Vec<String>)> {
    let page = cx.severity("page");
    let paging = own.iter().filter(|alert| alert.severity == page);
    let of_target = cx.target_labels();
    let of = |alert: &Alert| {
        let known = lost_targets(cx, &alert.condition)?;
        let grouped = &alert.condition.query().labels;
        // One of several replicas is no place.
        let is_same = |slo: &&Slo| {
            let place = labels(&[slo], |label| of_target.contains(label));
            targets(cx, slo).as_ref() == Some(&known)
                && grouped
                    .iter()
                    .all(|l| place.contains(l) || !of_target.contains(l))
        };
        let same: Vec<_> = slos.iter().copied().filter(is_same).collect();
        (!same.is_empty()).then(|| (alert.name.clone(), names(&same)))
    };
    paging.filter_map(of).collect()
}

/// The targets that are down, or whose metrics are missing, while a condition holds.
fn lost_targets(cx: &Context<'_>, condition: &Condition) -> Option<Vec<Matcher>> {
    match condition {
        Condition::Compare(c) => {
            let is_up = |name: &String| name == "up";
            let is_low = matches!(&c.bound, Bound::Fixed(op, ..) if !op.is_upper());
            let all_down = is_low
                && c.signal.across == Across::Max
                && c.signal
                    .family()
                    .is_some_and(|family| family.names.iter().any(is_up));
            all_down.then(|| targets_of(cx, &c.query.expr))?
        }
        Condition::Any(parts, _) => {
            let mut all = parts.iter().map(|part| lost_targets(cx, part));
            let first = all.next()??;
            all.all(|other| other.as_ref() == Some(&first))
                .then_some(first)
        }
        Condition::All(parts, _) => parts.iter().find_map(|part| lost_targets(cx, part)),
        Condition::Unless(parts, _) => lost_targets(cx, &parts[0]),
        Condition::Absent(absent) => targets_of(cx, &absent.query.expr),
        Condition::Raw(_) => None,
    }
}

/// True for an SLO on a counter or histogram that has no series before its first request, also after a restart: it has labels of its own.
fn may_idle(cx: &Context<'_>, slo: &Slo) -> bool {
    match &slo.events.sli {
        EventSli::Ratio { total: signal, .. } | EventSli::Latency { signal, .. } => {
            cx.late_label(signal).is_some()
        }
        _ => false,
    }
}

/// True where all targets of an SLO have its series. An idle place of a counter that appears with its first event has none, nor one
/// that lacks what the SLI selects, such as a model.
fn is_measured_everywhere(cx: &Context<'_>, slo: &Slo) -> bool {
    let own = cx.labels_of_targets();
    let of_targets = |expr: &Expr| {
        let selectors = visit::selectors(expr).into_iter();
        let mut labels = selectors.flat_map(|selector| selector.matchers.iter());
        labels.all(|m| m.label.text == "le" || own.contains(&m.label.text))
    };
    let total = slo.events.read();
    needed(cx, slo).is_some()
        && !may_idle(cx, slo)
        && total.is_some_and(|[total, _]| of_targets(total))
}

/// The targets of which one must be up for an SLO to be missed. Time without samples pages for no SLO: it needs none.
fn needed(cx: &Context<'_>, slo: &Slo) -> Option<Vec<Matcher>> {
    match slo.events.sli {
        EventSli::Time(_) => None,
        _ => targets(cx, slo),
    }
}

/// The targets that are up.
fn is_up(targets: &[Matcher]) -> Expr {
    build::binary(BinaryOp::Eq, up(targets), build::number("1")).into()
}

/// The labels of the targets that an SLO is measured at, where its job is known: other teams may have targets of the same job.
fn targets(cx: &Context<'_>, slo: &Slo) -> Option<Vec<Matcher>> {
    let [total, _] = slo.events.read()?;
    targets_of(cx, total)
}

/// The places where all targets of an SLO with such labels are up.
pub(super) fn all_up(cx: &Context<'_>, events: &EventSlo, labels: &[String]) -> Option<Query> {
    let [total, _] = events.read()?;
    let targets = targets_of(cx, total)?;
    let of_target = cx.target_labels();
    let place = labels.iter().filter(|label| of_target.contains(label));
    let labels: Vec<_> = place.cloned().collect();
    let least = build::aggregate(AggregateOp::Min, &labels, up(&targets));
    let expr = build::binary(BinaryOp::Eq, least, build::number("1")).into();
    Some(Query { expr, labels })
}

/// True where SLOs with such labels end with the events of a place: a counter has no series of it before its first event, also after a restart.
/// Not so a model: it has servers of its own.
pub(super) fn places_end(cx: &Context<'_>, events: &EventSlo, labels: &[String]) -> bool {
    let (EventSli::Ratio { total: signal, .. } | EventSli::Latency { signal, .. }) = &events.sli
    else {
        return false;
    };
    let of_targets = cx.labels_of_targets();
    let is_own = |label: &String| !of_targets.contains(label) && !cx.is_of_servers(label);
    labels.iter().any(is_own) && cx.late_label(signal).is_some()
}

/// The labels of the targets that a query reads, where their job is known.
fn targets_of(cx: &Context<'_>, expr: &Expr) -> Option<Vec<Matcher>> {
    let own = cx.labels_of_targets();
    let selectors = visit::selectors(expr).into_iter();
    let mut of_targets = selectors.map(|selector| {
        let matchers = selector.matchers.iter();
        let matchers = matchers.filter(|m| own.contains(&m.label.text));
        let matchers = matchers.map(|m| (m.label.text.clone(), m.op, m.value.value.clone()));
        matchers.collect::<Vec<_>>()
    });
    of_targets.find(|matchers| {
        let mut matchers = matchers.iter();
        matchers.any(|(label, op, _)| label == JOB && *op == MatchOp::Equal)
    })
}

/// Whether each of these targets is up.
fn up(targets: &[Matcher]) -> Selector {
    build::metric("up").with_matchers(targets)
}
