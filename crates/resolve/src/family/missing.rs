//! Families that some or all releases of the range lack: first and last release, and conditions.

use crate::context::{Absence, Context};
use crate::{matchers, names};
use slosmith_catalog::{Catalog, Lifetime, ReleaseId, Series, Version};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;

/// Longer lineage notes are not repeated in the list of signals that were left out.
const SHORT_NOTE: usize = 90;

pub(super) struct Missing<'a> {
    metric: &'a str,
    absent: &'a [ReleaseId],
    profiles: Vec<String>,
    life: Option<Lifetime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    Conditional,
    Future,
    /// This value of vLLM's flag for hidden metrics shows it.
    Hidden(&'static str),
    Removed,
}

impl Lack {
    fn code(self) -> &'static str {
        match self {
            Self::Conditional => "conditional-metric",
            Self::Future => "future-metric",
            Self::Hidden(_) => "hidden-metric",
            Self::Removed => "removed-metric",
        }
    }
}

impl<'a> Missing<'a> {
    pub(super) fn new(cx: &Context<'_>, metric: &'a str, absent: &'a [ReleaseId]) -> Self {
        let coverage = cx
            .range
            .iter()
            .map(|range| cx.catalog.coverage(metric, &range.selection, &cx.profiles));
        Self {
            metric,
            absent,
            profiles: coverage.flat_map(|c| c.only_in_profiles).collect(),
            life: lifetime(cx, metric),
        }
    }

    /// The same for one name in raw PromQL, where the family's other names do not count.
    pub(super) fn of_name(cx: &Context<'_>, metric: &'a str, absent: &'a [ReleaseId]) -> Self {
        Self {
            life: cx.catalog.first_last_in(metric, &cx.profiles),
            ..Self::new(cx, metric, absent)
        }
    }

    /// The finding at `at`, where the family is named as a signal or by its own name.
    pub(super) fn error(&self, cx: &Context<'_>, name: &str, at: Span) -> Diagnostic {
        let releases = cx.catalog.describe(self.absent);
        let metric = self.metric;
        // A signal stands for all names that its metric had.
        let (what, its_metric) = match name.starts_with("vllm:") {
            true => (format!("`{name}`"), format!("`{name}`")),
            false => (format!("`{name}` (`{metric}`)"), "the metric".to_owned()),
        };
        let lack = self.lack(cx);
        let message = match lack {
            Lack::Conditional => format!(
                "{what} exists on vLLM {releases} only with {}",
                with_profiles(&self.profiles)
            ),
            Lack::Hidden(_) => format!("{what} is hidden on vLLM {releases}"),
            Lack::Future | Lack::Removed => format!("{what} does not exist on vLLM {releases}"),
        };
        let error = Diagnostic::error(lack.code(), at, message);
        let error = error.maybe_help(match lack {
            Lack::Conditional => Some(format!(
                "add the profile if your servers use it: `runtime: {{profiles: [{}]}}`",
                self.profiles.first().map_or("", String::as_str)
            )),
            Lack::Hidden(flag) => Some(format!(
                "start vLLM with `--show-hidden-metrics-for-version={flag}` to expose the metric"
            )),
            Lack::Future | Lack::Removed => None,
        });
        let history = self.life.as_ref().map(|life| {
            let exists = match (lack, &life.last) {
                (Lack::Removed, Some(_)) => "existed",
                _ => "exists",
            };
            format!("{its_metric} {exists} {}", span(life))
        });
        let history = history.filter(|_| matches!(lack, Lack::Future | Lack::Removed));
        let lineage = cx.catalog.lineage();
        let (today, change) = (lineage.successor(metric), lineage.change(metric));
        // Lineage notes on a pure rename do not help: the new name is enough.
        let change = change.filter(|_| today.is_none());
        let notes = history.into_iter().chain(change.map(|c| c.note.clone()));
        notes
            .fold(error, Diagnostic::note)
            .maybe_help(today.map(|name| format!("use the new name, `{name}`")))
            .maybe_help(self.way_out(cx, lack))
    }

    /// The same for a list of what was left out, in a few words.
    pub(super) fn absence(&self, cx: &Context<'_>) -> Absence {
        let metric = self.metric;
        let why = match &self.life {
            Some(life) => format!("`{metric}` exists only {}", span(life)),
            None if !self.profiles.is_empty() => {
                format!(
                    "`{metric}` exists only with {}",
                    with_profiles(&self.profiles)
                )
            }
            None => format!("no recorded release exposes `{metric}`"),
        };
        let change = cx.catalog.lineage().change(metric);
        let note = change.filter(|c| c.note.len() <= SHORT_NOTE);
        Absence {
            why,
            note: note.map(|c| c.note.clone()),
        }
    }

    fn lack(&self, cx: &Context<'_>) -> Lack {
        let before = |first: &Version| self.newest(cx).is_some_and(|v| v < first);
        match &self.life {
            None if !self.profiles.is_empty() => Lack::Conditional,
            // Older releases had it without the profile.
            Some(_) if self.flag(cx).is_none() && self.is_only_in_profiles(cx) => Lack::Conditional,
            Some(life) if before(&life.first) => Lack::Future,
            _ => self.flag(cx).map_or(Lack::Removed, Lack::Hidden),
        }
    }

