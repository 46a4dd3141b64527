//! What brings dashboards into Grafana: every format carries the same dashboards, and fits its schema.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};
use slosmith::target::{self, OutFile, Target};

use crate::project::Project;

const ALL: &str = "grafana: {provision: [operator, terraform, grizzly, v2]}\n";

const SMALL: &str = r#"apiVersion: slosmith/v1
service: {name: chat, title: 'A "service" ${x} %{y}'}
links: {runbooks: https://git.example/r, grafana: https://grafana.example/}
runtime: {vllm: ">=0.20, <0.34"}
kubernetes: {namespace: monitoring}
prometheus: {selector: {job: vllm}, group_by: [model_name]}
dashboards:
  overview:
    rows:
      - {title: Queue, panels: [{title: Waiting, signal: vllm.requests_waiting, thresholds: [{at: 50}]}]}
  1-more:
    rows:
      - {title: Each, repeat: model_name, panels: [{title: Running, kind: number, signal: vllm.requests_running}]}
      - {title: Closed, collapsed: true, panels: [{title: Now, kind: table, signal: vllm.requests_waiting}]}
grafana: {provision: [operator, terraform, grizzly, v2], selector: {team: chat}}
"#;

fn build(text: &str) -> Vec<OutFile> {
    let files = crate::bundled::build_for(text, None, Target::Grafana);
    target::validate(Target::Grafana, &files).expect("fits its schemas");
    files
}

/// The bundled specs and a small one, each in all formats; built once.
fn folders() -> &'static [Vec<OutFile>] {
    static BUILT: LazyLock<Vec<Vec<OutFile>>> = LazyLock::new(|| {
        let version = "apiVersion: slosmith/v1\n";
        let with = |spec: String| spec.replacen(version, &format!("{version}{ALL}"), 1);
        let bundled = crate::bundled::SPECS.map(|name| with(crate::bundled::spec(name)));
        let texts = bundled.iter().map(String::as_str).chain([SMALL]);
        texts.map(build).collect()
    });
    &BUILT
}

fn value(file: &OutFile) -> Value {
    slosmith::yaml::read(Default::default(), &file.text).expect("YAML")
}

fn under<'f>(files: &'f [OutFile], folder: &str) -> BTreeMap<&'f str, Value> {
    let below = |file: &'f OutFile| {
        let name = file.path.strip_prefix("grafana/")?.strip_prefix(folder)?;
        (!name.ends_with(".lint")).then(|| (name, value(file)))
    };
    files.iter().filter_map(below).collect()
}

#[test]
fn each_format_is_as_written_down() {
    let files = build(SMALL);
    let shown = files.iter().filter(|file| {
        let path = file.path.trim_start_matches("grafana/");
        let whole = [
            "dashboards/",
            "configmaps/",
            "provisioning/",
            "grizzly/dashboards/",
        ];
        !whole.iter().any(|folder| path.starts_with(folder))
    });
    let shown = shown.map(|file| format!("==> {}\n{}", file.path, file.text));
    insta::assert_snapshot!(shown.collect::<String>());
}

#[test]
fn without_a_choice_nothing_is_added() {
    let of = |files: Vec<OutFile>| -> Vec<(String, String)> {
        files.into_iter().map(|f| (f.path, f.text)).collect()
    };
    let (spec, choice) = SMALL.split_at(SMALL.find("grafana: {prov").expect("the choice"));
    assert!(choice.starts_with("grafana"));
    let plain = of(build(spec));
    let mut chosen = of(build(SMALL));
    let added = ["operator", "terraform", "grizzly", "v2"].map(|name| format!("grafana/{name}/"));
    chosen.retain(|(path, _)| {
        path != "grafana/references.yaml" && !added.iter().any(|folder| path.starts_with(folder))
    });
    assert_eq!(plain, chosen);
    assert!(plain.iter().all(|(path, _)| !path.contains("operator")));
}

