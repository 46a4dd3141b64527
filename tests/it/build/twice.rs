//! The same input gives the same bytes, and touches nothing that is right.

use crate::project::{Project, spec};

#[test]
fn the_first_build_writes_and_the_second_touches_nothing() {
    let project = Project::new();
    project.run(&["build"]).exits(0).says("written");
    let files = project.files("generated/svc");
    for wanted in [
        ".slosmith-manifest",
        "prometheus/alertmanager.yaml",
        "prometheus/prometheusrule.yaml",
        "prometheus/rules/alerts.yaml",
        "prometheus/rules/records.yaml",
        "prometheus/rules/slo-availability.yaml",
        "prometheus/scrape.yaml",
    ] {
        assert!(files.iter().any(|f| f == wanted), "{wanted} in {files:?}");
    }
    let before = project.snapshot("");
    project.run(&["build"]).exits(0).says("up to date");
    assert_eq!(project.snapshot(""), before);
}

#[test]
fn a_check_of_fresh_output_is_clean() {
    let project = Project::built();
    let before = project.snapshot("");
    let ran = project.run(&["build", "--check"]).exits(0);
    assert_eq!(ran.out, "");
    assert_eq!(project.snapshot(""), before);
}

#[test]
fn a_check_of_an_edited_file_shows_the_difference() {
    let project = Project::built();
    let path = "generated/svc/prometheus/rules/alerts.yaml";
    project.edit(path, "> 0.8", "> 0.9");
    let before = project.snapshot("");
    let ran = project
        .run(&["build", "--check"])
        .exits(1)
        .says("1 file out of date");
    let header = format!("--- {path}\n+++ {path}\n@@ ");
    assert!(ran.out.contains(&header), "{}", ran.out);
    for (sign, value) in [("-", "> 0.9"), ("+", "> 0.8")] {
        let shown = |line: &str| line.starts_with(sign) && line.contains(value);
        assert!(ran.out.lines().any(shown), "{sign} {value}: {}", ran.out);
    }
    assert_eq!(project.snapshot(""), before);
}

#[test]
fn a_build_mends_an_edited_file_and_touches_no_other() {
    let project = Project::built();
    let path = "generated/svc/prometheus/rules/alerts.yaml";
    let before = project.snapshot("generated");
    project.edit(path, "> 0.8", "> 0.9");
    project.run(&["build"]).exits(0).says("1 written");
    let mut after = project.snapshot("generated");
    let edited = std::path::Path::new("svc/prometheus/rules/alerts.yaml");
    assert_eq!(after[edited].bytes, before[edited].bytes);
    after.insert(edited.into(), before[edited].clone());
    assert_eq!(after, before);
}

#[test]
fn a_deleted_file_is_stale() {
    let project = Project::built();
    let path = "generated/svc/prometheus/scrape.yaml";
    project.remove(path);
    let ran = project.run(&["build", "--check"]).exits(1);
    let header = format!("--- /dev/null\n+++ {path}\n");
    assert!(ran.out.contains(&header), "{}", ran.out);
    assert!(!project.has(path));
}

#[test]
fn a_deleted_manifest_is_stale_and_comes_back() {
    let project = Project::built();
    let path = "generated/svc/.slosmith-manifest";
    let manifest = project.read(path);
    project.remove(path);
    project.run(&["build", "--check"]).exits(1);
    project.run(&["build"]).exits(0);
    assert_eq!(project.read(path), manifest);
}

#[test]
fn a_change_of_the_inputs_alone_changes_no_file() {
    let project = Project::built();
    let before = project.snapshot("generated/svc");
    project.edit("specs/svc.yaml", "service:", "# a comment\nservice:");
    project.run(&["build"]).exits(0).says("up to date");
    project.run(&["build", "--check"]).exits(0);
    assert_eq!(project.snapshot("generated/svc"), before);
    // What Git ignores remembers that there is nothing to do.
    let cache = "generated/.slosmith-cache";
    assert_eq!(project.read(&format!("{cache}/.gitignore")), "*\n");
    let (remembered, service) = (project.read(&format!("{cache}/inputs")), " svc\n");
    assert!(
        remembered.ends_with(service) && remembered.lines().count() == 1,
        "{remembered}"
    );
    let all = project.snapshot("generated");
    project.run(&["build"]).exits(0).says("up to date");
    assert_eq!(project.snapshot("generated"), all);
    // With another edit, it remembers this one; a torn memory is none.
    project.edit("specs/svc.yaml", "# a comment", "# another");
    project.write(&format!("{cache}/inputs"), "torn");
    project.run(&["build"]).exits(0).says("up to date");
    assert_ne!(project.read(&format!("{cache}/inputs")), remembered);
    assert_eq!(project.snapshot("generated/svc"), before);
}

