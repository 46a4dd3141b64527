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

use crate::promql::ast::Expr;
use crate::spec::{self, Stat};
use crate::units::Duration;

/// How often rules are evaluated at least, and where the spec does not say it.
pub const EVALUATION: Duration = Duration::from_mins(1);

#[derive(Clone, Debug)]
pub struct Plan {
    pub service: Service,
    pub runtime: Option<Runtime>,
    pub slos: Vec<Slo>,
    /// Values recorded for dashboards and people.
    pub records: Vec<Record>,
    pub alerts: Vec<Alert>,
    /// Dashboards; the first is where alerts without a panel of their own lead.
    pub dashboards: Vec<Dashboard>,
    pub cloudwatch: Option<CloudWatch>,
    pub runbooks: runbook::Runbooks,
    pub published: Vec<cloudwatch::Published>,
    /// Spans that an OpenTelemetry collector counts; empty without goodput objectives.
    pub span_counts: Vec<SpanCount>,
    pub scrape: Scrape,
    /// What evaluates its rules, where that is not the Prometheus that scrapes.
    pub ruler: Option<Ruler>,
    /// What its resources for Kubernetes carry; `None` when nothing says that there are any.
    pub kubernetes: Option<Kubernetes>,
    /// What brings its dashboards into Grafana, beside files and ConfigMaps.
    pub provisioning: Provisioning,
    pub evaluation: Duration,
    pub left_out: Vec<LeftOut>,
    /// Things the author should know: an open range, a release answered from its neighbours.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Service {
    pub name: String,
    pub title: String,
    pub owner: Option<String>,
    pub severities: Severities,
    /// Root of Grafana; empty when the spec has no `links`.
    pub grafana: String,
}

#[derive(Clone, Debug)]
pub struct Severities {
    /// Somebody is woken.
    pub page: String,
    /// Looked at the next working day.
    pub ticket: String,
}

#[derive(Clone, Debug)]
pub struct Runtime {
    pub range: String,
    /// The recorded releases in it, for people: `0.20.2 to 0.33.0 (14 releases)`.
    pub releases: String,
}

#[derive(Clone, Debug)]
pub struct SpanCount {
    pub name: String,
    pub condition: String,
}

#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub series: String,
    pub query: Query,
    pub signal: Signal,
    pub stat: Stat,
    pub window: Duration,
}

#[derive(Clone, Debug)]
pub struct Query {
    pub expr: Expr,
    pub labels: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Links {
    pub runbook: String,
    /// Name of the runbook, if it has one of its own.
    pub page: Option<String>,
    /// True when the runbook is no page of this service.
    pub elsewhere: bool,
    pub dashboard: String,
    /// Labels that the dashboard can be filtered by.
    pub variables: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Scrape {
    pub job: String,
    pub interval: Duration,
    /// Labels the scrape must add, beside `job` and `instance`.
    pub labels: Vec<String>,
    pub external: Vec<String>,
    /// What vLLM's names begin with in the store: `vllm:`, unless the spec sets another prefix.
    pub names: String,
    /// Every job that its signals come from.
    pub jobs: Vec<ScrapeJob>,
}

#[derive(Clone, Debug)]
pub struct Ruler {
    pub kind: spec::Ruler,
    /// How long it waits for late samples.
    pub query_offset: Option<Duration>,
    /// Tenants whose series it reads.
    pub source_tenants: Vec<String>,
    pub partial_response: Option<spec::PartialResponse>,
}

#[derive(Clone, Debug)]
pub struct ScrapeJob {
    pub name: String,
    pub path: String,
    /// Prefixes that scraping replaces, so that the store has the names that the rules use.
    pub renames: Vec<Rename>,
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

#[derive(Clone, Debug)]
pub struct Probe {
    /// Where it listens.
    pub exporter: String,
    pub module: String,
}

#[derive(Clone, Debug)]
pub struct LeftOut {
    pub signal: String,
    pub why: String,
}
