//! What evaluates the rules: options that only some rulers have.

use super::context::Context;
use slosmith_plan::plan;
use slosmith_spec::spec::Ruler;

pub(super) fn resolve(cx: &mut Context<'_>) -> Option<plan::Ruler> {
    let given = &cx.spec.prometheus;
    let kind = given.ruler.as_ref().map(|ruler| ruler.value);
    let tenants = given.source_tenants.first().map(|tenant| tenant.span);
    let partial = given.partial_response.as_ref().map(|p| p.span);
    let offset = given.query_offset.as_ref().map(|o| o.span);
    let only = |wanted: Ruler| kind.is_some_and(|kind| kind != wanted);
    let wrong = [
        (
            "source_tenants",
            tenants,
            only(Ruler::Mimir),
            "`source_tenants` needs `ruler: mimir`",
        ),
        (
            "partial_response",
            partial,
            only(Ruler::Thanos),
            "`partial_response` needs `ruler: thanos`",
        ),
        ("query_offset", offset, false, ""),
    ];
    for (name, at, another, why) in wrong {
        let Some(at) = at else { continue };
        if kind.is_none() {
            let message = format!("`{name}` has no effect without `ruler`");
            cx.reject_field(name, at, message);
        } else if another {
            cx.reject_field(name, at, why);
        }
    }
    Some(plan::Ruler {
        kind: kind?,
        query_offset: given.query_offset.as_ref().map(|offset| offset.value),
        source_tenants: given
            .source_tenants
            .iter()
            .map(|t| t.value.clone())
            .collect(),
        partial_response: given.partial_response.as_ref().map(|p| p.value),
    })
}
