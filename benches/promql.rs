//! How long a query takes to read and to print.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use slosmith::promql::{kept_labels, parse, pretty};

const RATE: &str = r#"sum by (job) (rate(http_requests_total{job="api", code=~"5.."}[5m]))"#;
const ALERT: &str = r#"(
  sum by (job) (rate(http_requests_total{job="api", code=~"5.."}[1h]))
    / on (job)
  sum by (job) (rate(http_requests_total{job="api"}[1h]))
  > 14.4 * 0.001
)
and on (job)
job:http_errors:ratio_rate5m{job="api", slo="availability"} > 14.4 * 0.001"#;

fn queries(c: &mut Criterion) {
    for (name, text) in [("rate", RATE), ("alert", ALERT)] {
        let Ok(expr) = parse(text) else { continue };
        c.bench_function(&format!("parse/{name}"), |b| {
            b.iter(|| parse(black_box(text)))
        });
        c.bench_function(&format!("print/{name}"), |b| {
            b.iter(|| black_box(&expr).to_string())
        });
        c.bench_function(&format!("pretty/{name}"), |b| {
            b.iter(|| pretty(black_box(&expr), 80))
        });
        c.bench_function(&format!("labels/{name}"), |b| {
            b.iter(|| kept_labels(black_box(&expr)))
        });
    }
}

criterion_group!(benches, queries);
criterion_main!(benches);
