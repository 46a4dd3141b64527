//! A live account: the only place that talks to AWS.
//!
//! [`Account::read`] gives what it holds, [`Account::apply`] makes calls in waves until all are made or one fails.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aws_sdk_cloudwatch::Client;
use aws_sdk_cloudwatch::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_cloudwatch::types::AlarmType;
use aws_sdk_resourcegroupstagging::types::TagFilter;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::api;
use super::changes::is_tagged;
use super::error::CallError;
use super::normal::normal;
use super::object::{Desired, Key, Kind, Object, REGION_TAG, SERVICE_TAG, Space, State, Tags};
use super::order::{Call, Wave};
use super::pace::{ATTEMPTS, Operation, Pace, Turns};

/// Calls that wait for an answer at the same time, so that the quotas are used however far away CloudWatch is.
const AT_ONCE: usize = 8;
/// Alarms and mute rules of one answer.
const PAGE: i32 = 100;
/// How often tags are read that may come late.
const ROUNDS: u32 = 4;

/// Told how many steps are done, and of how many.
pub type Watch<'w> = &'w dyn Fn(usize, usize);

/// Clients of other services than CloudWatch.
#[derive(Debug)]
pub(super) struct Others {
    pub(super) sts: aws_sdk_sts::Client,
    pub(super) tagging: aws_sdk_resourcegroupstagging::Client,
}

#[derive(Debug)]
pub struct Account {
    client: Client,
    others: Others,
    /// Where the calls go, for people.
    address: String,
    turns: Turns,
    stopped: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub done: Vec<Call>,
    /// Refused, or without an answer: such a call may have had its effect.
    pub failed: Vec<(Call, CallError)>,
    pub left: Vec<Call>,
}

impl Account {
    pub(super) fn new(client: Client, others: Others, address: String, pace: Pace) -> Self {
        Self {
            client,
            others,
            address,
            turns: Turns::new(pace),
            stopped: Arc::default(),
        }
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// Sends a request in its turn, again while it fails in a way that passes.
    pub(super) async fn call<T, E>(
        &self,
        operation: Operation,
        send: impl AsyncFn() -> Result<T, SdkError<E>>,
    ) -> Result<T, CallError>
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let mut attempt = 1;
        loop {
            self.turns.wait(operation).await;
            if self.stopped.load(Ordering::Relaxed) {
                return Err(CallError::Stopped);
            }
            let error = match send().await {
                Ok(answer) => return Ok(answer),
                Err(error) => CallError::new(operation, &error, &self.address),
            };
            if attempt == ATTEMPTS || !error.is_passing() {
                return Err(error);
            }
            self.turns.back_off(attempt).await;
            attempt += 1;
        }
    }

    /// The number of the account that the credentials belong to. The call needs no permission.
    pub async fn number(&self) -> Result<String, CallError> {
        let operation = Operation::GetCallerIdentity;
        let identity = self.call(operation, async || {
            self.others.sts.get_caller_identity().send().await
        });
        let identity = identity.await?;
        identity
            .account()
            .map(str::to_owned)
            .ok_or(CallError::NoAnswer {
                operation,
                why: "the answer names no account".to_owned(),
                passing: false,
            })
    }

    /// The objects of the account that matter to `desired`.
    pub async fn read(&self, desired: &Desired, watch: Watch<'_>) -> Result<State, CallError> {
        let mut objects = self.alarms().await?;
        let mutes = match self.mute_rules().await {
            // Without maintenance, no permission is needed.
            Err(CallError::Refused { passing: false, .. }) if !desired.mutes() => Vec::new(),
            mutes => mutes?,
        };
        let dashboards = self.dashboards().await?;
        let known: BTreeMap<_, _> = objects
            .iter()
            .map(|(key, object)| (object.arn.clone(), key.clone()))
            .chain(
                mutes
                    .iter()
                    .chain(&dashboards)
                    .map(|(key, arn)| (arn.clone(), key.clone())),
            )
            .collect();
        let (index, unsearched) = match self.tagged().await {
            Ok(index) => (index, None),
            Err(CallError::Stopped) => return Err(CallError::Stopped),
            Err(error) => (BTreeMap::new(), Some(error.to_string())),
        };
        let others = others(&index, &known, desired);
        let listed = mutes
            .into_iter()
            .chain(dashboards)
            .filter(|(key, _)| desired.may_own(key));
        let listed: Vec<_> = listed.collect();
        let ours = objects.keys().filter(|key| desired.may_own(key)).count();
        let (done, of) = (AtomicUsize::new(0), ours + 2 * listed.len());
        let step = || watch(done.fetch_add(1, Ordering::Relaxed) + 1, of);

        objects.extend(self.details(listed, &step).await?);

        self.read_tags(&mut objects, &index, desired, &step).await?;
        Ok(State {
            objects,
            others,
            unsearched,
        })
    }

