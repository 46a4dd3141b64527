//! What an upgrade of the default engine adds and takes away, known from released source.

use slosmith::catalog::{Catalog, Release};

/// From, to, added, no longer visible; without the prefix.
type Transition = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const SWAPPED: &[&str] = &[
    "cpu_cache_usage_perc",
    "cpu_prefix_cache_hit_rate",
    "gpu_prefix_cache_hit_rate",
    "lora_requests_info",
    "model_execute_time_milliseconds",
    "model_forward_time_milliseconds",
    "num_requests_swapped",
    "spec_decode_draft_acceptance_rate",
    "spec_decode_efficiency",
    "spec_decode_num_accepted_tokens_total",
    "spec_decode_num_draft_tokens_total",
    "spec_decode_num_emitted_tokens_total",
    "time_in_queue_requests",
    "tokens_total",
];

const PHASES: &[&str] = &[
    "iteration_tokens_total",
    "lora_requests_info",
    "model_execute_time_milliseconds",
    "model_forward_time_milliseconds",
    "request_decode_time_seconds",
    "request_inference_time_seconds",
    "request_max_num_generation_tokens",
    "request_params_max_tokens",
    "request_prefill_time_seconds",
    "request_queue_time_seconds",
    "time_in_queue_requests",
    "tokens_total",
];

const TRANSITIONS: &[Transition] = &[
    (
        "0.4.1",
        "0.4.2",
        &[
            "request_generation_tokens",
            "request_params_best_of",
            "request_params_n",
            "request_prompt_tokens",
            "request_success_total",
        ],
        &[],
    ),
    ("0.4.2", "0.4.3", &["num_preemptions_total"], &[]),
    ("0.4.3", "0.5.0", &[], &[]),
    (
        "0.5.2",
        "0.5.3.post1",
        &[
            "spec_decode_draft_acceptance_rate",
            "spec_decode_efficiency",
            "spec_decode_num_accepted_tokens_total",
            "spec_decode_num_draft_tokens_total",
            "spec_decode_num_emitted_tokens_total",
        ],
        &[],
    ),
    (
        "0.5.4",
        "0.5.5",
        &["cpu_prefix_cache_hit_rate", "gpu_prefix_cache_hit_rate"],
        &[],
    ),
    ("0.6.2", "0.6.3", &[], &["request_params_best_of"]),
    ("0.6.3.post1", "0.6.4.post1", PHASES, &[]),
    (
        "0.6.6.post1",
        "0.7.0",
        &[],
        &[
            "avg_generation_throughput_toks_per_s",
            "avg_prompt_throughput_toks_per_s",
        ],
    ),
    (
        "0.7.3",
        "0.8.0",
        &[
            "gpu_prefix_cache_hits_total",
            "gpu_prefix_cache_queries_total",
        ],
        SWAPPED,
    ),
    (
        "0.8.2",
        "0.8.3",
        &[
            "spec_decode_num_accepted_tokens_total",
            "spec_decode_num_draft_tokens_total",
        ],
        &[],
    ),
    (
        "0.8.4",
        "0.8.5",
        &[],
        &[
            "spec_decode_num_accepted_tokens_total",
            "spec_decode_num_draft_tokens_total",
        ],
    ),
    (
        "0.9.1",
        "0.9.2",
        &[
            "kv_cache_usage_perc",
            "prefix_cache_hits_total",
            "prefix_cache_queries_total",
        ],
        &[],
    ),
    ("0.10.0", "0.10.1.1", &[], &[]),
    ("0.10.1.1", "0.10.2", &["inter_token_latency_seconds"], &[]),
    (
        "0.10.2",
        "0.11.0",
        &["request_time_per_output_token_seconds"],
        &[
            "gpu_cache_usage_perc",
            "gpu_prefix_cache_hits_total",
            "gpu_prefix_cache_queries_total",
        ],
    ),
    (
        "0.11.0",
        "0.11.2",
        &[
            "engine_sleep_state",
            "external_prefix_cache_hits_total",
            "external_prefix_cache_queries_total",
            "mm_cache_hits_total",
            "mm_cache_queries_total",
        ],
        &[],
    ),
    ("0.11.2", "0.12.0", &[], &["time_per_output_token_seconds"]),
    (
        "0.12.0",
        "0.13.0",
        &["request_prefill_kv_computed_tokens"],
        &[],
    ),
    ("0.13.0", "0.14.1", &[], &[]),
    ("0.14.1", "0.15.1", &[], &[]),
    (
        "0.15.1",
        "0.16.0",
        &[
            "prompt_tokens_by_source_total",
            "prompt_tokens_cached_total",
            "prompt_tokens_recomputed_total",
        ],
        &[],
    ),
    (
        "0.16.0",
        "0.17.1",
        &[
            "estimated_flops_per_gpu_total",
            "estimated_read_bytes_per_gpu_total",
            "estimated_write_bytes_per_gpu_total",
        ],
        &[],
    ),
    ("0.17.1", "0.18.1", &[], &[]),
    (
        "0.19.1",
        "0.20.2",
        &["num_requests_waiting_by_reason"],
        &["prompt_tokens_recomputed_total"],
    ),
    ("0.28.0", "0.29.0", &[], &[]),
    ("0.29.0", "0.30.0", &["request_num_preemptions"], &[]),
    ("0.30.0", "0.31.0", &[], &[]),
    (
        "0.31.0",
        "0.32.0",
        &[
            "admission_rejections_total",
            "prompt_tokens_cached_by_source_total",
        ],
        &[],
    ),
    ("0.32.0", "0.33.0", &[], &[]),
];

fn release(version: &str) -> &'static Release {
    let parsed = version.parse().expect(version);
    Catalog::vllm().find_release(&parsed).expect(version)
}

fn shown(release: &'static Release) -> Vec<&'static str> {
    let shown = Catalog::vllm().visible(release, "default");
    shown
        .filter_map(|(family, _)| family.name().strip_prefix("vllm:"))
        .collect()
}

#[test]
fn default_pages_change_as_the_source_does() {
    for (from, to, added, removed) in TRANSITIONS {
        let (old, new) = (shown(release(from)), shown(release(to)));
        let only = |a: &[&'static str], b: &[&str]| -> Vec<&'static str> {
            a.iter().filter(|name| !b.contains(name)).copied().collect()
        };
        assert_eq!(only(&new, &old), *added, "added from {from} to {to}");
        assert_eq!(only(&old, &new), *removed, "gone from {from} to {to}");
    }
}

#[test]
fn the_server_adds_its_families_from_0_8_5() {
    let catalog = Catalog::vllm();
    let lifetime = catalog.first_last("http_requests_total").expect("known");
    assert_eq!(lifetime.first.to_string(), "0.8.5");
}
