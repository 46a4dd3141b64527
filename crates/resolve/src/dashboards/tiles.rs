//! Tiles: the few numbers that show whether the service is healthy.
//!
//! `TTFT p95` is the worst value of all label sets, in the colour of the thresholds of its alerts and SLOs. A tile shows the
//! value at the end of the time range or `no data`, never an older value.

use super::Panels;
use super::objective::in_worst;
use super::panel::{blank, names};
use super::thresholds::{self, Watch};
use super::variables::{filtered, filtered_series};
use crate::bound;
use crate::matchers::of_servers;
use slosmith_plan::plan::dashboard::{
    COLUMNS, Color, Draw, Origin, Panel, PanelSignal, Role, Series, Size, Threshold,
};
use slosmith_plan::plan::{
    BASE_WINDOW, DEFAULT_WINDOW, Dashboard, EventSli, Query, Signal, SignalKind, Slo, ValueUnit,
    Window, slo_series,
};
use slosmith_plan::query::{self, SignalQuery, bin};
use slosmith_promql::ast::{AggregateOp, BinaryOp, Expr};
use slosmith_promql::build;
use slosmith_spec::naming;
use slosmith_spec::spec::{Across, Stat};
use slosmith_text::units::{Duration, Number, Unit, decimal, shown as shown_value};

const HEIGHT: u32 = 3;

const PAST: Duration = Duration::from_mins(180);

/// Tiles side by side.
const PER_LINE: u32 = 4;

/// Latencies that users feel: the words in titles, and the short name on a tile.
const FELT: [(&str, &str); 3] = [
    ("time to first token", "TTFT"),
    ("inter-token latency", "ITL"),
    ("end-to-end", "E2E"),
];

/// Gauges that show how close the engine is to its limits: family and title.
const PRESSURE: [(&str, &str); 2] = [
    ("vllm:num_requests_waiting", "Waiting"),
    ("vllm:kv_cache_usage_perc", "KV cache"),
];

struct Shown<'s> {
    title: String,
    signal: &'s Signal,
    stat: Stat,
    /// The thresholds of the author's panel.
    given: Vec<Threshold>,
}

impl Panels<'_, '_> {
    /// One tile for each number that the spec has a signal for.
    pub(super) fn tiles(&mut self, others: &[Dashboard]) -> Vec<Panel> {
        let mut tiles = self.traffic();
        let signals: Vec<Signal> = self.cx.ready_signals().cloned().collect();
        let pressure = self.pressure(&signals, others);
        for shown in self.felt(&signals).into_iter().chain(pressure) {
            self.cx.used.insert(shown.signal.name.clone());
            tiles.push(self.tile(&shown));
        }
        tiles.extend(self.replicas());
        let count = u32::try_from(tiles.len()).unwrap_or(1).max(1);
        // Two lines of few tiles keep their titles readable on a small screen.
        let lines = count.div_ceil(PER_LINE);
        let width = COLUMNS / count.div_ceil(lines);
        for tile in &mut tiles {
            tile.size = Size::Fixed(width, HEIGHT);
            tile.past = Some(PAST);
        }
        tiles
    }

    fn traffic(&mut self) -> Vec<Panel> {
        let slos = self.slos;
        let mut ratios = slos.iter().filter_map(|slo| match &slo.events.sli {
            EventSli::Ratio { total, .. } => Some((slo, total)),
            _ => None,
        });
        let Some((slo, total)) = ratios.next() else {
            return Vec::new();
        };
        let is_one_of_several = ratios.any(|(_, other)| !other.reads_as(total));
        let requests = Shown {
            given: Vec::new(),
            title: match is_one_of_several {
                true => format!("Requests · {}", slo.title),
                false => "Requests".to_owned(),
            },
            signal: total,
            stat: Stat::Rate,
        };
        vec![self.tile(&requests), self.errors(slo)]
    }

