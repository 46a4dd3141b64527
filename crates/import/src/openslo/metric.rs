//! Indicators: ratios, ratios that were computed before, thresholds.

use super::Library;
use crate::context::Cx;
use crate::fields::{Fields, one_line};
use crate::indicator::{self, Found};
use crate::query::{self, Query};
use slosmith_plan::plan::marker::WINDOW;
use slosmith_promql::{self as promql, ast::ExprKind, visit};
use slosmith_text::source::Span;
use slosmith_text::yaml;

pub(super) enum Indicator {
    Ratio {
        part: &'static str,
        events: Metric,
        total: Metric,
        is_counter: Option<bool>,
    },
    Raw {
        metric: Metric,
        is_success: bool,
    },
    Threshold(Metric),
    Unknown(Span, Vec<(&'static str, Metric)>),
}

pub(super) struct Metric {
    query: Option<yaml::Text>,
    kind: Option<String>,
    at: Span,
    comments: Vec<String>,
}

pub(super) struct Threshold {
    op: String,
    value: String,
    at: Span,
}

impl Threshold {
    pub(super) fn read(cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<Self> {
        let op = fields.text(cx, "op");
        let value = fields.text(cx, "value");
        let (op, value) = (op?, value?);
        Some(Self {
            op: op.value,
            at: value.span,
            value: value.value,
        })
    }

    fn bad(&self) -> Option<&'static str> {
        Some(match self.op.as_str() {
            "lte" => ">",
            "lt" => ">=",
            "gte" => "<",
            "gt" => "<=",
            _ => return None,
        })
    }
}

pub(super) fn of(
    cx: &mut Cx<'_>,
    library: &Library<'_>,
    fields: &mut Fields<'_>,
    comments: &mut Vec<String>,
) -> Option<Indicator> {
    if let Some(name) = fields.text(cx, "indicatorRef") {
        let (body, root) = library.get(cx, "SLI", &name, comments)?;
        let mut fields = Fields::of(cx, body, root, "")?;
        fields.skip(&["apiVersion", "kind"]);
        return Some(inline(cx, fields, comments));
    }
    let fields = fields.map(cx, "indicator")?;
    Some(inline(cx, fields, comments))
}

fn inline(cx: &mut Cx<'_>, mut fields: Fields<'_>, comments: &mut Vec<String>) -> Indicator {
    if let Some(mut metadata) = fields.map(cx, "metadata") {
        // The objective has names of its own.
        metadata.skip(&["name", "displayName"]);
        comments.extend(metadata.finish(cx));
    }
    // `v1alpha` has the metric without `spec` around it.
    let found = match fields.map(cx, "spec") {
        Some(mut spec) => {
            let found = indicator_of(cx, &mut spec, comments);
            comments.extend(spec.finish(cx));
            found
        }
        None => indicator_of(cx, &mut fields, comments),
    };
    comments.extend(fields.finish(cx));
    found
}

fn indicator_of(cx: &mut Cx<'_>, fields: &mut Fields<'_>, comments: &mut Vec<String>) -> Indicator {
    fields.skip(&["description"]);
    if let Some(ratio) = fields.map(cx, "ratioMetric") {
        ratio_of(cx, ratio, comments)
    } else if let Some(threshold) = fields.map(cx, "thresholdMetric") {
        Indicator::Threshold(metric(cx, threshold))
    } else {
        Indicator::Unknown(fields.span(), Vec::new())
    }
}

pub(super) fn alpha(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    comments: &mut Vec<String>,
) -> Option<Indicator> {
    let ratio = fields
        .map(cx, "ratioMetrics")
        .or_else(|| fields.map(cx, "ratioMetric"))?;
    Some(ratio_of(cx, ratio, comments))
}

fn ratio_of(cx: &mut Cx<'_>, mut fields: Fields<'_>, comments: &mut Vec<String>) -> Indicator {
    const PARTS: [&str; 4] = ["good", "bad", "total", "raw"];
    let at = fields.span();
    let counter = fields.text(cx, "counter");
    let is_counter = counter.map(|text| text.value == "true");
    let kind = fields.text(cx, "rawType");
    let mut of = |key: &str| {
        let found = fields.map(cx, key)?;
        Some(metric(cx, found))
    };
    let parts = PARTS.map(&mut of);
    comments.extend(fields.finish(cx));
    match parts {
        [Some(events), None, Some(total), None] => Indicator::Ratio {
            part: "good",
            events,
            total,
            is_counter,
        },
        [None, Some(events), Some(total), None] => Indicator::Ratio {
            part: "bad",
            events,
            total,
            is_counter,
        },
        [None, None, None, Some(metric)] => Indicator::Raw {
            metric,
            is_success: kind.is_some_and(|kind| kind.value == "success"),
        },
        parts => {
            let parts = PARTS.into_iter().zip(parts);
            let parts = parts.filter_map(|(name, metric)| Some((name, metric?)));
            Indicator::Unknown(at, parts.collect())
        }
    }
}

/// The query of a metric; sources differ in what they call it.
fn metric(cx: &mut Cx<'_>, mut fields: Fields<'_>) -> Metric {
    const QUERY: [&str; 4] = ["query", "promql", "queryString", "expr"];
    let at = fields.span();
    let mut found = Metric {
        query: None,
        kind: None,
        at,
        comments: Vec::new(),
    };
    fn query(cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<yaml::Text> {
        QUERY.iter().find_map(|key| fields.query(cx, key))
    }
    // `v1alpha` has everything at this place.
    found.query = query(cx, &mut fields);
    found.kind = fields.text(cx, "source").map(|kind| kind.value);
    fields.skip(&["queryType"]);
    if let Some(mut source) = fields.map(cx, "metricSource") {
        source.skip(&["metricSourceRef"]);
        found.kind = source.text(cx, "type").map(|kind| kind.value);
        if let Some(mut spec) = source.map(cx, "spec") {
            found.query = query(cx, &mut spec);
            found.comments.extend(spec.finish(cx));
        }
        found.comments.extend(source.finish(cx));
    }
    found.comments.extend(fields.finish(cx));
    found
}

impl Metric {
    /// The query, if it is PromQL; else the comment that says why not.
    fn promql(&self, cx: &mut Cx<'_>) -> Result<Query, String> {
        let Some(text) = &self.query else {
            let what = "this metric has no query";
            return Err(cx.lost(self.at, what, ""));
        };
        if let Some(kind) = self.kind.as_deref().filter(|kind| is_foreign(kind)) {
            let what = format!("query in `{kind}`, not in PromQL");
            return Err(cx.lost(text.span(), what, ""));
        }
        query::over_window(cx, text)
    }
}

/// True for a source that is neither Prometheus nor a program that speaks its language.
fn is_foreign(kind: &str) -> bool {
    const KNOWN: [&str; 7] = [
        "prom", "thanos", "mimir", "cortex", "victoria", "amp", "gmp",
    ];
    let kind = kind.to_ascii_lowercase();
    !KNOWN.iter().any(|known| kind.contains(known))
}

impl Indicator {
    pub(super) fn sli(
        &self,
        cx: &mut Cx<'_>,
        threshold: Option<&Threshold>,
        comments: &mut Vec<String>,
    ) -> Found {
        let found = match self {
            Self::Ratio {
                part,
                events,
                total,
                is_counter,
            } => {
                comments.extend([events, total].iter().flat_map(|metric| metric.comments.clone()));
                ratio(cx, (part, events), total, *is_counter, comments)
            }
            Self::Raw { metric, is_success } => {
                comments.extend(metric.comments.clone());
                raw(cx, metric, *is_success, comments)
            }
            Self::Threshold(metric) => {
                comments.extend(metric.comments.clone());
                beyond(cx, metric, threshold, comments)
            }
            Self::Unknown(at, _) => Err(cx.lost(
                *at,
                "unsupported indicator: use `good` or `bad` with `total`, `raw`, or a threshold metric",
                "",
            )),
        };
        found.unwrap_or_else(|comment| {
            comments.push(comment);
            self.keep(threshold, comments);
            (None, Vec::new())
        })
    }

    /// Keeps the parts that are not carried over as comments, for a manual fix.
    pub(super) fn keep(&self, threshold: Option<&Threshold>, comments: &mut Vec<String>) {
        let queries = match self {
            Self::Ratio {
                part,
                events,
                total,
                ..
            } => vec![(*part, events), ("total", total)],
            Self::Raw { metric, .. } => vec![("raw", metric)],
            Self::Threshold(metric) => vec![("threshold", metric)],
            Self::Unknown(_, parts) => parts.iter().map(|(name, metric)| (*name, metric)).collect(),
        };
        for (name, metric) in queries {
            if let Some(query) = &metric.query {
                indicator::commented(comments, name, &query.value);
            }
        }
        if let Some(Threshold { op, value, .. }) = threshold {
            comments.push(format!("op: {op}, value: {value}"));
        }
    }
}

fn ratio(
    cx: &mut Cx<'_>,
    (part, events): (&'static str, &Metric),
    total: &Metric,
    is_counter: Option<bool>,
    comments: &mut Vec<String>,
) -> Result<Found, String> {
    let (mut events, mut total) = (events.promql(cx)?, total.promql(cx)?);
    for query in [&mut events, &mut total] {
        let counts = is_counter.unwrap_or_else(|| is_counter_by_name(&query.text));
        windowed(
            cx,
            query,
            if counts { "increase" } else { "sum_over_time" },
            comments,
        );
    }
    Ok(indicator::events_of_all(
        cx,
        (part, events),
        total,
        comments,
    ))
}

/// True for a query of series whose names are those of counters.
fn is_counter_by_name(query: &str) -> bool {
    let Ok(expr) = promql::parse(query) else {
        return false;
    };
    let names = visit::selectors(&expr).into_iter();
    let mut names = names.filter_map(|selector| selector.metric.as_ref());
    names.any(|name| {
        let endings = ["_total", "_count", "_bucket", "_sum"];
        endings.iter().any(|end| name.text.ends_with(end))
    })
}

/// OpenSLO queries have no window: a query that is one series is taken over the window, any other is rewritten.
fn windowed(cx: &mut Cx<'_>, query: &mut Query, function: &str, comments: &mut Vec<String>) {
    if query.has_window() {
        return;
    }
    let Ok(expr) = promql::parse(&query.text) else {
        return;
    };
    let ranges = fixed_ranges(&expr, &query.text);
    let new = match (&visit::bare(&expr).kind, ranges.as_slice()) {
        (ExprKind::Selector(_), _) => {
            query.labels = Some(Vec::new());
            Some(format!("sum({function}({}[{WINDOW}]))", query.text))
        }
        (_, [_, ..]) => Some(with_window(&query.text, &ranges)),
        // A sum of counters or of gauges, over time.
        (_, []) if function == "sum_over_time" => {
            Some(format!("sum_over_time(({})[{WINDOW}:1m])", query.text))
        }
        (_, []) => increased(&expr, &query.text),
    };
    if let Some(new) = new {
        let what = format!(
            "query changed to `{}`, to use the windows of the SLO",
            one_line(&new)
        );
        comments.push(cx.changed(query.span, what));
        query.text = new;
    }
}

/// A sum of counters with their increase over the window in it.
fn increased(expr: &promql::ast::Expr, text: &str) -> Option<String> {
    let mut places = Vec::new();
    visit::walk(expr, &mut |node| {
        if matches!(node.kind, ExprKind::Selector(_)) {
            places.push(node.span.clone());
        }
    });
    places.sort_by_key(|place| place.start);
    let mut out = text.to_owned();
    for place in places.iter().rev() {
        let series = text.get(place.clone())?;
        out.replace_range(place.clone(), &format!("increase({series}[{WINDOW}])"));
    }
    Some(out)
}

/// Where the lengths of ranges are, without the brackets.
fn fixed_ranges(expr: &slosmith_promql::ast::Expr, text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    visit::walk(expr, &mut |node| {
        if matches!(node.kind, ExprKind::Range(_))
            && let Some(part) = text.get(node.span.clone())
            && let (Some(open), Some(close)) = (part.rfind('['), part.rfind(']'))
            && open < close
        {
            found.push(node.span.start + open + 1..node.span.start + close);
        }
    });
    found.sort_by_key(|range| range.start);
    found
}

fn with_window(text: &str, ranges: &[std::ops::Range<usize>]) -> String {
    let mut out = text.to_owned();
    for range in ranges.iter().rev() {
        out.replace_range(range.clone(), WINDOW);
    }
    out
}

/// A ratio that is a metric: its mean over the window.
fn raw(
    cx: &mut Cx<'_>,
    metric: &Metric,
    is_success: bool,
    comments: &mut Vec<String>,
) -> Result<Found, String> {
    let mut query = metric.promql(cx)?;
    if !query.has_window() {
        query.text = format!("avg(avg_over_time(({})[{WINDOW}:1m]))", query.text);
        query.labels = Some(Vec::new());
    }
    if is_success {
        query.text = format!("1 - (\n  {}\n)", query.text.replace('\n', "\n  "));
    }
    Ok(indicator::ratio(cx, query, comments))
}

/// A value beyond a bound: the share of time in which it is bad.
fn beyond(
    cx: &mut Cx<'_>,
    metric: &Metric,
    threshold: Option<&Threshold>,
    comments: &mut Vec<String>,
) -> Result<Found, String> {
    let Some(threshold) = threshold else {
        return Err(cx.lost(
            metric.at,
            "this threshold metric has no `op` and `value`",
            "",
        ));
    };
    let Some(bad) = threshold.bad() else {
        let what = format!("comparison `{}`", threshold.op);
        return Err(cx.lost(threshold.at, what, "use lte, lt, gte or gt"));
    };
    let query = metric.promql(cx)?;
    if query.has_window() {
        return Err(cx.lost(
            query.span,
            "threshold metric with a range over the SLO window",
            "",
        ));
    }
    let what = format!(
        "threshold converted to a share of time: the time with a value {bad} {} is bad",
        threshold.value
    );
    comments.push(cx.changed(threshold.at, what));
    let compared = |text: &str| format!("avg_over_time(({text})[{WINDOW}:1m])");
    let text = match query.labels {
        Some(_) => compared(&format!("({}) {bad} bool {}", query.text, threshold.value)),
        None => format!(
            "avg({})",
            compared(&format!("({}) {bad} bool {}", query.text, threshold.value))
        ),
    };
    let labels = query.labels.or(Some(Vec::new()));
    let query = Query {
        text,
        labels,
        ..query
    };
    Ok(indicator::ratio(cx, query, comments))
}
