//! One panel of a spec.

use std::rc::Rc;

use super::Panels;
use super::thresholds::{self, Watch};
use super::variables::filtered;
use crate::context::Outcome;
use crate::request::SignalRequest;
use crate::{bound, doubts, family};
use slosmith_plan::plan::dashboard::{
    Draw, Origin, Panel, PanelSignal, Place, Role, Series, Size, Threshold,
};
use slosmith_plan::plan::words::{capital, reading};
use slosmith_plan::plan::{DEFAULT_WINDOW, Query, Signal, SignalKind, Source, ValueUnit, Window};
use slosmith_plan::query::{self, SignalQuery};
use slosmith_promql::{self as promql, Dialect};
use slosmith_spec::spec::{self, Across, GraphKind, PanelKind, Selection, Stat, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Duration, Number, Per, Unit, decimal};

/// A series of a panel as the author writes it.
struct PanelSeries<'s> {
    title: Option<&'s Text>,
    name: &'s Text,
    stat: Option<Spanned<Stat>>,
    window: Option<Spanned<Duration>>,
    /// True where the window is said of this reading alone.
    said: bool,
    of: Selection<'s>,
}

#[derive(Clone, Copy)]
struct Lines {
    alerts: bool,
    targets: bool,
}

impl Lines {
    fn wanted(p: &spec::Panel) -> Self {
        let given = |role| {
            let all = p.thresholds.iter().flat_map(|list| &list.value);
            all.into_iter()
                .any(|threshold| threshold.value.role == role)
        };
        Self {
            alerts: !given(Role::Alert),
            targets: !given(Role::Target),
        }
    }
}

#[derive(Default)]
struct Content {
    series: Vec<Series>,
    units: Vec<(ValueUnit, Span)>,
    thresholds: Vec<Threshold>,
    about: Vec<String>,
    how: Vec<String>,
    watched: Vec<String>,
    alerts: Vec<String>,
    /// The thresholds of alerts that others of the panel replace.
    replaced: Vec<Threshold>,
    leads: Vec<String>,
    runbooks: Vec<(String, String)>,
    lower: bool,
    window: Option<Duration>,
    /// The last boundary of the histogram that percentiles are read from.
    ends: Option<Number>,
}

impl Panels<'_, '_> {
    pub(super) fn panel(&mut self, panel: &Spanned<spec::Panel>, row: &spec::Row) -> Vec<Panel> {
        let p = &panel.value;
        let kind = p.kind.map_or(PanelKind::default(), |kind| kind.value);
        let mut panels = match kind {
            PanelKind::Slo => self.named_slo(p),
            PanelKind::Alerts => vec![self.firing(p.title.as_ref())],
            PanelKind::Text => vec![text(p)],
            PanelKind::Graph(kind) => self.values(panel, row, kind).into_iter().collect(),
        };
        match (p.position, panels.as_mut_slice()) {
            (Some(position), [panel]) => {
                let spec::Position { x, y, w, h } = position.value;
                panel.size = Size::At(Place { x, y, w, h });
            }
            (Some(position), [_, ..]) => {
                let message =
                    "`position` cannot be set for an SLO: its panels are placed automatically";
                self.cx.reject_field("position", position.span, message);
            }
            _ => {}
        }
        panels
    }

