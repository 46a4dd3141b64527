//! Parity: what CloudWatch can say of a plan's objectives, alerts and dashboards, and how nearly.
//!
//! ```text
//! Alert  {signal: vllm.kv_cache_usage, above: 95%, for: 5m}
//!   → Alarm  Maximum of the metric under each name, 5 points of 60 s, above 0.95; identical
//! Panel  {signal: vllm.requests_waiting, by: [model_name]}
//!   → GraphLine  Average of each series under model_name; approximated: of single replicas
//! ```
//!
//! One function, `value::read`, decides which statistic of which metric stands for a signal. What cannot be said
//! is a `NotExpressible`, what is said only nearly has a `Difference`; no text is decided on.

mod alarms;
mod boards;
mod burn;
mod delivery;
mod description;
mod dimensions;
mod graph;
mod promql;
mod timing;
mod value;

pub use alarms::AlarmRequest;
pub use description::description;

use crate::diag::Sink;
use crate::plan::cloudwatch::{Alarm, NotExpressible, Parity, Scraped, Value};
use crate::plan::dashboard::Reading;
use crate::plan::{Condition, EventSlo, Slo, ValueUnit};
use crate::promql::ast::Expr;
use crate::spec::Via;
use crate::units::Duration;
use delivery::Scrapes;
use value::{Purpose, ValueRequest};

/// PromQL that needs no recorded series, for pages that arrive by OpenTelemetry.
pub trait Queries {
    /// Share of bad events over a window.
    fn bad_ratio(&self, slo: &Slo, events: &EventSlo, window: Duration) -> Expr;

    /// A signal as a panel reads it over a window, without the variables of a dashboard.
    fn reading(&self, reading: &Reading, window: Duration, unit: ValueUnit) -> Expr;
}

/// Gathers what a service gets in CloudWatch, in the order in which it is asked for.
pub struct Builder<'a> {
    sink: &'a mut Sink,
    queries: &'a dyn Queries,
    via: Via,
    service: &'a str,
    alarms: Vec<Alarm>,
    parity: Vec<Parity>,
    scraped: Scrapes,
}

/// Alarms, what the agent must deliver for them and for the dashboards, and how nearly all of it says the same.
pub struct Built {
    /// In the order they can be created.
    pub alarms: Vec<Alarm>,
    /// Sorted.
    pub scraped: Vec<Scraped>,
    /// In the order of the plan.
    pub parity: Vec<Parity>,
}

impl<'a> Builder<'a> {
    /// For a service whose pages arrive in this way.
    pub fn new(service: &'a str, via: Via, queries: &'a dyn Queries, sink: &'a mut Sink) -> Self {
        Self {
            sink,
            queries,
            via,
            service,
            alarms: Vec::new(),
            parity: Vec::new(),
            scraped: Vec::new(),
        }
    }

    /// Everything that was gathered.
    pub fn finish(self) -> Built {
        Built {
            alarms: self.alarms,
            scraped: delivery::scraped(&self.scraped),
            parity: self.parity,
        }
    }
}

/// What the console is to show of what a condition compares.
///
/// # Errors
/// Says why it does not.
pub fn console(via: Via, condition: &Condition) -> Result<Value, NotExpressible> {
    let Condition::Compare(c) = condition else {
        return Err(NotExpressible::Several);
    };
    let found = value::read(ValueRequest {
        signal: &c.signal,
        stat: c.stat,
        purpose: Purpose::Picture,
        statistic: None,
        by: &[],
        via,
    })?;
    Ok(found.value)
}
