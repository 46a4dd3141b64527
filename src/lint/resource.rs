//! One CloudWatch resource, with everything that rules need.

use crate::artifact::Resource;
use crate::cloudwatch::{self, Violation};

#[derive(Clone, Copy, Debug)]
pub struct ResourceCx<'a> {
    pub resource: &'a Resource,
}

impl ResourceCx<'_> {
    pub fn violations(&self) -> Vec<Violation> {
        use crate::artifact::ResourceKind::{Agent, Alarm, Dashboard, Listing, PutDashboard};
        let resource = self.resource;
        let mut found = match resource.what {
            Alarm => cloudwatch::any_alarm_in(&resource.request, resource.form),
            Dashboard => cloudwatch::dashboard(&resource.request),
            PutDashboard => cloudwatch::put_dashboard(&resource.request, resource.form),
            Agent | Listing => Vec::new(),
        };
        found.extend(resource.faults.iter().cloned());
        found
    }

    pub fn title(&self) -> String {
        match self.resource.name.as_str() {
            "" => String::new(),
            name => format!("alarm `{name}`: "),
        }
    }
}
