//! What goes when specs and objectives go.

use crate::project::{Project, spec};

#[test]
fn an_objective_that_is_gone_takes_its_files_along() {
    let project = Project::built();
    let file = "generated/svc/prometheus/rules/slo-waiting.yaml";
    assert!(project.has(file));
    let text = spec("svc");
    let (start, end) = (
        text.find("  waiting:").unwrap(),
        text.find("alerts:").unwrap(),
    );
    project.write("specs/svc.yaml", &(text[..start].to_owned() + &text[end..]));
    let ran = project.run(&["build", "--check"]).exits(1);
    let header = format!("--- {file}\n+++ /dev/null\n");
    assert!(ran.out.contains(&header), "{}", ran.out);
    assert!(project.has(file));
    project.run(&["build"]).exits(0);
    assert!(!project.has(file));
    project.run(&["build", "--check"]).exits(0);
}

#[test]
fn a_spec_that_is_gone_takes_its_service_along() {
    let project = Project::new();
    project.write("specs/other.yaml", &spec("other"));
    project.run(&["build"]).exits(0).says("2 services");
    let before = project.snapshot("generated/svc");
    project.remove("specs/other.yaml");
    project
        .run(&["build", "--check"])
        .exits(1)
        .says("other: to remove");
    assert!(project.has("generated/other"));
    project.run(&["build"]).exits(0).says("other: removed");
    assert!(!project.has("generated/other"));
    assert_eq!(project.snapshot("generated/svc"), before);
}

#[test]
fn one_spec_named_leaves_other_services_alone() {
    let project = Project::new();
    project.write("specs/other.yaml", &spec("other"));
    project.run(&["build"]).exits(0);
    let before = project.snapshot("generated/other");
    project.remove("specs/other.yaml");
    project.run(&["build", "specs/svc.yaml"]).exits(0);
    assert_eq!(project.snapshot("generated/other"), before);
}

#[test]
fn the_same_spec_named_twice_is_built_once() {
    let project = Project::new();
    let args = ["build", "specs/svc.yaml", "specs", "specs/svc.yaml"];
    project.run(&args).exits(0).says("1 service in");
}

#[test]
#[cfg(unix)]
fn specs_behind_links_are_specs() {
    let project = Project::new();
    std::fs::create_dir_all(project.path("mounted/..data")).unwrap();
    std::fs::rename(
        project.path("specs/svc.yaml"),
        project.path("mounted/..data/svc.yaml"),
    )
    .unwrap();
    let link = project.path("mounted/svc.yaml");
    std::os::unix::fs::symlink("..data/svc.yaml", link).unwrap();
    project
        .run(&["build", "mounted"])
        .exits(0)
        .says("1 service in");
}

/// What a build leaves that was killed before it exchanged anything, or between two renames (`old`).
fn killed(project: &Project, old: bool) -> String {
    let slot = "generated/.slosmith-staging-4711-0/1.svc";
    let place = if old { "old" } else { "new" };
    std::fs::create_dir_all(project.path(slot)).unwrap();
    let to = project.path(&format!("{slot}/{place}"));
    std::fs::create_dir_all(project.path("generated/.slosmith-trash-4711-0/1.a/new")).unwrap();
    let live = project.path("generated/svc");
    if old {
        std::fs::rename(live, to).unwrap();
    } else {
        let links = std::process::Command::new("cp")
            .arg("-al")
            .args([live, to])
            .status();
        assert!(links.unwrap().success());
    }
    slot.to_owned()
}

