//! Files that Helm, Jinja or Terraform fill in, as they are when every list has one entry.
//!
//! `` {{ "{{" }} ``, `` {{`…`}} `` and `$${` stand for what they quote, other actions for an unknown value; a line of
//! actions alone is not a line. Of an `if` and its `else` one is there: [`Readings`] chooses.

mod action;
mod branch;

use std::collections::HashMap;

use super::sink::Sink;
use crate::yaml::node::Filler;
use action::{Action, What};
use branch::Readings;

pub const MARK: &str = "$helm_";

/// Who surely fills in a text; none where it has only Prometheus's own templates.
pub fn surely_filled(text: &str) -> Option<Filler> {
    let mut actions = action::each(text, Filler::Helm);
    let is_helm = actions
        .try_fold(false, |is_helm, action| {
            Some(is_helm | action?.is_helm(text))
        })
        .unwrap_or_default();
    match is_helm {
        true => Some(Filler::Helm),
        false => action::is_terraform(text).then_some(Filler::Terraform),
    }
}

/// Who probably fills in a text that is not YAML before that.
pub fn probably_filled(text: &str) -> Option<Filler> {
    if text.contains("{%") {
        return Some(Filler::Jinja);
    }
    let Some(actions) = action::all(text, Filler::Helm) else {
        let sign = ["{{-", ".Values"].iter().any(|sign| text.contains(sign));
        return sign.then_some(Filler::Helm);
    };
    let foreign = actions.iter().any(|action| !action.is_prometheus(text));
    foreign.then_some(Filler::Helm)
}

/// In how many ways a text has to be read so that every branch is; none when an action in it does not end.
pub fn readings(text: &str, filler: Filler) -> Option<u32> {
    Some(Readings::of(&action::all(text, filler)?).count())
}

/// True when branches of a template begin or end in a text, so that other text may stand there, too.
pub fn is_branched(text: &str, filler: Filler) -> bool {
    let branches = |action: &Action| matches!(action.what, What::Open | What::Else | What::End);
    action::all(text, filler).is_none_or(|actions| actions.iter().any(branches))
}

/// True for a line of actions alone one of which writes a value: such lines are left out, whatever they are.
pub fn is_left_out(line: &str, filler: Filler) -> bool {
    action::all(line, filler).is_some_and(|actions| {
        let pieces = rendered(line, &actions, 0);
        let writes = actions.iter().any(|a| matches!(a.what, What::Value));
        writes && Line { pieces }.is_none()
    })
}

/// Decodes one reading of a text; `None` when an action in it does not end.
pub(super) fn decode(
    slice: &str,
    base: usize,
    (filler, reading): (Filler, u32),
    sink: &mut impl Sink,
) -> Option<()> {
    let actions = action::all(slice, filler)?;
    let numbers = numbers(slice, &actions);
    let mut line = Line::default();
    for piece in rendered(slice, &actions, reading) {
        match piece {
            Piece::Text(text, at) => {
                let mut at = at;
                for part in text.split_inclusive('\n') {
                    line.pieces.push(Piece::Text(part, at));
                    at += part.len();
                    if part.ends_with('\n') {
                        std::mem::take(&mut line).put(slice, base, &numbers, sink);
                    }
                }
            }
            action => line.pieces.push(action),
        }
    }
    line.put(slice, base, &numbers, sink);
    Some(())
}

/// The text with actions in the place of their signs; `None` for a sign without an action.
pub(super) fn spell(source: &str, filler: Filler, new: &str) -> Option<String> {
    let actions = action::all(source, filler)?;
    let numbers = numbers(source, &actions);
    let mut out = String::with_capacity(new.len());
    let mut rest = new;
    while let Some((before, behind)) = rest.split_once(MARK) {
        let (number, behind) = behind.split_once('_')?;
        let number = number.parse::<usize>().ok()?;
        let (text, _) = numbers.iter().find(|(_, n)| **n == number)?;
        out.push_str(before);
        out.push_str(text);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}

/// Equal actions have equal numbers, so that one may be written twice.
fn numbers<'s>(source: &'s str, actions: &[Action]) -> HashMap<&'s str, usize> {
    let mut numbers = HashMap::new();
    for action in actions {
        let next = numbers.len() + 1;
        numbers.entry(&source[action.range.clone()]).or_insert(next);
    }
    numbers
}

