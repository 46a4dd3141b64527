//! Prometheus: rule files, the operator's resource, unit tests, inhibition, scraping.
//!
//! An alert `QueueOverflow: {when: {signal: queue_depth, above: 80}, for: 2m}` is in `rules/alerts.yaml` as
//!
//! ```yaml
//! - alert: QueueOverflow
//!   expr: sum by (model_name) (vllm:num_requests_waiting) > 80
//!   for: 2m
//! ```
//!
//! and `tests/` has a promtool test that fires it and one that just does not.

mod annotations;
mod check;
mod compat;
mod dashboard_link;
mod go;
mod monitors;
pub mod project;
mod ruler;
mod rules;
mod unit_tests;
mod view;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::kubernetes::metadata;
use super::{Options, OutFile, Rendered, TargetError};
use crate::target::scrape;
use slosmith_plan::plan::{Alert, Links, Plan};
use slosmith_promql::{self as promql, ast::Expr};
use slosmith_spec::naming::{OWNER, SERVICE, SEVERITY, SLO};
use slosmith_text::source::lines;
use slosmith_text::units::Duration;
use view::{Collector, File, InhibitRule, Inhibition, Resource, RuleFile, ScrapeFile, SpanCount};

/// External labels by which a pair of equal Prometheus servers is told apart: the usual names of the Prometheus operator, of Thanos
/// and of Mimir.
const HA_REPLICA: [&str; 3] = ["replica", "prometheus_replica", "__replica__"];

const RULES: (&str, &str) = ("app.kubernetes.io/component", "slo");

/// A rule as Prometheus evaluates it.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The name of the alert or of the recorded series.
    pub name: String,
    pub is_alert: bool,
    pub expr: Expr,
    pub labels: BTreeMap<String, String>,
    /// The time from one evaluation to the next.
    pub every: Duration,
    pub hold: Duration,
    pub keep: Duration,
}

/// The rules of a plan, in the order of its files.
pub fn timed(plan: &Plan) -> Vec<Timed> {
    let groups = rules::files(plan)
        .into_iter()
        .flat_map(|named| named.file.groups);
    let time = |text: Option<&str>| text.and_then(|text| text.parse().ok()).unwrap_or_default();
    let rules = groups.flat_map(|group| {
        let every = time(Some(&group.interval));
        group.rules.into_iter().map(move |rule| (every, rule))
    });
    let one = |(every, rule): (Duration, view::Rule)| Timed {
        is_alert: rule.alert.is_some(),
        name: rule.alert.or(rule.record).unwrap_or_default(),
        expr: promql::parse(&rule.expr).expect("a generated rule is PromQL"),
        labels: rule.labels.into_iter().collect(),
        every,
        hold: time(rule.hold.as_deref()),
        keep: time(rule.keep_firing_for.as_deref()),
    };
    rules.map(one).collect()
}

pub(super) fn render(plan: &Plan, options: Options<'_>) -> Result<Rendered, TargetError> {
    let out = Out {
        service: &plan.service.name,
        options,
    };
    let mut rendered = Rendered::default();
    let rule_files = rules::files(plan);
    for named in &rule_files {
        let path = format!("rules/{}.yaml", named.name);
        let file = out.file(&path, "prometheus/rules.yaml", &named.title, &named.file)?;
        let check = |file: &OutFile| check::rule_file(file, &named.file);
        rendered.files.push(options.checked(file, check)?);
    }
    let mut all = RuleFile {
        groups: rule_files.into_iter().flat_map(|f| f.file.groups).collect(),
    };
    let mut own_groups = options.templates.are_replaced();
    let mut ruled = None;
    if let Some(given) = &plan.ruler {
        let (file, notes) = ruler::file(plan, given, &all);
        rendered.notes = notes;
        ruled = Some(out.ruler(plan, &file)?);
        if ruler::has_resource(given) && all.groups != file.groups {
            own_groups = true;
            all.groups = file.groups;
        }
    }
    let resource = out.resource(plan, &all, &rendered.files, own_groups)?;
    rendered.files.push(resource);
    rendered.files.extend(ruled);
    if let Some(inhibition) = inhibition(plan) {
        let file = out.file(
            "alertmanager.yaml",
            "prometheus/alertmanager.yaml",
            "",
            &inhibition,
        )?;
        let check = |file: &OutFile| out.same(file, &inhibition);
        rendered.files.push(options.checked(file, check)?);
    }
    let scrape = scrape(plan);
    let file = out.file("scrape.yaml", "prometheus/scrape.yaml", "", &scrape)?;
    let check = |file: &OutFile| check::read::<ScrapeFile>(file).map(drop);
    rendered.files.push(options.checked(file, check)?);
    if let Some(collector) = collector(plan) {
        let (path, template) = (
            "goodput-collector.yaml",
            "prometheus/goodput-collector.yaml",
        );
        let file = out.file(path, template, "", &collector)?;
        rendered.files.push(options.checked(file, check::yaml)?);
    }
    for named in monitors::files(plan) {
        let path = format!("monitors/{}.yaml", named.name);
        let file = out.file(&path, "prometheus/monitor.yaml", &named.title, &named.file)?;
        rendered.files.push(options.checked(file, check::yaml)?);
    }
    let tests = match options.unit_tests {
        true => unit_tests::files(plan),
        false => unit_tests::Tests::default(),
    };
    for named in &tests.files {
        let path = format!("tests/{}.yaml", named.name);
        let file = out.file(&path, "prometheus/test.yaml", &named.title, &named.file)?;
        let check = |file: &OutFile| out.same(file, &named.file);
        rendered.files.push(options.checked(file, check)?);
    }
    rendered.notes.extend(tests.notes);
    rendered.untested = tests.untested;
    Ok(rendered)
}

