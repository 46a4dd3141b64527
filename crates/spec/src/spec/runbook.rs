//! Runbooks and other operational documents: triage, traces, load tests, advice.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Condition, Map, Stat, Text};
use slosmith_text::source::Spanned;
use slosmith_text::units::{Duration, Quantity};

/// A runbook.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runbook {
    /// Title to display.
    pub title: Text,
    /// Meaning of the alerts of this runbook; Markdown.
    pub meaning: Option<Text>,
    /// The affected users, and the effect on them.
    pub impact: Option<Text>,
    /// Symptoms that users or operators notice.
    #[serde(default)]
    pub symptoms: Vec<Text>,
    /// Steps, in order. The first step with the result yes leads to its cause and fix; a no leads to the next step.
    #[serde(default)]
    pub steps: Vec<Spanned<Step>>,
    /// Fixes, by name.
    #[serde(default)]
    pub fixes: Map<Fix>,
    /// Names of `commands` to list.
    #[serde(default)]
    pub commands: Vec<Text>,
    /// The team to call if the steps do not help.
    pub escalation: Option<Text>,
    /// Related runbooks.
    #[serde(default)]
    pub related: Vec<Text>,
}

/// A step: a check of a signal, a command or a question, and the next step or fix of each result.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// Name for references from other steps.
    pub id: Option<Text>,
    /// Title to display. Default: made from the check.
    pub title: Option<Text>,
    /// Yes if this condition is true.
    pub when: Option<Spanned<Condition>>,
    /// Yes if the condition of this alert is true, with the thresholds of the alert.
    pub alert: Option<Text>,
    /// A command to run; `ask` is the question about its output.
    pub run: Option<Text>,
    /// A yes-or-no question.
    pub ask: Option<Text>,
    /// Likely cause if yes.
    pub cause: Option<Text>,
    /// Checks that confirm the cause.
    pub verify: Vec<Text>,
    /// Fix to apply if yes.
    pub fix: Option<Text>,
    /// Next step if yes, instead of a fix.
    pub then: Option<Text>,
    /// Next step if no. Default: the following step.
    #[serde(rename = "else")]
    pub otherwise: Option<Text>,
}

/// A fix.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// Title to display. Default: the name.
    pub title: Option<Text>,
    /// Actions, in order.
    #[serde(rename = "do")]
    pub actions: Vec<Text>,
    /// Risk of the fix.
    pub risk: Option<Text>,
}

/// A command.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Title to display.
    pub title: Text,
    /// The command.
    pub run: Text,
}

/// A table from combinations of signals to likely causes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triage {
    /// Title to display.
    pub title: Text,
    /// How to use the table.
    pub note: Option<Text>,
    /// Signals, in the order of the patterns.
    #[schemars(with = "Vec<SignalName>")]
    pub signals: Vec<Text>,
    /// The combinations.
    pub rows: Vec<Spanned<TriageRow>>,
}

/// A combination of signals and its likely cause.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TriageRow {
    /// The state of each signal: `high`, `low` or `stable`.
    pub pattern: Vec<Text>,
    /// The likely cause.
    pub likely: Text,
    /// The runbook to open.
    pub runbook: Option<Text>,
}

/// The span and attributes of each request's trace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traces {
    /// Name of the span.
    pub span: Text,
    /// The tool that writes the span.
    pub tool: Option<Text>,
    /// Attributes and their purpose.
    pub attributes: Map<Text>,
}

/// Load tests, and the criteria for a rollout.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadTests {
    /// The model to test.
    pub model: Text,
    /// Root URL of the server, such as `http://localhost:8000`.
    pub endpoint: Text,
    /// Tokenizer with which `vllm bench serve` counts tokens. Default: `model`.
    pub tokenizer: Option<Text>,
    /// System prompt of every conversation.
    pub system: Option<Text>,
    /// Scenario that one server has passed: its `rate` is the capacity of a server, which `vllm.headroom` reads.
    pub capacity: Option<Text>,
    /// Ramp-up time before the measurement. Default: no warm-up.
    pub warmup: Option<Spanned<Duration>>,
    /// Kinds of requests, each with its share of the traffic.
    #[serde(default)]
    pub traffic: Map<Traffic>,
    /// The tests.
    pub scenarios: Map<Scenario>,
    /// Pass criteria.
    #[serde(default)]
    pub criteria: Map<Criterion>,
}

/// A kind of request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Share of all requests.
    pub share: Spanned<Quantity>,
    /// The user's prompt.
    pub prompt: Text,
    /// Maximum number of output tokens.
    pub max_tokens: Spanned<u32>,
    /// Another model, such as an adapter. Default: `model` of the load tests.
    pub model: Option<Text>,
}

