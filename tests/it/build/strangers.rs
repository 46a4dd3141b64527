//! Files of other people in our folders are never touched.

use crate::project::{Project, spec};

/// Strange things in a service folder, all of which must outlive a build.
#[cfg(unix)]
fn invite(project: &Project) {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    project.write("generated/svc/README.md", "mine\n");
    project.write("generated/svc/prometheus/rules/own.yaml", "groups: []\n");
    project.write("generated/svc/scripts/deep/run.sh", "#!/bin/sh\n");
    let mode = |path: &str, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(project.path(path), mode).unwrap();
    };
    mode("generated/svc/scripts/deep/run.sh", 0o751);
    mode("generated/svc/README.md", 0o440);
    mode("generated/svc/scripts", 0o750);
    std::fs::create_dir(project.path("generated/svc/empty")).unwrap();
    std::fs::create_dir(project.path("generated/svc/prometheus/empty")).unwrap();
    mode("generated/svc/prometheus/empty", 0o700);
    symlink("nowhere", project.path("generated/svc/dangling")).unwrap();
    symlink("../../specs", project.path("generated/svc/folder")).unwrap();
    let name = OsStr::from_bytes(b"not\xffutf8");
    std::fs::write(project.path("generated/svc").join(name), [0, 159]).unwrap();
}

/// A build that rewrites the folder.
fn change(project: &Project) {
    project.write("specs/svc.yaml", &spec("svc").replace("800ms", "900ms"));
    project.run(&["build"]).exits(0).says("written");
}

#[test]
#[cfg(unix)]
fn they_are_carried_over_as_they_are() {
    let project = Project::built();
    let ours = project.snapshot("generated/svc");
    invite(&project);
    let mut before = project.snapshot("generated/svc");
    before.retain(|path, _| !ours.contains_key(path));
    assert_eq!(before.len(), 10);
    change(&project);
    let mut after = project.snapshot("generated/svc");
    after.retain(|path, _| !ours.contains_key(path));
    assert_eq!(after, before);
    project.run(&["build", "--check"]).exits(0);
}

#[test]
#[cfg(unix)]
fn they_stay_when_their_service_goes() {
    let project = Project::built();
    project.write("specs/other.yaml", &spec("other"));
    let ours = project.snapshot("generated/svc");
    invite(&project);
    let mut before = project.snapshot("generated/svc");
    before.retain(|path, _| !ours.contains_key(path));
    project.remove("specs/svc.yaml");
    project.run(&["build"]).exits(0).says("svc: removed");
    let mut after = project.snapshot("generated/svc");
    after.retain(|path, _| !ours.contains_key(path));
    assert_eq!(after, before);
    assert!(!project.has("generated/svc/.slosmith-manifest"));
    assert!(!project.has("generated/svc/prometheus/scrape.yaml"));
    project.run(&["build", "--check"]).exits(0);
}

#[test]
fn a_strange_service_folder_is_none_of_ours() {
    let project = Project::new();
    project.write("generated/theirs/rules.yaml", "groups: []\n");
    project.write("generated/file.txt", "x\n");
    project.run(&["build"]).exits(0);
    assert!(project.has("generated/theirs/rules.yaml"));
    assert!(project.has("generated/file.txt"));
}

/// A build that must not change anything, because of what is at `path`.
fn refused(project: &Project, path: &str) {
    let before = project.snapshot("");
    project.run(&["build"]).exits(2).says(path);
    project.run(&["build", "--check"]).exits(2).says(path);
    assert_eq!(project.snapshot(""), before);
}

#[test]
fn one_at_the_path_of_ours_stops_the_whole_build() {
    let project = Project::new();
    project.write("specs/a-first.yaml", &spec("a-first"));
    let path = "generated/svc/prometheus/rules/alerts.yaml";
    project.write(path, "groups: []\n");
    refused(&project, path);
    assert!(!project.has("generated/a-first"));
}

#[test]
fn a_folder_at_the_path_of_ours_stops_the_build() {
    let project = Project::new();
    let path = "generated/svc/prometheus/scrape.yaml";
    project.write(&format!("{path}/x"), "");
    refused(&project, path);
}

#[test]
fn a_file_where_a_folder_must_be_stops_the_build() {
    for path in ["generated", "generated/svc", "generated/svc/prometheus"] {
        let project = Project::new();
        project.write(path, "a file\n");
        refused(&project, &format!("{path}: not a folder"));
    }
}

#[test]
#[cfg(unix)]
fn a_link_where_a_folder_must_be_stops_the_build() {
    for path in ["generated/svc", "generated/svc/prometheus"] {
        let project = Project::new();
        std::fs::create_dir_all(project.path("elsewhere")).unwrap();
        let link = project.path(path);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(project.path("elsewhere"), link).unwrap();
        refused(&project, &format!("{path}: not a folder"));
    }
}

#[test]
fn a_strange_manifest_stops_the_build() {
    let project = Project::built();
    let path = "generated/svc/.slosmith-manifest";
    project.write(path, "a list of groceries\n");
    refused(&project, path);
    let project = Project::built();
    let manifest = project.read(path);
    project.write(path, &format!("{manifest}../../specs/svc.yaml\n"));
    refused(&project, path);
}

#[test]
fn one_that_says_what_ours_would_say_is_taken_over() {
    let project = Project::built();
    project.remove("generated/svc/.slosmith-manifest");
    change_to_the_same(&project);
}

fn change_to_the_same(project: &Project) {
    let before = project.snapshot("generated/svc");
    project.run(&["build"]).exits(0);
    let mut after = project.snapshot("generated/svc");
    after.remove(std::path::Path::new(".slosmith-manifest"));
    assert_eq!(after, before);
}
