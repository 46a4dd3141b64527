//! The data of the templates; their output is read back into the same types.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::target::kubernetes::Metadata;
use crate::target::scrape::ScrapeConfig;

/// Every template's context: the content's fields beside these two.
#[derive(Serialize)]
pub(super) struct File<'a, T: Serialize> {
    pub(super) service: &'a str,
    pub(super) title: &'a str,
    #[serde(flatten)]
    pub(super) content: &'a T,
}

pub(super) struct Named<T> {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) file: T,
}

#[derive(Serialize)]
pub(super) struct Collector {
    pub(super) spans: Vec<SpanCount>,
}

#[derive(Serialize)]
pub(super) struct SpanCount {
    pub(super) name: String,
    pub(super) condition: String,
}

pub(super) type Pairs = IndexMap<String, String>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    pub(super) groups: Vec<Group>,
}

#[derive(Serialize)]
pub(super) struct Resource<'a> {
    pub(super) metadata: Metadata,
    pub(super) body: String,
    #[serde(flatten)]
    pub(super) groups: Option<&'a RuleFile>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) interval: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) query_offset: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) eval_delay: Option<String>,
    /// Tenants of Mimir whose series the rules read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) source_tenants: Vec<String>,
    /// The behaviour of Thanos Ruler if some stores do not respond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) partial_response_strategy: Option<String>,
    pub(super) rules: Vec<Rule>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) alert: Option<String>,
    pub(super) expr: String,
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub(super) hold: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) keep_firing_for: Option<String>,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    pub(super) labels: Pairs,
    #[serde(default, skip_serializing_if = "Pairs::is_empty")]
    pub(super) annotations: Pairs,
}

pub(super) fn record(series: &str, expr: String, labels: &[(&str, &str)]) -> Rule {
    Rule {
        record: Some(series.to_owned()),
        expr,
        labels: pairs(labels),
        ..Rule::default()
    }
}

pub(super) fn pairs(pairs: &[(&str, &str)]) -> Pairs {
    let owned = |(k, v): &(&str, &str)| ((*k).to_owned(), (*v).to_owned());
    pairs.iter().map(owned).collect()
}

#[derive(Debug, Deserialize)]
pub(super) struct PrometheusRule {
    #[serde(rename = "apiVersion")]
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) spec: RuleFile,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Inhibition {
    /// True where a label keeps the alerts of several Prometheus servers apart.
    #[serde(skip_deserializing)]
    pub(super) apart: bool,
    pub(super) inhibit_rules: Vec<InhibitRule>,
}

/// What makes a comment is not read back.
impl PartialEq for Inhibition {
    fn eq(&self, other: &Self) -> bool {
        self.inhibit_rules == other.inhibit_rules
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InhibitRule {
    pub(super) source_matchers: Vec<String>,
    pub(super) target_matchers: Vec<String>,
    pub(super) equal: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ScrapeFile {
    #[serde(skip_deserializing)]
    pub(super) labels: Vec<String>,
    pub(super) scrape_configs: Vec<ScrapeConfig>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestFile {
    pub(super) rule_files: Vec<String>,
    pub(super) evaluation_interval: String,
    pub(super) tests: Vec<Test>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    pub(super) name: String,
    pub(super) interval: String,
    pub(super) input_series: Vec<Input>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) alert_rule_test: Vec<AlertCheck>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) promql_expr_test: Vec<ExprCheck>,
}

impl Test {
    /// A test that checks queries only.
    pub(super) fn new(
        name: impl Into<String>,
        interval: String,
        inputs: Vec<Input>,
        checks: Vec<ExprCheck>,
    ) -> Self {
        Self {
            name: name.into(),
            interval,
            input_series: inputs,
            alert_rule_test: Vec::new(),
            promql_expr_test: checks,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pub(super) series: String,
    pub(super) values: String,
}

impl Input {
    pub(super) fn pairs(inputs: &[Self]) -> impl Iterator<Item = (&str, &str)> {
        inputs
            .iter()
            .map(|i| (i.series.as_str(), i.values.as_str()))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AlertCheck {
    pub(super) eval_time: String,
    pub(super) alertname: String,
    pub(super) exp_alerts: Vec<ExpectedAlert>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedAlert {
    pub(super) exp_labels: Pairs,
    pub(super) exp_annotations: Pairs,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExprCheck {
    pub(super) expr: String,
    pub(super) eval_time: String,
    #[serde(default)]
    pub(super) exp_samples: Vec<Sample>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sample {
    pub(super) value: i64,
}
