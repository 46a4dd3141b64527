//! Environments, each a service of its own from one spec, and the values that texts of a spec refer to.
//!
//! ```
//! use slosmith_spec::spec;
//! use slosmith_text::source::FileId;
//!
//! let text = "apiVersion: slosmith/v1\nservice: {name: chat, owner: ml}\nlinks: {grafana: 'https://${service.name}.example'}\n\
//!     environments: {prod: {}, staging: {service: {owner: qa}}}\n";
//! let parts = [(FileId(0), text)];
//! assert_eq!(spec::environments(&parts), [Some("prod".to_owned()), Some("staging".to_owned())]);
//! let staging = spec::read_environment(&parts, Some("staging")).expect("a spec").spec;
//! assert_eq!(staging.service.name.value, "chat-staging");
//! assert_eq!(staging.links.unwrap().grafana.unwrap().value, "https://chat-staging.example");
//! ```

use super::one_of::{self, ENVIRONMENTS};
use super::variables::{Words, at_service};
use slosmith_text::diag::{Diagnostic, Sink, nearest};
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{self, Joined, Kind, Node, Style};

/// Fields that are about a file, which all of its environments share.
const OF_FILE: [&str; 4] = ["apiVersion", "environments", "extends", "kind"];

/// The environments of a spec and the files that it extends; `None` stands for a spec without environments.
pub fn environments(files: &[(FileId, &str)]) -> Vec<Option<String>> {
    let mut names: Vec<String> = Vec::new();
    for (file, text) in files {
        let root = text.contains(ENVIRONMENTS);
        let root = root.then(|| yaml::document(*file, text).ok()).flatten();
        let of_file = root.as_ref().and_then(|root| root.get(ENVIRONMENTS));
        if of_file.is_some_and(yaml::removes) {
            names.clear();
        }
        for (key, value) in of_file.into_iter().flat_map(Node::entries) {
            let name = key.text().unwrap_or_default().to_owned();
            let is_removed = yaml::removes(value);
            match names.iter().position(|known| *known == name) {
                Some(known) if is_removed => drop(names.remove(known)),
                // The others are read, and report it.
                None if !is_removed && is_name(&name) => names.push(name),
                _ => {}
            }
        }
    }
    match names.is_empty() {
        true => vec![None],
        false => names.into_iter().map(Some).collect(),
    }
}

/// Lays the differences of an environment upon a spec, and puts values in the place of the words for them.
pub(super) fn apply(
    whole: &mut Node<'_>,
    environment: Option<&str>,
    files: &Joined,
    sink: &mut Sink,
) {
    let mut environments = None;
    if let Kind::Map(entries) = &mut whole.kind
        && let Some(at) = entries
            .iter()
            .position(|(key, _)| key.text() == Some(ENVIRONMENTS))
    {
        environments = Some(entries.remove(at).1);
    }
    if let Some(environments) = &environments {
        check(environments, files, sink);
    }
    let before = at_service(whole, "name");
    let found = environments.and_then(|all| {
        let of = |(key, _): &(Node<'_>, Node<'_>)| key.text() == environment;
        all.into_entries().into_iter().find(of)
    });
    let mut has_own_name = false;
    if let (Some((_, mut differences)), Some(environment)) = (found, environment) {
        let set = |field| at_service(&differences, field).is_some();
        let [is_named, is_titled] = ["name", "title"].map(set);
        let was_renamed = set("renamed_from");
        has_own_name = is_named && !was_renamed;
        differences.leave_out(|key| OF_FILE.contains(&key));
        if differences.is_map() {
            // The spec stays where it is: only the differences are in another place.
            let place = (whole.start, whole.end);
            let idle = whole.overlay(differences, &one_of::excluded, &|_| false);
            (whole.start, whole.end) = place;
            for key in idle {
                sink.push(idle_removal(
                    files.span(key),
                    "the spec does not set this field",
                ));
            }
        }
        if !is_named {
            // Before it was renamed, the service had environments, too. Grafana asks for titles that differ.
            let suffixed = |text: &str| format!("{text}-{environment}");
            let titled = |text: &str| format!("{text} ({environment})");
            set_service(whole, "name", &suffixed);
            if !was_renamed {
                set_service(whole, "renamed_from", &suffixed);
            }
            if !is_titled {
                set_service(whole, "title", &titled);
            }
        }
    }
    let before = before.map(|(text, _)| text).unwrap_or_default();
    let mut words = Words::of(whole, environment, files, sink);
    words
        .values
        .insert("service.base_name".to_owned(), before.clone());
    // The name of the service in an environment may contain its name in the spec.
    if let Some((text, range)) = at_service(whole, "name") {
        let name = words
            .values
            .insert("service.name".to_owned(), before.clone());
        match words.expand(&text, &range) {
            Some(new) => {
                set_service(whole, "name", &|_| new.clone());
                words.values.insert("service.name".to_owned(), new);
            }
            None => drop(name.map(|name| words.values.insert("service.name".to_owned(), name))),
        }
    }
    // The history under the old name is of the environment that keeps the name.
    if has_own_name {
        let kept = words.expand(&before, &(0..0)).unwrap_or(before);
        if words.values.get("service.name") != Some(&kept)
            && let Some(service) = value_of(whole, "service")
        {
            service.leave_out(|key| key == "renamed_from");
        }
    }
    words.node(whole);
}