    /// The tags of what may be ours. The index of tags lags: what it says is believed only where nothing would change. Tags of
    /// something new may come late, so what is exactly as wanted and has none of ours is read again.
    async fn read_tags(
        &self,
        objects: &mut BTreeMap<Key, Object>,
        index: &BTreeMap<String, Tags>,
        desired: &Desired,
        step: &dyn Fn(),
    ) -> Result<(), CallError> {
        let arn = |(key, object): (&Key, &Object)| (key.clone(), object.arn.clone());
        let ours = objects.iter().filter(|(key, _)| desired.may_own(key));
        let mut open: Vec<_> = ours.map(arn).collect();
        for round in 1..=ROUNDS {
            let tags = stream::iter(open).map(|(key, arn)| async {
                let wanted = desired.objects.get(&key).map(|wanted| &wanted.tags);
                let current = |tags: &&Tags| wanted.is_some_and(|wanted| is_tagged(tags, wanted));
                let tags = match index.get(&arn).filter(current) {
                    Some(tags) => Ok(Some(tags.clone())),
                    None => match self.tags(arn).await {
                        // AWS documents no tags of mute rules: one has what its description names.
                        Ok(None) | Err(CallError::Refused { passing: false, .. })
                            if key.space == Space::MuteRule =>
                        {
                            Ok(Some(Tags::new()))
                        }
                        tags => tags,
                    },
                };
                if round == 1 {
                    step();
                }
                Ok((key, tags?))
            });
            let tags: Vec<_> = tags.buffer_unordered(AT_ONCE).try_collect().await?;
            for (key, tags) in tags {
                match (tags, objects.get_mut(&key)) {
                    (Some(tags), Some(object)) => object.tags = tags,
                    // Deleted since it was listed.
                    _ => drop(objects.remove(&key)),
                }
            }
            let late = objects.iter().filter(|(key, object)| {
                let wanted = desired.objects.get(*key);
                let same = wanted.is_some_and(|wanted| wanted.fields == object.fields);
                same && object.service().is_none()
            });
            open = late.map(arn).collect();
            if open.is_empty() || round == ROUNDS {
                break;
            }
            self.turns.back_off(round + 1).await;
        }
        Ok(())
    }

    /// Tags of everything that slosmith has tagged, by ARN, as far as the index of tags knows it.
    async fn tagged(&self) -> Result<BTreeMap<String, Tags>, CallError> {
        let ours = TagFilter::builder().key(SERVICE_TAG).build();
        let mut found = BTreeMap::new();
        let mut next = None;
        loop {
            let page = self.call(Operation::GetResources, async || {
                let request = self
                    .others
                    .tagging
                    .get_resources()
                    .tag_filters(ours.clone());
                let request = request.resource_type_filters("cloudwatch");
                let request = request.resources_per_page(PAGE);
                request.set_pagination_token(next.clone()).send().await
            });
            let page = page.await?;
            for resource in page.resource_tag_mapping_list() {
                let tags = resource.tags().iter();
                let tags = tags.map(|tag| (tag.key().to_owned(), tag.value().to_owned()));
                let arn = resource.resource_arn().unwrap_or_default();
                found.insert(arn.to_owned(), tags.collect());
            }
            next = more(page.pagination_token());
            if next.is_none() {
                return Ok(found);
            }
        }
    }

