//! Tests of alerts on series that are missing.

use super::subject::Subject;
use super::{SHORT_MEMORY, firing, labels, minutes};
use crate::target::prometheus::annotations;
use crate::target::prometheus::view::{AlertCheck, ExpectedAlert, Input, Test};
use slosmith_plan::plan::{Absent, Plan};

/// Minutes that series are there before they are gone, as after a first start.
const SEEN: u64 = 5;

/// Minutes that they are gone where the memory of the alert is longer than a test: longer than any look-back but the memory.
const GONE: u64 = 70;

/// Series stop, are missed until they are back, and not longer. When their labels are forgotten, an alert without labels
/// takes over.
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
    let mut pause = GONE + most;
    if let Some(memory) = absent.memory.filter(|memory| *memory <= SHORT_MEMORY) {
        let mut own = absent.query.labels.iter();
        let label = own.find(|label| !subject.labels.contains_key(*label))?;
        let value = set.get(label)?;
        let (whole, forgotten) = (memory.as_secs() / 60, memory.mins_up());
        // The sample at the start of a window counts in Prometheus 2 alone.
        let last = (gone + whole)
            .checked_sub(2)
            .filter(|last| *last >= gone + most)?;
        let labelled = |at, fires| firing(subject.name, &[(label, value)], at, fires);
        checks.push(labelled(last, true));
        checks.push(labelled(gone + forgotten + ended + 1, false));
        pause = forgotten + ended + most + 2;
    }
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
