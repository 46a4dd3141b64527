//! Tables whose rows are joined from several queries.

use serde_json::{Map, Value, json};

use super::field::{background, grafana, steps};
use super::view::{Override, Table, ref_id};
use crate::template::Tree;
use slosmith_plan::plan::dashboard::{BEGAN, Cells, Column, Fact, Field, Lead, Word};
use slosmith_text::units::Unit;

/// The least width in pixels of a column that names what the row is about: `Time to first token: error budget` fits.
const NAME: u64 = 240;
/// The least width of a column of other text. Grafana's own 150 pushes the numbers out of a window 1000 pixels wide.
const TEXT: u64 = 110;

/// Grafana's name of a field before it gets its heading.
fn field(column: &Column, queries: usize) -> String {
    match &column.field {
        Field::Label(label) => label.clone(),
        Field::Value(_) if queries == 1 => "Value".to_owned(),
        Field::Value(index) => format!("Value #{}", ref_id(*index)),
    }
}

/// Order and headings of the columns; the first is what the rows are sorted by.
pub(super) fn table(columns: &[Column], queries: usize) -> Table {
    let mut order = Map::new();
    let mut headings = Map::new();
    for (i, column) in columns.iter().enumerate() {
        let name = field(column, queries);
        order.insert(name.clone(), json!(i));
        headings.insert(name, json!(column.heading));
    }
    Table {
        order: Tree::of(&order),
        headings: Tree::of(&headings),
        sort: columns
            .first()
            .map_or_else(String::new, |first| first.heading.clone()),
    }
}

pub(super) fn overrides(columns: &[Column]) -> Vec<Override> {
    let one = |column: &Column| Override {
        matcher: json!({"id": "byName", "options": column.heading}),
        properties: properties(column),
    };
    columns.iter().map(one).collect()
}

fn property(id: &str, value: Value) -> Value {
    json!({"id": id, "value": value})
}

fn properties(column: &Column) -> Vec<Value> {
    let mut all = cells(&column.cells);
    all.extend(width(column));
    all.extend(
        column
            .leads_to
            .as_ref()
            .map(|lead| property("links", json!([link(lead)]))),
    );
    all
}

/// Numbers and states take what they need, so that names get the rest of a narrow window.
fn width(column: &Column) -> Option<Value> {
    match (&column.cells, &column.leads_to) {
        (Cells::Hidden, _) => None,
        (Cells::Since, _) => Some(property("custom.width", json!(140))),
        (Cells::Always(_) | Cells::Coloured(_), _) => Some(property("custom.width", json!(100))),
        (Cells::Words(_), _) => Some(property("custom.width", json!(TEXT))),
        (Cells::Number(..) | Cells::Share(_) | Cells::Spent, _) => Some(property(
            "custom.width",
            json!(heading_width(&column.heading)),
        )),
        (Cells::Text(_), Some(Lead::Panel(_))) => Some(property("custom.minWidth", json!(NAME))),
        (Cells::Text(_), _) => Some(property("custom.minWidth", json!(TEXT))),
    }
}

/// The width in pixels of a column whose heading is all seen.
fn heading_width(text: &str) -> usize {
    (24 + 8 * text.chars().count()).max(100)
}

fn link(lead: &Lead) -> Value {
    match lead {
        Lead::Url => to_runbook("${__value.raw}"),
        Lead::Panel(label) => to_panel(&format!("/d/${{__data.fields.{label}}}")),
    }
}

pub(super) fn to_runbook(url: &str) -> Value {
    json!({"title": "Open the runbook", "url": url, "targetBlank": true})
}

/// A link to a panel, with the time and the variables.
pub(super) fn to_panel(url: &str) -> Value {
    let url = format!("{url}&${{__url_time_range}}&${{__all_variables}}");
    json!({"title": "Show the panel", "url": url, "targetBlank": false})
}