    /// All alarms and dashboards of the account, without tags.
    pub async fn read_all(&self, watch: Watch<'_>) -> Result<State, CallError> {
        let mut objects = self.alarms().await?;
        let dashboards = self.dashboards().await?;
        let (done, of) = (AtomicUsize::new(0), dashboards.len());
        let step = || watch(done.fetch_add(1, Ordering::Relaxed) + 1, of);
        objects.extend(self.details(dashboards, &step).await?);
        Ok(State {
            objects,
            ..State::default()
        })
    }

    /// Listed mute rules and dashboards with what they say.
    async fn details(
        &self,
        listed: Vec<(Key, String)>,
        step: &dyn Fn(),
    ) -> Result<Vec<(Key, Object)>, CallError> {
        let details = stream::iter(listed).map(|(key, arn)| async {
            let found = self.detail(&key).await;
            step();
            Ok(found?.map(|(kind, fields)| (key, object(kind, arn, fields))))
        });
        let details: Vec<_> = details.buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(details.into_iter().flatten().collect())
    }

    async fn alarms(&self) -> Result<BTreeMap<Key, Object>, CallError> {
        let mut found = BTreeMap::new();
        let mut next = None;
        loop {
            let page = self.call(Operation::DescribeAlarms, async || {
                let request = self.client.describe_alarms().max_records(PAGE);
                let request = request.set_alarm_types(all_types());
                request.set_next_token(next.clone()).send().await
            });
            let page = page.await?;
            let metric = page.metric_alarms().iter().map(|alarm| {
                (
                    Kind::MetricAlarm,
                    alarm.alarm_name(),
                    alarm.alarm_arn(),
                    api::metric_alarm(alarm),
                )
            });
            let composite = page.composite_alarms().iter().map(|alarm| {
                (
                    Kind::CompositeAlarm,
                    alarm.alarm_name(),
                    alarm.alarm_arn(),
                    api::composite_alarm(alarm),
                )
            });
            let log = page.log_alarms().iter().map(|alarm| {
                (
                    Kind::LogAlarm,
                    alarm.alarm_name(),
                    alarm.alarm_arn(),
                    Value::Null,
                )
            });
            for (kind, name, arn, fields) in metric.chain(composite).chain(log) {
                let arn = arn.unwrap_or_default().to_owned();
                found.insert(
                    Key::alarm(name.unwrap_or_default()),
                    object(kind, arn, fields),
                );
            }
            next = more(page.next_token());
            if next.is_none() {
                return Ok(found);
            }
        }
    }

    async fn mute_rules(&self) -> Result<Vec<(Key, String)>, CallError> {
        let mut found = Vec::new();
        let mut next = None;
        loop {
            let page = self.call(Operation::ListAlarmMuteRules, async || {
                let request = self.client.list_alarm_mute_rules().max_records(PAGE);
                request.set_next_token(next.clone()).send().await
            });
            let page = page.await?;
            for rule in page.alarm_mute_rule_summaries() {
                let arn = rule.alarm_mute_rule_arn().unwrap_or_default();
                let name = arn
                    .split_once(":alarm-mute-rule")
                    .and_then(|(_, name)| name.get(1..));
                let key = Key {
                    space: Space::MuteRule,
                    name: name.unwrap_or_default().to_owned(),
                };
                found.push((key, arn.to_owned()));
            }
            next = more(page.next_token());
            if next.is_none() {
                return Ok(found);
            }
        }
    }

    async fn dashboards(&self) -> Result<Vec<(Key, String)>, CallError> {
        let mut found = Vec::new();
        let mut next = None;
        loop {
            let page = self.call(Operation::ListDashboards, async || {
                self.client
                    .list_dashboards()
                    .set_next_token(next.clone())
                    .send()
                    .await
            });
            let page = page.await?;
            for entry in page.dashboard_entries() {
                let key = Key {
                    space: Space::Dashboard,
                    name: entry.dashboard_name().unwrap_or_default().to_owned(),
                };
                found.push((key, entry.dashboard_arn().unwrap_or_default().to_owned()));
            }
            next = more(page.next_token());
            if next.is_none() {
                return Ok(found);
            }
        }
    }

