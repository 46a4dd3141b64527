//! Trees of any YAML, built from the reader's events.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_saphyr::granit_parser::{
    Event, Parser, ScalarStyle, ScanError, Span as Place, StructureStyle, Tag as Written,
};

use super::Allowance;
use crate::diag::Diagnostic;
use crate::source::{FileId, Span};
use crate::yaml::advice::conflict;
use crate::yaml::node::{Kind, Node, Style, Tag};

/// How deep a tree may get when aliases are put in: the reader bounds the nesting that is written out.
const MAX_DEPTH: usize = 600;

pub(super) fn documents<'t>(
    file: FileId,
    text: &'t str,
    allowance: &mut Allowance,
) -> Result<Vec<Node<'t>>, Diagnostic> {
    let mut builder = Builder::new(file, text, allowance);
    for event in Parser::new_from_str(text) {
        let (event, place) = event.map_err(|error| scan_error(file, text, &error))?;
        builder.event(event, bytes(place))?;
    }
    Ok(builder.documents)
}

fn bytes(place: Place) -> Range<usize> {
    let start = place.start.byte_offset().unwrap_or_default();
    start..place.end.byte_offset().unwrap_or(start).max(start)
}

fn scan_error(file: FileId, text: &str, error: &ScanError) -> Diagnostic {
    if let Some(conflict) = conflict(file, text) {
        return conflict;
    }
    let at = error.marker().byte_offset().unwrap_or(0).min(text.len());
    let rest = text.get(at..).unwrap_or_default();
    let width = rest.chars().next().filter(|c| *c != '\n');
    let span = Span::new(file, at..at + width.map_or(0, char::len_utf8));
    Diagnostic::error(
        "invalid-yaml",
        span,
        format!("not valid YAML: {}", error.info()),
    )
}

struct Open<'t> {
    start: usize,
    anchor: usize,
    flow: bool,
    depth: usize,
    nodes: Vec<Node<'t>>,
    map: bool,
    tag: Tag,
}

struct Builder<'t, 'a> {
    file: FileId,
    text: &'t str,
    documents: Vec<Node<'t>>,
    open: Vec<Open<'t>>,
    root: Option<Node<'t>>,
    /// Anchored nodes with their depth, by the reader's numbers.
    anchors: BTreeMap<usize, (Node<'t>, usize)>,
    allowance: &'a mut Allowance,
}

impl<'t, 'a> Builder<'t, 'a> {
    fn new(file: FileId, text: &'t str, allowance: &'a mut Allowance) -> Self {
        Self {
            file,
            text,
            documents: Vec::new(),
            open: Vec::new(),
            root: None,
            anchors: BTreeMap::new(),
            allowance,
        }
    }

