//! The spec: what a person writes. Types with places, no logic.
//!
//! ```
//! use slosmith::{source::FileId, spec};
//!
//! let text = "apiVersion: slosmith/v1\nservice: {name: chat, owner: ml}\nsignal: {}\n";
//! let document = spec::read(FileId(0), text).expect("YAML");
//! let found = document.errors.with(Default::default()).into_sorted();
//! assert_eq!(&text[found[0].span.range()], "signal");
//! assert_eq!(found[0].help, ["did you mean `signals`?"]);
//! ```

mod cloudwatch;
mod condition;
mod dashboard;
mod extend;
mod name;
mod panel_kind;
mod read;
mod ruler;
mod runbook;
mod schema;
mod severity;
mod signal;
mod slo;
mod text;
mod value;

pub use cloudwatch::{
    AlarmOverride, CloudWatch, LowSamples, Maintenance, MetricBinding, Missing, Via,
};
pub use condition::{Baseline, Bound, Condition, Correlated, Outside, Side, Stat};
pub use dashboard::{Color, Dashboard, Panel, Position, Role, Row, Series, Threshold};
pub use extend::{Bases, is_defaults};
use indexmap::IndexMap;
pub use panel_kind::{GraphKind, PanelKind};
pub use read::{Document, Errors, read, read_parts};
pub use ruler::{PartialResponse, Ruler};
pub use runbook::{
    Advice, Command, Criterion, Fix, Formula, Input, LoadTests, Measure, Runbook, Scenario,
    Setting, Step, Table, Traces, Traffic, Triage, TriageRow,
};
pub use schema::json_schema;
use schemars::JsonSchema;
use serde::Deserialize;
pub use severity::{Severities, Severity};
pub use signal::{Across, FamilyKind, MatchValue, Matchers, PrometheusBinding, RatioOf, Signal};
pub use slo::{
    Burn, EventRatio, GoodTime, Latency, Percentile, Policy, PromQlSli, Sli, Slo, SloAlert, Tier,
};

use crate::kubernetes::Metadata;
use crate::source::Spanned;
use crate::units::Duration;
use name::SignalName;

/// Text with its place.
pub type Text = Spanned<String>;

/// Named things in the order written; names know their place.
pub type Map<T> = IndexMap<Text, T>;

/// The version this build reads.
pub const API_VERSION: &str = "slosmith/v1";

/// One service: which signals matter, what good is, when to wake somebody and what to do then.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// `slosmith/v1`.
    #[serde(rename = "apiVersion")]
    pub api_version: Text,
    /// Files that this spec is, with the changes that it says itself; relative to this file.
    pub extends: Option<Extends>,
    /// `defaults`: this file is for others to extend, and nothing is built from it alone.
    pub kind: Option<Spanned<FileKind>>,
    /// Whose spec this is.
    pub service: Service,
    /// What the service runs on; needed as soon as a vLLM signal is used.
    pub runtime: Option<Runtime>,
    /// Where alerts point to; needed as soon as there is an alert.
    pub links: Option<Links>,
    /// What burn-rate tiers call their severities.
    #[serde(default)]
    pub severities: Severities,
    /// How series are selected and grouped.
    #[serde(default)]
    pub prometheus: Prometheus,
    /// What resources for Kubernetes carry.
    pub kubernetes: Option<Spanned<Metadata>>,
    /// Alarms and dashboards in CloudWatch; none when absent.
    pub cloudwatch: Option<CloudWatch>,
    /// Signals of your own, and short names for library signals (`vllm.*`).
    #[serde(default)]
    pub signals: Map<Signal>,
    /// Service level objectives.
    #[serde(default)]
    pub slos: Map<Slo>,
    /// Values recorded under a stable name, for dashboards and ad-hoc queries.
    #[serde(default)]
    pub records: Map<Record>,
    /// Alerts on conditions.
    #[serde(default)]
    pub alerts: Map<Alert>,
    /// Rows of panels over signals.
    #[serde(default)]
    pub dashboards: Map<Dashboard>,
    /// What to do about problems.
    #[serde(default)]
    pub runbooks: Map<Runbook>,
    /// Commands worth knowing.
    #[serde(default)]
    pub commands: Map<Command>,
    /// From combinations of signals to likely directions.
    #[serde(default)]
    pub triage: Map<Triage>,
    /// What every trace of a request says.
    pub traces: Option<Traces>,
    /// Load tests with what they must show.
    pub load_tests: Option<LoadTests>,
    /// Advice on configuration, with its arithmetic.
    #[serde(default)]
    pub advice: Map<Advice>,
    /// Lists of what to have or to check.
    #[serde(default)]
    pub checklists: Map<Vec<Text>>,
    /// Tables of reference: targets by use, impact of objectives.
    #[serde(default)]
    pub tables: Map<Table>,
}

/// Files that a spec extends: one, or a list whose later ones change the earlier ones.
#[derive(Clone, Debug)]
pub struct Extends(pub Vec<Text>);

/// What a file is that is no spec of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// What several specs have in common.
    Defaults,
}

