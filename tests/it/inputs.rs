//! Files that are none, or that have no end, wherever a file is named: an error at once, never a wait.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::lint::rules;
use crate::project::Project;

/// Runs the command; a minute means that it hangs.
fn run(project: &Project, args: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .args(args)
        .current_dir(project.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let started = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().expect("killed");
            panic!("{args:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let done = child.wait_with_output().expect("done");
    let said = [done.stdout, done.stderr].concat();
    (
        done.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// Every place where a file is named; `X` stands for it.
const PLACES: [&[&str]; 12] = [
    &["lint", "X"],
    &["lint", "--config", "X", "rules.yaml"],
    &["lint", "--config", "slosmith.toml", "rules.yaml"],
    &["drift", "--from", "0.32.0", "--to", "0.33.0", "X"],
    &["build", "X"],
    &["build", "--templates", "templates"],
    &["preview", "X"],
    &["gate", "X", "--spec", "load.yaml"],
    &["gate", "result.json", "--spec", "X"],
    &["health", "X", "--spec", "specs/svc.yaml"],
    &["catalog", "record", "X", "--version", "1", "--out", "c"],
    &["init", "--name", "x", "--metrics", "X"],
];

fn project() -> Project {
    let project = Project::new();
    project.write("rules.yaml", &rules(&["vllm:num_requests_waiting > 80"]));
    project.write("slosmith.toml", "baseline = \"X\"\n");
    project.write("templates/runbook/page.md", "replaced below");
    project.remove("templates/runbook/page.md");
    project.write("load.yaml", &crate::bundled::spec("mangaassist"));
    project.write("engine.yaml", &crate::bundled::spec("engine"));
    project
}

/// Wants exit code 2 and words wherever `make` made a file.
fn refused_everywhere(make: impl Fn(&std::path::Path), words: &str) {
    for place in PLACES {
        let project = project();
        make(&project.path("X"));
        make(&project.path("templates/runbook/page.md"));
        let (code, said) = run(&project, place);
        assert_eq!(code, Some(2), "{place:?}\n{said}");
        // A link to a device leads a baseline out of the project.
        let fits = [
            words,
            "the baseline must be in or below the folder of slosmith.toml",
        ];
        let told = fits.iter().any(|words| said.contains(words));
        assert!(told, "{place:?}: no `{words}`\n{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_fifo_is_refused_and_never_waited_for() {
    let make = |path: &std::path::Path| {
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo").success());
    };
    refused_everywhere(make, "this is a FIFO, not a file");
}

#[cfg(unix)]
#[test]
fn a_device_is_refused() {
    let make = |path: &std::path::Path| {
        std::os::unix::fs::symlink("/dev/zero", path).expect("a link");
    };
    refused_everywhere(make, "this is a device, not a file");
}

#[test]
fn a_file_has_a_largest_size() {
    let make = |path: &std::path::Path| {
        let file = std::fs::File::create(path).expect("a file");
        file.set_len((256 << 20) + 1).expect("a length");
    };
    refused_everywhere(make, "larger than the limit of");
}

#[cfg(unix)]
#[test]
fn in_a_walk_only_files_are_read() {
    let project = project();
    for name in ["fifo.yaml", "specs/fifo.yaml"] {
        let made = Command::new("mkfifo").arg(project.path(name)).status();
        assert!(made.expect("mkfifo").success());
    }
    project.write("slosmith.toml", "");
    project.remove("load.yaml");
    let (code, said) = run(&project, &["lint", "."]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run(&project, &["build"]);
    assert_eq!(code, Some(0), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_shell_hands_over_is_read() {
    let project = project();
    project.write("slosmith.toml", "");
    project.write("page.prom", "vllm:num_requests_waiting 1\n");
    for line in [
        "cat page.prom | $S health - --spec specs/svc.yaml --fail-on never",
        "cat page.prom | $S health /dev/stdin --spec specs/svc.yaml --fail-on never",
        "$S health <(cat page.prom) --spec specs/svc.yaml --fail-on never",
        "$S lint <(cat rules.yaml)",
        "cat rules.yaml | $S lint /dev/stdin",
        "$S lint --fix /dev/stdin < rules.yaml",
    ] {
        let mut shell = Command::new("bash");
        shell.env("S", env!("CARGO_BIN_EXE_slosmith"));
        let done = shell.args(["-c", line]).current_dir(project.path("."));
        let done = done.output().expect("bash");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{line}\n{said}");
    }
    let line = "$S health - --spec specs/svc.yaml < /dev/zero";
    let mut shell = Command::new("bash");
    shell.env("S", env!("CARGO_BIN_EXE_slosmith"));
    let done = shell
        .args(["-c", line])
        .current_dir(project.path("."))
        .output();
    let done = done.expect("bash");
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        said.contains("cannot read standard input: larger than the limit of 64 MiB"),
        "{said}"
    );
}
