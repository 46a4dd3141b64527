//! Environments, each a service of its own from one spec, and the values that texts of a spec refer to.
//!
//! ```
//! use slosmith::{source::FileId, spec};
//!
//! let text = "apiVersion: slosmith/v1\nservice: {name: chat, owner: ml}\nlinks: {grafana: 'https://${service.name}.example'}\n\
//!     environments: {prod: {}, staging: {service: {owner: qa}}}\n";
//! let parts = [(FileId(0), text)];
//! assert_eq!(spec::environments(&parts), [Some("prod".to_owned()), Some("staging".to_owned())]);
//! let staging = spec::read_environment(&parts, Some("staging")).expect("a spec").spec;
//! assert_eq!(staging.service.name.value, "chat-staging");
//! assert_eq!(staging.links.unwrap().grafana.unwrap().value, "https://chat-staging.example");
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::one_of;
use crate::diag::{Diagnostic, Sink, nearest};
use crate::source::FileId;
use crate::yaml::{self, Joined, Kind, Node, Style};

const ENVIRONMENTS: &str = "environments";

/// Fields that are about a file, which all of its environments share.
const OF_FILE: [&str; 5] = ["apiVersion", "environments", "extends", "kind", "vars"];

/// What the words in `${…}` begin with. Other programs read the rest: shells, Terraform, Grafana.
const PREFIXES: [&str; 2] = ["service.", "vars."];

/// Values that refer to values, and these to others, are followed so far.
const DEPTH: usize = 8;

