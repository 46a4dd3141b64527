//! Runbooks, and what else people write down about a service: triage, traces, load tests, advice.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::SignalName;
use super::{Condition, Map, Stat, Text};
use crate::source::Spanned;
use crate::units::{Duration, Quantity};

/// What to do about a problem.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runbook {
    /// For people.
    pub title: Text,
    /// What it means when one of its alerts fires; Markdown.
    pub meaning: Option<Text>,
    /// Who is hurt, and how.
    pub impact: Option<Text>,
    /// What one sees.
    #[serde(default)]
    pub symptoms: Vec<Text>,
    /// In order: the first that holds leads to its cause and fix, the others to the next.
    #[serde(default)]
    pub steps: Vec<Spanned<Step>>,
    /// What helps, by name.
    #[serde(default)]
    pub fixes: Map<Fix>,
    /// Names of `commands` that help here.
    #[serde(default)]
    pub commands: Vec<Text>,
    /// Whom to call when nothing of this helps.
    pub escalation: Option<Text>,
    /// Other runbooks.
    #[serde(default)]
    pub related: Vec<Text>,
}

/// A step: a check over a signal, a command to run, or a question; and where its outcomes lead.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    /// What other steps call it.
    pub id: Option<Text>,
    /// For people; made from the check when absent.
    pub title: Option<Text>,
    /// Holds when the signal does.
    pub when: Option<Spanned<Condition>>,
    /// Holds when the condition of this alert does: its bounds are those of the alert.
    pub alert: Option<Text>,
    /// A command to run; `ask` says what to look for in what it prints.
    pub run: Option<Text>,
    /// A question to answer with yes or no.
    pub ask: Option<Text>,
    /// What is likely the cause when it holds.
    pub cause: Option<Text>,
    /// What confirms that.
    pub verify: Vec<Text>,
    /// The fix to apply when it holds.
    pub fix: Option<Text>,
    /// The step that follows when it holds, in place of a fix.
    pub then: Option<Text>,
    /// The step that follows when it does not hold; the next one when absent.
    #[serde(rename = "else")]
    pub otherwise: Option<Text>,
}

/// Something that helps.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fix {
    /// For people; the name when absent.
    pub title: Option<Text>,
    /// What to do, in order.
    #[serde(rename = "do")]
    pub actions: Vec<Text>,
    /// What may go wrong.
    pub risk: Option<Text>,
}

/// A command worth knowing.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// What it shows.
    pub title: Text,
    /// The command.
    pub run: Text,
}

/// A table that leads from combinations of signals to likely directions.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triage {
    /// For people.
    pub title: Text,
    /// How to use it.
    pub note: Option<Text>,
    /// Signals, in the order of the patterns.
    #[schemars(with = "Vec<SignalName>")]
    pub signals: Vec<Text>,
    /// Combinations.
    pub rows: Vec<Spanned<TriageRow>>,
}

/// A combination of signals and where it points.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TriageRow {
    /// What each signal does: `high`, `low`, `stable`.
    pub pattern: Vec<Text>,
    /// Where that points.
    pub likely: Text,
    /// The runbook to open.
    pub runbook: Option<Text>,
}

/// What every trace of a request says.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traces {
    /// Name of the span.
    pub span: Text,
    /// What writes it.
    pub tool: Option<Text>,
    /// Attributes with what they are for.
    pub attributes: Map<Text>,
}

/// Load tests, and what they must show before something is rolled out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadTests {
    /// The model that is asked.
    pub model: Text,
    /// Root of the server, such as `http://localhost:8000`.
    pub endpoint: Text,
    /// The tokenizer of the model, by which `vllm bench serve` counts tokens; `model` when absent.
    pub tokenizer: Option<Text>,
    /// What every conversation begins with.
    pub system: Option<Text>,
    /// How long the load rises before a test is measured; no warm-up when absent.
    pub warmup: Option<Spanned<Duration>>,
    /// What requests are like, each with its share of the traffic.
    #[serde(default)]
    pub traffic: Map<Traffic>,
    /// The tests.
    pub scenarios: Map<Scenario>,
    /// What decides.
    #[serde(default)]
    pub criteria: Map<Criterion>,
}