/// All groups of rules of a service, in the order of the rule files.
pub(super) fn groups(plan: &Plan) -> impl Serialize {
    let files = rules::files(plan);
    files
        .into_iter()
        .flat_map(|file| file.file.groups)
        .collect::<Vec<_>>()
}

struct Out<'a> {
    service: &'a str,
    options: Options<'a>,
}

impl Out<'_> {
    fn file(
        &self,
        path: &str,
        template: &str,
        title: &str,
        content: &impl Serialize,
    ) -> Result<OutFile, TargetError> {
        let view = File {
            service: self.service,
            title,
            content,
        };
        Ok(OutFile {
            path: path.to_owned(),
            text: self.options.templates.render(template, &view)?,
        })
    }

    fn ruler(&self, plan: &Plan, content: &ruler::RulerFile) -> Result<OutFile, TargetError> {
        let title = format!("{}: all rules, in one file.", plan.service.title);
        let path = format!("ruler/{}.yaml", plan.service.name);
        let file = self.file(&path, "prometheus/ruler.yaml", &title, content)?;
        self.options.checked(file, |file| self.same(file, content))
    }

    /// All rules for the Prometheus operator; `own` if the groups differ from the rule files.
    fn resource(
        &self,
        plan: &Plan,
        all: &RuleFile,
        files: &[OutFile],
        own: bool,
    ) -> Result<OutFile, TargetError> {
        let title = &plan.service.title;
        let title = format!("{title}: all rules, for the Prometheus operator.");
        let groups = match own {
            true => self.file("", "prometheus/groups.yaml", &title, all)?.text,
            false => {
                let parts = files.iter().map(|f| f.text.split_once("\ngroups:\n"));
                parts.flatten().map(|(_, groups)| groups).collect()
            }
        };
        let resource = Resource {
            metadata: metadata(plan, &plan.service.name, RULES, &[]),
            body: indented(&groups),
            groups: self.options.templates.are_replaced().then_some(all),
        };
        let template = "prometheus/prometheusrule.yaml";
        let file = self.file("prometheusrule.yaml", template, &title, &resource)?;
        let check = |file: &OutFile| check::prometheus_rule(file, all, files);
        self.options.checked(file, check)
    }

    /// Reads a file back: the output of a built-in template must equal the view.
    fn same<T: DeserializeOwned + PartialEq>(
        &self,
        file: &OutFile,
        view: &T,
    ) -> Result<(), TargetError> {
        let back: T = check::read(file)?;
        if back == *view || self.options.templates.are_replaced() {
            return Ok(());
        }
        Err(file.invalid("the output of the template differs from the plan"))
    }
}

/// Groups as they stand in a resource: two columns further right.
fn indented(groups: &str) -> String {
    let mut body = String::with_capacity(groups.len() + groups.len() / 4);
    for line in lines(groups) {
        let indent = if line.is_empty() { "" } else { "  " };
        body.extend([indent, line, "\n"]);
    }
    body.truncate(body.trim_end().len());
    body
}