    /// True where each of the releases has it with a profile.
    fn is_only_in_profiles(&self, cx: &Context<'_>) -> bool {
        let family = cx.catalog.family(self.metric);
        let shows = |id: &ReleaseId| {
            let release = cx.catalog.release(*id);
            family.is_some_and(|family| family.visible_in(release, &self.profiles).is_some())
        };
        !self.profiles.is_empty() && self.absent.iter().all(shows)
    }

    fn newest(&self, cx: &Context<'_>) -> Option<&'static Version> {
        let newest = self.absent.last()?;
        Some(cx.catalog.release(*newest).version())
    }

    /// What shows it on the newest release that hides it.
    fn flag(&self, cx: &Context<'_>) -> Option<&'static str> {
        let change = cx.catalog.lineage().change(self.metric)?;
        change.flag_on(self.newest(cx)?)
    }

    fn way_out(&self, cx: &Context<'_>, lack: Lack) -> Option<String> {
        let all = cx.range.as_ref().map(|r| r.selection.releases.len());
        let partly = all.is_some_and(|all| self.absent.len() < all);
        // A range from the command line cannot be fixed in the spec.
        let narrow = partly && !cx.overridden && lack != Lack::Conditional;
        let optional = cx.is_declaring();
        Some(match (narrow, optional) {
            (true, true) => {
                "narrow `runtime.vllm` to releases that have the metric, or set `optional: true`"
                    .into()
            }
            (true, false) => "narrow `runtime.vllm` to releases that have the metric".into(),
            (false, true) => {
                "set `optional: true` to leave the signal out where the metric is missing".into()
            }
            (false, false) => return None,
        })
    }
}

/// From the first release with any of the family's names to the last.
fn lifetime(cx: &Context<'_>, metric: &str) -> Option<Lifetime> {
    let lineage = cx.catalog.lineage();
    let newest = lineage.successor(metric).unwrap_or(metric);
    let names = std::iter::once(newest).chain(lineage.predecessors(newest));
    let lives = names.filter_map(|name| cx.catalog.first_last_in(name, &cx.profiles));
    lives.reduce(|a, b| Lifetime {
        first: a.first.min(b.first),
        last: a.last.zip(b.last).map(|(a, b)| a.max(b)),
    })
}

/// From when to when a metric exists.
pub(super) fn span(life: &Lifetime) -> String {
    match &life.last {
        Some(last) => format!("from {} to {last}", life.first),
        None => format!("since {}", life.first),
    }
}

fn with_profiles(profiles: &[String]) -> String {
    match profiles {
        [one] => format!("the profile `{one}`"),
        more => format!("one of the profiles `{}`", more.join("`, `")),
    }
}

/// vLLM metrics cannot be checked without a range; an invalid range has been reported.
pub(super) fn range(cx: &Context<'_>, name: &str, at: Span) -> Option<Diagnostic> {
    if cx.spec.vllm().is_some() || cx.runtime_told.replace(true) {
        return None;
    }
    let message = format!("`{name}` needs `runtime.vllm`: vLLM metrics depend on the release");
    let error = Diagnostic::error("missing-field", at, message);
    Some(error.help("set the vLLM releases in use: `runtime: {vllm: \">=0.20, <0.34\"}`"))
}

/// Reports a name that is not a family on any release.
pub(super) fn nobody_has(catalog: &Catalog, metric: &str, at: Span) -> Option<Diagnostic> {
    match catalog.series_of(metric) {
        Some((_, Series::Whole)) => None,
        Some((family, _)) => Some(one_series(metric, family.name(), at)),
        None if catalog.is_known(metric) => None,
        None => Some(unknown(catalog, metric, at)),
    }
}

pub(super) fn one_series(metric: &str, family: &str, at: Span) -> Diagnostic {
    let message = format!("`{metric}` is only one series of a histogram");
    Diagnostic::error("bad-name", at, message)
        .help(format!("use the name of the histogram: `{family}`"))
}

pub(super) fn unknown(catalog: &Catalog, metric: &str, at: Span) -> Diagnostic {
    let message = format!("no vLLM release has the metric `{metric}`");
    let meant = catalog.suggest(metric, &[]);
    Diagnostic::error("unknown-metric", at, message)
        .maybe_help(meant.map(|m| format!("did you mean `{m}`?")))
}

pub(super) fn normalised(cx: &Context<'_>, metric: &str, at: Span) -> Option<Diagnostic> {
    let catalog = cx.catalog;
    let prefixes = catalog.spellings().iter();
    let mut prefixes = prefixes.map(|spelling| &spelling.prefix);
    let known = |prefix: &String| {
        let served = catalog.served(prefix, metric)?;
        let meant = [served.clone(), format!("{served}_total")];
        let meant = meant.into_iter().find(|name| catalog.is_known(name))?;
        Some((prefix.clone(), meant))
    };
    let (prefix, meant) = prefixes.find_map(known)?;
    let own = names::own_prefix(cx.spec);
    let job = matchers::own_job(cx.spec);
    let message =
        format!("`{metric}` begins with `{prefix}`, but the spec's vLLM names begin with `{own}`");
    let error = Diagnostic::error("normalised-name", at, message);
    Some(error.help(format!("did you mean `{meant}`?")).help(format!(
        "if your store has the prefix `{prefix}`, set `prometheus: {{jobs: {{{job}: {{names: \"{prefix}\"}}}}}}`"
    )))
}
