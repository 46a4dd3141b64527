//! Events between two moments, of which none is lost to a gap between scrapes.
//!
//! `rate(m[5m])` counts between samples inside its window, so sums of such rates lose what was counted while no page was read.
//! The growth from the last sample before a stretch of time to the last one in it loses nothing: these add up.

use super::{REMEMBERED, bin, family, range, time};
use crate::plan::Family;
use slosmith_promql::ast::{
    AggregateOp, AtOffset, BinaryOp, Call, Expr, ExprKind, RangeSelector, Selector,
};
use slosmith_promql::{build, visit};
use slosmith_text::units::Duration;

/// The function of what is only asked whether it exists.
const EXISTING: &str = "last_over_time";

/// A stretch of time that ended some time ago.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub(super) length: Duration,
    pub(super) ago: Duration,
}

impl Stretch {
    /// A function of what a series was in this time.
    pub(super) fn over(self, function: &str, selector: &Selector) -> Expr {
        let selector = super::ago(selector.clone(), self.ago);
        build::call(function, [range(selector, self.length)])
    }

    /// So much longer, at the beginning.
    pub(super) fn and_before(self, more: Duration) -> Self {
        let length = Duration::from_secs(self.length.as_secs() + more.as_secs());
        Self { length, ..self }
    }

    /// A function of what a series was before this time, as long as it is remembered.
    fn remembered(self, function: &str, selector: &Selector) -> Expr {
        build::call(function, [range(self.before(selector), REMEMBERED)])
    }

    /// A series as it was at the beginning.
    fn before(self, selector: &Selector) -> Selector {
        let ago = Duration::from_secs(self.length.as_secs() + self.ago.as_secs());
        selector.clone().offset(time(ago))
    }
}

/// The events that rates count, as growth in a stretch of time.
pub(super) fn events(
    mut rates: Expr,
    stretch: Stretch,
    new: Option<(&NewSeries, &Family)>,
) -> Expr {
    visit::walk_mut(&mut rates, &mut |node| {
        let now = |selector: &Selector| Selector {
            at: AtOffset::default(),
            ..selector.clone()
        };
        if let ExprKind::Selector(selector) = &node.kind {
            let now = now(selector);
            // What there is at the end, or at the beginning.
            *node = match selector.at == now.at {
                true => super::ago(now, stretch.ago).into(),
                false => stretch.before(&now).into(),
            };
        }
        let ExprKind::Call(call) = &node.kind else {
            return;
        };
        if let Some(range) = counted(call) {
            *node = grown(&range.selector, stretch, new);
        } else if let Some(range) = existing(call) {
            *node = match range.selector.at == AtOffset::default() {
                true => stretch.over(EXISTING, &range.selector),
                false => stretch.remembered(EXISTING, &now(&range.selector)),
            };
        }
    });
    rates
}

/// What a rate or an increase of series as they are now is taken of.
fn counted(call: &Call) -> Option<&RangeSelector> {
    let is_rate = matches!(call.function.text.as_str(), "rate" | "increase");
    match call.args.first().map(|arg| &arg.kind) {
        Some(ExprKind::Range(range)) if is_rate && range.selector.at == AtOffset::default() => {
            Some(range)
        }
        _ => None,
    }
}

/// What is only asked whether it exists.
fn existing(call: &Call) -> Option<&RangeSelector> {
    match call.args.first().map(|arg| &arg.kind) {
        Some(ExprKind::Range(range)) if call.function.text == EXISTING => Some(range),
        _ => None,
    }
}

/// True where all that an expression reads are rates and increases of series as they are now, and twice their events make
/// twice its value: no other number than zero is added to them or compared with them.
pub(super) fn counts(expr: &Expr) -> bool {
    let mut others = 0;
    visit::walk(expr, &mut |node| match &node.kind {
        ExprKind::Range(_) | ExprKind::Subquery(_) | ExprKind::Selector(_) => others += 1,
        ExprKind::Call(call) if counted(call).is_some() => others -= 1,
        ExprKind::Number(number) if number.value != 0.0 => others += 1,
        ExprKind::Binary(binary) if matches!(binary.op, BinaryOp::Mul | BinaryOp::Div) => {
            let sides = [&binary.lhs, &binary.rhs].into_iter();
            let scales = |side: &&Expr| matches!(&side.kind, ExprKind::Number(n) if n.value != 0.0);
            others -= sides.filter(scales).count() as i32;
        }
        _ => {}
    });
    others == 0
}