fn cells(cells: &Cells) -> Vec<Value> {
    let filled = property(
        "custom.cellOptions",
        json!({"type": "color-background", "mode": "basic"}),
    );
    match cells {
        // Grafana takes text like `0.90` for a number.
        Cells::Text(words) if words.is_empty() => vec![
            property("unit", json!("string")),
            property("noValue", json!("")),
        ],
        Cells::Always(word) => {
            let all = json!({"pattern": ".+", "result": {"index": 0, "text": word}});
            vec![
                property("mappings", json!([{"type": "regex", "options": all}])),
                property("noValue", json!("")),
            ]
        }
        Cells::Text(words) => {
            let words = words
                .iter()
                .map(|(value, word)| (value.clone(), json!({"text": word})));
            vec![property("mappings", mapping(words))]
        }
        Cells::Coloured(values) => {
            let values = values.iter();
            let colors = values.map(|(value, color)| {
                (
                    value.clone(),
                    json!({"color": background(*color), "text": value}),
                )
            });
            vec![
                property("mappings", mapping(colors)),
                property("noValue", json!("")),
                filled,
                left(),
            ]
        }
        Cells::Words(words) => {
            vec![property("mappings", states(words)), filled, left()]
        }
        Cells::Share(digits) => vec![
            property("unit", json!("percentunit")),
            property("noValue", json!("")),
            property("decimals", json!(digits)),
        ],
        Cells::Number(unit, bounds) => {
            let mut all = vec![
                property("unit", json!(grafana(*unit))),
                property("noValue", json!("")),
            ];
            let digits = if unit.unit == Unit::Ratio { 1 } else { 2 };
            all.push(property("decimals", json!(digits)));
            if !bounds.is_empty() {
                // Without a value, a cell would have the colour of the lowest region.
                let nothing = json!({"color": "text", "index": 0, "text": ""});
                let nothing = json!({"match": "null+nan", "result": nothing});
                all.push(property(
                    "mappings",
                    json!([{"type": "special", "options": nothing}]),
                ));
                all.push(property(
                    "custom.cellOptions",
                    json!({"type": "color-text"}),
                ));
                all.push(property(
                    "thresholds",
                    // The state of a row says whether it is well: a number may be older than the newest data.
                    json!({"mode": "absolute", "steps": steps(bounds, "text")}),
                ));
            }
            all
        }
        Cells::Since => vec![
            property("unit", json!("dateTimeFromNow")),
            property("mappings", fact(Fact::Since)),
            property("noValue", json!("")),
        ],
        Cells::Spent => vec![
            property("unit", json!("s")),
            property("decimals", json!(1)),
            property("mappings", fact(Fact::Lasts)),
            property("noValue", json!("")),
        ],
        // The first is for Grafana up to 12.1, the second for what came after.
        Cells::Hidden => vec![
            property("custom.hidden", json!(true)),
            property(
                "custom.hideFrom",
                json!({"legend": false, "tooltip": false, "viz": true}),
            ),
        ],
    }
}

/// Numbers stand on the right, states on the left.
fn left() -> Value {
    property("custom.align", json!("left"))
}

/// The words for special numbers of a fact.
pub(super) fn fact(fact: Fact) -> Value {
    let words = match fact {
        Fact::Lasts => vec![
            ("0".to_owned(), "nothing left".to_owned()),
            ("-1".to_owned(), "not spent at this rate".to_owned()),
        ],
        Fact::Since | Fact::Changed => vec![
            ("0".to_owned(), format!("more than {BEGAN} ago")),
            ("-1".to_owned(), "nothing fires".to_owned()),
        ],
        Fact::Advice => {
            let some =
                json!({"from": 1, "to": null, "result": {"index": 0, "text": "open the runbook"}});
            let none = json!({"0": {"index": 1, "text": "nothing to do"}});
            return json!([{"type": "range", "options": some}, {"type": "value", "options": none}]);
        }
    };
    mapping(
        words
            .into_iter()
            .map(|(value, text)| (value, json!({"text": text}))),
    )
}

pub(super) fn states(words: &[Word]) -> Value {
    let words = words.iter();
    mapping(words.map(|(number, word, color)| {
        (
            number.to_string(),
            json!({"color": background(*color), "text": word}),
        )
    }))
}

fn mapping(values: impl Iterator<Item = (String, Value)>) -> Value {
    let mut options = Map::new();
    for (i, (value, mut result)) in values.enumerate() {
        result["index"] = json!(i);
        options.insert(value, result);
    }
    json!([{"type": "value", "options": options}])
}
