//! The spec: what a person writes. Types with places, no logic.
//!
//! ```
//! use slosmith_spec::spec;
//! use slosmith_text::source::FileId;
//!
//! let text = "apiVersion: slosmith/v1\nservice: {name: chat, owner: ml}\nsignal: {}\n";
//! let document = spec::read(FileId(0), text).expect("YAML");
//! let found = document.errors.with(Default::default()).into_sorted();
//! assert_eq!(&text[found[0].span.range()], "signal");
//! assert_eq!(found[0].help, ["did you mean `signals`?"]);
//! ```

mod beta;
mod cloudwatch;
mod condition;
mod dashboard;
mod edits;
mod environment;
mod extend;
mod findings;
mod grafana;
mod name;
mod one_of;
mod panel_kind;
mod pattern;
mod read;
mod reading;
mod renamed;
mod ruler;
mod runbook;
mod runtime;
mod schema;
mod severity;
mod signal;
mod slo;
mod text;
mod value;
mod variables;

pub use beta::{BETA_VERSION, Beta};
pub use cloudwatch::{
    AlarmOverride, CloudWatch, LowSamples, Maintenance, MetricBinding, Missing, Via,
};
pub use condition::{Condition, Correlated, Outside, Side};
pub use dashboard::{Color, Dashboard, Panel, Position, Role, Row, Series, Threshold};
pub use environment::environments;
pub use extend::{Bases, Variant, is_defaults};
pub use findings::Findings;
pub use grafana::{Grafana, Provision};
use indexmap::IndexMap;
pub use panel_kind::{GraphKind, PanelKind};
pub use read::{Document, Errors, read, read_environment};
pub use reading::{Baseline, Bound, By, Comparison, Groups, Reading, Selection, Stat, Stats};
pub use renamed::{RENAMED, renamed};
pub use ruler::{PartialResponse, Ruler};
pub use runbook::{
    Advice, Command, Criterion, Fix, Formula, Input, LoadTests, Measure, Runbook, Scenario,
    Setting, Step, Table, Traces, Traffic, Triage, TriageRow,
};
pub use runtime::{Runtime, Servers};
pub use schema::{beta_schema, json_schema};
use schemars::JsonSchema;
use serde::Deserialize;
pub use severity::{Severities, Severity};
pub use signal::{
    Across, FamilyKind, MatchValue, Matchers, PrometheusBinding, RatioOf, RatioSide, Signal,
};
pub use slo::{Burn, EventRatio, GoodTime, Goodput, Latency, Policy, PromQlSli, Sli, Slo, Tier};

use crate::kubernetes::Metadata;
use name::SignalName;
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Quantity};
use slosmith_text::yaml::Parts;

pub type Text = Spanned<String>;

/// Named things in the order written; names know their place.
pub type Map<T> = IndexMap<Text, T>;

pub const API_VERSION: &str = "slosmith/v1";

/// One service: its signals, SLOs, alerts, dashboards and runbooks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// `slosmith/v1`.
    #[serde(rename = "apiVersion")]
    pub api_version: Text,
    /// Files that this spec starts from and changes; paths are relative to this file.
    pub extends: Option<Extends>,
    /// `defaults`: a file that other specs extend; slosmith does not build the file itself.
    pub kind: Option<Spanned<FileKind>>,
    /// Environments of the service, each with the fields that differ there. Each is a service of its own, `NAME-ENVIRONMENT`.
    #[serde(default)]
    pub environments: Map<Environment>,
    /// Values that texts of the spec refer to as `${vars.NAME}`.
    #[serde(default)]
    pub vars: Map<Text>,
    /// The service that this spec describes.
    pub service: Service,
    /// The servers that the service runs, and their releases. Required for vLLM signals.
    pub runtime: Option<Spanned<Runtime>>,
    /// Base URLs for the links in alerts.
    pub links: Option<Links>,
    /// Values of the `severity` label.
    #[serde(default)]
    pub severities: Severities,
    /// Scraping, selection and grouping of series.
    #[serde(default)]
    pub prometheus: Prometheus,
    /// Metadata of Kubernetes resources.
    pub kubernetes: Option<Spanned<Metadata>>,
    /// CloudWatch alarms and dashboards.
    pub cloudwatch: Option<CloudWatch>,
    /// Formats of the Grafana dashboards.
    pub grafana: Option<Grafana>,
    /// Signals of your own, and aliases of built-in signals (`vllm.*`).
    #[serde(default)]
    pub signals: Map<Signal>,
    /// Service level objectives.
    #[serde(default)]
    pub slos: Map<Slo>,
    /// Values to record under a stable name, for dashboards and ad-hoc queries.
    #[serde(default)]
    pub records: Map<Record>,
    /// Alerts on conditions.
    #[serde(default)]
    pub alerts: Map<Alert>,
    /// Dashboards: rows of panels over signals.
    #[serde(default)]
    pub dashboards: Map<Dashboard>,
    /// Runbooks: steps and fixes for a problem.
    #[serde(default)]
    pub runbooks: Map<Runbook>,
    /// Commands for runbooks.
    #[serde(default)]
    pub commands: Map<Command>,
    /// What the second document says.
    #[serde(rename = "<beta>")]
    #[schemars(skip)]
    pub beta: Beta,
}

