//! Fields with another name or place than before: one table for the reader, `slosmith migrate` and the docs.
//!
//! ```
//! use slosmith_spec::spec;
//! use slosmith_text::source::FileId;
//!
//! let text = "apiVersion: slosmith/v1\nservice: {name: chat}\nslos: {ttft: {window: 28d}}\n";
//! let found = spec::renamed(FileId(0), text);
//! assert_eq!(found[0].message, "`window` is now `period`");
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::beta;
use super::pattern::{below, ends};
use crate::naming;
use slosmith_text::diag::{Diagnostic, Edit, Fix};
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{Kind, Node, Style};

/// Paths of fields from the top, and what they are now.
///
/// A new path is the old one with another last word, or lacks the word before that: its value has moved up.
pub const RENAMED: &[(&str, &str)] = &[
    ("prometheus/labels/target", "prometheus/scrape_labels"),
    ("prometheus/labels/external", "prometheus/external_labels"),
    ("signals/*/labels", "signals/*/has_labels"),
    ("signals/*/prometheus/expr", "signals/*/prometheus/promql"),
    ("slos/*/window", "slos/*/period"),
    ("slos/*/sli/latency/within", "slos/*/sli/latency/at_most"),
    ("slos/*/burn/policy", "slos/*/burn"),
    ("slos/*/burn/tiers", "slos/*/burn"),
    ("slos/*/burn/*/in", "slos/*/burn/*/long"),
    ("slos/*/burn/*/factor", "slos/*/burn/*/times"),
    ("alerts/*/when/**/match", "alerts/*/when/**/on"),
    (
        "alerts/*/when/**/outside/and_above",
        "alerts/*/when/**/outside/above",
    ),
    (
        "alerts/*/when/**/outside/and_below",
        "alerts/*/when/**/outside/below",
    ),
    (
        "runbooks/*/steps/*/when/**/match",
        "runbooks/*/steps/*/when/**/on",
    ),
    (
        "runbooks/*/steps/*/when/**/outside/and_above",
        "runbooks/*/steps/*/when/**/outside/above",
    ),
    (
        "runbooks/*/steps/*/when/**/outside/and_below",
        "runbooks/*/steps/*/when/**/outside/below",
    ),
    (
        "alerts/*/when/**/correlated/with",
        "alerts/*/when/**/correlated/signal",
    ),
    (
        "runbooks/*/steps/*/when/**/correlated/with",
        "runbooks/*/steps/*/when/**/correlated/signal",
    ),
    ("grafana/instances", "grafana/selector"),
    (
        "dashboards/*/rows/*/panels/*/stats",
        "dashboards/*/rows/*/panels/*/stat",
    ),
];

/// Where `{x: 0, y: 8, w: 12, h: 8}` was, which is `[0, 8, 12, 8]`.
const POSITION: &str = "dashboards/*/rows/*/panels/*/position";

/// All old fields of a file, each with the edit that renames it; or why the file is no YAML.
pub fn renamed(file: FileId, text: &str) -> Vec<Diagnostic> {
    tree(file, text).map_or_else(|fault| vec![fault], |(_, found)| found)
}

/// A file as it would be with all fields under their new names and in their new places, and the old ones.
pub(super) fn tree<'t>(
    file: FileId,
    text: &'t str,
) -> Result<(Node<'t>, Vec<Diagnostic>), Diagnostic> {
    let (mut root, mut found) = beta::joined(file, text)?;
    found.extend(update(file, text, &mut root));
    Ok((root, found))
}

/// The old fields, each with an edit; gives these fields of the tree their new names and places, so that the rest can be read.
fn update(file: FileId, text: &str, root: &mut Node<'_>) -> Vec<Diagnostic> {
    let mut update = Update {
        file,
        text,
        found: Vec::new(),
        spread: BTreeMap::new(),
    };
    update.percentiles(root);
    update.each(root, POSITION, &mut Update::position);
    let words = |path: &'static str| path.rsplit_once('/').unwrap_or(("", path));
    for (old, new) in RENAMED {
        let ((parents, word), (new_parents, new_word)) = (words(old), words(new));
        if parents == new_parents {
            update.each(root, parents, &mut |update, map| {
                update.rename(map, word, new_word);
            });
        } else {
            let (parents, holder) = words(parents);
            update.each(root, parents, &mut |update, map| {
                update.move_up(map, holder, word, new_word);
            });
        }
    }
    update.found
}