/// The environments of a spec and the files that it extends; `None` stands for a spec without environments.
pub fn environments(files: &[(FileId, &str)]) -> Vec<Option<String>> {
    let mut names: Vec<String> = Vec::new();
    for (file, text) in files {
        let root = text.contains(ENVIRONMENTS);
        let root = root.then(|| yaml::document(*file, text).ok()).flatten();
        let of_file = root.as_ref().and_then(|root| root.get(ENVIRONMENTS));
        for (key, value) in of_file.into_iter().flat_map(Node::entries) {
            let name = key.text().unwrap_or_default().to_owned();
            let is_removed = value.is_null() && !value.range().is_empty();
            match names.iter().position(|known| *known == name) {
                Some(known) if is_removed => drop(names.remove(known)),
                None if !is_removed => names.push(name),
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
    let before = at_service(whole, "name").map(|(text, _)| text);
    let found = environments.and_then(|all| {
        let of = |(key, _): &(Node<'_>, Node<'_>)| key.text() == environment;
        all.into_entries().into_iter().find(of)
    });
    if let Some((name, mut differences)) = found.filter(|_| environment.is_some()) {
        differences.leave_out(|key| OF_FILE.contains(&key));
        if differences.is_map() {
            for key in whole.overlay(differences, &one_of::excluded) {
                sink.push(super::read::idle(files.span(key)));
            }
        }
        let after = at_service(whole, "name").map(|(text, _)| text);
        if before == after
            && let Some(before) = &before
        {
            let of_environment = format!("{before}-{}", name.text().unwrap_or_default());
            set_name(whole, name.range(), of_environment);
        }
    }
    let mut words = Words {
        values: values(whole, environment),
        files,
        sink,
    };
    // The name of the service in an environment may contain its name in the spec.
    if let Some((text, range)) = at_service(whole, "name") {
        let name = words
            .values
            .insert("service.name".to_owned(), before.unwrap_or_default());
        match words.expand(&text, &range, DEPTH) {
            Some(new) => {
                set_name(whole, range, new.clone());
                words.values.insert("service.name".to_owned(), new);
            }
            None => drop(name.map(|name| words.values.insert("service.name".to_owned(), name))),
        }
    }
    words.node(whole);
}

/// A field of the service, and where it is.
fn at_service(whole: &Node<'_>, field: &str) -> Option<(String, Range<usize>)> {
    let value = whole.at(&["service", field])?;
    Some((value.text()?.to_owned(), value.range()))
}

fn set_name(whole: &mut Node<'_>, range: Range<usize>, name: String) {
    let field = |node: &mut Node<'_>, key: &str| -> Option<usize> {
        node.entries()
            .iter()
            .position(|(k, _)| k.text() == Some(key))
    };
    let Some(service) = field(whole, "service") else {
        return;
    };
    let Kind::Map(entries) = &mut whole.kind else {
        return;
    };
    let service = &mut entries[service].1;
    let name_at = field(service, "name");
    if let (Kind::Map(entries), Some(at)) = (&mut service.kind, name_at) {
        entries[at].1 = Node::scalar(range, name, Style::Plain);
    }
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
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(fits) {
            let message = format!("`{name}` is not a valid name of an environment");
            let error = Diagnostic::error("bad-name", files.span(key.range()), message);
            sink.push(error.help("use lower-case letters, digits and dashes"));
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

/// What the words stand for, before words in the values are replaced.
fn values(whole: &Node<'_>, environment: Option<&str>) -> BTreeMap<String, String> {
    let of = |name: &str| Some((format!("service.{name}"), at_service(whole, name)?.0));
    let service = ["name", "owner", "title"].into_iter().filter_map(of);
    let environment = environment.map(|name| ("service.environment".to_owned(), name.to_owned()));
    let own = whole.get("vars").into_iter().flat_map(Node::entries);
    let own = own.filter_map(|(key, value)| {
        Some((format!("vars.{}", key.text()?), value.text()?.to_owned()))
    });
    service.chain(environment).chain(own).collect()
}

struct Words<'a> {
    values: BTreeMap<String, String>,
    files: &'a Joined,
    sink: &'a mut Sink,
}

impl Words<'_> {
    fn node(&mut self, node: &mut Node<'_>) {
        let range = node.range();
        match &mut node.kind {
            Kind::Scalar(scalar) => {
                if let Some(new) = self.expand(&scalar.value, &range, DEPTH) {
                    scalar.value = new.into();
                }
            }
            Kind::Seq(items) => items.iter_mut().for_each(|item| self.node(item)),
            Kind::Map(entries) => entries.iter_mut().for_each(|(key, value)| {
                self.node(key);
                self.node(value);
            }),
        }
    }

    /// A text with values in the place of words; `None` where it has no words.
    fn expand(&mut self, text: &str, range: &Range<usize>, depth: usize) -> Option<String> {
        let mut out = String::new();
        let mut rest = text;
        let mut any = false;
        while let Some((before, behind)) = rest.split_once("${") {
            out.push_str(before);
            let word = behind.split_once('}').map(|(word, _)| word);
            let word = word.filter(|word| PREFIXES.iter().any(|of| word.starts_with(of)));
            let Some(word) = word else {
                out.push_str("${");
                rest = behind;
                continue;
            };
            any = true;
            out.push_str(&self.value(word, range, depth));
            rest = &behind[word.len() + 1..];
        }
        out.push_str(rest);
        any.then_some(out)
    }

    fn value(&mut self, word: &str, range: &Range<usize>, depth: usize) -> String {
        let at = self.files.span(range.clone());
        match self.values.get(word).cloned() {
            Some(value) if depth > 0 => {
                let whole = self.expand(&value, range, depth - 1);
                whole.unwrap_or(value)
            }
            Some(_) => {
                let message = format!("the value of `${{{word}}}` contains itself");
                self.sink
                    .push(Diagnostic::error("cyclic-reference", at, message));
                String::new()
            }
            None => {
                let message = format!("`${{{word}}}` has no value");
                let error = Diagnostic::error("unknown-variable", at, message);
                self.sink.push(error.help(self.instead(word)));
                // Of a shape that most fields take: nothing else is reported there.
                word.split('.').next_back().unwrap_or_default().to_owned()
            }
        }
    }

    fn instead(&self, word: &str) -> String {
        let known = self.values.keys().map(String::as_str);
        match (nearest(word, known), word.strip_prefix("vars.")) {
            (Some(near), _) => format!("did you mean `${{{near}}}`?"),
            (None, Some(name)) => format!("add `vars: {{{name}: VALUE}}` at the top of the spec"),
            (None, None) if word == "service.environment" => {
                "add `environments` to the spec".to_owned()
            }
            (None, None) => "use `service.name`, `service.owner`, `service.title`, `service.environment`, or `vars.NAME`".to_owned(),
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
