//! Label selections: from spec to matchers.
//!
//! `where: {code: {matches: "5.."}}` becomes `code=~"5.."`, and a list of values one regular expression.

use std::collections::BTreeMap;

use super::context::Context;
use slosmith_plan::plan::selection::{Matcher, holds_http_status, statuses};
use slosmith_promql as promql;
use slosmith_promql::ast::MatchOp;
use slosmith_spec::spec::{MatchValue, Matchers, Spec, Text};
use slosmith_text::diag::{Diagnostic, Edit, Fix};

/// The label of a scrape job.
pub(super) const JOB: &str = "job";

/// The job of the vLLM servers: the selector's, if it has one.
pub fn own_job(spec: &Spec) -> &str {
    match spec.prometheus.selector.get(JOB) {
        Some(MatchValue::Is { values, .. }) if values.len() == 1 => &values[0].value,
        _ => &spec.service.name.value,
    }
}

pub(super) fn check(cx: &mut Context<'_>, selection: &Matchers) {
    for (label, value) in selection {
        cx.check_label_name(label);
        check_value(cx, &label.value, value);
    }
}

fn check_value(cx: &mut Context<'_>, label: &str, value: &MatchValue) {
    let regex = match value {
        MatchValue::Is {
            values,
            said: false,
        } => {
            for text in values {
                check_text(cx, text);
            }
            return;
        }
        MatchValue::Not(values) => {
            for text in values.iter().filter(|text| is_like_regex(&text.value)) {
                cx.sink.push(excludes_one(text));
            }
            return;
        }
        MatchValue::Is { .. } => return,
        MatchValue::Matches(regex) | MatchValue::NotMatches(regex) => regex,
    };
    let selector = promql::build::metric("x").matcher("l", MatchOp::Match, &regex.value);
    if let Err(error) = promql::parse(&promql::ast::Expr::from(selector).to_string()) {
        let message = format!("`{regex}` is {}", with_article(&error.message));
        cx.sink
            .push(Diagnostic::error("bad-regex", regex.span, message));
    } else if !regex.value.is_empty()
        && holds_http_status(label)
        && is_of_statuses(&regex.value)
        && let Some(doubt) = doubt(&regex.value)
    {
        cx.sink.push(doubtful(regex, doubt));
    }
}

/// Doubts a pattern that a metric of the user's has for a class of statuses: vLLM's labels have the value `5xx`, others hardly do.
pub(super) fn check_class(cx: &mut Context<'_>, label: &str, value: &MatchValue) {
    if let MatchValue::Matches(regex) = value
        && holds_http_status(label)
        && status_class(&regex.value).is_some()
    {
        let doubt = "only this exact value, and no HTTP status such as 503";
        cx.sink.push(doubtful(regex, doubt));
    }
}

fn doubtful(regex: &Text, doubt: &str) -> Diagnostic {
    let message = format!("`{regex}` matches {doubt}");
    Diagnostic::warning("bad-matcher", regex.span, message).help(
        "a pattern must match the whole value: write `5..` for all server errors, and `500|503` for some",
    )
}

/// True for the name of a label that usually holds an HTTP status.
pub(super) fn is_status(label: &str) -> bool {
    ["status", "code"].iter().any(|word| label.contains(word))
}

/// True for a pattern that is made of the signs of statuses.
fn is_of_statuses(regex: &str) -> bool {
    let mut signs = regex.chars();
    signs.all(|c| c.is_ascii_digit() || " x.,|()[]{}^-+*?$\\d".contains(c))
}

/// What a pattern of statuses matches, where this is hardly meant.
fn doubt(regex: &str) -> Option<&'static str> {
    let matches = |value: &str| promql::matches(regex, value) == Some(true);
    if !statuses().any(|status| matches(&status)) {
        Some("no HTTP status")
    } else if regex.contains('*') && regex.contains(|c: char| c.is_ascii_digit()) && matches("") {
        Some("series without this label, too")
    } else {
        None
    }
}

