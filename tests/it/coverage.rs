//! Every item of the three guides: what it says, and what the specs make of it, value by value.

mod data;
mod edits;
mod numbers;
mod page;
mod place;

use std::collections::{BTreeMap, BTreeSet};

use data::Guide;
use edits::Edit;
use place::Made;

use crate::{bundled, update};

/// What the specs have beyond the guides: alerts and objectives for what stays unseen otherwise.
const BEYOND: [&str; 88] = [
    "alerts.AllServersDown",
    "alerts.EndpointFails",
    "alerts.EndpointNotProbed",
    "alerts.EngineQueueStuck",
    "alerts.EngineRestarts",
    "alerts.EngineStalled",
    "alerts.GatewayDown",
    "alerts.GatewayPodDown",
    "alerts.GatewayPodRestarts",
    "alerts.HeadroomLow",
    "alerts.InstanceDown",
    "alerts.ModelCrashes",
    "alerts.ModelLost",
    "alerts.NoFirstTokens",
    "alerts.ServerDown",
    "alerts.ServerRestarts",
    "alerts.ServersRestart",
    "alerts.VLLMModelCrashes",
    "alerts.VLLMNoServerStaysUp",
    "alerts.VLLMRejectsMostRequests",
    "alerts.VLLMRejectsRequests",
    "alerts.VLLMRequestsFail",
    "alerts.VLLMServersMissing",
    "alerts.VLLMServersRestart",
    "commands.arguments",
    "commands.kill",
    "commands.out-of-pool",
    "commands.previous-log",
    "commands.restart",
    "commands.roll",
    "commands.scale",
    "commands.stacks",
    "commands.undo",
    "dashboards.production.rows.4",
    "load_tests.capacity",
    "load_tests.scenarios.capacity",
    "records.headroom",
    "records.output_cost",
    "records.output_per_gpu",
    "records.served",
    "runbooks.errors.fixes.gateway",
    "runbooks.errors.steps.4",
    "runbooks.gpu-underutilization.fixes.more-cache",
    "runbooks.gpu-underutilization.fixes.profile",
    "runbooks.gpu-underutilization.steps.2",
    "runbooks.gpu-underutilization.steps.3",
    "runbooks.headroom",
    "runbooks.high-ttft.fixes.hung",
    "runbooks.high-ttft.steps.0.cause",
    "runbooks.http-errors.steps.1.when",
    "runbooks.hung-engine",
    "runbooks.kv-cache-thrashing.fixes.gpu",
    "runbooks.kv-cache-thrashing.fixes.more-cache",
    "runbooks.kv-cache-thrashing.fixes.rollback",
    "runbooks.kv-cache-thrashing.fixes.scale-out",
    "runbooks.kv-cache-thrashing.steps.2",
    "runbooks.kv-cache-thrashing.steps.4",
    "runbooks.kv-cache-thrashing.steps.5",
    "runbooks.prefill-starvation.fixes.gpu",
    "runbooks.prefill-starvation.fixes.more-cache",
    "runbooks.prefill-starvation.fixes.restart",
    "runbooks.prefill-starvation.fixes.rollback",
    "runbooks.prefill-starvation.steps.0",
    "runbooks.prefill-starvation.steps.1",
    "runbooks.prefill-starvation.steps.4",
    "runbooks.prefix-cache-collapse.steps.0.verify.2",
    "runbooks.prefix-cache-misses.steps.0.verify",
    "runbooks.prefix-cache-misses.steps.4",
    "runbooks.probe-lost",
    "runbooks.queueing.fixes.decode",
    "runbooks.rejections",
    "runbooks.servers",
    "runtime.gpu",
    "signals.best_server",
    "signals.engine_",
    "signals.gateway_up",
    "signals.headroom",
    "signals.lost_",
    "signals.minutes_served",
    "signals.output_cost",
    "signals.output_per_gpu",
    "signals.prefill_speed",
    "signals.quiet_error_ratio",
    "signals.rejected",
    "signals.restart",
    "signals.served",
    "signals.up",
    "slos.engine-errors",
];

/// How many edits of the specs must be caught.
const EDITS: usize = 100;

/// What one service's specs build.
fn made(parts: &[String]) -> Result<Made, String> {
    let texts: Vec<_> = parts.iter().map(String::as_str).collect();
    bundled::outputs(&texts).map(Made::new)
}

