//! What a spanned tree is made of.

use std::borrow::Cow;
use std::ops::Range;

/// One value and the bytes it is at in the text it was read from.
///
/// The bytes of a collection in block style run from its first entry to its last.
/// Those of a block scalar are its content, without the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'t> {
    pub start: u32,
    pub end: u32,
    pub kind: Kind<'t>,
    pub tag: Tag,
}

/// A tag in front of a value that is none of YAML's own (CloudFormation's `!Ref`), or a function around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tag {
    #[default]
    None,
    /// `!Sub`: the text holds names of values.
    Sub,
    /// `!Join`: texts are put together.
    Join,
    /// `!Ref`: one value, or what a parameter has.
    Ref,
    /// `!GetAtt`, `!If` and `!FindInMap`: what something named elsewhere gives.
    GetAtt,
    If,
    FindInMap,
    /// A function makes something of the value: Terraform's `jsonencode` and others.
    Made,
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'t> {
    Scalar(Scalar<'t>),
    Seq(Vec<Node<'t>>),
    Map(Vec<(Node<'t>, Node<'t>)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar<'t> {
    pub value: Cow<'t, str>,
    pub style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// YAML without quotes inside `[…]` or `{…}`, where commas and brackets end it.
    PlainInFlow,
    SingleQuoted,
    DoubleQuoted,
    /// YAML `|`.
    Literal,
    /// YAML `>`.
    Folded,
    Json,
    /// A JSON number, `true`, `false` or `null`.
    JsonLiteral,
    Lines,
    /// A whole file that another program fills in.
    Template {
        filler: Filler,
        /// Which of its branches are there.
        reading: u32,
    },
    Code,
    Joined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filler {
    Helm,
    Jinja,
    Terraform,
}

impl<'t> Node<'t> {
    pub fn new(range: Range<usize>, kind: Kind<'t>) -> Self {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            start: clamp(range.start),
            end: clamp(range.end),
            kind,
            tag: Tag::None,
        }
    }

    pub fn scalar(range: Range<usize>, value: impl Into<Cow<'t, str>>, style: Style) -> Self {
        let value = value.into();
        Self::new(range, Kind::Scalar(Scalar { value, style }))
    }

    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn get(&self, key: &str) -> Option<&Node<'t>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// [`Node::get`] of a map of which nothing else is needed.
    pub fn take(self, key: &str) -> Option<Node<'t>> {
        let [value] = self.take_all([key]);
        value
    }

    pub fn take_all<const N: usize>(self, keys: [&str; N]) -> [Option<Node<'t>>; N] {
        let mut values = [const { None }; N];
        for (key, value) in self.into_entries() {
            let at = keys.iter().position(|k| Some(*k) == key.text());
            if let Some(slot @ None) = at.map(|at| &mut values[at]) {
                *slot = Some(value);
            }
        }
        values
    }

    pub fn entry(&self, key: &str) -> Option<&(Node<'t>, Node<'t>)> {
        self.entries().iter().find(|(k, _)| k.text() == Some(key))
    }

    pub fn at(&self, path: &[&str]) -> Option<&Node<'t>> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub fn entries(&self) -> &[(Node<'t>, Node<'t>)] {
        match &self.kind {
            Kind::Map(entries) => entries,
            Kind::Scalar(_) | Kind::Seq(_) => &[],
        }
    }

    pub fn items(&self) -> &[Node<'t>] {
        match &self.kind {
            Kind::Seq(items) => items,
            Kind::Scalar(_) | Kind::Map(_) => &[],
        }
    }

    /// [`Node::entries`] of a map that is needed no longer.
    pub fn into_entries(self) -> Vec<(Node<'t>, Node<'t>)> {
        match self.kind {
            Kind::Map(entries) => entries,
            Kind::Scalar(_) | Kind::Seq(_) => Vec::new(),
        }
    }

    /// [`Node::items`] of a list that is needed no longer.
    pub fn into_items(self) -> Vec<Node<'t>> {
        match self.kind {
            Kind::Seq(items) => items,
            Kind::Scalar(_) | Kind::Map(_) => Vec::new(),
        }
    }

    pub fn is_map(&self) -> bool {
        matches!(self.kind, Kind::Map(_))
    }

    pub fn is_seq(&self) -> bool {
        matches!(self.kind, Kind::Seq(_))
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(scalar) if !scalar.is_null() => Some(&scalar.value),
            Kind::Scalar(_) | Kind::Seq(_) | Kind::Map(_) => None,
        }
    }

    /// [`Node::text`] of a scalar that is needed no longer.
    pub fn into_text(self) -> Option<String> {
        match self.kind {
            Kind::Scalar(scalar) if !scalar.is_null() => Some(scalar.value.into_owned()),
            Kind::Scalar(_) | Kind::Seq(_) | Kind::Map(_) => None,
        }
    }

    /// True for a value that was left out, and for `null` and `~`.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.is_null())
    }

    pub fn size(&self) -> usize {
        size_of::<Self>()
            + match &self.kind {
                Kind::Scalar(scalar) => scalar.value.len(),
                Kind::Seq(items) => items.iter().map(Node::size).sum(),
                Kind::Map(entries) => entries.iter().map(|(k, v)| k.size() + v.size()).sum(),
            }
    }

    /// The same tree without borrowing from the text.
    pub fn into_owned(self) -> Node<'static> {
        let kind = match self.kind {
            Kind::Scalar(scalar) => Kind::Scalar(Scalar {
                value: Cow::Owned(scalar.value.into_owned()),
                style: scalar.style,
            }),
            Kind::Seq(items) => Kind::Seq(items.into_iter().map(Node::into_owned).collect()),
            Kind::Map(entries) => Kind::Map(
                entries
                    .into_iter()
                    .map(|(k, v)| (k.into_owned(), v.into_owned()))
                    .collect(),
            ),
        };
        Node {
            start: self.start,
            end: self.end,
            kind,
            tag: self.tag,
        }
    }
}

impl Scalar<'_> {
    /// True for a value that was left out, and for `null` and `~`.
    pub fn is_null(&self) -> bool {
        match self.style {
            Style::Plain | Style::PlainInFlow => {
                matches!(&*self.value, "" | "~" | "null" | "Null" | "NULL")
            }
            Style::JsonLiteral => self.value == "null",
            Style::SingleQuoted
            | Style::DoubleQuoted
            | Style::Literal
            | Style::Folded
            | Style::Json
            | Style::Lines
            | Style::Template { .. }
            | Style::Code
            | Style::Joined => false,
        }
    }
}