#[test]
#[ignore = "ci"]
fn references_lead_to_the_dashboards() {
    for files in folders() {
        let boards = under(files, "dashboards/");
        let maps = under(files, "configmaps/");
        let folder = &under(files, "operator/folder")[".yaml"];
        let mut seen = 0;
        for (name, resource) in under(files, "operator/dashboards/") {
            let spec = &resource["spec"];
            assert_eq!(spec["folderRef"], folder["metadata"]["name"]);
            let map = &maps[name];
            let (at, wanted) = (&map["metadata"], &resource["metadata"]);
            assert_eq!(spec["configMapRef"]["name"], at["name"]);
            assert_eq!(at["namespace"], wanted["namespace"]);
            let key = spec["configMapRef"]["key"].as_str().expect("a key");
            let held: Value =
                serde_json::from_str(map["data"][key].as_str().expect("JSON")).unwrap();
            assert_eq!(held, boards[&*name.replace(".yaml", ".json")]);
            seen += 1;
        }
        assert_eq!(seen, boards.len());
        let module = &under(files, "terraform/")["main.tf.json"];
        let resources = module["resource"]["grafana_dashboard"].as_object().unwrap();
        assert_eq!(resources.len(), boards.len());
        for (name, resource) in resources {
            let name = name.trim_start_matches('_');
            let wanted = format!("${{file(\"${{path.module}}/../dashboards/{name}.json\")}}");
            assert_eq!(resource["config_json"], wanted);
            assert!(boards.contains_key(&*format!("{name}.json")));
        }
        let held = under(files, "grizzly/dashboards/");
        assert_eq!(held.len(), boards.len());
        for (name, resource) in held {
            assert_eq!(resource["spec"], boards[name]);
            assert_eq!(resource["metadata"]["name"], boards[name]["uid"]);
        }
    }
}

/// Every panel of a classic dashboard by its number; rows too.
fn classic(board: &Value) -> Vec<&Value> {
    let top = board["panels"].as_array().expect("panels").iter();
    top.flat_map(|panel| {
        let inside = panel["panels"].as_array().into_iter().flatten();
        std::iter::once(panel).chain(inside)
    })
    .collect()
}

#[test]
fn v2_has_the_same_panels_and_queries() {
    for files in folders() {
        let boards = under(files, "dashboards/");
        let resources = under(files, "v2/dashboards.v2.dashboard.grafana.app/");
        assert_eq!(resources.len(), boards.len());
        for board in boards.values() {
            let uid = board["uid"].as_str().expect("a uid");
            let resource = &resources[&*format!("{uid}.json")];
            assert_eq!(resource["metadata"]["name"], uid);
            let spec = &resource["spec"];
            let elements = spec["elements"].as_object().expect("elements");
            let panels = classic(board);
            let (rows, panels): (Vec<_>, Vec<_>) =
                panels.into_iter().partition(|panel| panel["type"] == "row");
            assert_eq!(elements.len(), panels.len());
            for panel in panels {
                let element = &elements[&format!("panel-{}", panel["id"])]["spec"];
                let asked = element["data"]["spec"]["queries"]
                    .as_array()
                    .unwrap()
                    .iter();
                let asked: Vec<_> = asked
                    .map(|query| {
                        let inner = &query["spec"]["query"];
                        assert_eq!(inner["datasource"]["name"], "${datasource}");
                        (&query["spec"]["refId"], &inner["spec"]["expr"])
                    })
                    .collect();
                let wanted = panel["targets"].as_array().into_iter().flatten();
                let wanted: Vec<_> = wanted.map(|t| (&t["refId"], &t["expr"])).collect();
                assert_eq!(asked, wanted);
                let config = &element["vizConfig"];
                assert_eq!(config["group"], panel["type"]);
                for field in ["options", "fieldConfig"] {
                    assert_eq!(config["spec"][field], panel[field]);
                }
                for field in ["title", "description"] {
                    assert_eq!(element[field].as_str(), panel[field].as_str().or(Some("")));
                }
            }
            placed(spec, board, &rows);
            let marks = |list: &Value, at: &str| -> Vec<Value> {
                let list = list.as_array().expect("a list").iter();
                list.map(|mark| mark.pointer(at).expect(at).clone())
                    .collect()
            };
            let asked = |mark: &Value, at: &str, field: &str| -> Value {
                mark.pointer(at)
                    .map_or(Value::Null, |asked| asked[field].clone())
            };
            for (mark, classic) in std::iter::zip(
                marks(&spec["annotations"], "/spec"),
                marks(&board["annotations"]["list"], ""),
            ) {
                assert_eq!(mark["name"], classic["name"]);
                assert_eq!(asked(&mark, "/query/spec", "expr"), classic["expr"]);
                let tags = asked(&classic, "/target", "tags");
                assert_eq!(asked(&mark, "/query/spec", "tags"), tags);
            }
            let variables = marks(&board["templating"]["list"], "/name");
            assert_eq!(marks(&spec["variables"], "/spec/name"), variables);
        }
    }
}

