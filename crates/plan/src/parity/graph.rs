//! Graphs: what a panel's series are in CloudWatch.
//!
//! A panel on `vllm.kv_cache_usage` with `by: [model_name]` becomes one [`GraphLine`], whose value is the same
//! as that of an alarm on the signal, but for each `model_name`.

use super::builder::Builder;
use super::dimensions::Slice;
use super::timing::{interval, is_instant};
use super::value::{self, AddsUp, Purpose, ValueRequest};
use crate::plan::cloudwatch::{
    Difference, Grade, Graph, GraphLine, NotExpressible, Note, Shown, Value, View,
};
use crate::plan::dashboard::{Draw, Origin, Panel, PanelSignal, Role};
use crate::plan::{Slo, ValueUnit};
use slosmith_spec::spec::{GraphKind, Stat};
use slosmith_text::units::{Duration, Number, Unit};

/// Seconds of a point when a panel follows the zoom.
const USUAL: u64 = 300;

/// Seconds of a point of a gauge's newest value.
const MINUTE: u64 = 60;

const ONE: Number = Number::new_raw(1, 1);

const PERCENTILES: [i128; 3] = [50, 95, 99];

/// A line, what one of its units is worth in the signal's unit, and how it differs.
struct DrawnLine {
    line: GraphLine,
    worth: Number,
    differences: Vec<Note>,
}

#[derive(Default)]
pub(super) struct DrawnGraph {
    lines: Vec<DrawnLine>,
    pub(super) missing: Vec<NotExpressible>,
}

impl DrawnGraph {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn finish(self, panel: &Panel) -> (Graph, Vec<Note>) {
        let mut differences: Vec<Note> = Vec::new();
        for difference in self.lines.iter().flat_map(|line| &line.differences) {
            if !differences.contains(difference) {
                differences.push(difference.clone());
            }
        }
        let missing = self.missing.into_iter().map(Difference::LineMissing);
        differences.extend(missing.map(|line| line.at(Grade::Weaker)));
        let budget = |origin: &Origin| matches!(origin, Origin::Budget(_));
        let is_budget = panel.series.iter().any(|series| budget(&series.origin));
        let covers = panel.past.filter(|_| is_budget);
        let mut view = match covers {
            // A line has a value for each period, and a budget is one number.
            Some(_) => View::Number,
            None => view(&panel.draw),
        };
        let ends = panel.unit.unit == Unit::Ratio && !is_budget;
        if view == View::Gauge && !ends {
            view = View::Number;
            differences.push(Difference::NumberForGauge.at(Grade::Equivalent));
        }
        let worth = self.lines.first().map_or(ONE, |line| line.worth);
        if panel.draw.graph() == Some(GraphKind::Bars) {
            differences.push(Difference::AreasForBars.at(Grade::Equivalent));
        }
        let graph = Graph {
            view,
            lines: self.lines.into_iter().map(|drawn| drawn.line).collect(),
            unit: panel.unit,
            worth: shown_worth(panel.unit, worth),
            thresholds: panel.thresholds.clone(),
            covers,
        };
        (graph, differences)
    }
}

pub(super) fn view(draw: &Draw) -> View {
    match draw.graph() {
        Some(GraphKind::Number | GraphKind::Status) => View::Number,
        Some(GraphKind::Gauge) => View::Gauge,
        Some(GraphKind::Stacked | GraphKind::Bars) => View::Stacked,
        Some(GraphKind::Table) => View::Table,
        Some(GraphKind::Timeseries | GraphKind::Heatmap) | None => View::Lines,
    }
}

fn shown_worth(unit: ValueUnit, worth: Number) -> Number {
    match unit.unit {
        Unit::Ratio => Number::new(1, 100),
        _ => worth,
    }
}

/// A gauge is worth a point for each value.
fn period_of(r: &PanelSignal) -> u64 {
    match r.window {
        _ if is_instant(&r.signal, r.stat) => interval(&r.signal),
        None => USUAL,
        Some(window) => period(window),
    }
}

fn period(window: Duration) -> u64 {
    window.mins_up().max(1) * 60
}