/// Files that a spec extends: one, or a list in which later files override earlier ones.
#[derive(Clone, Debug)]
pub struct Extends(pub Vec<Text>);

/// The fields of a spec that differ in an environment. They are merged before the spec is read.
#[derive(Clone, Debug, Deserialize)]
pub struct Environment {}

/// The kind of a file that is not the spec of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// Defaults for several specs.
    Defaults,
}

/// The service.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Name of the output folder and value of the `service` label: lower-case letters, digits and dashes.
    pub name: Text,
    /// Name that the service had before: error budgets and baselines still read what is recorded under it.
    pub renamed_from: Option<Text>,
    /// Title to display. Default: the name.
    pub title: Option<Text>,
    /// What all alerts of the service carry.
    #[serde(rename = "<marks>")]
    pub marks: Marks,
}

/// What alerts carry. The marks of an alert or SLO replace equal ones of its severity, and these replace equal ones of the service.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Marks {
    /// Team that responds to the alerts (their `owner` label).
    pub owner: Option<Text>,
    /// Labels of the alerts.
    pub labels: Map<Text>,
    /// Annotations of the alerts.
    pub annotations: Map<Text>,
}

/// What the alerts of an SLO, or an alert, tell the on-call engineer.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Notice {
    /// One line for the on-call engineer. Default: made from the condition.
    pub summary: Option<Text>,
    /// Name of a runbook, or the URL of a runbook outside the spec. Default: the index of runbooks.
    pub runbook: Option<Text>,
    /// What they carry.
    #[serde(rename = "<marks>")]
    pub marks: Marks,
}

/// Base URLs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// URL of the folder where the runbooks are published. Required for alerts whose `runbook` is no URL.
    pub runbooks: Option<Text>,
    /// Root URL of Grafana. Without it, alerts and runbooks do not link to dashboards.
    pub grafana: Option<Text>,
}

/// Scraping, selection and grouping of series.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prometheus {
    /// Matchers added to every selector of a vLLM metric; in your own PromQL, `$selector` stands for them. A declared signal has
    /// its own `where`, and the `selector` of its job.
    pub selector: Matchers,
    /// Other specs select the same vLLM servers on purpose: `build` does not warn. Default: false.
    pub shared_selector: bool,
    /// Labels by which every query is grouped; in your own PromQL, `$group_by` stands for them. A signal without one of them is
    /// grouped by the others; an SLO needs all of them.
    pub group_by: Vec<Text>,
    /// Labels that the scrape adds (`job`, `instance`, `namespace`, …).
    pub scrape_labels: Vec<Text>,
    /// Labels that Prometheus adds only when it sends data to remote storage or Alertmanager; its rules cannot use them. Rules in Thanos or Mimir can: list the labels in `scrape_labels` there.
    pub external_labels: Vec<Text>,
    /// Scrape jobs with settings that differ from the defaults. Other jobs need no entry.
    pub jobs: Map<Job>,
    /// Scrape interval. Default: 15s.
    pub scrape_interval: Option<Spanned<Duration>>,
    /// Evaluation interval of the rules; every `for` is a multiple of it. Default: 1m.
    pub evaluation_interval: Option<Spanned<Duration>>,
    /// Another tool whose series and labels the rules also record, for its dashboards.
    pub compat: Option<Spanned<Compat>>,
    /// The program that evaluates the rules; slosmith writes a rule file for it, in addition to the Prometheus rule files.
    pub ruler: Option<Spanned<Ruler>>,
    /// Time that the ruler waits for late samples.
    pub query_offset: Option<Spanned<Duration>>,
    /// Mimir tenants whose series the rules read.
    pub source_tenants: Vec<Text>,
    /// Behavior of Thanos Ruler if some stores do not respond.
    pub partial_response: Option<Spanned<PartialResponse>>,
}