struct Update<'a> {
    file: FileId,
    text: &'a str,
    found: Vec<Diagnostic>,
    /// The edits of maps whose entries move up, by the place of their keys.
    spread: BTreeMap<u32, Option<Edits>>,
}

type Edits = Vec<(Range<usize>, String)>;

impl Update<'_> {
    /// Visits the values at a path.
    fn each<'t>(
        &mut self,
        node: &mut Node<'t>,
        path: &str,
        visit: &mut dyn FnMut(&mut Self, &mut Node<'t>),
    ) {
        if ends(path) {
            visit(self, node);
        }
        match &mut node.kind {
            Kind::Map(entries) => {
                for (key, value) in entries {
                    let left = key.text().and_then(|word| below(path, word));
                    if let Some(left) = left {
                        self.each(value, left, visit);
                    }
                }
            }
            Kind::Seq(items) => {
                if let Some(left) = below(path, "*") {
                    items
                        .iter_mut()
                        .for_each(|item| self.each(item, left, visit));
                }
            }
            Kind::Scalar(_) => {}
        }
    }

    /// SLOs on percentiles, which are now alerts, also in the tree. No edit moves one: an alert has no period and no title, and its
    /// comments stand between its fields.
    fn percentiles(&mut self, root: &mut Node<'_>) {
        let Some(slos) = inside(root, "slos") else {
            return;
        };
        let old = slos.extract_if(.., |(_, slo)| slo.at(&["sli", "percentile"]).is_some());
        let mut alerts = Vec::new();
        for (name, slo) in old {
            let sli = slo.get("sli");
            let Some((key, percentile)) = sli.and_then(|sli| sli.entry("percentile")) else {
                continue;
            };
            let own = slo.get("alert_name").and_then(Node::text);
            let made = || naming::percentile_alert(name.text().unwrap_or_default());
            let alert = own.map_or_else(made, str::to_owned);
            let fields = alerting(&slo, percentile);
            let help = match &fields {
                Some(fields) => {
                    let fields = self.written(fields);
                    format!("replace the SLO by an alert: `alerts: {{{alert}: {fields}}}`")
                }
                None => {
                    "use a `latency` SLI with an `objective`, or an alert with a `target`".into()
                }
            };
            let message = "`percentile` is now an alert with a `target`";
            let at = Span::new(self.file, key.range());
            let error = Diagnostic::error("renamed-field", at, message);
            self.found.push(error.help(help));
            let key = Node::scalar(name.range(), alert, Style::Plain);
            alerts.extend(fields.map(|fields| (key, fields)));
        }
        if let Some(known) = inside(root, "alerts") {
            known.extend(alerts);
        } else if let (Kind::Map(all), Some((first, _))) = (&mut root.kind, alerts.first()) {
            let at = first.range();
            let key = Node::scalar(at.clone(), "alerts", Style::Plain);
            all.push((key, Node::new(at, Kind::Map(alerts))));
        }
    }

    /// Fields on one line; a value on several lines is left out.
    fn written(&self, map: &Node<'_>) -> String {
        let entries = map.entries().iter().map(|(key, value)| {
            let text = &self.text[value.range()];
            let text = match &value.kind {
                Kind::Map(_) if key.text() == Some("when") => self.written(value),
                Kind::Scalar(scalar) if key.text() == Some("severity") => scalar.value.to_string(),
                _ if text.contains('\n') => "…".to_owned(),
                _ => text.to_owned(),
            };
            format!("{}: {text}", key.text().unwrap_or_default())
        });
        format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
    }

    fn position(&mut self, map: &mut Node<'_>) {
        if !map.is_map() {
            return;
        }
        let number = |key| map.get(key).and_then(Node::text).map(str::to_owned);
        let numbers: Option<Vec<_>> = ["x", "y", "w", "h"].into_iter().map(number).collect();
        let at = map.range();
        let list = numbers
            .as_ref()
            .map(|numbers| format!("[{}]", numbers.join(", ")));
        let edits = list.map(|list| vec![(at.clone(), list)]);
        if let Some(numbers) = numbers {
            let number = |text| Node::scalar(at.clone(), text, Style::Plain);
            map.kind = Kind::Seq(numbers.into_iter().map(number).collect());
        }
        self.tell(
            at,
            "`position` is now `[x, y, width, height]`".to_owned(),
            edits,
        );
    }

    fn rename(&mut self, map: &mut Node<'_>, old: &str, new: &'static str) {
        let free = map.get(new).is_none();
        let Kind::Map(entries) = &mut map.kind else {
            return;
        };
        let named = |(key, _): &&mut (Node<'_>, _)| key.text() == Some(old);
        let Some((key, _)) = entries.iter_mut().find(named) else {
            return;
        };
        let at = key.range();
        let edits = free.then(|| vec![(at.clone(), new.to_owned())]);
        if free {
            *key = Node::scalar(at.clone(), new, Style::Plain);
        }
        self.tell(at, format!("`{old}` is now `{new}`"), edits);
    }

    /// Moves an entry of `holder` up: beside `holder`, or in its place.
    fn move_up(&mut self, map: &mut Node<'_>, holder: &str, old: &str, new: &'static str) {
        let known = map.get(new).is_some() && new != holder;
        let Kind::Map(entries) = &mut map.kind else {
            return;
        };
        let named = |(key, _): &(Node<'_>, Node<'_>)| key.text() == Some(holder);
        let Some(at) = entries.iter().position(named).filter(|_| !known) else {
            return;
        };
        let (outer, inner) = &mut entries[at];
        let Some((key, value)) = inner.entry(old) else {
            return;
        };
        let (key, value) = (key.clone(), value.clone());
        let edits = match new == holder {
            true => self.unwrapped(outer, inner, &key, &value),
            // Of each of its entries, as all were there.
            false => match self.spread.get(&outer.start) {
                Some(known) => known.clone(),
                None => {
                    let edits = self.spread(outer, inner);
                    self.spread.insert(outer.start, edits.clone());
                    edits
                }
            },
        };
        let is_last = inner.entries().len() == 1;
        if new == holder && is_last {
            *inner = value;
        } else if new != holder {
            inner.leave_out(|key| key == old);
            if is_last {
                entries.remove(at);
            }
            entries.push((Node::scalar(key.range(), new, Style::Plain), value));
        }
        let message = match new == holder {
            true => format!("`{holder}.{old}` is now the value of `{holder}`"),
            false => format!("`{holder}.{old}` is now `{new}`"),
        };
        self.tell(key.range(), message, edits);
    }

    /// `burn: {policy: none}` as `burn: none`.
    fn unwrapped(
        &self,
        outer: &Node<'_>,
        inner: &Node<'_>,
        key: &Node<'_>,
        value: &Node<'_>,
    ) -> Option<Edits> {
        let text = self.text;
        let (key, value) = (key.range(), value.range());
        if inner.entries().len() > 1 {
            return None;
        }
        if text[inner.range()].starts_with('{') {
            return Some(vec![(inner.range(), text[value].to_owned())]);
        }
        let header = &text[outer.range().end..key.start];
        let is_below = text[key.end..value.start].contains('\n');
        Some(match (is_below, header.contains('#')) {
            (true, _) => {
                let line = self.line(key.start);
                let rest = text[key.end..].trim_start_matches(':');
                let end = text.len() - rest.len();
                let blank = rest
                    .lines()
                    .next()
                    .is_none_or(|rest| rest.trim().is_empty());
                match blank {
                    true => vec![(line..self.next_line(end), String::new())],
                    // A comment behind the key stays.
                    false => vec![(key.start..end, String::new())],
                }
            }
            (false, false) => vec![(outer.range().end..value.start, ": ".to_owned())],
            (false, true) => vec![(key.start..value.start, String::new())],
        })
    }

    /// All entries of `inner`, under their new names, in the place of `outer`.
    fn spread(&self, outer: &Node<'_>, inner: &Node<'_>) -> Option<Edits> {
        let text = self.text;
        let holder = outer.text()?;
        let new = |key: &Node<'_>| {
            let old = format!("{holder}/{}", key.text()?);
            let row = RENAMED.iter().find(|(path, _)| path.ends_with(&old))?;
            row.1.rsplit('/').next()
        };
        let entries = inner.entries();
        let names: Vec<_> = entries
            .iter()
            .map(|(key, _)| new(key))
            .collect::<Option<_>>()?;
        let (start, first) = (outer.range().start, entries.first()?.0.range().start);
        let column = start - self.line(start);
        let flow = matches!(&outer.kind, Kind::Scalar(s) if s.style == Style::PlainInFlow);
        if text[inner.range()].starts_with('{') {
            let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let line = format!("{end}{}", " ".repeat(column));
            let parts = entries.iter().zip(names);
            let parts = parts.map(|((key, value), new)| {
                format!("{new}{}", &text[key.range().end..value.range().end])
            });
            let parts: Vec<_> = parts.collect();
            let between = if flow { ", " } else { &line };
            return Some(vec![(start..inner.range().end, parts.join(between))]);
        }
        let header = text[outer.range().end..first].trim_start_matches([':', ' ']);
        let comment = header.starts_with('#');
        let deeper = first - self.line(first) - column;
        let kept = if comment { first - header.len() } else { first };
        let mut edits = vec![(start..kept, String::new())];
        let mut at = self.next_line(kept);
        while at < inner.range().end {
            let blanks = text[at..].len() - text[at..].trim_start_matches(' ').len();
            if blanks > 0 {
                edits.push((at..at + blanks.min(deeper), String::new()));
            }
            at = self.next_line(at);
        }
        let keys = entries.iter().zip(names);
        edits.extend(keys.map(|((key, _), new)| (key.range(), new.to_owned())));
        Some(edits)
    }

    /// Where the line of a place begins.
    fn line(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// Where the line after a place begins.
    fn next_line(&self, at: usize) -> usize {
        let end = self.text[at..].find('\n');
        end.map_or(self.text.len(), |end| at + end + 1)
    }

    fn tell(&mut self, at: Range<usize>, message: String, edits: Option<Edits>) {
        let span = |at| Span::new(self.file, at);
        let fix = edits.map(|edits| {
            let edits = edits.into_iter();
            let edits = edits.map(|(at, text)| Edit::replace(span(at), text));
            Fix::safe_edits("use the new field", edits.collect())
        });
        let error = Diagnostic::error("renamed-field", span(at), message);
        let error = error.help(match fix {
            Some(_) => "`slosmith migrate` rewrites all files of the project",
            None => "edit it by hand: `slosmith migrate` cannot, because of the fields beside it",
        });
        self.found.push(error.maybe_fix(fix));
    }
}