fn parts(guide: &Guide) -> Vec<String> {
    let text = bundled::spec(&guide.spec);
    bundled::parts(&text)
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_value_of_the_guides_is_built() {
    let guides = data::guides();
    let mut wrong = Vec::new();
    for guide in &guides {
        let made = made(&parts(guide)).expect("the spec builds");
        for item in guide.items() {
            let faults = item
                .made
                .iter()
                .filter_map(|(place, wanted)| made.fault(place, wanted));
            wrong.extend(faults.map(|fault| format!("{} {}: {fault}", guide.service, item.lines)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    update::check("docs/coverage.md", &page::page(&guides));
}

#[test]
fn every_line_of_the_guides_is_accounted_for() {
    for guide in data::guides() {
        let items = guide.items().map(|item| item.lines.as_str());
        let lines = items.chain([guide.prose.as_str()]).flat_map(data::lines);
        let told: BTreeSet<usize> = lines.collect();
        let all: BTreeSet<usize> = (1..=guide.lines).collect();
        assert_eq!(told, all, "{}", guide.service);
    }
}

/// A number that a guide says and that is nowhere in what is made of it needs a reason.
#[test]
fn every_number_of_the_guides_is_met_or_has_a_reason() {
    let mut missing = Vec::new();
    for guide in data::guides() {
        for item in guide.items().filter(|item| item.why.is_none()) {
            let made = numbers::all(&item.told());
            let said = numbers::said(&item.says);
            let without = said.iter().filter(|n| !numbers::is_among(**n, &made));
            missing.extend(without.map(|n| format!("{} {}: {n}", guide.service, item.lines)));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The specs, each file once, and which guides are built from it.
struct Specs {
    guides: Vec<Guide>,
    texts: Vec<String>,
    /// For each guide the files it is built from, in order.
    of: Vec<Vec<usize>>,
}

impl Specs {
    fn new() -> Self {
        let guides = data::guides();
        let mut texts: Vec<String> = Vec::new();
        let mut of = Vec::new();
        for guide in &guides {
            let mut files = Vec::new();
            for text in parts(guide) {
                let known = texts.iter().position(|known| *known == text);
                files.push(known.unwrap_or_else(|| {
                    texts.push(text);
                    texts.len() - 1
                }));
            }
            of.push(files);
        }
        Self { guides, texts, of }
    }

    /// Whether a value differs from the guides' once a file is another one; `None` when it does not build then.
    fn caught(&self, file: usize, edited: &str) -> Option<bool> {
        let mut caught = false;
        for (guide, files) in self.guides.iter().zip(&self.of) {
            if !files.contains(&file) {
                continue;
            }
            let text = |at: &usize| {
                if *at == file {
                    edited
                } else {
                    &self.texts[*at]
                }
                .to_owned()
            };
            let made = made(&files.iter().map(text).collect::<Vec<_>>()).ok()?;
            let mut all = guide.items().flat_map(|item| &item.made);
            caught = caught || all.any(|(place, wanted)| made.fault(place, wanted).is_some());
        }
        Some(caught)
    }

    /// Every edit there is, with the file that it changes.
    fn edits(&self) -> Vec<(usize, Edit)> {
        let files = self.texts.iter().enumerate();
        files
            .flat_map(|(file, text)| edits::of(text).into_iter().map(move |edit| (file, edit)))
            .filter(|(_, edit)| !BEYOND.iter().any(|place| edit.to_string().contains(place)))
            .collect()
    }

    /// Makes edits until enough of them built; gives their number and those that nothing noticed.
    fn survivors(&self, edits: &[(usize, Edit)], enough: usize) -> (usize, Vec<String>) {
        let mut made = 0;
        let mut survivors = Vec::new();
        for (file, edit) in edits {
            let texts = edit.texts(&self.texts[*file]).into_iter();
            let Some(caught) = { texts }.find_map(|text| self.caught(*file, &text)) else {
                continue;
            };
            made += 1;
            if !caught {
                survivors.push(edit.to_string());
            }
            if made == enough {
                break;
            }
        }
        (made, survivors)
    }
}

/// The same edits in every run.
fn shuffled(mut edits: Vec<(usize, Edit)>) -> Vec<(usize, Edit)> {
    let mut state: u64 = 2_026;
    for at in (1..edits.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        edits.swap(at, (state >> 33) as usize % (at + 1));
    }
    edits
}

fn all_are_caught(specs: &Specs, edits: &[(usize, Edit)], enough: usize) {
    let (made, survivors) = specs.survivors(edits, enough);
    println!(
        "{made} edits of the specs, {} caught",
        made - survivors.len()
    );
    assert!(enough == usize::MAX || made == enough);
    assert!(
        survivors.is_empty(),
        "not caught:\n{}",
        survivors.join("\n")
    );
}

#[test]
fn some_edits_of_the_specs_are_caught() {
    let specs = Specs::new();
    all_are_caught(&specs, &shuffled(specs.edits()), EDITS / 20);
}

#[test]
#[ignore = "ci"]
fn edits_of_the_specs_are_caught() {
    let specs = Specs::new();
    all_are_caught(&specs, &shuffled(specs.edits()), EDITS);
}

/// The same with all of them; run it with `cargo test --test it coverage -- --ignored --nocapture`.
#[test]
#[ignore = "[slow] builds the specs a thousand times"]
fn all_edits_of_the_specs_are_caught() {
    let specs = Specs::new();
    all_are_caught(&specs, &specs.edits(), usize::MAX);
}

/// Files by their paths below the service's folder.
type Files = BTreeMap<String, String>;
