//! What Kubernetes accepts as metadata of a resource: namespaces, labels, annotations.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{Span, Spanned};

type Text = Spanned<String>;

/// Metadata of Kubernetes resources.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Metadata {
    /// Namespace of the resources. Default: the namespace of the `kubectl` context.
    pub namespace: Option<Text>,
    /// Labels in addition to the generated ones, such as the label that an operator's `ruleSelector` selects. A label of the
    /// same name replaces the generated one.
    pub labels: IndexMap<Text, Text>,
    /// Annotations in addition to the generated ones.
    pub annotations: IndexMap<Text, Text>,
}

impl Metadata {
    /// This metadata, completed with the metadata in `below`.
    #[must_use]
    pub fn over(&self, below: &Self) -> Self {
        let merge = |near: &IndexMap<Text, Text>, far: &IndexMap<Text, Text>| {
            let pairs = far.iter().chain(near);
            pairs.map(|(k, v)| (k.clone(), v.clone())).collect()
        };
        Self {
            namespace: self.namespace.clone().or_else(|| below.namespace.clone()),
            labels: merge(&self.labels, &below.labels),
            annotations: merge(&self.annotations, &below.annotations),
        }
    }

    pub fn words(&self) -> impl Iterator<Item = &str> {
        let maps = [("labels", &self.labels), ("annotations", &self.annotations)];
        let pairs = maps.into_iter().flat_map(|(name, map)| {
            let pairs = map.iter().flat_map(|(k, v)| [k.value.as_str(), &v.value]);
            std::iter::once(name).chain(pairs)
        });
        let namespace = self.namespace.as_ref().map(|n| n.value.as_str());
        namespace.into_iter().chain(pairs)
    }

    /// Values that the Kubernetes API server would reject, each at its place.
    pub fn faults(&self) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        let mut check = |at: &Text, what: &str, why: Option<&str>| {
            faults.extend(why.map(|why| fault(at.span, what, &at.value, why)));
        };
        if let Some(namespace) = &self.namespace {
            check(namespace, "namespace", bad_namespace(&namespace.value));
        }
        for (key, value) in &self.labels {
            check(key, "label name", bad_key(&key.value));
            check(value, "label value", bad_value(&value.value));
        }
        for key in self.annotations.keys() {
            check(key, "annotation name", bad_key(&key.value));
        }
        faults
    }
}

fn fault(span: Span, what: &str, found: &str, why: &str) -> Diagnostic {
    let message = format!("`{found}` is not a valid {what} in Kubernetes");
    Diagnostic::error("invalid-name", span, message).help(why)
}

/// Labels of a selector that the Kubernetes API server would reject.
pub fn selector_faults(labels: &IndexMap<Text, Text>) -> Vec<Diagnostic> {
    let metadata = Metadata {
        labels: labels.clone(),
        ..Metadata::default()
    };
    metadata.faults()
}

/// Why a word cannot name a namespace.
pub fn bad_namespace(name: &str) -> Option<&'static str> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let fine = (1..=63).contains(&name.len())
        && name.bytes().all(fits)
        && !name.starts_with('-')
        && !name.ends_with('-');
    (!fine).then_some(
        "use 1 to 63 lower-case letters, digits and dashes; do not start or end with a dash",
    )
}

/// Why a word cannot name a label or an annotation.
pub fn bad_key(key: &str) -> Option<&'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let prefix_fits = prefix.is_none_or(|p| p.len() <= 253 && p.split('.').all(is_domain_part));
    let fine = prefix_fits && !name.is_empty() && bad_value(name).is_none();
    (!fine).then_some(
        "use at most 63 letters, digits, `-`, `_` and `.`; an optional prefix is `domain/`",
    )
}

fn is_domain_part(part: &str) -> bool {
    bad_namespace(part).is_none()
}

/// Why a word cannot be the value of a label.
pub fn bad_value(value: &str) -> Option<&'static str> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let end = |b: Option<u8>| b.is_none_or(|b| b.is_ascii_alphanumeric());
    let fine = value.len() <= 63
        && value.bytes().all(fits)
        && end(value.bytes().next())
        && end(value.bytes().last());
    (!fine).then_some(
        "use at most 63 letters, digits, `-`, `_` and `.`; start and end with a letter or digit",
    )
}

/// A label as service discovery of Prometheus spells it: `app.kubernetes.io/name` is `app_kubernetes_io_name`.
pub fn discovered(label: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    label.replace(|c| !plain(c), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_api_server() {
        for key in ["app", "app.kubernetes.io/name", "A_b.c-d", "x/1"] {
            assert_eq!(bad_key(key), None, "{key}");
        }
        for key in ["", "a b", "/a", "a/", "A/b", "a/b/c", "-a", "a.", "é"] {
            assert!(bad_key(key).is_some(), "{key}");
        }
        for value in ["", "a", "kube-prometheus-stack", "1.2_3"] {
            assert_eq!(bad_value(value), None, "{value}");
        }
        for value in ["a b", "-a", "a-", &"a".repeat(64)] {
            assert!(bad_value(value).is_some(), "{value}");
        }
        assert!(bad_namespace("A").is_some() && bad_namespace("").is_some());
        assert_eq!(bad_namespace("team-a"), None);
        assert_eq!(
            discovered("app.kubernetes.io/name"),
            "app_kubernetes_io_name"
        );
    }
}