fn inhibition(plan: &Plan) -> Option<Inhibition> {
    let severities = &plan.service.severities;
    let both = plan.slos.iter().any(|slo| {
        let has = |severity: &str| slo.events.tiers.iter().any(|t| t.severity == severity);
        has(&severities.page) && has(&severities.ticket)
    });
    if severities.page == severities.ticket {
        return None;
    }
    let matchers = |severity: &str| {
        vec![
            format!("{SERVICE}=\"{}\"", plan.service.name),
            format!("{SLO}!=\"\""),
            format!("{SEVERITY}=\"{severity}\""),
        ]
    };
    let mut equal = vec![SLO.to_owned()];
    let mut labels: Vec<_> = plan
        .slos
        .iter()
        .flat_map(|s| s.labels.iter().cloned())
        .collect();
    labels.sort();
    labels.dedup();
    equal.extend(labels);
    let shared = shared(plan);
    equal.extend(shared.iter().cloned());
    let of_slos = equal.clone();
    let mut inhibit_rules: Vec<_> = both
        .then(|| InhibitRule {
            source_matchers: matchers(&severities.page),
            target_matchers: matchers(&severities.ticket),
            equal,
        })
        .into_iter()
        .collect();
    let named = |alert: &str| named(plan, &[alert]);
    let of_data = |pages: bool| {
        let mut alerts = plan.alerts.iter();
        alerts.find(|alert| {
            let data = alert.condition.slo_data();
            data.is_some_and(|data| data.unmeasured.is_none() == pages)
        })
    };
    if let (Some(lost), Some(unmeasured)) = (of_data(true), of_data(false)) {
        // The page has fewer labels than the ticket: only those of targets.
        let own = lost.condition.query().labels.iter();
        let equal: Vec<_> = own.clone().chain(&shared).cloned().collect();
        // With the same labels, the first rule has both.
        if !both || of_slos != equal {
            inhibit_rules.push(InhibitRule {
                source_matchers: named(&lost.name),
                target_matchers: named(&unmeasured.name),
                equal,
            });
        }
        let data = lost.condition.slo_data();
        let paged_by = data.map_or(&[][..], |data| &data.paged_by);
        for same in paged_by.chunk_by(|a, b| a.1 == b.1) {
            let alerts: Vec<_> = same.iter().map(|(alert, _)| alert.as_str()).collect();
            // The alert on the metrics has no SLO.
            let of_place = own.clone().filter(|label| *label != SLO);
            let mut targets = named(&lost.name);
            targets.push(format!("{SLO}=~\"{}\"", same[0].1.join("|")));
            inhibit_rules.push(InhibitRule {
                source_matchers: self::named(plan, &alerts),
                target_matchers: targets.clone(),
                equal: of_place.clone().chain(&shared).cloned().collect(),
            });
            inhibit_rules.extend(missing_covers(plan, &alerts, unmeasured, &same[0].1));
            let forgets = |name: &&str| {
                let mut alerts = plan.alerts.iter().filter(|alert| alert.name == *name);
                alerts.any(|alert| alert.condition.forgets())
            };
            let forgetting: Vec<_> = alerts.into_iter().filter(forgets).collect();
            if !forgetting.is_empty() && of_place.clone().next().is_some() {
                let without = of_place.map(|label| format!("{label}=\"\""));
                inhibit_rules.push(InhibitRule {
                    source_matchers: self::named(plan, &forgetting)
                        .into_iter()
                        .chain(without)
                        .collect(),
                    target_matchers: targets,
                    equal: shared.clone(),
                });
            }
        }
    }
    inhibit_rules.extend(of_one_cause(plan));
    let apart = places(plan).next().is_some();
    (!inhibit_rules.is_empty()).then_some(Inhibition {
        apart,
        inhibit_rules,
    })
}

