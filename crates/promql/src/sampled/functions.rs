//! Functions over ranges, and the few others that generated rules call.

use super::series::{offset, unnamed};
use super::{Labels, Model, Row};
use crate::ast::{Call, Expr, ExprKind};
use crate::visit;

/// Samples with their times, oldest first.
type Samples = Vec<(i64, f64)>;

/// Series over a range: how long ago it ends, how long it is, and all samples.
struct Ranges {
    ago: i64,
    length: i64,
    all: Vec<(Labels, Samples)>,
}

impl Model {
    pub(super) fn call(&self, call: &Call, times: &[i64]) -> Option<Vec<Row>> {
        let args = &call.args;
        let each = |f: &dyn Fn(f64) -> f64| {
            let values = |v: Vec<Option<f64>>| v.into_iter().map(|v| v.map(f)).collect();
            let rows = self.rows(args.first()?, times)?.into_iter();
            Some(rows.map(|(l, v)| (unnamed(l), values(v))).collect())
        };
        match call.function.text.as_str() {
            "histogram_quantile" => {
                quantiles(self.scalar(args.first()?)?, self.rows(args.get(1)?, times)?)
            }
            "abs" => each(&f64::abs),
            "round" if args.len() == 1 => each(&|v| (v + 0.5).floor()),
            "clamp_min" => {
                let least = self.scalar(args.get(1)?)?;
                each(&|v| v.max(least))
            }
            "clamp_max" => {
                let most = self.scalar(args.get(1)?)?;
                each(&|v| v.min(most))
            }
            "absent" => {
                let rows = self.rows(args.first()?, times)?;
                let none = |i: usize| rows.iter().all(|(_, values)| values[i].is_none());
                let values = (0..times.len()).map(|i| none(i).then_some(1.0));
                Some(vec![(Labels::new(), values.collect())])
            }
            "timestamp" => {
                let inner = visit::bare(args.first()?);
                if let ExprKind::Selector(selector) = &inner.kind {
                    let rows = self.newest(selector, times, |_, time| time as f64)?;
                    return Some(rows.into_iter().map(|(l, v)| (unnamed(l), v)).collect());
                }
                let rows = self.rows(inner, times)?.into_iter();
                let at =
                    |(time, value): (&i64, Option<f64>)| value.map(|_| (self.origin + time) as f64);
                let row = |(l, v): Row| (unnamed(l), times.iter().zip(v).map(at).collect());
                Some(rows.map(row).collect())
            }
            "vector" => {
                let value = self.scalar(args.first()?)?;
                Some(vec![(Labels::new(), vec![Some(value); times.len()])])
            }
            "label_replace" => self.label_replace(args, times),
            "sum_over_time" => self.sum_over_time(args.first()?, times),
            name => self.over_time(function(name)?, args.first()?, times),
        }
    }

    /// With a fixed value alone: without a pattern.
    fn label_replace(&self, args: &[Expr], times: &[i64]) -> Option<Vec<Row>> {
        let [inner, label, value, source, pattern] = args else {
            return None;
        };
        let text = |arg: &Expr| match &visit::bare(arg).kind {
            ExprKind::String(text) => Some(text.value.clone()),
            _ => None,
        };
        let (label, value) = (text(label)?, text(value)?);
        if !text(source)?.is_empty() || !text(pattern)?.is_empty() || value.contains('$') {
            return None;
        }
        let rows = self.rows(inner, times)?.into_iter();
        let row = |(mut labels, values): Row| {
            labels.insert(label.clone(), value.clone());
            (labels, values)
        };
        Some(rows.map(row).collect())
    }

    fn over_time(&self, function: Function, expr: &Expr, times: &[i64]) -> Option<Vec<Row>> {
        let ranges = self.ranges(expr, times)?;
        let row = |(labels, samples): (Labels, Samples)| {
            // Moments ascend, and so do both ends of the window.
            let (mut from, mut to) = (0, 0);
            let value = |now: &i64| {
                let (end, start) = (now - ranges.ago, now - ranges.ago - ranges.length);
                let is_before = |t: i64| t < start || (!self.closed && t == start);
                while samples.get(to).is_some_and(|(t, _)| *t <= end) {
                    to += 1;
                }
                while from < to && is_before(samples[from].0) {
                    from += 1;
                }
                function(&samples[from..to], end, ranges.length)
            };
            (unnamed(labels), times.iter().map(value).collect())
        };
        Some(ranges.all.into_iter().map(row).collect())
    }

