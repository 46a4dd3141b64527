//! Load tests: a page with ready commands, and a k6 script.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::target::{OutFile, TargetError};
use crate::template::Templates;
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::runbook::{Criterion, Limit, LoadTests, Scenario};
use slosmith_spec::spec::Measure;
use slosmith_text::units::{Duration, Number, decimal, printed_float};

const SCRIPT: &str = "load-tests/k6.js";

const TRAFFIC: &str = "load-tests/traffic.jsonl";

pub(super) fn files(
    plan: &Plan,
    tests: &LoadTests,
    templates: &Templates,
) -> Result<Vec<OutFile>, TargetError> {
    let view = view(plan, tests);
    let page = OutFile {
        path: "load-tests.md".to_owned(),
        text: super::tidy(&templates.render("runbook/load-tests.md", &view)?),
    };
    let script = OutFile {
        path: SCRIPT.to_owned(),
        text: templates.render("runbook/k6.js", &script(plan, tests))?,
    };
    Ok([page, script]
        .into_iter()
        .chain(dataset_file(tests))
        .collect())
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
            "note": s.note,
            "sent": sent(tests, s),
            "k6": k6(tests, s),
            "benched": benched(tests, s),
            "command": bench(tests, s),
        })
    });
    let criteria = tests.criteria.iter().map(|c| {
        json!({
            "what": c.words(),
            "pass": c.pass.as_ref().map_or_else(|| rest(c), words),
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
        "counts_oom": tests.criteria.iter().any(|c| c.measure == Measure::OomEvents),
    })
}

/// The other values of a criterion with one limit: `0` where more than 0 fails, because no measure is negative.
fn rest(c: &Criterion) -> String {
    let zero = Number::from_integer(0);
    match &c.fail {
        Some(fail) if fail.above && fail.value == zero => "0".to_owned(),
        _ => "otherwise".to_owned(),
    }
}

fn words(limit: &Limit) -> String {
    let side = if limit.above { ">" } else { "<" };
    format!("{side} {}", limit.text)
}

fn sent(tests: &LoadTests, s: &Scenario) -> String {
    let what = match (s.turns, s.prompt_tokens) {
        (1, None) => "the prompts of the traffic table".to_owned(),
        (1, Some(tokens)) => format!("prompts of {tokens} tokens"),
        (turns, None) => format!("conversations of {turns} turns"),
        (turns, Some(tokens)) => {
            format!("conversations of {turns} turns; the last prompt has {tokens} tokens")
        }
    };
    match tests.warmup {
        Some(warmup) => {
            format!("After a warm-up of {warmup}, which is not measured, k6 sends {what}")
        }
        None => format!("k6 sends {what}"),
    }
}

fn benched(tests: &LoadTests, s: &Scenario) -> String {
    let what = match s.prompt_tokens {
        None => "the prompts of the traffic table".to_owned(),
        Some(tokens) => format!("random prompts of {tokens} tokens"),
    };
    match (s.turns > 1, &tests.system) {
        (true, _) => format!("{what}, one request each: `vllm bench serve` has no conversations"),
        (false, Some(_)) => format!("{what}, without the system prompt"),
        (false, None) => what,
    }
}

fn k6(tests: &LoadTests, s: &Scenario) -> String {
    let name = &s.name;
    let page = shell(&format!("{}/metrics", tests.endpoint));
    let warmup = format!("k6 run -e SCENARIO={name} -e PHASE=warmup {SCRIPT}");
    let mut lines: Vec<String> = tests.warmup.map(|_| warmup).into_iter().collect();
    lines.push(format!("curl -sf {page} > {name}.before.prom"));
    lines.push(format!(
        "k6 run -e SCENARIO={name} --summary-export={name}.k6.json {SCRIPT}"
    ));
    lines.push(format!(
        "slosmith gate {name}.k6.json --spec SPEC --scenario {name} \\\n  --before {name}.before.prom --after {page}{}",
        given(tests, s)
    ));
    lines.join("\n")
}

fn given(tests: &LoadTests, s: &Scenario) -> &'static str {
    let of_scenario = |c: &&Criterion| c.scenario.as_ref().is_none_or(|name| *name == s.name);
    let mut criteria = tests.criteria.iter().filter(of_scenario);
    match criteria.any(|c| c.measure == Measure::OomEvents) {
        true => " \\\n  --given oom_events=COUNT",
        false => "",
    }
}