    async fn exists(&self, key: &Key) -> Result<bool, CallError> {
        if key.space != Space::Alarm {
            return Ok(self.detail(key).await?.is_some());
        }
        let page = self.call(Operation::DescribeAlarms, async || {
            let request = self.client.describe_alarms().alarm_names(&key.name);
            request.set_alarm_types(all_types()).send().await
        });
        let page = page.await?;
        let found =
            page.metric_alarms().len() + page.composite_alarms().len() + page.log_alarms().len();
        Ok(found > 0)
    }

    /// Details that a list does not contain; none when the object was deleted since.
    async fn detail(&self, key: &Key) -> Result<Option<(Kind, Value)>, CallError> {
        let name = key.name.as_str();
        if key.space == Space::MuteRule {
            let rule = self.call(Operation::GetAlarmMuteRule, async || {
                self.client
                    .get_alarm_mute_rule()
                    .alarm_mute_rule_name(name)
                    .send()
                    .await
            });
            let rule = unless_missing(rule.await)?;
            return Ok(rule.map(|rule| (Kind::MuteRule, api::mute_rule(&rule))));
        }
        let dashboard = self.call(Operation::GetDashboard, async || {
            self.client
                .get_dashboard()
                .dashboard_name(name)
                .send()
                .await
        });
        let dashboard = unless_missing(dashboard.await)?;
        Ok(dashboard.map(|dashboard| {
            let body = dashboard.dashboard_body().unwrap_or_default();
            // What is no JSON is compared, and shown, as text.
            let body = serde_json::from_str(body).unwrap_or_else(|_| body.into());
            (Kind::Dashboard, body)
        }))
    }

    async fn tags(&self, arn: String) -> Result<Option<Tags>, CallError> {
        let answer = self.call(Operation::ListTagsForResource, async || {
            self.client
                .list_tags_for_resource()
                .resource_arn(&arn)
                .send()
                .await
        });
        let answer = unless_missing(answer.await)?;
        Ok(answer.map(|answer| {
            let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
            let tags = answer.tags().iter();
            tags.map(|tag| (text(tag.key()), text(tag.value())))
                .collect()
        }))
    }

    /// Makes calls, each wave after the one before it; none after the first that fails.
    pub async fn apply(&self, waves: Vec<Wave>, watch: Watch<'_>) -> Outcome {
        let of = waves.iter().map(Vec::len).sum();
        let mut outcome = Outcome::default();
        for wave in waves {
            if !outcome.failed.is_empty() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            let calls = stream::iter(wave).map(|call| async {
                let made = self.make(&call).await;
                if made.is_err() {
                    self.stopped.store(true, Ordering::Relaxed);
                }
                (call, made)
            });
            let mut calls = calls.buffer_unordered(AT_ONCE);
            while let Some((call, made)) = calls.next().await {
                match made {
                    Ok(()) => outcome.done.push(call),
                    Err(CallError::Stopped) => outcome.left.push(call),
                    Err(error) => outcome.failed.push((call, error)),
                }
                watch(outcome.done.len(), of);
            }
        }
        outcome
    }

    /// Makes one call. An object that does not exist counts as deleted.
    async fn make(&self, call: &Call) -> Result<(), CallError> {
        match call {
            Call::Put {
                key,
                kind,
                fields,
                tags,
            } => {
                // With tags, it is created. Somebody else may have taken the name since the account was read.
                if !tags.is_empty() && self.exists(key).await? {
                    return Err(CallError::Taken(key.clone()));
                }
                self.put(key, *kind, fields, tags).await
            }
            Call::Tag { arn, tags, .. } => {
                let call = self.call(Operation::TagResource, async || {
                    let request = self.client.tag_resource().resource_arn(arn);
                    request.set_tags(api::tags(tags)).send().await
                });
                call.await.map(drop)
            }
            Call::Untag { arn, names, .. } => {
                let call = self.call(Operation::UntagResource, async || {
                    let request = self.client.untag_resource().resource_arn(arn);
                    request
                        .set_tag_keys(Some(names.iter().cloned().collect()))
                        .send()
                        .await
                });
                call.await.map(drop)
            }
            Call::Delete { space, names } => {
                unless_missing(self.delete(*space, names).await).map(drop)
            }
        }
    }

