//! `slosmith build`: two services change, one goes, and files of other people are in all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use libtest_mimic::Trial;

use super::strace::{CHANGES, Fault, Injection, LOOKS, faults};
use crate::project::{Project, Ran};

pub(crate) fn trials() -> Vec<Trial> {
    trials! {
        "faults",
        Strace:
            in_ci a_build_that_is_killed_anywhere_leaves_every_folder_whole,
            in_ci a_build_that_is_refused_anything_changes_nothing,
            slow a_build_survives_every_error,
            slow a_build_survives_every_kill,
            in_ci a_build_survives_every_look_that_fails;
    }
}

/// Calls by which a build brings folders to their places.
const MOVES: &[&str] = &[
    "mkdir",
    "rename",
    "renameat2",
    "linkat",
    "unlink",
    "unlinkat",
    "rmdir",
    "chmod",
    "flock",
];

/// One file or folder: what a person who looks for it finds.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

fn tree(project: &Project, path: &str) -> Tree {
    if !project.has(path) {
        return Tree::new();
    }
    let found = project.snapshot(path).into_iter();
    found.map(|(path, entry)| (path, entry.bytes)).collect()
}

fn small(name: &str) -> String {
    format!(
        "apiVersion: slosmith/v1\nservice: {{name: {name}}}\n\
         signals: {{up: {{kind: gauge, unit: bool, across: min, prometheus: {{metric: up}}}}}}\n\
         records: {{first: {{signal: up}}}}\n"
    )
}

/// The services, and which of them are there after the build.
const SERVICES: [(&str, bool); 3] = [("a", true), ("b", true), ("gone", false)];

/// Built once with files of other people in it, then changed.
fn project() -> Project {
    let project = Project::new();
    project.remove("specs/svc.yaml");
    for (name, _) in SERVICES {
        project.write(&format!("specs/{name}.yaml"), &small(name));
    }
    project.run(&["build"]).exits(0);
    for (name, stays) in SERVICES {
        project.write(&format!("generated/{name}/mine.txt"), "mine");
        project.write(
            &format!("generated/{name}/deep/er/mine.txt"),
            "mine as well",
        );
        match stays {
            true => project.edit(&format!("specs/{name}.yaml"), "first:", "second:"),
            false => project.remove(&format!("specs/{name}.yaml")),
        }
    }
    project
}

/// Each service before and after.
struct Truth {
    project: Project,
    before: Vec<Tree>,
    after: Vec<Tree>,
}

impl Truth {
    fn learn() -> Self {
        let changed = project();
        let project = changed.copy();
        let look = || SERVICES.map(|(name, _)| tree(&project, &format!("generated/{name}")));
        let before = look().to_vec();
        project.run(&["build"]).exits(0);
        let after = look().to_vec();
        assert!(before != after);
        Self {
            project: changed,
            before,
            after,
        }
    }

    fn one(&self, injection: &Injection<'_>) {
        let project = self.project.copy();
        let ran = injection.run(&project, &["build"]);
        self.is_whole(&project, &ran, &injection.to_string());
        let said = project.run(&["build"]).exits(0);
        assert!(self.now(&project) == self.after, "{injection}: {}", ran.err);
        let names: Vec<_> = std::fs::read_dir(project.path("generated"))
            .unwrap()
            .collect();
        assert_eq!(names.len(), 3, "{injection}: {names:?} {}", ran.err);
        assert!(!said.err.contains("warning"), "{injection}: {}", said.err);
        project.run(&["build", "--check"]).exits(0);
    }

    fn now(&self, project: &Project) -> Vec<Tree> {
        let look = |name: &str| tree(project, &format!("generated/{name}"));
        SERVICES.map(|(name, _)| look(name)).to_vec()
    }

    /// Every service is as it was or as it will be, and what the run said of that is true.
    fn is_whole(&self, project: &Project, ran: &Ran, what: &str) {
        let now = self.now(project);
        assert!(!ran.err.contains("panicked"), "{what}: {}", ran.err);
        match ran.code {
            Some(0) => assert!(now == self.after, "{what}: {}", ran.err),
            Some(2) => {
                let mute = what.contains("at write") && ran.err.is_empty();
                assert!(mute || ran.err.contains("error: "), "{what}: {}", ran.err);
                assert!(now == self.before, "{what}: {}", ran.err);
            }
            // The loader could not read a library: nothing has begun.
            Some(127) => assert!(now == self.before, "{what}"),
            Some(code) => panic!("{what}: exit code {code}: {}", ran.err),
            // A kill between two renames of a service without an exchange: the next build puts it back.
            None => {
                for (at, now) in now.iter().enumerate() {
                    let whole = [&self.before[at], &self.after[at]].contains(&now);
                    let away = now.is_empty() && !SERVICES[at].1;
                    assert!(whole || away, "{what}: {:?}", now.keys());
                }
            }
        }
    }
}

fn all(calls: &[&str], with: &[Fault]) {
    let truth = Truth::learn();
    assert!(faults(calls, with, |injection| truth.one(injection)) > 0);
}

fn a_build_that_is_killed_anywhere_leaves_every_folder_whole() {
    all(MOVES, &[Fault::Kill]);
}

fn a_build_that_is_refused_anything_changes_nothing() {
    all(MOVES, &[Fault::Error("EIO")]);
}

fn a_build_survives_every_look_that_fails() {
    all(LOOKS, &[Fault::Error("EIO")]);
}

// Every call that touches the disk, with all that it may say: about half an hour.

fn a_build_survives_every_error() {
    let errors = ["EIO", "ENOSPC", "EMFILE", "EPERM", "EACCES"].map(Fault::Error);
    all(CHANGES, &errors);
}

fn a_build_survives_every_kill() {
    all(CHANGES, &[Fault::Kill]);
}
