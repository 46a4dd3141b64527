//! The plan: what a spec means, resolved and typed. Nothing in it needs looking up.
//!
//! Queries are complete PromQL trees; beside them is what they were made from, so that a target that
//! does not speak PromQL, or a test that needs input series, can be made from the same plan.

pub mod alert;
pub mod cloudwatch;
mod condition;
pub mod dashboard;
mod grafana;
mod kubernetes;
pub mod layout;
pub mod marker;
mod marks;
mod names;
pub mod runbook;
mod series;
mod signal;
pub mod slo;
mod stored;
pub mod words;

pub use alert::{Alert, AlertRecord};
pub use cloudwatch::CloudWatch;
pub use condition::{
    Absent, Bound, Compare, CompareOp, Condition, Correlated, Limit, Outside, RawCondition,
    Reading, ValueUnit,
};
pub use dashboard::Dashboard;
pub use grafana::Provisioning;
pub use kubernetes::{Discovery, Kind, Kubernetes, LabelSource};
pub use marks::Marks;
pub use names::Names;
pub use series::{recorded, slo_series};
pub use signal::{Bucket, DEFAULT_WINDOW, Family, Raw, Signal, SignalKind, Source, Window};
pub use slo::{
    BASE_WINDOW, Budget, Compat, Counted, EventSli, EventSlo, Good, OwnEvents, PAGE_UP_TO,
    PercentileSlo, Slo, SloKind, Tier, TimeSli, WindowRatio,
};
pub use stored::{ELSEWHERE, is_stored};

use crate::promql::ast::Expr;
use crate::spec::{self, Stat};
use crate::units::Duration;

/// How often rules are evaluated at least, and where the spec does not say it.
pub const EVALUATION: Duration = Duration::from_mins(1);

/// One service, ready for every target.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Whose plan it is.
    pub service: Service,
    /// What the queries were checked against; `None` when no vLLM family is used.
    pub runtime: Option<Runtime>,
    /// Objectives with their alerts.
    pub slos: Vec<Slo>,
    /// Values recorded for dashboards and people.
    pub records: Vec<Record>,
    /// Alerts on conditions.
    pub alerts: Vec<Alert>,
    /// Dashboards; the first is where alerts without a panel of their own lead.
    pub dashboards: Vec<Dashboard>,
    /// Alarms and dashboards in CloudWatch; `None` when the spec wants none.
    pub cloudwatch: Option<CloudWatch>,
    /// Runbooks, and the pages beside them.
    pub runbooks: runbook::Runbooks,
    /// Values that the service's own code publishes.
    pub published: Vec<cloudwatch::Published>,
    /// Spans that an OpenTelemetry collector counts; empty without goodput objectives.
    pub span_counts: Vec<SpanCount>,
    /// How the service is scraped.
    pub scrape: Scrape,
    /// What evaluates its rules, where that is not the Prometheus that scrapes.
    pub ruler: Option<Ruler>,
    /// What its resources for Kubernetes carry; `None` when nothing says that there are any.
    pub kubernetes: Option<Kubernetes>,
    /// What brings its dashboards into Grafana, beside files and ConfigMaps.
    pub provisioning: Provisioning,
    /// How often its rules are evaluated.
    pub evaluation: Duration,
    /// Optional signals that no release in the range has.
    pub left_out: Vec<LeftOut>,
    /// Things the author should know: an open range, a release answered from its neighbours.
    pub notes: Vec<String>,
}

/// The service.
#[derive(Clone, Debug)]
pub struct Service {
    /// Its name: folder and `service` label.
    pub name: String,
    /// For people.
    pub title: String,
    /// The `owner` label, if any.
    pub owner: Option<String>,
    /// Values of the `severity` label.
    pub severities: Severities,
    /// Root of Grafana; empty when the spec has no `links`.
    pub grafana: String,
}

/// Values of the `severity` label.
#[derive(Clone, Debug)]
pub struct Severities {
    /// Somebody is woken.
    pub page: String,
    /// Looked at the next working day.
    pub ticket: String,
}

/// The releases every query is right on.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// The range as written.
    pub range: String,
    /// The recorded releases in it, for people: `0.20.2 to 0.33.0 (14 releases)`.
    pub releases: String,
}

