//! Tests of alerts on series that are missing.

use super::subject::Subject;
use super::{firing, labels, minutes};
use crate::target::prometheus::annotations;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, Input, Test};
use slosmith_plan::plan::{Absent, Plan};

/// Minutes that series are there before they are gone, as after a first start.
const SEEN: u64 = 5;

/// Minutes that they are gone: longer than any look-back but the memory.
const GONE: u64 = 70;

/// Series stop, are missed until they are back, and not longer.
pub(super) fn test(plan: &Plan, subject: &Subject<'_>, absent: &Absent) -> Option<Test> {
    let family = absent.signal.family()?;
    let set = labels::of(plan, &absent.signal, family);
    let name = format!("{}{}", family.names.newest(), family.counted().suffix());
    let gone = SEEN + 1;
    let (least, most) = (subject.hold.as_secs() / 60, subject.hold.mins_up());
    let (kept, ended) = (subject.keep.as_secs() / 60, subject.keep.mins_up());
    let check = |at, fires| firing(subject.name, &[], at, fires);
    let mut checks = vec![
        check((gone + least).saturating_sub(1), false),
        check(gone + most, true),
    ];
    let pause = GONE + most;
    let back = gone + pause;
    checks.push(check(back + kept - 1, true));
    checks.push(check(back + ended + 1, false));
    let mut expected = subject.labels.clone();
    for label in &absent.query.labels {
        expected.insert(label.clone(), set.get(label)?.clone());
    }
    let expected = annotations::shown_labels(&expected);
    let shown = expected.and_then(|labels| {
        let annotations = subject.annotations.shown(1.0, &labels)?;
        Some((labels, annotations))
    });
    let shown = shown.map(|(expected, annotations)| AlertCheck {
        eval_time: minutes(gone + most),
        alertname: subject.name.to_owned(),
        exp_alerts: vec![ExpectedAlert {
            exp_labels: expected,
            exp_annotations: annotations,
        }],
    });
    let input = Input {
        series: labels::series(&name, &set),
        values: format!("1+0x{SEEN} stale _x{} 1+0x{}", pause - 1, ended + 3),
    };
    let name = "fires while the series are missing";
    Some(Test {
        alert_rule_test: shown.into_iter().collect(),
        ..Test::new(name, minutes(1), vec![input], checks)
    })
}