/// Changes the text of a field of the service, where there is one.
fn set_service(whole: &mut Node<'_>, field: &str, change: &dyn Fn(&str) -> String) {
    let value = value_of(whole, "service").and_then(|service| value_of(service, field));
    if let Some(value) = value
        && let Some(text) = value.text().map(change)
    {
        *value = Node::scalar(value.range(), text, Style::Plain);
    }
}

fn value_of<'n, 't>(map: &'n mut Node<'t>, key: &str) -> Option<&'n mut Node<'t>> {
    let Kind::Map(entries) = &mut map.kind else {
        return None;
    };
    let mut entries = entries.iter_mut();
    let (_, value) = entries.find(|(found, _)| found.text() == Some(key))?;
    Some(value)
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(fits)
}

/// A removal of what is not there.
pub(super) fn idle_removal(key: Span, why: &str) -> Diagnostic {
    let message = format!("`~` removes nothing: {why}");
    Diagnostic::error("idle-removal", key, message).help("remove this field")
}

/// The environment of an extended file that the name of another one is mistyped from. Numbered ones are near to each other on purpose.
fn slip_of<'a>(key: &Node<'_>, all: &'a Node<'_>, files: &Joined) -> Option<&'a str> {
    let at = files.span(key.range());
    let name = key.text()?;
    let plain = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    let earlier = all
        .entries()
        .iter()
        .filter(|(other, _)| other.start < key.start && files.span(other.range()).file != at.file);
    let known = earlier.filter_map(|(other, _)| other.text());
    nearest(name, known.filter(|other| plain(other) != plain(name)))
}

