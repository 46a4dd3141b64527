//! A classic dashboard in schema v2: the same panels, named, and a layout that places them.
//!
//! ```json
//! {"kind": "RowsLayoutRow", "spec": {"title": "Queue", "layout": {"kind": "GridLayout", "spec": {"items": [
//!   {"kind": "GridLayoutItem", "spec": {"x": 0, "y": 0, "width": 12, "height": 9,
//!    "element": {"kind": "ElementReference", "name": "panel-3"}}}]}}}}
//! ```
//!
//! It is made from the finished classic dashboard, so that templates are written once. What has no place in v2 is an error.

use serde_json::{Map, Value, json};

/// What Grafana offers where a dashboard says nothing.
const INTERVALS: [&str; 10] = [
    "5s", "10s", "30s", "1m", "5m", "15m", "30m", "1h", "2h", "1d",
];

/// A part of a classic dashboard, of which each field is taken once.
struct Part {
    what: String,
    fields: Map<String, Value>,
}

impl Part {
    fn new(what: impl Into<String>, value: Value) -> Result<Self, String> {
        let what = what.into();
        match value {
            Value::Object(fields) => Ok(Self { what, fields }),
            _ => Err(format!("{what} is not an object")),
        }
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.shift_remove(field)
    }

    /// A field that must be there.
    fn need(&mut self, field: &str) -> Result<Value, String> {
        let missing = || format!("{} has no `{field}`", self.what);
        self.fields.shift_remove(field).ok_or_else(missing)
    }

    fn text(&mut self, field: &str) -> String {
        match self.take(field) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        }
    }

    fn list(&mut self, field: &str) -> Vec<Value> {
        match self.take(field) {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        }
    }

    fn whole(&mut self, field: &str) -> Result<i64, String> {
        let wrong = format!("{}: `{field}` must be a whole number", self.what);
        self.need(field)?.as_i64().ok_or(wrong)
    }

    /// Moves a field under its own name, if it is there.
    fn carry(&mut self, field: &str, to: &mut Value) {
        if let Some(value) = self.take(field) {
            to[field] = value;
        }
    }

    /// What is left has no place.
    fn end(self) -> Result<(), String> {
        match self.fields.keys().next() {
            None => Ok(()),
            Some(field) => Err(format!("{}: `{field}` has no place in v2", self.what)),
        }
    }
}

/// The resource: the dashboard under its `uid`, in a folder.
pub(super) fn resource(classic: Value, folder: &str) -> Result<Value, String> {
    let mut board = Part::new("the dashboard", classic)?;
    let uid = board.need("uid")?;
    Ok(json!({
        "apiVersion": "dashboard.grafana.app/v2",
        "kind": "Dashboard",
        "metadata": {"name": uid, "annotations": {"grafana.app/folder": folder}},
        "spec": spec(board)?,
    }))
}

fn spec(mut board: Part) -> Result<Value, String> {
    let mut lists = Part::new("`annotations`", board.need("annotations")?)?;
    let annotations = all(lists.list("list"), annotation)?;
    lists.end()?;
    let mut lists = Part::new("`templating`", board.need("templating")?)?;
    let variables = all(lists.list("list"), variable)?;
    lists.end()?;
    let (elements, rows) = panels(board.list("panels"))?;
    let spec = json!({
        "title": board.text("title"),
        "description": board.text("description"),
        "tags": board.list("tags"),
        "editable": board.need("editable")?,
        "liveNow": board.need("liveNow")?,
        "preload": false,
        "cursorSync": word(&board.need("graphTooltip")?, &["Off", "Crosshair", "Tooltip"])?,
        "timeSettings": time(&mut board)?,
        "annotations": annotations,
        "links": board.list("links"),
        "variables": variables,
        "elements": elements,
        "layout": {"kind": "RowsLayout", "spec": {"rows": rows}},
    });
    // Says which classic schema it was.
    board.take("schemaVersion");
    board.end()?;
    Ok(spec)
}

