//! Load tests: a page with ready commands, and a k6 script for each scenario.

use serde_json::{Value, json};

use crate::plan::Plan;
use crate::plan::runbook::{Criterion, Limit, LoadTests, Scenario};
use crate::spec::Measure;
use crate::target::{OutFile, TargetError};
use crate::template::Templates;
use crate::units::{decimal, printed_float};

/// The page, and the scripts beside it.
///
/// # Errors
/// When a template fails.
pub(super) fn files(
    plan: &Plan,
    tests: &LoadTests,
    templates: &Templates,
) -> Result<Vec<OutFile>, TargetError> {
    let view = view(plan, tests);
    let mut files = vec![OutFile {
        path: "load-tests.md".to_owned(),
        text: super::tidy(&templates.render("runbook/load-tests.md", &view)?),
    }];
    for scenario in &tests.scenarios {
        let view = script(plan, tests, scenario);
        files.push(OutFile {
            path: format!("load-tests/{}.js", scenario.name),
            text: templates.render("runbook/k6.js", &view)?,
        });
    }
    Ok(files)
}

fn view(plan: &Plan, tests: &LoadTests) -> Value {
    let traffic = tests.traffic.iter().map(|t| {
        json!({
            "name": t.name.replace(['-', '_'], " "),
            "share": format!("{}%", decimal(t.share * 100)),
            "prompt": t.prompt,
            "max_tokens": t.max_tokens,
            "model": t.model,
        })
    });
    let scenarios = tests.scenarios.iter().map(|s| {
        json!({
            "name": s.name,
            "validates": s.validates,
            "rate": s.rate.map(|rate| format!("{}/s", decimal(rate))),
            "duration": s.duration.map(|duration| duration.to_string()),
            "requests": s.requests,
            "concurrency": s.concurrency,
            "turns": s.turns,
            "note": s.note,
            "command": bench(tests, s),
        })
    });
    let criteria = tests.criteria.iter().map(|c| {
        json!({
            "what": c.words(),
            "pass": c.pass.as_ref().map_or_else(|| "otherwise".to_owned(), words),
            "fail": c.fail.as_ref().map_or_else(|| "otherwise".to_owned(), words),
            "scenario": c.scenario,
        })
    });
    json!({
        "service": plan.service.name,
        "title": plan.service.title,
        "endpoint": tests.endpoint,
        "traffic": traffic.collect::<Vec<_>>(),
        "scenarios": scenarios.collect::<Vec<_>>(),
        "criteria": criteria.collect::<Vec<_>>(),
    })
}

fn words(limit: &Limit) -> String {
    let side = if limit.above { "above" } else { "below" };
    format!("{side} {}", limit.text)
}

/// A command line of vLLM's own benchmark. It has no conversations: those need the k6 script.
fn bench(tests: &LoadTests, s: &Scenario) -> String {
    let mut words = vec![
        "vllm bench serve --backend openai-chat --endpoint /v1/chat/completions".to_owned(),
        format!(
            "--base-url {} --model {}",
            shell(&tests.endpoint),
            shell(&tests.model)
        ),
        format!(
            "--dataset-name random --random-input-len {} --random-output-len {}",
            s.prompt_tokens.saturating_sub(s.shared_prefix).max(1),
            s.output_tokens
        ),
    ];
    if s.shared_prefix > 0 {
        words.push(format!("--random-prefix-len {}", s.shared_prefix));
    }
    words.push(format!(
        "--num-prompts {} --max-concurrency {}",
        s.requests, s.concurrency
    ));
    if let Some(rate) = s.rate {
        words.push(format!("--request-rate {}", decimal(rate)));
    }
    words.push(
        "--percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99".to_owned(),
    );
    words.push(format!("--save-result --result-filename {}.json", s.name));
    words.join(" \\\n  ")
}

/// A word as a shell reads it.
fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn script(plan: &Plan, tests: &LoadTests, s: &Scenario) -> Value {
    let traffic = tests.traffic.iter().map(|t| {
        json!({
            "share": printed_float(t.share),
            "prompt": t.prompt,
            "max_tokens": t.max_tokens,
            "model": t.model,
        })
    });
    let mut traffic: Vec<_> = traffic.collect();
    if traffic.is_empty() {
        traffic.push(json!({
            "share": 1.0, "prompt": "", "max_tokens": s.output_tokens, "model": tests.model
        }));
    }
    json!({
        "service": plan.service.name,
        "scenario": s.name,
        "validates": s.validates,
        "endpoint": tests.endpoint,
        "rate": s.rate.map(printed_float),
        "duration": s.duration.map(|duration| format!("{}s", duration.as_secs())),
        "requests": s.requests,
        "concurrency": s.concurrency,
        "turns": s.turns,
        "prompt_tokens": s.prompt_tokens,
        "shared_prefix": s.shared_prefix,
        "traffic": traffic,
        "thresholds": thresholds(tests, s),
    })
}

/// Bounds on what k6 measures: a run beyond a pass bound ends with an error.
fn thresholds(tests: &LoadTests, s: &Scenario) -> Value {
    let mut found = serde_json::Map::new();
    let own = |c: &&Criterion| c.scenario.as_ref().is_none_or(|name| *name == s.name);
    for c in tests.criteria.iter().filter(own) {
        let name = match c.measure {
            Measure::Ttft => "ttft",
            Measure::E2e => "e2e",
            Measure::ErrorRate => "http_req_failed",
            _ => continue,
        };
        let scale = if c.measure.is_latency() { 1_000 } else { 1 };
        let Some(pass) = &c.pass else { continue };
        let bound = decimal(pass.value * scale);
        let sign = if pass.above { ">" } else { "<" };
        let stat = match (c.quantile, c.measure.is_latency()) {
            (Some(q), _) => format!("p({})", decimal(q * 100)),
            (None, true) => "avg".to_owned(),
            (None, false) => "rate".to_owned(),
        };
        let text = json!(format!("{stat}{sign}{bound}"));
        let list = found.entry(name).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(text);
        }
    }
    Value::Object(found)
}
