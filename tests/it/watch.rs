//! `--watch`: a running command, and what it does about changes. Each step waits for what the command says.

mod command;
mod preview;

use std::process::Command;

use crate::project::{Project, spec};
use command::Watched;

/// The end of a build that failed.
const FAILED: &str = "failed after ";

fn watched(project: &Project, args: &[&str]) -> Watched {
    let all = [&["build", "--watch"], args].concat();
    let watched = Watched::start(project, &all);
    watched.until("watching ");
    watched
}

/// The same once it has built, and has seen what it wrote: what comes next is about the next change alone.
fn built(project: &Project, args: &[&str]) -> Watched {
    let watched = watched(project, args);
    watched.until("1 service in ");
    watched.is_silent();
    watched
}

/// Waits for a build, whose alerts have an owner.
fn owned(project: &Project, watched: &Watched, owner: &str) {
    watched.until("1 service in ");
    let alerts = project.read("generated/svc/prometheus/rules/alerts.yaml");
    assert!(alerts.contains(owner), "{alerts}");
}

#[test]
fn a_changed_spec_is_built_again() {
    let project = Project::new();
    let watched = built(&project, &[]);
    project.edit("specs/svc.yaml", "owner: team", "owner: others");
    assert_eq!(watched.next(), "specs/svc.yaml changed");
    owned(&project, &watched, "others");
}

#[test]
#[ignore = "ci"]
fn an_editor_may_rename_what_it_wrote_beside() {
    let project = Project::new();
    let watched = built(&project, &[]);
    for owner in ["first", "second"] {
        let text = spec("svc").replace("owner: team", &format!("owner: {owner}"));
        project.write("specs/4913", "");
        project.remove("specs/4913");
        project.write("specs/svc.yaml~", &text);
        let [from, to] = ["specs/svc.yaml~", "specs/svc.yaml"].map(|path| project.path(path));
        std::fs::rename(from, to).expect("renamed");
        assert_eq!(watched.next(), "specs/svc.yaml changed");
        owned(&project, &watched, owner);
    }
}

#[test]
fn specs_come_and_go() {
    let project = Project::new();
    let watched = built(&project, &[]);
    project.write("specs/team/other.yaml", &spec("other"));
    assert_eq!(watched.next(), "specs/team/other.yaml added");
    watched.until("2 services in ");
    assert!(project.has("generated/other"));
    project.remove("specs/team/other.yaml");
    assert_eq!(watched.next(), "specs/team/other.yaml removed");
    watched.until("1 service in ");
    assert!(!project.has("generated/other"));
}

#[test]
fn what_a_spec_extends_counts() {
    let project = Project::empty();
    let own = spec("svc").replace(", owner: team", "");
    project.write("specs/svc.yaml", &format!("extends: ../base.yaml\n{own}"));
    // It does not exist at first, and neither is it below a folder of specs.
    let watched = watched(&project, &[]);
    watched.until(FAILED);
    for owner in ["first", "second"] {
        let base = "apiVersion: slosmith/v1\nkind: defaults\nservice: {owner: ";
        project.write("base.yaml", &format!("{base}{owner}}}\n"));
        assert!(watched.next().starts_with("base.yaml "));
        owned(&project, &watched, owner);
    }
}

#[test]
fn a_broken_spec_is_shown_and_may_be_mended() {
    let project = Project::new();
    let watched = built(&project, &[]);
    project.edit("specs/svc.yaml", "owner: team", "ownr: team");
    let said = watched.until(FAILED);
    assert!(said.iter().any(|line| line.contains("ownr")), "{said:?}");
    project.edit("specs/svc.yaml", "ownr: team", "owner: team");
    assert_eq!(watched.next(), "specs/svc.yaml changed");
    watched.until("1 service in ");
}

#[test]
#[ignore = "ci"]
fn the_configuration_and_templates_count() {
    let project = Project::new();
    let watched = built(&project, &[]);
    project.write(
        "slosmith.toml",
        "[build]\nout = \"here\"\ntemplates = \"ours\"\n",
    );
    assert_eq!(watched.next(), "slosmith.toml added");
    let said = watched.until(FAILED);
    assert!(
        said.iter()
            .any(|line| line.contains("the folder `ours` does not exist")),
        "{said:?}"
    );
    std::fs::create_dir(project.path("ours")).expect("a folder");
    let page = include_str!("../../templates/runbook/page.md");
    project.write("ours/runbook/page.md", &format!("Ours\n\n{page}"));
    assert_eq!(watched.next(), "ours/runbook/page.md added");
    watched.until("1 service in ");
    let pages = project.files("here/svc");
    assert!(!pages.is_empty(), "{pages:?}");
    project.write("slosmith.toml", "[build\n");
    watched.until(FAILED);
    project.remove("slosmith.toml");
    watched.until("1 service in ");
}

