//! HCL as a tree of spanned nodes, in the shape that Terraform's JSON has.
//!
//! `resource "t" "n" { period = 60 }` gives the tree of `{"resource": [{"t": {"n": {"period": 60}}}]}`. Of an expression
//! only that it is one is kept: it reads `${…}`, as in JSON. `jsonencode` and `yamlencode` keep what they make a text of,
//! and other functions the objects and texts of lines that they are given, so that the queries in these are found.

use std::collections::BTreeMap;
use std::ops::Range;

use hcl_edit::Span as _;
use hcl_edit::expr::{Expression, FuncCall, Object, ObjectKey};
use hcl_edit::structure::{self, Block, Structure};

use super::document;
use super::raw::HOLE;
use super::reader::Reader;
use super::unread::Unread;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::{common_indent, mark_len};
use slosmith_text::yaml::{Body, Kind, Node, Style, Tag, json_string};

const ENCODERS: [&str; 2] = ["jsonencode", "yamlencode"];

const LABELS: usize = 8;

pub(super) fn read(reader: &mut Reader, body: &Body<'_>) -> Result<(), Unread> {
    let start = mark_len(body.text());
    let text = &body.text()[start..];
    match hcl_edit::parser::parse_body(text) {
        Ok(parsed) => {
            let tree = Tree { text, start };
            reader.interpolates = true;
            document::read(reader, body, tree.body(&parsed));
            Ok(())
        }
        Err(error) => {
            let at = start + text.floor_char_boundary(error.location().offset());
            let message = format!("invalid HCL: {}", error.message());
            Err(Diagnostic::error("invalid-hcl", body.span(at..at), message).into())
        }
    }
}

struct Tree<'t> {
    text: &'t str,
    /// Bytes in front of the text.
    start: usize,
}

impl<'t> Tree<'t> {
    fn place(&self, span: Option<Range<usize>>) -> Range<usize> {
        let span = span.unwrap_or(0..0);
        self.start + span.start..self.start + span.end
    }

