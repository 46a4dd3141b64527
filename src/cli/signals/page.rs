//! `docs/signals.md`.

use super::{View, list, show, views};
use crate::catalog::{Catalog, DEFAULT_PROFILE};
use crate::cli::words;

/// The page of all library signals, in Markdown.
pub fn page() -> String {
    let catalog = Catalog::vllm();
    let releases = catalog.select_all().releases;
    let views = views(catalog, &releases);
    let mut page = format!(
        "# Signals\n\nWhat a spec can name as `vllm.*` without declaring it, on the recorded releases {}.\n\
         `slosmith signals --vllm RANGE` lists those of the releases that you run. A server shows a family of a profile other\n\
         than `{DEFAULT_PROFILE}` only when it is configured so: `slosmith catalog show FAMILY` names the option.\n\n\
         | signal | kind | unit | releases | what it is |\n|---|---|---|---|---|\n",
        catalog.describe(&releases)
    );
    for view in &views {
        let on = list::on(catalog, view, &view.releases(), &releases);
        let name = view.name.as_str();
        let anchor = name.replace('.', "");
        let (kind, unit, title) = (view.kind(), view.unit(), view.title());
        page.push_str(&format!(
            "| [`{name}`](#{anchor}) | {kind} | {unit} | {on} | {title} |\n"
        ));
    }
    for view in &views {
        page.push_str(&section(catalog, view));
    }
    page
}

fn section(catalog: &Catalog, view: &View<'_>) -> String {
    let mut out = format!("\n## `{}`\n\n{}\n", view.name, view.description());
    let facts = show::facts(view).into_iter();
    let facts: Vec<_> = facts
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    out.push_str(&format!("\n{}.\n", facts.join("; ")));
    for stretches in &view.families {
        out.push_str(
            "\n| releases | family | labels | buckets | profiles |\n|---|---|---|---|---|\n",
        );
        for stretch in stretches {
            let cells = [
                catalog.describe(&stretch.releases),
                format!("`{}`", stretch.family),
                words::labels(stretch.shape),
                words::buckets(stretch.shape),
                stretch.profiles.join(", "),
            ];
            out.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
    }
    out
}
