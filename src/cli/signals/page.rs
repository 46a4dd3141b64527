//! `docs/signals.md`.

use super::{View, list, show, views};
use crate::catalog::{Catalog, DEFAULT_PROFILE};
use crate::cli::words;

pub fn page() -> String {
    let catalog = Catalog::vllm();
    let releases = catalog.select_all().releases;
    let views = views(catalog, &releases);
    let mut page = format!(
        "# Signals\n\nBuilt-in signals: a spec can use them without declaring them. Recorded vLLM releases: {}.\n\
         `slosmith signals --vllm RANGE` lists the signals of the releases that you run. A metric of a profile other than\n\
         `{DEFAULT_PROFILE}` needs a server option: `slosmith catalog show METRIC` shows which.\n\n\
         | signal | kind | unit | releases | title |\n|---|---|---|---|---|\n",
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
            "\n| releases | metric | labels | buckets | profiles |\n|---|---|---|---|---|\n",
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
