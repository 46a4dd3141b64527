//! Decision trees: checks, and where their outcomes lead.

use std::collections::BTreeMap;

use super::{Builder, text, texts};
use crate::conditions::Resolver;
use crate::doubts;
use slosmith_plan::parity;
use slosmith_plan::plan::Condition;
use slosmith_plan::plan::runbook::{Check, Lead, Step};
use slosmith_spec::spec::{self, Runbook, Text};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Spanned;
use slosmith_text::units::Duration;

impl Builder<'_, '_> {
    pub(super) fn steps(&mut self, runbook: &Runbook) -> Vec<Step> {
        let ids = self.ids(runbook);
        let (mut steps, mut leads) = (Vec::new(), Vec::new());
        for (i, step) in runbook.steps.iter().enumerate() {
            let s = &step.value;
            let check = self.check(step);
            let next = match i + 1 < runbook.steps.len() {
                true => Lead::Step(i + 2),
                false => Lead::End,
            };
            let yes = self.yes(runbook, s, &ids, &next);
            let no = match &s.otherwise {
                Some(name) => self.step(name, &ids, i),
                None => next,
            };
            leads.push([&yes, &no].map(|lead| match lead {
                Lead::Step(number) => *number,
                _ => 0,
            }));
            let Some(check) = check else {
                continue;
            };
            steps.push(Step {
                id: format!("s{}", i + 1),
                title: text(s.title.as_ref()),
                alert: text(s.alert.as_ref()),
                check,
                cause: text(s.cause.as_ref()),
                verify: texts(&s.verify),
                yes,
                no,
            });
        }
        self.check_reached(runbook, &ids, &leads);
        steps
    }

    /// Warns of a step that no other one leads to. Steps lead only forward.
    fn check_reached(
        &mut self,
        runbook: &Runbook,
        ids: &BTreeMap<String, usize>,
        leads: &[[usize; 2]],
    ) {
        let mut named = (runbook.steps.iter())
            .flat_map(|step| [&step.value.then, &step.value.otherwise])
            .flatten();
        if named.any(|name| !ids.contains_key(&name.value)) {
            return;
        }
        for (i, step) in runbook.steps.iter().enumerate().skip(1) {
            let id = step.value.id.as_ref();
            if leads[..i].iter().flatten().all(|to| *to != i + 1) {
                let name = id.map_or_else(
                    || format!("step {}", i + 1),
                    |id| format!("the step `{id}`"),
                );
                let message = format!("no step leads to {name}");
                let at = id.map_or(step.span, |id| id.span);
                let warning = Diagnostic::warning("contradiction", at, message);
                let help = "lead to it with `then` or `else`, or remove it";
                self.cx.sink.push(warning.help(help));
            }
        }
    }

    fn ids(&mut self, runbook: &Runbook) -> BTreeMap<String, usize> {
        let mut ids = BTreeMap::new();
        for (i, step) in runbook.steps.iter().enumerate() {
            let Some(id) = &step.value.id else { continue };
            if ids.insert(id.value.clone(), i + 1).is_some() {
                let message = format!("two steps have the id `{id}`");
                let error = Diagnostic::error("duplicate-name", id.span, message);
                self.cx.sink.push(error);
            }
        }
        ids
    }

    /// Another step; one cannot lead to itself.
    fn step(&mut self, name: &Text, ids: &BTreeMap<String, usize>, from: usize) -> Lead {
        match ids.get(&name.value) {
            Some(number) if *number <= from + 1 => {
                let message = format!("`{name}` is not a later step: the steps would form a loop");
                let error = Diagnostic::error("cyclic-reference", name.span, message);
                self.cx
                    .sink
                    .push(error.help("use the `id` of a later step"));
                Lead::End
            }
            Some(number) => Lead::Step(*number),
            None => {
                let message = format!("unknown step `{name}`");
                let later = ids.iter().filter(|(_, number)| **number > from + 1);
                let later = later.map(|(id, _)| id.as_str());
                let help = super::one_of(&name.value, later);
                let error = Diagnostic::error("unknown-name", name.span, message);
                self.cx.sink.push(error.maybe_help(help));
                Lead::End
            }
        }
    }

    fn yes(
        &mut self,
        runbook: &Runbook,
        s: &spec::Step,
        ids: &BTreeMap<String, usize>,
        next: &Lead,
    ) -> Lead {
        match (&s.fix, &s.then) {
            (Some(name), _) => {
                if !runbook.fixes.contains_key(name.value.as_str()) {
                    self.unknown("fix", name, runbook.fixes.keys());
                }
                Lead::Fix(name.value.clone())
            }
            (None, Some(name)) => {
                let at = runbook
                    .steps
                    .iter()
                    .position(|other| std::ptr::eq(&other.value, s));
                self.step(name, ids, at.unwrap_or_default())
            }
            // A step that only explains leads on.
            (None, None) if s.cause.is_none() => next.clone(),
            (None, None) => Lead::End,
        }
    }

    fn check(&mut self, step: &Spanned<spec::Step>) -> Option<Check> {
        let s = &step.value;
        if let Some(when) = &s.when {
            let mut resolver = Resolver {
                cx: self.cx,
                alert: "",
                hold: Duration::default(),
                records: Vec::new(),
                joined: false,
            };
            let condition = resolver.condition(when)?;
            if !resolver.records.is_empty() {
                let message = "a runbook step can only use fixed thresholds: past values are recorded only for alerts";
                let error = Diagnostic::error("contradiction", when.span, message);
                let help = "use an alert with this condition: `alert: NAME`";
                self.cx.sink.push(error.help(help));
                return None;
            }
            if s.cause.is_some() {
                doubts::step(self.cx, when, &condition, self.alerts);
            }
            return Some(self.holds(condition));
        }
        if let Some(name) = &s.alert {
            let condition = self.condition_of(name)?;
            return Some(self.holds(condition));
        }
        match (&s.run, &s.ask) {
            (Some(run), ask) => Some(Check::Command(run.value.clone(), text(ask.as_ref()))),
            (None, Some(ask)) => Some(Check::Question(ask.value.clone())),
            (None, None) => None,
        }
    }

    fn condition_of(&mut self, name: &Text) -> Option<Condition> {
        let alert = self.alerts.iter().find(|alert| alert.name == name.value);
        let found = alert.map(|alert| alert.condition.clone());
        // One that is wrong itself has been reported already.
        let declared = self.cx.spec.alerts.contains_key(name.value.as_str());
        if found.is_none() && !declared {
            self.unknown("alert", name, self.cx.spec.alerts.keys());
        }
        found
    }

    fn holds(&self, condition: Condition) -> Check {
        let via = self.cx.spec.cloudwatch.as_ref().map(|cw| cw.via);
        Check::Condition {
            cloudwatch: via.map(|via| parity::console(via, &condition).map(Box::new)),
            condition: Box::new(condition),
        }
    }
}
