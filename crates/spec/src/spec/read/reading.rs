//! The fields with which a condition, a panel or a panel series reads a signal, and which of them exclude each other.
//!
//! `{signal: a, unit: s}` and `{promql: up, window: 5m}` are errors in each of them.

use super::exclusive::{Exclusive, Field};
use super::place;
use crate::spec;

/// Why a field cannot be set: the PromQL query itself defines it.
pub(super) const IN_QUERY: &str = "cannot be combined with `promql`: write it in the query";

/// The fields of one signal, or of PromQL in its place.
pub(super) struct Reading<'a> {
    /// True for PromQL.
    raw: bool,
    unit: Field<'a>,
    stat: Field<'a>,
    window: Field<'a>,
    groups: [Field<'a>; 4],
}

impl Reading<'_> {
    pub(super) fn all(&self) -> impl Iterator<Item = Field<'_>> {
        self.own().chain([self.window])
    }

    /// What a list of series leaves to each of them: all but the window.
    pub(super) fn own(&self) -> impl Iterator<Item = Field<'_>> {
        [self.unit, self.stat].into_iter().chain(self.groups)
    }
}

impl spec::Reading {
    pub(super) fn fields(&self) -> Reading<'static> {
        let of = self.selection();
        let first = of.matchers.and_then(|all| all.keys().next());
        Reading {
            raw: self.promql.is_some(),
            unit: ("unit", place(self.unit.as_ref())),
            stat: ("stat", place(self.stat.as_ref())),
            window: ("window", place(self.window.as_ref())),
            groups: [
                ("by", of.by.first().map(|by| by.span)),
                ("group_by", place(of.group_by)),
                ("where", first.map(|key| key.span)),
                ("across", place(of.across.as_ref())),
            ],
        }
    }
}

impl Exclusive<'_> {
    /// The same of what has one value, which only panels have not.
    pub(super) fn reading(&mut self, reading: &spec::Reading) {
        if let Some(stat) = reading.stat.as_ref().filter(|stat| stat.value.0.len() > 1) {
            let message = "`stat` must be one statistic here: only a panel shows several";
            self.error("stat", stat.span, message.to_owned());
        }
        self.readings(&reading.fields());
    }

    /// PromQL is read and grouped as it is written; only it needs a unit.
    pub(super) fn readings(&mut self, reading: &Reading<'_>) {
        self.at_most_one(&reading.groups[..2]);
        if !reading.raw {
            self.reject(
                [reading.unit],
                "cannot be combined with `signal`, which has its own unit",
            );
            return;
        }
        let fields = [reading.stat, reading.window]
            .into_iter()
            .chain(reading.groups);
        self.reject(fields, IN_QUERY);
    }

    /// Reports every field of `fields` that is set: its name, then `why`.
    pub(super) fn reject<'n>(&mut self, fields: impl IntoIterator<Item = Field<'n>>, why: &str) {
        for (name, span) in fields {
            if let Some(span) = span {
                self.error(name, span, format!("`{name}` {why}"));
            }
        }
    }
}
