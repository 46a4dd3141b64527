//! What an account holds.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::{Value, json};

/// The account that everything is in.
pub(super) const ACCOUNT: &str = "123456789012";
const REGION: &str = "us-east-1";

/// Tags by name.
pub(crate) type Tags = BTreeMap<String, String>;

/// An alarm of any kind, by the fields that it was put with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alarm {
    pub(crate) fields: Value,
    pub(crate) tags: Tags,
}

impl Alarm {
    pub(crate) fn is_composite(&self) -> bool {
        self.fields.get("AlarmRule").is_some()
    }

    /// Alarms in its rule, and its suppressor.
    pub(crate) fn children(&self) -> BTreeSet<String> {
        let rule = self.fields["AlarmRule"].as_str().unwrap_or_default();
        let one = Regex::new(
            r#"(?:ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*(?:"((?:[^"\\]|\\.)*)"|([^"()]+?))\s*\)"#,
        );
        let many = Regex::new(r"AT_LEAST\s*\([^()]*\(([^()]*)\)\s*\)").expect("a pattern");
        let mut found = BTreeSet::new();
        for part in one.expect("a pattern").captures_iter(rule) {
            let quoted = part
                .get(1)
                .map(|name| name.as_str().replace("\\\"", "\"").replace("\\\\", "\\"));
            found.extend(quoted.or_else(|| Some(part.get(2)?.as_str().to_owned())));
        }
        for list in many.captures_iter(rule) {
            found.extend(
                list[1]
                    .split(',')
                    .map(|name| name.trim().trim_matches('"').to_owned()),
            );
        }
        found.extend(self.fields["ActionsSuppressor"].as_str().map(str::to_owned));
        found
    }
}

/// Everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Store {
    pub(crate) alarms: BTreeMap<String, Alarm>,
    pub(crate) mutes: BTreeMap<String, Alarm>,
    /// Bodies as text.
    pub(crate) dashboards: BTreeMap<String, (String, Tags)>,
    /// What the index of tags knows, where it lags.
    pub(crate) index: Option<BTreeMap<String, Tags>>,
    /// How many answers still lack the tags that are there.
    pub(crate) late: usize,
    /// Mute rules have no tags, which AWS does not document.
    pub(crate) mutes_without_tags: bool,
    /// Operations that the credentials may not use.
    pub(crate) denied: Vec<&'static str>,
    /// As ListMetrics has them, and whether a value came in the past three hours.
    pub(crate) metrics: Vec<(Value, bool)>,
}

impl Store {
    pub(super) fn alarm_arn(name: &str) -> String {
        format!("arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{name}")
    }

    pub(super) fn mute_arn(name: &str) -> String {
        format!("arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm-mute-rule:{name}")
    }

    pub(super) fn dashboard_arn(name: &str) -> String {
        format!("arn:aws:cloudwatch::{ACCOUNT}:dashboard/{name}")
    }

    /// The tags of everything, by ARN.
    pub(crate) fn tagged(&self) -> BTreeMap<String, Tags> {
        let alarms = self.alarms.iter();
        let alarms = alarms.map(|(name, alarm)| (Self::alarm_arn(name), alarm.tags.clone()));
        let dashboards = self.dashboards.iter();
        let dashboards =
            dashboards.map(|(name, (_, tags))| (Self::dashboard_arn(name), tags.clone()));
        alarms.chain(dashboards).collect()
    }

    /// Tags of what an ARN names.
    pub(super) fn tags(&mut self, arn: &str) -> Option<&mut Tags> {
        if let Some((_, name)) = arn.split_once(":alarm:") {
            return self.alarms.get_mut(name).map(|alarm| &mut alarm.tags);
        }
        if let Some((_, name)) = arn.split_once(":alarm-mute-rule:") {
            let with = !self.mutes_without_tags;
            let mute = self.mutes.get_mut(name).filter(|_| with);
            return mute.map(|mute| &mut mute.tags);
        }
        let (_, name) = arn.split_once(":dashboard/")?;
        self.dashboards.get_mut(name).map(|(_, tags)| tags)
    }

    /// Puts an alarm that nobody of us made.
    pub(crate) fn put_foreign(&mut self, name: &str, mut fields: Value) {
        fields["AlarmName"] = json!(name);
        let tags = Tags::from([("Owner".to_owned(), "somebody".to_owned())]);
        self.alarms.insert(name.to_owned(), Alarm { fields, tags });
    }
}