    fn errors(&self, slo: &Slo) -> Panel {
        let events = &slo.events;
        let service = &self.cx.spec.service.name.value;
        let window = BASE_WINDOW.to_string();
        let ratio = slo_series(naming::ERROR_RATIO, service, &slo.name, &window);
        let ratio = filtered_series(ratio, &slo.labels, &self.variables);
        let page = &self.cx.spec.severities.page.name.value;
        let paging = events.tiers.iter().filter(|tier| tier.severity == *page);
        let worst = paging.map(|tier| tier.threshold).min();
        let bound = |value: Number, role, color| Threshold {
            role,
            ..mark(value, color, true)
        };
        let thresholds = std::iter::once(bound(events.budget.budget, Role::Target, Color::Yellow));
        let paging = worst.map(|value| bound(value, Role::Alert, Color::Red));
        let thresholds = thresholds.chain(paging);
        Panel {
            description: format!(
                "Error ratio of the SLO \"{}\" over the last {BASE_WINDOW}{}. Yellow: above the errors that the objective allows.{}",
                slo.title,
                in_worst(&slo.labels),
                if worst.is_some() {
                    " Red: above the lowest threshold of a paging alert."
                } else {
                    ""
                },
            ),
            series: vec![shown(
                build::aggregate(AggregateOp::Max, NONE, ratio),
                Origin::Query("Prometheus recording rules compute this ratio"),
            )],
            unit: ValueUnit::plain(Unit::Ratio),
            thresholds: thresholds.collect(),
            objective: None,
            links: vec![("Runbook".to_owned(), slo.links.runbook.clone())],
            ..blank(
                format!(
                    "Error ratio · objective {}",
                    shown_value(events.budget.budget, Unit::Ratio)
                ),
                Draw::Tile,
            )
        }
    }