    /// Sums of windows that share most of their samples: each is the difference of two sums from the first sample on, which have twice
    /// the digits, so that the difference is exact.
    fn sum_over_time(&self, expr: &Expr, times: &[i64]) -> Option<Vec<Row>> {
        let ranges = self.ranges(expr, times)?;
        let row = |(labels, samples): (Labels, Samples)| {
            // One infinity, or NaN, would be in all sums after it.
            let is_finite = samples.iter().all(|(_, value)| value.is_finite());
            let mut sums = vec![(0.0, 0.0)];
            for (_, value) in samples.iter().filter(|_| is_finite) {
                sums.push(add(sums[sums.len() - 1], *value));
            }
            let value = |now: &i64| {
                let (end, start) = (now - ranges.ago, now - ranges.ago - ranges.length);
                let from =
                    samples.partition_point(|(t, _)| *t < start || (!self.closed && *t == start));
                let to = samples.partition_point(|(t, _)| *t <= end);
                (from < to).then(|| {
                    if !is_finite {
                        return sum(&samples[from..to]);
                    }
                    let difference = add(add(sums[to], -sums[from].0), -sums[from].1);
                    difference.0 + difference.1
                })
            };
            (unnamed(labels), times.iter().map(value).collect())
        };
        Some(ranges.all.into_iter().map(row).collect())
    }

    fn ranges(&self, expr: &Expr, times: &[i64]) -> Option<Ranges> {
        let samples = |(labels, values): Row, at: &[i64]| {
            let all = at.iter().zip(values);
            let all = all.filter_map(|(t, value)| Some((*t, value?))).collect();
            (labels, all)
        };
        match &expr.kind {
            ExprKind::Range(range) => {
                let (ago, length) = (offset(&range.selector.at)?, range.range.millis / 1_000);
                // The samples that the windows hold.
                let from = times.first().map_or(0, |t| t - ago - length).max(0) / self.step;
                let to = times.last().map_or(0, |t| t - ago).max(0) / self.step + 1;
                let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
                let all = self.selected(&range.selector).map(|series| {
                    let steps = from..to.min(series.samples.len()).max(from);
                    let known = series.samples.get(steps.clone()).unwrap_or_default();
                    let at =
                        |(i, value): (usize, &Option<f64>)| Some((i as i64 * self.step, (*value)?));
                    (
                        series.labels.clone(),
                        steps.zip(known).filter_map(at).collect(),
                    )
                });
                Some(Ranges {
                    ago,
                    length,
                    all: all.collect(),
                })
            }
            ExprKind::Subquery(sub) => {
                let (ago, length) = (offset(&sub.at)?, sub.range.millis / 1_000);
                let every = sub.step.as_ref()?.millis / 1_000;
                (every > 0).then_some(())?;
                let last = times.last().map_or(0, |t| t - ago);
                let first = times.first().map_or(0, |t| t - ago - length).max(0) / every;
                let at: Vec<i64> = (first..=last / every).map(|i| i * every).collect();
                let rows = self.rows(&sub.expr, &at)?.into_iter();
                Some(Ranges {
                    ago,
                    length,
                    all: rows.map(|row| samples(row, &at)).collect(),
                })
            }
            _ => None,
        }
    }
}

/// From samples, the end of their range and its length to a value.
type Function = fn(&[(i64, f64)], i64, i64) -> Option<f64>;

fn function(name: &str) -> Option<Function> {
    Some(match name {
        "rate" => |s, end, length| Some(grown(s, end, length)? / length as f64),
        "increase" => grown,
        "avg_over_time" => |s, _, _| mean(s),
        "count_over_time" => |s, _, _| Some(s.len() as f64).filter(|n| *n > 0.0),
        "min_over_time" => |s, _, _| s.iter().map(|(_, v)| *v).reduce(f64::min),
        "max_over_time" => |s, _, _| s.iter().map(|(_, v)| *v).reduce(f64::max),
        "last_over_time" => |s, _, _| s.last().map(|(_, v)| *v),
        "present_over_time" => |s, _, _| s.first().map(|_| 1.0),
        "resets" => |s, _, _| {
            let fell = s.windows(2).filter(|two| two[1].1 < two[0].1).count();
            Some(fell as f64).filter(|_| !s.is_empty())
        },
        "changes" => |s, _, _| {
            let changed = s.windows(2).filter(|two| two[1].1 != two[0].1).count();
            Some(changed as f64).filter(|_| !s.is_empty())
        },
        "stddev_over_time" => |s, _, _| {
            let mean = mean(s)?;
            let squares = s.iter().map(|(_, v)| (v - mean) * (v - mean)).sum::<f64>();
            Some((squares / s.len() as f64).sqrt())
        },
        "deriv" => |s, _, _| slope(s),
        _ => return None,
    })
}