    async fn put(
        &self,
        key: &Key,
        kind: Kind,
        fields: &Value,
        tags: &Tags,
    ) -> Result<(), CallError> {
        let tags = api::tags(tags);
        let tags = || tags.clone();
        match kind {
            // No spec makes an alarm on logs.
            Kind::MetricAlarm | Kind::LogAlarm => {
                let call = self.call(Operation::PutMetricAlarm, async || {
                    let request = api::put_metric_alarm(self.client.put_metric_alarm(), fields);
                    request.set_tags(tags()).send().await
                });
                call.await.map(drop)
            }
            Kind::CompositeAlarm => {
                let call = self.call(Operation::PutCompositeAlarm, async || {
                    let request =
                        api::put_composite_alarm(self.client.put_composite_alarm(), fields);
                    request.set_tags(tags()).send().await
                });
                call.await.map(drop)
            }
            Kind::MuteRule => {
                let call = self.call(Operation::PutAlarmMuteRule, async || {
                    let request = api::put_mute_rule(self.client.put_alarm_mute_rule(), fields);
                    request.set_tags(tags()).send().await
                });
                call.await.map(drop)
            }
            Kind::Dashboard => {
                let body = fields.to_string();
                let call = self.call(Operation::PutDashboard, async || {
                    let request = self.client.put_dashboard().dashboard_name(&key.name);
                    request.dashboard_body(&body).set_tags(tags()).send().await
                });
                call.await.map(drop)
            }
        }
    }

    async fn delete(&self, space: Space, names: &[String]) -> Result<(), CallError> {
        let names = || Some(names.to_vec());
        match space {
            Space::Alarm => {
                let call = self.call(Operation::DeleteAlarms, async || {
                    self.client
                        .delete_alarms()
                        .set_alarm_names(names())
                        .send()
                        .await
                });
                call.await.map(drop)
            }
            Space::MuteRule => {
                let name = names().and_then(|names| names.into_iter().next());
                let call = self.call(Operation::DeleteAlarmMuteRule, async || {
                    let request = self.client.delete_alarm_mute_rule();
                    request.set_alarm_mute_rule_name(name.clone()).send().await
                });
                call.await.map(drop)
            }
            Space::Dashboard => {
                let call = self.call(Operation::DeleteDashboards, async || {
                    self.client
                        .delete_dashboards()
                        .set_dashboard_names(names())
                        .send()
                        .await
                });
                call.await.map(drop)
            }
        }
    }
}

/// Services that the index of tags knows and no spec is given of. The index keeps deleted objects for a while.
fn others(
    index: &BTreeMap<String, Tags>,
    known: &BTreeMap<String, Key>,
    desired: &Desired,
) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (_, tags) in index.iter().filter(|(arn, _)| known.contains_key(*arn)) {
        let here = |region: &String| *region == desired.region;
        let service = tags.get(SERVICE_TAG).filter(|service| {
            let given = desired.services.contains(*service) || desired.removed.contains(*service);
            !given && tags.get(REGION_TAG).is_none_or(here)
        });
        if let Some(service) = service {
            *found.entry(service.clone()).or_default() += 1;
        }
    }
    found
}

/// Without these, composite alarms are left out of an answer.
fn all_types() -> Option<Vec<AlarmType>> {
    Some(vec![
        AlarmType::MetricAlarm,
        AlarmType::CompositeAlarm,
        AlarmType::LogAlarm,
    ])
}

fn object(kind: Kind, arn: String, fields: Value) -> Object {
    Object {
        kind,
        arn,
        fields: normal(kind, fields),
        tags: Tags::new(),
    }
}

/// Where the next page begins; an empty token means that there is none.
pub(super) fn more(token: Option<&str>) -> Option<String> {
    token.filter(|token| !token.is_empty()).map(str::to_owned)
}

/// Nothing where something does not exist.
fn unless_missing<T>(answer: Result<T, CallError>) -> Result<Option<T>, CallError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}
