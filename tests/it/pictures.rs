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

/// Columns of a picture: a page of the book shows them without making the letters small.
const COLUMNS: usize = 110;

/// Compares `docs/pictures/NAME.svg` with what a command printed, on a terminal of [`COLUMNS`].
pub(crate) fn check(name: &str, command: &str, printed: &str) {
    let text = format!("\u{1b}[1m$ {command}\u{1b}[0m\n{}", printed.trim_end());
    let text = on_a_terminal(&text);
    let svg = Term::new().render_svg(&text);
    update::check(&format!("docs/pictures/{name}.svg"), &svg);
}

/// Long lines go on in the next line; colours and links take no columns.
fn on_a_terminal(text: &str) -> String {
    let (mut out, mut column) = (String::new(), 0);
    // The character that ends a code; a blank while only its begin is known.
    let mut end = None;
    for c in text.chars() {
        end = match end {
            None if c == '\u{1b}' => Some(' '),
            Some(' ') => Some(if c == '[' { 'm' } else { '\\' }),
            end => end,
        };
        if end.is_none() && c != '\n' && column == COLUMNS {
            out.push('\n');
            column = 0;
        }
        out.push(c);
        column = match c {
            '\n' => 0,
            _ => column + usize::from(end.is_none()),
        };
        end = end.filter(|end| *end != c);
    }
    out
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
