//! Runbooks and the pages beside them: what an author wrote, with every name looked up.
//!
//! A step of `{when: {signal: queue_depth, above: 80}, fix: scale-out}` is a [`Check::Condition`] that leads to
//! [`Lead::Fix`]. How it is worded is the target's business.

use super::cloudwatch::{NotExpressible, Value};
use super::{Condition, Links, words};
use crate::promql::ast::Expr;
use crate::spec::Measure;
use crate::units::{Duration, Number};

/// Everything that people read when something is wrong, and before.
#[derive(Clone, Debug, Default)]
pub struct Runbooks {
    /// Runbooks, in the order of the spec.
    pub pages: Vec<Page>,
    /// From combinations of signals to likely directions.
    pub triage: Vec<Triage>,
    /// What every trace says.
    pub traces: Option<Traces>,
    /// Load tests.
    pub load_tests: Option<LoadTests>,
    /// Advice on configuration.
    pub advice: Vec<Advice>,
    /// Lists by name.
    pub checklists: Vec<(String, Vec<String>)>,
    /// Tables of reference.
    pub tables: Vec<Table>,
    /// Commands worth knowing.
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

/// A runbook.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its name; the file's too.
    pub name: String,
    /// For people.
    pub title: String,
    /// What it means when one of its alerts fires.
    pub meaning: Option<String>,
    /// Who is hurt.
    pub impact: Option<String>,
    /// What one sees.
    pub symptoms: Vec<String>,
    /// In order.
    pub steps: Vec<Step>,
    /// What helps.
    pub fixes: Vec<Fix>,
    /// Commands that help here.
    pub commands: Vec<Command>,
    /// Whom to call.
    pub escalation: Option<String>,
    /// Other runbooks: name and title.
    pub related: Vec<(String, String)>,
    /// What its signals were called before, and what changed in them.
    pub history: Vec<FamilyHistory>,
}

/// What a family was called before, and what changed in it under its name.
#[derive(Clone, Debug)]
pub struct FamilyHistory {
    /// Its name.
    pub family: String,
    /// The first release that has it, if one is known.
    pub since: Option<String>,
    /// Earlier names, newest first, each with the last release that has it, if one is known.
    pub before: Vec<(String, Option<String>)>,
    /// Releases that changed it, and how.
    pub changes: Vec<(String, String)>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What the flow chart calls it.
    pub id: String,
    /// For people, if the author gave one.
    pub title: Option<String>,
    /// What is looked at.
    pub check: Check,
    /// What is likely the cause when it holds.
    pub cause: Option<String>,
    /// What confirms that.
    pub verify: Vec<String>,
    /// Where it leads when it holds.
    pub yes: Lead,
    /// Where it leads when it does not.
    pub no: Lead,
}

/// What a step looks at.
#[derive(Clone, Debug)]
pub enum Check {
    /// A condition over signals.
    Condition {
        /// The condition.
        condition: Box<Condition>,
        /// The same in CloudWatch, or why it is not there.
        cloudwatch: Option<Result<Box<Value>, NotExpressible>>,
    },
    /// A command, and what to look for.
    Command(String, Option<String>),
    /// A question.
    Question(String),
}

/// Where a step leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lead {
    /// To another step, by its number from 1.
    Step(usize),
    /// To a fix, by its name.
    Fix(String),
    /// Nowhere: this is what the runbook knows.
    End,
}

/// Something that helps.
#[derive(Clone, Debug)]
pub struct Fix {
    /// Its name; the anchor too.
    pub name: String,
    /// For people.
    pub title: String,
    /// In order.
    pub actions: Vec<String>,
    /// What may go wrong.
    pub risk: Option<String>,
}

/// A command.
#[derive(Clone, Debug)]
pub struct Command {
    /// What it shows.
    pub title: String,
    /// The command.
    pub run: String,
}

