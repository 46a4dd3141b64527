//! Label sets of alerts: which one an alarm covers, and which labels it does not distinguish.
//!
//! With `values: {adapter_id: [base, tuned]}` an alert by `adapter_id` and `pod` is about two groups, and each alarm is
//! one for all of `pod`.

use super::builder::Builder;
use super::draft::{Draft, Values};
use super::value::{Purpose, SignalValue};
use crate::plan::cloudwatch::{Difference, Dimensions, Grade, Value};
use crate::plan::{Condition, Query};

/// Every label set of known values; one empty set if no values are known.
pub(super) fn groups(known: &[(String, Vec<String>)]) -> Vec<Values<String>> {
    let mut all = vec![Vec::new()];
    for (label, values) in known {
        let with = |group: &Values<String>| {
            let pairs = values.iter().map(|value| (label.clone(), value.clone()));
            let groups = pairs.map(|pair| group.iter().cloned().chain([pair]).collect());
            groups.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

impl Builder<'_> {
    pub(super) fn known_values(&self, condition: &Condition) -> Values<Vec<String>> {
        let labels = &condition.query().labels;
        let known = self.known.values.iter();
        let known = known.filter(|(label, values)| labels.contains(label) && !values.is_empty());
        known.cloned().collect()
    }

    /// Labels of a query whose values an alarm does not tell apart.
    pub(super) fn open(&self, draft: &Draft, query: &Query, fixed: &[&str]) -> Vec<String> {
        let only = |label: &str| draft.only.iter().any(|(known, _)| known == label);
        let open = self.told_apart(&query.labels);
        let open = open.filter(|label| !only(label) && !fixed.contains(&label.as_str()));
        open.cloned().collect()
    }

    /// Notes the labels that one alarm covers together.
    pub(super) fn one_for_all(
        &self,
        draft: &mut Draft,
        query: &Query,
        found: &SignalValue,
        purpose: Purpose,
    ) {
        let metrics = found.value.metrics();
        let dimensions = metrics
            .iter()
            .filter_map(|metric| match &metric.dimensions {
                Dimensions::Exactly(pairs) => Some(pairs),
                Dimensions::Each(_) => None,
            });
        let fixed: Vec<_> = dimensions
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let open = self.open(draft, query, &fixed);
        if open.is_empty() {
            return;
        }
        let grade = match &found.value {
            Value::Statistic(stat) => purpose.of_all_groups(&stat.statistic, found.adds_up),
            _ => Grade::Weaker,
        };
        draft.note(Difference::OneForAll(open).at(grade));
    }

    pub(super) fn joined(&self, draft: &mut Draft, parts: &[Condition], query: &Query) {
        if !self.open(draft, query, &[]).is_empty() && parts.len() > 1 {
            draft.note(Difference::PartsNotJoined.at(Grade::Stronger));
        }
    }
}
