//! What changed, the newest first: started replicas, each with its release and configuration, and releases of other jobs.
//!
//! A release, a crash and a new configuration all start a replica. vLLM serves no metric with its own release: it is known where a
//! label of the spec has it, or the image of the container.

use super::Panels;
use super::panel::blank;
use super::tables::{EXACT, column, first, labelled, or, series, times, value};
use super::variables::{any_name, filtered_series};
use super::verdict::{job, rank};
use crate::context::Outcome;
use crate::labels::SCRAPE_LABELS;
use crate::matchers::{self, of_servers};
use crate::own_prefix;
use slosmith_plan::plan::dashboard::{
    BEGAN, COLUMNS, Cells, Column, Draw, Fact, Field, Panel, Size,
};
use slosmith_plan::plan::words::capital;
use slosmith_plan::plan::{Family, Signal};
use slosmith_plan::query::{self, bin};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr, Selector};
use slosmith_promql::build;

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

/// What labels with a release are called: `version`, `backend_version`, `image_tag`.
const RELEASE: [&str; 7] = [
    "version", "release", "image", "tag", "revision", "commit", "build",
];

/// kube-state-metrics: the containers of a pod, each a gauge that is always 1 with the image as a label.
const CONTAINERS: &str = "kube_pod_container_";
const IMAGE: &str = "image";

/// The query of the images.
const IMAGES: &str = "Image";

const INSTANCE: &str = "instance";

fn names_release(label: &&String) -> bool {
    let last = label.split('_').next_back();
    last.is_some_and(|last| RELEASE.contains(&last))
}

fn text(label: &str, heading: &str) -> Column {
    column(label, heading, Cells::Text(Vec::new()))
}

/// When each replica started: as its process tells, else the last moment at which its page was not read, or the first at which it was.
fn started(told: Selector, up: Selector) -> Expr {
    let moments = |of: Expr| {
        let moments = build::call("timestamp", [of]);
        build::subquery(moments, query::time(BEGAN), Some(query::time(EXACT)))
    };
    let read = |value: &str| build::binary(BinaryOp::Eq, up.clone(), build::number(value));
    let down = build::call("max_over_time", [moments(read("0").into())]);
    let first = build::call("min_over_time", [moments(up.clone().into())]);
    let seen = bin(BinaryOp::Or, down, recent(first));
    // Not of a replica that is down now, or was removed.
    let seen = bin(BinaryOp::And, seen, read("1").into());
    let told = build::binary(BinaryOp::Or, told, seen);
    told.on(&[INSTANCE]).into()
}

/// A moment at which something was first seen, and 0 of what was there from the beginning: that is older.
fn recent(first: Expr) -> Expr {
    let known = (BEGAN.as_secs() - EXACT.as_secs()).to_string();
    let now = build::call("time", [] as [Expr; 0]);
    let begin = bin(BinaryOp::Sub, now, build::number(known));
    let new = build::binary(BinaryOp::Gt, first.clone(), begin).with_bool();
    bin(BinaryOp::Mul, first, new.into())
}

impl Panels<'_, '_> {
    pub(super) fn changes(&self) -> Option<Panel> {
        let selector = of_servers(self.cx)?;
        let target = self.cx.target_labels();
        let groups = self.cx.spec.prometheus.group_by.iter();
        let groups = groups.map(|label| &label.value);
        let groups: Vec<_> = groups.filter(|label| target.contains(label)).collect();
        let releases = target.iter().filter(names_release);
        let releases = releases.filter(|label| !groups.contains(label));
        let shown: Vec<_> = groups.iter().copied().chain(releases).collect();
        let of = |name: &str| {
            let all = build::metric(name).with_matchers(&selector);
            filtered_series(all, &target, &self.variables)
        };
        let by = |own: &[&str], all: Expr| {
            let shown = shown.iter().map(|label| label.as_str());
            let labels: Vec<_> = [INSTANCE].into_iter().chain(shown).collect();
            let labels: Vec<_> = labels.into_iter().chain(own.iter().copied()).collect();
            build::aggregate(AggregateOp::Max, &labels, all)
        };
        let start = || started(of("process_start_time_seconds"), of("up"));
        let started = times(1000, by(&[], start()));
        let (labels, releases): (Vec<_>, Vec<_>) = self.releases(&groups).into_iter().unzip();
        let since = releases.into_iter().fold(started, or);
        let mut columns = vec![value(0, "When", Cells::Since), text(INSTANCE, "Replica")];
        let mut named: Vec<_> = shown.iter().map(|label| label.as_str()).collect();
        for label in &labels {
            if !named.contains(&label.as_str()) {
                named.push(label);
            }
        }
        let mut made = vec![series("When", since, &[])];
        if let Some(image) = self.image(start(), &target) {
            named.push(IMAGE);
            made.push(series(IMAGES, by(&[IMAGE], image), &[]));
        }
        columns.extend(
            named
                .iter()
                .map(|label| text(label, &capital(&label.replace('_', " ")))),
        );
        if self.cx.spec.vllm().is_some() {
            let config = format!("{}{CONFIG}", own_prefix(self.cx.spec));
            columns.extend(SETTINGS.map(|(label, heading)| text(label, heading)));
            let config = by(&SETTINGS.map(|(label, _)| label), of(&config).into());
            made.push(series("Configuration", config, &[]));
        }
        let hidden =
            (1..made.len()).map(|index| value(index, &format!("rows {index}"), Cells::Hidden));
        columns.extend(hidden);
        Some(Panel {
            description: format!(
                "All replicas and the releases of the last {BEGAN}, the newest first. A release, a crash and a new configuration start a \
                 replica. The release comes from a label or from the container's image, if the spec has such a signal. Graphs mark starts, and \
                 the deployments that are recorded in Grafana."
            ),
            series: made,
            size: Size::Fixed(COLUMNS, LINES),
            ..blank("Starts and releases".to_owned(), Draw::Changes(columns))
        })
    }