enum Piece<'s> {
    Text(&'s str, usize),
    Action(&'s Action),
}

/// Text and actions in order, without the branches that this reading leaves out.
fn rendered<'s>(source: &'s str, actions: &'s [Action], reading: u32) -> Vec<Piece<'s>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let kept = Readings::of(actions).keep(actions, reading);
    let mut follows = true;
    for (action, kept) in actions.iter().zip(kept) {
        if follows {
            pieces.push(Piece::Text(&source[at..action.range.start], at));
        }
        if kept.itself {
            pieces.push(Piece::Action(action));
        }
        follows = kept.follows;
        at = action.range.end;
    }
    if follows {
        pieces.push(Piece::Text(&source[at..], at));
    }
    pieces
}

#[derive(Default)]
struct Line<'s> {
    pieces: Vec<Piece<'s>>,
}

impl Line<'_> {
    fn put(self, source: &str, base: usize, numbers: &HashMap<&str, usize>, sink: &mut impl Sink) {
        if self.is_none() {
            return;
        }
        for piece in &self.pieces {
            match piece {
                Piece::Text(text, at) => sink.verbatim(text, base + at),
                Piece::Action(action) => {
                    let range = base + action.range.start..base + action.range.end;
                    match &action.what {
                        What::Raw(inner) => {
                            sink.verbatim(&source[inner.clone()], base + inner.start)
                        }
                        What::Quoted(text) => sink.atom(text, range),
                        What::Value => {
                            let number = numbers.get(&source[action.range.clone()]);
                            let number = number.copied().unwrap_or_default();
                            sink.atom(&format!("{MARK}{number}_"), range);
                        }
                        What::Open | What::Else | What::End | What::Silent => {}
                    }
                }
            }
        }
    }

    /// True for actions alone: what they write, if anything, are lines of its own.
    fn is_none(&self) -> bool {
        let mut actions = false;
        let blank = self.pieces.iter().all(|piece| match piece {
            Piece::Text(text, _) => text.trim().is_empty(),
            Piece::Action(action) => {
                actions = true;
                !matches!(action.what, What::Raw(_) | What::Quoted(_))
            }
        });
        actions && blank
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> String {
        read(text, 0)
    }

    fn read(text: &str, reading: u32) -> String {
        let mut out = String::new();
        decode(text, 0, (Filler::Helm, reading), &mut out).expect("actions that end");
        out
    }

    #[test]
    fn every_branch_is_in_one_reading() {
        for (text, wanted) in [
            ("{{ if .x }}1{{ end }}2", &["12"][..]),
            ("{{ if .x }}1{{ else }}2{{ end }}3", &["13", "23"]),
            ("{{ with .x }}1{{ else with .y }}2{{ end }}3", &["13", "23"]),
            (
                "{{ if .x }}1{{ else if .y }}2{{ else }}3{{ end }}{{ if .x }}4{{ else }}5{{ end }}",
                &["14", "25", "34"],
            ),
            (
                "{{ if .a }}1{{ else }}{{ if .b }}2{{ else }}3{{ end }}4{{ end }}5",
                &["15", "245", "345"],
            ),
            (
                "{{ if .a }}{{ if .b }}1{{ else }}2{{ end }}3{{ else }}4{{ end }}5",
                &["135", "235", "45"],
            ),
            (
                "{% if a %}\n1\n{% elif b %}\n2\n{% else %}\n3\n{% endif %}\n",
                &["1\n", "2\n", "3\n"],
            ),
            ("{{ else }}1{{ end }}2{{ if .x }}3", &["123"]),
        ] {
            let count = readings(text, Filler::Helm).expect("actions that end");
            let found: Vec<_> = (0..count).map(|n| read(text, n)).collect();
            assert_eq!(found, wanted, "{text}");
        }
        let deep = "{{ if .x }}1{{ else }}".repeat(100_000);
        assert_eq!(readings(&deep, Filler::Helm), Some(100_001));
        assert_eq!(read(&deep, 2), "1");
    }

    #[test]
    fn actions_stand_for_what_they_write() {
        for (text, wanted) in [
            ("a: {{ .Values.x }}\n", "a: $helm_1_\n"),
            (
                "a: {{ .x }} {{ .y }} {{ .x }}",
                "a: $helm_1_ $helm_2_ $helm_1_",
            ),
            (
                "a: {{ \"{{\" }} $labels.x {{ \"}}\" }}",
                "a: {{ $labels.x }}",
            ),
            ("a: {{`{{ $labels.x }}`}}", "a: {{ $labels.x }}"),
            ("a: {{ '{{' }} x {{ '}}' }}", "a: {{ x }}"),
            (
                "{{- if .x }}\na: 1\n{{- else }}\na: 2\n{{- end }}\n",
                "a: 1\n",
            ),
            (
                "a: {{ if .x }}1{{ else if .y }}2{{ else }}3{{ end }}\n",
                "a: 1\n",
            ),
            (
                "{{ if .a }}{{ if .b }}1{{ else }}2{{ end }}3{{ else }}4{{ end }}5",
                "135",
            ),
            ("a:\n  {{- toYaml .x | nindent 2 }}\nb: 1\n", "a:\nb: 1\n"),
            ("{{- /* }} */ -}}\na: 1", "a: 1"),
            ("a: \"{{ template \"b\" . }}\"", "a: \"$helm_1_\""),
            (
                "{% for x in y %}\na: {{ x }}\n{% endfor %}\n",
                "a: $helm_2_\n",
            ),
            ("{% raw %}a: {{ x }}{% endraw %}\n", "a: {{ x }}\n"),
        ] {
            assert_eq!(decoded(text), wanted, "{text}");
        }
        assert!(decode("a: {{ .x", 0, (Filler::Helm, 0), &mut String::new()).is_none());
    }

    #[test]
    fn prometheus_templates_are_no_templates() {
        for text in [
            "a: {{ $labels.x }} {{ $value | humanize }}",
            "a: {{ range query \"x\" }}{{ .Labels.pod }}{{ end }}",
        ] {
            assert_eq!(surely_filled(text), None, "{text}");
        }
        assert_eq!(probably_filled("a: {{ $labels.x }}"), None);
        assert_eq!(probably_filled("{{- if .x }}"), Some(Filler::Helm));
        assert_eq!(probably_filled("{% if x %}"), Some(Filler::Jinja));
        for text in [
            "{{ .Values.x }}",
            "{{`{{ $labels.x }}`}}",
            "{{ \"{{\" }}",
            "{{ include \"a\" . }}",
        ] {
            assert_eq!(surely_filled(text), Some(Filler::Helm), "{text}");
        }
    }

    #[test]
    fn terraform_fills_in_what_it_does_not_escape() {
        for (text, wanted) in [
            (
                "rate(x[$${__interval}]) ${y}",
                "rate(x[${__interval}]) $helm_2_",
            ),
            (r#"${join("|", [for m in ms : "${m.x}"])}."#, "$helm_1_."),
            (
                "%{ if x ~}\na\n%{ else }\nb\n%{ endif ~}\n{{c}}",
                "a\n{{c}}",
            ),
            ("%%{x} $1 ${1 + 1}", "%{x} $1 $helm_2_"),
        ] {
            let mut out = String::new();
            decode(text, 0, (Filler::Terraform, 0), &mut out).expect("actions that end");
            assert_eq!(out, wanted, "{text}");
        }
        for (text, wanted) in [
            ("$${x}", Some(Filler::Terraform)),
            ("a\n%{~ for x in y }", Some(Filler::Terraform)),
            ("$${1} ${x} %{WORD:x}", None),
            ("$${x} {{ .Values.x }}", Some(Filler::Helm)),
        ] {
            assert_eq!(surely_filled(text), wanted, "{text}");
        }
    }

    #[test]
    fn signs_become_actions_again() {
        let source = "a: {{ .x }} {{ .y }}";
        assert_eq!(
            spell(source, Filler::Helm, "b$helm_2_c").as_deref(),
            Some("b{{ .y }}c")
        );
        assert_eq!(spell(source, Filler::Helm, "b").as_deref(), Some("b"));
        assert_eq!(spell(source, Filler::Helm, "$helm_3_"), None);
    }
}
