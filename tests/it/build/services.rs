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
        .says("other: stale");
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

#[test]
fn leftovers_of_a_killed_build_are_no_services() {
    let project = Project::built();
    project.write("generated/.svc.new.4711/.slosmith-manifest", "");
    project.write("generated/.svc.slosmith-new/.slosmith-manifest", "");
    project.run(&["build", "--check"]).exits(0);
    project.run(&["build"]).exits(0).says("up to date");
}

#[test]
fn leftovers_of_a_killed_build_are_cleared_away() {
    let project = Project::built();
    project.write("generated/.svc.slosmith-new/x", "");
    project.write("generated/.other.slosmith-new/x", "");
    project.write("generated/.svc.slosmith-old/x", "");
    project.edit("specs/svc.yaml", "800ms", "900ms");
    project.run(&["build"]).exits(0);
    let mut names: Vec<_> = std::fs::read_dir(project.path("generated"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["svc"]);
}

#[test]
fn a_folder_that_a_killed_build_moved_away_comes_back_with_its_strangers() {
    let project = Project::built();
    project.write("generated/svc/mine.txt", "mine");
    let (home, away) = (
        project.path("generated/svc"),
        project.path("generated/.svc.slosmith-old"),
    );
    std::fs::rename(home, &away).unwrap();
    project.run(&["build"]).exits(0);
    assert_eq!(project.read("generated/svc/mine.txt"), "mine");
    assert!(!away.exists());
    project.run(&["build", "--check"]).exits(0);
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