/// A command line of vLLM's own benchmark, which measures a stream where it arrives.
fn bench(tests: &LoadTests, s: &Scenario) -> String {
    let mut words = vec![
        format!("vllm bench serve {}", api(s)),
        format!(
            "--base-url {} --model {} --tokenizer {}",
            shell(&tests.endpoint),
            shell(&tests.model),
            shell(&tests.tokenizer)
        ),
        dataset(tests, s),
    ];
    if let Some(modules) = modules(tests) {
        words.push(format!("--lora-modules {modules}"));
    }
    words.push(format!(
        "--num-prompts {} --max-concurrency {} --ignore-eos",
        s.requests, s.concurrency
    ));
    if let Some(rate) = s.rate {
        words.push(format!("--request-rate {}", decimal(rate)));
    }
    if let Some(warmup) = tests.warmup {
        // What arrives while the rate rises from 0.
        let risen = s
            .rate
            .map(|rate| (rate * warmup.number() / 2).ceil().to_integer());
        let requests = risen.unwrap_or_else(|| i128::from(s.concurrency));
        words.push(format!("--num-warmups {requests}"));
    }
    words.push(
        "--percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99".to_owned(),
    );
    words.push(format!("--save-result --result-filename {}.json", s.name));
    words.join(" \\\n  ")
}

/// Prompts of a length go to the API that adds nothing to them; texts are chats.
fn api(s: &Scenario) -> &'static str {
    match s.prompt_tokens {
        Some(_) => "--backend openai --endpoint /v1/completions",
        None => "--backend openai-chat --endpoint /v1/chat/completions",
    }
}

fn dataset(tests: &LoadTests, s: &Scenario) -> String {
    let Some(prompt) = s.prompt_tokens else {
        return format!(
            "--dataset-name custom --dataset-path {TRAFFIC} --custom-output-len -1 --skip-chat-template"
        );
    };
    let prefix = match s.shared_prefix {
        0 => String::new(),
        tokens => format!(" --random-prefix-len {tokens}"),
    };
    format!(
        "--dataset-name random --random-input-len {}{prefix} --random-output-len {}",
        prompt.saturating_sub(s.shared_prefix).max(1),
        answer(tests, s)
    )
}

fn answer(tests: &LoadTests, s: &Scenario) -> i128 {
    let each = tests.traffic.iter();
    let mean: Number = each.map(|t| t.share * i128::from(t.max_tokens)).sum();
    match tests.traffic.is_empty() {
        true => i128::from(s.output_tokens),
        false => mean.round().to_integer().max(1),
    }
}

/// Models of the traffic, repeated in proportion to their shares: the benchmark picks one at random.
fn modules(tests: &LoadTests) -> Option<String> {
    let mut shares: IndexMap<&str, Number> = IndexMap::new();
    for t in &tests.traffic {
        *shares.entry(&t.model).or_default() += t.share;
    }
    let times = times(&shares.values().copied().collect::<Vec<_>>());
    let all = shares.keys().zip(times);
    let words = all.flat_map(|(model, times)| vec![shell(model); times]);
    (shares.len() > 1).then(|| words.collect::<Vec<_>>().join(" "))
}

/// How often each of several things occurs in the shortest list that has these shares, to a percent where that is long.
fn times(shares: &[Number]) -> Vec<usize> {
    let whole = shares
        .iter()
        .fold(1_i128, |whole, s| lcm(whole, *s.denom()));
    let whole = if whole > 100 { 100 } else { whole };
    let times: Vec<i128> = shares
        .iter()
        .map(|s| (*s * whole).round().to_integer().max(1))
        .collect();
    let common = times.iter().fold(0, |common, n| gcd(common, *n)).max(1);
    let reduced = times.iter().map(|n| usize::try_from(n / common));
    reduced.map(|n| n.unwrap_or(1)).collect()
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: i128, b: i128) -> i128 {
    a / gcd(a, b).max(1) * b
}

