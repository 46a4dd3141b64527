//! What the catalog answers.

use slosmith::catalog::lineage::Replacement;
use slosmith::catalog::{Answer, Catalog, Coverage, Range, Selection, Series};

fn select(range: &str) -> Selection {
    let range = Range::parse(range).expect(range);
    Catalog::vllm().select(&range).expect("releases")
}

fn coverage(name: &str, range: &str) -> Coverage {
    Catalog::vllm().coverage(name, &select(range), &["default"])
}

fn words(coverage: &Coverage) -> (String, String) {
    let catalog = Catalog::vllm();
    (
        catalog.describe(&coverage.present),
        catalog.describe(&coverage.absent),
    )
}

#[test]
fn ranges_stand_for_recorded_releases() {
    let catalog = Catalog::vllm();
    let range = select(">=0.20, <0.34");
    assert_eq!(catalog.describe(&range.releases), "0.20.2–0.33.0");
    assert!(range.notes.is_empty());
    let open = select(">=0.30");
    assert_eq!(
        open.notes,
        ["`>=0.30` has no upper limit: checked up to 0.33.0, the newest recorded release"]
    );
    assert_eq!(
        catalog.describe(&select("==0.10.*").releases),
        "0.10.0–0.10.2"
    );
    assert_eq!(catalog.describe(&select("0.12").releases), "0.12.0");
    let newer = select("0.40.0");
    assert_eq!(
        newer.notes,
        ["vLLM 0.40.0 is newer than every recording: checked against 0.33.0"]
    );
}

#[test]
fn a_range_without_a_recording_names_the_nearest() {
    let fault = |range: &str| {
        let range = Range::parse(range).expect(range);
        Catalog::vllm()
            .select(&range)
            .expect_err("nothing")
            .to_string()
    };
    assert_eq!(
        [">=0.14.2, <0.15", ">0.40", "0.1.0"].map(fault),
        [
            "no recorded vLLM release is in `>=0.14.2, <0.15`; nearest: 0.14.1 and 0.15.1",
            "no recorded vLLM release is in `>0.40`; nearest: 0.33.0",
            "no recorded vLLM release is in `0.1.0`; nearest: 0.2.7",
        ]
    );
}

#[test]
fn coverage_follows_renames_hiding_and_profiles() {
    let old = coverage("vllm:gpu_cache_usage_perc", ">=0.9, <0.13");
    assert_eq!(
        words(&old),
        ("0.9.0.1–0.10.2".into(), "0.11.0–0.12.0".into())
    );
    assert_eq!(
        (old.only_in_profiles, old.answer),
        (vec!["hidden".to_owned()], Answer::Recorded)
    );
    let lora = coverage("vllm:lora_requests_info", "0.33.0");
    assert_eq!(lora.only_in_profiles, ["lora"]);
    let with = Catalog::vllm().coverage(
        "vllm:lora_requests_info",
        &select(">=0.6.5"),
        &["default", "lora"],
    );
    assert!(with.absent.is_empty());
    let filled = coverage("vllm:hisparse_cache_hits_total", "0.30.0");
    assert_eq!(
        (filled.only_in_profiles, filled.answer),
        (vec!["kv-hisparse".to_owned()], Answer::Recorded)
    );
}

#[test]
fn unrecorded_releases_are_answered_from_neighbours_then_lineage() {
    let agree = coverage("vllm:num_requests_waiting", "0.14.0");
    assert_eq!((agree.answer, agree.present.len()), (Answer::Neighbours, 2));
    let ended = coverage("vllm:prompt_tokens_recomputed_total", "0.20.0");
    assert_eq!((ended.answer, ended.present.len()), (Answer::Lineage, 0));
    let alive = coverage("vllm:prompt_tokens_recomputed_total", "0.19.2");
    assert_eq!((alive.answer, alive.absent.len()), (Answer::Lineage, 0));
    let began = coverage("vllm:estimated_flops_per_gpu_total", "0.17.0");
    assert_eq!(
        (began.answer, words(&began).0),
        (Answer::Lineage, "0.17.1".to_owned())
    );
    let post = coverage("vllm:spec_decode_efficiency", "0.5.3");
    assert_eq!((post.answer, post.absent.len()), (Answer::Lineage, 0));
    let open = coverage("vllm:kv_cache_usage_perc", "0.9.1.1");
    assert_eq!(
        (open.answer, open.present.len(), open.absent.len()),
        (Answer::Undecided, 1, 1)
    );
}