/// The layout places every element once, where the classic dashboard has it: rows in order, panels below their row.
fn placed(spec: &Value, board: &Value, headings: &[&Value]) {
    let rows = spec["layout"]["spec"]["rows"].as_array().expect("rows");
    let titles = rows.iter().filter_map(|row| row["spec"].get("title"));
    let wanted = headings.iter().map(|row| &row["title"]);
    assert!(titles.eq(wanted));
    let mut places = BTreeMap::new();
    for row in rows {
        let heading = headings
            .iter()
            .find(|h| row["spec"].get("title") == Some(&h["title"]));
        let repeat = heading.and_then(|h| h.get("repeat"));
        assert_eq!(row["spec"].pointer("/repeat/value"), repeat);
        for item in row["spec"]["layout"]["spec"]["items"]
            .as_array()
            .expect("items")
        {
            let item = &item["spec"];
            let top = heading.map(|h| h["gridPos"]["y"].as_i64().unwrap() + 1);
            let place = (
                item["x"].as_i64(),
                top.map(|top| top + item["y"].as_i64().unwrap()),
                item["width"].as_i64(),
                item["height"].as_i64(),
            );
            let name = item["element"]["name"].as_str().expect("a name");
            assert_eq!(places.insert(name.to_owned(), place), None, "{name}");
        }
    }
    let panels = classic(board).into_iter().filter(|p| p["type"] != "row");
    let mut count = 0;
    for panel in panels {
        let at = |field: &str| panel["gridPos"][field].as_i64();
        let (x, y, w, h) = places[&format!("panel-{}", panel["id"])];
        assert_eq!((x, w, h), (at("x"), at("w"), at("h")));
        assert!(y.is_none() || y == at("y"), "{panel}");
        count += 1;
    }
    assert_eq!(places.len(), count);
}

#[test]
fn the_linter_finds_the_same_in_every_format() {
    let project = Project::empty();
    for file in build(SMALL) {
        project.write(&file.path, &file.text);
    }
    let formats = [
        "grafana/dashboards/overview.json",
        "grafana/grizzly/dashboards/overview.json",
        "grafana/v2/dashboards.v2.dashboard.grafana.app/chat.json",
    ];
    let findings = |path: &str| {
        let ran = project.run(&["lint", path, "--format", "json", "--vllm", ">=0.20, <0.34"]);
        let report: Value = serde_json::from_str(&ran.out).expect("a report");
        let codes = report["findings"].as_array().expect("findings").iter();
        let codes = codes.map(|found| found["rule"].as_str().expect("a code").to_owned());
        codes.collect::<Vec<_>>()
    };
    for path in formats {
        assert_eq!(findings(path), [""; 0], "{path}");
        project.edit(
            path,
            "vllm:num_requests_waiting",
            "vllm:num_requests_wating",
        );
    }
    let wrong = formats.map(findings);
    assert!(
        wrong[0].iter().any(|code| code == "unknown-metric"),
        "{wrong:?}"
    );
    assert_eq!((&wrong[1], &wrong[2]), (&wrong[0], &wrong[0]));
}