    /// The newest row of that table.
    pub(super) fn changed(&self) -> Option<Panel> {
        let table = self.changes()?;
        let images = table.series.iter().find(|series| series.title == IMAGES);
        let images = images.map(|images| times(1000, images.query.expr.clone()));
        let rows = images
            .into_iter()
            .chain(table.series.first().map(|all| all.query.expr.clone()));
        let rows = rows.reduce(|images, all| {
            build::binary(BinaryOp::Or, images, all)
                .on(&[INSTANCE])
                .into()
        });
        let newest = rows.map(|rows| first(AggregateOp::Topk, rows));
        let Draw::Changes(columns) = &table.draw else {
            return None;
        };
        let setting = |label: &str| SETTINGS.iter().any(|(setting, _)| *setting == label);
        let labels = columns.iter().filter_map(|column| match &column.field {
            Field::Label(label) if !setting(label) => Some(label.clone()),
            _ => None,
        });
        let labels: Vec<_> = labels.collect();
        Some(Panel {
            description: "The newest start of a replica or new release. A release, a crash and a new configuration start a replica. A \
                          click opens the table of all starts and releases."
                .to_owned(),
            series: newest.map(|newest| series("started:", newest, &labels)).into_iter().collect(),
            ..blank("What changed last".to_owned(), Draw::Fact(Fact::Changed))
        })
    }

    /// The start of each replica with the image of its container, if the spec reads other metrics of this container.
    fn image(&self, start: Expr, target: &[String]) -> Option<Expr> {
        let is_container = |family: &Family| {
            let mut names = family.names.iter();
            names.any(|name| name.starts_with(CONTAINERS))
        };
        let (signal, family) = self.families().find(|(_, family)| is_container(family))?;
        let own = family.matchers.iter();
        let own = own.filter(|(label, ..)| ["job", "container"].contains(&label.as_str()));
        let info = build::metric(&format!("{CONTAINERS}info")).with_matchers(own);
        let joins = |label: &&String| {
            signal.labels.contains(label) && !SCRAPE_LABELS.contains(&label.as_str())
        };
        let pod: Vec<_> = target.iter().filter(joins).map(String::as_str).collect();
        let labels: Vec<_> = pod.iter().copied().chain([IMAGE]).collect();
        let image = build::aggregate(AggregateOp::Max, &labels, info);
        let joined = build::binary(BinaryOp::Mul, start, image).on(&pod);
        let known = target.iter().any(|label| label == IMAGE);
        (pod.contains(&"pod") && !known).then(|| joined.group_left(&[IMAGE]).into())
    }

    fn families(&self) -> impl Iterator<Item = (&Signal, &Family)> {
        let known = self.cx.known.values();
        known.filter_map(|outcome| match outcome {
            Outcome::Ready(signal) => Some((&**signal, signal.family()?)),
            _ => None,
        })
    }

    /// The releases of each job that names them by a label of its own: the label, and when each value was first seen.
    fn releases(&self, groups: &[&String]) -> Vec<(String, Expr)> {
        let target = self.cx.target_labels();
        let mut jobs: Vec<(String, &String, &Signal, &Family)> = Vec::new();
        for (signal, family) in self.families() {
            let own = signal.labels.iter().filter(|label| !target.contains(label));
            for label in own.filter(names_release) {
                let job = job(family);
                let known = jobs.iter_mut();
                match known
                    .into_iter()
                    .find(|(j, l, ..)| *j == job && *l == label)
                {
                    Some(known) if rank(family) < rank(known.3) => {
                        (known.2, known.3) = (signal, family);
                    }
                    Some(_) => {}
                    None => jobs.push((job, label, signal, family)),
                }
            }
        }
        let selector = matchers::of_own_servers(self.cx.spec);
        let own: Vec<_> = selector.iter().map(|(label, ..)| label.as_str()).collect();
        let seen = |(job, label, signal, family): (String, &String, &Signal, &Family)| {
            let all = filtered_series(any_name(family, &own), &signal.labels, &self.variables);
            let moments = build::call("timestamp", [all]);
            let moments = build::subquery(moments, query::time(BEGAN), Some(query::time(EXACT)));
            let groups = groups.iter().filter(|group| signal.labels.contains(group));
            let labels: Vec<_> = groups.copied().chain([label]).collect();
            let first = build::min(&labels, build::call("min_over_time", [moments]));
            let first = times(1000, recent(first));
            let from = if job.is_empty() { "the service" } else { &job };
            (label.clone(), labelled(first, INSTANCE, from, "", ""))
        };
        jobs.into_iter().map(seen).collect()
    }
}
