//! The data of the runbook template.

use serde::Serialize;

use super::alerts::AlertView;
use super::chart;
use super::steps::{self, StepView};
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::runbook::{Command, FamilyHistory, Fix, Page};
use slosmith_spec::naming;

#[derive(Serialize)]
pub(super) struct View<'p> {
    service: &'p str,
    service_title: &'p str,
    title: &'p str,
    meaning: Option<&'p str>,
    impact: Option<&'p str>,
    symptoms: &'p [String],
    alerts: &'p [AlertView<'p>],
    steps: Vec<StepView<'p>>,
    chart: Option<String>,
    fixes: Vec<FixView<'p>>,
    commands: Vec<CommandView<'p>>,
    escalation: Option<&'p str>,
    related: Vec<Related<'p>>,
    versions: Vec<String>,
    releases: Option<&'p str>,
}

#[derive(Serialize)]
struct FixView<'p> {
    anchor: String,
    title: &'p str,
    actions: &'p [String],
    risk: Option<&'p str>,
}

#[derive(Serialize)]
struct CommandView<'p> {
    title: &'p str,
    run: &'p str,
}

#[derive(Serialize)]
struct Related<'p> {
    name: &'p str,
    title: &'p str,
}

pub(super) fn view<'p>(plan: &'p Plan, page: &'p Page, alerts: &'p [AlertView<'p>]) -> View<'p> {
    let commands = page
        .commands
        .iter()
        .map(|Command { title, run }| CommandView { title, run });
    let related = page
        .related
        .iter()
        .map(|(name, title)| Related { name, title });
    View {
        service: &plan.service.name,
        service_title: &plan.service.title,
        title: &page.title,
        meaning: page.meaning.as_deref(),
        impact: page.impact.as_deref(),
        symptoms: &page.symptoms,
        alerts,
        steps: steps::view(plan, page),
        chart: chart::flow(page),
        fixes: page.fixes.iter().map(fix).collect(),
        commands: commands.collect(),
        escalation: page.escalation.as_deref(),
        related: related.collect(),
        versions: page.history.iter().flat_map(versions).collect(),
        releases: plan.vllm().map(|server| server.releases.as_str()),
    }
}

fn fix(fix: &Fix) -> FixView<'_> {
    FixView {
        anchor: naming::fix_anchor(&fix.name),
        title: &fix.title,
        actions: &fix.actions,
        risk: fix.risk.as_deref(),
    }
}

fn versions(history: &FamilyHistory) -> Vec<String> {
    let family = &history.family;
    let mut notes = Vec::new();
    if !history.before.is_empty() {
        let names = history.before.iter().map(|(name, last)| match last {
            Some(last) => format!("`{name}` (until {last})"),
            None => format!("`{name}`"),
        });
        let names: Vec<_> = names.collect();
        let since = history.since.as_ref();
        let since = since.map_or_else(String::new, |first| format!(" (since {first})"));
        let names = names.join(" and ");
        notes.push(format!("`{family}`{since} replaces {names}."));
    }
    let changes = history.changes.iter();
    notes
        .extend(changes.map(|(release, note)| format!("`{family}` changed in {release}: {note}.")));
    notes
}