    fn values(
        &mut self,
        panel: &Spanned<spec::Panel>,
        row: &spec::Row,
        kind: GraphKind,
    ) -> Option<Panel> {
        let p = &panel.value;
        let mut content = Content::default();
        let window = match p.window.or(row.window) {
            Some(window) => Some(window),
            None => self.common_window(p)?,
        };
        let lines = Lines::wanted(p);
        if let Some(list) = &p.series {
            for series in &list.value {
                self.series(&series.value, window, kind, lines, &mut content)?;
            }
        } else if let Some(text) = &p.promql {
            self.raw(text, p.unit, None, &mut content)?;
        } else {
            self.signal(p, window, kind, lines, &mut content)?;
        }
        if content.series.is_empty() {
            let title = p.title.as_ref().or(p.signal.as_ref());
            self.left_out.extend(title.map(|title| title.value.clone()));
            return None;
        }
        if let Some(title) = &p.title {
            doubts::panel(self.cx, title, &content.series);
        }
        let unit = self.common_unit(&content)?;
        if let Some(list) = &p.thresholds {
            for threshold in &list.value {
                let upper = !content.lower;
                let line = thresholds::given(self.cx, threshold, unit, upper);
                doubts::threshold(self.cx, threshold, line.as_ref(), &content.replaced);
                content.thresholds.extend(line);
            }
        }
        let drawn = thresholds::drawn(std::mem::take(&mut content.thresholds));
        let runbook = p.runbook.as_ref().map(|name| self.runbook(name));
        content.runbooks.extend(runbook);
        let title = match content.window.filter(|_| is_now(kind)) {
            Some(window) => format!("{} · last {window}", self.title(p)),
            None => self.title(p),
        };
        Some(Panel {
            id: 0,
            title: match kind {
                GraphKind::Number | GraphKind::Gauge => thresholds::titled(&title, &drawn),
                _ => title,
            },
            description: described(p.description.as_ref(), &content),
            draw: kind.into(),
            series: content.series,
            unit,
            thresholds: drawn,
            alerts: content.alerts,
            leads: content.leads,
            objective: None,
            past: None,
            ends: content.ends,
            links: content.runbooks,
            size: match kind {
                GraphKind::Number | GraphKind::Gauge | GraphKind::Status => Size::Small,
                _ => Size::Large,
            },
        })
    }

    /// The rate window of the alert on one of a panel's percentiles: with different windows, p99 could be below p95.
    fn common_window(&mut self, p: &spec::Panel) -> Option<Option<Spanned<Duration>>> {
        let mut read: Vec<(Rc<Signal>, Stat, Span)> = Vec::new();
        let given = p.series.iter().flat_map(|list| &list.value);
        for series in given {
            if let (Some(name), Some(stat)) = (&series.value.signal, series.value.one_stat()) {
                let signal = self.found(name)?;
                read.extend(signal.map(|signal| (signal, stat.value, name.span)));
            }
        }
        if let Some(name) = &p.signal
            && let Some(signal) = self.found(name)?
        {
            let usual = || usual_stats(signal.kind(), GraphKind::Timeseries, name.span);
            let stats = p.stat.as_ref().map(|stats| stats.value.0.clone());
            let stats = stats.unwrap_or_else(|| usual().into_iter().flatten().collect());
            let stats = stats.iter();
            read.extend(stats.map(|stat| (Rc::clone(&signal), stat.value, name.span)));
        }
        read.retain(|(_, stat, _)| matches!(stat, Stat::Quantile(_)));
        if read.len() < 2 {
            return Some(None);
        }
        let page = &self.cx.spec.severities.page.name.value;
        let watches = thresholds::watches(self.alerts, page);
        Some(read.iter().find_map(|(signal, stat, at)| {
            let mut watches = watches.iter();
            let watch = watches.find(|watch| thresholds::is_on(watch, signal, *stat))?;
            Some(Spanned::new(watch.compare.window, *at))
        }))
    }

    fn title(&mut self, p: &spec::Panel) -> String {
        if let Some(title) = &p.title {
            return title.value.clone();
        }
        let name = p.signal.as_ref();
        let signal = name.and_then(|name| self.cx.optional_signal(name));
        signal.map_or_else(String::new, |signal| signal.title.clone())
    }

    fn runbook(&mut self, name: &Text) -> (String, String) {
        let links = self.cx.links("", Some(name));
        let url = links.runbook.trim_end_matches('#').to_owned();
        match links.elsewhere {
            true => ("Runbook".to_owned(), url),
            false => (format!("Runbook {name}"), url),
        }
    }

