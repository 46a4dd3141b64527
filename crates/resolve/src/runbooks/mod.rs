//! Runbooks: from what an author writes to pages that agree with the alerts.
//!
//! A step `{when: {signal: queue_depth, above: 80}, fix: scale-out}` gets the condition's query, and its fix must be
//! there.

mod advice;
mod history;
mod load;
mod steps;

use super::alerts::is_elsewhere;
use super::context::Context;
use super::{doubts, names};
use slosmith_plan::plan::Links;
use slosmith_plan::plan::runbook::{
    Check, Command, Fix, Page, Runbooks, Step, Table, Traces, Triage, TriageRow,
};
use slosmith_plan::plan::{Alert, Signal, Slo};
use slosmith_spec::spec::{self, Text};
use slosmith_text::diag::{Diagnostic, count, did_you_mean, one_of as any_of};
use slosmith_text::source::Span;

pub(super) struct Builder<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    pub(super) slos: &'a [Slo],
    pub(super) alerts: &'a [Alert],
}

pub(super) fn resolve(cx: &mut Context<'_>, slos: &[Slo], alerts: &[Alert]) -> Runbooks {
    let spec = cx.spec;
    let mut builder = Builder { cx, slos, alerts };
    let mut runbooks = Runbooks::default();
    for (name, runbook) in &spec.runbooks {
        builder.cx.check_name(name, true);
        runbooks.pages.push(builder.page(name, runbook));
    }
    for name in builder.named() {
        if !spec.runbooks.contains_key(name.value.as_str()) {
            runbooks
                .pages
                .extend(builder.unwritten(&name, &runbooks.pages));
        }
    }
    note_unwritten(builder.cx, &runbooks.pages);
    runbooks.triage = spec
        .beta
        .triage
        .values()
        .map(|t| builder.triage(t))
        .collect();
    runbooks.traces = spec.beta.traces.as_ref().map(traces);
    runbooks.load_tests = load::resolve(builder.cx);
    runbooks.advice = spec
        .beta
        .advice
        .values()
        .map(|a| builder.advice(a))
        .collect();
    let lists = spec.beta.checklists.iter();
    runbooks.checklists = lists
        .map(|(name, items)| (name.value.clone(), texts(items)))
        .collect();
    runbooks.tables = spec
        .beta
        .tables
        .values()
        .filter_map(|t| table(builder.cx, t))
        .collect();
    runbooks.commands = spec.commands.values().map(command).collect();
    runbooks
}

pub(super) fn texts(texts: &[Text]) -> Vec<String> {
    texts.iter().map(|text| text.value.clone()).collect()
}

pub(super) fn text(text: Option<&Text>) -> Option<String> {
    text.map(|text| text.value.clone())
}

/// Notes the runbooks that the spec names and does not declare.
fn note_unwritten(cx: &mut Context<'_>, pages: &[Page]) {
    let declared = &cx.spec.runbooks;
    let pages = pages.iter().map(|page| page.name.as_str());
    let unwritten: Vec<_> = pages.filter(|name| !declared.contains_key(*name)).collect();
    let (are, list, them) = match unwritten.len() {
        0 => return,
        1 => ("runbook", "lists its", "it"),
        _ => ("runbooks", "list their", "them"),
    };
    cx.notes.push(format!(
        "the generated {are} `{}` only {list} alerts: the spec does not declare {them}",
        unwritten.join("`, `")
    ));
}

fn command(command: &spec::Command) -> Command {
    Command {
        title: command.title.value.clone(),
        run: command.run.value.clone(),
    }
}

fn traces(traces: &spec::Traces) -> Traces {
    let attributes = traces.attributes.iter();
    Traces {
        span: traces.span.value.clone(),
        tool: text(traces.tool.as_ref()),
        attributes: attributes
            .map(|(name, what)| (name.value.clone(), what.value.clone()))
            .collect(),
    }
}

fn table(cx: &mut Context<'_>, table: &spec::Table) -> Option<Table> {
    for row in &table.rows {
        if row.value.len() != table.columns.len() {
            let message = format!(
                "this row has {}, but the table has {}",
                count(row.value.len(), "cell"),
                count(table.columns.len(), "column")
            );
            cx.sink
                .push(Diagnostic::error("bad-table", row.span, message));
            return None;
        }
    }
    Some(Table {
        title: table.title.value.clone(),
        columns: texts(&table.columns),
        rows: table.rows.iter().map(|row| texts(&row.value)).collect(),
    })
}

fn one_of<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    const FEW: usize = 8;
    let known: Vec<_> = known.collect();
    let all = || match known.len() {
        1..=FEW => Some(format!("use {}", any_of(&known))),
        _ => None,
    };
    did_you_mean(name, known.iter().copied()).or_else(all)
}

impl Builder<'_, '_> {
    fn page(&mut self, name: &Text, runbook: &spec::Runbook) -> Page {
        let steps = self.steps(runbook);
        for name in runbook.fixes.keys() {
            self.cx.check_name(name, false);
        }
        let fixes = runbook.fixes.iter().map(|(name, fix)| Fix {
            name: name.value.clone(),
            title: text(fix.title.as_ref()).unwrap_or_else(|| name.value.replace('-', " ")),
            actions: texts(&fix.actions),
            risk: text(fix.risk.as_ref()),
        });
        let fixes = fixes.collect();
        let commands = self.commands(&runbook.commands);
        let related = self.related(&runbook.related);
        let signals = looked_at(&steps).chain(self.watched(&name.value));
        let history = history::of(self.cx.catalog, names::own_prefix(self.cx.spec), signals);
        Page {
            name: name.value.clone(),
            title: runbook.title.value.clone(),
            meaning: text(runbook.meaning.as_ref()),
            impact: text(runbook.impact.as_ref()),
            symptoms: texts(&runbook.symptoms),
            steps,
            fixes,
            commands,
            escalation: text(runbook.escalation.as_ref()),
            related,
            history,
        }
    }

