//! How often CloudWatch may be called, and how long an answer is waited for.
//!
//! PutMetricAlarm has a quota of three calls a second: its turns are a third of a second apart.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// Attempts of one call, if each fails in a way that passes.
pub(super) const ATTEMPTS: u32 = 7;
/// The longest wait before the second attempt; it doubles with each one.
const BACKOFF: Duration = Duration::from_millis(400);
/// The longest wait before any attempt.
const LONGEST_BACKOFF: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    DescribeAlarms,
    ListAlarmMuteRules,
    GetAlarmMuteRule,
    ListDashboards,
    GetDashboard,
    ListMetrics,
    ListTagsForResource,
    PutMetricAlarm,
    PutCompositeAlarm,
    PutAlarmMuteRule,
    PutDashboard,
    TagResource,
    UntagResource,
    DeleteAlarms,
    DeleteAlarmMuteRule,
    DeleteDashboards,
    GetCallerIdentity,
    GetResources,
}

impl Operation {
    /// Calls a second that a new account is allowed in a region (CloudWatch service quotas, 2026). No figure is published
    /// for reading and deleting mute rules: they get the one of writing them.
    pub fn quota(self) -> u32 {
        match self {
            Self::PutMetricAlarm
            | Self::PutCompositeAlarm
            | Self::PutAlarmMuteRule
            | Self::DeleteAlarms
            | Self::DeleteAlarmMuteRule
            | Self::ListAlarmMuteRules
            | Self::GetAlarmMuteRule => 3,
            Self::DescribeAlarms => 9,
            Self::ListTagsForResource
            | Self::TagResource
            | Self::UntagResource
            | Self::ListDashboards
            | Self::GetDashboard
            | Self::PutDashboard
            | Self::DeleteDashboards
            // Of other services: once in a run, and once for a hundred objects.
            | Self::GetCallerIdentity
            | Self::GetResources => 10,
            Self::ListMetrics => 25,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub times: u32,
    pub patience: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            times: 1,
            patience: Duration::from_secs(30),
        }
    }
}

#[derive(Debug)]
pub(super) struct Turns {
    pace: Pace,
    next: Mutex<BTreeMap<Operation, Interval>>,
}

impl Turns {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            pace,
            next: Mutex::default(),
        }
    }

    pub(super) async fn wait(&self, operation: Operation) {
        let mut turns = self.next.lock().await;
        let apart = Duration::from_secs(1) / (operation.quota() * self.pace.times);
        let turn = turns.entry(operation).or_insert_with(|| {
            let mut turn = interval(apart);
            // Late turns do not delay those that follow, and missed ones are not made up for.
            turn.set_missed_tick_behavior(MissedTickBehavior::Skip);
            turn
        });
        turn.tick().await;
    }

    /// Waits after a failed attempt: longer each time, by chance, so that runs which failed together do not come together.
    pub(super) async fn back_off(&self, attempt: u32) {
        let longest = (BACKOFF * 2_u32.pow((attempt - 1).min(10))).min(LONGEST_BACKOFF);
        let share = f64::midpoint(1.0, fastrand::f64());
        tokio::time::sleep(longest.mul_f64(share) / self.pace.times).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn turns_are_apart_by_the_quota() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.expect("a runtime").block_on(async {
            let turns = Turns::new(Pace {
                times: 10,
                ..Pace::default()
            });
            let start = Instant::now();
            for _ in 0..7 {
                turns.wait(Operation::PutMetricAlarm).await;
            }
            let took = start.elapsed();
            assert!(
                (Duration::from_millis(198)..Duration::from_millis(400)).contains(&took),
                "{took:?}"
            );
        });
    }
}