#[test]
fn what_is_wrong_fails_its_schema() {
    let files = build(SMALL);
    let fails = |path: &str, pointer: &str, value: Option<Value>| {
        let path = format!("grafana/{path}");
        let file = files.iter().find(|f| f.path == path).expect("a file");
        let mut wrong: Value = slosmith::yaml::read(Default::default(), &file.text).unwrap();
        let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
        let parent = wrong.pointer_mut(parent).expect("a place");
        let parent = parent.as_object_mut().expect("an object");
        match value {
            Some(value) => parent.insert(field.to_owned(), value),
            None => Some(parent.remove(field).expect("a field")),
        };
        let text = wrong.to_string();
        let wrong = [OutFile { path, text }];
        let found = target::validate(Target::Grafana, &wrong);
        assert!(found.is_err(), "{pointer} of {}", wrong[0].path);
    };
    let uid = || Some(json!("not a uid"));
    let board = "operator/dashboards/overview.yaml";
    fails(board, "/spec/instanceSelector", None);
    fails(board, "/spec/folderUid", Some(json!("chat")));
    fails(board, "/spec/configMapRef/key", None);
    fails(
        board,
        "/apiVersion",
        Some(json!("integreatly.org/v1alpha1")),
    );
    fails(board, "/metadata/name", Some(json!("A_b")));
    fails("operator/folder.yaml", "/spec/uid", uid());
    fails(
        "operator/folder.yaml",
        "/kind",
        Some(json!("GrafanaDashboard")),
    );
    let module = "terraform/main.tf.json";
    fails(
        module,
        "/resource/grafana_dashboard/1",
        Some(json!({"config_json": "{}"})),
    );
    fails(
        module,
        "/resource/grafana_dashboard/overview/config_json",
        None,
    );
    fails(
        module,
        "/resource/grafana_dashboard/overview/folder_uid",
        Some(json!("x")),
    );
    fails(module, "/resource/grafana_folder/service/title", None);
    fails(
        module,
        "/terraform/required_providers/grafana/source",
        Some(json!("hashicorp/grafana")),
    );
    fails("grizzly/folder.json", "/metadata/name", uid());
    fails("grizzly/dashboards/overview.json", "/metadata/folder", None);
    fails(
        "grizzly/dashboards/overview.json",
        "/kind",
        Some(json!("DashboardFolder")),
    );
    fails(
        "v2/folders.v1.folder.grafana.app/chat_folder.json",
        "/spec/title",
        None,
    );
    let board = "v2/dashboards.v2.dashboard.grafana.app/chat.json";
    fails(
        board,
        "/apiVersion",
        Some(json!("dashboard.grafana.app/v1")),
    );
    fails(board, "/spec/cursorSync", Some(json!(1)));
    fails(board, "/spec/uid", Some(json!("chat")));
    fails(board, "/spec/layout/kind", Some(json!("Rows")));
    fails(board, "/spec/timeSettings/refresh", Some(json!("30s")));
    let text = files
        .iter()
        .find(|f| f.path.ends_with(board))
        .expect("a file");
    let shown: Value = serde_json::from_str(&text.text).expect("JSON");
    let elements = shown["spec"]["elements"].as_object().expect("elements");
    let panel = elements.keys().next().expect("a panel");
    let element = |field: &str| format!("/spec/elements/{panel}/spec{field}");
    fails(board, &element("/description"), None);
    fails(board, &element("/gridPos"), Some(json!({})));
    fails(
        board,
        &element("/data/spec/queries"),
        Some(json!([{"refId": "A"}])),
    );
    fails(
        board,
        &element("/vizConfig/spec/fieldConfig/defaults/colour"),
        Some(json!("red")),
    );
}