    fn commands(&mut self, names: &[Text]) -> Vec<Command> {
        let spec = self.cx.spec;
        let mut found = Vec::new();
        for name in names {
            match spec.commands.get(name.value.as_str()) {
                Some(known) => found.push(command(known)),
                None => self.unknown("command", name, spec.commands.keys()),
            }
        }
        found
    }

    fn related(&mut self, names: &[Text]) -> Vec<(String, String)> {
        names.iter().filter_map(|name| self.runbook(name)).collect()
    }

    pub(super) fn runbook(&mut self, name: &Text) -> Option<(String, String)> {
        let spec = self.cx.spec;
        match spec.runbooks.get(name.value.as_str()) {
            Some(runbook) => Some((name.value.clone(), runbook.title.value.clone())),
            None => {
                self.unknown("runbook", name, spec.runbooks.keys());
                None
            }
        }
    }

    pub(super) fn unknown<'n>(
        &mut self,
        what: &str,
        name: &Text,
        known: impl Iterator<Item = &'n Text>,
    ) {
        let message = format!("unknown {what} `{name}`");
        let help = one_of(&name.value, known.map(|known| known.value.as_str()));
        let error = Diagnostic::error("unknown-name", name.span, message);
        self.cx.sink.push(error.maybe_help(help));
    }

    /// Runbooks that alerts, objectives and panels name, in the order of the spec.
    fn named(&self) -> Vec<Text> {
        let spec = self.cx.spec;
        let slos = spec
            .slos
            .values()
            .filter_map(|slo| slo.notice.runbook.as_ref());
        let alerts = spec
            .alerts
            .values()
            .filter_map(|a| a.notice.runbook.as_ref());
        let rows = spec.dashboards.values().flat_map(|d| &d.rows.value);
        let panels = rows.flat_map(|row| &row.value.panels.value);
        let panels = panels.filter_map(|panel| panel.value.runbook.as_ref());
        let all = slos.chain(alerts).chain(panels);
        all.filter(|name| !is_elsewhere(name)).cloned().collect()
    }

    /// The runbook of a name that the spec does not declare: it only lists its alerts. In a spec that declares runbooks,
    /// an undeclared name is an error.
    fn unwritten(&mut self, name: &Text, known: &[Page]) -> Option<Page> {
        let spec = self.cx.spec;
        if !spec.runbooks.is_empty() {
            self.unknown("runbook", name, spec.runbooks.keys());
            return None;
        }
        if known.iter().any(|page| page.name == name.value) {
            return None;
        }
        let others = known.iter().map(|page| page.name.as_str());
        doubts::runbook(self.cx, name, others);
        Some(Page {
            name: name.value.clone(),
            title: name.value.replace('-', " "),
            meaning: None,
            impact: None,
            symptoms: Vec::new(),
            steps: Vec::new(),
            fixes: Vec::new(),
            commands: Vec::new(),
            escalation: None,
            related: Vec::new(),
            history: history::of(
                self.cx.catalog,
                names::own_prefix(self.cx.spec),
                self.watched(&name.value),
            ),
        })
    }

    fn triage(&mut self, triage: &spec::Triage) -> Triage {
        let mut signals = Vec::new();
        for name in &triage.signals {
            let signal = self.cx.optional_signal(name);
            signals.extend(signal.map(|signal| signal.title.clone()));
        }
        let mut rows = Vec::new();
        for row in &triage.rows {
            let r = &row.value;
            self.check_pattern(triage, r, row.span);
            let runbook = r.runbook.as_ref().and_then(|name| self.runbook(name));
            rows.push(TriageRow {
                pattern: texts(&r.pattern),
                likely: r.likely.value.clone(),
                runbook,
            });
        }
        Triage {
            title: triage.title.value.clone(),
            note: text(triage.note.as_ref()),
            signals,
            rows,
        }
    }

    fn check_pattern(&mut self, triage: &spec::Triage, row: &spec::TriageRow, at: Span) {
        if row.pattern.len() != triage.signals.len() {
            let message = format!(
                "the pattern has {}, but the table has {}",
                match row.pattern.len() {
                    1 => "1 entry".to_owned(),
                    n => format!("{n} entries"),
                },
                count(triage.signals.len(), "signal")
            );
            self.cx
                .sink
                .push(Diagnostic::error("bad-table", at, message));
        }
    }

    fn watched(&self, runbook: &str) -> Vec<&Signal> {
        let leads = |links: &Links| links.page.as_deref() == Some(runbook);
        let slos = self.slos.iter().filter(|slo| leads(&slo.links));
        let alerts = self.alerts.iter().filter(|alert| leads(&alert.links));
        let of_alerts = alerts.flat_map(|alert| alert.condition.signals());
        slos.flat_map(Slo::signals).chain(of_alerts).collect()
    }
}

fn looked_at(steps: &[Step]) -> impl Iterator<Item = &Signal> {
    steps.iter().flat_map(|step| match &step.check {
        Check::Condition { condition, .. } => condition.signals(),
        Check::Command(..) | Check::Question(_) => Vec::new(),
    })
}
