//! The committed output is what the committed specs say.

use std::path::Path;

use clap::Parser;
use slosmith::cli::build::{BuildArgs, run};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: BuildArgs,
}

#[test]
fn generated_is_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let at = |folder: &str| root.join(folder).display().to_string();
    let (specs, out) = (at("specs"), at("generated"));
    let line = ["build", "--check", "--validate", "--out", &out, &specs];
    let mut diff = Vec::new();
    let code = run(&Line::parse_from(line).args, &mut diff).expect("the specs build");
    let diff = String::from_utf8(diff).expect("text");
    assert_eq!(code, 0, "run: cargo run --release -- build\n{diff}");
}
