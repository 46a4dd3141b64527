//! Names, labels and annotations of a source as a spec can have them.

use super::context::Cx;
use super::model::{Objective, Pairs};
use slosmith_promql::Kept;
use slosmith_spec::naming;
use slosmith_spec::spec::Text;
use slosmith_text::yaml::go::{self, Kind, Token};

pub(super) const LONGEST: usize = 63;

/// The nearest name that a spec can have, in small letters; a comment where it differs.
pub(super) fn lower(cx: &mut Cx<'_>, name: &Text, comments: &mut Vec<String>) -> String {
    cleaned(cx, name, true, comments)
}

pub(super) fn alert(cx: &mut Cx<'_>, name: &Text, comments: &mut Vec<String>) -> String {
    cleaned(cx, name, false, comments)
}

fn cleaned(cx: &mut Cx<'_>, name: &Text, is_lower: bool, comments: &mut Vec<String>) -> String {
    if naming::check_name(&name.value, is_lower).is_ok() {
        return name.value.clone();
    }
    let clean = clean(&name.value, is_lower);
    comments.push(cx.changed(name.span, format!("name `{name}` changed to `{clean}`")));
    clean
}

/// The nearest word that can be a severity; a comment where it differs.
pub(super) fn severity(cx: &mut Cx<'_>, text: &Text, comments: &mut Vec<String>) -> String {
    if naming::check_name(&text.value, false).is_ok() {
        return text.value.clone();
    }
    let clean = clean(&text.value, false);
    comments.push(cx.changed(text.span, format!("severity `{text}` changed to `{clean}`")));
    clean
}

pub(super) fn clean(name: &str, is_lower: bool) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => c,
        _ => '-',
    };
    let clean: String = name.chars().map(plain).collect();
    let clean = clean.trim_matches(['-', '_']);
    let clean = clean.get(..LONGEST.min(clean.len())).unwrap_or_default();
    let clean = match is_lower {
        true => clean.to_ascii_lowercase(),
        false => clean.to_owned(),
    };
    match naming::check_name(&clean, is_lower) {
        Ok(()) => clean,
        Err(_) => format!("imported-{clean}").trim_end_matches('-').to_owned(),
    }
}

/// Labels of alerts: those that the rules set themselves get another name.
///
/// `owner` stays, for the caller to take it out.
pub(super) fn labels(
    cx: &mut Cx<'_>,
    pairs: Vec<(Text, Text)>,
    comments: &mut Vec<String>,
) -> Vec<(Text, Text)> {
    let mut out = Vec::new();
    for (mut name, value) in pairs {
        let is_name = name
            .value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
        let starts = name
            .value
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let lost = if name.value.starts_with("sloth_") {
            Some("`compat: sloth` sets this label")
        } else if !is_name || !starts || name.value.starts_with("__") {
            Some("not a valid label name")
        } else if value.value.contains("$value") {
            Some("with `$value` in a label, each new value would start a new alert")
        } else {
            None
        };
        if let Some(why) = lost {
            let what = format!("label `{name}: {value}`: {why}");
            comments.push(cx.lost(name.span, what, ""));
            continue;
        }
        let is_ours = naming::RESERVED_LABELS.contains(&name.value.as_str());
        if is_ours && name.value != naming::OWNER && name.value != naming::SEVERITY {
            let new = format!("service_{name}");
            let what = format!("label `{name}` renamed to `{new}`: slosmith sets `{name}` itself");
            comments.push(cx.changed(name.span, what));
            name.value = new;
        }
        out.push((name, value));
    }
    out
}

pub(super) enum Annotation {
    Summary(String),
    Description(String),
    Runbook(String),
    Own(String, String),
    Lost,
}

pub(super) struct Known<'a> {
    /// Labels of the result besides `service`, `slo` and `window`.
    pub(super) by: &'a [String],
    /// Labels that have one value, which the result here does not have.
    pub(super) fixed: &'a Pairs,
}

impl Known<'_> {
    /// A template with the values of fixed labels; `None` where it is lost.
    fn fill(
        &self,
        cx: &mut Cx<'_>,
        (what, name, value): (&str, &Text, &Text),
        comments: &mut Vec<String>,
    ) -> Option<String> {
        let mut text = template(&value.value);
        for (label, fixed) in self.fixed {
            for variable in ["$labels", ".Labels"] {
                text = text.replace(&format!("{{{{ {variable}.{label} }}}}"), fixed);
                text = text.replace(&format!("{{{{{variable}.{label}}}}}"), fixed);
            }
        }
        let known = |label: &str| {
            let ours = [naming::SERVICE, naming::SLO, naming::WINDOW];
            ours.contains(&label) || self.by.iter().any(|kept| kept == label)
        };
        without_unknown(cx, (what, name, &text), known, comments)
    }

    pub(super) fn annotation(
        &self,
        cx: &mut Cx<'_>,
        (name, value): &(Text, Text),
        comments: &mut Vec<String>,
    ) -> Annotation {
        match self.fill(cx, ("annotation", name, value), comments) {
            Some(text) => put(cx, name, &text, comments),
            None => Annotation::Lost,
        }
    }

    pub(super) fn labels(
        &self,
        cx: &mut Cx<'_>,
        pairs: Vec<(Text, Text)>,
        comments: &mut Vec<String>,
    ) -> Vec<(Text, Text)> {
        let mut out = Vec::new();
        for (name, value) in pairs {
            let Some(text) = self.fill(cx, ("label", &name, &value), comments) else {
                continue;
            };
            if !text.trim().is_empty() {
                let at = value.span;
                out.push((name, Text::new(text, at)));
            }
        }
        out
    }
}

