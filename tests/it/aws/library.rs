//! Plan, apply, plan again: through the library, faster than AWS's quotas allow.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;
use slosmith::aws::aws_config::{BehaviorVersion, Region, SdkConfig};
use slosmith::aws::aws_credential_types::Credentials;
use slosmith::aws::aws_credential_types::provider::SharedCredentialsProvider;
use slosmith::aws::{
    Action, Allowed, CallError, Changes, Desired, Key, Kind, Outcome, Pace, Session, State, hash,
    waves,
};
use slosmith::target::{self, Requests};
use slosmith::template::Templates;

use super::server::Server;
use crate::bundled;

/// Specs with something in CloudWatch.
const SPECS: [&str; 5] = [
    "specs/mangaassist.yaml",
    "tests/fixtures/cloudwatch/agent.yaml",
    "tests/fixtures/cloudwatch/names.yaml",
    "tests/fixtures/cloudwatch/otlp.yaml",
    "tests/fixtures/cloudwatch/parity.yaml",
];

pub(super) fn text_of(path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join(path)).expect(path)
}

/// What a spec wants.
pub(super) fn desired(text: &str) -> Desired {
    let plan = bundled::plan(text);
    let templates = Templates::load(None).expect("templates");
    let requests = target::requests(&plan, target::Options::all(&templates)).expect("requests");
    let mut desired = Desired {
        region: "us-east-1".to_owned(),
        ..Desired::default()
    };
    desired
        .add(&plan.service.name, "spec.yaml", requests)
        .expect("wanted");
    desired
}

/// Somebody with credentials, so many times as fast as AWS allows.
pub(super) fn session(server: &Server, times: u32) -> Session {
    session_at(server.url(), times)
}

pub(super) fn session_at(url: String, times: u32) -> Session {
    let credentials = Credentials::new("AKIDEXAMPLE", "a secret", None, None, "a test");
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(url);
    let pace = Pace {
        times,
        // Long enough for a busy machine: only a server that hangs is to run into it.
        patience: Duration::from_secs(2),
    };
    Session::of(&config.build(), pace).expect("a session")
}

pub(super) fn read(session: &Session, desired: &Desired) -> Result<State, CallError> {
    session.read(desired, &|_, _| ())
}

pub(super) fn apply(
    session: &Session,
    desired: &Desired,
    allowed: Allowed,
) -> Result<(Changes, Outcome), CallError> {
    let state = read(session, desired)?;
    let changes = Changes::between(&state, desired, allowed);
    assert!(changes.problems.is_empty(), "{:?}", changes.problems);
    let outcome = session.apply(waves(&changes, &state, desired), &|_, _| ());
    Ok((changes, outcome))
}

#[track_caller]
pub(super) fn assert_nothing_to_do(session: &Session, desired: &Desired, allowed: Allowed) {
    let changes = Changes::between(&read(session, desired).expect("a state"), desired, allowed);
    assert!(changes.is_empty(), "{:#?}", changes);
    assert_eq!(changes.unchanged.len(), desired.objects.len());
}

const PRUNE: Allowed = Allowed {
    prune: true,
    adopt: false,
};

#[test]
fn what_was_applied_needs_no_change() {
    for path in SPECS {
        let desired = desired(&text_of(path));
        assert!(
            desired.objects.len() > 3,
            "{path}: {}",
            desired.objects.len()
        );
        let server = Server::start();
        let session = session(&server, 200);
        let (changes, outcome) = apply(&session, &desired, PRUNE).expect("a state");
        assert_eq!(
            changes.count(Action::Create),
            desired.objects.len(),
            "{path}"
        );
        assert!(
            outcome.failed.is_empty() && outcome.left.is_empty(),
            "{path}: {:?}",
            outcome.failed
        );
        assert_nothing_to_do(&session, &desired, PRUNE);

        // What the server holds is what the files say.
        let wanted = desired.objects.len();
        let store = server.store();
        assert_eq!(
            store.alarms.len() + store.mutes.len() + store.dashboards.len(),
            wanted,
            "{path}"
        );
    }
}

#[test]
fn all_kinds_are_among_the_fixtures() {
    let all = SPECS.map(|path| desired(&text_of(path)));
    let kinds: BTreeSet<_> = all
        .iter()
        .flat_map(|d| d.objects.values())
        .map(|wanted| wanted.kind)
        .collect();
    assert_eq!(kinds.len(), 4, "{kinds:?}");
    let has = |field: &str| {
        let mut wanted = all.iter().flat_map(|d| d.objects.values());
        wanted.any(|wanted| wanted.fields.get(field).is_some())
    };
    for field in [
        "EvaluationCriteria",
        "ThresholdMetricId",
        "Metrics",
        "ExtendedStatistic",
        "AlarmActions",
        "Dimensions",
    ] {
        assert!(has(field), "{field}");
    }
}