/// A triage matrix.
#[derive(Clone, Debug)]
pub struct Triage {
    /// For people.
    pub title: String,
    /// How to use it.
    pub note: Option<String>,
    /// Titles of the signals.
    pub signals: Vec<String>,
    /// Combinations.
    pub rows: Vec<TriageRow>,
}

/// A combination of signals.
#[derive(Clone, Debug)]
pub struct TriageRow {
    /// What each signal does.
    pub pattern: Vec<String>,
    /// Where that points.
    pub likely: String,
    /// The runbook to open: name and title.
    pub runbook: Option<(String, String)>,
}

/// Attributes of traces.
#[derive(Clone, Debug)]
pub struct Traces {
    /// Name of the span.
    pub span: String,
    /// What writes it.
    pub tool: Option<String>,
    /// Attributes and what they are for.
    pub attributes: Vec<(String, String)>,
}

/// Load tests.
#[derive(Clone, Debug)]
pub struct LoadTests {
    /// The model that is asked.
    pub model: String,
    /// Root of the server.
    pub endpoint: String,
    /// What counts the model's tokens.
    pub tokenizer: String,
    /// What every conversation begins with.
    pub system: Option<String>,
    /// How long the load rises before a test.
    pub warmup: Option<Duration>,
    /// What requests are like.
    pub traffic: Vec<Traffic>,
    /// The tests.
    pub scenarios: Vec<Scenario>,
    /// What decides.
    pub criteria: Vec<Criterion>,
}

/// One sort of request.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Its name.
    pub name: String,
    /// Share of all requests.
    pub share: Number,
    /// What a user says.
    pub prompt: String,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// The model it asks.
    pub model: String,
}

/// One load test.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// What it validates.
    pub validates: String,
    /// Requests per second; as fast as the concurrency allows when absent.
    pub rate: Option<Number>,
    /// How long it takes.
    pub duration: Option<Duration>,
    /// Number of requests.
    pub requests: u64,
    /// Most requests at a time.
    pub concurrency: u32,
    /// Tokens of a prompt, of a conversation's last one; `None` for the texts of the traffic as they are.
    pub prompt_tokens: Option<u32>,
    /// Tokens of an answer where the traffic does not say.
    pub output_tokens: u32,
    /// Tokens that all prompts begin with.
    pub shared_prefix: u32,
    /// Turns of a conversation.
    pub turns: u32,
    /// How requests differ from the usual ones.
    pub note: Option<String>,
}

/// What decides about a load test.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its name.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// Percentile as a share; `None` is the mean.
    pub quantile: Option<Number>,
    /// Only in this scenario.
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
            (Some(q), _) => format!("P{} {measure}", crate::units::decimal(q * 100)),
            (None, true) => format!("mean {measure}"),
            (None, false) => measure.to_owned(),
        }
    }
}

/// A bound on a measure, in base units.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// True when values above it are meant.
    pub above: bool,
    /// The bound.
    pub value: Number,
    /// As written.
    pub text: String,
}

/// Advice on a configuration.
#[derive(Clone, Debug)]
pub struct Advice {
    /// For people.
    pub title: String,
    /// What to do and why.
    pub text: Option<String>,
    /// Settings: name, value, what it does.
    pub settings: Vec<(String, String, String)>,
    /// Arithmetic.
    pub formulas: Vec<Formula>,
}

/// A formula with a computed example.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its name.
    pub name: String,
    /// The arithmetic.
    pub expr: String,
    /// What it gives.
    pub gives: String,
    /// What goes in: name, what it is, its value in the example, and the query that measures it.
    pub inputs: Vec<(String, String, String, Option<Expr>)>,
    /// The result of the example.
    pub result: String,
}

/// A table of reference.
#[derive(Clone, Debug)]
pub struct Table {
    /// For people.
    pub title: String,
    /// Headings.
    pub columns: Vec<String>,
    /// Cells.
    pub rows: Vec<Vec<String>>,
}
