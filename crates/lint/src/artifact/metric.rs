//! Names of metrics outside of queries, as series: what is known of those is known of them.

use std::ops::Range;

use super::Role;
use super::reader::Reader;
use slosmith_catalog::{self as catalog, is_in_name};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node, Text};

/// Reads the name of a metric of a service that may be a recorded server; one of another exporter is passed over.
pub(super) fn name(reader: &mut Reader, body: &Body<'_>, node: Option<&Node<'_>>, of: &str) {
    if let Some(text) = node.and_then(|node| body.read(node)) {
        part(reader, &text, 0..text.value.len(), of);
    }
}

pub(super) fn part(reader: &mut Reader, text: &Text, at: Range<usize>, of: &str) {
    ending_in(reader, text, at, "", of);
}

fn ending_in(reader: &mut Reader, text: &Text, at: Range<usize>, ending: &str, of: &str) {
    let is_ours = |name: &str| name.starts_with("vllm") || catalog::is_recorded(name);
    let is_name = |name: &str| name.chars().all(is_in_name) && is_ours(name);
    if let Some(text) = text.part(at).filter(|part| is_name(&part.value)) {
        let of = of.to_owned();
        let text = match ending {
            "" => text,
            ending => {
                let at = text.span();
                text.ending_in(ending, at)
            }
        };
        reader.query(text, Dialect::Prometheus, Role::Metric { of });
    }
}

/// Reads a name that is surely meant to be one that a server itself serves: with its colon.
pub(super) fn served(reader: &mut Reader, body: &Body<'_>, node: Option<&Node<'_>>, of: &str) {
    let has_colon = |name: &str| name.contains(':') && catalog::is_recorded(name);
    let is_served = |node: &&Node<'_>| node.text().is_some_and(has_colon);
    name(reader, body, node.filter(is_served), of);
}

/// Reads every name that Google Cloud puts behind its own and a sign: `prometheus.googleapis.com/x/gauge`. Of a histogram
/// that is the name without the endings of its series. True when there is one, whosever it is.
pub(super) fn google(reader: &mut Reader, text: &Text, of: &str) -> bool {
    const DOMAIN: &str = "prometheus.googleapis.com";
    let found = text.value.match_indices(DOMAIN);
    let starts: Vec<_> = found.map(|(at, _)| at + DOMAIN.len()).collect();
    let mut any = false;
    for start in starts {
        let behind = &text.value[start..];
        if let Some(rest) = behind.strip_prefix(['/', '|']) {
            let len = rest.find(|c| !is_in_name(c)).unwrap_or(rest.len());
            let ending = match rest[len..].strip_prefix(['/', '|']) {
                Some(kind) if kind.starts_with("histogram") => "_bucket",
                _ => "",
            };
            ending_in(reader, text, start + 1..start + 1 + len, ending, of);
            any = true;
        }
    }
    any
}
