//! How long one spec takes from text to files, without the disk.

#![allow(missing_docs)] // the macros of criterion write functions without

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::spec::{self, Document};
use slosmith::target::{Target, render};
use slosmith::template::Templates;

const FIVE: &str = include_str!("five.yaml");

fn steps(c: &mut Criterion) {
    let (Ok(document), Ok(templates)) = (spec::read(FileId(0), FIVE), Templates::load(None)) else {
        return;
    };
    c.bench_function("five/read", |b| {
        b.iter(|| spec::read(FileId(0), black_box(FIVE)).is_ok());
    });
    c.bench_function("five/resolve", |b| {
        b.iter(|| resolve(black_box(&document), Options::default()).is_ok());
    });
    if let Ok((plan, _)) = resolve(&document, Options::default()) {
        c.bench_function("five/render", |b| {
            b.iter(|| render(black_box(&plan), Target::Prometheus, &templates).is_ok());
        });
    }
    c.bench_function("five/all", |b| {
        b.iter(|| all(black_box(&document), &templates));
    });
    c.bench_function("templates", |b| b.iter(|| Templates::load(None).is_ok()));
}

fn all(document: &Document, templates: &Templates) -> usize {
    let Ok((plan, _)) = resolve(document, Options::default()) else {
        return 0;
    };
    render(&plan, Target::Prometheus, templates).map_or(0, |r| r.files.len())
}

criterion_group!(benches, steps);
criterion_main!(benches);