    /// The latencies that users feel; signals with an SLO or an alert come first.
    fn felt<'s>(&self, signals: &'s [Signal]) -> Vec<Shown<'s>>
    where
        Self: 's,
    {
        let slos = self.slos;
        let page = &self.cx.spec.severities.page.name.value;
        let watches = thresholds::watches(self.alerts, page);
        let rank = |signal: &Signal| {
            let judged = slos
                .iter()
                .any(|slo| slo.signals().iter().any(|s| s.name == signal.name));
            let watched = watches
                .iter()
                .any(|watch| watch.compare.signal.name == signal.name);
            (!judged, !watched)
        };
        let timed = |signal: &&Signal| {
            signal.kind() == SignalKind::Histogram && signal.unit == Unit::Seconds
        };
        let of = |(words, short): (&str, &str)| {
            let named = signals.iter().filter(timed);
            let named = named.filter(|signal| signal.title.to_lowercase().contains(words));
            let signal = named.min_by_key(|signal| rank(signal))?;
            let stat = stat(signal, slos, &watches);
            Some(Shown {
                title: format!("{short} {stat}"),
                signal,
                stat,
                given: Vec::new(),
            })
        };
        FELT.into_iter().filter_map(of).collect()
    }

    /// One value of all label sets: the sum where values add up, else the worst.
    fn tile(&mut self, tile: &Shown<'_>) -> Panel {
        let page = self.cx.spec.severities.page.name.value.clone();
        let all = thresholds::watches(self.alerts, &page);
        let mut on: Vec<_> = all
            .iter()
            .filter(|watch| watch.fires_alone())
            .filter(|watch| thresholds::is_on(watch, tile.signal, tile.stat))
            .collect();
        // Like the alert, by all its labels: the sum over replicas is no measure of the queue of one.
        let labels = on.first().map(|watch| watch.compare.query.labels.clone());
        on.retain(|watch| Some(&watch.compare.query.labels) == labels.as_ref());
        let window = on
            .first()
            .map_or(DEFAULT_WINDOW, |watch| watch.compare.window);
        let signal = filtered(tile.signal, &self.variables);
        let group_by = self.cx.spec.prometheus.group_by.iter();
        let group_by = group_by.map(|label| label.value.clone());
        let usual = group_by.filter(|label| tile.signal.labels.contains(label));
        let read = SignalQuery {
            signal: &signal,
            stat: tile.stat,
            window: Window::Fixed(window),
            labels: labels.unwrap_or_else(|| usual.collect()),
        };
        let unit = bound::unit(&read, on.first().and_then(|watch| watch.compare.unit.per));
        let adds_up = tile.stat == Stat::Rate;
        let value = query::per_time(query::query(&read, None).expr, unit);
        let together = if adds_up {
            AggregateOp::Sum
        } else {
            worst(&on)
        };
        let lines = self.lines(&on, tile, unit);
        self.seen.add(tile.signal);
        let about = tile.signal.description.iter().cloned();
        let how = how(together, &read, window);
        let alerts = on.iter().map(|watch| watch.words());
        let words = about.chain([how]).chain(alerts);
        let words = words.filter(|text| !text.is_empty());
        Panel {
            description: words.collect::<Vec<_>>().join("\n\n"),
            series: vec![shown(
                build::aggregate(together, NONE, value),
                Origin::Signal(Box::new(PanelSignal {
                    signal: tile.signal.clone(),
                    stat: tile.stat,
                    window: Some(window),
                    by: Vec::new(),
                    replaces: false,
                })),
            )],
            unit,
            thresholds: lines.clone(),
            links: runbooks(&on),
            ..blank(thresholds::titled(&tile.title, &lines), Draw::Tile)
        }
    }

    /// Beyond an objective, the value is yellow; beyond the threshold of an alert, orange or red.
    fn lines(&self, on: &[&Watch<'_>], tile: &Shown<'_>, unit: ValueUnit) -> Vec<Threshold> {
        let alone = on.iter().filter_map(|watch| thresholds::line(watch, unit));
        let targets = thresholds::targets(self.slos, on, tile.signal, tile.stat, unit);
        let targets = targets.into_iter().map(|line| Threshold {
            color: Color::Yellow,
            ..line
        });
        let given = tile.given.iter().cloned();
        thresholds::drawn(alone.chain(targets).chain(given).collect())
    }

    /// The gauges that show how close the engine is to its limits; of several readings, the one that an alert or a panel judges.
    fn pressure<'s>(&self, signals: &'s [Signal], others: &[Dashboard]) -> Vec<Shown<'s>> {
        let page = &self.cx.spec.severities.page.name.value;
        let watches = thresholds::watches(self.alerts, page);
        let of = |(name, title): (&str, &str)| {
            let of_family = |signal: &&Signal| {
                let family = signal.family();
                family.is_some_and(|family| family.served.newest() == name)
            };
            // A second signal of the same family reads it differently.
            let rank = |signal: &&Signal| {
                let watched = watches.iter().filter(|watch| watch.fires_alone());
                let mut watched = watched.filter(|w| thresholds::is_on(w, signal, Stat::Last));
                let usual = matches!(signal.across, Across::Sum | Across::Max);
                let judged = watched.next().is_some() || !given(signal, others).is_empty();
                (!usual, !judged)
            };
            let signal = signals.iter().filter(of_family).min_by_key(rank)?;
            Some(Shown {
                title: title.to_owned(),
                signal,
                stat: Stat::Last,
                given: given(signal, others),
            })
        };
        PRESSURE.into_iter().filter_map(of).collect()
    }

    fn replicas(&self) -> Option<Panel> {
        let target = self.cx.target_labels();
        let servers = of_servers(self.cx)?;
        let up = build::metric("up").with_matchers(&servers);
        let up = filtered_series(up, &target, &self.variables);
        let bound = |value: Number, color| mark(value, color, false);
        Some(Panel {
            description: "Percentage of replicas whose last scrape succeeded. Orange: at least one replica is down. Red: fewer than \
                          half of the replicas are up."
                .to_owned(),
            series: vec![shown(
                build::aggregate(AggregateOp::Avg, NONE, up),
                Origin::Query("only Prometheus has the results of its scrapes (`up`)"),
            )],
            unit: ValueUnit::plain(Unit::Ratio),
            thresholds: vec![
                bound(Number::new(1, 2), Color::Red),
                bound(Number::from_integer(1), Color::Orange),
            ],
            ..blank("Replicas up".to_owned(), Draw::Tile)
        })
    }
}

