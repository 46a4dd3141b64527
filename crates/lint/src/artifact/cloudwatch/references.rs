//! What a template refers to, and rules of composite alarms that it puts together.
//!
//! `!Ref Nothing` in a template without such a resource or parameter, `DependsOn: Nothing`, `!If [Nothing, 1, 2]`,
//! `!Sub "ALARM(${A}) AN OK(${B})"`: CloudFormation rejects them.

use std::collections::BTreeSet;

use slosmith_cloudwatch::{Fault, Violation, children};
use slosmith_text::yaml::{Node, Tag};

/// Names of each section that can be referred to; none where a template is a part of another, or something adds to it.
pub(super) struct References<'n>(Option<Names<'n>>);

struct Names<'n> {
    /// Resources and parameters.
    values: BTreeSet<&'n str>,
    resources: BTreeSet<&'n str>,
    conditions: BTreeSet<&'n str>,
    mappings: BTreeSet<&'n str>,
}

/// What a reference names.
#[derive(Clone, Copy)]
enum Section {
    Values,
    Resources,
    Conditions,
    Mappings,
}

impl<'n> References<'n> {
    pub(super) fn of(template: &'n Node<'_>) -> Self {
        let names = |section: &str| -> BTreeSet<&'n str> {
            let names = template.get(section).map_or(&[][..], Node::entries);
            names.iter().filter_map(|(name, _)| name.text()).collect()
        };
        let resources = names("Resources");
        let names = Names {
            values: &resources | &names("Parameters"),
            resources,
            conditions: names("Conditions"),
            mappings: names("Mappings"),
        };
        let whole = template.get("AWSTemplateFormatVersion").is_some()
            && template.get("Transform").is_none()
            && ![&names.values, &names.conditions, &names.mappings]
                .into_iter()
                .flatten()
                .any(|name| name.starts_with("Fn::"));
        Self(whole.then_some(names))
    }

    /// References to nothing: of a resource, and below its properties.
    pub(super) fn faults(&self, resource: &Node<'_>, properties: &Node<'_>) -> Vec<Violation> {
        let mut found = Vec::new();
        let before = resource.get("DependsOn");
        let before = before.into_iter().flat_map(|names| match names.items() {
            [] => std::slice::from_ref(names),
            several => several,
        });
        for name in before {
            self.check(Section::Resources, name.text(), "", &mut found);
        }
        let condition = resource.get("Condition").and_then(Node::text);
        self.check(Section::Conditions, condition, "", &mut found);
        self.walk(properties, "", &mut found);
        found
    }

    fn walk(&self, node: &Node<'_>, pointer: &str, found: &mut Vec<Violation>) {
        let function = match (node.tag, node.entries()) {
            (Tag::Ref, _) => Some(("Ref", node)),
            (Tag::Sub, _) => Some(("Fn::Sub", node)),
            (Tag::GetAtt, _) => Some(("Fn::GetAtt", node)),
            (Tag::If, _) => Some(("Fn::If", node)),
            (Tag::FindInMap, _) => Some(("Fn::FindInMap", node)),
            (Tag::None, [(name, inner)]) => name.text().map(|name| (name, inner)),
            _ => None,
        };
        match function {
            Some(("Ref", name)) => self.check(Section::Values, name.text(), pointer, found),
            Some(("Fn::If", of)) => {
                let name = of.items().first().and_then(Node::text);
                self.check(Section::Conditions, name, pointer, found);
            }
            Some(("Fn::FindInMap", of)) => {
                let name = of.items().first().and_then(Node::text);
                self.check(Section::Mappings, name, pointer, found);
            }
            Some(("Fn::GetAtt", of)) => {
                let name = of.items().first().unwrap_or(of).text();
                let name = name.and_then(|name| name.split('.').next());
                self.check(Section::Resources, name, pointer, found);
            }
            Some(("Fn::Sub", inner)) => {
                let text = inner.items().first().unwrap_or(inner).text();
                let own = inner.items().get(1).map_or(&[][..], Node::entries);
                let own: Vec<_> = own.iter().filter_map(|(name, _)| name.text()).collect();
                for hole in text.into_iter().flat_map(holes) {
                    let name = hole.split('.').next().unwrap_or(hole);
                    if !name.starts_with('!') && !own.contains(&hole) {
                        self.check(Section::Values, Some(name), pointer, found);
                    }
                }
            }
            _ => {}
        }
        for (key, inner) in node.entries() {
            let key = key.text().unwrap_or_default();
            self.walk(inner, &format!("{pointer}/{key}"), found);
        }
        for (i, item) in node.items().iter().enumerate() {
            self.walk(item, &format!("{pointer}/{i}"), found);
        }
    }

    fn check(
        &self,
        section: Section,
        name: Option<&str>,
        pointer: &str,
        found: &mut Vec<Violation>,
    ) {
        let (Some(names), Some(name)) = (&self.0, name) else {
            return;
        };
        let (known, what) = match section {
            Section::Values => (&names.values, "neither a resource nor a parameter"),
            Section::Resources => (&names.resources, "no resource"),
            Section::Conditions => (&names.conditions, "no condition"),
            Section::Mappings => (&names.mappings, "no mapping"),
        };
        if !name.contains("::") && !known.contains(name) {
            found.push(Violation {
                pointer: pointer.to_owned(),
                message: format!("`{name}` is {what} of the template"),
                fault: Fault::Limit,
            });
        }
    }
}

/// The names in `ALARM(${A}) OR ALARM(${B})`.
fn holes(text: &str) -> Vec<&str> {
    let parts = text.split("${").skip(1);
    parts
        .filter_map(|part| part.split_once('}').map(|(name, _)| name.trim()))
        .collect()
}

/// What is wrong with a rule in which names of alarms are filled in. One that may fill in more is not judged.
pub(super) fn rule(text: &str) -> Option<Violation> {
    let mut whole = String::new();
    let mut parts = text.split("${");
    whole.push_str(parts.next()?);
    for part in parts {
        let (open, closed) = (whole.matches('(').count(), whole.matches(')').count());
        if open <= closed {
            return None;
        }
        whole.push_str("NAME");
        whole.push_str(part.split_once('}')?.1);
    }
    let why = children(&whole).err()?;
    Some(Violation {
        pointer: "/AlarmRule".to_owned(),
        message: format!("invalid alarm rule: {why}"),
        fault: Fault::Limit,
    })
}
