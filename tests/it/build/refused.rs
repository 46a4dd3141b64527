//! A disk that says no.

use crate::project::Project;

/// Takes the right to write away; false where that stops nobody, as for root.
#[cfg(unix)]
fn closed(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o555)).unwrap();
    let probe = path.join("probe");
    let open = std::fs::write(&probe, "").is_ok();
    let _ = std::fs::remove_file(probe);
    !open
}

#[test]
#[cfg(unix)]
fn an_output_folder_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::built();
    let folder = project.path("generated");
    if closed(&folder) {
        project.edit("specs/svc.yaml", "800ms", "900ms");
        let before = project.snapshot("");
        project
            .run(&["build"])
            .exits(2)
            .says("generated")
            .says("ermission");
        assert_eq!(project.snapshot(""), before);
    }
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_place_that_cannot_be_is_named() {
    let project = Project::new();
    project.write("file", "");
    project
        .run(&["build", "--out", "file/deeper"])
        .exits(2)
        .says("file/deeper");
}

/// Builds while no file may grow beyond 8 KiB: writing fails, or with `kill` the process ends at once.
#[cfg(target_os = "linux")]
fn cramped(project: &Project, kill: bool) -> std::process::Output {
    let ignore = if kill { "" } else { "trap '' XFSZ;" };
    // Beside bash, shells count blocks of 512 bytes.
    let script = format!("{ignore} ulimit -f 16 && exec \"$0\" build");
    std::process::Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_slosmith")])
        .current_dir(project.path(""))
        .output()
        .unwrap()
}

/// A project whose first service is small, and whose second no longer fits.
#[cfg(target_os = "linux")]
fn growing() -> Project {
    let project = Project::new();
    let small = "apiVersion: slosmith/v1\nservice: {name: a}\n\
        signals: {up: {kind: gauge, unit: bool, across: min, prometheus: {metric: up}}}\n\
        records: {up: {signal: up}}\n";
    project.write("specs/a.yaml", small);
    project.run(&["build"]).exits(0);
    project.edit("specs/a.yaml", "{signal: up}", "{signal: up, stat: min}");
    project.edit("specs/svc.yaml", "800ms", "900ms");
    project
}

#[test]
#[cfg(unix)]
fn a_spec_that_cannot_be_read_is_no_spec_that_is_gone() {
    let project = Project::new();
    project.write("specs/other.yaml", &crate::project::spec("other"));
    project.run(&["build"]).exits(0);
    project.remove("specs/other.yaml");
    std::os::unix::fs::symlink("nowhere", project.path("specs/other.yaml")).unwrap();
    let before = project.snapshot("generated");
    project.run(&["build"]).exits(2).says("specs/other.yaml");
    assert_eq!(project.snapshot("generated"), before);
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_is_full_half_way_changes_nothing() {
    let project = growing();
    let before = project.snapshot("");
    let done = cramped(&project, false);
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains(": File too large"), "{said}");
    assert_eq!(project.snapshot(""), before);
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_that_is_killed_half_way_changes_nothing() {
    let project = growing();
    let before = project.snapshot("generated");
    let done = cramped(&project, true);
    assert_eq!(done.status.code(), None, "{done:?}");
    let mut after = project.snapshot("generated");
    after.retain(|path, _| !path.to_string_lossy().contains(".slosmith-"));
    let mut before = before;
    before.retain(|path, _| !path.to_string_lossy().contains(".slosmith-"));
    assert_eq!(after, before);
    project.run(&["build"]).exits(0);
    project.run(&["build", "--check"]).exits(0);
    let left = project.files("generated");
    assert!(
        !left.iter().any(|f| f.contains(".slosmith-staging")),
        "{left:?}"
    );
}