/// Names and shapes of all environments.
fn check(environments: &Node<'_>, files: &Joined, sink: &mut Sink) {
    if !environments.is_map() && !environments.is_null() {
        let at = files.span(environments.range());
        let error = Diagnostic::error("wrong-type", at, "`environments` must be a mapping");
        sink.push(error.help("write `environments: {prod: {…}, staging: {…}}`"));
    }
    for (key, differences) in environments.entries() {
        let name = key.text().unwrap_or_default();
        if yaml::removes(differences) {
            let why = "no extended file sets this environment";
            sink.push(idle_removal(files.span(key.range()), why));
        }
        if !is_name(name) {
            let message = format!("`{name}` is not a valid name of an environment");
            let error = Diagnostic::error("bad-name", files.span(key.range()), message);
            sink.push(error.help("use lower-case letters, digits and dashes"));
        }
        if let Some(meant) = slip_of(key, environments, files) {
            let at = files.span(key.range());
            let message = format!("no extended file has the environment `{name}`");
            let warning = Diagnostic::warning("unknown-name", at, message);
            sink.push(warning.help(format!("did you mean `{meant}`?")));
        }
        if !differences.is_map() && !differences.is_null() {
            let message = format!("environment `{name}` must be a mapping of fields that differ");
            let at = files.span(differences.range());
            sink.push(Diagnostic::error("wrong-type", at, message));
        }
        for (field, _) in differences.entries() {
            let word = field.text().unwrap_or_default();
            if OF_FILE.contains(&word) {
                let message = format!("an environment cannot set `{word}`");
                let at = files.span(field.range());
                let error = Diagnostic::error("unknown-field", at, message);
                sink.push(error.help("set it at the top of the spec"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::read_environment;

    fn read(text: &str, environment: Option<&str>) -> Result<crate::spec::Spec, Vec<String>> {
        let parts = [(FileId(0), text)];
        let document = read_environment(&parts, environment).map_err(|_| Vec::new())?;
        let errors = document.errors.with(Sink::default()).into_sorted();
        match errors.is_empty() {
            true => Ok(document.spec),
            false => Err(errors.into_iter().map(|error| error.message).collect()),
        }
    }

    const HEAD: &str = "apiVersion: slosmith/v1\nservice: {name: chat, owner: ml}\n";

    #[test]
    fn a_name_may_be_kept() {
        let text = format!(
            "{HEAD}environments:\n  prod: {{service: {{name: \"${{service.name}}\"}}}}\n  eu: {{service: {{name: \"eu-${{service.name}}\"}}}}\n  dev:\n"
        );
        for (environment, name) in [("prod", "chat"), ("eu", "eu-chat"), ("dev", "chat-dev")] {
            let spec = read(&text, Some(environment)).expect(environment);
            assert_eq!(spec.service.name.value, name);
        }
    }

    #[test]
    fn names_titles_and_old_names_differ() {
        let head = HEAD.replace("owner: ml", "title: Chat, renamed_from: bot");
        let text = format!(
            "{head}environments: {{dev: {{}}, prod: {{service: {{name: chat}}}}, eu: {{service: {{name: chats}}}}}}\n"
        );
        for (environment, name, title, before) in [
            ("dev", "chat-dev", "Chat (dev)", Some("bot-dev")),
            ("prod", "chat", "Chat", Some("bot")),
            ("eu", "chats", "Chat", None),
        ] {
            let service = read(&text, Some(environment)).expect(environment).service;
            assert_eq!(service.name.value, name);
            assert_eq!(service.title.map(|text| text.value).as_deref(), Some(title));
            let renamed_from = service.renamed_from.map(|text| text.value);
            assert_eq!(renamed_from.as_deref(), before);
        }
    }

    #[test]
    fn values_refer_to_values() {
        let text = format!(
            "{HEAD}vars: {{host: \"${{vars.zone}}.example\", zone: eu}}\nlinks: {{grafana: \"https://${{vars.host}}/${{HOME}}\"}}\n"
        );
        let spec = read(&text, None).expect("a spec");
        let grafana = spec.links.and_then(|links| links.grafana);
        assert_eq!(
            grafana.map(|url| url.value).as_deref(),
            Some("https://eu.example/${HOME}")
        );
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        for (more, message) in [
            (
                "vars: {a: x}\nlinks: {grafana: \"${vars.b}\"}",
                "`${vars.b}` has no value",
            ),
            (
                "vars: {a: \"${vars.a}\"}",
                "the value of `${vars.a}` contains itself",
            ),
            (
                "links: {grafana: \"${service.environment}\"}",
                "`${service.environment}` has no value",
            ),
            (
                "environments: {Prod: {}}",
                "`Prod` is not a valid name of an environment",
            ),
            (
                "environments: {prod: {extends: a.yaml}}",
                "an environment cannot set `extends`",
            ),
            ("environments: [prod]", "`environments` must be a mapping"),
        ] {
            let found = read(&format!("{HEAD}{more}\n"), None).expect_err(more);
            assert_eq!(found, [message], "{more}");
        }
    }
}