    fn signal(
        &mut self,
        p: &spec::Panel,
        window: Option<Spanned<Duration>>,
        kind: GraphKind,
        lines: Lines,
        content: &mut Content,
    ) -> Option<()> {
        let name = p.signal.as_ref()?;
        let stats: Vec<Option<Spanned<Stat>>> = match &p.stat {
            Some(stats) => stats.value.0.iter().copied().map(Some).collect(),
            None => {
                let Some(signal) = self.found(name)? else {
                    return Some(());
                };
                usual_stats(signal.kind(), kind, name.span)
            }
        };
        let several = stats.len() > 1;
        for stat in stats {
            let wanted = PanelSeries {
                title: None,
                name,
                stat,
                window,
                said: p.window.is_some() && !several,
                of: p.selection(),
            };
            self.add(&wanted, kind, lines, several, content)?;
        }
        Some(())
    }

    fn series(
        &mut self,
        s: &spec::Series,
        window: Option<Spanned<Duration>>,
        kind: GraphKind,
        lines: Lines,
        content: &mut Content,
    ) -> Option<()> {
        if let Some(text) = &s.promql {
            return self.raw(text, s.unit, s.title.as_ref(), content);
        }
        let name = s.signal.as_ref()?;
        let Some(signal) = self.found(name)? else {
            return Some(());
        };
        let usual = || usual_stats(signal.kind(), GraphKind::Number, name.span);
        let wanted = PanelSeries {
            title: s.title.as_ref(),
            name,
            stat: s
                .one_stat()
                .or_else(|| usual().into_iter().next().flatten()),
            window: s.window.or(window),
            said: s.window.is_some(),
            of: s.selection(),
        };
        let title = signal.title.clone();
        self.add(&wanted, kind, lines, false, content)?;
        if let Some(last) = content
            .series
            .last_mut()
            .filter(|last| last.title.is_empty())
        {
            last.title = title;
        }
        Some(())
    }

    fn found(&mut self, name: &Text) -> Option<Option<Rc<Signal>>> {
        match self.cx.outcome(name) {
            Outcome::Ready(signal) => Some(Some(signal)),
            Outcome::LeftOut(_) => Some(None),
            Outcome::Failed => None,
        }
    }