fn put(cx: &mut Cx<'_>, name: &Text, text: &str, comments: &mut Vec<String>) -> Annotation {
    let is_url = text.starts_with("http://") || text.starts_with("https://");
    let is_plain = !text.contains("{{") && !text.contains(char::is_whitespace);
    match name.value.as_str() {
        "summary" if !text.trim().contains('\n') => Annotation::Summary(text.trim().to_owned()),
        "runbook_url" if is_url && is_plain => Annotation::Runbook(text.to_owned()),
        "summary" | "description" | "action" | "runbook_url" | "dashboard_url" => {
            let new = format!("own_{name}");
            let what =
                format!("annotation `{name}` renamed to `{new}`: slosmith writes `{name}` itself");
            comments.push(cx.changed(name.span, what));
            Annotation::Own(new, text.to_owned())
        }
        _ => {
            let clean: String = name.value.chars().map(word).collect();
            if clean != name.value {
                let what = format!("annotation `{name}` renamed to `{clean}`");
                comments.push(cx.changed(name.span, what));
            }
            Annotation::Own(clean, text.to_owned())
        }
    }
}

fn word(c: char) -> char {
    if c.is_ascii_alphanumeric() { c } else { '_' }
}

/// A template in which labels of sloth's series have our names.
fn template(text: &str) -> String {
    text.replace("$labels.sloth_service", "$labels.service")
        .replace("$labels.sloth_slo", "$labels.slo")
        .replace(".Labels.sloth_service", ".Labels.service")
        .replace(".Labels.sloth_slo", ".Labels.slo")
}

/// The same of an alerting rule, whose result keeps some labels.
pub(super) fn of_rule(
    cx: &mut Cx<'_>,
    pair: &(Text, Text),
    kept: Option<&Kept>,
    comments: &mut Vec<String>,
) -> Annotation {
    let (name, value) = pair;
    let known = |label: &str| kept.is_none_or(|kept| kept.may_have(label));
    let Some(text) = without_unknown(cx, ("annotation", name, &value.value), known, comments)
    else {
        return Annotation::Lost;
    };
    let text = text.trim();
    match name.value.as_str() {
        "description" | "message" if !text.is_empty() => Annotation::Description(text.to_owned()),
        "runbook" if text.starts_with("http") && !text.contains("{{") => {
            Annotation::Runbook(text.to_owned())
        }
        _ => put(cx, name, text, comments),
    }
}

/// An annotation in which labels that the alert does not have are left out, as Prometheus prints nothing for them.
fn without_unknown(
    cx: &mut Cx<'_>,
    (what, name, value): (&str, &Text, &str),
    known: impl Fn(&str) -> bool,
    comments: &mut Vec<String>,
) -> Option<String> {
    let (mut text, mut at) = (String::new(), 0);
    let mut unknown: Vec<&str> = Vec::new();
    // Within `range` and `with`, `.Labels` are those of another result.
    let mut moved = false;
    for action in go::actions(value).flatten() {
        let tokens: Vec<_> = go::tokens(value, action.clone()).flatten().collect();
        moved |= tokens.iter().any(Token::moves_dot);
        let labels = tokens.iter().filter(|t| !moved || t.kind != Kind::Field);
        let mut labels = labels.filter_map(Token::label);
        let Some((label, _)) = labels.find(|(label, _)| !known(label)) else {
            continue;
        };
        if tokens.len() > 1 {
            let what = format!("{what} `{name}: {value}`: the alert has no label `{label}`");
            comments.push(cx.lost(name.span, what, ""));
            return None;
        }
        unknown.push(label);
        text.push_str(&value[at..action.start - 2]);
        at = action.end + 2;
    }
    text.push_str(&value[at..]);
    unknown.dedup();
    if !unknown.is_empty() {
        let what = format!(
            "`$labels.{}` removed from the {what} `{name}`: the alert has no such label",
            unknown.join("` and `$labels.")
        );
        comments.push(cx.changed(name.span, what));
    }
    Some(text)
}

pub(super) fn take(labels: &mut Vec<(Text, Text)>, name: &str) -> Option<Text> {
    let at = labels.iter().position(|(own, _)| own.value == name)?;
    Some(labels.remove(at).1)
}

/// Moves `owner` out of some labels.
pub(super) fn take_owner(labels: &mut Pairs) -> Option<String> {
    labels.shift_remove(naming::OWNER)
}

pub(super) fn put_annotations(
    cx: &mut Cx<'_>,
    pairs: &[(Text, Text)],
    fixed: &Pairs,
    objective: &mut Objective,
    comments: &mut Vec<String>,
) {
    let by = objective.by.clone();
    for pair in pairs {
        match (Known { by: &by, fixed }).annotation(cx, pair, comments) {
            Annotation::Summary(text) => objective.summary = Some(text),
            Annotation::Runbook(url) => objective.runbook = Some(url),
            Annotation::Own(name, text) => {
                // Whatever people call it, the link of an alert leads there, too.
                if name == "runbook" && text.starts_with("http") && !text.contains("{{") {
                    objective
                        .runbook
                        .get_or_insert_with(|| text.trim().to_owned());
                }
                objective.annotations.insert(name, text);
            }
            Annotation::Description(_) | Annotation::Lost => {}
        }
    }
}
