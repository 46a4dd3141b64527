//! Tests that are found when they run: one for each fixture and each rule file, and those that need a program beside
//! cargo.
//!
//! What a program that is not there would have judged is listed as ignored, and so is what is slow by nature, or left to
//! `.ci/run` and `.ci/more`: `cargo test --test cases -- --ignored` runs it.

#![allow(
    clippy::disallowed_methods,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test may panic, and makes its files"
)]

/// Tests with the names of their functions, by what they need.
macro_rules! trials {
    ($group:literal, $($needs:ident: $($kind:ident $run:ident),+);+ $(;)?) => {
        vec![$($($crate::trial::$kind(
            concat!($group, "::", stringify!($run)),
            $crate::trial::Needs::$needs,
            $run,
        )),+),+]
    };
}

mod boards;
mod browser;
#[path = "../it/bundled.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod bundled;
#[path = "../it/watch/command.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod command;
mod configuration;
mod faults;
mod first_rules;
mod hostile;
mod incidents;
mod kinds;
mod markdown;
mod mutation;
#[path = "../it/project.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod project;
mod promtool;
mod routes;
mod rulers;
mod rules;
#[path = "../it/pages/server.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod server;
mod shells;
mod situations;
mod slis;
mod trial;
mod update;
#[path = "../it/walk.rs"]
#[allow(dead_code, reason = "the page about incidents uses the rest")]
mod walk;
mod watched;
mod wrong;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = libtest_mimic::Arguments::from_args();
    let all = [
        boards::trials(),
        rules::trials(),
        shells::trials(),
        routes::trials(),
        rulers::trials(),
        kinds::trials(),
        wrong::trials(),
        promtool::trials(),
        situations::trials(),
        slis::trials(),
        configuration::trials(),
        mutation::trials(),
        faults::trials(),
        first_rules::trials(),
        hostile::trials(),
        incidents::trials(),
        browser::trials(),
        watched::trials(),
        update::trials(),
    ];
    libtest_mimic::run(&arguments, all.into_iter().flatten().collect()).exit_code()
}