/// A value that looks like a pattern, and excludes only itself.
fn excludes_one(text: &Text) -> Diagnostic {
    let message = format!("`{text}` looks like a pattern, but excludes only this exact value");
    let quoted = |text: &str| text.replace('\\', "\\\\");
    Diagnostic::error("bad-matcher", text.span, message).help(format!(
        "write `{{not_matches: \"{}\"}}`, or `{{not_matches: \"{}\"}}` if the label has this exact value",
        quoted(&globbed(&text.value)),
        quoted(&regex_syntax::escape(&text.value))
    ))
}

/// Reports a PromQL operator in front of a value, which would become a part of the value, and a value that looks like a
/// regular expression: it would select nothing.
fn check_text(cx: &mut Context<'_>, text: &Text) {
    let known = [("=~", "matches"), ("!~", "not_matches"), ("!=", "not")];
    for (operator, field) in known {
        if let Some(value) = text.value.strip_prefix(operator) {
            let message = format!("a label value cannot begin with the operator `{operator}`");
            let help = format!("write `{{{field}: \"{}\"}}`", value.trim_matches('"'));
            let error = Diagnostic::error("bad-matcher", text.span, message);
            cx.sink.push(error.help(help));
            return;
        }
    }
    if is_like_regex(&text.value) {
        cx.sink.push(like_regex(cx, text, &globbed(&text.value)));
    } else if let Some(error) = listed(cx, text) {
        cx.sink.push(error);
    }
}

/// True for `5..`, `5*`, `500|503`, `/v1/.*`, `[45]..` and the like.
fn is_like_regex(text: &str) -> bool {
    let parts = ["|", "*", ".+", "..", "[^", "\\d", "\\w", "\\.", "(?", "]+"];
    let inner = |text: &str| {
        let (class, _) = text.split_once('[')?.1.split_once(']')?;
        let is_class = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        Some(!class.is_empty() && class.chars().all(is_class))
    };
    parts.iter().any(|part| text.contains(part))
        || inner(text) == Some(true)
        || text.starts_with('^')
        || text.ends_with('$')
}

/// The regular expression that was meant: `5..` itself, or what a pattern of files stands for, such as `5*`.
fn globbed(text: &str) -> String {
    let is_regex = text.contains(['|', '\\', '[', ']', '(', '^', '$', '+']);
    let is_glob = text.contains('*') && !text.contains(".*") && !is_regex;
    match is_glob {
        true => regex_syntax::escape(text).replace("\\*", ".*"),
        false => text.to_owned(),
    }
}

/// `500, 503` as the list that it stands for.
fn listed(cx: &Context<'_>, text: &Text) -> Option<Diagnostic> {
    let parts: Vec<&str> = text.value.split(',').map(str::trim).collect();
    let is_word = |part: &&str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        !part.is_empty() && part.chars().all(fits)
    };
    let several = parts.len() > 1 && parts.iter().all(is_word);
    several.then(|| {
        let message = format!("`{text}` looks like a list, but selects only this exact value");
        let list = format!("[\"{}\"]", parts.join("\", \""));
        let error = Diagnostic::error("bad-matcher", text.span, message).help(format!(
            "write `{list}`, or `{{is: \"{text}\"}}` if the label has this exact value"
        ));
        error.maybe_fix(instead(cx, text, ("write a list", list)))
    })
}

/// The regular expression that `5xx` stands for.
pub(super) fn status_class(text: &str) -> Option<String> {
    let class = text.strip_suffix("xx").or(text.strip_suffix("XX"))?;
    matches!(class, "1" | "2" | "3" | "4" | "5").then(|| format!("{class}.."))
}

/// Replaces a value that stands alone.
fn instead(cx: &Context<'_>, text: &Text, (title, new): (&str, String)) -> Option<Fix> {
    let file = cx.document.files.text_of(text.span.file)?;
    let before = file.get(..text.span.range().start)?;
    let edit = Edit::replace(text.span, new);
    let alone = before.trim_end().ends_with(':');
    alone.then(|| Fix::unsafe_edits(title, vec![edit]))
}

pub(super) fn like_regex(cx: &Context<'_>, text: &Text, regex: &str) -> Diagnostic {
    let message = format!("`{text}` looks like a pattern, but selects only this exact value");
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\"));
    let pattern = format!("{{matches: {}}}", quoted(regex));
    let error = Diagnostic::error("bad-matcher", text.span, message).help(format!(
        "write `{pattern}`, or `{{is: {}}}` if the label has this exact value",
        quoted(&text.value)
    ));
    error.maybe_fix(instead(cx, text, ("match the pattern", pattern)))
}