/// One load test.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Purpose of the test.
    pub validates: Text,
    /// Requests per second. Default: as many as the concurrency allows.
    pub rate: Option<Spanned<Quantity>>,
    /// Duration of the test. Required with `rate`.
    pub duration: Option<Spanned<Duration>>,
    /// Number of requests, instead of a duration.
    pub requests: Option<Spanned<u32>>,
    /// Maximum number of concurrent requests.
    pub concurrency: Spanned<u32>,
    /// Tokens per prompt; in a conversation, of the last prompt. Default: the prompts of `traffic` as they are, else 512.
    pub prompt_tokens: Option<Spanned<u32>>,
    /// Output tokens for requests that `traffic` does not limit. Default: 256.
    pub output_tokens: Option<Spanned<u32>>,
    /// Tokens of a prefix that all prompts share.
    pub shared_prefix: Option<Spanned<u32>>,
    /// Turns of a conversation; each turn counts as a request.
    pub turns: Option<Spanned<u32>>,
    /// Difference from the usual requests.
    pub note: Option<Text>,
}

/// A criterion of a load test: passed below one limit, failed above another, degraded in between.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// The measure.
    pub measure: Spanned<Measure>,
    /// Percentile or mean, for measures that have one.
    pub stat: Option<Spanned<Stat>>,
    /// The only scenario of this criterion. Default: all.
    pub scenario: Option<Text>,
    /// Passed below this. Without a pass limit, everything that has not failed has passed.
    pub pass_below: Option<Spanned<Quantity>>,
    /// Passed above this.
    pub pass_above: Option<Spanned<Quantity>>,
    /// Failed above this. Without a fail limit, everything that has not passed has failed.
    pub fail_above: Option<Spanned<Quantity>>,
    /// Failed below this.
    pub fail_below: Option<Spanned<Quantity>>,
}

/// A measure of a load test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Time to first token.
    Ttft,
    /// Mean time per output token of a request.
    Tpot,
    /// Pause between two tokens.
    Itl,
    /// Time to the last token.
    E2e,
    /// Share of failed requests.
    ErrorRate,
    /// Requests per second.
    RequestThroughput,
    /// Output tokens per second.
    OutputThroughput,
    /// Caught out-of-memory errors; entered by hand.
    OomEvents,
    /// Share of prompt tokens found in the prefix cache, from the `/metrics` output of the server.
    PrefixCacheHitRate,
}

impl Measure {
    pub fn words(self) -> &'static str {
        match self {
            Measure::Ttft => "time to first token",
            Measure::Tpot => "time per output token",
            Measure::Itl => "inter-token latency",
            Measure::E2e => "total latency",
            Measure::ErrorRate => "error rate",
            Measure::RequestThroughput => "request throughput",
            Measure::OutputThroughput => "output throughput",
            Measure::OomEvents => "out-of-memory events",
            Measure::PrefixCacheHitRate => "prefix cache hit rate",
        }
    }

    /// The word of a spec and of `slosmith gate`.
    pub fn as_str(self) -> &'static str {
        match self {
            Measure::Ttft => "ttft",
            Measure::Tpot => "tpot",
            Measure::Itl => "itl",
            Measure::E2e => "e2e",
            Measure::ErrorRate => "error_rate",
            Measure::RequestThroughput => "request_throughput",
            Measure::OutputThroughput => "output_throughput",
            Measure::OomEvents => "oom_events",
            Measure::PrefixCacheHitRate => "prefix_cache_hit_rate",
        }
    }

    /// True for measures from the `/metrics` output of the server.
    pub fn is_on_pages(self) -> bool {
        self.is_latency() || self == Measure::PrefixCacheHitRate
    }

    /// True for measures in seconds.
    pub fn is_latency(self) -> bool {
        matches!(
            self,
            Measure::Ttft | Measure::Tpot | Measure::Itl | Measure::E2e
        )
    }
}

/// Advice on a configuration, with the arithmetic behind it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// Title to display.
    pub title: Text,
    /// Advice and reason; Markdown.
    pub text: Option<Text>,
    /// Settings, with values and effects.
    #[serde(default)]
    pub settings: Map<Setting>,
    /// Formulas over inputs, in order; a later one may use the result of an earlier one.
    #[serde(default)]
    pub formulas: Map<Formula>,
}

/// A vLLM setting.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Recommended initial value.
    pub value: Text,
    /// Effect and cost of the setting.
    pub note: Text,
}

/// A formula, with an example that the build computes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formula {
    /// Arithmetic over the names of `inputs` and of earlier formulas: `+ - * / ^`, `floor`, `ceil`, `min`.
    pub expr: Text,
    /// Meaning of the result.
    pub gives: Text,
    /// Inputs, each with its value in the example.
    #[serde(default)]
    pub inputs: Map<Input>,
}

/// An input of a formula.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Meaning of the input.
    pub note: Text,
    /// Value in the example.
    pub example: Spanned<Quantity>,
    /// The signal that measures it.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// Statistic of the signal.
    pub stat: Option<Spanned<Stat>>,
}

/// A reference table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Title to display.
    pub title: Text,
    /// Column headings.
    pub columns: Vec<Text>,
    /// Rows, each a list of cells.
    pub rows: Vec<Spanned<Vec<Text>>>,
}