    fn event(&mut self, event: Event<'t>, at: Range<usize>) -> Result<(), Diagnostic> {
        match event {
            Event::Scalar(value, style, anchor, written) => {
                let mut node = self.scalar(value, style, at);
                node.tag = tag(written.as_deref());
                self.add(node, anchor, 1)?;
            }
            Event::SequenceStart(style, anchor, written) => {
                self.enter(&at, style, anchor, tag(written.as_deref()), false);
            }
            Event::MappingStart(style, anchor, written) => {
                self.enter(&at, style, anchor, tag(written.as_deref()), true);
            }
            Event::SequenceEnd | Event::MappingEnd => self.leave(&at)?,
            Event::Alias(id) => self.alias(id, at)?,
            Event::DocumentEnd => {
                self.anchors.clear();
                self.documents.extend(self.root.take());
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(&self, value: Cow<'t, str>, style: ScalarStyle, at: Range<usize>) -> Node<'t> {
        let flow = self.open.last().is_some_and(|open| open.flow);
        match style {
            // A value that is left out comes as `~` without bytes.
            ScalarStyle::Plain if at.is_empty() => Node::scalar(at, "", Style::Plain),
            ScalarStyle::Plain if flow => Node::scalar(at, value, Style::PlainInFlow),
            ScalarStyle::Plain => Node::scalar(at, value, Style::Plain),
            ScalarStyle::SingleQuoted => Node::scalar(at, value, Style::SingleQuoted),
            ScalarStyle::DoubleQuoted => Node::scalar(at, value, Style::DoubleQuoted),
            ScalarStyle::Literal => Node::scalar(self.content(at), value, Style::Literal),
            ScalarStyle::Folded => Node::scalar(self.content(at), value, Style::Folded),
        }
    }

    /// The bytes of a block scalar without the blank lines and the next line's indentation behind it.
    fn content(&self, at: Range<usize>) -> Range<usize> {
        let body = self.text.get(at.clone()).unwrap_or_default();
        let used = body.trim_end_matches([' ', '\t', '\r', '\n']).len();
        at.start..at.start + used
    }

    fn enter(
        &mut self,
        at: &Range<usize>,
        style: StructureStyle,
        anchor: usize,
        tag: Tag,
        map: bool,
    ) {
        self.open.push(Open {
            start: at.start,
            anchor,
            flow: style == StructureStyle::Flow,
            depth: 0,
            nodes: Vec::new(),
            map,
            tag,
        });
    }

    fn leave(&mut self, at: &Range<usize>) -> Result<(), Diagnostic> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let range = match (open.flow, open.nodes.first(), open.nodes.last()) {
            (false, Some(first), Some(last)) => first.range().start..last.range().end,
            _ => open.start..at.end.max(open.start),
        };
        let range = range.start..range.end.max(range.start);
        let kind = if open.map {
            Kind::Map(merged(pairs(open.nodes)))
        } else {
            Kind::Seq(open.nodes)
        };
        let depth = open.depth + 1;
        if depth > MAX_DEPTH {
            return Err(self.error(range, "too deeply nested"));
        }
        let mut node = Node::new(range, kind);
        node.tag = open.tag;
        self.add(node, open.anchor, depth)
    }

    fn alias(&mut self, id: usize, at: Range<usize>) -> Result<(), Diagnostic> {
        let Some((node, depth)) = self.anchors.get(&id) else {
            return Err(self.error(at, "this alias is inside the value that it refers to"));
        };
        if !self.allowance.take(node) {
            return Err(self.too_much(at));
        }
        let (node, depth) = (node.clone(), *depth);
        self.add(node, 0, depth)
    }

    fn too_much(&self, at: Range<usize>) -> Diagnostic {
        self.error(at, "the YAML aliases expand to too much text")
            .help("replace the aliases (`*name`) with their values, or split the file")
    }

    fn error(&self, at: Range<usize>, why: &str) -> Diagnostic {
        Diagnostic::error("invalid-yaml", Span::new(self.file, at), why)
    }

    fn add(&mut self, mut node: Node<'t>, anchor: usize, depth: usize) -> Result<(), Diagnostic> {
        if anchor != 0 {
            if !self.allowance.take(&node) {
                return Err(self.too_much(node.range()));
            }
            self.anchors.insert(anchor, (node.clone(), depth));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.depth = open.depth.max(depth);
        // A value that was left out comes right after its key, wherever the reader noticed.
        if open.map && open.nodes.len() % 2 == 1 && node.start == node.end && is_left_out(&node) {
            let end = open.nodes.last().map_or(node.end, |key| key.end);
            (node.start, node.end) = (end, end);
        }
        open.nodes.push(node);
        Ok(())
    }
}

/// What a tag asks for; those that YAML resolves itself ask for nothing.
fn tag(written: Option<&Written>) -> Tag {
    match written {
        Some(tag) if tag.handle() == "!" => match tag.suffix() {
            "Sub" => Tag::Sub,
            "Join" => Tag::Join,
            "GetAtt" => Tag::GetAtt,
            "If" => Tag::If,
            "FindInMap" => Tag::FindInMap,
            "Ref" => Tag::Ref,
            "" => Tag::None,
            _ => Tag::Other,
        },
        _ => Tag::None,
    }
}

fn is_left_out(node: &Node<'_>) -> bool {
    matches!(&node.kind, Kind::Scalar(scalar) if scalar.value.is_empty() && scalar.style == Style::Plain)
}

fn pairs<'t>(nodes: Vec<Node<'t>>) -> Vec<(Node<'t>, Node<'t>)> {
    let mut pairs = Vec::with_capacity(nodes.len() / 2);
    let mut nodes = nodes.into_iter();
    while let (Some(key), Some(value)) = (nodes.next(), nodes.next()) {
        pairs.push((key, value));
    }
    pairs
}

/// Puts in what `<<` names; own keys win.
fn merged<'t>(entries: Vec<(Node<'t>, Node<'t>)>) -> Vec<(Node<'t>, Node<'t>)> {
    if !entries.iter().any(|(key, _)| is_merge(key)) {
        return entries;
    }
    let (merges, mut kept): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(key, _)| is_merge(key));
    let text = |key: &Node<'_>| key.text().map(str::to_owned);
    let mut known: BTreeSet<String> = kept.iter().filter_map(|(key, _)| text(key)).collect();
    for (_, value) in merges {
        let sources = match value.kind {
            Kind::Seq(items) => items,
            Kind::Map(_) | Kind::Scalar(_) => vec![value],
        };
        for source in sources {
            let Kind::Map(entries) = source.kind else {
                continue;
            };
            for (key, value) in entries {
                if text(&key).is_some_and(|key| known.insert(key)) {
                    kept.push((key, value));
                }
            }
        }
    }
    kept
}

fn is_merge(key: &Node<'_>) -> bool {
    matches!(&key.kind, Kind::Scalar(scalar) if scalar.value == "<<" && matches!(scalar.style, Style::Plain | Style::PlainInFlow))
}