/// A scrape job.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Job {
    /// Matchers added to every declared signal of the job, such as `env: dev`; in your own PromQL, `$selector` stands for them
    /// beside the matcher `job="NAME"`. Default: none.
    pub selector: Matchers,
    /// URL path of the metrics endpoint. Default: `/metrics`.
    pub path: Option<Text>,
    /// Prefix of the metric names in your store, if the store does not have the served prefix: `vllm_` for `vllm:`. All
    /// outputs use it, and the generated scrape configuration writes it. Default: the served prefix.
    pub names: Option<Text>,
    /// The value of `vllm serve --custom-histogram-buckets`: replaces the recorded bucket boundaries. Default: none.
    pub custom_histogram_buckets: Map<Vec<Spanned<Quantity>>>,
    /// The blackbox exporter, if the targets are URLs to probe.
    pub probe: Option<Spanned<Probe>>,
    /// Discovery of the targets by the Prometheus operator, if they run in Kubernetes.
    pub kubernetes: Option<Spanned<Discovery>>,
}

/// Discovery of the targets of a job by the Prometheus operator, and the source of their labels.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Discovery {
    /// Labels of the pods; writes a `PodMonitor`.
    pub pods: Option<Spanned<Map<Text>>>,
    /// Labels of the services; writes a `ServiceMonitor`.
    pub services: Option<Spanned<Map<Text>>>,
    /// Name of the port.
    pub port: Text,
    /// Namespaces to search. Default: the monitor's own.
    #[serde(default)]
    pub namespaces: Vec<Text>,
    /// Target labels with a fixed value: `cluster: eu-1`.
    #[serde(default)]
    pub labels: Map<Text>,
    /// Target labels with the value of a pod or service label: `team: example.com/team`.
    #[serde(default)]
    pub from: Map<Text>,
}

/// Settings of a blackbox exporter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Address of the exporter: `host:9115`.
    pub exporter: Text,
    /// Module of the exporter, such as `http_2xx`.
    pub module: Text,
}

/// Tools whose series slosmith can record too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compat {
    /// `slo:sli_error:ratio_rate<window>` and the other series sloth's dashboards read.
    Sloth,
}

/// A recorded value.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The signal.
    #[schemars(with = "SignalName")]
    pub signal: Text,
    /// Statistic of the signal. Default: `last` of a gauge, `rate` of a counter.
    pub stat: Option<Spanned<Stat>>,
    /// Rate window. Default: 5m.
    pub window: Option<Spanned<Duration>>,
    /// The series of the signal.
    #[serde(rename = "<groups>")]
    pub groups: Groups,
    /// How the values of replicas and engines are combined. Default: the signal's own `across`.
    pub across: Option<Spanned<Across>>,
}

/// An alert.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alert {
    /// Name that the alert had before: its baselines are still recorded under it.
    pub renamed_from: Option<Text>,
    /// Value of the `severity` label; `page` and `ticket` are the names in `severities`.
    pub severity: Text,
    /// Condition of the alert.
    pub when: Spanned<Condition>,
    /// What the team promises of the value, if the condition is one comparison with a quantity. Only text and a line in panels.
    pub target: Option<Spanned<Quantity>>,
    /// Pending period: time that the condition must be true before the alert fires. Default: 0s.
    #[serde(rename = "for")]
    pub hold: Option<Spanned<Duration>>,
    /// Time that the alert keeps firing after its condition has ended. Default: 0s.
    pub keep_firing_for: Option<Spanned<Duration>>,
    /// Evaluation interval of the condition. Default: `prometheus.evaluation_interval`.
    pub evaluation_interval: Option<Spanned<Duration>>,
    /// Details. slosmith adds the measured value, except to a condition with `any`, whose parts have different values.
    pub description: Option<Text>,
    /// The first action of the on-call engineer.
    pub action: Option<Text>,
    /// What it says beside that.
    #[serde(rename = "<notice>")]
    pub notice: Notice,
    /// Settings of the CloudWatch alarm that differ from the defaults.
    pub cloudwatch: Option<Spanned<AlarmOverride>>,
}

impl Record {
    pub fn selection(&self) -> Selection<'_> {
        self.groups.across(self.across)
    }
}

/// Structs whose fields stand among those of others.
fn parts() -> Parts {
    Parts::default()
        .with::<Reading>("<reading>")
        .with::<Groups>("<groups>")
        .with::<Comparison>("<comparison>")
        .with::<Notice>("<notice>")
        .with::<Marks>("<marks>")
        .with::<Servers>("<servers>")
        .with::<Beta>("<beta>")
}
