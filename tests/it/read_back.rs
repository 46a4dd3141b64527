//! Whatever a person writes in a spec, the files say the same: a build relies on it where it does not read
//! its own files back.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::target::{self, Target};
use slosmith::template::Templates;

/// A spec with these texts, in places that go to rules, tests and dashboards.
fn spec([title, owner, summary, value]: &[String; 4], description: &str) -> String {
    let quoted = |text: &str| serde_json::to_string(text).expect("text");
    let spec = include_str!("build/spec.yaml").replace("{name: NAME, owner: team}", "SERVICE");
    let service = format!(
        "{{name: svc, title: {}, owner: {}}}",
        quoted(title),
        quoted(owner)
    );
    let texts = format!(
        "summary: {}\n    description: {}\n    action: {}\n",
        quoted(summary),
        quoted(description),
        quoted(title)
    );
    spec.replace("SERVICE", &service)
        .replace("summary: Requests wait too long\n", &texts)
        .replace(
            "signals:\n",
            "cloudwatch: {region: us-east-1, namespace: A/B, via: agent}\nsignals:\n",
        )
        .replace("has_labels: [code]", "has_labels: [code, note]")
        .replace(
            "requests_total}}",
            &format!(
                "requests_total}}, where: {{note: {{is: {}}}}}}}",
                quoted(value)
            ),
        )
}

/// Text, and much of what YAML takes for something else.
fn text() -> impl Strategy<Value = String> {
    let odd = "[-?:,\\[\\]{}#&*!|>'\"%@` ~=a1.]{1,8}";
    let words = "(true|no|null|~|0x1f|1e3|12:30|- a|a: b|a #b|---|\\.\\.\\.|<<|=|1h|'|\"|\\\\|/x)";
    prop_oneof!["[ -~]{1,30}", odd, words]
}

/// The same, and several lines.
fn lines() -> impl Strategy<Value = String> {
    prop_oneof![text(), "[a-z]{1,5}\n [ -~]{0,9}\n\n[ -~]{1,9}"]
}

/// Each target renders this many random specs, and reads its files back.
fn files_say_it(cases: u32) {
    let texts = (prop::array::uniform4(text()), lines());
    let config = ProptestConfig {
        source_file: Some(file!()),
        ..ProptestConfig::with_cases(cases)
    };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&texts, |(texts, lines)| {
        let text = spec(&texts, &lines);
        let document = slosmith::spec::read(FileId(0), &text);
        prop_assume!(document.is_ok());
        let document = document.expect("a spec");
        let plan = resolve(&document, Options::default());
        prop_assume!(plan.is_ok());
        let (plan, _) = plan.expect("a plan");
        let templates = Templates::load(None).expect("templates");
        for target in Target::ALL {
            let rendered = target::render(&plan, target, target::Options::all(&templates));
            prop_assert!(rendered.is_ok(), "{}\n{text}", rendered.expect_err("wrong"));
        }
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn files_of_some_specs_say_what_the_spec_says() {
    files_say_it(12);
}

#[test]
#[ignore = "ci"]
fn files_say_what_the_spec_says() {
    files_say_it(64);
}
