//! From a file's text to a spec whose fields do not contradict each other.

mod dashboard;
mod errors;
mod exclusive;
mod reader;
mod reading;

use std::rc::Rc;

use super::text;
use super::{
    Burn, Comparison, Condition, PromQlSli, RatioSide, Selection, Signal, Sli, Slo, Spec, Tier,
};
pub use errors::Errors;
use exclusive::{Exclusive, Field};
pub use reader::{read, read_environment};
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::{FileId, Span, Spanned};
use slosmith_text::yaml::{self, Joined};

#[derive(Clone, Debug)]
pub struct Document {
    pub file: FileId,
    /// The environment whose differences are in it.
    pub environment: Option<String>,
    /// The texts of that and of all that it extends, to find places inside long values.
    pub files: Rc<Joined>,
    /// What it says. Where there are `errors`, something stands in for what could not be read.
    pub spec: Spec,
    /// What is wrong with its shape; resolution tells it with all that it finds itself.
    pub errors: Errors,
}

impl Document {
    /// The service's name, unless it is missing.
    pub fn service(&self) -> Option<&super::Text> {
        let name = &self.spec.service.name;
        (!self.errors.is_owner(name.span)).then_some(name)
    }

    /// The key `name` of the value at `value`, or the value itself where the key is not in front of it.
    pub fn key(&self, value: Span, name: &str) -> Span {
        let text = self.files.text_of(value.file);
        let found = text.and_then(|text| yaml::key(text, value.range().start, name));
        found.map_or(value, |range| Span::new(value.file, range))
    }

    /// Some bytes of a text that the spec holds; the whole of it where they cannot be located.
    pub fn inside(&self, text: &super::Text, part: std::ops::Range<usize>) -> Span {
        let file = self.files.text_of(text.span.file);
        let found = file.and_then(|file| yaml::inside(file, text.span.range(), &text.value, part));
        found.map_or(text.span, |range| Span::new(text.span.file, range))
    }
}

/// Fields that contradict each other.
fn check(document: &Document) -> Vec<Diagnostic> {
    let spec = &document.spec;
    let mut sink = Sink::default();
    let mut check = Exclusive {
        document,
        sink: &mut sink,
    };
    for (name, signal) in &spec.signals {
        check.signal(name.span, signal);
    }
    for record in spec.records.values() {
        check.groups(record.groups.selection());
    }
    for slo in spec.slos.values() {
        check.groups(slo.groups.selection());
        check.sli(&slo.sli);
        check.burn(slo);
    }
    for alert in spec.alerts.values() {
        check.condition(&alert.when);
    }
    for runbook in spec.runbooks.values() {
        for step in &runbook.steps {
            check.step(step);
        }
    }
    for dashboard in spec.dashboards.values() {
        check.dashboard(dashboard);
    }
    sink.into_sorted()
}

fn comparison(of: &Comparison) -> [Field<'static>; 5] {
    [
        ("above", place(of.above.as_ref())),
        ("below", place(of.below.as_ref())),
        ("at_least", place(of.at_least.as_ref())),
        ("at_most", place(of.at_most.as_ref())),
        ("equals", place(of.equals.as_ref())),
    ]
}

fn place<T>(value: Option<&Spanned<T>>) -> Option<Span> {
    value.map(|v| v.span)
}