#[test]
fn files_of_another_slosmith_are_told_where_they_differ() {
    let project = Project::built();
    let manifest = "generated/svc/.slosmith-manifest";
    let this = concat!("# slosmith ", env!("CARGO_PKG_VERSION"));
    project.edit(manifest, this, "# slosmith 0.0.1");
    let before = project.snapshot("generated");
    let same = project.run(&["build", "--check"]).exits(0);
    assert!(!same.err.contains("0.0.1"), "{}", same.err);
    project.run(&["build"]).exits(0);
    assert_eq!(project.snapshot("generated"), before);
    project.edit("specs/svc.yaml", "above: 800ms", "above: 700ms");
    let stale = project.run(&["build", "--check"]).exits(1);
    stale.says("built by slosmith 0.0.1 (");
    project.run(&["build"]).exits(0);
    assert!(project.read(manifest).contains(this));
}

#[test]
fn a_build_repairs_the_conflicts_of_a_merge() {
    let project = Project::built();
    let before = project.snapshot("generated");
    let files = [".slosmith-manifest", "prometheus/rules/alerts.yaml"];
    for file in files.map(|file| format!("generated/svc/{file}")) {
        let text = project.read(&file);
        let (first, rest) = text.split_once('\n').expect("two lines");
        let both = format!("{first}\n<<<<<<< HEAD\n{rest}=======\n{rest}>>>>>>> theirs\n");
        project.write(&file, &both);
    }
    project.run(&["build", "--check"]).exits(1);
    project.run(&["build"]).exits(0).says("1 written");
    let after = project.snapshot("generated");
    let bytes = after.iter().map(|(path, file)| (path, &file.bytes));
    assert!(bytes.eq(before.iter().map(|(path, file)| (path, &file.bytes))));
}

#[test]
fn nothing_built_yet_is_stale() {
    let project = Project::new();
    project.run(&["build", "--check"]).exits(1);
    assert!(!project.has("generated"));
}

#[test]
fn another_place_gets_the_same_bytes() {
    let project = Project::built();
    let args = ["build", "specs", "--out", "some where/else"];
    project.run(&args).exits(0);
    let files = project.files("generated");
    assert_eq!(project.files("some where/else"), files);
    for file in files {
        let at = |root: &str| project.read(&format!("{root}/{file}"));
        assert_eq!(at("generated"), at("some where/else"), "{file}");
    }
}

#[test]
fn one_target_named_is_what_a_full_build_writes() {
    let project = Project::built();
    let before = project.snapshot("");
    let args = ["build", "--target", "prometheus"];
    project.run(&args).exits(0).says("up to date");
    assert_eq!(project.snapshot(""), before);
}

#[test]
fn our_own_output_fits_its_schemas() {
    let project = Project::new();
    project.run(&["build", "--validate"]).exits(0);
}

#[test]
fn an_output_folder_behind_a_link_stays_behind_it() {
    let project = Project::new();
    std::fs::create_dir(project.path("real")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("real", project.path("generated")).unwrap();
    project.run(&["build"]).exits(0);
    project.write("specs/svc.yaml", &spec("svc").replace("800ms", "900ms"));
    project.run(&["build"]).exits(0).says("written");
    let link = project.path("generated").symlink_metadata().unwrap();
    assert!(link.is_symlink() || cfg!(not(unix)));
}

#[test]
fn a_reader_that_goes_away_does_not_make_stale_output_clean() {
    use std::process::{Command, Stdio};
    let project = Project::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .args(["build", "--check"])
        .current_dir(project.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn builds_at_the_same_time_do_not_meet() {
    let project = Project::new();
    for name in ["a", "b", "c", "d"] {
        project.write(&format!("specs/{name}.yaml"), &spec(name));
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| project.run(&["build"]).exits(0));
        }
    });
    project.run(&["build", "--check"]).exits(0);
    assert_eq!(
        std::fs::read_dir(project.path("generated"))
            .unwrap()
            .count(),
        5
    );
}
