//! Plugins of sloth: programs, whose effect a spec does not show.

use crate::context::Cx;
use crate::fields::Fields;

/// Plugins whose work every build does anyway, and how.
const KNOWN: [(&str, &str); 6] = [
    (
        "sloth.dev/core/validate/",
        "`slosmith build` validates specs itself",
    ),
    ("sloth.dev/core/noop/", "this plugin does nothing"),
    (
        "sloth.dev/core/sli_rules/",
        "`slosmith build` writes these rules itself",
    ),
    (
        "sloth.dev/core/metadata_rules/",
        "`slosmith build` writes these rules itself",
    ),
    (
        "sloth.dev/core/alert_rules/",
        "`slosmith build` writes these rules itself",
    ),
    (
        "sloth.dev/contrib/denominator_corrected_rules/",
        "slosmith divides sums of events, so uneven traffic needs no correction",
    ),
];

pub(super) fn chain(cx: &mut Cx<'_>, fields: &mut Fields<'_>, key: &str) -> Vec<String> {
    let mut comments = Vec::new();
    let Some(mut chains) = fields.map(cx, key) else {
        return comments;
    };
    chains.skip(&["overridePrevious", "override_previous"]);
    for mut plugin in chains.maps(cx, "chain") {
        let at = plugin.span();
        let id = plugin.text(cx, "id").map(|id| id.value).unwrap_or_default();
        let known = KNOWN.iter().find(|(name, _)| id.starts_with(name));
        comments.push(match known {
            Some((_, why)) => cx.changed(at, format!("SLO plugin `{id}` is not needed: {why}")),
            None => cx.lost(
                at,
                format!("SLO plugin `{id}`: only sloth can run its plugins"),
                "",
            ),
        });
        // The configuration belongs to the plugin.
        plugin.skip(&["config", "priority"]);
        comments.extend(plugin.finish(cx));
    }
    comments.extend(chains.finish(cx));
    comments
}

pub(super) fn indicator(cx: &mut Cx<'_>, mut plugin: Fields<'_>) -> String {
    let at = plugin.span();
    let id = plugin.text(cx, "id").map(|id| id.value).unwrap_or_default();
    let options = plugin.pairs(cx, "options");
    let options = options.iter();
    let options = options.map(|(name, value)| format!("{name}: {value}"));
    let options = options.collect::<Vec<_>>().join(", ");
    plugin.finish(cx);
    let what = format!("SLI plugin `{id}` ({options}): only sloth can run its plugins");
    let help = "run `sloth generate`, copy the queries of `slo:sli_error:ratio_rate5m`, and write them as `sli: {promql: {bad: …, total: …}}` with `$window`";
    cx.lost(at, what, help)
}
