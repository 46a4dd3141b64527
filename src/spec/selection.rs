//! Which series of a signal are read, how they are grouped, and how replicas are combined.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::{Across, Matchers, Text};
use crate::source::Spanned;

/// The fields with which conditions, panels, records and SLOs choose series.
#[derive(Clone, Copy, Default)]
pub struct Selection<'a> {
    /// Label values.
    pub matchers: Option<&'a Matchers>,
    /// Labels in addition to the service's.
    pub by: &'a [Text],
    /// Labels instead of the service's.
    pub group_by: Option<&'a Spanned<Vec<Text>>>,
    /// How the values of replicas and engines are combined; `None`: as the signal says.
    pub across: Option<Spanned<Across>>,
}

impl<'a> Selection<'a> {
    /// Labels that are named here, whether beside the service's or instead of them.
    pub fn named(&self) -> &'a [Text] {
        self.group_by.map_or(self.by, |list| &list.value)
    }
}

/// Labels in addition to the service's `group_by`; at least one where the field is set.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(transparent)]
pub struct By(#[schemars(length(min = 1))] pub Vec<Text>);

impl<'de> Deserialize<'de> for By {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let labels = Vec::<Text>::deserialize(d)?;
        if labels.is_empty() {
            return Err(serde::de::Error::custom(
                "`by` adds labels to `prometheus.group_by`; it must have at least one entry\nto group by nothing, write `group_by: []`",
            ));
        }
        Ok(Self(labels))
    }
}