const NONE: &[&str] = &[];

/// How a tile joins label sets to one number, and over which time.
fn how(together: AggregateOp, read: &SignalQuery<'_>, window: Duration) -> String {
    let value = match together {
        AggregateOp::Sum => "Sum",
        AggregateOp::Min => "Worst (lowest) value",
        _ => "Worst (highest) value",
    };
    let over = match read.stat {
        Stat::Last => String::new(),
        Stat::Rate => format!(", averaged over the last {window}"),
        _ => format!(", over the last {window}"),
    };
    match (read.labels.is_empty(), read.stat) {
        (true, Stat::Last) => String::new(),
        (true, _) => format!("Measured over the last {window}."),
        (false, _) => format!(
            "{value} of the selected label sets ({}){over}.",
            names(&read.labels)
        ),
    }
}

/// The thresholds that the author gives a panel of a signal, as it is and for all its label sets together.
fn given(signal: &Signal, others: &[Dashboard]) -> Vec<Threshold> {
    let shows = |panel: &&Panel| {
        panel.series.iter().all(|series| match &series.origin {
            Origin::Signal(read) => {
                let whole = read.by.is_empty() && !read.replaces && read.stat == Stat::Last;
                whole && read.signal.reads_as(signal)
            }
            _ => false,
        })
    };
    let panels = others.iter().flat_map(Dashboard::panels);
    let mut panels = panels
        .filter(|panel| panel.draw.graph().is_some())
        .filter(shows);
    let lines = panels
        .next()
        .into_iter()
        .flat_map(|panel| &panel.thresholds);
    lines.filter(|line| line.name.is_empty()).cloned().collect()
}

/// The percentile of an alert, else p95.
fn stat(signal: &Signal, slos: &[Slo], watches: &[Watch<'_>]) -> Stat {
    let limited = slos.iter().filter_map(|slo| match &slo.events.sli {
        EventSli::Latency { signal: of, .. } if of.reads_as(signal) => {
            Some(slo.events.budget.objective)
        }
        _ => None,
    });
    // The percentile that is at the limit when the SLO is just met.
    if let Some(objective) = limited.max() {
        return Stat::Quantile(objective);
    }
    let watched = watches
        .iter()
        .filter(|watch| watch.fires_alone() && watch.compare.signal.name == signal.name)
        .filter_map(|watch| match watch.compare.stat {
            Stat::Quantile(quantile) => Some(quantile),
            _ => None,
        });
    // The slowest requests are what users complain of first.
    Stat::Quantile(watched.max().unwrap_or(Number::new(95, 100)))
}

/// The worst value is the lowest one where low values are bad.
fn worst(on: &[&Watch<'_>]) -> AggregateOp {
    let mut ops = on.iter().filter_map(|watch| watch.is_upper());
    match ops.next() {
        Some(false) => AggregateOp::Min,
        _ => AggregateOp::Max,
    }
}

/// A share at which the color changes.
fn mark(share: Number, color: Color, upper: bool) -> Threshold {
    let text = format!("{}%", decimal(share * 100));
    Threshold::at(share, text, color, upper)
}

fn runbooks(on: &[&Watch<'_>]) -> Vec<(String, String)> {
    let links = on.iter();
    links
        .map(|watch| {
            (
                format!("Runbook: {}", watch.alert),
                watch.runbook.to_owned(),
            )
        })
        .collect()
}

/// A value, or NaN at each moment without one.
fn shown(value: Expr, origin: Origin) -> Series {
    let nothing = build::call("vector", [build::number("NaN")]);
    Series {
        title: String::new(),
        query: Query {
            expr: bin(BinaryOp::Or, value, nothing),
            labels: Vec::new(),
        },
        origin,
    }
}
