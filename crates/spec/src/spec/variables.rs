//! Values in texts: `${vars.host}` and `${service.name}`.

use std::collections::BTreeMap;
use std::ops::Range;

use slosmith_text::diag::{Diagnostic, Sink, nearest};
use slosmith_text::yaml::{Joined, Kind, Node};

/// What the words in `${…}` begin with. Other programs read the rest: shells, Terraform, Grafana.
const PREFIXES: [&str; 2] = ["service.", "vars."];

/// Values that refer to values, and these to others, are followed so far.
const DEPTH: usize = 8;

/// A field of the service, and where it is.
pub(super) fn at_service(whole: &Node<'_>, field: &str) -> Option<(String, Range<usize>)> {
    let value = whole.at(&["service", field])?;
    Some((value.text()?.to_owned(), value.range()))
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

pub(super) struct Words<'a> {
    pub(super) values: BTreeMap<String, String>,
    files: &'a Joined,
    sink: &'a mut Sink,
}

impl<'a> Words<'a> {
    pub(super) fn of(
        whole: &Node<'_>,
        environment: Option<&str>,
        files: &'a Joined,
        sink: &'a mut Sink,
    ) -> Self {
        Self {
            values: values(whole, environment),
            files,
            sink,
        }
    }

    /// Puts values in the place of all words in a tree.
    pub(super) fn node(&mut self, node: &mut Node<'_>) {
        let range = node.range();
        match &mut node.kind {
            Kind::Scalar(scalar) => {
                if let Some(new) = self.expand(&scalar.value, &range) {
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
    pub(super) fn expand(&mut self, text: &str, range: &Range<usize>) -> Option<String> {
        self.expand_to(text, range, DEPTH)
    }

    fn expand_to(&mut self, text: &str, range: &Range<usize>, depth: usize) -> Option<String> {
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
                let whole = self.expand_to(&value, range, depth - 1);
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
            (None, None) => "use `service.name`, `service.base_name`, `service.owner`, `service.title`, `service.environment`, or `vars.NAME`".to_owned(),
        }
    }
}
