//! One document of any kind: what it is, and who reads it.

use super::field::{items, word};
use super::{Artifact, Kind, Language, Query, Role};
use super::{classic, cloudwatch, json, kubernetes, perses, rules, slo, unit_tests, v2};
use crate::diag::Diagnostic;
use crate::promql::Dialect;
use crate::source::FileId;
use crate::yaml::{Allowance, Body, Node, Text, tree};

/// Documents inside of documents (a dashboard in a ConfigMap in a list) are followed this far.
const DEEPEST: u32 = 8;

/// Gathers what is read from a file.
pub(super) struct Reader {
    pub(super) artifact: Artifact,
    /// What aliases may still copy.
    pub(super) allowance: Allowance,
    depth: u32,
}

impl Reader {
    pub(super) fn new(file: FileId) -> Self {
        Self {
            artifact: Artifact {
                file,
                ..Artifact::default()
            },
            allowance: Allowance::default(),
            depth: 0,
        }
    }

    pub(super) fn finish(self) -> Artifact {
        self.artifact
    }

    /// Notes what the file is, unless something before decided that.
    pub(super) fn is(&mut self, kind: Kind) {
        if self.artifact.kind == Kind::Unknown {
            self.artifact.kind = kind;
        }
    }

    /// Adds a PromQL query; gives back its index.
    pub(super) fn query(&mut self, text: Text, dialect: Dialect, role: Role) -> usize {
        self.query_in(text, dialect, role, Language::PromQl)
    }

    /// Adds a query in any language; gives back its index.
    pub(super) fn query_in(
        &mut self,
        text: Text,
        dialect: Dialect,
        role: Role,
        language: Language,
    ) -> usize {
        self.artifact.queries.push(Query {
            text: text.value,
            map: text.map,
            dialect,
            language,
            role,
        });
        self.artifact.queries.len() - 1
    }

    /// Reads a document; what holds no queries is passed over.
    pub(super) fn document(&mut self, body: &Body<'_>, node: &Node<'_>) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        if node.is_seq() {
            node.items()
                .iter()
                .for_each(|item| self.document(body, item));
        } else {
            self.map(body, node);
        }
        self.depth -= 1;
    }

    fn map(&mut self, body: &Body<'_>, node: &Node<'_>) {
        let api = word(node, &["apiVersion"]).unwrap_or_default();
        match word(node, &["kind"]).unwrap_or_default() {
            kind if kind == "List" || (kind.ends_with("List") && node.get("items").is_some()) => {
                items(node, &["items"])
                    .iter()
                    .for_each(|item| self.document(body, item));
            }
            "ConfigMap" => kubernetes::config_map(self, body, node),
            "PrometheusRule" => kubernetes::rules(self, body, node),
            "GrafanaDashboard" => kubernetes::grafana(self, body, node),
            "PrometheusServiceLevel" => slo::resource(self, body, node),
            "SLO" if api.starts_with("openslo") => slo::open_slo(self, body, node),
            "Dashboard" if api.starts_with("dashboard.grafana.app") => {
                kubernetes::resource(self, body, node)
            }
            "Dashboard" | "PersesDashboard"
                if node.at(&["spec", "panels"]).is_some_and(Node::is_map) =>
            {
                perses::read(self, body, node);
            }
            _ => self.plain(body, node, api),
        }
    }

    /// Documents that do not say what they are.
    fn plain(&mut self, body: &Body<'_>, node: &Node<'_>, api: &str) {
        let is_list = |key: &str| node.get(key).is_some_and(Node::is_seq);
        let is_map = |key: &str| node.get(key).is_some_and(Node::is_map);
        if api.starts_with("slosmith/") {
            self.is(Kind::Spec);
        } else if word(node, &["version"]) == Some("prometheus/v1") && is_list("slos") {
            slo::sloth(self, body, node);
        } else if is_map("dashboard") {
            node.get("dashboard")
                .into_iter()
                .for_each(|inner| self.document(body, inner));
        } else if is_map("elements") && is_map("layout") {
            v2::read(self, body, node, None);
        } else if classic::is_dashboard(node) {
            classic::read(self, body, node);
        } else if is_list("groups") {
            rules::groups(self, body, node);
        } else if is_list("tests") {
            unit_tests::read(self, body, node);
        } else if cloudwatch::is_any(node) {
            cloudwatch::read(self, body, node);
        }
    }

    /// Reads a text that stands inside of another document.
    pub(super) fn nested(&mut self, text: &Text) {
        let inside = Body::inside(text.map.clone(), &text.value);
        if text.value.trim_start().starts_with(['{', '[']) {
            match json::parse(&text.value) {
                Ok(root) => self.document(&inside, &root),
                Err(fault) => {
                    let message = format!("this is not JSON: {}", fault.message);
                    let span = inside.span(fault.range);
                    self.artifact
                        .faults
                        .push(Diagnostic::error("invalid-json", span, message));
                }
            }
            return;
        }
        match tree(inside.file(), &text.value, &mut self.allowance) {
            Ok(documents) => {
                documents
                    .iter()
                    .for_each(|document| self.document(&inside, &document.root));
            }
            Err(mut fault) => {
                fault.span = inside.span(fault.span.range());
                self.artifact.faults.push(fault);
            }
        }
    }
}