    fn add(
        &mut self,
        wanted: &PanelSeries<'_>,
        kind: GraphKind,
        lines: Lines,
        several: bool,
        content: &mut Content,
    ) -> Option<()> {
        let Some(found) = self.found(wanted.name)? else {
            return Some(());
        };
        let signal = &*family::narrowed(self.cx, &found, wanted.of)?;
        self.check_kind(kind, signal, wanted.name)?;
        let request = SignalRequest {
            signal,
            stat: wanted.stat,
            window: wanted.window,
            of: wanted.of,
            at: wanted.name.span,
        };
        let mut read = self.cx.read(&request)?;
        if wanted.said {
            self.cx.check_window_used(&read, wanted.window);
        }
        if matches!(kind, GraphKind::Stacked | GraphKind::Bars) && !adds_up(signal, read.stat) {
            self.check_stack(wanted, signal, read.stat)?;
            // The means of several phases are parts of one time; the means of several label sets are not.
            read.labels.clear();
        }
        let page = self.cx.spec.severities.page.name.value.clone();
        let all = thresholds::watches(self.alerts, &page);
        let on: Vec<&Watch<'_>> = all
            .iter()
            .filter(|watch| thresholds::is_on(watch, signal, read.stat))
            .collect();
        let filtered = filtered(signal, &self.variables);
        let watched = on.first().map(|watch| watch.compare.window);
        let window = wanted.window.map(|window| window.value).or(watched);
        let shown = SignalQuery {
            signal: &filtered,
            window: match (window, &signal.source) {
                (Some(window), _) => Window::Fixed(window),
                // PromQL from the spec has no window that could follow the zoom.
                (None, Source::Raw(_)) => read.window,
                // A number must not depend on the zoom.
                (None, _) if is_now(kind) => Window::Fixed(DEFAULT_WINDOW),
                (None, _) => Window::Zoom,
            },
            ..read
        };
        let unit = bound::unit(&shown, on.first().and_then(|watch| watch.compare.unit.per));
        let labels = shown.labels.clone();
        let (query, unit) = match kind {
            // The axis of a heatmap shows the measured value, not its rate.
            GraphKind::Heatmap => (query::buckets(&shown)?, ValueUnit::plain(signal.unit)),
            _ => {
                let query = query::query(&shown, None);
                let expr = query::per_time(query.expr, unit);
                (Query { expr, ..query }, unit)
            }
        };
        self.seen.add(signal);
        if matches!(shown.stat, Stat::Quantile(_)) {
            let last = signal.buckets().last();
            let last = last.map(|bucket| bucket.bound * signal.scale);
            content.ends = content.ends.max(last);
        }
        content.units.push((unit, wanted.name.span));
        content.series.push(Series {
            title: match wanted.title {
                Some(title) => title.value.clone(),
                None if several => shown.stat.to_string(),
                None => String::new(),
            },
            query,
            origin: Origin::Signal(Box::new(PanelSignal {
                signal: signal.clone(),
                stat: shown.stat,
                window,
                by: wanted
                    .of
                    .named()
                    .iter()
                    .map(|label| label.value.clone())
                    .collect(),
                replaces: wanted.of.group_by.is_some(),
            })),
        });
        content.describe(signal, reading(signal, shown.stat, shown.window.usual()));
        content.explain(signal, shown.stat, shown.window);
        let fitting: Vec<_> = on.iter().copied().filter(|w| w.fits(&labels)).collect();
        content.watch(&fitting, unit, lines.alerts);
        let leads = on.iter().filter(|watch| watch.leads_to(&labels));
        content.lead(leads.map(|watch| watch.alert));
        if lines.targets {
            let targets = thresholds::targets(self.slos, &on, signal, shown.stat, unit);
            content.thresholds.extend(targets);
        }
        Some(())
    }

    /// Among values that do not add up, only means of a distribution without labels may be stacked.
    fn check_stack(&mut self, wanted: &PanelSeries<'_>, signal: &Signal, stat: Stat) -> Option<()> {
        let is_mean = stat == Stat::Avg && signal.kind() == SignalKind::Histogram;
        if is_mean && wanted.of.named().is_empty() {
            return Some(());
        }
        let name = wanted.name;
        let message =
            format!("values of `{name}` (`{stat}`) cannot be stacked: their sum has no meaning");
        let at = wanted.stat.map_or(name.span, |stat| stat.span);
        let error = Diagnostic::error("wrong-kind", at, message);
        self.cx.sink.push(error.help("use `kind: timeseries`"));
        None
    }

    fn check_kind(&mut self, kind: GraphKind, signal: &Signal, name: &Text) -> Option<()> {
        let (fits, wanted) = match kind {
            GraphKind::Heatmap => (
                signal.kind() == SignalKind::Histogram,
                "a heatmap needs a histogram",
            ),
            GraphKind::Status => (
                signal.unit == Unit::Bool,
                "a status panel needs a signal with `unit: bool`",
            ),
            _ => (true, ""),
        };
        if fits {
            return Some(());
        }
        let found = match kind {
            GraphKind::Heatmap => format!("is a {}", signal.kind().as_str()),
            _ => format!("has `unit: {}`", signal.unit.as_str()),
        };
        let message = format!("{wanted}; `{name}` {found}");
        let error = Diagnostic::error("wrong-kind", name.span, message);
        self.cx.sink.push(error.help("use `kind: timeseries`"));
        None
    }

