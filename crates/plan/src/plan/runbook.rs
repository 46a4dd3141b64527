//! Runbooks and the pages beside them: what an author wrote, with every name looked up.
//!
//! A step of `{when: {signal: queue_depth, above: 80}, fix: scale-out}` is a [`Check::Condition`] that leads to
//! [`Lead::Fix`]. How it is worded is the target's business.

use super::cloudwatch::{NotExpressible, Value};
use super::{Condition, Links, words};
use slosmith_promql::ast::Expr;
use slosmith_spec::spec::Measure;
use slosmith_text::units::{Duration, Number};

/// Everything that people read when something is wrong, and before.
#[derive(Clone, Debug, Default)]
pub struct Runbooks {
    pub pages: Vec<Page>,
    pub triage: Vec<Triage>,
    pub traces: Option<Traces>,
    pub load_tests: Option<LoadTests>,
    pub advice: Vec<Advice>,
    pub checklists: Vec<(String, Vec<String>)>,
    pub tables: Vec<Table>,
    pub commands: Vec<Command>,
}

impl Runbooks {
    /// What to do first about an SLO or an alert.
    pub fn action(&self, about: &str, action: Option<&str>, links: &Links) -> String {
        let mut pages = self.pages.iter();
        let own = pages.find(|page| links.page.as_ref() == Some(&page.name));
        words::action(about, action, own.map(|page| page.title.as_str()))
    }
}

#[derive(Clone, Debug)]
pub struct Page {
    pub name: String,
    pub title: String,
    pub meaning: Option<String>,
    pub impact: Option<String>,
    pub symptoms: Vec<String>,
    pub steps: Vec<Step>,
    pub fixes: Vec<Fix>,
    pub commands: Vec<Command>,
    pub escalation: Option<String>,
    pub related: Vec<(String, String)>,
    pub history: Vec<FamilyHistory>,
}

/// What a family was called before, and what changed in it under its name.
#[derive(Clone, Debug)]
pub struct FamilyHistory {
    pub family: String,
    pub since: Option<String>,
    /// Earlier names, newest first, each with the last release that has it, if one is known.
    pub before: Vec<(String, Option<String>)>,
    pub changes: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// What the flow chart calls it.
    pub id: String,
    pub title: Option<String>,
    /// The alert whose condition the step checks.
    pub alert: Option<String>,
    pub check: Check,
    pub cause: Option<String>,
    pub verify: Vec<String>,
    pub yes: Lead,
    pub no: Lead,
}

#[derive(Clone, Debug)]
pub enum Check {
    Condition {
        condition: Box<Condition>,
        cloudwatch: Option<Result<Box<Value>, NotExpressible>>,
    },
    Command(String, Option<String>),
    Question(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    Step(usize),
    Fix(String),
    /// Nowhere: this is what the runbook knows.
    End,
}

#[derive(Clone, Debug)]
pub struct Fix {
    pub name: String,
    pub title: String,
    pub actions: Vec<String>,
    pub risk: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub title: String,
    pub run: String,
}

#[derive(Clone, Debug)]
pub struct Triage {
    pub title: String,
    pub note: Option<String>,
    pub signals: Vec<String>,
    pub rows: Vec<TriageRow>,
}

#[derive(Clone, Debug)]
pub struct TriageRow {
    pub pattern: Vec<String>,
    pub likely: String,
    pub runbook: Option<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct Traces {
    pub span: String,
    pub tool: Option<String>,
    pub attributes: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct LoadTests {
    pub model: String,
    pub endpoint: String,
    pub tokenizer: String,
    /// What every conversation begins with.
    pub system: Option<String>,
    pub warmup: Option<Duration>,
    pub traffic: Vec<Traffic>,
    pub scenarios: Vec<Scenario>,
    pub criteria: Vec<Criterion>,
}

#[derive(Clone, Debug)]
pub struct Traffic {
    pub name: String,
    pub share: Number,
    pub prompt: String,
    pub max_tokens: u32,
    pub model: String,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: String,
    pub validates: String,
    pub rate: Option<Number>,
    pub duration: Option<Duration>,
    pub requests: u64,
    pub concurrency: u32,
    /// Tokens of a prompt, of a conversation's last one; `None` for the texts of the traffic as they are.
    pub prompt_tokens: Option<u32>,
    /// Tokens of an answer where the traffic does not say.
    pub output_tokens: u32,
    pub shared_prefix: u32,
    pub turns: u32,
    /// How requests differ from the usual ones.
    pub note: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Criterion {
    pub name: String,
    pub measure: Measure,
    /// Percentile as a share; `None` is the mean.
    pub quantile: Option<Number>,
    pub scenario: Option<String>,
    /// Passed beyond this; `None` when whatever has not failed has passed.
    pub pass: Option<Limit>,
    /// Failed beyond this; `None` when whatever has not passed has failed.
    pub fail: Option<Limit>,
}

impl Criterion {
    /// The measure as text: `P99 total latency`.
    pub fn words(&self) -> String {
        let measure = self.measure.words();
        match (self.quantile, self.measure.is_latency()) {
            (Some(q), _) => format!("P{} {measure}", slosmith_text::units::decimal(q * 100)),
            (None, true) => format!("mean {measure}"),
            (None, false) => measure.to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub above: bool,
    pub value: Number,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Advice {
    pub title: String,
    pub text: Option<String>,
    pub settings: Vec<(String, String, String)>,
    pub formulas: Vec<Formula>,
}

#[derive(Clone, Debug)]
pub struct Formula {
    pub name: String,
    pub expr: String,
    pub gives: String,
    pub inputs: Vec<(String, String, String, Option<Expr>)>,
    pub result: String,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}