fn all(list: Vec<Value>, one: fn(Value) -> Result<Value, String>) -> Result<Vec<Value>, String> {
    list.into_iter().map(one).collect()
}

/// The word for one of the numbers that classic dashboards use.
fn word<'w>(number: &Value, words: &[&'w str]) -> Result<&'w str, String> {
    let index = number.as_u64().and_then(|n| usize::try_from(n).ok());
    let word = index.and_then(|index| words.get(index));
    word.copied()
        .ok_or_else(|| format!("`{number}` has no word in v2"))
}

fn time(board: &mut Part) -> Result<Value, String> {
    let mut range = Part::new("`time`", board.need("time")?)?;
    let mut time = json!({
        "timezone": board.text("timezone"),
        "from": range.need("from")?,
        "to": range.need("to")?,
        "autoRefresh": board.text("refresh"),
        "autoRefreshIntervals": INTERVALS,
        "hideTimepicker": false,
        "fiscalYearStartMonth": board.need("fiscalYearStartMonth")?,
    });
    range.end()?;
    let start = board.text("weekStart");
    if !start.is_empty() {
        time["weekStart"] = start.into();
    }
    Ok(time)
}

/// A query of a data source: its type is the group, its `uid` the name.
fn query(source: Option<Value>, spec: Value) -> Result<Value, String> {
    let mut source = Part::new("`datasource`", source.unwrap_or_else(|| json!({})))?;
    let query = json!({
        "kind": "DataQuery",
        "group": source.need("type")?,
        "version": "v0",
        "datasource": {"name": source.need("uid")?},
        "spec": spec,
    });
    source.end()?;
    Ok(query)
}

fn annotation(value: Value) -> Result<Value, String> {
    let mut mark = Part::new("an annotation", value)?;
    let source = mark.take("datasource");
    // Grafana's own marks are found by their tags, those of Prometheus by a query.
    let asked = match mark.take("target") {
        Some(tags) => tags,
        None => json!({"refId": "Anno", "expr": mark.need("expr")?, "interval": mark.text("step")}),
    };
    let mut spec = json!({
        "name": mark.need("name")?,
        "enable": mark.need("enable")?,
        "hide": mark.need("hide")?,
        "iconColor": mark.need("iconColor")?,
        "query": query(source, asked)?,
    });
    // How the data source makes marks of the result: Grafana keeps these here.
    let mut options = json!({});
    for field in ["useValueForTime", "titleFormat", "textFormat"] {
        mark.carry(field, &mut options);
    }
    if options != json!({}) {
        spec["legacyOptions"] = options;
    }
    mark.end()?;
    Ok(json!({"kind": "AnnotationQuery", "spec": spec}))
}

fn variable(value: Value) -> Result<Value, String> {
    let mut variable = Part::new("a variable", value)?;
    let kind = variable.text("type");
    let source = variable.take("datasource");
    let asked = variable.text("query");
    let current = match variable.take("current") {
        Some(current) => {
            let mut current = Part::new("`current`", current)?;
            json!({"text": current.need("text")?, "value": current.need("value")?})
        }
        None => json!({"text": "", "value": ""}),
    };
    let mut spec = json!({
        "name": variable.need("name")?,
        "label": variable.text("label"),
        "current": current,
        "options": variable.list("options"),
        "hide": word(&variable.need("hide")?, &["dontHide", "hideLabel", "hideVariable"])?,
        "refresh": word(&variable.need("refresh")?, &["never", "onDashboardLoad", "onTimeRangeChanged"])?,
        "regex": variable.text("regex"),
        "multi": variable.need("multi")?,
        "includeAll": variable.need("includeAll")?,
        "skipUrlSync": variable.take("skipUrlSync") == Some(json!(true)),
        "allowCustomValue": true,
    });
    variable.carry("allValue", &mut spec);
    let kind = match kind.as_str() {
        "datasource" => {
            spec["pluginId"] = asked.into();
            "DatasourceVariable"
        }
        "query" => {
            variable.carry("definition", &mut spec);
            spec["sort"] = word(
                &variable.need("sort")?,
                &[
                    "disabled",
                    "alphabeticalAsc",
                    "alphabeticalDesc",
                    "numericalAsc",
                    "numericalDesc",
                ],
            )?
            .into();
            spec["query"] = query(source, json!({"refId": "A", "query": asked}))?;
            "QueryVariable"
        }
        other => return Err(format!("a variable of type `{other}` has no kind in v2")),
    };
    variable.end()?;
    Ok(json!({"kind": kind, "spec": spec}))
}