#[test]
fn shapes_say_labels_values_and_buckets() {
    let catalog = Catalog::vllm();
    let shape = |name: &str, version: &str| {
        let release = select(version).releases[0];
        catalog.shape(name, release, &["default"]).expect(name)
    };
    let success = shape("vllm:request_success_total", "0.33.0");
    assert!(success.has_label("finished_reason") && !success.may_have_label("reason"));
    let reasons = success.domain("finished_reason").expect("known");
    assert_eq!(reasons, ["abort", "error", "length", "repetition", "stop"]);
    assert_eq!(success.domain("model_name"), None);
    assert_eq!(
        shape("vllm:request_success_total", "0.6.6").domain("finished_reason"),
        None
    );
    let ttft = shape("vllm:time_to_first_token_seconds", "0.33.0");
    assert_eq!(ttft.bucket(1.0), Some("1.0"));
    assert_eq!(ttft.bucket(2.0), None);
    assert_eq!(ttft.neighbours(2.0), (Some("1.0"), Some("2.5")));
    assert_eq!(ttft.neighbours(1e9), (Some("2560.0"), Some("+Inf")));
    assert!(ttft.has_label("le") && !ttft.has_label("quantile"));
    assert!(shape("vllm:cache_config_info", "0.33.0").may_have_label("anything"));
    assert!(shape("vllm:request_prompt_tokens", "0.33.0").open_buckets);
    assert!(shape("vllm:iteration_tokens_total", "0.8.0").open_buckets);
    assert!(!shape("vllm:iteration_tokens_total", "0.33.0").open_buckets);
}

#[test]
fn lineage_knows_both_directions() {
    let lineage = Catalog::vllm().lineage();
    let new = "vllm:inter_token_latency_seconds";
    assert_eq!(
        lineage.successor("vllm:time_per_output_token_seconds"),
        Some(new)
    );
    assert_eq!(
        lineage.predecessors(new),
        ["vllm:time_per_output_token_seconds"]
    );
    assert_eq!(lineage.successor(new), None);
    let ratio = |of: &str, over: &str| Replacement::Ratio {
        of: of.to_owned(),
        over: over.to_owned(),
    };
    for shape in [
        ratio(
            "vllm:prefix_cache_hits_total",
            "vllm:prefix_cache_queries_total",
        ),
        ratio(
            "vllm:gpu_prefix_cache_hits_total",
            "vllm:gpu_prefix_cache_queries_total",
        ),
    ] {
        let older = lineage.alternatives(&shape);
        let names: Vec<_> = older.iter().map(|change| change.family.as_str()).collect();
        assert_eq!(names, ["vllm:gpu_prefix_cache_hit_rate"]);
    }
    let rate = Replacement::Rate("vllm:prompt_tokens_total".to_owned());
    assert_eq!(lineage.alternatives(&rate).len(), 1);
}

#[test]
fn names_are_those_of_the_release() {
    let catalog = Catalog::vllm();
    let name_on = |name: &'static str, version: &str| {
        catalog.name_on(
            name,
            catalog.release(select(version).releases[0]),
            &["default"],
        )
    };
    let (old, new) = ("vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc");
    for name in [old, new] {
        assert_eq!(name_on(name, "0.6.6"), Some(old));
        assert_eq!(name_on(name, "0.9.2"), Some(new));
        assert_eq!(name_on(name, "0.33.0"), Some(new));
    }
    let release = catalog.release(select("0.8.0").releases[0]);
    let ratio = catalog.replacement_on("vllm:gpu_prefix_cache_hit_rate", release, &["default"]);
    let [of, over] = ["hits", "queries"].map(|of| format!("vllm:gpu_prefix_cache_{of}_total"));
    assert_eq!(ratio, Some(Replacement::Ratio { of, over }));
}

#[test]
fn families_present_before_the_first_request() {
    let catalog = Catalog::vllm();
    let present = |name: &str, range: &str| catalog.present_from_start(name, &select(range));
    assert!(present("vllm:num_requests_running", ">=0.8"));
    assert!(present("vllm:time_to_first_token_seconds", ">=0.8"));
    assert!(!present("vllm:num_requests_running", ">=0.7"));
    assert!(!present("vllm:kv_cache_usage_perc", ">=0.8"));
    assert!(!present("vllm:cache_config_info", "0.33.0"));
    assert!(!present("http_requests_total", "0.33.0"));
    assert!(!present("vllm:unheard_of", "0.33.0"));
}

#[test]
fn lifetimes() {
    let catalog = Catalog::vllm();
    let life = |name: &str| {
        let life = catalog.first_last(name).expect(name);
        (
            life.first.to_string(),
            life.last.map(|last| last.to_string()),
        )
    };
    assert_eq!(
        life("vllm:gpu_cache_usage_perc"),
        ("0.2.7".into(), Some("0.11.2".into()))
    );
    assert_eq!(
        life("vllm:estimated_flops_per_gpu_total"),
        ("0.17.0".into(), None)
    );
    assert_eq!(
        life("vllm:umbp_transfer_bytes_total"),
        ("0.33.0".into(), None)
    );
    assert_eq!(
        life("vllm:hisparse_host_block_lifetime_seconds"),
        ("0.32.0".into(), None)
    );
    assert_eq!(
        life("vllm:watermark_requests_total"),
        ("0.32.0".into(), None)
    );
    let visible = catalog
        .first_last_in("vllm:gpu_cache_usage_perc", &["default"])
        .expect("known");
    assert_eq!(
        visible.last.map(|last| last.to_string()),
        Some("0.10.2".to_owned())
    );
}