#[test]
fn everything_goes_when_nothing_is_wanted() {
    let desired = desired(&text_of(SPECS[0]));
    let server = Server::start();
    server.store().put_foreign(
        "mangaassist-vllm-not-ours",
        json!({"MetricName": "x", "EvaluationPeriods": 1}),
    );
    let before = server.store().clone();
    let session = session(&server, 200);
    apply(&session, &desired, PRUNE).expect("a state");
    let nothing = Desired {
        objects: Default::default(),
        ..desired.clone()
    };
    // Without being told to, nothing is deleted.
    let (changes, _) = apply(&session, &nothing, Allowed::default()).expect("a state");
    assert_eq!(
        (changes.changes.len(), changes.stale.len()),
        (0, desired.objects.len())
    );
    server.called();
    let (_, outcome) = apply(&session, &nothing, PRUNE).expect("a state");
    assert!(outcome.failed.is_empty(), "{:?}", outcome.failed);
    assert_eq!(*server.store(), before);
}

#[test]
fn an_alarm_of_another_kind_is_replaced() {
    let mut desired = desired(&text_of(SPECS[0]));
    let server = Server::start();
    let session = session(&server, 200);
    apply(&session, &desired, PRUNE).expect("a state");
    // A part of a composite alarm becomes composite itself.
    let parts: Vec<_> = desired
        .objects
        .values()
        .flat_map(|w| slosmith::aws::parts(w.kind, &w.fields))
        .collect();
    let part = desired
        .objects
        .get_mut(&Key::alarm(&parts[0]))
        .expect("a part");
    part.kind = Kind::CompositeAlarm;
    part.fields = json!({"AlarmName": parts[0], "ActionsEnabled": true, "AlarmRule": "FALSE"});
    part.tags
        .insert("slosmith:hash".to_owned(), hash(&part.fields));
    let (changes, outcome) = apply(&session, &desired, PRUNE).expect("a state");
    assert_eq!(changes.count(Action::Replace), 1);
    assert!(outcome.failed.is_empty(), "{:?}", outcome.failed);
    assert_nothing_to_do(&session, &desired, PRUNE);
}

#[test]
fn a_name_that_is_taken_after_the_plan_is_left_alone() {
    let desired = desired(&text_of(SPECS[0]));
    let server = Server::start();
    let session = session(&server, 200);
    let state = read(&session, &desired).expect("a state");
    let changes = Changes::between(&state, &desired, PRUNE);
    let name = "mangaassist-vllm-ttft-median-objective-missed";
    server.store().put_foreign(
        name,
        json!({"MetricName": "theirs", "EvaluationPeriods": 1}),
    );
    let theirs = server.store().alarms[name].clone();
    let outcome = session.apply(waves(&changes, &state, &desired), &|_, _| ());
    let taken = outcome
        .failed
        .iter()
        .any(|(_, error)| *error == CallError::Taken(Key::alarm(name)));
    assert!(taken, "{:?}", outcome.failed);
    assert_eq!(server.store().alarms[name], theirs);
}

#[test]
fn tags_change_without_a_put() {
    let mut desired = desired(&text_of(SPECS[0]));
    let server = Server::start();
    let session = session(&server, 200);
    apply(&session, &desired, PRUNE).expect("a state");
    server.called();
    for wanted in desired.objects.values_mut() {
        wanted.tags.remove("Owner");
        wanted.tags.insert("Team".to_owned(), "chat".to_owned());
    }
    apply(&session, &desired, PRUNE).expect("a state");
    assert!(
        server
            .called()
            .iter()
            .all(|operation| !operation.starts_with("Put"))
    );
    assert_nothing_to_do(&session, &desired, PRUNE);
}

/// So many alarms on one metric.
fn many(count: usize) -> Desired {
    let alarms = (0..count).map(|n| {
        json!({
            "AlarmName": format!("svc-{n:04}"), "Namespace": "N", "MetricName": "m", "Statistic": "Sum", "Period": 60,
            "EvaluationPeriods": 1, "Threshold": n, "ComparisonOperator": "GreaterThanThreshold"
        })
    });
    let requests = Requests {
        alarms: alarms.collect(),
        ..Requests::default()
    };
    let mut desired = Desired::default();
    desired.add("svc", "svc.yaml", requests).expect("wanted");
    desired
}

/// Applies so many alarms at so many times the quotas; how long that took in shares of what the quotas need.
fn share_of_ideal(count: u32, times: u32) -> f64 {
    let desired = many(count as usize);
    let server = Server::start();
    server.limit(f64::from(times));
    let session = session(&server, times);
    let started = Instant::now();
    let (_, outcome) = apply(&session, &desired, PRUNE).expect("a state");
    let took = started.elapsed().as_secs_f64();
    assert_eq!(outcome.done.len(), desired.objects.len());
    let throttled = server
        .called()
        .iter()
        .filter(|operation| operation.starts_with('!'))
        .count();
    assert_eq!(throttled, 0);
    took / (f64::from(count) / f64::from(3 * times))
}

#[test]
#[ignore = "ci"]
fn the_quotas_are_used_and_kept() {
    // On a busy machine calls are late; how close they come to the quotas is measured on request.
    let share = share_of_ideal(60, 5);
    assert!((0.9..4.0).contains(&share), "{share}");
}

#[test]
#[ignore = "[slow] a minute"]
fn a_thousand_alarms_take_as_long_as_the_quotas_want() {
    let share = share_of_ideal(1_000, 6);
    assert!((0.9..1.2).contains(&share), "{share}");
}