/// A sum in two parts, the second of which is what the first has no digits for (Neumaier).
fn add((sum, rest): (f64, f64), value: f64) -> (f64, f64) {
    let next = sum + value;
    let lost = match sum.abs() >= value.abs() {
        true => (sum - next) + value,
        false => (value - next) + sum,
    };
    (next, rest + lost)
}

fn sum(samples: &[(i64, f64)]) -> f64 {
    samples.iter().map(|(_, v)| v).sum()
}

fn mean(samples: &[(i64, f64)]) -> Option<f64> {
    (!samples.is_empty()).then(|| sum(samples) / samples.len() as f64)
}

fn slope(samples: &[(i64, f64)]) -> Option<f64> {
    let (first, _) = *samples.first().filter(|_| samples.len() > 1)?;
    let n = samples.len() as f64;
    let at = |t: i64| (t - first) as f64;
    let (x, y) = (
        samples.iter().map(|(t, _)| at(*t)).sum::<f64>(),
        sum(samples),
    );
    let xy = samples.iter().map(|(t, v)| at(*t) * v).sum::<f64>();
    let xx = samples.iter().map(|(t, _)| at(*t) * at(*t)).sum::<f64>();
    Some((xy - x * y / n) / (xx - x * x / n))
}

/// What a counter has grown by over a range, carried on to its ends as Prometheus does.
fn grown(samples: &[(i64, f64)], end: i64, length: i64) -> Option<f64> {
    let ((first_at, first), (last_at, last)) = (*samples.first()?, *samples.last()?);
    if samples.len() < 2 {
        return None;
    }
    let resets = samples.windows(2).filter(|two| two[1].1 < two[0].1);
    let result = last - first + resets.map(|two| two[0].1).sum::<f64>();
    let sampled = (last_at - first_at) as f64;
    let apart = sampled / (samples.len() - 1) as f64;
    let near = |gap: f64| match gap >= apart * 1.1 {
        true => apart / 2.0,
        false => gap,
    };
    let mut before = near((first_at - (end - length)) as f64);
    if result > 0.0 && first >= 0.0 {
        before = before.min(sampled * first / result);
    }
    let after = near((end - last_at) as f64);
    Some(result * (sampled + before + after) / sampled)
}

fn quantiles(q: f64, buckets: Vec<Row>) -> Option<Vec<Row>> {
    type Bucket = (f64, Vec<Option<f64>>);
    let mut groups: Vec<(Labels, Vec<Bucket>)> = Vec::new();
    for (labels, counts) in buckets {
        let mut labels = unnamed(labels);
        let bound: f64 = labels.remove("le")?.parse().ok()?;
        match groups.iter_mut().find(|(known, _)| *known == labels) {
            Some((_, all)) => all.push((bound, counts)),
            None => groups.push((labels, vec![(bound, counts)])),
        }
    }
    let row = |(labels, mut all): (Labels, Vec<Bucket>)| {
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let moments = all.first().map_or(0, |(_, counts)| counts.len());
        let value = |i: usize| {
            let now = all
                .iter()
                .filter_map(|(bound, counts)| Some((*bound, counts[i]?)));
            let now: Vec<_> = now.collect();
            (!now.is_empty()).then(|| quantile(q, &now))
        };
        (labels, (0..moments).map(value).collect())
    };
    Some(groups.into_iter().map(row).collect())
}

/// By linear interpolation between boundaries.
fn quantile(q: f64, buckets: &[(f64, f64)]) -> f64 {
    let [finite @ .., (_, all)] = buckets else {
        return f64::NAN;
    };
    let rank = q * all;
    let (mut low, mut below, mut most) = (0.0, 0.0, 0.0_f64);
    if *all <= 0.0 || finite.is_empty() {
        return f64::NAN;
    }
    for (bound, count) in finite {
        most = most.max(*count);
        if most >= rank {
            return low + (bound - low) * (rank - below) / (most - below);
        }
        (low, below) = (*bound, most);
    }
    low
}
