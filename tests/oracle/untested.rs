//! For how many legitimate alerts no input is found that makes them fire: a build refuses them.

use std::fmt::Write;

use libtest_mimic::Trial;
use slosmith::target::{Target, Untested};

use crate::bundled;
use crate::random::{chance, valid};
use crate::trial::{Needs, slow};

/// Specs that are tried, each with five alerts on conditions.
const SPECS: u64 = 400;
const ALERTS: u64 = 5;

/// Of a thousand alerts, so many may be refused: those whose parts contradict each other.
const MOST: f64 = 10.0;

pub(crate) fn trials() -> Vec<Trial> {
    vec![slow("untested::alerts", Needs::Nothing, few)]
}

fn few() {
    let mut list = String::new();
    let mut count = 0;
    for seed in 0..SPECS {
        // Not the specs of the pairs, which are drawn until every alert can be tested.
        let text = valid(&mut chance(1_000_000 + seed));
        let rendered = bundled::rendered(&bundled::plan(&text), Target::Prometheus);
        for Untested { alert, why } in rendered.untested {
            let line = text.lines().find(|l| l.contains(&format!(" {alert}:")));
            let groups = text.lines().find(|l| l.starts_with("prometheus:"));
            let _ = writeln!(
                list,
                "{seed} {}\n  {}\n  {why}",
                line.unwrap_or(&alert),
                groups.unwrap_or("")
            );
            count += 1;
        }
    }
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("untested.txt");
    std::fs::write(&file, &list).expect("the list");
    let share = 1_000.0 * f64::from(count) / (SPECS * ALERTS) as f64;
    assert!(
        share <= MOST,
        "{count} of {} alerts:\n{list}",
        SPECS * ALERTS
    );
}
