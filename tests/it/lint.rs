//! `slosmith lint`, `drift`, `explain` and `catalog record` as a person runs them.

mod baseline;
mod bundled;
mod drift;
mod fixing;
mod formats;
mod own;
mod runs;

/// One rule file with one alert per expression, whose runbook is elsewhere.
pub(crate) fn rules(expressions: &[&str]) -> String {
    let mut text = "groups:\n  - name: vllm\n    rules:\n".to_owned();
    for (i, expr) in expressions.iter().enumerate() {
        text.push_str(&format!(
            "      - alert: A{i}\n        expr: {expr}\n        annotations:\n          runbook_url: https://wiki.example/a\n"
        ));
    }
    text
}
