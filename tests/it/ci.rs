//! The files with which CI systems run slosmith: valid by the schemas that editors use, and each script runs here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::bundled::text as read;
use crate::project::{Project, Ran};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).expect("YAML")
}

#[track_caller]
fn valid(schema: &str, file: &Value) {
    let schema = serde_json::from_str(&read(&format!("tests/schemas/{schema}"))).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let faults: Vec<_> = schema
        .iter_errors(file)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[track_caller]
fn invalid(schema: &str, file: &Value) {
    let schema = serde_json::from_str(&read(&format!("tests/schemas/{schema}"))).expect("JSON");
    assert!(!jsonschema::is_valid(&schema, file), "{file:#}");
}

#[test]
fn the_action_is_valid() {
    let mut action = yaml(&read("action.yml"));
    valid("github-actions.json", &action);
    action["runs"]["steps"][0]["shell"] = Value::Null;
    invalid("github-actions.json", &action);
}

/// A tag can move: each action has the hash of a commit, and its version beside it. The hashes are also those of `slosmith init`.
#[test]
fn actions_are_pinned() {
    let workflows = std::fs::read_dir(root().join(".github/workflows")).expect("a folder");
    let workflows = workflows.map(|entry| entry.expect("a file").path());
    let others = ["action.yml", "templates/init/github.yaml", "docs/ci.md"];
    let files: Vec<_> = workflows
        .chain(others.map(|path| root().join(path)))
        .collect();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file");
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let (name, pinned) = line.split_once('@').expect("a version");
            let (commit, version) = pinned.split_once("  # v").expect(line);
            let is_hash = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash && !version.is_empty(), "{}: {line}", path.display());
            if name.ends_with("actions/checkout") {
                assert!(
                    text.contains("persist-credentials: false"),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

/// GitLab reads two documents: the inputs, and the jobs that they are put into.
#[test]
fn the_gitlab_file_is_valid() {
    let (inputs, jobs) = gitlab(&[
        ("stage", "check"),
        ("image", "slosmith:1"),
        ("lint", "rules dashboards"),
        ("prometheus", "http://prometheus:9090"),
    ]);
    assert_eq!(
        inputs["spec"]["inputs"].as_object().expect("a map").len(),
        4
    );
    valid("gitlab-ci.json", &jobs);
    assert!(!jobs.to_string().contains("$[["), "{jobs}");
    assert_eq!(jobs["slosmith"]["stage"], "check");
    let mut wrong = jobs;
    wrong["slosmith"]["artifacts"]["when"] = "sometimes".into();
    invalid("gitlab-ci.json", &wrong);
}

fn gitlab(values: &[(&str, &str)]) -> (Value, Value) {
    let text = read("ci/gitlab/slosmith.yml");
    let (inputs, jobs) = text.split_once("\n---\n").expect("two documents");
    let mut jobs = jobs.to_owned();
    for (name, value) in values {
        let name = format!("$[[ inputs.{name} ]]");
        assert!(jobs.contains(&name), "{name}");
        jobs = jobs.replace(&name, value);
    }
    (yaml(inputs), yaml(&jobs))
}

#[test]
fn what_init_writes_is_valid() {
    let project = Project::empty();
    project
        .run(&["init", "--name=chat", "--ci=github"])
        .exits(0);
    let workflow = yaml(&project.read(".github/workflows/slosmith.yaml"));
    valid("github-workflows.json", &workflow);
    let uses = workflow["jobs"]["slosmith"]["steps"][1]["uses"]
        .as_str()
        .expect("a text");
    assert_eq!(uses, format!("OWNER/slosmith@{}", "0".repeat(40)));
    // What the action needs, its job allows, and nothing else is allowed.
    let permissions = &workflow["jobs"]["slosmith"]["permissions"];
    assert_eq!(permissions["pull-requests"], "write");
    assert_eq!(permissions["security-events"], "write");
    assert_eq!(workflow["permissions"], Value::Object(Default::default()));

    let project = Project::empty();
    project
        .run(&["init", "--name=chat", "--ci=gitlab"])
        .exits(0);
    let pipeline = yaml(&project.read(".gitlab-ci.yml"));
    valid("gitlab-ci.json", &pipeline);
    let include = &pipeline["include"][0];
    let file = include["file"]
        .as_str()
        .expect("a path")
        .trim_start_matches('/');
    let given = include["inputs"].as_object().expect("a map").keys();
    let (inputs, _) = gitlab(&[]);
    let inputs = inputs["spec"]["inputs"].as_object().expect("a map");
    assert!(root().join(file).is_file(), "{file}");
    assert!(given.clone().all(|name| inputs.contains_key(name)));
    // Each input without a default is given.
    let needed = inputs
        .iter()
        .filter(|(_, input)| input["default"].is_null());
    for (name, _) in needed {
        assert!(given.clone().any(|g| g == name), "{name}");
    }
}

/// pre-commit's own check, `pre-commit validate-manifest`, takes the file; this looks at what it does not know.
#[test]
fn the_hooks_run() {
    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let hooks = hooks.as_array().expect("a list");
    assert_eq!(hooks.len(), 4);
    let project = Project::built();
    project.write(
        "rules.yaml",
        &crate::project::alerts(&["vllm:no_such_metric > 1"]),
    );
    for hook in hooks {
        let id = hook["id"].as_str().expect("a name");
        let language = if id.ends_with("-system") {
            "system"
        } else {
            "rust"
        };
        assert_eq!(hook["language"], language, "{hook}");
        let entry = hook["entry"].as_str().expect("a command");
        let words: Vec<_> = entry.split(' ').collect();
        assert_eq!(words[0], "slosmith");
        // Each looks at the whole project: a change of one file can make another wrong.
        assert_eq!(hook["pass_filenames"], false, "{hook}");
        let finds = i32::from(words[1] == "lint");
        project.run(&words[1..]).exits(finds);
    }
    project.edit("specs/svc.yaml", "owner: ", "owner: other-");
    project.run(&["build", "--check"]).exits(1);
}

/// A job of GitHub Actions: its folders, files and what it calls besides slosmith.
struct Job {
    project: Project,
    /// `gh` and `cargo`, which write down how they are called, and slosmith.
    programs: Project,
    runner: Project,
    outputs: BTreeMap<String, BTreeMap<String, String>>,
    inputs: BTreeMap<String, String>,
}

impl Job {
    fn new(project: Project, inputs: &[(&str, &str)]) -> Self {
        let action = yaml(&read("action.yml"));
        let defaults = action["inputs"].as_object().expect("a map");
        let default = |input: &Value| input["default"].as_str().expect("a text").to_owned();
        let mut all: BTreeMap<_, _> = defaults
            .iter()
            .map(|(k, v)| (k.clone(), default(v)))
            .collect();
        for (name, value) in inputs {
            assert!(
                all.insert((*name).to_owned(), (*value).to_owned())
                    .is_some(),
                "{name}"
            );
        }
        let programs = Project::empty();
        for name in ["gh", "cargo"] {
            let log = programs.path(&format!("{name}.log"));
            let text = format!(
                "#!/bin/sh\necho \"$*\" >>'{}'\n\
                 case \"$*\" in\n*--jq*) cat '{}' 2>/dev/null || true;;\n\
                 install*) for root; do :; done; mkdir -p \"$root/bin\"; ln -s '{}' \"$root/bin/\";;\nesac\n",
                log.display(),
                programs.path("existing").display(),
                env!("CARGO_BIN_EXE_slosmith"),
            );
            programs.write(&format!("bin/{name}"), &text);
            executable(&programs.path(&format!("bin/{name}")));
        }
        Self {
            project,
            programs,
            runner: Project::empty(),
            outputs: BTreeMap::new(),
            inputs: all,
        }
    }

    /// Runs the steps that are scripts; stops at the first that fails, and gives back the last.
    fn run(&mut self) -> Ran {
        let action = yaml(&read("action.yml"));
        let steps = action["runs"]["steps"].as_array().expect("a list");
        let mut last = None;
        for step in steps {
            let condition = step["if"].as_str().map(|text| self.value(text));
            if step["run"].is_null() || condition.is_some_and(|text| text != "true") {
                continue;
            }
            let ran = self.step(step);
            let failed = ran.code != Some(0);
            last = Some(ran);
            if failed {
                break;
            }
        }
        last.expect("a step")
    }

    fn step(&mut self, step: &Value) -> Ran {
        let script = step["run"].as_str().expect("a script");
        // What people write in a pull request must not become code.
        assert!(!script.contains("${{"), "{script}");
        let output = self.runner.path("output");
        std::fs::write(&output, "").expect("a file");
        let binary = Path::new(env!("CARGO_BIN_EXE_slosmith"))
            .parent()
            .expect("a folder");
        let paths = [self.programs.path("bin"), binary.to_owned()];
        let paths = paths
            .into_iter()
            .chain([PathBuf::from("/usr/bin"), PathBuf::from("/bin")]);
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        bash.current_dir(self.project.path(""));
        bash.env("PATH", std::env::join_paths(paths).expect("paths"));
        bash.env("GITHUB_ACTION_PATH", root())
            .env("RUNNER_TEMP", self.runner.path(""));
        bash.env("GITHUB_OUTPUT", &output)
            .env("GITHUB_PATH", self.runner.path("path"));
        bash.env("GITHUB_REPOSITORY", "org/repo");
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            bash.env(name, self.value(value.as_str().expect("a text")));
        }
        let done = bash.output().expect("bash");
        if let Some(id) = step["id"].as_str() {
            let text = std::fs::read_to_string(&output).expect("outputs");
            let pairs = text.lines().filter_map(|line| line.split_once('='));
            let pairs = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            self.outputs.insert(id.to_owned(), pairs);
        }
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ran {
            code: done.status.code(),
            out: text(done.stdout),
            err: text(done.stderr),
        }
    }

    /// An expression, as far as the action has such.
    fn value(&self, text: &str) -> String {
        let inner = text
            .strip_prefix("${{ ")
            .and_then(|text| text.strip_suffix(" }}"));
        let Some(inner) = inner else {
            return text.to_owned();
        };
        if inner.starts_with("!cancelled()") {
            let is = |left: &str, right: &str| {
                self.value(&format!("${{{{ {left} }}}}")) == right.trim_matches('\'')
            };
            let holds = |part: &str| match part.split_once(" == ") {
                Some((left, right)) => is(left, right),
                None => {
                    let (left, right) = part.split_once(" != ").expect("a comparison");
                    !is(left, right)
                }
            };
            return inner.split(" && ").skip(1).all(holds).to_string();
        }
        match inner.split('.').collect::<Vec<_>>()[..] {
            ["inputs", name] => self.value(&self.inputs[name]),
            ["steps", id, "outputs", name] => self.outputs[id][name].clone(),
            ["github", "token"] => "secret".to_owned(),
            ["github", "event_name"] => "pull_request".to_owned(),
            ["github", "event", "pull_request", "number"] => "7".to_owned(),
            _ => panic!("an expression that this test does not know: {inner}"),
        }
    }

    fn report(&self) -> String {
        std::fs::read_to_string(&self.outputs["check"]["report"]).expect("a report")
    }

    fn calls(&self, program: &str) -> String {
        self.programs.read(&format!("{program}.log"))
    }
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("a mode");
}

#[cfg(unix)]
#[test]
fn the_action_passes_what_is_right() {
    let mut job = Job::new(Project::built(), &[]);
    job.run().exits(0);
    let report = job.report();
    assert!(report.starts_with("<!-- slosmith -->\n"), "{report}");
    assert!(
        report.contains("✅ generated files are up to date"),
        "{report}"
    );
    assert!(report.contains("✅ no errors in rules"), "{report}");
    assert!(
        !report.contains("<details>") && !report.contains("CloudWatch"),
        "{report}"
    );
    let install = format!(
        "install --locked --features aws --path {}",
        root().display()
    );
    assert!(job.calls("cargo").starts_with(&install));
    assert!(job.runner.read("path").trim().ends_with("/slosmith/bin"));
    let sarif: Value = serde_json::from_str(
        &std::fs::read_to_string(&job.outputs["check"]["sarif"]).expect("a report"),
    )
    .expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    // The first comment is a new one, the next takes its place.
    assert!(
        job.calls("gh")
            .contains("--method POST repos/org/repo/issues/7/comments --field body=@")
    );
    job.programs.write("existing", "4711\n");
    job.run().exits(0);
    assert!(
        job.calls("gh")
            .contains("--method PATCH repos/org/repo/issues/comments/4711 --field body=@")
    );
    // What is there already is not installed again.
    assert_eq!(job.calls("cargo").lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn the_action_fails_after_it_has_told_all() {
    let project = Project::built();
    project.edit("specs/svc.yaml", "owner: ", "owner: other-");
    project.write(
        "rules.yaml",
        &crate::project::alerts(&["vllm:gpu_cache_usage_perc > 0.9"]),
    );
    let inputs = [
        ("drift-from", "0.10.2"),
        ("drift-to", "0.33.0"),
        ("lint", "rules.yaml specs"),
    ];
    let mut job = Job::new(project, &inputs);
    job.run().exits(1).says("failed: build");
    let report = job.report();
    for words in [
        "❌ generated files are out of date",
        "slosmith build --check</summary>",
        "⚠️ the upgrade from vLLM 0.10.2 to 0.33.0 breaks queries",
        "slosmith drift</summary>",
    ] {
        assert!(report.contains(words), "no `{words}` in:\n{report}");
    }
    assert!(
        job.calls("gh").contains("--method POST"),
        "told before it failed"
    );

    let project = Project::built();
    project.write(
        "rules.yaml",
        &crate::project::alerts(&["vllm:no_such_metric > 1"]),
    );
    let mut job = Job::new(project, &[("comment", "false")]);
    job.run().exits(1).says("failed: lint");
    assert!(job.report().contains("no_such_metric"), "{}", job.report());
    assert!(!job.programs.has("gh.log"));
}

/// A server that does not answer is no fault of a change.
#[cfg(unix)]
#[test]
fn the_report_has_a_backtest() {
    use crate::pages::server::{Answer, Server};
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // On a whole minute, as the rules are evaluated.
    let time = now.expect("a time").as_secs() / 60 * 60 - 600;
    let one =
        format!(r#"{{"data": {{"result": [{{"metric": {{}}, "values": [[{time}, "1"]]}}]}}}}"#);
    let none = r#"{"data": {"result": []}}"#.to_owned();
    for (page, told) in [
        (one, "<summary>slosmith backtest</summary>"),
        (none, "⚠️ no backtest: the job log has the reason"),
    ] {
        let server = Server::start(None, move |_| Answer::page(&page));
        let url = server.address().replace("/metrics", "");
        let mut job = Job::new(Project::built(), &[("prometheus", &url)]);
        job.run().exits(0);
        assert!(job.report().contains(told), "{}", job.report());
    }
}

/// What a pull request changes in meaning, if the commit before it is there.
#[cfg(unix)]
#[test]
#[ignore = "ci"]
fn the_report_tells_what_a_change_means() {
    let project = Project::built();
    crate::inventory::commit(&project, true);
    project.edit("specs/svc.yaml", "above: 800ms", "above: 700ms");
    project.run(&["build"]).exits(0);
    crate::inventory::commit(&project, false);
    let mut job = Job::new(project, &[("comment", "false")]);
    job.run().exits(0);
    let report = job.report();
    assert!(
        report.contains("slosmith diff</summary>") && report.contains("> 800ms"),
        "{report}"
    );
}

/// A comment holds 65,536 characters; findings may be longer.
#[cfg(unix)]
#[test]
#[ignore = "ci"]
fn the_report_fits_into_a_comment() {
    let project = Project::built();
    let unknown = (0..300).map(|i| format!("vllm:no_such_metric_{i} > 1"));
    let unknown: Vec<_> = unknown.collect();
    let unknown: Vec<_> = unknown.iter().map(String::as_str).collect();
    project.write("rules.yaml", &crate::project::alerts(&unknown));
    let mut job = Job::new(project, &[("comment", "false")]);
    job.run().exits(1).says("failed: lint");
    let report = job.report();
    assert!(report.contains("(cut; see the job log for the full text)"));
    assert!(report.len() < 65_536, "{}", report.len());
}

/// The job of GitLab: what it runs, and that it fails when it must.
#[cfg(unix)]
#[test]
fn the_gitlab_job_runs() {
    let (_, jobs) = gitlab(&[
        ("stage", "test"),
        ("image", "x"),
        ("lint", "specs rules.yaml"),
    ]);
    let lines = jobs["slosmith"]["script"]
        .as_array()
        .expect("a list")
        .iter();
    let lines: Vec<_> = lines.map(|line| line.as_str().expect("a line")).collect();
    let script = format!("set -eo pipefail\n{}", lines.join("\n"));
    let run = |project: &Project| {
        let binary = Path::new(env!("CARGO_BIN_EXE_slosmith"))
            .parent()
            .expect("a folder");
        let mut bash = Command::new("bash");
        bash.args(["-c", &script]).current_dir(project.path(""));
        let lint = jobs["slosmith"]["variables"]["SLOSMITH_LINT"]
            .as_str()
            .expect("a text");
        bash.env("PATH", format!("{}:/usr/bin:/bin", binary.display()))
            .env("SLOSMITH_LINT", lint);
        bash.output().expect("bash").status.code()
    };
    let project = Project::built();
    project.write("rules.yaml", &crate::project::alerts(&["up == 0"]));
    assert_eq!(run(&project), Some(0));
    assert!(project.read("slosmith.xml").contains("<testsuite"));
    project.write(
        "rules.yaml",
        &crate::project::alerts(&["vllm:no_such_metric > 1"]),
    );
    assert_eq!(run(&project), Some(1));
    assert!(project.read("slosmith.xml").contains("no_such_metric"));
    project.write("rules.yaml", "groups: []\n");
    project.edit("specs/svc.yaml", "owner: ", "owner: other-");
    assert_eq!(run(&project), Some(1));
}

/// The image has all that the build reads, and runs as nobody in particular.
#[test]
fn the_image_has_what_a_build_needs() {
    let docker = read("Dockerfile");
    let copied: Vec<_> = docker
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "))
        .collect();
    let copied = copied.join(" ");
    let build = read("build.rs");
    let inputs = build.split("const INPUTS").nth(1).expect("a list");
    let inputs = inputs.split(';').nth(1).expect("its items");
    for input in inputs.split('"').skip(1).step_by(2) {
        let top = input.split('/').next().expect("a name");
        assert!(copied.split(' ').any(|word| word == top), "{top}");
        assert!(
            read(".dockerignore").contains(&format!("!{top}\n")),
            "{top}"
        );
    }
    let user = docker
        .lines()
        .find_map(|line| line.strip_prefix("USER "))
        .expect("a user");
    assert!(user.parse::<u32>().is_ok_and(|user| user > 0), "{user}");
}

#[test]
fn the_page_shows_what_works() {
    let page = read("docs/ci.md");
    let all: Vec<_> = crate::docs::fences(&page, "yaml")
        .into_iter()
        .map(yaml)
        .collect();
    let [github, gitlab_include, pre_commit, argo, flux] = &all[..] else {
        panic!("{} blocks", all.len());
    };
    valid("github-workflows.json", github);
    let action = yaml(&read("action.yml"));
    let inputs = action["inputs"].as_object().expect("a map");
    for name in inputs.keys() {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let with = &github["jobs"]["slosmith"]["steps"][1]["with"];
    assert!(
        with.as_object()
            .expect("a map")
            .keys()
            .all(|name| inputs.contains_key(name))
    );
    valid("gitlab-ci.json", gitlab_include);
    let (known, _) = gitlab(&[]);
    let given = gitlab_include["include"][0]["inputs"]
        .as_object()
        .expect("a map");
    assert!(
        given
            .keys()
            .all(|name| !known["spec"]["inputs"][name].is_null())
    );

    let hooks = yaml(&read(".pre-commit-hooks.yaml"));
    let ids: Vec<_> = hooks
        .as_array()
        .expect("a list")
        .iter()
        .map(|hook| &hook["id"])
        .collect();
    for hook in pre_commit["repos"][0]["hooks"].as_array().expect("a list") {
        assert!(ids.contains(&&hook["id"]), "{hook}");
    }
    for id in ids {
        let id = id.as_str().expect("a name");
        assert!(page.contains(id), "{id}");
    }

    // Argo CD and Flux deploy a folder with a kustomization, whose resources a build writes.
    let project = Project::empty();
    project.run(&["init", "--name=chat", "--ci=none"]).exits(0);
    project.run(&["build"]).exits(0);
    let folder = argo["spec"]["source"]["path"].as_str().expect("a path");
    assert_eq!(flux["spec"]["path"], format!("./{folder}"));
    let kustomization = yaml(&project.read(&format!("{folder}/kustomization.yaml")));
    for resource in kustomization["resources"].as_array().expect("a list") {
        let path = resource.as_str().expect("a path");
        let resource = yaml(&project.read(&format!("{folder}/{path}")));
        assert!(resource["kind"].is_string(), "{path}");
    }
}

#[test]
fn the_workflows_are_valid() {
    for (name, steps) in [("release", 6), ("vllm", 2), ("docs", 2)] {
        let workflow = yaml(&read(&format!(".github/workflows/{name}.yml")));
        valid("github-workflows.json", &workflow);
        scripts_parse(&workflow, steps);
    }
}

#[track_caller]
fn scripts_parse(workflow: &Value, at_least: usize) {
    let jobs = workflow["jobs"].as_object().expect("a map").values();
    let steps = jobs.flat_map(|job| job["steps"].as_array().expect("a list"));
    let scripts: Vec<_> = steps.filter_map(|step| step["run"].as_str()).collect();
    assert!(scripts.len() > at_least, "{scripts:?}");
    for script in scripts {
        assert!(!script.contains("${{"), "{script}");
        let done = Command::new("bash")
            .args(["-n", "-c", script])
            .output()
            .expect("bash");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

/// What the Debian package takes is there after `tools/package`, at the places where `doctor` looks for it.
#[cfg(unix)]
#[test]
fn packages_have_manual_pages_and_completions() {
    let copy = Project::empty();
    copy.write("tools/package", &read("tools/package"));
    executable(&copy.path("tools/package"));
    let mut package = Command::new(copy.path("tools/package"));
    let done = package
        .arg(env!("CARGO_BIN_EXE_slosmith"))
        .output()
        .expect("it runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    let assets = manifest["package"]["metadata"]["deb"]["assets"]
        .as_array()
        .expect("a list");
    let doctor = read("src/cli/doctor/programs.rs");
    let mut completions = 0;
    for asset in assets {
        let asset: Vec<_> = asset
            .as_array()
            .expect("a list")
            .iter()
            .map(|v| v.as_str().expect("a text"))
            .collect();
        let (from, to) = (asset[0], asset[1]);
        let Some(made) = from.strip_prefix("target/package/") else {
            continue;
        };
        if made.contains('*') {
            assert!(copy.has("target/package/man/slosmith.1"), "{from}");
            continue;
        }
        assert!(copy.read(from).contains("slosmith"), "{from}");
        assert!(doctor.contains(&format!("\"/{to}\"")), "{to}");
        completions += 1;
    }
    assert_eq!(completions, 3);
}
