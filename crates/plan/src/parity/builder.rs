//! The builder: collects SLOs, alerts and dashboards one by one, and returns the contents of CloudWatch.
//!
//! ```text
//! Builder::new(service, via, &known, &mut sink) → .tiers(…), .alert(…), .dashboards(…) → .finish()
//! ```

use super::delivery::{Scrapes, scraped};
use crate::plan::Marks;
use crate::plan::cloudwatch::{Alarm, Parity, Scraped};
use slosmith_cloudwatch::is_tag;
use slosmith_spec::naming;
use slosmith_spec::spec::{Text, Via};
use slosmith_text::diag::Sink;

pub struct Known<'a> {
    pub group_by: &'a [Text],
    pub target: &'a [Text],
    pub plain: &'a [String],
    /// Labels of the environment, which the scrape adds: CloudWatch has one value of each.
    pub environment: &'a [String],
    pub values: &'a [(String, Vec<String>)],
}

/// Collects the alarms and metrics of a service in CloudWatch, in the order of the calls.
pub struct Builder<'a> {
    pub(super) sink: &'a mut Sink,
    pub(super) known: &'a Known<'a>,
    pub(super) via: Via,
    pub(super) service: &'a str,
    pub(super) alarms: Vec<Alarm>,
    pub(super) parity: Vec<Parity>,
    pub(super) scraped: Scrapes,
    /// Families that PromQL reads, with their job where it is said.
    pub(super) queried: Vec<(String, Option<String>)>,
}

pub struct Built {
    pub alarms: Vec<Alarm>,
    pub scraped: Vec<Scraped>,
    pub parity: Vec<Parity>,
}

impl<'a> Builder<'a> {
    /// A builder for a service whose metrics arrive `via` the agent or OpenTelemetry.
    pub fn new(service: &'a str, via: Via, known: &'a Known<'a>, sink: &'a mut Sink) -> Self {
        Self {
            sink,
            known,
            via,
            service,
            alarms: Vec::new(),
            parity: Vec::new(),
            scraped: Vec::new(),
            queried: Vec::new(),
        }
    }

    /// Those of some labels that have several values in CloudWatch, as far as is known.
    pub(super) fn told_apart<'l>(
        &'l self,
        labels: &'l [String],
    ) -> impl Iterator<Item = &'l String> {
        let one = |label: &String| {
            let values = self.known.values.iter().find(|(known, _)| known == label);
            self.known.environment.contains(label)
                || values.is_some_and(|(_, values)| values.len() == 1)
        };
        labels.iter().filter(move |label| !one(label))
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

    pub fn finish(self) -> Built {
        Built {
            alarms: self.alarms,
            scraped: scraped(&self.scraped, self.queried),
            parity: self.parity,
        }
    }
}