fn inside<'n, 't>(map: &'n mut Node<'t>, key: &str) -> Option<&'n mut Vec<(Node<'t>, Node<'t>)>> {
    let Kind::Map(all) = &mut map.kind else {
        return None;
    };
    let (_, found) = all
        .iter_mut()
        .find(|(known, _)| known.text() == Some(key))?;
    match &mut found.kind {
        Kind::Map(entries) => Some(entries),
        _ => None,
    }
}

fn alerting<'t>(slo: &Node<'t>, percentile: &Node<'t>) -> Option<Node<'t>> {
    let old = slo.get("alert")?;
    let fields = |of: &Node<'t>, words: &[&str]| -> Vec<_> {
        let known = words.iter().filter_map(|word| of.entry(word));
        known.cloned().collect()
    };
    let named = |at: Range<usize>, word: &'static str| Node::scalar(at, word, Style::Plain);
    let when = [
        fields(percentile, &["signal", "stat"]),
        fields(old, &["above", "window"]),
        fields(slo, &["by", "group_by", "where"]),
    ];
    let when = Node::new(percentile.range(), Kind::Map(when.concat()));
    let mut all = fields(old, &["severity"]);
    if all.is_empty() {
        all.push((named(old.range(), "severity"), named(old.range(), "page")));
    }
    all.push((named(percentile.range(), "when"), when));
    all.extend(fields(old, &["for"]));
    if let Some((key, value)) = percentile.entry("below") {
        all.push((named(key.range(), "target"), value.clone()));
    }
    all.extend(fields(
        slo,
        &[
            "summary",
            "description",
            "runbook",
            "owner",
            "labels",
            "annotations",
        ],
    ));
    Some(Node::new(old.range(), Kind::Map(all)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use slosmith_text::diag::fix;
    use slosmith_text::source::{SourceFile, Sources};

    /// The text after all fixes, pass by pass.
    fn migrated(text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..4 {
            let mut sources = Sources::default();
            let file = sources.add(SourceFile::new("a.yaml", text.clone()));
            let found = renamed(file, &text);
            let outcome = fix::apply(&sources, &found, false);
            match outcome.files.into_values().next() {
                Some(fixed) => text = fixed.text,
                None => break,
            }
        }
        text
    }

    #[test]
    fn old_fields_are_rewritten_where_they_stand() {
        for (old, new) in [
            (
                "slos:\n  a: {window: 30d, sli: {latency: {signal: x, within: 1s}}} # w\n",
                "slos:\n  a: {period: 30d, sli: {latency: {signal: x, at_most: 1s}}} # w\n",
            ),
            (
                "prometheus:\n  labels: {target: [a, b], external: [c]}\n  jobs: {}\n",
                "prometheus:\n  scrape_labels: [a, b]\n  external_labels: [c]\n  jobs: {}\n",
            ),
            (
                "prometheus: {labels: {target: [a], external: [b]}, x: 1}\n",
                "prometheus: {scrape_labels: [a], external_labels: [b], x: 1}\n",
            ),
            (
                "prometheus:\n  labels:  # of the scrape\n    # first\n    target: [a]\n    external:\n      - b\n  x: 1\n",
                "prometheus:\n  # of the scrape\n  # first\n  scrape_labels: [a]\n  external_labels:\n    - b\n  x: 1\n",
            ),
            (
                "prometheus:\n  labels:\n    target: [a]\n",
                "prometheus:\n  scrape_labels: [a]\n",
            ),
            (
                "slos:\n  a:\n    burn:\n      policy: none # quiet\n  b: {burn: {policy: sre-workbook}}\n",
                "slos:\n  a:\n    burn: none # quiet\n  b: {burn: sre-workbook}\n",
            ),
            (
                "slos:\n  a:\n    burn:\n      # mine\n      tiers:\n        - {factor: 2, in: 1h}\n    x: 1\n",
                "slos:\n  a:\n    burn:\n      # mine\n        - {times: 2, long: 1h}\n    x: 1\n",
            ),
            (
                "slos: {a: {burn: {tiers: [{ratio: 1%, in: 1h}]}}}\n",
                "slos: {a: {burn: [{ratio: 1%, long: 1h}]}}\n",
            ),
            (
                "alerts: {A: {when: {any: [{all: [], match: [a]}], where: {match: x}, match: [b]}}}\n",
                "alerts: {A: {when: {any: [{all: [], on: [a]}], where: {match: x}, on: [b]}}}\n",
            ),
            (
                "x-a: &a {window: 30d}\nslos: {a: *a, b: *a}\n",
                "x-a: &a {period: 30d}\nslos: {a: *a, b: *a}\n",
            ),
            (
                "a: 1\n# Of users.\ntables: {}\n\nslos: {}\nadvice: {} # mine\n",
                "a: 1\nslos: {}\n---\napiVersion: slosmith/v1beta1\n\n# Of users.\ntables: {}\n\nadvice: {} # mine\n",
            ),
            (
                "tables: {}\nslos: {}\n---\napiVersion: slosmith/v1beta1\nadvice: {}\n",
                "slos: {}\n---\napiVersion: slosmith/v1beta1\nadvice: {}\n\ntables: {}\n",
            ),
            ("tables: &a {}\nx-b: *a\n", "tables: &a {}\nx-b: *a\n"),
            (
                "dashboards: {a: {rows: [{panels: [{position: {w: 12, h: 8, x: 0, y: 4}}]}]}}\n",
                "dashboards: {a: {rows: [{panels: [{position: [0, 4, 12, 8]}]}]}}\n",
            ),
            (
                "dashboards:\n  a:\n    rows:\n      - panels:\n          - position:\n              x: 0\n              y: 4\n              w: 12\n              h: 8\n            unit: s\n",
                "dashboards:\n  a:\n    rows:\n      - panels:\n          - position:\n              [0, 4, 12, 8]\n            unit: s\n",
            ),
            // Its author writes the alert.
            (
                "slos: {a: {sli: {percentile: {signal: x, stat: p99, below: 1s}}, alert: {above: 2s, for: 5m}}}\n",
                "slos: {a: {sli: {percentile: {signal: x, stat: p99, below: 1s}}, alert: {above: 2s, for: 5m}}}\n",
            ),
            (
                "slos: {a: {window: 1d, period: 1d}}\n",
                "slos: {a: {window: 1d, period: 1d}}\n",
            ),
        ] {
            assert_eq!(migrated(old), new);
            assert_eq!(migrated(new), new);
        }
    }
}