#[test]
fn names_series_and_suggestions() {
    let catalog = Catalog::vllm();
    let series = |name: &str| {
        catalog
            .series_of(name)
            .map(|(family, series)| (family.name(), series))
    };
    let ttft = "vllm:time_to_first_token_seconds";
    assert_eq!(
        series(&format!("{ttft}_bucket")),
        Some((ttft, Series::Bucket))
    );
    assert_eq!(
        series("vllm:iteration_tokens_total_count").map(|s| s.1),
        Some(Series::Count)
    );
    assert_eq!(series("vllm:num_requests_running_sum"), None);
    assert_eq!(
        series("vllm:prompt_tokens_created").map(|s| s.1),
        Some(Series::Created)
    );
    for known in [
        "vllm:current_qps",
        "lmcache:retrieve_hit_rate",
        "vllm:hisparse_host_block_lifetime_seconds_bucket",
    ] {
        assert!(catalog.is_known(known), "{known}");
    }
    let meant = |name: &str| catalog.suggest(name, &[]);
    assert_eq!(
        meant("vllm_num_requests_waiting").as_deref(),
        Some("vllm:num_requests_waiting")
    );
    assert_eq!(
        meant("vllm:num_preemptions").as_deref(),
        Some("vllm:num_preemptions_total")
    );
    assert_eq!(
        meant("vllm_prompt_tokens").as_deref(),
        Some("vllm:prompt_tokens_total")
    );
    assert_eq!(
        meant("vllm_e2e_request_latency_seconds_bucket").as_deref(),
        Some("vllm:e2e_request_latency_seconds_bucket")
    );
    assert_eq!(
        meant("vllm:time_to_first_tokens_seconds_sum").as_deref(),
        Some("vllm:time_to_first_token_seconds_sum")
    );
    let missing_prefix = meant("gpu_cache_usage_perc");
    assert_eq!(missing_prefix.as_deref(), Some("vllm:gpu_cache_usage_perc"));
    assert_eq!(
        meant("lmcache:retrieve_hit_rates").as_deref(),
        Some("lmcache:retrieve_hit_rate")
    );
    // A word of another meaning is no slip, and no release of the newest ones serves the other two.
    for other in [
        "node_cpu_seconds_total",
        "vllm:prefix_cache_miss_total",
        "vllm:generation_token_total_count",
        "vllm:request_failed_total",
        "vllm:token_counter_total",
    ] {
        assert_eq!(meant(other), None, "{other}");
    }
    let newest = select("0.33.0").releases;
    for gone in ["vllm:gpu_cache_usage_prec", "vllm:gpu_prefix_cache_hits"] {
        assert!(meant(gone).is_some(), "{gone}");
        assert_eq!(catalog.suggest(gone, &newest), None, "{gone}");
    }
    assert_eq!(meant("up"), None);
}

#[test]
fn sets_of_releases_in_words() {
    let catalog = Catalog::vllm();
    let mut some = select("==0.8.*").releases;
    some.extend(select("0.12.0").releases);
    some.extend(select("0.6.6").releases);
    assert_eq!(
        catalog.describe(&some),
        "0.6.6, 0.8.0–0.8.5.post1 and 0.12.0"
    );
    assert_eq!(catalog.describe(&[]), "no release");
}

#[test]
fn diffs_name_what_changes() {
    let catalog = Catalog::vllm();
    let release = |version: &str| catalog.release(select(version).releases[0]);
    let diff = catalog.diff(release("0.8.3"), release("0.8.4"), &["default"]);
    assert!(diff.added.is_empty() && diff.removed.is_empty() && diff.renamed.is_empty());
    let ttft = diff
        .changed
        .iter()
        .find(|c| c.family == "vllm:time_to_first_token_seconds");
    let buckets = &ttft.expect("changed").buckets;
    assert_eq!(
        buckets.added,
        ["20.0", "40.0", "80.0", "160.0", "640.0", "2560.0"]
    );
    let reasons = catalog.diff(release("0.12.0"), release("0.13.0"), &["default"]);
    let success = reasons
        .changed
        .iter()
        .find(|c| c.family == "vllm:request_success_total");
    assert_eq!(
        success.expect("changed").values["finished_reason"].added,
        ["error"]
    );
    assert!(
        catalog
            .diff(release("0.5.0"), release("0.5.1"), &["default"])
            .is_empty()
    );
}
