//! Parity: the SLOs, alerts and dashboards of a plan in CloudWatch, and their differences from Prometheus.
//!
//! ```text
//! Alert  {signal: vllm.kv_cache_usage, above: 95%, for: 5m}
//!   → Alarm  Maximum of the metric under each name, 6 points of 60 s, above 0.95; identical
//! Panel  {signal: vllm.requests_waiting, by: [model_name]}
//!   → GraphLine  Sum of each series under model_name; identical
//! ```
//!
//! One function, `value::read`, decides which statistic of which metric stands for a signal. A `NotExpressible` is the reason
//! why CloudWatch cannot express something; a `Difference` with its `Grade` describes an approximation.

mod alarms;
mod builder;
mod burn;
mod cost;
mod dashboards;
mod delivery;
mod description;
mod dimensions;
mod draft;
mod graph;
mod groups;
mod holding;
mod otlp;
mod processes;
mod promql;
mod timing;
mod value;

pub use builder::{Builder, Built, Known};
pub use cost::{Cost, CostItem, Prices, RETENTION_DAYS, Unpriced, cost};
pub use description::description;
pub use draft::AlarmRequest;

use crate::plan::Condition;
use crate::plan::cloudwatch::{NotExpressible, Value};
use dimensions::Slice;
use slosmith_spec::spec::Via;
use value::{Purpose, ValueRequest};

pub fn console(via: Via, condition: &Condition) -> Result<Value, NotExpressible> {
    let Condition::Compare(c) = condition else {
        return Err(NotExpressible::Several);
    };
    let found = value::read(ValueRequest {
        signal: &c.signal,
        stat: c.stat,
        purpose: Purpose::Picture,
        statistic: None,
        of: Slice::default(),
        via,
    })?;
    Ok(found.value)
}
