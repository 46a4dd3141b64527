//! The plan: what a spec means, resolved and typed. Nothing in it needs looking up.
//!
//! Queries are complete PromQL trees; beside them is what they were made from, so that a target that
//! does not speak PromQL, or a test that needs input series, can be made from the same plan.

pub mod alert;
pub mod cloudwatch;
mod condition;
pub mod dashboard;
pub mod layout;
pub mod marker;
pub mod runbook;
pub mod selection;
mod signal;
pub mod slo;
mod stored;
pub mod words;

use std::fmt;
use std::ops::Deref;

use indexmap::IndexMap;

pub use alert::{Alert, AlertRecord};
pub use cloudwatch::CloudWatch;
pub use condition::{
    Absent, Bound, Compare, CompareOp, Condition, Correlated, Limit, Outside, RawCondition,
    Reading, SliData, Unmeasured, ValueUnit,
};
pub use dashboard::Dashboard;
pub use signal::{Bucket, DEFAULT_WINDOW, Family, Raw, Signal, SignalKind, Source, Window};
pub use slo::{
    BASE_WINDOW, Budget, Compat, Counted, EventSli, EventSlo, Good, HELD, Increase, OwnEvents,
    PAGE_UP_TO, Slo, Tier, TimeSli, WindowRatio, near_up_to,
};
use slosmith_catalog::VLLM;
use slosmith_promql::ast::{Expr, MatchOp, Selector};
use slosmith_promql::build;
use slosmith_spec::naming;
use slosmith_spec::spec;
use slosmith_spec::spec::{Provision, Stat};
use slosmith_text::units::Duration;
pub use stored::{ELSEWHERE, is_stored};

/// How often rules are evaluated at least, and where the spec does not say it.
pub const EVALUATION: Duration = Duration::from_mins(1);

#[derive(Clone, Debug)]
pub struct Plan {
    pub service: Service,
    /// vLLM, if the service reads its signals, and the other servers that the spec names.
    pub servers: Vec<Server>,
    pub slos: Vec<Slo>,
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
    pub page: String,
    /// Looked at the next working day.
    pub ticket: String,
}

/// A server whose releases the spec names.
#[derive(Clone, Debug)]
pub struct Server {
    /// The word for it: `vllm`.
    pub key: String,
    pub title: String,
    pub range: String,
    /// The recorded releases in it, for people: `0.20.2 to 0.33.0 (14 releases)`.
    pub releases: String,
}

impl Plan {
    /// vLLM, if the service reads its signals.
    pub fn vllm(&self) -> Option<&Server> {
        self.servers.iter().find(|server| server.key == VLLM)
    }

    /// Where no dashboard is built, no alert leads to one.
    pub fn unlink_dashboards(&mut self) {
        let alerts = self.alerts.iter_mut().map(|alert| &mut alert.links);
        let slos = self.slos.iter_mut().map(|slo| &mut slo.links);
        for links in alerts.chain(slos) {
            links.dashboard.clear();
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.title, self.range, self.releases)
    }
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
    pub page: Option<String>,
    pub elsewhere: bool,
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

#[derive(Clone, Debug)]
pub struct Scrape {
    pub job: String,
    pub interval: Duration,
    /// Labels the scrape must add, beside `job` and `instance`.
    pub labels: Vec<String>,
    pub external: Vec<String>,
    /// What vLLM's names begin with in the store: `vllm:`, unless the spec sets another prefix.
    pub names: String,
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
    /// Patterns of series with the creation times of counters and histograms, which the rules do not use.
    pub created: Vec<String>,
    /// True if rules read histograms of its targets: their classic series, `_bucket`, `_sum` and `_count`.
    pub histograms: bool,
    /// True if its metrics have labels that the scrape may add, too: they describe something else than the target.
    pub honors_labels: bool,
    pub probe: Option<Probe>,
    /// How the Prometheus operator finds its targets, if they run in Kubernetes.
    pub discovery: Option<Discovery>,
}

impl ScrapeJob {
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            path: "/metrics".to_owned(),
            renames: Vec::new(),
            created: Vec::new(),
            histograms: false,
            honors_labels: false,
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
    pub exporter: String,
    pub module: String,
}

#[derive(Clone, Debug)]
pub struct LeftOut {
    pub signal: String,
    pub why: String,
}

#[derive(Clone, Debug)]
pub struct Provisioning {
    pub formats: Vec<Provision>,
    /// Labels of the operator's `Grafana` resources that get them.
    pub selector: IndexMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    pub owner: Option<String>,
    /// True when that is not simply the owner of the service.
    pub owner_is_own: bool,
    /// Labels; the values may hold template code.
    pub labels: Vec<(String, String)>,
    /// Annotations; the texts may hold template code.
    pub annotations: Vec<(String, String)>,
}

impl Marks {
    /// Labels whose values are the same whenever the alert fires.
    pub fn fixed(&self) -> impl Iterator<Item = &(String, String)> {
        self.labels
            .iter()
            .filter(|(_, value)| !value.contains("{{"))
    }
}

/// A recorded series: `name{service="…", …}`.
pub fn recorded(series: &str, labels: &[(&str, &str)]) -> Selector {
    labels
        .iter()
        .fold(build::metric(series), |m, (label, value)| {
            m.matcher(label, MatchOp::Equal, value)
        })
}

pub fn slo_series(series: &str, service: &str, slo: &str, window: &str) -> Selector {
    recorded(
        series,
        &[
            (naming::SERVICE, service),
            (naming::SLO, slo),
            (naming::WINDOW, window),
        ],
    )
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kubernetes {
    pub namespace: Option<String>,
    pub labels: IndexMap<String, String>,
    pub annotations: IndexMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pods,
    Services,
}

#[derive(Clone, Debug)]
pub struct Discovery {
    pub kind: Kind,
    pub selector: IndexMap<String, String>,
    pub port: String,
    /// Where it looks; in the monitor's own namespace when there are none.
    pub namespaces: Vec<String>,
    /// Labels that targets get, and that the operator does not add by itself.
    pub labels: Vec<(String, LabelSource)>,
}

#[derive(Clone, Debug)]
pub enum LabelSource {
    Value(String),
    /// A label that service discovery of Prometheus shows: `__meta_kubernetes_pod_label_team`.
    Discovered(String),
}

/// Every name that the range of releases has for one thing, newest first: one at least.
///
/// ```
/// use slosmith_plan::plan::Names;
///
/// let names = Names::of(vec!["vllm:kv_cache_usage_perc".into(), "vllm:gpu_cache_usage_perc".into()]);
/// assert_eq!(names.expect("two names").newest(), "vllm:kv_cache_usage_perc");
/// assert_eq!(Names::of(Vec::new()), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    newest: String,
    all: Vec<String>,
}

impl Names {
    /// What never had another name.
    pub fn one(name: &str) -> Self {
        Self {
            newest: name.to_owned(),
            all: vec![name.to_owned()],
        }
    }

    /// Names, newest first; `None` when there are none.
    pub fn of(all: Vec<String>) -> Option<Self> {
        let newest = all.first()?.clone();
        Some(Self { newest, all })
    }

    pub fn newest(&self) -> &str {
        &self.newest
    }
}

impl Deref for Names {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.all
    }
}

impl<'a> IntoIterator for &'a Names {
    type Item = &'a String;
    type IntoIter = std::slice::Iter<'a, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}
