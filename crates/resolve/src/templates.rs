//! Prometheus's template language in the author's own texts: braces, variables, labels.

mod grammar;

use std::ops::Range;

use super::context::Context;
use slosmith_promql::Kept;
use slosmith_spec::spec::Text;
use slosmith_text::diag::{Diagnostic, Severity, did_you_mean, one_of};
use slosmith_text::yaml::go;

const VARIABLES: [&str; 4] = ["$labels", "$value", "$externalLabels", "$externalURL"];

/// The first `$value` of a template, if it has one.
pub(super) fn value_of(text: &str) -> Option<Range<usize>> {
    let actions = go::actions(text).flatten();
    let mut words = actions.flat_map(|action| go::tokens(text, action).flatten());
    let found = words.find(|word| word.variable() == Some("$value"))?;
    Some(found.at.start..found.at.start + "$value".len())
}

/// Reports template code that would fail or stay empty for results with these labels.
pub(super) fn check(cx: &mut Context<'_>, text: &Text, kept: &Kept) {
    let mut declared: Vec<&str> = Vec::new();
    let mut whole = Vec::new();
    let known = cx.sink.count(Severity::Error);
    for action in go::actions(&text.value) {
        let action = match action {
            Ok(action) => action,
            Err(open) => {
                let at = cx.document.inside(text, open);
                let error = Diagnostic::error("bad-template", at, "`{{` is not closed");
                cx.sink
                    .push(error.help("write `}}` at the end, as in `{{ $labels.instance }}`"));
                return;
            }
        };
        whole.push(action.clone());
        for token in go::tokens(&text.value, action).flatten() {
            let Some(name) = token.variable() else {
                continue;
            };
            let word = token.at.start..token.at.start + name.len();
            let rest = text.value[token.at.end..].trim_start();
            if name == token.text && (rest.starts_with(":=") || rest.starts_with(',')) {
                declared.push(name);
            } else if !VARIABLES.contains(&name) && !declared.contains(&name) && name != "$" {
                unknown_variable(cx, text, word);
            } else if name == "$labels" {
                check_label(cx, text, &token, kept);
            }
        }
    }
    // What is wrong with a variable has been reported already.
    let reported = cx.sink.count(Severity::Error) > known;
    if !reported && let Err((at, message)) = grammar::check(&text.value, &whole) {
        let at = cx.document.inside(text, at);
        cx.sink.push(Diagnostic::error("bad-template", at, message));
    }
}

fn unknown_variable(cx: &mut Context<'_>, text: &Text, word: Range<usize>) {
    let name = &text.value[word.clone()];
    let message = format!("unknown template variable `{name}`");
    let meant = did_you_mean(name, VARIABLES);
    let help = meant.unwrap_or_else(|| format!("use {}", one_of(&VARIABLES)));
    let error = Diagnostic::error("bad-template", cx.document.inside(text, word), message);
    cx.sink.push(error.help(help));
}

/// `$labels.name` must name a label that the alert's query keeps.
fn check_label(cx: &mut Context<'_>, text: &Text, token: &go::Token<'_>, kept: &Kept) {
    let Some((name, at)) = token.label().filter(|(name, _)| !kept.may_have(name)) else {
        return;
    };
    let at = cx.document.inside(text, at);
    let message = format!("the alert's query does not return the label `{name}`");
    let error = Diagnostic::error("template-label-dropped", at, message);
    let error = match kept {
        Kept::Only(labels) if labels.is_empty() => error
            .help("add the label to `by` or to `prometheus.group_by`: the query returns no labels"),
        Kept::Only(labels) => {
            let known: Vec<_> = labels.iter().map(|label| &**label).collect();
            error
                .maybe_help(did_you_mean(name, known.iter().copied()))
                .help(format!(
                    "use a label of the query: `{}`",
                    known.join("`, `")
                ))
        }
        Kept::AllOf { .. } => error,
    };
    cx.sink.push(error);
}
