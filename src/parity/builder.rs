//! The builder: takes objectives, alerts and dashboards one by one, and gives back what CloudWatch gets.
//!
//! ```text
//! Builder::new(service, via, &group_by, &plain, &mut sink) → .tiers(…), .alert(…), .dashboards(…) → .finish()
//! ```

use super::delivery::{Scrapes, scraped};
use crate::cloudwatch::is_tag;
use crate::diag::Sink;
use crate::naming;
use crate::plan::Marks;
use crate::plan::cloudwatch::{Alarm, Parity, Scraped};
use crate::spec::{Text, Via};

/// Gathers what a service gets in CloudWatch, in the order in which it is asked for.
pub struct Builder<'a> {
    pub(super) sink: &'a mut Sink,
    /// Labels that dashboards keep.
    pub(super) group_by: &'a [Text],
    pub(super) via: Via,
    pub(super) service: &'a str,
    pub(super) alarms: Vec<Alarm>,
    pub(super) parity: Vec<Parity>,
    pub(super) scraped: Scrapes,
    /// Series that belong to no histogram.
    pub(super) plain: &'a [String],
    /// Families that PromQL reads, with their job where it is said.
    pub(super) queried: Vec<(String, Option<String>)>,
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
    /// For a service whose pages arrive in this way. `plain` are the names of its gauges and counters.
    pub fn new(
        service: &'a str,
        via: Via,
        group_by: &'a [Text],
        plain: &'a [String],
        sink: &'a mut Sink,
    ) -> Self {
        Self {
            sink,
            group_by,
            via,
            service,
            alarms: Vec::new(),
            parity: Vec::new(),
            scraped: Vec::new(),
            plain,
            queried: Vec::new(),
        }
    }

    /// Gives the alarms from a place on the labels that Prometheus would give them, as far as these can be tags.
    pub(super) fn tag(&mut self, from: usize, marks: &Marks) {
        let owner = marks.owner.iter().filter(|_| marks.owner_is_own);
        let owner = owner.map(|owner| (naming::OWNER.to_owned(), owner.clone()));
        let all = marks.fixed().cloned().chain(owner);
        let tags: Vec<_> = all.filter(|(name, value)| is_tag(name, value)).collect();
        for alarm in self.alarms.iter_mut().skip(from) {
            alarm.tags.clone_from(&tags);
        }
    }

    /// Everything that was gathered.
    pub fn finish(self) -> Built {
        Built {
            alarms: self.alarms,
            scraped: scraped(&self.scraped, self.queried),
            parity: self.parity,
        }
    }
}