/// Spans that meet a condition, as a counter.
#[derive(Clone, Debug)]
pub struct SpanCount {
    /// The counter, without `_total`.
    pub name: String,
    /// OTTL.
    pub condition: String,
}

/// A recorded value.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its name in the spec.
    pub name: String,
    /// Series name.
    pub series: String,
    /// The query.
    pub query: Query,
    /// What is recorded.
    pub signal: Signal,
    /// How the signal is read.
    pub stat: Stat,
    /// Look-back.
    pub window: Duration,
}

/// A query and the labels its result has.
#[derive(Clone, Debug)]
pub struct Query {
    /// The tree.
    pub expr: Expr,
    /// Labels of every result element.
    pub labels: Vec<String>,
}

/// Where an alert points.
#[derive(Clone, Debug)]
pub struct Links {
    /// What to do about it.
    pub runbook: String,
    /// Name of the runbook, if it has one of its own.
    pub page: Option<String>,
    /// True when the runbook is no page of this service.
    pub elsewhere: bool,
    /// Where to look.
    pub dashboard: String,
    /// Labels that the dashboard can be filtered by.
    pub variables: Vec<String>,
}

impl Links {
    /// The address of the dashboard; empty where nothing says at which Grafana it is.
    pub fn dashboard_url(&self) -> &str {
        match self.dashboard.starts_with('/') {
            true => "",
            false => &self.dashboard,
        }
    }
}

/// How the service is scraped.
#[derive(Clone, Debug)]
pub struct Scrape {
    /// Value of the `job` label.
    pub job: String,
    /// How often.
    pub interval: Duration,
    /// Labels the scrape must add, beside `job` and `instance`.
    pub labels: Vec<String>,
    /// Labels that are only added on sending.
    pub external: Vec<String>,
    /// What vLLM's names begin with in the store: `vllm:`, unless the spec sets another prefix.
    pub names: String,
    /// Every job that its signals come from.
    pub jobs: Vec<ScrapeJob>,
}

/// A program that evaluates rules.
#[derive(Clone, Debug)]
pub struct Ruler {
    /// Which.
    pub kind: spec::Ruler,
    /// How long it waits for late samples.
    pub query_offset: Option<Duration>,
    /// Tenants whose series it reads.
    pub source_tenants: Vec<String>,
    /// What it does when a part of the stores does not answer.
    pub partial_response: Option<spec::PartialResponse>,
}

/// A scrape job.
#[derive(Clone, Debug)]
pub struct ScrapeJob {
    /// Value of the `job` label.
    pub name: String,
    /// Path of the page.
    pub path: String,
    /// Prefixes that scraping replaces, so that the store has the names that the rules use.
    pub renames: Vec<Rename>,
    /// How its targets are probed, if they are.
    pub probe: Option<Probe>,
    /// How the Prometheus operator finds its targets, if they run in Kubernetes.
    pub discovery: Option<Discovery>,
}

impl ScrapeJob {
    /// A job of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: "/metrics".to_owned(),
            renames: Vec::new(),
            probe: None,
            discovery: None,
        }
    }
}

/// A prefix that scraping replaces: a client or a Prometheus may have replaced the colon of the served prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    /// The prefix that is replaced: `vllm_`.
    pub from: String,
    /// The prefix that the rules use: `vllm:`.
    pub to: String,
    /// Names after the prefix that the spec declares with the replaced prefix: they keep it.
    pub except: Vec<String>,
}

impl Rename {
    /// The rename to a prefix from the same prefix with the other separator.
    pub fn to(prefix: &str) -> Self {
        let from = match (prefix.strip_suffix(':'), prefix.strip_suffix('_')) {
            (Some(word), _) => format!("{word}_"),
            (None, Some(word)) => format!("{word}:"),
            (None, None) => String::new(),
        };
        Self {
            from,
            to: prefix.to_owned(),
            except: Vec::new(),
        }
    }
}

/// How a blackbox exporter probes.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Where it listens.
    pub exporter: String,
    /// Its module.
    pub module: String,
}

/// An optional signal that is not there.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// Its name in the spec.
    pub signal: String,
    /// Why.
    pub why: String,
}
