//! A live account: the only place that talks to AWS.
//!
//! [`Account::read`] gives what it holds, [`Account::apply`] makes calls in waves until all are made or one fails.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use aws_sdk_cloudwatch::Client;
use aws_sdk_cloudwatch::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_cloudwatch::types::AlarmType;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::api;
use super::error::CallError;
use super::normal::normal;
use super::object::{Desired, Key, Kind, Object, Space, State, Tags};
use super::order::{Call, Wave};
use super::pace::{ATTEMPTS, Operation, Pace, Turns};

/// Calls that wait for an answer at the same time, so that the quotas are used however far away CloudWatch is.
const AT_ONCE: usize = 8;
/// Alarms and mute rules of one answer.
const PAGE: i32 = 100;

/// Told how many steps are done, and of how many.
pub type Watch<'w> = &'w dyn Fn(usize, usize);

#[derive(Debug)]
pub struct Account {
    client: Client,
    identities: aws_sdk_sts::Client,
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
    pub(super) fn new(client: Client, identities: aws_sdk_sts::Client, pace: Pace) -> Self {
        Self {
            client,
            identities,
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
                Err(error) => CallError::new(operation, &error),
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
            self.identities.get_caller_identity().send().await
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
        let mutes = self.mute_rules().await?;
        let dashboards = self.dashboards().await?;
        let listed = mutes
            .into_iter()
            .chain(dashboards)
            .filter(|(key, _)| desired.may_own(key));
        let listed: Vec<_> = listed.collect();
        let ours = objects.keys().filter(|key| desired.may_own(key)).count();
        let (done, of) = (AtomicUsize::new(0), ours + 2 * listed.len());
        let step = || watch(done.fetch_add(1, Ordering::Relaxed) + 1, of);

        objects.extend(self.details(listed, &step).await?);

        let ours = objects.iter().filter(|(key, _)| desired.may_own(key));
        let ours: Vec<_> = ours
            .map(|(key, object)| (key.clone(), object.arn.clone()))
            .collect();
        let tags = stream::iter(ours).map(|(key, arn)| async {
            let tags = self.tags(arn).await;
            step();
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
        Ok(State { objects })
    }

    /// All alarms and dashboards of the account, without tags.
    pub async fn read_all(&self, watch: Watch<'_>) -> Result<State, CallError> {
        let mut objects = self.alarms().await?;
        let dashboards = self.dashboards().await?;
        let (done, of) = (AtomicUsize::new(0), dashboards.len());
        let step = || watch(done.fetch_add(1, Ordering::Relaxed) + 1, of);
        objects.extend(self.details(dashboards, &step).await?);
        Ok(State { objects })
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
