//! Requests of signals: defaults are filled in, and fields are checked.
//!
//! `{signal: vllm.time_to_first_token, stat: p95, window: 5m, by: [pod]}` becomes a
//! [`SignalQuery`](slosmith_plan::query::SignalQuery) with the labels it is grouped by.

use super::context::Context;
use slosmith_plan::plan::{DEFAULT_WINDOW, Signal, SignalKind, Window};
use slosmith_plan::query::SignalQuery;
use slosmith_spec::spec::{Selection, Stat};
use slosmith_text::diag::{Diagnostic, Fix, one_of};
use slosmith_text::source::{Span, Spanned};
use slosmith_text::units::{Duration, Number};

pub(super) struct SignalRequest<'a> {
    pub(super) signal: &'a Signal,
    pub(super) stat: Option<Spanned<Stat>>,
    pub(super) window: Option<Spanned<Duration>>,
    pub(super) of: Selection<'a>,
    pub(super) at: Span,
}

impl Context<'_> {
    pub(super) fn read<'a>(&mut self, request: &SignalRequest<'a>) -> Option<SignalQuery<'a>> {
        let stat = self.stat(request)?;
        let window = request.window.map_or(DEFAULT_WINDOW, |w| w.value);
        let at = request.window.map_or(request.at, |w| w.span);
        if !request.signal.is_instant(stat) {
            self.check_window(window, at);
        }
        let labels = self.labels(request.signal, request.of);
        Some(SignalQuery {
            signal: request.signal,
            stat,
            window: Window::Fixed(window),
            labels,
        })
    }

    pub(super) fn check_window_used(
        &mut self,
        read: &SignalQuery<'_>,
        window: Option<Spanned<Duration>>,
    ) {
        let name = &read.signal.name;
        let ratio = self.ratio(name);
        // A built-in ratio may be one of counters in other releases.
        let is_instant = read.signal.is_instant(read.stat) && ratio != Some(false);
        if let Some(window) = window.filter(|_| is_instant) {
            let (why, help) = match ratio.is_some() {
                true => (
                    format!("on `{name}`, a ratio of the newest values of gauges"),
                    "remove `window`, and write `for` in an alert. For means over the window, use `promql` with `avg_over_time` on both sides",
                ),
                false => (
                    format!("on the newest value of `{name}`"),
                    "remove `window`, or read the whole window with `stat: avg`, `stat: max` or `stat: min`",
                ),
            };
            let error = self.without_effect(window, &why);
            self.sink.push(error.help(help));
        }
    }

    /// A `window` that changes nothing, and why.
    pub(super) fn without_effect(&self, window: Spanned<Duration>, why: &str) -> Diagnostic {
        let at = self.document.key(window.span, "window");
        let message = format!("`window` has no effect {why}");
        let edit = self.document.without("window", window.span);
        let fix = edit.map(|edit| Fix::unsafe_edits("remove `window`", vec![edit]));
        Diagnostic::error("contradiction", at, message).maybe_fix(fix)
    }

    /// For a ratio, whether the spec declares it: others are built in.
    fn ratio(&self, name: &str) -> Option<bool> {
        let own = self.spec.signals.get(name);
        let signal = own.or_else(|| self.built_in(name))?;
        match (&signal.ratio, &signal.base) {
            (Some(_), _) => Some(own.is_some()),
            (None, Some(base)) => self.ratio(&base.value),
            (None, None) => None,
        }
    }

    fn stat(&mut self, request: &SignalRequest<'_>) -> Option<Stat> {
        let kind = request.signal.kind();
        let Some(stat) = request.stat else {
            let usual = usual_stat(kind);
            if usual.is_none() {
                let message = format!("the histogram `{}` needs a `stat`", request.signal.name);
                let error = Diagnostic::error("missing-field", request.at, message);
                self.sink
                    .push(error.help("add `stat: p95`, `stat: avg` or `stat: rate`"));
            }
            return usual;
        };
        let known = known_stats(kind);
        if known.iter().any(|k| same(*k, stat.value)) {
            return Some(stat.value);
        }
        let words: Vec<_> = known.iter().map(|k| stat_word(*k)).collect();
        let message = format!(
            "the stat `{}` does not work for the {} `{}`",
            stat.value,
            kind.as_str(),
            request.signal.name
        );
        let error = Diagnostic::error("wrong-stat", stat.span, message);
        self.sink
            .push(error.help(format!("use {}", one_of(&words))));
        None
    }

    pub(super) fn check_window(&mut self, window: Duration, at: Span) {
        let scrape = self.scrape_interval();
        let least = Duration::from_secs(scrape.as_secs() * 4);
        if window.as_secs() < 2 * scrape.as_secs() {
            let message = format!(
                "a rate window of {window} can have fewer than two samples: targets are scraped every {scrape}"
            );
            let error = Diagnostic::error("rate-window-too-short", at, message);
            self.sink.push(error.help(format!("use {least} or more")));
        } else if window < least {
            let message = format!(
                "one failed scrape empties a rate window of {window}: targets are scraped every {scrape}"
            );
            let warning = Diagnostic::warning("rate-window-too-short", at, message);
            self.sink.push(warning.help(format!("use {least} or more")));
        }
    }
}

fn usual_stat(kind: SignalKind) -> Option<Stat> {
    match kind {
        SignalKind::Gauge => Some(Stat::Last),
        SignalKind::Counter => Some(Stat::Rate),
        SignalKind::Ratio => Some(Stat::Avg),
        SignalKind::Histogram => None,
    }
}

fn known_stats(kind: SignalKind) -> &'static [Stat] {
    const ANY_QUANTILE: Stat = Stat::Quantile(Number::new_raw(0, 1));
    match kind {
        SignalKind::Gauge => &[Stat::Last, Stat::Avg, Stat::Min, Stat::Max, Stat::Slope],
        SignalKind::Counter => &[Stat::Rate, Stat::Increase],
        SignalKind::Ratio => &[Stat::Avg],
        SignalKind::Histogram => &[ANY_QUANTILE, Stat::Avg, Stat::Rate, Stat::Increase],
    }
}

fn same(known: Stat, request: Stat) -> bool {
    known == request || matches!((known, request), (Stat::Quantile(_), Stat::Quantile(_)))
}

fn stat_word(stat: Stat) -> String {
    match stat {
        Stat::Quantile(_) => "p95".into(),
        other => other.to_string(),
    }
}
