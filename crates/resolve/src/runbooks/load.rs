//! Load tests: scenarios with all defaults filled in, and limits in base units.

use crate::bound::wrong_unit;
use crate::context::Context;
use slosmith_plan::plan::runbook::{Criterion, Limit, LoadTests, Scenario, Traffic};
use slosmith_spec::spec::{self, Measure, Stat, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Spanned;
use slosmith_text::units::{Number, Quantity, Unit};

const PROMPT: u32 = 512;
const OUTPUT: u32 = 256;

pub(super) fn resolve(cx: &mut Context<'_>) -> Option<LoadTests> {
    let tests = cx.spec.beta.load_tests.as_ref()?;
    let mut traffic = Vec::new();
    for (name, of) in &tests.traffic {
        let share = ratio(cx, &of.share)?;
        let model = of.model.as_ref().unwrap_or(&tests.model);
        traffic.push(Traffic {
            name: name.value.clone(),
            share,
            prompt: of.prompt.value.clone(),
            max_tokens: of.max_tokens.value,
            model: model.value.clone(),
        });
    }
    let whole: Number = traffic.iter().map(|t| t.share).sum();
    if let Some(first) = tests.traffic.keys().next()
        && whole != Number::from_integer(1)
    {
        let message = format!(
            "the shares of `traffic` must add up to 100%; found {}%",
            slosmith_text::units::decimal(whole * 100)
        );
        let error = Diagnostic::error("bad-table", first.span, message);
        cx.sink.push(error);
    }
    let longest = longest(cx.spec);
    let scenarios: Vec<_> = tests
        .scenarios
        .iter()
        .filter_map(|(name, s)| {
            let of = scenario(cx, name, s, tests)?;
            fits(cx, name, (s, &of), &traffic, longest.as_ref());
            Some(of)
        })
        .collect();
    let criteria = tests
        .criteria
        .iter()
        .filter_map(|(name, c)| criterion(cx, name, c, tests))
        .collect();
    Some(LoadTests {
        model: tests.model.value.clone(),
        endpoint: tests.endpoint.value.trim_end_matches('/').to_owned(),
        tokenizer: tests
            .tokenizer
            .as_ref()
            .unwrap_or(&tests.model)
            .value
            .clone(),
        system: super::text(tests.system.as_ref()),
        warmup: tests.warmup.map(|warmup| warmup.value),
        traffic,
        scenarios,
        criteria,
    })
}

fn ratio(cx: &mut Context<'_>, quantity: &Spanned<Quantity>) -> Option<Number> {
    match quantity.value.ratio() {
        Ok(value) => Some(value),
        Err(mismatch) => {
            cx.sink.push(wrong_unit(quantity.span, mismatch));
            None
        }
    }
}

fn longest(spec: &spec::Spec) -> Option<(String, u32)> {
    let advised = spec.beta.advice.iter().flat_map(|(name, advice)| {
        let settings = advice.settings.iter();
        settings.filter_map(move |(setting, value)| {
            let plain = setting.value.trim_start_matches('-').replace('-', "_");
            let tokens = value.value.value.parse().ok()?;
            (plain == "max_model_len").then(|| (format!("advice.{name}"), tokens))
        })
    });
    advised.max_by_key(|(_, tokens)| *tokens)
}

fn fits(
    cx: &mut Context<'_>,
    name: &Text,
    (written, s): (&spec::Scenario, &Scenario),
    traffic: &[Traffic],
    longest: Option<&(String, u32)>,
) {
    let Some(prompt) = s.prompt_tokens else {
        return;
    };
    let at = written
        .prompt_tokens
        .map_or(name.span, |tokens| tokens.span);
    let answers = traffic.iter().map(|t| t.max_tokens);
    let answer = answers.max().unwrap_or(s.output_tokens);
    if s.shared_prefix >= prompt {
        let message = format!(
            "the shared prefix of `{name}` ({} tokens) must be shorter than its prompts ({prompt} tokens)",
            s.shared_prefix
        );
        let error = Diagnostic::error("contradiction", at, message);
        let help = "increase `prompt_tokens`: the shared prefix is a part of each prompt";
        cx.sink.push(error.help(help));
    }
    let Some((setting, most)) = longest else {
        return;
    };
    if prompt.saturating_add(answer) > *most {
        let message = format!(
            "`{name}` needs {prompt} prompt tokens and {answer} output tokens, but `{setting}` sets `max_model_len` to {most}"
        );
        let error = Diagnostic::error("contradiction", at, message);
        let help = match most.checked_sub(answer).filter(|left| *left > 0) {
            Some(left) => {
                format!("use at most {left} prompt tokens: vLLM rejects longer requests")
            }
            None => "reduce the output tokens: vLLM rejects longer requests".to_owned(),
        };
        cx.sink.push(error.help(help));
    }
}

fn scenario(
    cx: &mut Context<'_>,
    name: &Text,
    s: &spec::Scenario,
    tests: &spec::LoadTests,
) -> Option<Scenario> {
    cx.check_name(name, true);
    let rate = match &s.rate {
        None => None,
        Some(rate) => match rate.value.of(Unit::Requests, true) {
            Ok(value) => {
                let per = rate.value.per().map_or(1, |per| i128::from(per.seconds));
                Some(value / per)
            }
            Err(mismatch) => {
                cx.sink.push(wrong_unit(rate.span, mismatch));
                return None;
            }
        },
    };
    let counted = s.requests.map(|requests| u64::from(requests.value));
    let timed = rate.zip(s.duration).map(|(rate, duration)| {
        let all = (rate * duration.value.number()).round().to_integer();
        u64::try_from(all).unwrap_or_default()
    });
    let Some(requests) = counted.or(timed).filter(|n| *n > 0) else {
        let message = format!("`{name}` does not set the number of requests");
        let error = Diagnostic::error("missing-field", name.span, message);
        let help = "add `requests: 500`, or `rate: 10/s` with `duration: 5m`";
        cx.sink.push(error.help(help));
        return None;
    };
    let or = |value: Option<Spanned<u32>>, usual: u32| value.map_or(usual, |v| v.value);
    Some(Scenario {
        name: name.value.clone(),
        validates: s.validates.value.clone(),
        rate,
        duration: s.duration.map(|duration| duration.value),
        requests,
        concurrency: s.concurrency.value.max(1),
        prompt_tokens: match s.prompt_tokens {
            None if !tests.traffic.is_empty() && s.shared_prefix.is_none() => None,
            tokens => Some(or(tokens, PROMPT)),
        },
        output_tokens: or(s.output_tokens, OUTPUT),
        shared_prefix: or(s.shared_prefix, 0),
        turns: or(s.turns, 1).max(1),
        note: super::text(s.note.as_ref()),
    })
}

/// What a measure counts in, and whether it is a rate.
fn unit(measure: Measure) -> (Unit, bool) {
    match measure {
        Measure::Ttft | Measure::Tpot | Measure::Itl | Measure::E2e => (Unit::Seconds, false),
        Measure::ErrorRate | Measure::PrefixCacheHitRate => (Unit::Ratio, false),
        Measure::RequestThroughput => (Unit::Requests, true),
        Measure::OutputThroughput => (Unit::Tokens, true),
        Measure::OomEvents => (Unit::Count, false),
    }
}

fn criterion(
    cx: &mut Context<'_>,
    name: &Text,
    c: &spec::Criterion,
    tests: &spec::LoadTests,
) -> Option<Criterion> {
    let measure = c.measure.value;
    let latency = unit(measure).0 == Unit::Seconds;
    let quantile = match c.stat {
        Some(stat) => match (stat.value, latency) {
            (Stat::Quantile(q), true) => Some(q),
            (Stat::Avg, true) => None,
            _ => {
                let message = "`stat` must be a percentile or `avg`, and needs a latency measure";
                cx.sink
                    .push(Diagnostic::error("wrong-stat", stat.span, message));
                return None;
            }
        },
        None if latency => {
            let message = format!("`{name}` lacks the field `stat`");
            let error = Diagnostic::error("missing-field", c.measure.span, message);
            cx.sink
                .push(error.help("add a percentile, such as `stat: p99`"));
            return None;
        }
        None => None,
    };
    if let Some(scenario) = &c.scenario
        && !tests.scenarios.contains_key(scenario.value.as_str())
    {
        let known = tests.scenarios.keys().map(|k| k.value.as_str());
        let help = slosmith_text::diag::did_you_mean(&scenario.value, known);
        let message = format!("unknown scenario `{scenario}`");
        let error = Diagnostic::error("unknown-name", scenario.span, message);
        cx.sink.push(error.maybe_help(help));
    }
    let pass = limit(cx, measure, c.pass_above.as_ref(), c.pass_below.as_ref());
    let fail = limit(cx, measure, c.fail_above.as_ref(), c.fail_below.as_ref());
    if pass.is_none() && fail.is_none() {
        let message = format!("`{name}` has neither a pass limit nor a fail limit");
        let error = Diagnostic::error("missing-field", name.span, message);
        cx.sink
            .push(error.help("add `pass_below: …` and `fail_above: …`, or the other way round"));
        return None;
    }
    if let (Some(pass), Some(fail)) = (&pass, &fail) {
        let crossed = match (pass.above, fail.above) {
            (false, true) => fail.value < pass.value,
            (true, false) => fail.value > pass.value,
            _ => true,
        };
        if crossed {
            let message = format!("`{name}` would pass and fail at the same time");
            let error = Diagnostic::error("contradiction", name.span, message);
            cx.sink.push(
                error.help(
                    "pass below one limit and fail above a higher one, or the other way round",
                ),
            );
        }
    }
    doubt_limit(cx, c, quantile, pass.as_ref());
    Some(Criterion {
        name: name.value.clone(),
        measure,
        quantile,
        scenario: super::text(c.scenario.as_ref()),
        pass,
        fail,
    })
}

/// Warns of a criterion that passes a server that misses the SLO on the same latency.
fn doubt_limit(
    cx: &mut Context<'_>,
    c: &spec::Criterion,
    quantile: Option<Number>,
    pass: Option<&Limit>,
) {
    let signal = match c.measure.value {
        Measure::Ttft => "vllm.time_to_first_token",
        Measure::Tpot => "vllm.request_time_per_output_token",
        Measure::Itl => "vllm.inter_token_latency",
        Measure::E2e => "vllm.e2e_request_latency",
        _ => return,
    };
    let Some(pass) = pass.filter(|pass| !pass.above) else {
        return;
    };
    let promised = cx.spec.slos.iter().find_map(|(name, slo)| {
        let latency = &slo.sli.value.latency.as_ref()?.value;
        let at_most = latency.at_most.value.of(Unit::Seconds, false).ok()?;
        // Where a lower percentile is above the threshold, more than the allowed share is.
        let is_within = quantile? <= slo.objective.value.ratio().ok()?;
        let is_missed = latency.signal.value == signal && is_within && at_most < pass.value;
        is_missed.then_some((name, &latency.at_most))
    });
    if let Some(((name, at_most), below)) = promised.zip(c.pass_below.as_ref()) {
        let message =
            format!("the test passes up to {below}, and the SLO `{name}` allows {at_most}");
        let warning = Diagnostic::warning("contradiction", below.span, message)
            .related(at_most.span, "the SLO's threshold");
        cx.sink
            .push(warning.help(format!("write `pass_below: {at_most}` or less")));
    }
}

fn limit(
    cx: &mut Context<'_>,
    measure: Measure,
    above: Option<&Spanned<Quantity>>,
    below: Option<&Spanned<Quantity>>,
) -> Option<Limit> {
    let quantity = above.or(below)?;
    let (unit, rate) = unit(measure);
    match quantity.value.of(unit, rate) {
        Ok(value) => {
            let per = quantity
                .value
                .per()
                .map_or(1, |per| i128::from(per.seconds));
            Some(Limit {
                above: above.is_some(),
                value: value / per,
                text: quantity.to_string(),
            })
        }
        Err(mismatch) => {
            cx.sink.push(wrong_unit(quantity.span, mismatch));
            None
        }
    }
}