/// A page on the missing metrics of a model covers the tickets on its SLOs: these are not measured for the same reason.
fn missing_covers(
    plan: &Plan,
    pages: &[&str],
    unmeasured: &Alert,
    slos: &[String],
) -> Vec<InhibitRule> {
    let alerts = plan
        .alerts
        .iter()
        .filter(|alert| pages.contains(&alert.name.as_str()));
    let rules = alerts.filter_map(|alert| {
        let labels = &alert.condition.query().labels;
        let known = &unmeasured.condition.query().labels;
        let is_part = !labels.is_empty() && labels.iter().all(|label| known.contains(label));
        let mut targets = named(plan, &[&unmeasured.name]);
        targets.push(format!("{SLO}=~\"{}\"", slos.join("|")));
        is_part.then(|| InhibitRule {
            source_matchers: named(plan, &[&alert.name]),
            target_matchers: targets,
            equal: labels.iter().chain(&shared(plan)).cloned().collect(),
        })
    });
    rules.collect()
}

/// While a page on a cause fires, its runbook is followed: the other alerts with this runbook are silent, in the same label set or a part
/// of it. A page of one replica leaves the alerts of all replicas alone. Of two pages, the one on more is the cause.
fn of_one_cause(plan: &Plan) -> Vec<InhibitRule> {
    let severities = &plan.service.severities;
    let causes = plan.alerts.iter().filter(|alert| {
        alert.severity == severities.page
            && alert.links.page.is_some()
            && alert.condition.slo_data().is_none()
    });
    let rules = causes.filter_map(|cause| {
        let labels = &cause.condition.query().labels;
        let covers = |links: &Links, others: &[String]| {
            links.page == cause.links.page && labels.iter().all(|label| others.contains(label))
        };
        let others = plan.alerts.iter().filter(|alert| {
            let own = &alert.condition.query().labels;
            let is_lesser = alert.severity != severities.page || own.len() > labels.len();
            is_lesser && alert.condition.slo_data().is_none() && covers(&alert.links, own)
        });
        let burns = plan
            .slos
            .iter()
            .filter(|slo| !slo.events.tiers.is_empty() && covers(&slo.links, &slo.labels));
        let others = others.map(|alert| alert.name.as_str());
        let burns = burns.map(|slo| slo.alert_name.as_str());
        let targets: Vec<_> = others.chain(burns).collect();
        (!targets.is_empty()).then(|| InhibitRule {
            source_matchers: named(plan, &[&cause.name]),
            target_matchers: named(plan, &targets),
            equal: labels.iter().chain(&shared(plan)).cloned().collect(),
        })
    });
    rules.collect()
}

/// External labels that tell places apart: a page of one region says nothing of another. Replicas of one Prometheus send the same alerts.
fn places(plan: &Plan) -> impl Iterator<Item = &String> {
    let external = plan.scrape.external.iter();
    external.filter(|label| !HA_REPLICA.contains(&label.as_str()))
}

/// Labels in which an alert equals what it silences, beside its own: the place, and the owner where alerts have several. The page of one
/// team tells another team nothing.
fn shared(plan: &Plan) -> Vec<String> {
    let of_slos = plan.slos.iter().flat_map(|slo| slo.marks());
    let of_alerts = plan.alerts.iter().map(|alert| &alert.marks);
    let mut owners = of_slos.map(|(_, marks)| marks).chain(of_alerts);
    let first = owners.next().map(|marks| &marks.owner);
    let differ = owners.any(|marks| Some(&marks.owner) != first);
    let owner = differ.then(|| OWNER.to_owned());
    places(plan).cloned().chain(owner).collect()
}

/// Matchers of some alerts of the service.
fn named(plan: &Plan, alerts: &[&str]) -> Vec<String> {
    let op = if alerts.len() == 1 { "=" } else { "=~" };
    vec![
        format!("{SERVICE}=\"{}\"", plan.service.name),
        format!("alertname{op}\"{}\"", alerts.join("|")),
    ]
}

fn collector(plan: &Plan) -> Option<Collector> {
    let spans: Vec<_> = plan
        .span_counts
        .iter()
        .map(|count| SpanCount {
            name: count.name.clone(),
            condition: count.condition.clone(),
        })
        .collect();
    (!spans.is_empty()).then_some(Collector { spans })
}

fn scrape(plan: &Plan) -> ScrapeFile {
    let jobs = plan.scrape.jobs.iter().map(|job| {
        let config = scrape::config(plan, job);
        match job.histograms {
            true => config.with_classic_histograms(),
            false => config,
        }
    });
    ScrapeFile {
        labels: plan.scrape.labels.clone(),
        scrape_configs: jobs.collect(),
    }
}
