//! `docs/coverage.md`.

use std::fmt::Write;

use serde_json::Value;

use super::data::{Guide, Item};

/// Values shown of one place; the fixture has all of them.
const VALUES: usize = 4;

/// Characters shown of one value.
const WIDTH: usize = 160;

const HEAD: &str = "# Coverage of the guides

Every item of the three guides behind the bundled specs: its lines, what it says in our words, the places in built files with
the values there, and why they differ where they do. A test generates this page from `tests/fixtures/coverage.yaml`, which has
the values in full, and compares each with what the specs build. Two more tests change the specs 100 times, at random but
always the same, and want a value to differ each time, and want every number of an item in what is made of it, unless there is
a reason.
";

pub(super) fn page(guides: &[Guide]) -> String {
    let mut page = HEAD.to_owned();
    for guide in guides {
        let (title, spec, service) = (&guide.title, &guide.spec, &guide.service);
        let _ = writeln!(
            page,
            "\n## {title}\n\nSpec: `specs/{spec}.yaml`; files below `generated/{service}`."
        );
        for (section, items) in &guide.sections {
            let _ = writeln!(page, "\n### {section}\n");
            let _ = writeln!(
                page,
                "| lines | the guide | made of it | why it differs |\n|---|---|---|---|"
            );
            for item in items {
                let cells = [
                    &item.lines,
                    &item.says,
                    &made(item),
                    item.why.as_deref().unwrap_or_default(),
                ];
                let _ = writeln!(
                    page,
                    "| {} | {} | {} | {} |",
                    cells[0],
                    cell(cells[1]),
                    cells[2],
                    cell(cells[3])
                );
            }
        }
    }
    page
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn made(item: &Item) -> String {
    let place = |(place, wanted): &(String, Value)| {
        let values: Vec<String> = match wanted {
            Value::Object(map) => map
                .iter()
                .map(|(path, value)| format!("{path} = {}", plain(value)))
                .collect(),
            value => value.as_array().into_iter().flatten().map(plain).collect(),
        };
        let more = match values.len().saturating_sub(VALUES) {
            0 => String::new(),
            more => format!("<br>and {more} more"),
        };
        let values: Vec<_> = values
            .iter()
            .take(VALUES)
            .map(|value| code(&short(value)))
            .collect();
        format!("{}: {}{more}", code(place), values.join("<br>"))
    };
    item.made.iter().map(place).collect::<Vec<_>>().join("<br>")
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn short(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Code in a cell of a table.
fn code(text: &str) -> String {
    format!("`` {} ``", text.replace('|', "\\|"))
}