impl Builder<'_> {
    pub(super) fn graph(&mut self, slos: &[Slo], panel: &Panel) -> DrawnGraph {
        let mut drawn = DrawnGraph::default();
        for (i, series) in panel.series.iter().enumerate() {
            let label = series.title.as_str();
            let one = |line| vec![line];
            let lines = match (&series.origin, objective(slos, &series.origin)) {
                (Origin::Signal(r), _) if panel.draw == Draw::Graph(GraphKind::Heatmap) => {
                    self.percentiles(r, panel)
                }
                (Origin::Signal(r), _) => self.line(r, panel, label).map(one),
                (Origin::Query(why), _) => Err(NotExpressible::OnlyPromQl(why)),
                (origin, Some(slo)) => self.objective_line(slo, origin).map(one),
                (_, None) => continue,
            };
            match lines {
                Ok(mut lines) => {
                    if let Some(first) = lines.first_mut() {
                        let together = self.one_line(&series.query.labels, &series.origin);
                        first.differences.extend(together);
                    }
                    lines.iter_mut().for_each(|line| line.line.series = i);
                    drawn.lines.extend(lines);
                }
                Err(why) if drawn.missing.contains(&why) => {}
                Err(why) => drawn.missing.push(why),
            }
        }
        drawn
    }

    fn line(
        &mut self,
        r: &PanelSignal,
        panel: &Panel,
        title: &str,
    ) -> Result<DrawnLine, NotExpressible> {
        let axis = panel.unit;
        let found = value::read(ValueRequest {
            signal: &r.signal,
            stat: r.stat,
            purpose: purpose(panel),
            statistic: None,
            of: Slice {
                by: &r.by,
                only: &[],
            },
            via: self.via,
        })?;
        self.scraped.extend(found.scraped);
        let per_second = found.adds_up == AddsUp::Events && r.stat == Stat::Rate;
        let rate = per_second || matches!(found.value, Value::Growth(_));
        let per = axis.per.filter(|_| rate).map_or(1, |per| per.seconds);
        let times = found.worth / shown_worth(axis, found.worth) * i128::from(per);
        Ok(DrawnLine {
            line: GraphLine {
                series: 0,
                value: found.value,
                shown: match found.adds_up {
                    _ if per_second => Shown::PerSecond(times),
                    AddsUp::Scrapes if period_of(r) != MINUTE => {
                        Shown::PerSecond(times * i128::from(MINUTE))
                    }
                    _ => Shown::Times(times),
                },
                period: period_of(r),
                label: match title {
                    "" if r.by.is_empty() => r.signal.title.clone(),
                    title => title.to_owned(),
                },
            },
            worth: found.worth,
            differences: found.differences,
        })
    }

    /// A distribution by its percentiles: CloudWatch draws no heatmaps.
    fn percentiles(
        &mut self,
        r: &PanelSignal,
        panel: &Panel,
    ) -> Result<Vec<DrawnLine>, NotExpressible> {
        let mut lines = Vec::new();
        for percent in PERCENTILES {
            let stat = Stat::Quantile(Number::new(percent, 100));
            let reading = PanelSignal { stat, ..r.clone() };
            lines.push(self.line(&reading, panel, &stat.to_string())?);
        }
        if let Some(first) = lines.first_mut() {
            let percentiles = Difference::PercentilesForHeatmap;
            first.differences.push(percentiles.at(Grade::Weaker));
        }
        Ok(lines)
    }

    /// The note for one line where Grafana draws a line for each label set.
    fn one_line(&self, labels: &[String], origin: &Origin) -> Option<Note> {
        let by = match origin {
            Origin::Signal(reading) => reading.by.as_slice(),
            _ => &[],
        };
        let lost = |label: &&String| *label != "le" && !by.contains(label);
        let open: Vec<_> = self.told_apart(labels).filter(lost).cloned().collect();
        (!open.is_empty()).then(|| Difference::OneLineForAll(open).at(Grade::Weaker))
    }

    /// The budget of an SLO, its burn rate, or its good events.
    fn objective_line(&mut self, slo: &Slo, origin: &Origin) -> Result<DrawnLine, NotExpressible> {
        if let Origin::Good(_, window) = origin {
            super::timing::once(*window)?;
        }
        let share = value::bad_share(&slo.events.sli, self.via, &mut self.scraped)?;
        let burn = |share| Value::BurnRate(share, slo.events.budget.budget);
        let (value, shown, window) = match origin {
            Origin::Good(_, window) => (Value::Share(share), Shown::RestInPercent, Some(*window)),
            Origin::Burn(_, window) => (burn(share), Shown::Times(ONE), Some(*window)),
            _ => (burn(share), Shown::RestInPercent, None),
        };
        let of_time_shown = Difference::OfTimeShown(slo.period).at(Grade::Weaker);
        Ok(DrawnLine {
            line: GraphLine {
                series: 0,
                value,
                shown,
                period: window.map_or(USUAL, period),
                label: window.map_or("budget left".to_owned(), |window| window.to_string()),
            },
            worth: ONE,
            differences: match window {
                Some(_) => Vec::new(),
                None => vec![of_time_shown],
            },
        })
    }
}

/// A panel with an alert's line shows what the alarm looks at.
fn purpose(panel: &Panel) -> Purpose {
    let mut lines = panel.thresholds.iter();
    match lines.find(|line| line.role == Role::Alert) {
        Some(line) if line.upper => Purpose::HighAlarm,
        Some(_) => Purpose::LowAlarm,
        None => Purpose::Picture,
    }
}

/// The SLO whose budget, burn rate or good events a series shows.
pub(super) fn objective<'a>(slos: &'a [Slo], origin: &Origin) -> Option<&'a Slo> {
    match origin {
        Origin::Budget(name) | Origin::Burn(name, _) | Origin::Good(name, _) => {
            slos.iter().find(|slo| slo.name == *name)
        }
        Origin::Signal(_) | Origin::Query(_) => None,
    }
}
