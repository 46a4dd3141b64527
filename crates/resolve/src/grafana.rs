//! Provisioning: the formats that load dashboards into Grafana.

use indexmap::IndexMap;

use super::context::Context;
use super::kubernetes::plain;
use slosmith_plan::plan::Provisioning;
use slosmith_spec::kubernetes::selector_faults;
use slosmith_spec::spec::Provision;

/// The formats, and the Grafana instances that the operator provisions.
pub(super) fn resolve(cx: &mut Context<'_>) -> Provisioning {
    let given = cx.spec.grafana.as_ref();
    let formats = given.map_or_else(Vec::new, |given| given.provision.clone());
    let selector = given.and_then(|given| given.selector.as_ref());
    if let Some(selector) = selector {
        for fault in selector_faults(&selector.value) {
            cx.sink.push(fault);
        }
        if !formats.contains(&Provision::Operator) {
            let message =
                "`selector` needs `provision: [operator]`: only the Grafana operator uses it";
            cx.reject_field("selector", selector.span, message);
        }
    }
    // The label that the operator's own examples give their instances.
    let usual = || IndexMap::from([("dashboards".to_owned(), "grafana".to_owned())]);
    Provisioning {
        formats,
        selector: selector.map_or_else(usual, |selector| plain(&selector.value)),
    }
}
