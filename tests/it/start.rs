//! `slosmith init`, `doctor`, `completions` and `man` as a new user runs them, and the examples under `--help`.

use std::io::Write;
use std::process::{Command, Stdio};

use clap::{CommandFactory, Parser};
use serde_json::Value;
use slosmith::cli::Cli;

use crate::project::{Project, Ran};

pub(crate) fn page(release: &str) -> String {
    format!(
        "{}/catalog/vllm/{release}/default.prom",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn init(project: &Project, more: &[&str]) -> Ran {
    project.run(&[&["init", "--name", "chat"], more].concat())
}

/// What is written builds, lints clean and is found to be up to date, for servers old and new.
#[test]
fn the_first_files_build_and_lint() {
    for release in ["0.6.6", "0.9.2", "0.10.2", "0.20.2", "0.33.0"] {
        let project = Project::empty();
        init(&project, &["--metrics", &page(release), "--ci", "gitlab"])
            .exits(0)
            .says("detected vLLM ");
        let ran = project.run(&["build", "--validate"]).exits(0);
        assert!(!ran.err.contains("warning"), "{release}: {}", ran.err);
        project.run(&["lint", ".", "--fail-on", "info"]).exits(0);
        project.run(&["build", "--check"]).exits(0);
        let spec = project.read("specs/chat.yaml");
        let counts_requests = spec.contains("vllm.http_requests");
        assert_eq!(counts_requests, release != "0.6.6", "{release}");
        assert!(
            spec.contains("Models detected from /metrics: tiny."),
            "{spec}"
        );
    }
    let project = Project::empty();
    let ran = init(&project, &[]).exits(0);
    assert_eq!(
        ran.out,
        "slosmith.toml\nspecs/chat.yaml\n.github/workflows/slosmith.yaml\n"
    );
    project.run(&["build"]).exits(0);
    project.run(&["lint", ".", "--fail-on", "info"]).exits(0);
}

/// Beside other teams' servers of the same job: a label in the selector is in every query of servers, also where Prometheus wrote the series.
#[test]
fn one_selector_selects_everything() {
    for release in ["0.6.6", "0.33.0"] {
        let project = Project::empty();
        init(&project, &["--metrics", &page(release)]).exits(0);
        let text = project.read("specs/chat.yaml");
        let own = "selector: {job: vllm";
        assert!(text.contains(own), "{text}");
        let of_job = text.replace(
            "\n  group_by: ",
            "\n  jobs: {vllm: {selector: {namespace: prod}}}\n  group_by: ",
        );
        let mut built = Vec::new();
        for text in [
            text.replace(own, "selector: {job: vllm, namespace: prod"),
            of_job,
        ] {
            project.write("specs/chat.yaml", &text);
            project.run(&["build"]).exits(0);
            let rules = project.read("generated/chat/prometheus/prometheusrule.yaml");
            let without: Vec<_> = rules
                .lines()
                .filter(|line| {
                    line.contains("job=\"vllm\"") && !line.contains("namespace=\"prod\"")
                })
                .collect();
            assert!(without.is_empty(), "{release}: {without:?}");
            built.push(rules);
        }
        assert_eq!(built[0], built[1], "{release}");
    }
}

/// `--custom-histogram-buckets`: the first spec, its rules and the check of its server follow the boundaries on the page.
#[test]
fn boundaries_that_a_server_replaced_are_read() {
    let recorded = std::fs::read_to_string(page("0.33.0")).expect("a page");
    let family = "vllm:time_to_first_token_seconds_bucket";
    let mut bounds = ["0.01", "0.4", "3.0", "+Inf"].into_iter();
    let lines = recorded.lines().filter_map(|line| {
        if !line.starts_with(family) {
            return Some(line.to_owned());
        }
        let le = bounds.next()?;
        Some(format!(
            "{family}{{engine=\"0\",le=\"{le}\",model_name=\"tiny\"}} 0.0"
        ))
    });
    let page_text = lines.collect::<Vec<_>>().join("\n") + "\n";
    let project = Project::empty();
    project.write("page.prom", &page_text);
    init(&project, &["--metrics", "page.prom", "--ci", "none"]).exits(0);
    let spec = project.read("specs/chat.yaml");
    let option = "custom_histogram_buckets: {time_to_first_token: [0.01, 0.4, 3.0]}";
    assert!(spec.contains(option), "{spec}");
    assert!(spec.contains("signal: ttft, at_most: 3s"), "{spec}");
    project.run(&["build"]).exits(0);
    let rules = project.read("generated/chat/prometheus/rules/slo-time-to-first-token.yaml");
    assert!(rules.contains(r#"le=~"3(\\.0)?""#), "{rules}");
    project.run(&["lint", ".", "--fail-on", "info"]).exits(0);
    let doctor = |page: &str| project.run(&["doctor", "--metrics", page]).out;
    assert!(!doctor("page.prom").contains("bucket boundaries"));
    let usual = doctor(&page("0.33.0"));
    let differs =
        "chat: the server has other bucket boundaries than the spec: `time_to_first_token`";
    assert!(usual.contains(differs), "{usual}");
    project.write("specs/chat.yaml", &spec.replace(option, "path: /metrics"));
    assert!(doctor("page.prom").contains(option));

    let rule = r#"groups: [{name: a, rules: [{record: b, expr: 'rate(vllm:time_to_first_token_seconds_bucket{le="2.0"}[5m])'}]}]"#;
    project.write("rules.yaml", rule);
    let lint = |vllm: &str, more: &[&str]| {
        project.run(&[&["lint", "--vllm", vllm, "rules.yaml"], more].concat())
    };
    let says = |vllm: &str, words: &str| assert!(lint(vllm, &[]).out.contains(words));
    says("0.29.0", "error[threshold-not-a-bucket]");
    says("0.33.0", "warning[threshold-not-a-bucket]");
    // A spec beside the rules has the boundaries of its servers.
    project.write("specs/chat.yaml", &spec);
    lint("0.33.0", &["specs", "--fail-on", "info"]).exits(0);
}

/// Every recorded page of a server makes a spec that resolves: `init` checks it before it writes.
#[test]
fn some_recorded_releases_have_a_first_spec() {
    have_a_first_spec(16);
}

#[test]
#[ignore = "ci"]
fn each_recorded_release_has_a_first_spec() {
    have_a_first_spec(1);
}

/// Every `step`th release, the newest first.
fn have_a_first_spec(step: usize) {
    let catalog = slosmith::catalog::Catalog::vllm();
    // 0.2.7 does not measure latency, and nothing is wanted of a spec without it.
    for release in catalog.releases()[1..].iter().rev().step_by(step) {
        let project = Project::empty();
        let version = release.version().to_string();
        init(&project, &["--metrics", &page(&version)]).exits(0);
        init(&Project::empty(), &["--vllm", &version]).exits(0);
    }
    let page = page("0.2.7");
    let project = Project::empty();
    init(&project, &["--metrics", &page])
        .exits(2)
        .says("pass a newer range with `--vllm`");
    assert!(project.files(".").is_empty());
}

/// Names with another prefix are detected like the served ones, and the spec has the prefix.
#[test]
fn a_page_may_have_another_prefix() {
    for prefix in ["vllm_", "ray_vllm:", "engine_vllm_"] {
        let project = Project::empty();
        let text = std::fs::read_to_string(page("0.33.0")).expect("a page");
        project.write("page", &text.replace("vllm:", prefix));
        init(&project, &["--metrics", "page"])
            .exits(0)
            .says("detected vLLM 0.32.0–0.33.0");
        let set = format!("  jobs:\n    vllm:\n      names: \"{prefix}\"  #");
        assert!(project.read("specs/chat.yaml").contains(&set));
        project.run(&["build", "--validate"]).exits(0);
        project.run(&["lint", ".", "--fail-on", "info"]).exits(0);
    }
}

#[test]
fn nothing_is_overwritten() {
    for (file, advice) in [
        ("slosmith.toml", "add specs to the existing project"),
        ("specs/chat.yaml", "choose another `--name`"),
        (".github/workflows/slosmith.yaml", "pass `--ci none`"),
    ] {
        let project = Project::empty();
        project.write(file, "mine");
        let before = project.snapshot(".");
        init(&project, &["--ci", "github"])
            .exits(2)
            .says(file)
            .says(advice);
        assert_eq!(project.snapshot("."), before, "{file}");
    }
    // Neither are the files of a run that was killed before its end.
    let project = Project::empty();
    init(&project, &["--ci", "github"]).exits(0);
    let whole = project.files(".");
    for file in &whole {
        project.remove(file);
        init(&project, &["--ci", "github"]).exits(0);
        assert_eq!(project.files("."), whole, "{file}");
    }
    // A spec of another service is no obstacle.
    let project = Project::new();
    init(&project, &[]).exits(0);
    project.run(&["build"]).exits(0);
}

#[test]
fn pages_that_say_nothing_are_refused() {
    let project = Project::empty();
    project.write("empty", "");
    project.write("html", "<html>Not Found</html>");
    project.write("other", "# TYPE go_goroutines gauge\ngo_goroutines 8\n");
    project.write(
        "tomorrow",
        "# TYPE vllm:of_tomorrow gauge\nvllm:of_tomorrow 1\n",
    );
    let before = project.snapshot(".");
    for (page, words) in [
        ("empty", "not /metrics output"),
        ("html", "not /metrics output"),
        ("other", "not the /metrics output of a known server"),
        ("absent", "absent: no such file or folder"),
    ] {
        init(&project, &["--metrics", page]).exits(2).says(words);
    }
    let newest = page("0.33.0");
    for (range, words) in [
        ("0.10.2", "the `/metrics` output has `vllm:"),
        (">=0.20, <0.22", "which exists only since 0."),
        (">=9", "no recorded vLLM release is in"),
        ("banana", "is not a version"),
    ] {
        init(&project, &["--metrics", &newest, "--vllm", range])
            .exits(2)
            .says(words);
    }
    let old = page("0.10.2");
    init(&project, &["--metrics", &old, "--vllm", "0.33.0"])
        .exits(2)
        .says("which exists only from");
    assert_eq!(project.snapshot("."), before);
}

#[test]
fn names_are_checked_and_found() {
    let project = Project::empty();
    for name in ["Chat Bot!", "", "-x", "con", "a/b", "../up", "naïve"] {
        let name = format!("--name={name}");
        project.run(&["init", &name]).exits(2).says("`--name");
    }
    project
        .run(&["init", "--name", "Chat Bot!"])
        .exits(2)
        .says("such as `chat-bot`");
    for owner in ["", "{{ $labels.team }}", "two\nlines"] {
        init(&project, &["--owner", owner])
            .exits(2)
            .says("`--owner`");
    }
    assert!(project.files(".").is_empty());
    // The folder's name, where nothing else is said; odd owners are quoted.
    let owner = "SRE: \"on call\" #1 <{x}>";
    let ran = project
        .run(&["init", "My Chat/", "--owner", owner, "--ci", "none"])
        .exits(0);
    assert_eq!(
        ran.out,
        "My Chat/slosmith.toml\nMy Chat/specs/my-chat.yaml\n"
    );
    let built = project.run_in("My Chat", &["build"]).exits(0);
    assert!(built.err.contains("generated/my-chat"), "{}", built.err);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let project = Project::empty();
    project.write("file", "");
    let ran = project
        .run(&["init", "file/below", "--name", "chat"])
        .exits(2);
    assert!(ran.err.contains("file/below"), "{}", ran.err);
}

/// On a terminal, which `script` makes, each question is asked, and a wrong answer again.
#[cfg(target_os = "linux")]
#[test]
fn questions_are_asked_on_a_terminal() {
    let project = Project::empty();
    let binary = env!("CARGO_BIN_EXE_slosmith");
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{binary} init"), "/dev/null"]);
    script
        .current_dir(project.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut script = script.spawn().expect("script, of bsdutils");
    let answers = format!(
        "{}\nNo Name\nchat\ninference\n0.10.2\n\ngitlab\n",
        page("0.33.0")
    );
    script
        .stdin
        .take()
        .expect("its input")
        .write_all(answers.as_bytes())
        .expect("it reads");
    let ran = script.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}");
    for question in [
        "`/metrics` URL of",
        "Name of the service",
        "Team that",
        "vLLM releases [>=0.3",
        "CI system: ",
    ] {
        assert!(said.contains(question), "no `{question}` in:\n{said}");
    }
    assert!(said.contains("use only lower-case letters"), "{said}");
    assert!(said.contains("which exists only since 0.32.0"), "{said}");
    let spec = project.read("specs/chat.yaml");
    assert!(spec.contains("owner: inference "), "{spec}");
    assert!(project.has(".gitlab-ci.yml"));
}

fn state(ran: &Ran, check: &str) -> String {
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    let found = checks.iter().find(|c| c["check"] == check);
    let found = found.unwrap_or_else(|| panic!("no {check} in {report:#}"));
    assert_eq!(found["state"] == "ok", found["help"].is_null(), "{found}");
    found["state"].as_str().expect("a word").to_owned()
}

#[test]
fn doctor_finds_what_is_wrong() {
    let doctor = |project: &Project| project.run(&["doctor", "--format", "json"]);
    let project = Project::empty();
    let ran = doctor(&project).exits(1);
    assert_eq!(state(&ran, "configuration"), "warning");
    assert_eq!(state(&ran, "specs"), "problem");

    init(&project, &[]).exits(0);
    let ran = doctor(&project).exits(1);
    assert_eq!(state(&ran, "configuration"), "ok");
    assert_eq!(state(&ran, "specs"), "ok");
    assert_eq!(state(&ran, "links"), "warning");
    assert_eq!(state(&ran, "generated"), "problem");

    project.run(&["build"]).exits(0);
    let before = project.snapshot(".");
    let ran = doctor(&project).exits(0);
    assert_eq!(state(&ran, "generated"), "ok");
    // A spec beside the folders that are built; what specs extend is none.
    project.write(
        "team/other.yaml",
        "apiVersion: slosmith/v1\nservice: {name: other}\n",
    );
    project.write(
        "team/base.yaml",
        "apiVersion: slosmith/v1\nkind: defaults\n",
    );
    let ran = doctor(&project).exits(0);
    assert!(
        ran.out.contains("1 spec not built: ") && ran.out.contains("other.yaml"),
        "{}",
        ran.out
    );
    project.remove("team/other.yaml");
    let ran = doctor(&project).exits(0);
    assert!(!ran.out.contains("not built"), "{}", ran.out);
    project.edit(
        "specs/chat.yaml",
        "https://grafana.example",
        "https://grafana.here.org",
    );
    project.edit(
        "specs/chat.yaml",
        "https://git.example/",
        "https://git.here.org/",
    );
    let ran = doctor(&project).exits(1);
    assert!(!ran.out.contains("is a placeholder"), "{}", ran.out);
    assert_eq!(state(&ran, "generated"), "problem");
    assert_ne!(project.snapshot("."), before);

    project.edit("specs/chat.yaml", "owner:", "ownr:");
    let ran = doctor(&project).exits(1).says("ownr");
    assert_eq!(state(&ran, "specs"), "problem");
    project.write("slosmith.toml", "[buld]\n");
    let ran = project.run(&["doctor"]).exits(1);
    assert!(
        ran.out
            .contains("problem  configuration  slosmith.toml:1:2: "),
        "{}",
        ran.out
    );
}

/// Doctor writes nothing, and says which program is missing or too old.
#[cfg(unix)]
#[test]
fn doctor_looks_at_programs() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::built();
    let before = project.snapshot(".");
    let programs = Project::empty();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slosmith"));
        let home = programs.path("");
        command
            .arg("doctor")
            .current_dir(project.path(""))
            .env_clear();
        command
            .env("PATH", programs.path(""))
            .env("HOME", home)
            .env("SHELL", "/bin/bash");
        let done = command.output().expect("it runs");
        (
            done.status.code(),
            String::from_utf8(done.stdout).expect("text"),
        )
    };
    let (code, out) = run();
    assert_eq!(code, Some(0), "{out}");
    for words in [
        "warning  promtool       not found",
        "warning  git            not found",
        "no completion installed for bash",
    ] {
        assert!(out.contains(words), "no `{words}` in:\n{out}");
    }
    for (version, words) in [
        ("2.41.0", "warning  promtool       2.41.0 is too old"),
        ("2.42.0", "ok       promtool       2.42.0"),
        ("3.5.0", "ok       promtool       3.5.0"),
    ] {
        let text = format!("#!/bin/sh\necho 'promtool, version {version} (branch: HEAD)'\n");
        programs.write("promtool", &text);
        let path = programs.path("promtool");
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("a mode");
        let (_, out) = run();
        assert!(out.contains(words), "no `{words}` in:\n{out}");
    }
    programs.write(".bashrc", "source <(slosmith completions bash)\n");
    assert!(run().1.contains("ok       completions    bash"));
    assert_eq!(project.snapshot("."), before);
}

#[cfg(not(feature = "aws"))]
#[test]
fn a_build_without_aws_shows_how_to_get_the_command() {
    let project = Project::empty();
    for args in [&["cloudwatch"][..], &["cloudwatch", "plan", "--out", "x"]] {
        project
            .run(args)
            .exits(2)
            .says("this build has no `cloudwatch` command")
            .says("--features aws");
    }
}

/// Bash completes commands and options with the script; tests/cases asks zsh and fish.
#[test]
fn bash_completes() {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_slosmith"));
    let folder = binary.parent().expect("a folder").display();
    let complete = |words: &str, current: &str| {
        let count = words.split(' ').count();
        let code = format!(
            "PATH={folder}:$PATH\nsource <(slosmith completions bash)\n\
             COMP_WORDS=({words} {current}) COMP_CWORD={count}\n\
             _slosmith slosmith '{current}' \"${{COMP_WORDS[COMP_CWORD-1]}}\"\necho \"${{COMPREPLY[@]}}\""
        );
        let done = Command::new("bash")
            .args(["--norc", "-c", &code])
            .output()
            .expect("bash");
        assert!(
            done.stderr.is_empty(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout)
            .expect("text")
            .trim()
            .to_owned()
    };
    assert_eq!(complete("slosmith", "bui"), "build");
    assert_eq!(complete("slosmith build", "--che"), "--check");
    assert_eq!(complete("slosmith lint --format", "sar"), "sarif");
    assert_eq!(complete("slosmith catalog", "rec"), "record");
}

#[test]
fn every_command_has_a_manual_page() {
    let project = Project::empty();
    let ran = project.run(&["man", "man1"]).exits(0);
    let mut pages = vec!["slosmith.1".to_owned()];
    walk(&Cli::command(), "slosmith", &mut |name, _| {
        pages.push(format!("{}.1", name.replace(' ', "-")))
    });
    pages.sort();
    assert_eq!(project.files("man1"), pages);
    assert_eq!(ran.out.lines().count(), pages.len());
    let page = project.read("man1/slosmith-catalog-record.1");
    assert!(
        page.contains(".SH EXAMPLES") && page.contains("slosmith catalog record"),
        "{page}"
    );
}

/// Every command below a command, with its full name.
fn walk(command: &clap::Command, name: &str, see: &mut impl FnMut(&str, &clap::Command)) {
    for inner in command.get_subcommands() {
        let name = format!("{name} {}", inner.get_name());
        see(&name, inner);
        walk(inner, &name, see);
    }
}

/// The examples of each command that does something: each line is one that the program accepts.
#[test]
fn examples_are_accepted() {
    let mut tried = 0;
    walk(&Cli::command(), "slosmith", &mut |name, command| {
        if command.has_subcommands() {
            return;
        }
        let help = command.get_after_long_help();
        let help = help
            .unwrap_or_else(|| panic!("no examples for `{name}`"))
            .to_string();
        let mut lines = help.lines();
        assert_eq!(lines.next(), Some("Examples:"), "{name}");
        let mut own = false;
        for line in lines {
            assert!(line.starts_with("  ") && line.len() <= 90, "{line}");
            for words in commands(line) {
                own |= words.join(" ").starts_with(name);
                if let Err(error) = Cli::try_parse_from(&words) {
                    panic!("{line}\n{error}");
                }
                tried += 1;
            }
        }
        assert!(own, "no example runs `{name}`:\n{help}");
    });
    assert!(tried > 30, "{tried}");
}

/// The words of each call of slosmith in a line of shell, as bash splits them.
pub(crate) fn commands(line: &str) -> Vec<Vec<String>> {
    // In bash, a function of that name sees its words; everything else is run by nothing.
    let code = format!(
        "slosmith() {{ printf '%s\\n' \"$@\" >&3; printf -- '--\\n' >&3; }}\n\
         cat() {{ :; }}; man() {{ :; }}; source() {{ :; }}\n{line}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let seen = folder.path().join("seen");
    let run = format!(
        "set -f; HOME=$PWD; mkdir -p .config/fish/completions; exec 3>{}; {code}\nwait",
        seen.display()
    );
    let done = Command::new("bash")
        .args(["--norc", "-c", &run])
        .current_dir(folder.path())
        .output();
    let done = done.expect("bash");
    assert!(
        done.stderr.is_empty(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    // A substituted command may end after the line.
    let mut text = String::new();
    for _ in 0..50 {
        text = std::fs::read_to_string(&seen).expect("text");
        if text.ends_with("--\n") || !line.contains("slosmith ") || line.contains("man slosmith") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut found = Vec::new();
    let mut words = vec!["slosmith".to_owned()];
    for word in text.lines() {
        match word {
            "--" => found.push(std::mem::replace(&mut words, vec!["slosmith".to_owned()])),
            word => words.push(word.to_owned()),
        }
    }
    found
}
