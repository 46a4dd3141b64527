//! An oracle for the generated rules that does not think in PromQL: requests are simulated, what alerts must do follows
//! from the words of the spec, and Prometheus runs the rules on what it would have scraped.

#![allow(
    clippy::disallowed_methods,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test may panic, and makes its files"
)]

mod alarms;
mod alerts;
mod births;
#[path = "../it/bundled.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod bundled;
mod chance;
mod correlated;
mod days;
mod fleet;
mod history;
mod judge;
mod mutants;
mod parity;
mod random;
mod records;
mod scenarios;
mod scrape;
mod situations;
mod still;
#[path = "../cases/trial.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod trial;
mod truth;
mod untested;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    let all = scenarios::trials()
        .into_iter()
        .chain(days::trials())
        .chain(births::trials())
        .chain(situations::trials())
        .chain(still::trials())
        .chain(mutants::trials())
        .chain(random::trials())
        .chain(parity::trials())
        .chain(untested::trials());
    let done = libtest_mimic::run(&arguments, all.collect());
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle.md");
    std::fs::write(&file, judge::table()).expect("the table");
    let file = file.with_file_name("situations.md");
    std::fs::write(&file, situations::table()).expect("the table");
    done.exit_code()
}
