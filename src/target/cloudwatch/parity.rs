//! The report on what both back ends say in the same way.
//!
//! One line of it: `| QueueOverflow | identical | approximated: Maximum of single replicas, … | app-queue-overflow |`.

use serde::Serialize;

use crate::plan::Plan;
use crate::plan::cloudwatch::{CloudWatch, Parity, Verdict, What};

/// What the template sees: counts, then one entry for each thing, by kind.
#[derive(Serialize)]
pub(super) struct View<'a> {
    service: &'a str,
    title: &'a str,
    identical: usize,
    approximated: usize,
    not_expressible: usize,
    entries: Vec<Entry<'a>>,
    groups: Vec<Group<'a>>,
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
    resource: Option<&'a str>,
}

#[derive(Serialize)]
struct Judged {
    verdict: &'static str,
    notes: Vec<String>,
}

pub(super) fn view<'a>(plan: &'a Plan, cw: &'a CloudWatch) -> View<'a> {
    let count = |word: &str| {
        let same = cw.parity.iter().filter(|p| p.cloudwatch.as_str() == word);
        same.count()
    };
    let group = |(what, title)| Group {
        title,
        entries: entries(cw.parity.iter().filter(|p| p.what == what)),
    };
    let groups = [
        (What::Slo, "Objectives"),
        (What::Alert, "Alerts"),
        (What::Panel, "Panels"),
    ];
    View {
        service: &plan.service.name,
        title: &plan.service.title,
        identical: count("identical"),
        approximated: count("approximated"),
        not_expressible: count("not expressible"),
        entries: entries(cw.parity.iter()),
        groups: groups.map(group).into(),
    }
}

fn entries<'a>(all: impl Iterator<Item = &'a Parity>) -> Vec<Entry<'a>> {
    let verdict = |v: &Verdict| Judged {
        verdict: v.as_str(),
        notes: v.notes(),
    };
    let entry = |p: &'a Parity| Entry {
        kind: p.what.as_str(),
        name: &p.name,
        prometheus: verdict(&p.prometheus),
        cloudwatch: verdict(&p.cloudwatch),
        resource: p.resource.as_deref(),
    };
    all.map(entry).collect()
}
