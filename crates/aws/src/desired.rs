//! What specs want, from the requests that a build writes.

use serde_json::Value;
use thiserror::Error;

use super::changes::hash;
use super::normal::normal;
use super::object::{
    Desired, HASH_TAG, Key, Kind, REGION_TAG, SERVICE_TAG, SPEC_TAG, TAGS_TAG, Tags, Wanted, mark,
};
use slosmith_cloudwatch::limits;
use slosmith_render::target::Requests;

#[derive(Debug, PartialEq, Eq, Error)]
pub enum DesiredError {
    #[error("two specs define the {0}")]
    Twice(Key),
    #[error("{key} has {count} tags, including those of slosmith; at most {most} are allowed", most = limits::TAGS)]
    Tags { key: Key, count: usize },
}

impl Desired {
    /// Adds what one spec wants; `spec` is the name of its file.
    pub fn add(
        &mut self,
        service: &str,
        spec: &str,
        requests: Requests,
    ) -> Result<(), DesiredError> {
        self.services.insert(service.to_owned());
        let own = Tags::from([
            (SERVICE_TAG.to_owned(), service.to_owned()),
            (SPEC_TAG.to_owned(), tag_value(spec)),
        ]);
        // Dashboards have no tags of the spec: the other forms give them none either.
        let dashboards = requests.dashboards.into_iter();
        let dashboards = dashboards.map(|(name, body)| (Kind::Dashboard, name, body));
        let alarms = requests.alarms.into_iter().map(|request| {
            let kind = match request.get("AlarmRule") {
                Some(_) => Kind::CompositeAlarm,
                None => Kind::MetricAlarm,
            };
            (kind, text(&request["AlarmName"]), request)
        });
        let mutes = requests.mutes.into_iter();
        let mutes = mutes.map(|request| (Kind::MuteRule, text(&request["Name"]), request));
        for (kind, name, request) in alarms.chain(mutes).chain(dashboards) {
            let key = Key {
                space: kind.space(),
                name,
            };
            let mut tags = match kind {
                Kind::Dashboard => Tags::from([(REGION_TAG.to_owned(), self.region.clone())]),
                _ => tags_of(&request),
            };
            let names: Vec<_> = tags
                .keys()
                .filter(|name| !name.contains('='))
                .cloned()
                .collect();
            let names = names.join("=");
            if kind != Kind::Dashboard && !names.is_empty() && names.len() <= limits::TAG_VALUE {
                tags.insert(TAGS_TAG.to_owned(), names);
            }
            tags.extend(own.clone());
            let mut fields = normal(kind, request);
            if kind == Kind::MuteRule {
                let mark = mark(service);
                let own = text(&fields["Description"]);
                let room = limits::DESCRIPTION.saturating_sub(mark.chars().count() + 1);
                let own: String = own.chars().take(room).collect();
                fields["Description"] = format!("{own} {mark}").trim_start().into();
                fields.sort_all_objects();
            }
            tags.insert(HASH_TAG.to_owned(), hash(&fields));
            if tags.len() > limits::TAGS {
                let count = tags.len();
                return Err(DesiredError::Tags { key, count });
            }
            if self.objects.contains_key(&key) {
                return Err(DesiredError::Twice(key));
            }
            self.objects.insert(key, Wanted { kind, fields, tags });
        }
        Ok(())
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn tags_of(request: &Value) -> Tags {
    let tags = request["Tags"].as_array().into_iter().flatten();
    tags.map(|tag| (text(&tag["Key"]), text(&tag["Value"])))
        .collect()
}

/// Text that a tag can have: letters, digits, blanks and some signs.
fn tag_value(text: &str) -> String {
    let fine = |c: char| c.is_alphanumeric() || " _.:/=+-@".contains(c);
    let text = text.chars().map(|c| if fine(c) { c } else { '_' });
    text.take(limits::TAG_VALUE).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn requests(tags: usize) -> Requests {
        let tags: Vec<_> = (0..tags)
            .map(|n| json!({"Key": format!("k{n}"), "Value": "v"}))
            .collect();
        Requests {
            alarms: vec![json!({"AlarmName": "svc-a", "Threshold": 1.0, "Tags": tags})],
            mutes: vec![json!({"Name": "svc-m", "Rule": {"Schedule": {}}})],
            dashboards: vec![("svc".to_owned(), json!({"widgets": []}))],
        }
    }

    #[test]
    fn everything_is_marked_as_ours() {
        let mut desired = Desired::default();
        desired
            .add("svc", "my spec!.yaml", requests(1))
            .expect("wanted");
        assert_eq!(desired.objects.len(), 3);
        for wanted in desired.objects.values() {
            assert_eq!(wanted.tags[SERVICE_TAG], "svc");
            assert_eq!(wanted.tags[SPEC_TAG], "my spec_.yaml");
            assert_eq!(wanted.tags[HASH_TAG], hash(&wanted.fields));
        }
        let alarm = &desired.objects[&Key::alarm("svc-a")];
        assert_eq!(alarm.tags["k0"], "v");
        assert!(alarm.fields.get("Tags").is_none());
    }

    #[test]
    fn a_name_is_wanted_once_and_tags_have_an_end() {
        let mut desired = Desired::default();
        desired.add("svc", "a.yaml", requests(0)).expect("wanted");
        let twice = desired.add("svc", "b.yaml", requests(0));
        assert_eq!(twice, Err(DesiredError::Twice(Key::alarm("svc-a"))));
        assert!(
            Desired::default()
                .add("svc", "a.yaml", requests(46))
                .is_ok()
        );
        assert!(
            Desired::default()
                .add("svc", "a.yaml", requests(47))
                .is_err()
        );
    }
}