/// One sort of request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Share of all requests.
    pub share: Spanned<Quantity>,
    /// What a user says.
    pub prompt: Text,
    /// Most tokens of an answer.
    pub max_tokens: Spanned<u32>,
    /// Another model, such as an adapter.
    pub model: Option<Text>,
}

/// One load test.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it validates.
    pub validates: Text,
    /// Requests per second; as fast as the concurrency allows when absent.
    pub rate: Option<Spanned<Quantity>>,
    /// How long it takes; needed beside `rate`.
    pub duration: Option<Spanned<Duration>>,
    /// Number of requests, in place of a duration.
    pub requests: Option<Spanned<u32>>,
    /// Most requests at a time.
    pub concurrency: Spanned<u32>,
    /// Tokens of a prompt, of a conversation's last one; when absent, the texts of `traffic` as they are, else 512.
    pub prompt_tokens: Option<Spanned<u32>>,
    /// Tokens of an answer where `traffic` does not say; 256 when absent.
    pub output_tokens: Option<Spanned<u32>>,
    /// Tokens that all prompts begin with.
    pub shared_prefix: Option<Spanned<u32>>,
    /// Turns of a conversation; each is a request of the rate.
    pub turns: Option<Spanned<u32>>,
    /// How requests differ from the usual ones.
    pub note: Option<Text>,
}

/// What decides about a load test: passed below one bound, failed above another, degraded between them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// What is measured.
    pub measure: Spanned<Measure>,
    /// Percentile or mean; of the measures that have one.
    pub stat: Option<Spanned<Stat>>,
    /// Only in this scenario.
    pub scenario: Option<Text>,
    /// Passed below this; when no pass is given, whatever has not failed has passed.
    pub pass_below: Option<Spanned<Quantity>>,
    /// Passed above this.
    pub pass_above: Option<Spanned<Quantity>>,
    /// Failed above this; when absent, whatever has not passed has failed.
    pub fail_above: Option<Spanned<Quantity>>,
    /// Failed below this.
    pub fail_below: Option<Spanned<Quantity>>,
}

/// What a load test measures.
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
    /// Caught out-of-memory errors; given by hand.
    OomEvents,
    /// Share of prompt tokens found in the prefix cache, from the server's pages.
    PrefixCacheHitRate,
}

impl Measure {
    /// In words.
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

    /// True for what a server's metrics page counts.
    pub fn is_on_pages(self) -> bool {
        self.is_latency() || self == Measure::PrefixCacheHitRate
    }

    /// True for what is measured in seconds.
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
    /// For people.
    pub title: Text,
    /// What to do and why; Markdown.
    pub text: Option<Text>,
    /// Settings with their values and what they do.
    #[serde(default)]
    pub settings: Map<Setting>,
    /// Formulas over inputs, in order; a later one may use the result of an earlier one.
    #[serde(default)]
    pub formulas: Map<Formula>,
}

/// A setting of vLLM.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// A value to start from.
    pub value: Text,
    /// What it does, and what it costs.
    pub note: Text,
}

/// A formula with an example that is computed when it is built.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formula {
    /// Arithmetic over the names of `inputs` and of earlier formulas: `+ - * / ^`, `floor`, `ceil`, `min`.
    pub expr: Text,
    /// What it gives.
    pub gives: Text,
    /// What goes in, each with the value of the example.
    #[serde(default)]
    pub inputs: Map<Input>,
}

/// What goes into a formula.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What it is.
    pub note: Text,
    /// Its value in the example.
    pub example: Spanned<Quantity>,
    /// The signal that measures it.
    #[schemars(with = "Option<SignalName>")]
    pub signal: Option<Text>,
    /// How the signal is read over time.
    pub stat: Option<Spanned<Stat>>,
}

/// Targets by use, as a table.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// For people.
    pub title: Text,
    /// Headings.
    pub columns: Vec<Text>,
    /// Cells, one list for each line.
    pub rows: Vec<Spanned<Vec<Text>>>,
}
