//! What changed: the replicas, the last started first, and how each is configured.
//!
//! A release, a crash and a new configuration all start a replica.

use super::Panels;
use super::panel::blank;
use super::tables::{column, series, value};
use super::variables::filtered_series;
use crate::plan::dashboard::{COLUMNS, Cells, Draw, Panel, Size};
use crate::plan::words::capital;
use crate::promql::ast::{AggregateOp, BinaryOp};
use crate::promql::build;
use crate::query::bin;
use crate::resolve::matchers::matchers;
use crate::resolve::own_prefix;

/// Height of the table in lines.
const LINES: u32 = 8;

/// How a vLLM server is configured: a gauge that is always 1, and the labels of it that change what the server can do.
const CONFIG: &str = "cache_config_info";
const SETTINGS: [(&str, &str); 4] = [
    ("gpu_memory_utilization", "GPU memory"),
    ("num_gpu_blocks", "KV cache blocks"),
    ("cache_dtype", "KV cache type"),
    ("enable_prefix_caching", "Prefix caching"),
];

impl Panels<'_, '_> {
    pub(super) fn changes(&self) -> Panel {
        let target = self.cx.target_labels();
        let groups = self
            .cx
            .spec
            .prometheus
            .group_by
            .iter()
            .map(|label| label.value.clone());
        let groups: Vec<_> = groups.filter(|label| target.contains(label)).collect();
        let of = |name: &str, own: &[&str]| {
            let selector = matchers(&self.cx.spec.prometheus.selector);
            let all = selector
                .iter()
                .fold(build::metric(name), |all, (label, op, value)| {
                    all.matcher(label, *op, value)
                });
            let all = filtered_series(all, &target, &self.variables);
            let labels = ["instance"]
                .into_iter()
                .chain(groups.iter().map(String::as_str));
            let labels: Vec<_> = labels.chain(own.iter().copied()).collect();
            build::aggregate(AggregateOp::Max, &labels, all)
        };
        let text = |label: &str, heading: &str| column(label, heading, Cells::Text(Vec::new()));
        let started = bin(
            BinaryOp::Mul,
            of("process_start_time_seconds", &[]),
            build::number("1000"),
        );
        let mut columns = vec![
            value(0, "Started", Cells::Since),
            text("instance", "Replica"),
        ];
        columns.extend(
            groups
                .iter()
                .map(|label| text(label, &capital(&label.replace('_', " ")))),
        );
        let mut made = vec![series("Started", started, &[])];
        if self.cx.spec.runtime.is_some() {
            let config = format!("{}{CONFIG}", own_prefix(self.cx.spec));
            columns.extend(SETTINGS.map(|(label, heading)| text(label, heading)));
            columns.push(value(made.len(), "rows", Cells::Hidden));
            made.push(series(
                "Configuration",
                of(&config, &SETTINGS.map(|(label, _)| label)),
                &[],
            ));
        }
        Panel {
            description: "All replicas, the last started first. A release, a crash and a new configuration start a replica. Graphs mark \
                          these starts, and the deployments that are recorded in Grafana."
                .to_owned(),
            series: made,
            size: Size::Fixed(COLUMNS, LINES),
            ..blank("Replicas by start".to_owned(), Draw::Changes(columns))
        }
    }
}