/// From the value before a stretch of time up to the last one in it: to the lowest, the first one, and from there. After a
/// restart, up to the highest value and from zero again. Of several restarts up to now, or of one after which the process
/// counts more than before, `increase` knows more.
///
/// `(lowest unless resets > 0 or highest > last unless resets > 1) - first >= 0`, `+ (last - lowest unless resets > 0 or last)`;
/// else `or increase and resets > 0`, else `or last`.
fn grown(selector: &Selector, stretch: Stretch, new: Option<(&NewSeries, &Family)>) -> Expr {
    let over = |function| stretch.over(function, selector);
    let [lowest, last] = ["min_over_time", "last_over_time"].map(|function| move || over(function));
    let restarts = |more| bin(BinaryOp::Gt, over("resets"), build::number(more));
    let steady = |expr| bin(BinaryOp::Unless, expr, restarts("0"));
    let several = stretch.ago == Duration::default();
    let mut fallen = bin(BinaryOp::Gt, over("max_over_time"), last());
    if several {
        fallen = bin(BinaryOp::Unless, fallen, restarts("1"));
    }
    let up = bin(BinaryOp::Or, steady(lowest()), fallen);
    let up = bin(BinaryOp::Sub, up, first(selector, stretch, new));
    let up = bin(BinaryOp::Ge, up, build::number("0"));
    let then = steady(bin(BinaryOp::Sub, last(), lowest()));
    let mut grown = bin(BinaryOp::Add, up, bin(BinaryOp::Or, then, last()));
    if several {
        let pieces = bin(BinaryOp::And, over("increase"), restarts("0"));
        grown = bin(BinaryOp::Or, grown, pieces);
    }
    bin(BinaryOp::Or, grown, last())
}

/// The value that a series grows from: its last one before a stretch of time, or its first one in it if it is not known to have
/// restarted since. Where new series count, zero for one that its target's page did not have.
fn first(selector: &Selector, stretch: Stretch, new: Option<(&NewSeries, &Family)>) -> Expr {
    let either = |first, second| bin(BinaryOp::Or, first, second);
    let lowest = || stretch.over("min_over_time", selector);
    let last = stretch.remembered("last_over_time", selector);
    let known = match new {
        None => last,
        Some((new, all)) => {
            let now = stretch.before(selector).into();
            let zero = |series| bin(BinaryOp::Mul, build::number("0"), series);
            let younger = new.younger(selector, all, stretch);
            // Of a new target, a series that ended need not have begun: a restart ends it, too.
            let end = super::ago(selector.clone(), stretch.ago).into();
            let begun = either(end, younger.clone());
            let again = zero(bin(
                BinaryOp::And,
                new.missed(selector, all, stretch),
                begun,
            ));
            let young = zero(younger);
            // A page that lacked the series once leaves a gap, and the value grows on after it.
            let just = Duration::from_secs(2 * new.every.as_secs());
            let just = build::call("last_over_time", [range(stretch.before(selector), just)]);
            let on = bin(BinaryOp::Le, just, lowest());
            either(either(either(either(now, on), again), last), young)
        }
    };
    // After a restart, the lowest value is a new one: what was counted before the first scrape is not known.
    let restarted = bin(
        BinaryOp::Gt,
        stretch.over("resets", selector),
        build::number("0"),
    );
    either(known, bin(BinaryOp::Unless, lowest(), restarted))
}

/// What is known of series that are there at the end of a stretch of time. Where a target got a label, all its series are new, and its page
/// is not: what was read of it under the old labels is no sign that they began.
fn still(known: Expr, series: Selector, stretch: Stretch) -> Expr {
    bin(BinaryOp::And, known, super::ago(series, stretch.ago).into())
}

/// What Prometheus records of each target: one where its page was read.
pub(super) const UP: &str = "up";

/// How series that begin while Prometheus reads their target's page are told from those that it finds late.
///
/// What such a series counts at first has happened since its page was read without it. Of a target that is new to Prometheus,
/// nobody knows when it counted.
pub struct NewSeries {
    /// Labels that identify a target.
    pub target: Vec<String>,
    /// Time in which each page is read at least once.
    pub every: Duration,
}

impl NewSeries {
    /// Series without which their target's page was read in a stretch of time or just before it: they have fewer samples than
    /// another series of the page, or than `up` has ones.
    fn missed(&self, selector: &Selector, all: &Family, stretch: Stretch) -> Expr {
        let stretch = stretch.and_before(self.every);
        let samples = stretch.over("count_over_time", selector);
        let others = family::series(all, |series| {
            still(stretch.over("count_over_time", &series), series, stretch)
        });
        let up = still(
            stretch.over("sum_over_time", &self.up(all)),
            self.up(all),
            stretch,
        );
        let read = bin(BinaryOp::Or, others, up);
        let read = build::aggregate(AggregateOp::Max, &self.target, read);
        let fewer = build::binary(BinaryOp::Lt, samples, read).on(&self.target);
        fewer.group_left::<&str>(&[]).into()
    }

    /// Series of targets whose page was read before a stretch of time.
    fn younger(&self, selector: &Selector, all: &Family, stretch: Stretch) -> Expr {
        let others = family::series(all, |series| {
            still(
                stretch.remembered("last_over_time", &series),
                series,
                stretch,
            )
        });
        let up = stretch.remembered("max_over_time", &self.up(all));
        let up = bin(BinaryOp::Gt, up, build::number("0"));
        let read = bin(BinaryOp::Or, others, still(up, self.up(all), stretch));
        let series = stretch.over("min_over_time", selector);
        let younger = build::binary(BinaryOp::And, series, read);
        younger.on(&self.target).into()
    }

    /// Whether Prometheus reads a family's targets.
    fn up(&self, all: &Family) -> Selector {
        let known = |label: &str| self.target.iter().any(|target| target == label);
        let matchers = all.matchers.iter().filter(|(label, ..)| known(label));
        build::metric(UP).with_matchers(matchers)
    }
}
