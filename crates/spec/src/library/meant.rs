//! The library signal that somebody probably meant: by its family's name, by a slip, or by what it measures.

use super::{PREFIX, families, names, of_others};
use slosmith_catalog::{Catalog, split_series};
use slosmith_text::diag::nearest;

/// The field's words for what our signals' names say.
const ALSO: &[(&str, &str)] = &[
    ("ttft", "time_to_first_token"),
    ("itl", "inter_token_latency"),
    ("tbt", "inter_token_latency"),
    ("time_between_tokens", "inter_token_latency"),
    ("tpot", "request_time_per_output_token"),
    ("e2e_latency", "e2e_request_latency"),
    ("end_to_end_latency", "e2e_request_latency"),
    ("latency", "e2e_request_latency"),
    ("request_latency", "e2e_request_latency"),
    ("queue_depth", "requests_waiting"),
    ("queue_length", "requests_waiting"),
    ("queue_size", "requests_waiting"),
    ("queued_requests", "requests_waiting"),
    ("pending_requests", "requests_waiting"),
    ("wait_time", "request_queue_time"),
    ("active_requests", "requests_running"),
    ("concurrency", "requests_running"),
    ("batch_size", "requests_running"),
    ("gpu_cache", "kv_cache"),
    ("gpu_cache_usage", "kv_cache_usage"),
    ("cache_usage", "kv_cache_usage"),
    ("utilization", "usage"),
    ("cache_hit_rate", "prefix_cache_hit_rate"),
    ("hit_rate", "prefix_cache_hit_rate"),
    ("hit_ratio", "prefix_cache_hit_rate"),
    ("throughput", "generation_tokens"),
    ("tokens_per_second", "generation_tokens"),
    ("output_tokens", "generation_tokens"),
    ("completion_tokens", "generation_tokens"),
    ("input_tokens", "prompt_tokens"),
    ("rps", "requests_finished"),
    ("qps", "requests_finished"),
    ("request_rate", "requests_finished"),
    ("completed_requests", "requests_finished"),
    ("successful_requests", "requests_finished"),
    ("request_success", "requests_finished"),
    ("evictions", "preemptions"),
    ("errors", "http_errors"),
    ("error_rate", "http_errors"),
    ("5xx", "http_errors"),
    ("acceptance_rate", "spec_decode_acceptance_rate"),
    ("speculative", "spec_decode"),
    ("adapters", "lora_requests_info"),
    ("rejected", "admission_rejections"),
];

/// Of all words of both names, the share that both have from which on one is taken for the other.
const ALIKE: (usize, usize) = (3, 5);

/// The signal that was probably meant by `name`, with prefix; none when nothing is near.
pub fn meant(name: &str) -> Option<String> {
    if let Some(found) = of_another_server(name) {
        return Some(found);
    }
    let all = names();
    let bare = name.strip_prefix(PREFIX).unwrap_or(name);
    let known = || all.iter().filter_map(|name| name.strip_prefix(PREFIX));
    let ours = long(bare);
    let found = known()
        .find(|name| *name == ours)
        .or_else(|| by_family(bare, known()))
        .or_else(|| nearest(bare, known()).filter(|found| is_slip(name, found)))
        .or_else(|| by_words(&ours, known()))?;
    Some(format!("{PREFIX}{found}"))
}

/// The signal of a server other than vLLM: by its metric, or by the name after the server's.
fn of_another_server(name: &str) -> Option<String> {
    let all: Vec<_> = of_others().map(|(_, signal)| signal).collect();
    let (base, _) = split_series(name);
    let reads = |signal: &&String| {
        families(signal)
            .iter()
            .any(|family| is_counter_or_family(family, base))
    };
    if let Some(found) = all.iter().find(reads) {
        return Some(found.clone());
    }
    let (server, bare) = name.split_once('.')?;
    let begins = |signal: &&String| signal.split('.').next() == Some(server);
    let known: Vec<_> = all.iter().filter(begins).collect();
    if known.is_empty() {
        let found = nearest(name, all.iter().map(String::as_str))?;
        return (!name.starts_with(PREFIX) && is_slip(name, found)).then(|| found.to_owned());
    }
    let known = || {
        known
            .iter()
            .filter_map(|signal| signal.strip_prefix(&format!("{server}.")))
    };
    let ours = long(bare);
    let found = known()
        .find(|signal| *signal == ours)
        .or_else(|| nearest(bare, known()))?;
    Some(format!("{server}.{found}"))
}