/// The elements by name, and the rows that place them.
fn panels(list: Vec<Value>) -> Result<(Map<String, Value>, Vec<Value>), String> {
    let mut elements = Map::new();
    let mut rows: Vec<Row> = Vec::new();
    for panel in list {
        let mut panel = Part::new("a panel", panel)?;
        if panel.fields.get("type") == Some(&json!("row")) {
            rows.push(Row::new(panel, &mut elements)?);
            continue;
        }
        // What follows a closed row is not inside it.
        if rows.last().is_none_or(|row| row.closed) {
            rows.push(Row::without_heading(&mut panel)?);
        }
        if let Some(row) = rows.last_mut() {
            row.place(panel, &mut elements)?;
        }
    }
    Ok((elements, rows.into_iter().map(Row::finish).collect()))
}

struct Row {
    spec: Value,
    /// First line of its panels on the dashboard.
    top: i64,
    closed: bool,
    items: Vec<Value>,
}

impl Row {
    fn new(mut panel: Part, elements: &mut Map<String, Value>) -> Result<Self, String> {
        let closed = panel.take("collapsed") == Some(json!(true));
        let mut spec = json!({"title": panel.text("title"), "collapse": closed});
        if let Some(label) = panel.take("repeat") {
            spec["repeat"] = json!({"mode": "variable", "value": label});
        }
        let mut place = Part::new("`gridPos`", panel.need("gridPos")?)?;
        let mut row = Self {
            spec,
            top: place.whole("y")? + 1,
            closed,
            items: Vec::new(),
        };
        for inner in panel.list("panels") {
            row.place(Part::new("a panel", inner)?, elements)?;
        }
        // A row has neither a kind nor a number of its own in v2.
        panel.take("type");
        panel.take("id");
        panel.end()?;
        Ok(row)
    }

    /// A row for what is below no heading.
    fn without_heading(first: &mut Part) -> Result<Self, String> {
        let place = first
            .fields
            .get("gridPos")
            .and_then(|place| place["y"].as_i64());
        Ok(Self {
            spec: json!({"hideHeader": true}),
            top: place.ok_or("a panel has no `gridPos`")?,
            closed: false,
            items: Vec::new(),
        })
    }

    fn place(&mut self, mut panel: Part, elements: &mut Map<String, Value>) -> Result<(), String> {
        let mut place = Part::new("`gridPos`", panel.need("gridPos")?)?;
        let id = panel.whole("id")?;
        let name = format!("panel-{id}");
        self.items.push(json!({"kind": "GridLayoutItem", "spec": {
            "x": place.whole("x")?,
            "y": place.whole("y")? - self.top,
            "width": place.whole("w")?,
            "height": place.whole("h")?,
            "element": {"kind": "ElementReference", "name": name},
        }}));
        elements.insert(name, element(id, panel)?);
        Ok(())
    }

    fn finish(mut self) -> Value {
        self.spec["layout"] = json!({"kind": "GridLayout", "spec": {"items": self.items}});
        json!({"kind": "RowsLayoutRow", "spec": self.spec})
    }
}

