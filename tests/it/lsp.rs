//! `slosmith lsp`, driven as an editor drives it.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::project::Project;

const RULES: &str = "\
groups:
  - name: vllm
    rules:
      - alert: CacheFull
        expr: vllm:gpu_cache_usage_perc > 0.95 # \u{1d11e} é
        annotations: {runbook_url: https://runbooks.example/cache}
";

const SPEC: &str = "\
apiVersion: slosmith/v1
service: {name: chat, owner: inference}
runtime: {vllm: \">=0.20, <0.34\"}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
signals:
  queue: {use: vllm.requests_waiting}
  share: {ratio: {of: queue, over: vllm.requests_running}}
alerts:
  Overflow:
    severity: critical
    when: {signal: 'queue', above: 80}
    for: 2m
    runbook: full
runbooks:
  full:
    title: The queue is full
    steps: [{id: queue, when: {signal: queue, above: 10}, cause: load, fix: scale}]
    fixes: {scale: {do: [add replicas]}}
";

struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    root: String,
    last: i32,
    /// The newest findings by URI.
    found: BTreeMap<String, Value>,
}

impl Editor {
    fn open(project: &Project, encodings: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_slosmith"))
            .args(["lsp", "--stdio"])
            .current_dir(project.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("a pipe"));
        let root = url::Url::from_file_path(project.path("")).expect("a path");
        let root = root.as_str().trim_end_matches('/').to_owned();
        let mut editor = Self {
            child,
            input,
            output: BufReader::new(output),
            root: root.clone(),
            last: 0,
            found: BTreeMap::new(),
        };
        let told = editor.ask(
            "initialize",
            json!({
                "processId": null, "rootUri": root,
                "capabilities": {"general": {"positionEncodings": encodings}}
            }),
        );
        assert_eq!(told["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: Message) {
        let input = self.input.as_mut().expect("open");
        message.write(input).expect("the server reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params).into());
    }

    /// The answer to a request; findings that arrive before it are kept.
    fn asked(&mut self, method: &str, params: Value) -> Response {
        self.last += 1;
        self.send(Request::new(self.last.into(), method.to_owned(), params).into());
        match self.receive() {
            Message::Response(response) => {
                assert_eq!(response.id, self.last.into());
                response
            }
            other => panic!("{other:?}"),
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.asked(method, params);
        assert!(response.error.is_none(), "{:?}", response.error);
        response.result.unwrap_or_default()
    }

    /// The next message that is not about findings.
    fn receive(&mut self) -> Message {
        loop {
            let message = Message::read(&mut self.output)
                .expect("a message")
                .expect("no end");
            match message {
                Message::Notification(told) if told.method == "textDocument/publishDiagnostics" => {
                    let uri = told.params["uri"].as_str().expect("a URI").to_owned();
                    self.found.insert(uri, told.params["diagnostics"].clone());
                }
                other => return other,
            }
        }
    }

    fn uri(&self, file: &str) -> String {
        format!("{}/{file}", self.root)
    }

    fn show(&mut self, file: &str, text: &str) {
        let uri = self.uri(file);
        self.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": text}}),
        );
    }

    /// Says what happened to a file: `didSave`, `didClose`.
    fn file(&mut self, what: &str, file: &str) {
        let uri = self.uri(file);
        self.tell(
            &format!("textDocument/{what}"),
            json!({"textDocument": {"uri": uri}}),
        );
    }

    fn save(&mut self, project: &Project, file: &str, text: &str) {
        project.write(file, text);
        self.file("didSave", file);
    }

    /// Findings of a file, once everything sent so far was worked on.
    fn found(&mut self, file: &str) -> Value {
        self.asked("nothing/known", json!({}));
        self.found[&self.uri(file)].clone()
    }

    /// What is asked of the place in front of `|` in a text.
    fn at(&mut self, method: &str, file: &str, marked: &str, more: Value) -> Response {
        let (before, after) = marked.split_once('|').expect("a place");
        let uri = self.uri(file);
        self.tell(
            "textDocument/didChange",
            json!({
                "textDocument": {"uri": uri, "version": 2},
                "contentChanges": [{"text": format!("{before}{after}")}]
            }),
        );
        let line = before.matches('\n').count();
        let column = before
            .rsplit('\n')
            .next()
            .expect("a line")
            .encode_utf16()
            .count();
        let mut params =
            json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": column}});
        let fields = params.as_object_mut().expect("fields");
        fields.extend(more.as_object().expect("fields").clone());
        self.asked(method, params)
    }

    fn labels(&mut self, file: &str, marked: &str) -> Vec<String> {
        let items = self
            .at("textDocument/completion", file, marked, json!({}))
            .result;
        let items = items.expect("items");
        let labels = items.as_array().expect("a list").iter();
        labels
            .map(|item| item["label"].as_str().expect("a label").to_owned())
            .collect()
    }

    fn end(mut self) {
        self.ask("shutdown", json!(null));
        self.tell("exit", json!(null));
        drop(self.input.take());
        assert!(self.child.wait().expect("an end").success());
    }
}

/// A text with edits, which come in the units of UTF-16.
fn edited(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| {
        let line = at["line"].as_u64().expect("a line") as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let units = at["character"].as_u64().expect("a column") as usize;
        let mut before = 0;
        let chars = text[start..].chars().take_while(|c| {
            before += c.len_utf16();
            before <= units
        });
        start + chars.map(char::len_utf8).sum::<usize>()
    };
    let edits = edits.as_array().expect("a list").iter().map(|edit| {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        (range, edit["newText"].as_str().expect("a text"))
    });
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut text = text.to_owned();
    for (range, new) in edits.into_iter().rev() {
        text.replace_range(range, new);
    }
    text
}

#[test]
fn findings_and_their_fixes() {
    let project = Project::empty();
    // Only on releases that somebody names is a new name certain.
    project.write("slosmith.toml", "vllm = \"0.33.0\"\n");
    let mut editor = Editor::open(&project, &["utf-16"]);
    editor.show("rules.yaml", RULES);
    let found = editor.found("rules.yaml");
    assert_eq!(found[0]["code"], "removed-metric", "{found:#}");
    let href = found[0]["codeDescription"]["href"].as_str();
    assert!(href.is_some_and(|href| href.contains("/removed_metric/")));
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(
        found[0]["range"]["start"],
        json!({"line": 4, "character": 14})
    );
    assert_eq!(found.as_array().expect("a list").len(), 1);

    let uri = editor.uri("rules.yaml");
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": {"uri": uri}, "context": {"diagnostics": []},
            "range": {"start": {"line": 4, "character": 20}, "end": {"line": 4, "character": 20}}
        }),
    );
    assert_eq!(actions[0]["isPreferred"], true, "{actions:#}");
    assert_eq!(actions[1]["kind"], "source.fixAll.slosmith");
    project.write("rules.yaml", RULES);
    project.run(&["lint", "--fix", "rules.yaml"]).exits(0);
    for action in actions.as_array().expect("a list") {
        let edits = &action["edit"]["changes"][&uri];
        assert_eq!(edited(RULES, edits), project.read("rules.yaml"));
    }
    // A closed file has no findings.
    editor.file("didClose", "rules.yaml");
    assert_eq!(editor.found("rules.yaml"), json!([]));
    editor.end();
}

#[test]
fn what_a_name_is() {
    let project = Project::empty();
    let mut editor = Editor::open(&project, &[]);
    editor.show("rules.yaml", RULES);
    let marked = RULES.replace("gpu_cache", "gpu_|cache");
    let hover = editor.at("textDocument/hover", "rules.yaml", &marked, json!({}));
    let said = hover.result.expect("an answer")["contents"]["value"].to_string();
    for words in [
        "vllm:gpu_cache_usage_perc",
        "gauge",
        "vllm:kv_cache_usage_perc",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let marked = SPEC.replace("vllm.requests_waiting", "vllm.requests|_waiting");
    editor.show("chat.yaml", SPEC);
    let hover = editor.at("textDocument/hover", "chat.yaml", &marked, json!({}));
    let said = hover.result.expect("an answer")["contents"]["value"].to_string();
    assert!(said.contains("vllm:num_requests_waiting"), "{said}");
    let nothing = RULES.replace("groups", "gro|ups");
    let nothing = editor.at("textDocument/hover", "rules.yaml", &nothing, json!({}));
    assert!(nothing.error.is_none() && nothing.result.is_none());
    editor.end();
}

#[test]
fn names_that_fit() {
    let project = Project::empty();
    let mut editor = Editor::open(&project, &[]);
    editor.show("rules.yaml", RULES);
    let rules = |expr: &str| RULES.replace("vllm:gpu_cache_usage_perc > 0.95", expr);
    let metrics = editor.labels("rules.yaml", &rules("vllm:time_to_first|"));
    assert_eq!(
        metrics,
        ["_bucket", "_sum", "_count"].map(|end| format!("vllm:time_to_first_token_seconds{end}"))
    );
    let labels = editor.labels(
        "rules.yaml",
        &rules("vllm:request_success_total{model_name='a', |}"),
    );
    assert!(labels.contains(&"finished_reason".to_owned()), "{labels:?}");
    let values = editor.labels(
        "rules.yaml",
        &rules("vllm:request_success_total{finished_reason=\"|\"}"),
    );
    assert!(values.contains(&"stop".to_owned()), "{values:?}");
    let bounds = editor.labels(
        "rules.yaml",
        &rules("vllm:time_to_first_token_seconds_bucket{le='|'}"),
    );
    assert!(bounds.contains(&"2.5".to_owned()), "{bounds:?}");

    editor.show("chat.yaml", SPEC);
    let marked = SPEC.replace("signal: 'queue'", "signal: 'q|'");
    let signals = editor.labels("chat.yaml", &marked);
    assert_eq!(signals[..2], ["queue", "share"]);
    for built_in in [
        "vllm.kv_cache_usage",
        "sglang.kv_cache_usage",
        "llm.kv_cache_usage",
    ] {
        assert!(signals.contains(&built_in.to_owned()), "{signals:?}");
    }
    editor.end();
}

#[test]
fn names_of_a_spec_are_found_and_changed() {
    let project = Project::empty();
    let mut editor = Editor::open(&project, &[]);
    editor.show("chat.yaml", SPEC);
    let found = editor.found("chat.yaml");
    assert_eq!(found, json!([]));
    let marked = SPEC.replace("of: queue", "of: que|ue");
    let place = editor.at("textDocument/definition", "chat.yaml", &marked, json!({}));
    let place = place.result.expect("a place");
    assert_eq!(
        place["range"]["start"],
        json!({"line": 5, "character": 2}),
        "{place:#}"
    );

    let renamed = editor.at(
        "textDocument/rename",
        "chat.yaml",
        &marked,
        json!({"newName": "waiting"}),
    );
    let uri = editor.uri("chat.yaml");
    let edits = &renamed.result.expect("edits")["changes"][&uri];
    // The step of the runbook has the same name and is something else.
    let wanted = SPEC
        .replace("queue: {use", "waiting: {use")
        .replace("of: queue", "of: waiting")
        .replace("signal: 'queue'", "signal: 'waiting'")
        .replace("signal: queue", "signal: waiting");
    assert_eq!(edited(SPEC, edits), wanted);
    editor.show("chat.yaml", &wanted);
    assert_eq!(editor.found("chat.yaml"), json!([]));

    for name in ["share", "a b", ""] {
        let refused = editor.at(
            "textDocument/rename",
            "chat.yaml",
            &marked,
            json!({"newName": name}),
        );
        assert!(refused.error.is_some(), "{name}");
    }
    let step = SPEC.replace("id: queue", "id: qu|eue");
    let step = editor.at("textDocument/prepareRename", "chat.yaml", &step, json!({}));
    assert!(step.error.is_none() && step.result.is_none());
    editor.end();
}

/// Labels that a spec of the folder declares are no finding, also after the spec was saved.
#[test]
fn specs_of_the_folder_count() {
    let project = Project::empty();
    project.write("slosmith.toml", "labels = [\"cluster\"]\n");
    project.write("specs/chat.yaml", SPEC);
    let rules = RULES.replace(
        "vllm:gpu_cache_usage_perc > 0.95",
        "vllm:num_requests_waiting{region='eu'} > 5",
    );
    let mut editor = Editor::open(&project, &[]);
    editor.show("rules.yaml", &rules);
    let found = editor.found("rules.yaml");
    assert_eq!(found[0]["code"], "unknown-label", "{found:#}");
    let declared = format!("{SPEC}prometheus: {{scrape_labels: [region]}}\n");
    editor.save(&project, "specs/chat.yaml", &declared);
    assert_eq!(editor.found("rules.yaml"), json!([]));
    editor.end();
}

/// Behind a sign that no name begins with, nothing fits, and nothing breaks.
#[test]
fn places_without_a_name() {
    let project = Project::empty();
    let mut editor = Editor::open(&project, &[]);
    editor.show("rules.yaml", RULES);
    for marked in ["clamp_max(x,|-1)", "x > |.5", "|--", "{|", "é|𝄞", "|"] {
        let marked = RULES.replace("vllm:gpu_cache_usage_perc > 0.95", marked);
        assert_eq!(editor.labels("rules.yaml", &marked), [""; 0], "{marked}");
        for method in ["hover", "definition", "prepareRename"] {
            let method = format!("textDocument/{method}");
            let said = editor.at(&method, "rules.yaml", &marked, json!({}));
            assert!(said.error.is_none() && said.result.is_none(), "{marked}");
        }
    }
    editor.end();
}

/// An alias repeats the name that it stands for: one edit changes both.
#[test]
fn what_an_alias_repeats_is_changed_once() {
    let project = Project::empty();
    let mut editor = Editor::open(&project, &[]);
    let spec = SPEC
        .replace(
            "when: {signal: 'queue', above: 80}",
            "when: &full {signal: queue, above: 80}",
        )
        .replace("when: {signal: queue, above: 10}", "when: *full")
        + "  other:\n    title: Another\n    related: [full]\n    steps: [{id: a, cause: b}]\n";
    editor.show("chat.yaml", &spec);
    let marked = spec.replace("of: queue", "of: que|ue");
    let renamed = editor.at(
        "textDocument/rename",
        "chat.yaml",
        &marked,
        json!({"newName": "waiting"}),
    );
    let uri = editor.uri("chat.yaml");
    let edits = &renamed.result.expect("edits")["changes"][&uri];
    assert_eq!(edits.as_array().expect("a list").len(), 3, "{edits:#}");
    let marked = spec.replace("  full:", "  fu|ll:");
    let renamed = editor.at(
        "textDocument/rename",
        "chat.yaml",
        &marked,
        json!({"newName": "crowded"}),
    );
    let edits = &renamed.result.expect("edits")["changes"][&uri];
    assert!(
        edited(&spec, edits).contains("related: [crowded]"),
        "{edits:#}"
    );
    for name in ["Full", &"x".repeat(300)] {
        let refused = editor.at(
            "textDocument/rename",
            "chat.yaml",
            &marked,
            json!({"newName": name}),
        );
        assert!(refused.error.is_some(), "{name}");
    }
    editor.end();
}

/// What the configuration leaves out has no findings, nor what is not slosmith's; a wrong configuration is told.
#[test]
fn the_configuration_counts() {
    let project = Project::empty();
    project.write(
        "slosmith.toml",
        "exclude = [\"generated\"]\nignore = [\"no-such-rule\"]\n",
    );
    let mut editor = Editor::open(&project, &[]);
    editor.show("generated/rules.yaml", RULES);
    assert_eq!(editor.found("generated/rules.yaml"), json!([]));
    editor.show("package.json", "{\"name\": ");
    assert_eq!(editor.found("package.json"), json!([]));
    editor.show("rules.yaml", RULES);
    let found = editor.found("rules.yaml");
    assert_eq!(found.as_array().expect("a list").len(), 1, "{found:#}");
    editor.save(&project, "slosmith.toml", "profiles = [\"lorra\"]\n");
    let found = editor.found("rules.yaml");
    assert!(
        found[1]["message"].to_string().contains("lorra"),
        "{found:#}"
    );
    editor.end();
}

/// A file that nobody can read ends no session, and says what is wrong while it is so.
#[test]
fn half_written_files_are_told_and_forgotten() {
    let project = Project::empty();
    let mut editor = Editor::open(&project, &["utf-8"]);
    for (end, _) in SPEC.char_indices().step_by(37) {
        editor.show("chat.yaml", &SPEC[..end]);
        let _ = editor.found("chat.yaml");
    }
    editor.show("chat.yaml", &SPEC.replace("above: 80", "above: 80ms"));
    let found = editor.found("chat.yaml");
    assert_eq!(found[0]["range"]["start"]["line"], 10, "{found:#}");
    editor.show("chat.yaml", SPEC);
    assert_eq!(editor.found("chat.yaml"), json!([]));
    editor.end();
}

/// What is no message of the protocol gets an error, and the session goes on.
#[test]
fn what_is_no_message_ends_no_session() {
    use std::io::{BufRead, Read, Write};
    let project = Project::empty();
    let mut editor = Editor::open(&project, &["utf-8"]);
    for body in ["[]", "[{}]", "{", "7", "\u{e9}"] {
        let input = editor.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("written");
        let mut header = String::new();
        while !header.ends_with("\r\n\r\n") {
            assert_ne!(
                editor.output.read_line(&mut header).expect("a line"),
                0,
                "{body}"
            );
        }
        let length = header.trim().rsplit(' ').next().expect("a length");
        let mut answer = vec![0; length.parse().expect("a number")];
        editor.output.read_exact(&mut answer).expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert!(
            answer["id"].is_null() && answer["error"]["code"].is_i64(),
            "{answer}"
        );
    }
    editor.show("chat.yaml", SPEC);
    assert_eq!(editor.found("chat.yaml"), json!([]));
    editor.end();
    // What is announced is not there: the server ends as at any other end, and takes no memory for it.
    let mut editor = Editor::open(&project, &["utf-8"]);
    let input = editor.input.as_mut().expect("open");
    write!(input, "Content-Length: {}\r\n\r\n{{}}", u64::MAX).expect("written");
    drop(editor.input.take());
    assert_eq!(editor.child.wait().expect("an end").code(), Some(1));
}

/// A name that no generated name can be made of takes neither the session nor the other files with it.
#[test]
fn long_names_of_any_letters_are_findings() {
    let project = Project::empty();
    let long = SPEC.replace("name: chat", &format!("name: {}", "é".repeat(24)));
    let mut editor = Editor::open(&project, &["utf-8"]);
    editor.show("chat.yaml", &long);
    let found = editor.found("chat.yaml");
    assert_eq!(found[0]["code"], "bad-name", "{found:#}");
    editor.end();
}
