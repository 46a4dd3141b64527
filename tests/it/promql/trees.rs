//! Random trees that are valid queries.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use slosmith::promql::ast::{
    AggregateOp, At, BinaryOp, Duration, Expr, ExprKind, Grouping, MatchOp, Name, Number, Selector,
    UnaryOp,
};
use slosmith::promql::build;
use slosmith::promql::placeholder::Placeholders;

const LABELS: &[&str] = &["job", "le", "on", "without", "weird label", "ü", "__x"];
const METRICS: &[&str] = &[
    "up",
    "a:b",
    "sum",
    "by",
    "offset",
    "and",
    "start",
    "on",
    "nan",
    "utf8.name",
    "step",
];
const NUMBERS: &[&str] = &[
    "0", "1", "14.4", "0.001", "1e9", "0x1F", "Inf", "1h30m", "1_000",
];
const DURATIONS: &[&str] = &["5m", "1h30m", "300", "28d", "1ms"];
const VALUES: &[&str] = &["a", "", "é\"\\\n", "5..", "a|b"];

fn duration() -> impl Strategy<Value = Duration> {
    select(DURATIONS).prop_map(|text| Duration {
        millis: Duration::parse(text).map_or(300_000, |duration| duration.millis),
        text: text.to_owned(),
        span: 0..0,
        placeholders: Placeholders::default(),
    })
}

fn selector() -> impl Strategy<Value = Selector> {
    let op = select(vec![
        MatchOp::Equal,
        MatchOp::NotEqual,
        MatchOp::Match,
        MatchOp::NotMatch,
    ]);
    let matchers = vec((select(LABELS), op, select(VALUES)), 0..3);
    let at = select(vec![
        None,
        None,
        Some(At::Start),
        Some(At::Timestamp(Number {
            value: -5.0,
            text: "-5".to_owned(),
        })),
    ]);
    (
        select(METRICS),
        matchers,
        proptest::option::of(duration()),
        at,
    )
        .prop_map(|(metric, matchers, offset, at)| {
            let mut selector = build::metric(metric);
            for (label, op, value) in matchers {
                let pattern = matches!(op, MatchOp::Match | MatchOp::NotMatch);
                let value = if pattern { "5..|a" } else { value };
                selector = selector.matcher(label, op, value);
            }
            selector.at.offset = offset;
            selector.at.at = at;
            selector
        })
}

fn labels() -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(LABELS), 0..3)
}

/// An instant vector.
pub(super) fn vector() -> impl Strategy<Value = Expr> {
    selector()
        .prop_map(Expr::from)
        .prop_recursive(5, 40, 3, |inner| {
            prop_oneof![
                3 => operation(inner.clone()),
                2 => aggregation(inner.clone()),
                1 => (selector(), duration()).prop_map(|(selector, duration)| {
                    build::call("rate", [build::range(selector, duration)])
                }),
                1 => (inner.clone(), duration(), proptest::option::of(duration())).prop_map(
                    |(inner, range, step)| {
                        build::call("max_over_time", [build::subquery(inner, range, step)])
                    }
                ),
                1 => inner.clone().prop_map(build::paren),
                1 => (select(vec![UnaryOp::Plus, UnaryOp::Minus]), inner)
                    .prop_map(|(op, inner)| ExprKind::Unary(op, Box::new(inner)).into()),
            ]
        })
}

fn scalar() -> impl Strategy<Value = Expr> {
    select(NUMBERS).prop_map(build::number)
}

fn operation(inner: impl Strategy<Value = Expr> + Clone + 'static) -> impl Strategy<Value = Expr> {
    use BinaryOp::{Add, And, Atan2, Div, Eq, Gt, Mod, Mul, Or, Pow, Sub, Unless};
    let all = select(vec![
        Add, Sub, Mul, Div, Mod, Pow, Atan2, Eq, Gt, And, Or, Unless,
    ]);
    let matched = (
        (all, inner.clone(), inner.clone()),
        (any::<bool>(), any::<bool>(), any::<bool>()),
        (labels(), labels()),
        0..4,
    )
        .prop_map(
            |((op, lhs, rhs), (bool_, on, left), (labels, include), how)| {
                let mut binary = build::binary(op, lhs, rhs);
                binary.bool_modifier = bool_ && op.is_comparison();
                if how == 0 {
                    return binary.into();
                }
                binary = if on {
                    binary.on(&labels)
                } else {
                    binary.ignoring(&labels)
                };
                let include: Vec<_> = include
                    .into_iter()
                    .filter(|label| !labels.contains(label))
                    .collect();
                if how > 1 && !op.is_set() {
                    binary = binary.group_left(&include);
                    let matching = binary.matching.as_mut();
                    if let Some(group) = matching.and_then(|matching| matching.group.as_mut()) {
                        group.left = left;
                    }
                }
                binary.into()
            },
        );
    let with_scalar = (
        select(vec![Add, Sub, Mul, Div, Mod, Pow, Eq, Gt]),
        inner,
        scalar(),
        any::<bool>(),
    )
        .prop_map(|(op, vector, scalar, swap)| {
            if swap {
                build::binary(op, scalar, vector).into()
            } else {
                build::binary(op, vector, scalar).into()
            }
        });
    prop_oneof![3 => matched, 1 => with_scalar]
}

fn aggregation(inner: impl Strategy<Value = Expr> + 'static) -> impl Strategy<Value = Expr> {
    let op = select(AggregateOp::ALL.to_vec());
    let grouping = proptest::option::of((any::<bool>(), labels()));
    (op, inner, scalar(), grouping).prop_map(|(op, inner, number, grouping)| {
        let mut expr = build::aggregate::<&str>(op, &[], inner);
        if let ExprKind::Aggregate(aggregate) = &mut expr.kind {
            aggregate.param = match op {
                AggregateOp::CountValues => Some(Box::new(build::string("v"))),
                AggregateOp::Topk
                | AggregateOp::Bottomk
                | AggregateOp::Quantile
                | AggregateOp::Limitk
                | AggregateOp::LimitRatio => Some(Box::new(number)),
                _ => None,
            };
            aggregate.grouping = grouping.map(|(without, labels)| Grouping {
                clause: false,
                without,
                labels: labels.into_iter().map(Name::from).collect(),
            });
        }
        expr
    })
}