fn element(id: i64, mut panel: Part) -> Result<Value, String> {
    panel.what = format!("panel {id}");
    // Each query names its own.
    panel.take("datasource");
    let mut options = json!({});
    for field in ["interval", "timeFrom", "hideTimeOverride", "maxDataPoints"] {
        panel.carry(field, &mut options);
    }
    let mut spec = json!({
        "id": id,
        "title": panel.text("title"),
        "description": panel.text("description"),
        "links": all(panel.list("links"), link)?,
        "data": {"kind": "QueryGroup", "spec": {
            "queries": all(panel.list("targets"), target)?,
            "transformations": all(panel.list("transformations"), transformation)?,
            "queryOptions": options,
        }},
        "vizConfig": {"kind": "VizConfig", "group": panel.need("type")?, "version": "", "spec": {
            "options": panel.need("options")?,
            "fieldConfig": panel.need("fieldConfig")?,
        }},
    });
    panel.carry("transparent", &mut spec);
    panel.end()?;
    Ok(json!({"kind": "Panel", "spec": spec}))
}

/// Links of panels have only an address in v2.
fn link(value: Value) -> Result<Value, String> {
    let mut link = Part::new("a link", value)?;
    Ok(json!({
        "title": link.need("title")?,
        "url": link.need("url")?,
        "targetBlank": link.need("targetBlank")?,
    }))
}

fn target(value: Value) -> Result<Value, String> {
    let mut target = Part::new("a query", value)?;
    let source = target.take("datasource");
    let name = target.need("refId")?;
    let hidden = target.take("hide").unwrap_or(json!(false));
    let query = query(source, Value::Object(target.fields))?;
    Ok(json!({"kind": "PanelQuery", "spec": {"refId": name, "hidden": hidden, "query": query}}))
}

fn transformation(value: Value) -> Result<Value, String> {
    let mut step = Part::new("a transformation", value)?;
    let group = step.need("id")?;
    let mut spec = json!({});
    for field in ["options", "disabled", "filter", "topic"] {
        step.carry(field, &mut spec);
    }
    step.end()?;
    Ok(json!({"kind": "Transformation", "group": group, "spec": spec}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(panel: Value) -> Value {
        json!({
            "uid": "u", "title": "T", "tags": [], "editable": false, "liveNow": false, "graphTooltip": 1,
            "time": {"from": "now-3h", "to": "now"}, "fiscalYearStartMonth": 0, "weekStart": "monday",
            "annotations": {"list": []}, "templating": {"list": []}, "panels": [panel],
        })
    }

    fn text() -> Value {
        json!({
            "id": 1, "type": "text", "gridPos": {"x": 0, "y": 0, "w": 24, "h": 3},
            "options": {}, "fieldConfig": {},
        })
    }

    #[test]
    fn what_has_no_place_is_an_error() {
        let good = resource(board(text()), "f").expect("all has a place");
        assert_eq!(good["spec"]["timeSettings"]["weekStart"], "monday");
        assert_eq!(
            good["spec"]["layout"]["spec"]["rows"][0]["spec"]["hideHeader"],
            true
        );
        let wrong = |at: &str, field: &str, value: Value| {
            let mut classic = board(text());
            let place = classic.pointer_mut(at).and_then(Value::as_object_mut);
            place.expect("an object").insert(field.to_owned(), value);
            resource(classic, "f").expect_err(field)
        };
        for (at, field, value, why) in [
            (
                "",
                "style",
                json!("dark"),
                "the dashboard: `style` has no place in v2",
            ),
            ("", "graphTooltip", json!(7), "`7` has no word in v2"),
            (
                "/panels/0",
                "repeat",
                json!("pod"),
                "panel 1: `repeat` has no place in v2",
            ),
            (
                "/panels/0",
                "gridPos",
                json!({"y": 0}),
                "`gridPos` has no `x`",
            ),
            (
                "/panels/0",
                "targets",
                json!([{"refId": "A"}]),
                "`datasource` has no `type`",
            ),
            (
                "/templating",
                "list",
                json!([{"type": "adhoc"}]),
                "a variable has no `name`",
            ),
            ("/time", "raw", json!(1), "`time`: `raw` has no place in v2"),
        ] {
            assert_eq!(wrong(at, field, value), why);
        }
    }
}
