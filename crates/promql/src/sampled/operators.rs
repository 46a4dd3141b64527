//! Aggregations and binary operators.

use super::series::unnamed;
use super::{Labels, Model, Row, Value};
use crate::ast::{Aggregate, AggregateOp, Binary, BinaryOp, Grouping, Matching};

impl Model {
    pub(super) fn aggregate(&self, aggregate: &Aggregate, times: &[i64]) -> Option<Vec<Row>> {
        let mut groups: Vec<(Labels, Vec<Vec<Option<f64>>>)> = Vec::new();
        for (labels, values) in self.rows(&aggregate.expr, times)? {
            let key = key(labels, aggregate.grouping.as_ref());
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, all)) => all.push(values),
                None => groups.push((key, vec![values])),
            }
        }
        let combine: fn(&[f64]) -> f64 = match aggregate.op {
            AggregateOp::Sum => |v| v.iter().sum(),
            AggregateOp::Avg => |v| v.iter().sum::<f64>() / v.len() as f64,
            AggregateOp::Min => |v| v.iter().copied().fold(f64::NAN, f64::min),
            AggregateOp::Max => |v| v.iter().copied().fold(f64::NAN, f64::max),
            AggregateOp::Count => |v| v.len() as f64,
            AggregateOp::Group => |_| 1.0,
            _ => return None,
        };
        let row = |(key, all): (Labels, Vec<Vec<Option<f64>>>)| {
            let value = |i: usize| {
                let now: Vec<f64> = all.iter().filter_map(|values| values[i]).collect();
                (!now.is_empty()).then(|| combine(&now))
            };
            (key, (0..times.len()).map(value).collect())
        };
        Some(groups.into_iter().map(row).collect())
    }

    pub(super) fn binary(&self, binary: &Binary, times: &[i64]) -> Option<Value> {
        let (lhs, rhs) = (
            self.eval(&binary.lhs, times)?,
            self.eval(&binary.rhs, times)?,
        );
        if binary.bool_modifier || binary.fill.is_some() {
            return None;
        }
        let (Value::Rows(lhs), Value::Rows(rhs)) = (&lhs, &rhs) else {
            return one_number(binary.op, lhs, rhs);
        };
        let matching = binary.matching.as_ref();
        Some(Value::Rows(match binary.op {
            BinaryOp::And => keep(lhs, rhs, matching, true),
            BinaryOp::Unless => keep(lhs, rhs, matching, false),
            BinaryOp::Or => {
                let more = keep(rhs, lhs, matching, false);
                merged(lhs.iter().cloned().chain(more))
            }
            op => pairs(op, lhs, rhs, matching)?,
        }))
    }
}

/// Elements at the moments at which the other side has one, or has none, that they meet.
fn keep(rows: &[Row], others: &[Row], matching: Option<&Matching>, wanted: bool) -> Vec<Row> {
    let signed = |row: &Row| signature(&row.0, matching);
    let others: Vec<_> = others.iter().map(|row| (signed(row), &row.1)).collect();
    let kept = |row: &Row| {
        let own = signed(row);
        let partners: Vec<_> = others.iter().filter(|(other, _)| *other == own).collect();
        let meets = |i: usize| partners.iter().any(|(_, values)| values[i].is_some());
        let values = row.1.iter().enumerate();
        let values = values.map(|(i, value)| value.filter(|_| meets(i) == wanted));
        (row.0.clone(), values.collect())
    };
    rows.iter().map(kept).collect()
}

/// One element of those with the same labels.
pub(super) fn merged(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut all: Vec<Row> = Vec::new();
    for (labels, values) in rows {
        match all.iter_mut().find(|(known, _)| *known == labels) {
            Some((_, known)) => {
                for (known, value) in known.iter_mut().zip(values) {
                    *known = known.or(value);
                }
            }
            None => all.push((labels, values)),
        }
    }
    all
}

/// The labels of a group.
fn key(labels: Labels, grouping: Option<&Grouping>) -> Labels {
    let mut labels = unnamed(labels);
    let named = |g: &Grouping, label: &str| g.labels.iter().any(|l| l.text == label);
    labels.retain(|label, _| grouping.is_some_and(|g| named(g, label) != g.without));
    labels
}

/// The labels that elements must share to meet.
fn signature(labels: &Labels, matching: Option<&Matching>) -> Labels {
    let mut labels = unnamed(labels.clone());
    if let Some(m) = matching {
        labels.retain(|label, _| m.labels.iter().any(|l| l.text == *label) == m.on);
    }
    labels
}

/// What two numbers give; nothing where a comparison drops the element.
fn apply(op: BinaryOp, a: f64, b: f64) -> Option<Option<f64>> {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        comparison => {
            let holds = match comparison {
                BinaryOp::Gt => a > b,
                BinaryOp::Lt => a < b,
                BinaryOp::Ge => a >= b,
                BinaryOp::Le => a <= b,
                BinaryOp::Eq => a == b,
                BinaryOp::Ne => a != b,
                _ => return None,
            };
            return Some(holds.then_some(a));
        }
    };
    Some(Some(value))
}

/// One side at least is a number; a comparison has it on the right.
fn one_number(op: BinaryOp, lhs: Value, rhs: Value) -> Option<Value> {
    let each = |rows: Vec<Row>, f: &dyn Fn(f64) -> Option<Option<f64>>| {
        let row = |(labels, values): Row| {
            let labels = match op.is_comparison() {
                true => labels,
                false => unnamed(labels),
            };
            let value = |v: Option<f64>| v.map_or(Some(None), f);
            Some((
                labels,
                values.into_iter().map(value).collect::<Option<_>>()?,
            ))
        };
        let rows: Option<Vec<_>> = rows.into_iter().map(row).collect();
        Some(Value::Rows(rows?))
    };
    match (lhs, rhs) {
        (Value::Rows(all), Value::Scalar(b)) => each(all, &|a| apply(op, a, b)),
        (Value::Scalar(a), Value::Rows(all)) if !op.is_comparison() => {
            each(all, &|b| apply(op, a, b))
        }
        (Value::Scalar(a), Value::Scalar(b)) => Some(Value::Scalar(apply(op, a, b)??)),
        _ => None,
    }
}

/// One element of each side, or several of the left one with `group_left`; `None` where several meet otherwise.
fn pairs(op: BinaryOp, lhs: &[Row], rhs: &[Row], matching: Option<&Matching>) -> Option<Vec<Row>> {
    let group = matching.and_then(|m| m.group.as_ref());
    if group.is_some_and(|group| !group.left || !group.include.is_empty()) {
        return None;
    }
    let signed = |row: &Row| signature(&row.0, matching);
    let others: Vec<_> = rhs.iter().map(|row| (signed(row), &row.1)).collect();
    let row = |row: &Row| {
        let own = signed(row);
        let partners: Vec<_> = others.iter().filter(|(other, _)| *other == own).collect();
        let value = |(i, a): (usize, &Option<f64>)| {
            let mut now = partners.iter().filter_map(|(_, values)| values[i]);
            let (Some(a), Some(b)) = (a, now.next()) else {
                return Some(None);
            };
            if now.next().is_some() {
                return None;
            }
            apply(op, *a, b)
        };
        let values = row.1.iter().enumerate().map(value).collect::<Option<_>>()?;
        let labels = match (op.is_comparison(), group) {
            (true, _) => row.0.clone(),
            (false, Some(_)) => unnamed(row.0.clone()),
            (false, None) => own,
        };
        Some((labels, values))
    };
    let rows: Option<Vec<_>> = lhs.iter().map(row).collect();
    Some(merged(rows?.into_iter()))
}
