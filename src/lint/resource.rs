//! One CloudWatch resource with everything that rules ask of it.

use super::scope::Scope;
use crate::artifact::Resource;
use crate::cloudwatch::{self, Fault, Violation};

/// One resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourceCx<'a> {
    /// What it is judged against.
    pub scope: &'a Scope<'a>,
    /// The resource.
    pub resource: &'a Resource,
}

impl ResourceCx<'_> {
    /// What CloudWatch would reject, without what is not known before the file is applied.
    pub fn violations(&self) -> Vec<Violation> {
        use crate::artifact::ResourceKind::{Agent, Alarm, Dashboard};
        let resource = self.resource;
        let mut found = match resource.what {
            Alarm => cloudwatch::any_alarm(&resource.request),
            Dashboard => cloudwatch::dashboard(&resource.request),
            Agent => Vec::new(),
        };
        found.retain(|v| !resource.is_unknown(&v.pointer));
        if resource.lenient {
            // Names may be left out, and a text may be a function that was written as a tag.
            found.retain(|v| !matches!(v.fault, Fault::Unnamed | Fault::Type));
        }
        found
    }

    /// What it is, for messages.
    pub fn title(&self) -> String {
        match self.resource.name.as_str() {
            "" => String::new(),
            name => format!("alarm `{name}`: "),
        }
    }
}
