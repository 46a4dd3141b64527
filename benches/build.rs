//! How long one spec takes from text to files, without the disk.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use slosmith::plan::Plan;
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::spec::{self, Document};
use slosmith::target::{self, Target, render};
use slosmith::template::Templates;

const SPECS: [(&str, &str); 2] = [
    ("five", include_str!("five.yaml")),
    ("mangaassist", include_str!("../specs/mangaassist.yaml")),
];

fn steps(c: &mut Criterion) {
    let Ok(templates) = Templates::load(None) else {
        return;
    };
    let options = target::Options {
        templates: &templates,
        unit_tests: true,
        read_back: false,
    };
    for (name, text) in SPECS {
        let Ok(document) = spec::read(FileId(0), text) else {
            return;
        };
        let mut group = c.benchmark_group(name);
        group.bench_function("read", |b| {
            b.iter(|| spec::read(FileId(0), black_box(text)).is_ok());
        });
        group.bench_function("resolve", |b| {
            b.iter(|| plan(black_box(&document)).is_some())
        });
        let Some(plan) = plan(&document) else { return };
        for target in Target::ALL {
            group.bench_function(target.as_str(), |b| {
                b.iter(|| render(black_box(&plan), target, options).is_ok());
            });
        }
        group.finish();
    }
    c.bench_function("templates", |b| b.iter(|| Templates::load(None).is_ok()));
}

fn plan(document: &Document) -> Option<Plan> {
    let resolved = resolve(document, Options::default());
    resolved.ok().map(|(plan, _)| plan)
}

criterion_group!(benches, steps);
criterion_main!(benches);