    fn raw(
        &mut self,
        text: &Text,
        unit: Option<Spanned<Unit>>,
        title: Option<&Text>,
        content: &mut Content,
    ) -> Option<()> {
        let mut expr = match promql::parse_with(&text.value, Dialect::Grafana) {
            Ok(expr) => expr,
            Err(error) => {
                let at = self.cx.document.inside(text, error.span);
                let message = format!("PromQL: {}", error.message);
                let error = Diagnostic::error("bad-promql", at, message).maybe_help(error.help);
                self.cx.sink.push(error);
                return None;
            }
        };
        family::check_names(self.cx, &mut expr, text);
        let labels = promql::kept_labels(&expr).names().unwrap_or_default();
        let unit = ValueUnit::plain(unit.map_or(Unit::Count, |unit| unit.value));
        content.units.push((unit, text.span));
        content.about.push("A query from the spec.".to_owned());
        content.series.push(Series {
            title: title.map_or_else(String::new, |title| title.value.clone()),
            query: Query { expr, labels },
            origin: Origin::Query("the query is PromQL from the spec"),
        });
        Some(())
    }

    /// The common unit of all series; amounts of different things are still amounts.
    fn common_unit(&mut self, content: &Content) -> Option<ValueUnit> {
        let (first, _) = content.units.first().copied()?;
        let counts = |unit: Unit| {
            matches!(
                unit,
                Unit::Count | Unit::Requests | Unit::Tokens | Unit::Bool
            )
        };
        let mut common = first;
        for (unit, at) in &content.units[1..] {
            let seconds = |per: Option<Per>| per.map(|per| per.seconds);
            let alike = seconds(unit.per) == seconds(common.per);
            if alike && unit.unit == common.unit {
                continue;
            }
            if alike && counts(unit.unit) && counts(common.unit) {
                common.unit = Unit::Count;
                continue;
            }
            let message = format!(
                "one panel cannot show both {} and {}",
                words(*unit),
                words(common)
            );
            let error = Diagnostic::error("wrong-unit", *at, message);
            self.cx
                .sink
                .push(error.help("use a separate panel for each"));
            return None;
        }
        Some(common)
    }
}

impl Content {
    /// Adds the description of a signal, or its reading if the signal has none.
    fn describe(&mut self, signal: &Signal, reading: String) {
        let text = match &signal.description {
            Some(text) => text.clone(),
            None => format!("{}.", capital(&reading)),
        };
        if !self.about.contains(&text) {
            self.about.push(text);
        }
    }

    fn explain(&mut self, signal: &Signal, stat: Stat, window: Window) {
        let meaning = match stat {
            Stat::Quantile(quantile) => Some(percentile(quantile, signal.unit)),
            Stat::Rate | Stat::Avg | Stat::Increase if !signal.is_instant(stat) => None,
            _ => return,
        };
        if let Window::Fixed(window) = window {
            self.window = Some(window);
        }
        let span = match window {
            Window::Fixed(window) => format!("Each point covers the previous {window}."),
            Window::Zoom if stat == Stat::Avg && signal.kind() == SignalKind::Gauge => {
                "Averaging window: follows the zoom level (`$__rate_interval`).".to_owned()
            }
            Window::Zoom => "Rate window: follows the zoom level (`$__rate_interval`).".to_owned(),
        };
        // The window comes last, behind all percentiles.
        self.how.retain(|known| *known != span);
        for text in meaning.into_iter().chain([span]) {
            if !self.how.contains(&text) {
                self.how.push(text);
            }
        }
    }

    fn lead<'w>(&mut self, alerts: impl Iterator<Item = &'w str>) {
        for alert in alerts {
            if !self.leads.iter().any(|known| known == alert) {
                self.leads.push(alert.to_owned());
            }
        }
    }

    fn watch(&mut self, on: &[&Watch<'_>], unit: ValueUnit, lines: bool) {
        let alone = on.iter().filter(|watch| watch.fires_alone());
        let side = alone.filter_map(|watch| watch.is_upper()).next();
        for watch in on {
            let line = thresholds::line(watch, unit);
            // A guard on the other side, such as a short queue beside an idle GPU, is no fault.
            let line = line
                .filter(|line| watch.fires_alone() || side.is_none_or(|upper| upper == line.upper));
            self.lower |= line.as_ref().is_some_and(|line| !line.upper);
            match lines {
                true => self.thresholds.extend(line),
                false => self.replaced.extend(line),
            }
            if self.alerts.iter().any(|alert| alert == watch.alert) {
                continue;
            }
            self.alerts.push(watch.alert.to_owned());
            self.watched.push(watch.words());
            let link = (
                format!("Runbook: {}", watch.alert),
                watch.runbook.to_owned(),
            );
            self.runbooks.push(link);
        }
    }
}