/// The selector of the servers: those that `runtime` names, or the jobs of the spec's own signals. None for a spec that reads neither,
/// because it would be that of all targets. Labels that only metrics have are left out.
pub(super) fn of_servers(cx: &Context<'_>) -> Option<Vec<Matcher>> {
    let spec = cx.spec;
    let own = spec
        .signals
        .values()
        .filter_map(|signal| signal.prometheus.as_ref());
    let metrics = own.filter(|binding| binding.value.metric.is_some());
    let jobs = metrics.map(|binding| {
        binding
            .value
            .job
            .as_ref()
            .map(|job| (job.value.as_str(), job))
    });
    let jobs: Option<BTreeMap<_, _>> = jobs.collect();
    let jobs = jobs.filter(|jobs| !jobs.is_empty() && spec.own_server().is_none());
    let found = match jobs {
        None => {
            let targets = cx.labels_of_targets();
            let mut found = of_own_servers(spec);
            found.retain(|(label, ..)| targets.contains(label));
            found
        }
        Some(jobs) => {
            let jobs: Vec<_> = jobs.into_values().cloned().collect();
            let (op, text) = either(&jobs, [MatchOp::Equal, MatchOp::Match]);
            vec![(JOB.to_owned(), op, text)]
        }
    };
    (!found.is_empty() || spec.own_server().is_some()).then_some(found)
}

/// The selector of a scrape job. The servers' own job has the labels of targets that the servers are selected by, too.
pub(super) fn of_job(cx: &Context<'_>, job: &str) -> Vec<Matcher> {
    let prometheus = &cx.spec.prometheus;
    let declared = prometheus.jobs.get(job);
    let mut found = declared.map_or_else(Vec::new, |job| matchers(&job.selector));
    if prometheus.selector.contains_key(JOB) && own_job(cx.spec) == job {
        let targets = cx.labels_of_targets();
        let of_servers = matchers(&prometheus.selector).into_iter();
        found.extend(of_servers.filter(|(label, ..)| label != JOB && targets.contains(label)));
    }
    found
}

/// The selector of the servers that `runtime` names: the service's, and their job's.
pub(super) fn of_own_servers(spec: &Spec) -> Vec<Matcher> {
    let prometheus = &spec.prometheus;
    let job = prometheus.jobs.get(own_job(spec));
    let job = job.filter(|_| spec.own_server().is_some());
    let mut found = matchers(&prometheus.selector);
    found.extend(job.map_or_else(Vec::new, |job| matchers(&job.selector)));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup();
    found
}

pub(super) fn matchers(spec: &Matchers) -> Vec<Matcher> {
    let mut out: Vec<Matcher> = spec
        .iter()
        .map(|(label, value)| {
            let (op, text) = matcher(value);
            (label.value.clone(), op, text)
        })
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

fn matcher(value: &MatchValue) -> (MatchOp, String) {
    match value {
        MatchValue::Is { values, .. } => either(values, [MatchOp::Equal, MatchOp::Match]),
        MatchValue::Not(values) => either(values, [MatchOp::NotEqual, MatchOp::NotMatch]),
        MatchValue::Matches(text) => (MatchOp::Match, text.value.clone()),
        MatchValue::NotMatches(text) => (MatchOp::NotMatch, text.value.clone()),
    }
}

/// One value is compared as it is, several with a regular expression.
fn either(values: &[Text], [one, several]: [MatchOp; 2]) -> (MatchOp, String) {
    if let [only] = values {
        return (one, only.value.clone());
    }
    let escaped = values
        .iter()
        .map(|value| regex_syntax::escape(&value.value));
    (several, escaped.collect::<Vec<_>>().join("|"))
}

fn with_article(message: &str) -> String {
    match message.strip_prefix("bad regular expression") {
        Some(rest) => format!("not a valid regular expression{rest}"),
        None => message.to_owned(),
    }
}

pub(super) fn asked_values(value: &MatchValue) -> &[Text] {
    match value {
        MatchValue::Is { values, .. } | MatchValue::Not(values) => values,
        MatchValue::Matches(_) | MatchValue::NotMatches(_) => &[],
    }
}