/// The service.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// Names the output folder and the `service` label: lower-case letters, digits and dashes.
    pub name: Text,
    /// For people; the name when absent.
    pub title: Option<Text>,
    /// Who answers for it; becomes the `owner` label of every alert.
    pub owner: Option<Text>,
    /// Labels of all its alerts.
    #[serde(default)]
    pub labels: Map<Text>,
    /// Annotations of all its alerts.
    #[serde(default)]
    pub annotations: Map<Text>,
}

/// The software under the service.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runtime {
    /// PEP 440 range such as `>=0.20, <0.34`: every generated query is right on every recorded release in it.
    pub vllm: Text,
    /// Serving configurations in use (`lora`, `spec-decode`, …) beside `default`.
    #[serde(default)]
    pub profiles: Vec<Text>,
}

/// Base URLs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Links {
    /// Folder in which the runbooks are published.
    pub runbooks: Text,
    /// Grafana's root.
    pub grafana: Text,
}

/// How the service is scraped and grouped.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prometheus {
    /// Added to every vLLM selector; a declared signal carries its own `where`.
    pub selector: Matchers,
    /// Labels that results keep; a signal that lacks one is grouped by what it has.
    pub group_by: Vec<Text>,
    /// Labels that do not come from the exporters.
    pub labels: Labels,
    /// Scrape jobs that are not plain. One that a signal names as its `job` needs no entry otherwise.
    pub jobs: Map<Job>,
    /// How often targets are scraped; 15s when absent.
    pub scrape_interval: Option<Spanned<Duration>>,
    /// How often rules are evaluated; 1m when absent. Every `for` is a multiple of it.
    pub evaluation_interval: Option<Spanned<Duration>>,
    /// Also write the series and labels that another tool's dashboards need.
    pub compat: Option<Spanned<Compat>>,
    /// What evaluates the rules; then there is a file for it beside those for Prometheus.
    pub ruler: Option<Spanned<Ruler>>,
    /// How long the ruler waits for samples that come late.
    pub query_offset: Option<Spanned<Duration>>,
    /// Tenants of Mimir whose series the rules read.
    pub source_tenants: Vec<Text>,
    /// What Thanos Ruler does when a part of the stores does not answer.
    pub partial_response: Option<Spanned<PartialResponse>>,
}

/// A scrape job.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Job {
    /// Path of the page; `/metrics` when absent.
    pub path: Option<Text>,
    /// Its targets are URLs that a blackbox exporter probes.
    pub probe: Option<Spanned<Probe>>,
    /// Its targets run in Kubernetes, where the Prometheus operator finds them.
    pub kubernetes: Option<Spanned<Discovery>>,
}

/// How the Prometheus operator finds the targets of a job, and where their labels come from.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Discovery {
    /// Labels of the pods: a `PodMonitor` is written.
    pub pods: Option<Spanned<Map<Text>>>,
    /// Labels of the services before the pods: a `ServiceMonitor` is written.
    pub services: Option<Spanned<Map<Text>>>,
    /// Name of the port.
    pub port: Text,
    /// Namespaces that are searched; that of the monitor when absent.
    #[serde(default)]
    pub namespaces: Vec<Text>,
    /// Target labels with the same value on all targets: `cluster: eu-1`.
    #[serde(default)]
    pub labels: Map<Text>,
    /// Target labels with the value of a label of the pod or service: `team: example.com/team`.
    #[serde(default)]
    pub from: Map<Text>,
}

/// How a blackbox exporter probes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Where the exporter listens: `host:9115`.
    pub exporter: Text,
    /// Its module, such as `http_2xx`.
    pub module: Text,
}

/// Labels that are not on the exporters' pages.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Labels {
    /// Added by the scrape (`job`, `instance`, `namespace`, …).
    pub target: Vec<Text>,
    /// Added only when sending to remote storage or Alertmanager: rules never see them.
    pub external: Vec<Text>,
}

/// Tools whose series can be written too.
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
    /// How it is read over time; the kind's usual one when absent.
    pub stat: Option<Spanned<Stat>>,
    /// Look-back; 5m when absent.
    pub window: Option<Spanned<Duration>>,
    /// Labels kept beside the service's `group_by`.
    #[serde(default)]
    pub by: Vec<Text>,
}

/// An alert.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alert {
    /// Value of the `severity` label.
    pub severity: Text,
    /// When it fires.
    pub when: Spanned<Condition>,
    /// How long the condition must hold; at once when absent.
    #[serde(rename = "for")]
    pub hold: Option<Spanned<Duration>>,
    /// How often the condition is looked at, where that is not the spec's `prometheus.evaluation_interval`.
    pub evaluation_interval: Option<Spanned<Duration>>,
    /// One line for the on-call person; made from the condition when absent.
    pub summary: Option<Text>,
    /// What the summary leaves out; the measured value is always added.
    pub description: Option<Text>,
    /// What to do first.
    pub action: Option<Text>,
    /// Name of the runbook, or the URL of one that is elsewhere; the index of runbooks when absent.
    pub runbook: Option<Text>,
    /// Who answers for it; the service's owner when absent.
    pub owner: Option<Text>,
    /// Labels beside those of the service and the severity.
    #[serde(default)]
    pub labels: Map<Text>,
    /// Annotations beside those of the service and the severity.
    #[serde(default)]
    pub annotations: Map<Text>,
    /// What its CloudWatch alarm does otherwise.
    pub cloudwatch: Option<Spanned<AlarmOverride>>,
}