impl Exclusive<'_> {
    fn signal(&mut self, name: Span, signal: &Signal) {
        let binding = signal.prometheus.as_ref();
        let source = [
            ("use", place(signal.base.as_ref())),
            ("ratio", place(signal.ratio.as_ref())),
            ("per", place(signal.per.as_ref())),
            ("prometheus", place(binding)),
        ];
        let kind = [
            ("use", place(signal.base.as_ref())),
            ("ratio", place(signal.ratio.as_ref())),
            ("per", place(signal.per.as_ref())),
            ("kind", place(signal.kind.as_ref())),
        ];
        // A kind or a unit without a binding misses just that; resolution says so.
        if signal.kind.is_none() && signal.unit.is_none() {
            self.exactly_one("the signal", name, &source);
        } else if self.at_most_one(&source) < 2 {
            self.at_most_one(&kind);
        }
        if let Some(binding) = binding {
            let of = [
                ("metric", place(binding.value.metric.as_ref())),
                ("promql", place(binding.value.promql.as_ref())),
            ];
            self.exactly_one("`prometheus`", binding.span, &of);
        }
    }

    fn groups(&mut self, of: Selection<'_>) {
        let by = of.by.first().map(|label| label.span);
        self.at_most_one(&[("by", by), ("group_by", place(of.group_by))]);
    }

    fn sli(&mut self, sli: &Spanned<Sli>) {
        let kinds = [
            ("ratio", place(sli.value.ratio.as_ref())),
            ("latency", place(sli.value.latency.as_ref())),
            ("time", place(sli.value.time.as_ref())),
            ("promql", place(sli.value.promql.as_ref())),
            ("goodput", place(sli.value.goodput.as_ref())),
        ];
        self.exactly_one("`sli`", sli.span, &kinds);
        if let Some(ratio) = &sli.value.ratio {
            let side = |side: Option<&RatioSide>| place(side.map(|side| &side.signal));
            let events = [
                ("bad", side(ratio.value.bad.as_ref())),
                ("good", side(ratio.value.good.as_ref())),
            ];
            self.exactly_one("`ratio`", ratio.span, &events);
        }
        if let Some(time) = &sli.value.time {
            self.exactly_one("`time`", time.span, &comparison(&time.value.comparison));
        }
        if let Some(promql) = &sli.value.promql {
            self.own_sli(promql);
        }
    }

    fn own_sli(&mut self, promql: &Spanned<PromQlSli>) {
        let p = &promql.value;
        let total = ("total", place(p.total.as_ref()));
        let ratio = ("error_ratio", place(p.error_ratio.as_ref()));
        let counted = [
            ("bad", place(p.bad.as_ref())),
            ("good", place(p.good.as_ref())),
        ];
        if !self.exactly_one("`promql`", promql.span, &[counted[0], counted[1], ratio]) {
            return;
        }
        match (ratio.1, total.1) {
            (None, None) => {
                let error =
                    Diagnostic::error("missing-field", promql.span, "`promql` needs `total`");
                self.sink
                    .push(error.help("add `total`: a query for the rate of all events"));
            }
            (Some(_), Some(_)) => {
                self.at_most_one(&[ratio, total]);
            }
            _ => {}
        }
    }

    fn burn(&mut self, slo: &Slo) {
        let Some(burn) = &slo.burn else {
            return;
        };
        if let Burn::Tiers(tiers) = &burn.value
            && tiers.is_empty()
        {
            let message = "`burn` must have at least one tier";
            let error = Diagnostic::error("empty-list", burn.span, message);
            self.sink
                .push(error.help("to have no burn-rate alerts, write `burn: none`"));
        }
        burn.value.tiers().iter().for_each(|tier| self.tier(tier));
    }

    fn tier(&mut self, tier: &Spanned<Tier>) {
        let t = &tier.value;
        let by = [
            ("consumes", place(t.consumes.as_ref())),
            ("ratio", place(t.ratio.as_ref())),
            ("times", place(t.times.as_ref())),
        ];
        self.exactly_one("the tier", tier.span, &by);
    }

    fn condition(&mut self, condition: &Spanned<Condition>) {
        let c = &condition.value;
        let subject = [
            ("signal", place(c.signal.as_ref())),
            ("promql", place(c.promql.as_ref())),
            ("all", place(c.all.as_ref())),
            ("any", place(c.any.as_ref())),
        ];
        let others = [
            ("outside", place(c.outside.as_ref())),
            ("correlated", place(c.correlated.as_ref())),
            ("absent", place(c.absent.as_ref())),
        ];
        let tests: Vec<_> = comparison(&c.comparison)
            .into_iter()
            .chain(others)
            .collect();
        // What does not fit one of two subjects may fit the other: one fault, one finding.
        if self.exactly_one("the condition", condition.span, &subject) {
            match (&c.signal, &c.promql) {
                (Some(signal), _) => {
                    self.reading(&c.reading);
                    if c.absent.is_some() {
                        let stat = ("stat", place(c.stat.as_ref()));
                        self.reject([stat], "cannot be combined with `absent`");
                    }
                    self.exactly_one("the condition", signal.span, &tests);
                }
                (None, Some(_)) => self.raw(c, &tests),
                (None, None) => self.combination(c, &tests),
            }
        }
        for list in [&c.all, &c.any].into_iter().flatten() {
            if list.value.is_empty() {
                let message = "a list of conditions must have at least one entry";
                self.sink
                    .push(Diagnostic::error("empty-list", list.span, message));
            }
        }
        let parts = [&c.all, &c.any].into_iter().flatten();
        let parts = parts.flat_map(|list| &list.value);
        for part in parts.chain(c.unless.as_deref()) {
            self.condition(part);
        }
    }

    /// A command comes with the question what to look for.
    fn step(&mut self, step: &Spanned<super::Step>) {
        let s = &step.value;
        let ask = s.ask.as_ref().filter(|_| s.run.is_none());
        let checks = [
            ("when", place(s.when.as_ref())),
            ("alert", place(s.alert.as_ref())),
            ("run", place(s.run.as_ref())),
            ("ask", place(ask)),
        ];
        self.exactly_one("the step", step.span, &checks);
        let outcomes = [
            ("fix", place(s.fix.as_ref())),
            ("then", place(s.then.as_ref())),
        ];
        self.at_most_one(&outcomes);
        if let Some(when) = &s.when {
            self.condition(when);
        }
    }

    /// Raw PromQL is read and grouped as it is written.
    fn raw(&mut self, c: &Condition, tests: &[Field<'_>]) {
        self.at_most_one(tests);
        self.reading(&c.reading);
        let unfit = [
            ("equals", place(c.comparison.equals.as_ref())),
            ("outside", place(c.outside.as_ref())),
            ("correlated", place(c.correlated.as_ref())),
            ("absent", place(c.absent.as_ref())),
        ];
        self.reject(unfit, reading::IN_QUERY);
    }

    /// A combination has no value of its own to compare or to read over time.
    fn combination(&mut self, c: &Condition, tests: &[Field<'_>]) {
        let reading = c.fields();
        let own = reading.all().chain(tests.iter().copied());
        self.reject(
            own,
            "cannot be set next to `all` or `any`: set it inside each condition",
        );
    }
}