/// True for panels of one value, whose title has its window: a graph shows its time on an axis.
fn is_now(kind: GraphKind) -> bool {
    matches!(kind, GraphKind::Number | GraphKind::Gauge)
}

fn words(unit: ValueUnit) -> String {
    match unit.per {
        Some(per) => format!("{} per {}", unit.unit.as_str(), per.name),
        None => unit.unit.as_str().to_owned(),
    }
}

fn described(own: Option<&Text>, content: &Content) -> String {
    let about = match own {
        Some(text) => vec![text.value.clone()],
        None => content.about.clone(),
    };
    let how = [content.how.join(" ")];
    let how = how.into_iter().filter(|text| !text.is_empty());
    let all = about.into_iter().chain(how).chain(content.watched.clone());
    all.collect::<Vec<_>>().join("\n\n")
}

fn text(p: &spec::Panel) -> Panel {
    let own = |text: &Option<Text>| text.as_ref().map_or_else(String::new, |t| t.value.clone());
    Panel {
        size: Size::Fixed(slosmith_plan::plan::dashboard::COLUMNS, 4),
        ..blank(own(&p.title), Draw::Text(own(&p.text)))
    }
}

/// `p95: 95% of the measured times were shorter.`
fn percentile(quantile: Number, unit: Unit) -> String {
    let share = match quantile == Number::new(1, 2) {
        true => "half".to_owned(),
        false => format!("{}%", decimal(quantile * 100)),
    };
    let values = match unit {
        Unit::Seconds => "measured times were shorter",
        _ => "values were lower",
    };
    format!("{}: {share} of the {values}.", Stat::Quantile(quantile))
}

pub(super) fn names(labels: &[String]) -> String {
    let names: Vec<_> = labels.iter().map(|label| format!("`{label}`")).collect();
    names.join(", ")
}

pub(super) fn blank(title: String, draw: impl Into<Draw>) -> Panel {
    Panel {
        id: 0,
        title,
        description: String::new(),
        draw: draw.into(),
        series: Vec::new(),
        unit: ValueUnit::plain(Unit::Count),
        thresholds: Vec::new(),
        alerts: Vec::new(),
        leads: Vec::new(),
        objective: None,
        past: None,
        ends: None,
        links: Vec::new(),
        size: Size::Large,
    }
}

/// True when values of several label sets may be added.
fn adds_up(signal: &Signal, stat: Stat) -> bool {
    match (signal.kind(), stat) {
        (SignalKind::Ratio, _) | (_, Stat::Quantile(_)) => false,
        (_, Stat::Rate | Stat::Increase) => true,
        (kind, _) => kind == SignalKind::Gauge && signal.across == Across::Sum,
    }
}

/// The default statistics of a panel: the usual percentiles for a distribution.
fn usual_stats(kind: SignalKind, drawn: GraphKind, at: Span) -> Vec<Option<Spanned<Stat>>> {
    let percent = |p: i128| Some(Spanned::new(Stat::Quantile(Number::new(p, 100)), at));
    match (kind, drawn) {
        (SignalKind::Histogram, GraphKind::Timeseries) => [50, 95, 99].map(percent).into(),
        (SignalKind::Histogram, GraphKind::Heatmap | GraphKind::Stacked | GraphKind::Bars) => {
            vec![Some(Spanned::new(Stat::Rate, at))]
        }
        (SignalKind::Histogram, _) => vec![percent(95)],
        _ => vec![None],
    }
}
