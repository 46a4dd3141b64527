//! `slosmith catalog` as people see it.

use clap::Parser;
use slosmith::cli::catalog::{CatalogArgs, run};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: CatalogArgs,
}

fn answer(words: &[&str]) -> String {
    let line = Line::parse_from(std::iter::once(&"catalog").chain(words));
    let mut out = Vec::new();
    match run(&line.args, &mut out) {
        Ok(0) => String::from_utf8(out).expect("text"),
        Ok(code) => format!("exit {code}"),
        Err(error) => format!("error: {error:#}"),
    }
}

macro_rules! shows {
    ($($name:ident: $words:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(answer(&$words));
        }
    )*};
}

shows! {
    list: ["list"];
    list_release: ["list", "--release", "0.10.2"];
    list_profile: ["list", "--release", "0.33.0", "--profile", "kv-simple-cpuoffload"];
    list_unrecorded: ["list", "--release", "0.14.0"];
    list_unknown_profile: ["list", "--release", "0.12.0", "--profile", "lor"];
    show_renamed: ["show", "vllm:time_per_output_token_seconds"];
    show_new_name: ["show", "vllm:kv_cache_usage_perc"];
    show_series: ["show", "vllm:nixl_xfer_time_seconds_bucket"];
    show_values: ["show", "vllm:request_success_total"];
    show_shape: ["show", "vllm:gpu_prefix_cache_hit_rate"];
    show_split: ["show", "vllm:kv_offload_size"];
    show_foreign: ["show", "vllm:current_qps"];
    show_filled: ["show", "vllm:hisparse_cache_hits_total"];
    show_lmcache: ["show", "lmcache:num_hit_tokens_total"];
    show_unknown: ["show", "vllm_num_preemptions"];
    show_json: ["show", "vllm:gpu_cache_usage_perc", "--format", "json"];
    diff: ["diff", "0.10.2", "0.12.0"];
    diff_engines: ["diff", "0.7.3", "0.8.0"];
    diff_labels: ["diff", "0.12.0", "0.17.1"];
    diff_nothing: ["diff", "0.5.0", "0.5.1"];
    diff_json: ["diff", "0.12.0", "0.13.0", "--format", "json"];
}
