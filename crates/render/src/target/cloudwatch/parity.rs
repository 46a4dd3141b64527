//! The report on how closely CloudWatch matches Prometheus, and the cost of CloudWatch.
//!
//! One row of a table: `| QueueOverflow | identical | weaker: CloudWatch uses the Maximum of … | app-queue-overflow |`.

use serde::Serialize;

use crate::template::Tree;
use slosmith_plan::parity::{Cost, Unpriced, cost};
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::cloudwatch::{
    CloudWatch, Grade, Parity, Reference, TOLERANCE, Verdict, What,
};

#[derive(Serialize)]
pub(super) struct View<'a> {
    service: &'a str,
    title: &'a str,
    tolerance: String,
    /// True when nothing of the service is in Prometheus: CloudWatch is compared with the spec.
    alone: bool,
    /// Labels of environments, which only Prometheus has.
    environment: &'a [String],
    counts: Vec<Count>,
    /// A list of [`Entry`].
    entries: Tree,
    groups: Vec<Group<'a>>,
    cost: Option<CostView>,
}

#[derive(Serialize)]
struct Count {
    grade: &'static str,
    number: usize,
}

#[derive(Serialize)]
struct Group<'a> {
    title: &'static str,
    entries: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    kind: &'static str,
    name: &'a str,
    prometheus: Judged,
    cloudwatch: Judged,
    resources: &'a [String],
}

#[derive(Serialize)]
struct Judged {
    grade: &'static str,
    notes: Vec<NoteView>,
    /// All notes in one line. A note with another grade than the whole begins with its grade.
    text: String,
}

#[derive(Serialize)]
struct NoteView {
    grade: &'static str,
    text: String,
}

#[derive(Serialize)]
struct CostView {
    sentence: String,
    source: &'static str,
    date: &'static str,
    region: &'static str,
    total: String,
    items: Vec<CostLine>,
    /// What AWS charges beside the total.
    unpriced: Vec<UnpricedLine>,
}

#[derive(Serialize)]
struct CostLine {
    what: String,
    count: String,
    each: String,
    total: String,
}

#[derive(Serialize)]
struct UnpricedLine {
    what: &'static str,
    count: String,
    why: String,
}

pub(super) fn view<'a>(plan: &'a Plan, cw: &'a CloudWatch) -> View<'a> {
    let alone = !cw.parity.iter().any(|p| p.prometheus.is_expressible());
    let compared = |p: &&Parity| alone || p.prometheus.is_expressible();
    let count = |grade: Grade| Count {
        grade: grade.as_str(),
        number: cw
            .parity
            .iter()
            .filter(|p| compared(p) && p.cloudwatch.grade() == grade)
            .count(),
    };
    let group = |(what, title)| Group {
        title,
        entries: entries(cw.parity.iter().filter(|p| p.what == what), alone),
    };
    let groups = [
        (What::Slo, "SLOs"),
        (What::Alert, "Alerts"),
        (What::Panel, "Panels"),
    ];
    View {
        service: &plan.service.name,
        title: &plan.service.title,
        tolerance: TOLERANCE.to_string(),
        alone,
        environment: &cw.environment,
        counts: Grade::ALL.map(count).into(),
        entries: Tree::of(&entries(cw.parity.iter(), alone)),
        groups: groups.map(group).into(),
        cost: cost(plan).map(|cost| costs(&cost)),
    }
}

fn entries<'a>(all: impl Iterator<Item = &'a Parity>, alone: bool) -> Vec<Entry<'a>> {
    let entry = |p: &'a Parity| Entry {
        kind: p.what.as_str(),
        name: &p.name,
        prometheus: judged(&p.prometheus, Reference::Prometheus),
        cloudwatch: match (p.prometheus.reference(), &p.cloudwatch) {
            // Among entries that are compared with Prometheus.
            (Reference::Spec, Verdict::There(notes)) if notes.is_empty() && !alone => Judged {
                text: "only in CloudWatch".to_owned(),
                ..judged(&p.cloudwatch, Reference::Spec)
            },
            (reference, cloudwatch) => judged(cloudwatch, reference),
        },
        resources: &p.resources,
    };
    all.map(entry).collect()
}

fn judged(verdict: &Verdict, reference: Reference) -> Judged {
    let whole = verdict.grade();
    let notes = verdict.notes(reference);
    let told = notes.iter().map(|(grade, text)| match *grade == whole {
        true => text.clone(),
        false => format!("{}: {text}", grade.as_str()),
    });
    let told: Vec<_> = told.collect();
    let told = told.join("; ");
    let notes = notes.into_iter().map(|(grade, text)| NoteView {
        grade: grade.as_str(),
        text,
    });
    Judged {
        grade: whole.as_str(),
        text: match told.is_empty() {
            true => whole.as_str().to_owned(),
            false => format!("{}: {told}", whole.as_str()),
        },
        notes: notes.collect(),
    }
}

fn costs(cost: &Cost) -> CostView {
    let line = |item: &slosmith_plan::parity::CostItem| {
        let least = if item.at_least { "at least " } else { "" };
        let count = match item.count.fract() == 0.0 {
            true => format!("{least}{:.0}", item.count),
            false => format!("{:.2}", item.count),
        };
        CostLine {
            what: item.what.clone(),
            count,
            each: format!("{:.2}", item.each),
            total: format!("{:.2}", item.dollars()),
        }
    };
    CostView {
        sentence: cost.sentence(),
        source: &cost.prices.source,
        date: &cost.prices.date,
        region: &cost.prices.region,
        total: format!("{:.2}", cost.total()),
        items: cost.items.iter().map(line).collect(),
        unpriced: cost.unpriced.iter().map(unpriced).collect(),
    }
}

fn unpriced(item: &Unpriced) -> UnpricedLine {
    UnpricedLine {
        what: item.what,
        count: item
            .count
            .map_or("not known".to_owned(), |count| count.to_string()),
        why: item.why.clone(),
    }
}