    fn slice(&self, span: Option<Range<usize>>) -> &'t str {
        span.and_then(|span| self.text.get(span))
            .unwrap_or_default()
    }

    fn key(&self, name: &str, span: Option<Range<usize>>) -> Node<'t> {
        Node::scalar(self.place(span), name.to_owned(), Style::Plain)
    }

    /// Arguments, and lists of the blocks of each name.
    fn body(&self, body: &structure::Body) -> Node<'t> {
        let mut entries: Vec<(Node<'t>, Node<'t>)> = Vec::new();
        let mut lists: BTreeMap<&str, usize> = BTreeMap::new();
        for part in body {
            match part {
                Structure::Attribute(argument) => {
                    let name = argument.key.as_str();
                    let value = self.expression(&argument.value);
                    entries.push((self.key(name, argument.key.span()), value));
                }
                Structure::Block(block) => {
                    let node = self.labelled(block);
                    let name = block.ident.as_str();
                    let before = lists.get(name).and_then(|at| entries.get_mut(*at));
                    match before.map(|(_, value)| &mut value.kind) {
                        Some(Kind::Seq(blocks)) => blocks.push(node),
                        _ => {
                            lists.insert(name, entries.len());
                            let range = node.range();
                            let list = Node::new(range, Kind::Seq(vec![node]));
                            entries.push((self.key(name, block.ident.span()), list));
                        }
                    }
                }
            }
        }
        Node::new(self.place(body.span()), Kind::Map(entries))
    }

    /// A block below its labels. Terraform takes two at most; a level for each of thousands would take the stack.
    fn labelled(&self, block: &Block) -> Node<'t> {
        let range = self.place(block.span());
        let inner = Node::new(range.clone(), self.body(&block.body).kind);
        block
            .labels
            .iter()
            .take(LABELS)
            .rev()
            .fold(inner, |inner, label| {
                let key = self.key(label.as_str(), label.span());
                Node::new(range.clone(), Kind::Map(vec![(key, inner)]))
            })
    }

    /// What a text is made of, or what a function is given.
    fn called(&self, call: &FuncCall) -> Node<'t> {
        let name = call.name.name.as_str();
        let mut given: Vec<_> = call.args.iter().map(|one| self.expression(one)).collect();
        match given.pop() {
            Some(one) if given.is_empty() && ENCODERS.contains(&name) && holds(&one) => Node {
                tag: Tag::Made,
                ..one
            },
            last => {
                given.extend(last);
                self.made(call.span(), given)
            }
        }
    }

    /// Parts of an expression in which queries may be; what becomes of them is unknown.
    fn made(&self, span: Option<Range<usize>>, parts: Vec<Node<'t>>) -> Node<'t> {
        if !parts.iter().any(holds) {
            return self.unknown(span);
        }
        Node {
            tag: Tag::Made,
            ..Node::new(self.place(span), Kind::Seq(parts))
        }
    }

    fn expression(&self, expr: &Expression) -> Node<'t> {
        let span = expr.span();
        let range = self.place(span.clone());
        match expr {
            Expression::Null(_) | Expression::Bool(_) | Expression::Number(_) => {
                Node::scalar(range, self.slice(span), Style::JsonLiteral)
            }
            Expression::UnaryOp(op) if matches!(op.expr, Expression::Number(_)) => {
                Node::scalar(range, self.slice(span), Style::JsonLiteral)
            }
            Expression::String(_) | Expression::StringTemplate(_) => {
                let value = json_string(self.slice(span));
                let value = value.unwrap_or_else(|| HOLE.to_owned());
                Node::scalar(range, value, Style::Json)
            }
            Expression::HeredocTemplate(_) => self.lines(span),
            Expression::FuncCall(call) => self.called(call),
            Expression::Conditional(choice) => {
                let either = [&choice.true_expr, &choice.false_expr];
                self.made(span, either.map(|one| self.expression(one)).into())
            }
            Expression::ForExpr(each) => self.made(span, vec![self.expression(&each.value_expr)]),
            Expression::Array(array) => {
                let items = array.iter().map(|item| self.expression(item));
                Node::new(range, Kind::Seq(items.collect()))
            }
            Expression::Object(object) => Node::new(range, Kind::Map(self.object(object))),
            Expression::Parenthesis(inner) => self.expression(inner.inner()),
            _ => self.unknown(span),
        }
    }

    fn object(&self, object: &Object) -> Vec<(Node<'t>, Node<'t>)> {
        let entries = object.iter().map(|(key, value)| {
            let key = match key {
                ObjectKey::Ident(name) => self.key(name.as_str(), name.span()),
                ObjectKey::Expression(expr) => self.expression(expr),
            };
            (key, self.expression(value.expr()))
        });
        entries.collect()
    }

    /// The lines between `<<EOF` and `EOF`; `<<-EOF` takes their common indentation off.
    fn lines(&self, span: Option<Range<usize>>) -> Node<'t> {
        let range = self.place(span.clone());
        let whole = self.slice(span);
        let first = whole.find('\n').map_or(whole.len(), |at| at + 1);
        let last = whole.trim_end().rfind('\n').map_or(first, |at| at + 1);
        let inner = first..last.max(first);
        let text = &whole[inner.clone()];
        let range = range.start + inner.start..range.start + inner.end;
        let indent = match whole.starts_with("<<-") {
            true => common_indent(text),
            false => 0,
        };
        let blanks = |line: &str| line.bytes().take(indent).take_while(|b| *b == b' ').count();
        let lines = text.split_inclusive('\n');
        let value: String = lines.map(|line| &line[blanks(line)..]).collect();
        Node::scalar(range, value, Style::Lines)
    }

    fn unknown(&self, span: Option<Range<usize>>) -> Node<'t> {
        Node::scalar(self.place(span), HOLE, Style::Joined)
    }
}

/// True for a value that queries may be in: a collection, or several lines.
fn holds(node: &Node<'_>) -> bool {
    !matches!(node.kind, Kind::Scalar(_)) || node.text().is_some_and(|text| text.contains('\n'))
}
