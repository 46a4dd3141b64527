//! The builder: takes objectives, alerts and dashboards one by one, and gives back what CloudWatch gets.
//!
//! ```text
//! Builder::new(service, via, &queries, &mut sink) → .tiers(…), .alert(…), .boards(…) → .finish()
//! ```

use super::delivery::{Scrapes, scraped};
use crate::diag::Sink;
use crate::plan::cloudwatch::{Alarm, Parity, Scraped};
use crate::plan::dashboard::Reading;
use crate::plan::{EventSlo, Slo, ValueUnit};
use crate::promql::ast::Expr;
use crate::spec::Via;
use crate::units::Duration;

/// PromQL that needs no recorded series, for pages that arrive by OpenTelemetry.
pub trait Queries {
    /// Share of bad events over a window.
    fn bad_ratio(&self, slo: &Slo, events: &EventSlo, window: Duration) -> Expr;

    /// A signal as a panel reads it over a window, without the variables of a dashboard.
    fn reading(&self, reading: &Reading, window: Duration, unit: ValueUnit) -> Expr;
}

/// Gathers what a service gets in CloudWatch, in the order in which it is asked for.
pub struct Builder<'a> {
    pub(super) sink: &'a mut Sink,
    pub(super) queries: &'a dyn Queries,
    pub(super) via: Via,
    pub(super) service: &'a str,
    pub(super) alarms: Vec<Alarm>,
    pub(super) parity: Vec<Parity>,
    pub(super) scraped: Scrapes,
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
            scraped: scraped(&self.scraped),
            parity: self.parity,
        }
    }
}