/// Everything in the output folder.
fn names(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.path("generated")).unwrap();
    let names = entries.map(|e| e.unwrap().file_name());
    let mut names: Vec<_> = names.map(|n| n.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn leftovers_of_a_killed_build_are_no_services() {
    let project = Project::built();
    killed(&project, false);
    let before = project.snapshot("");
    project.run(&["build", "--check"]).exits(0);
    assert_eq!(project.snapshot(""), before);
}

#[test]
fn leftovers_of_a_killed_build_are_cleared_away_by_one_with_nothing_to_do() {
    let project = Project::built();
    project.write("generated/svc/mine.txt", "mine");
    let before = project.snapshot("generated/svc");
    killed(&project, false);
    project.run(&["build"]).exits(0).says("up to date");
    assert_eq!(names(&project), ["svc"]);
    assert_eq!(project.snapshot("generated/svc"), before);
}

#[test]
fn a_folder_that_a_killed_build_moved_away_comes_back_with_its_strangers() {
    let project = Project::built();
    project.write("generated/svc/mine.txt", "mine");
    let before = project.snapshot("generated/svc");
    killed(&project, true);
    project.run(&["build"]).exits(0).says("up to date");
    assert_eq!(names(&project), ["svc"]);
    assert_eq!(project.snapshot("generated/svc"), before);
}

#[test]
fn what_only_a_leftover_holds_goes_back_unless_it_is_ours() {
    let project = Project::built();
    let slot = killed(&project, false);
    project.write(&format!("{slot}/new/deep/only.txt"), "only here");
    let stale = format!("{slot}/new/prometheus/rules/gone.yaml");
    project.write(&stale, "groups: []");
    let manifest = format!("{slot}/new/.slosmith-manifest");
    let listed = project.read(&manifest) + "prometheus/rules/gone.yaml\n";
    project.remove(&manifest);
    project.write(&manifest, &listed);
    project.run(&["build"]).exits(0);
    assert_eq!(project.read("generated/svc/deep/only.txt"), "only here");
    assert!(!project.has("generated/svc/prometheus/rules/gone.yaml"));
    assert_eq!(names(&project), ["svc"]);
}

#[test]
fn of_two_versions_of_a_file_of_others_the_later_one_stays() {
    for (path, wanted) in [("generated/svc/mine.txt", "live"), ("new/mine.txt", "left")] {
        let project = Project::built();
        let slot = killed(&project, false);
        let left = format!("{slot}/new/mine.txt");
        project.write("generated/svc/mine.txt", "live");
        project.write(&left, "left");
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        let newest = if path == "new/mine.txt" {
            left.as_str()
        } else {
            path
        };
        let file = std::fs::File::options()
            .write(true)
            .open(project.path(newest));
        file.unwrap().set_modified(later).unwrap();
        project.run(&["build"]).exits(0);
        assert_eq!(project.read("generated/svc/mine.txt"), wanted);
        assert_eq!(names(&project), ["svc"]);
    }
}

#[test]
fn what_only_looks_like_a_leftover_is_left_alone() {
    let project = Project::built();
    project.write("generated/.slosmith-staging-x", "a file");
    project.write("generated/.x.slosmith-new", "a file");
    project.write(
        "generated/.slosmith-staging-1-0/no.tes/own.txt",
        "somebody's",
    );
    let before = project.snapshot("generated");
    project
        .run(&["build"])
        .exits(0)
        .says("warning: cannot remove files of an interrupted build")
        .says("no.tes: not a file of slosmith");
    assert_eq!(project.snapshot("generated"), before);
    project.write(
        "generated/svc/prometheus/tests/alert-new.yaml",
        "somebody's",
    );
    project.edit("specs/svc.yaml", "SlowQueue", "New");
    let failed = project
        .run(&["build"])
        .exits(2)
        .says("not generated by slosmith");
    failed.says("warning: cannot remove files of an interrupted build");
    project.remove("generated/svc/prometheus/tests/alert-new.yaml");
    project.run(&["build"]).exits(0).says("written");
    assert_eq!(
        project.read("generated/.slosmith-staging-1-0/no.tes/own.txt"),
        "somebody's"
    );
}

#[test]
fn unit_tests_can_be_left_out() {
    let project = Project::built();
    let tests = "generated/svc/prometheus/tests";
    let rules = project.snapshot("generated/svc/prometheus/rules");
    assert!(project.has(tests));
    project.run(&["build", "--no-tests", "--check"]).exits(1);
    project.run(&["build", "--no-tests"]).exits(0);
    assert!(!project.has(tests));
    assert_eq!(project.snapshot("generated/svc/prometheus/rules"), rules);
    project.run(&["build", "--no-tests", "--check"]).exits(0);
    project.run(&["build", "--check"]).exits(1);
}