/// True where a name is near enough to a signal's to be that name, mistyped. One without the prefix is more often the
/// author's own: `requests` is not `vllm.request_n`.
fn is_slip(name: &str, found: &str) -> bool {
    const LETTERS_PER_SLIP: usize = 6;
    name.starts_with(PREFIX)
        || strsim::osa_distance(name, found) <= name.chars().count() / LETTERS_PER_SLIP
}

/// `vllm:num_requests_waiting`, `num_requests_waiting` and `gpu_cache_usage_perc` are names of families, old or new.
fn by_family<'a>(name: &str, mut known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let catalog = Catalog::vllm();
    let prefix = catalog.prefix();
    let name = name.strip_prefix(prefix).unwrap_or(name);
    let (base, _) = split_series(name);
    let newest = [name, base].map(|name| {
        let name = format!("{prefix}{name}");
        let newest = catalog.lineage().successor(&name).map(str::to_owned);
        newest.unwrap_or(name)
    });
    known.find(|signal| match families(&format!("{PREFIX}{signal}"))[..] {
        [family] => newest.iter().any(|name| is_counter_or_family(family, name)),
        _ => false,
    })
}

fn is_counter_or_family(family: &str, name: &str) -> bool {
    family == name || family.strip_suffix("_total") == Some(name)
}

/// The signal whose name shares most words with `name`.
fn by_words<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let asked: Vec<_> = words(name).collect();
    let mut best = None;
    for signal in known {
        let named: Vec<_> = words(signal).collect();
        let shared = named.iter().filter(|word| asked.contains(word)).count();
        let all = named.len() + asked.len() - shared;
        let (part, whole) = ALIKE;
        let better = best.is_none_or(|(s, a, _)| shared * a > s * all);
        if shared * whole >= part * all && better {
            best = Some((shared, all, signal));
        }
    }
    best.map(|(.., signal)| signal)
}

/// The name with the field's words in our own ones; the longest phrase counts.
fn long(name: &str) -> String {
    let padded = format!("_{name}_");
    let inside = |short: &str| padded.contains(&format!("_{short}_"));
    let phrases = ALSO.iter().filter(|(short, _)| inside(short));
    match phrases.max_by_key(|(short, _)| short.len()) {
        Some((short, long)) => {
            let ours = padded.replace(&format!("_{short}_"), &format!("_{long}_"));
            ours.trim_matches('_').to_owned()
        }
        None => name.to_owned(),
    }
}

/// Words without percentiles and units, which are not part of a signal's name.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let said_elsewhere = |word: &&str| {
        let percentile = word
            .strip_prefix('p')
            .is_some_and(|digits| digits.parse::<u32>().is_ok());
        percentile
            || matches!(
                *word,
                "" | "seconds" | "ms" | "total" | "count" | "num" | "vllm"
            )
    };
    name.split(['_', '.', ':', '-'])
        .filter(move |word| !said_elsewhere(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_leads_to_a_signal_or_a_part_of_one() {
        let names = names().join(" ");
        for (short, name) in ALSO {
            assert!(names.contains(name), "{short}: {name}");
        }
    }

    #[test]
    fn what_people_write() {
        for (written, meant_name) in [
            ("vllm.ttft", "time_to_first_token"),
            ("vllm.ttft_p95", "time_to_first_token"),
            ("ttft_seconds", "time_to_first_token"),
            ("vllm.tpot", "request_time_per_output_token"),
            ("vllm.queue_depth", "requests_waiting"),
            ("vllm:num_requests_waiting", "requests_waiting"),
            ("vllm.num_requests_waiting", "requests_waiting"),
            ("vllm.gpu_cache_usage_perc", "kv_cache_usage"),
            ("vllm.gpu_cache_usage", "kv_cache_usage"),
            ("vllm.gpu_prefix_cache_hit_rate", "prefix_cache_hit_rate"),
            ("vllm.time_to_frist_token", "time_to_first_token"),
            ("vllm.request_waiting", "requests_waiting"),
            ("vllm.time_per_output_token_seconds", "inter_token_latency"),
            ("vllm.prompt_tokens_total", "prompt_tokens"),
            ("vllm.request_success", "requests_finished"),
            ("vllm.output_tokens", "generation_tokens"),
            (
                "vllm.speculative_acceptance_rate",
                "spec_decode_acceptance_rate",
            ),
        ] {
            let found = meant(written);
            assert_eq!(found, Some(format!("{PREFIX}{meant_name}")), "{written}");
        }
    }

    #[test]
    fn nothing_is_made_up() {
        for name in [
            "vllm.gpu_temperature",
            "checkout_total",
            "vllm.x",
            "oom",
            "requests",
        ] {
            assert_eq!(meant(name), None, "{name}");
        }
    }
}