/// The traffic's texts as the benchmark reads them, by their shares.
fn dataset_file(tests: &LoadTests) -> Option<OutFile> {
    let texts = tests.scenarios.iter().any(|s| s.prompt_tokens.is_none());
    let shares: Vec<_> = tests.traffic.iter().map(|t| t.share).collect();
    let all = tests.traffic.iter().zip(times(&shares));
    let lines = all.flat_map(|(t, times)| {
        let line = json!({"prompt": t.prompt, "output_tokens": t.max_tokens});
        vec![format!("{line}\n"); times]
    });
    texts.then(|| OutFile {
        path: TRAFFIC.to_owned(),
        text: lines.collect(),
    })
}

fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[derive(Serialize)]
struct Script<'p> {
    service: &'p str,
    endpoint: &'p str,
    model: &'p str,
    system: &'p str,
    warmup: Option<String>,
    traffic: Vec<Request<'p>>,
    scenarios: Vec<Load<'p>>,
}

#[derive(Serialize)]
struct Load<'p> {
    name: &'p str,
    rate: Option<i128>,
    duration: Option<String>,
    iterations: u64,
    concurrency: u32,
    turns: u32,
    prompt_tokens: Option<u32>,
    shared_prefix: u32,
    output_tokens: u32,
    /// Seconds.
    timeout: i128,
    thresholds: Value,
}

#[derive(Serialize)]
struct Request<'p> {
    share: f64,
    prompt: &'p str,
    max_tokens: u32,
    model: &'p str,
}

fn script<'p>(plan: &'p Plan, tests: &'p LoadTests) -> Script<'p> {
    let traffic = tests.traffic.iter().map(|t| Request {
        share: printed_float(t.share),
        prompt: &t.prompt,
        max_tokens: t.max_tokens,
        model: &t.model,
    });
    Script {
        service: &plan.service.name,
        endpoint: &tests.endpoint,
        model: &tests.model,
        system: tests.system.as_deref().unwrap_or_default(),
        warmup: tests.warmup.map(seconds),
        traffic: traffic.collect(),
        scenarios: tests.scenarios.iter().map(|s| load(tests, s)).collect(),
    }
}

fn load<'p>(tests: &'p LoadTests, s: &'p Scenario) -> Load<'p> {
    let turns = i128::from(s.turns);
    // Conversations of an hour, so that slow ones have a whole number too.
    let rate = s
        .rate
        .map(|rate| (rate * 3_600 / turns).round().to_integer().max(1));
    Load {
        name: &s.name,
        rate,
        duration: s.duration.map(seconds),
        iterations: s.requests.div_ceil(u64::from(s.turns)),
        concurrency: s.concurrency,
        turns: s.turns,
        prompt_tokens: s.prompt_tokens,
        shared_prefix: s.shared_prefix,
        output_tokens: s.output_tokens,
        timeout: timeout(tests, s),
        thresholds: thresholds(tests, s),
    }
}

fn seconds(duration: Duration) -> String {
    format!("{}s", duration.as_secs())
}

/// Seconds until a request times out: a minute and a quarter of a second for each token, and more than every latency
/// limit.
fn timeout(tests: &LoadTests, s: &Scenario) -> i128 {
    let answers = tests.traffic.iter().map(|t| t.max_tokens);
    let longest = i128::from(answers.max().unwrap_or(s.output_tokens));
    let latencies = tests.criteria.iter().filter(|c| c.measure == Measure::E2e);
    let bounds = latencies.flat_map(|c| [&c.pass, &c.fail]).flatten();
    let limits = bounds
        .map(|limit| (limit.value * 2).ceil().to_integer())
        .max();
    (60 + longest.div_euclid(4)).max(limits.unwrap_or(0))
}

/// Thresholds on HTTP measures: k6 fails a run that misses a pass limit or does not create the wanted load.
fn thresholds(tests: &LoadTests, s: &Scenario) -> Value {
    let mut found = serde_json::Map::new();
    found.insert("dropped_iterations".to_owned(), json!(["count==0"]));
    if s.prompt_tokens.is_some() {
        found.insert("prompt_error".to_owned(), json!(["p(95)<0.05"]));
    }
    let own = |c: &&Criterion| c.scenario.as_ref().is_none_or(|name| *name == s.name);
    for c in tests.criteria.iter().filter(own) {
        let name = match c.measure {
            Measure::E2e => "e2e",
            Measure::ErrorRate => "failed",
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
