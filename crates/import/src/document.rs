//! The documents of a file, and what they are.

use super::context::Cx;
use slosmith_text::source::FileId;
use slosmith_text::yaml::{self, Allowance, Body, Node};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Read,
    Other,
}

pub(super) struct Documents<'t> {
    file: FileId,
    text: &'t str,
    documents: Vec<Node<'t>>,
}

pub(super) fn all<'t>(cx: &mut Cx<'_>, file: FileId, text: &'t str) -> Option<Documents<'t>> {
    let read = yaml::tree(file, text, &mut Allowance::default());
    let is_template = text.contains("{{-") || text.contains("{{ .Values");
    let read = read.map_err(|error| match is_template {
        true => error.help("this file is a Helm template: run `helm template` first"),
        false => error,
    });
    let documents = cx.sink.take(read)?;
    Some(Documents {
        file,
        text,
        documents,
    })
}

impl<'t> Documents<'t> {
    pub(super) fn file(&self) -> FileId {
        self.file
    }

    pub(super) fn says(&self, words: &str) -> bool {
        self.text.contains(words)
    }

    pub(super) fn roots(&self) -> Vec<(Body<'t>, &Node<'t>)> {
        let body = Body::new(self.file, self.text);
        let mut out = Vec::new();
        for root in &self.documents {
            match says(root, "kind") {
                Some(kind) if kind.ends_with("List") && root.get("items").is_some() => {
                    let items = root.get("items").map_or(&[][..], Node::items);
                    out.extend(items.iter().map(|item| (body.clone(), item)));
                }
                _ if root.is_null() => {}
                // OpenSLO's own tools write lists of resources.
                _ if root.is_seq() => {
                    out.extend(root.items().iter().map(|item| (body.clone(), item)));
                }
                _ => out.push((body.clone(), root)),
            }
        }
        out
    }
}

pub(super) fn says<'n>(root: &'n Node<'_>, key: &str) -> Option<&'n str> {
    root.get(key)?.text()
}

pub(super) fn other(root: &Node<'_>) -> (String, String) {
    let version = says(root, "apiVersion").unwrap_or_default();
    let kind = says(root, "kind").unwrap_or_default();
    let is_sloth = says(root, "version") == Some("prometheus/v1");
    let reader = match (version, kind) {
        _ if is_sloth => Some("sloth"),
        (_, "PrometheusServiceLevel") => Some("sloth"),
        (version, _) if version.starts_with("openslo") => Some("openslo"),
        (version, _) if version.starts_with("pyrra.dev/") => Some("pyrra"),
        (_, "PrometheusRule") => Some("rules"),
        _ if root.get("groups").is_some() => Some("rules"),
        _ if root.get("panels").is_some() || root.get("dashboard").is_some() => Some("dashboard"),
        _ => None,
    };
    let name = match (kind, version) {
        ("", "") => "an unknown kind of document".to_owned(),
        ("", version) => format!("a `{version}` document"),
        (kind, _) => format!("a `{kind}`"),
    };
    let help = reader.map(|reader| format!("use `slosmith import {reader}`"));
    (name, help.unwrap_or_default())
}