#[test]
#[ignore = "ci"]
fn a_folder_of_specs_may_come_late_and_go() {
    let project = Project::empty();
    let watched = watched(&project, &[]);
    watched.until(FAILED);
    project.write("specs/svc.yaml", &spec("svc"));
    assert_eq!(watched.next(), "specs/svc.yaml added");
    watched.until("1 service in ");
    std::fs::rename(project.path("specs"), project.path("away")).expect("renamed");
    assert_eq!(watched.next(), "specs/svc.yaml removed");
    watched.until(FAILED);
    // Another folder of the same name.
    project.write("specs/svc.yaml", &spec("svc"));
    assert_eq!(watched.next(), "specs/svc.yaml added");
    watched.until("1 service in ");
    watched.is_silent();
    project.edit("specs/svc.yaml", "owner: team", "owner: others");
    assert_eq!(watched.next(), "specs/svc.yaml changed");
    watched.until("1 service in ");
}

#[test]
#[ignore = "ci"]
fn a_folder_of_specs_may_be_exchanged_at_once() {
    let project = Project::new();
    let other = spec("svc").replace("owner: team", "owner: others");
    project.write("next/svc.yaml", &other);
    let watched = built(&project, &[]);
    let rename = |from, to| std::fs::rename(project.path(from), project.path(to));
    rename("specs", "away").expect("renamed");
    rename("next", "specs").expect("renamed");
    assert!(watched.until(" in ")[0].contains("specs/svc.yaml"));
    watched.is_silent();
    project.edit("specs/svc.yaml", "owner: others", "owner: third");
    assert_eq!(watched.next(), "specs/svc.yaml changed");
    watched.until("1 service in ");
}

/// Wants one build at first and one for a change, where output is within what is watched.
#[track_caller]
fn builds_once_for_each_change(project: &Project, args: &[&str]) {
    let watched = built(project, args);
    project.edit("specs/svc.yaml", "owner: team", "owner: others");
    assert_eq!(watched.next(), "specs/svc.yaml changed");
    watched.until("1 service in ");
    watched.is_silent();
}

#[test]
#[ignore = "ci"]
fn what_it_writes_among_the_specs_is_no_change() {
    let project = Project::new();
    builds_once_for_each_change(&project, &["--out", "specs/generated"]);
    // Neither is it a spec for a build that does not watch.
    let ran = project.run(&["build", "--check", "--out", "specs/generated"]);
    ran.exits(0).says("1 service in ");
}

#[test]
#[ignore = "ci"]
fn what_it_writes_beside_the_specs_is_no_change() {
    builds_once_for_each_change(&Project::new(), &["--out", "."]);
}

#[cfg(unix)]
#[test]
#[ignore = "ci"]
fn what_it_writes_behind_a_link_is_no_change() {
    let project = Project::new();
    std::fs::create_dir(project.path("specs/real")).expect("a folder");
    std::os::unix::fs::symlink("specs/real", project.path("link")).expect("a link");
    builds_once_for_each_change(&project, &["--out", "link"]);
}

#[cfg(unix)]
#[test]
fn a_spec_behind_a_link_counts() {
    let project = Project::empty();
    project.write("elsewhere/svc.yaml", &spec("svc"));
    std::fs::create_dir(project.path("specs")).expect("a folder");
    let link = project.path("specs/svc.yaml");
    std::os::unix::fs::symlink("../elsewhere/svc.yaml", link).expect("a link");
    let watched = built(&project, &[]);
    project.edit("elsewhere/svc.yaml", "owner: team", "owner: others");
    assert_eq!(watched.next(), "specs/svc.yaml changed");
    watched.until("1 service in ");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let project = Project::new();
    let refused = |args: &[&str], words| drop(project.run(args).exits(2).says(words));
    refused(&["build", "--watch", "--check"], "cannot be used with");
    refused(&["build", "--watch", "--vllm", "x"], "`--vllm`");
    refused(&["build", "--watch", "/dev/stdin"], "can be read only once");
    refused(&["preview", "--watch", "--out", "x"], "cannot be used with");
    refused(&["preview", "--port", "1"], "--watch");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_as_it_ends_other_programs() {
    use std::os::unix::process::ExitStatusExt;
    let project = Project::new();
    let mut watched = built(&project, &[]);
    let id = watched.child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("kill").success());
    // Shells say 130.
    assert_eq!(watched.child.wait().expect("ended").signal(), Some(2));
}
