//! Ways to the nodes of a tree: the index of an entry or item at each level.

use std::ops::Range;

use crate::yaml::{Kind, Node};

pub(super) fn at<'n, 't>(root: &'n mut Node<'t>, path: &[usize]) -> Option<&'n mut Node<'t>> {
    path.iter()
        .try_fold(root, |node, &index| match &mut node.kind {
            Kind::Seq(items) => items.get_mut(index),
            Kind::Map(entries) => entries.get_mut(index).map(|(_, value)| value),
            Kind::Scalar(_) => None,
        })
}

pub(super) fn key_of(root: &Node<'_>, path: &[usize]) -> Option<Range<usize>> {
    let (&last, path) = path.split_last()?;
    let parent = path.iter().try_fold(root, |node, &index| {
        node.items()
            .get(index)
            .or_else(|| node.entries().get(index).map(|(_, value)| value))
    })?;
    parent.entries().get(last).map(|(key, _)| key.range())
}

/// The way to the smallest entry or item that holds a byte.
pub(super) fn path_to(root: &Node<'_>, offset: usize) -> Vec<usize> {
    let mut path = Vec::new();
    let mut node = root;
    loop {
        let holds =
            |node: &Node<'_>| node.range().contains(&offset) || node.range().start == offset;
        let item = node.items().iter().position(holds);
        let entry = node.entries().iter().position(|(key, value)| {
            (key.range().start..key.end.max(value.end) as usize).contains(&offset)
        });
        let Some(index) = item.or(entry) else {
            return path;
        };
        path.push(index);
        node = match &node.kind {
            Kind::Seq(items) => &items[index],
            Kind::Map(entries) if !holds(&entries[index].0) => &entries[index].1,
            Kind::Map(_) | Kind::Scalar(_) => return path,
        };
    }
}
