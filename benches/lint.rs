//! How long it takes to read and judge rules as sloth writes them, and to parse their expressions.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use slosmith::artifact::{self, Artifact};
use slosmith::catalog::Catalog;
use slosmith::catalog::Product;
use slosmith::config::Config;
use slosmith::lint::{Scope, Settings, date::Date, run};
use slosmith::promql;
use slosmith::source::{FileId, SourceFile, Sources};

const ONE: &str = include_str!("sloth.yaml");
const SERVICES: usize = 1000;

fn rules() -> String {
    let one = ONE.split_once("groups:\n").map_or(ONE, |(_, rest)| rest);
    let all = (0..SERVICES).map(|i| one.replace("SERVICE", &format!("service-{i}")));
    format!("groups:\n{}", all.collect::<String>())
}

fn read(text: &str) -> Option<Artifact> {
    artifact::read(FileId::default(), Path::new("rules.yaml"), text).ok()
}

fn judge(c: &mut Criterion) {
    let text = rules();
    let Some(artifact) = read(&text) else { return };
    let mut group = c.benchmark_group("sloth");
    group.throughput(Throughput::Elements(artifact.queries.len() as u64));
    group.bench_function("read", |b| b.iter(|| read(black_box(&text)).is_some()));
    group.bench_function("parse", |b| {
        b.iter(|| parse(&artifact, |q| promql::parse(q).is_ok()))
    });
    group.bench_function("parse/promql-parser", |b| {
        b.iter(|| parse(&artifact, |q| promql_parser::parser::parse(q).is_ok()));
    });
    let mut sources = Sources::default();
    sources.add(SourceFile::new("rules.yaml", text.clone()));
    let catalog = Catalog::vllm();
    let config = Config::default();
    let products = vec![Product {
        key: "vllm".to_owned(),
        name: "vLLM".to_owned(),
        is_guess: false,
        catalog,
        selection: catalog.select_all(),
        profiles: Vec::new(),
    }];
    let scope = Scope::configured(products, &config);
    let settings = Settings {
        scope: &scope,
        config: &config,
        vllm: None,
        today: Date::from_days(0),
        root: Path::new("."),
    };
    let artifacts = [artifact];
    group.bench_function("lint", |b| {
        b.iter(|| run(&artifacts, &sources, &settings).len())
    });
    group.finish();
}

fn parse(artifact: &Artifact, accepts: impl Fn(&str) -> bool) -> usize {
    let texts = artifact.queries.iter().map(|query| query.text.as_str());
    texts.filter(|text| accepts(black_box(text))).count()
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = judge
}
criterion_main!(benches);
