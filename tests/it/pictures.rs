//! The pictures of the docs: what commands print, with its colours.

use anstyle_svg::Term;

use crate::project::Project;
use crate::update;

/// An old rule file: a renamed family, and a gauge that is gone.
const RULES: &str = "\
groups:
  - name: vllm
    rules:
      - alert: TTFTHigh
        expr: histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 2
        annotations: {runbook_url: https://runbooks.example/ttft}
      - alert: CacheFull
        expr: vllm:gpu_cache_usage_perc > 0.95
        annotations: {runbook_url: https://runbooks.example/cache}
      - alert: QueueGrows
        expr: rate(vllm:num_requests_waiting[5m]) > 1
        annotations: {runbook_url: https://runbooks.example/queue}
";

/// Compares `docs/pictures/NAME.svg` with what a command printed.
pub(crate) fn check(name: &str, command: &str, printed: &str) {
    let text = format!("\u{1b}[1m$ {command}\u{1b}[0m\n{}", printed.trim_end());
    let svg = Term::new().render_svg(&text);
    update::check(&format!("docs/pictures/{name}.svg"), &svg);
}

#[test]
fn lint() {
    let project = Project::empty();
    project.write("rules.yaml", RULES);
    let arguments = ["lint", "rules.yaml", "--vllm", "0.33.0"];
    let ran = project.run(&[&arguments[..], &["--color", "always"]].concat());
    check(
        "lint",
        &format!("slosmith {}", arguments.join(" ")),
        &(ran.out + &ran.err),
    );
}

#[test]
fn drift() {
    let project = Project::empty();
    project.write("rules.yaml", RULES);
    let arguments = ["drift", "--from", "0.10.2", "--to", "0.33.0", "rules.yaml"];
    let ran = project.run(&[&arguments[..], &["--color", "always"]].concat());
    check(
        "drift",
        &format!("slosmith {}", arguments.join(" ")),
        &(ran.out + &ran.err),
    );
}
