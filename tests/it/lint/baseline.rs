//! What `baseline` may name, and what becomes of it.

use super::rules;
use crate::project::Project;

const DEAD: &str = "vllm:gpu_cache_usage_perc > 0.9";
const SECRET: &str = "password: hunter2\n";

fn project(baseline: &str) -> Project {
    let project = Project::empty();
    project.write("inside/rules.yaml", &rules(&[DEAD]));
    project.write("inside/notes.txt", SECRET);
    project.write("notes.txt", SECRET);
    project.write(
        "inside/slosmith.toml",
        &format!("baseline = \"{baseline}\"\n"),
    );
    project
}

/// Lints in the inner folder, with and without writing; nothing may change, and nothing be shown of the file.
fn is_refused(project: &Project, words: &str) {
    let before = project.snapshot(".");
    let config = ["--config", "inside/slosmith.toml"];
    let formats = ["human", "concise", "json", "sarif", "junit", "github"];
    for more in [&[][..], &["--write-baseline"]] {
        for format in formats {
            let args = ["lint", "inside/rules.yaml", "--format", format];
            let ran = project.run(&[&args[..], &config, more].concat()).exits(2);
            let said = format!("{}{}", ran.out, ran.err);
            assert!(said.contains(words), "no `{words}` in:\n{said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
    assert!(project.snapshot(".") == before, "something was written");
}

#[test]
fn a_file_that_is_no_baseline_is_neither_replaced_nor_shown() {
    for file in ["notes.txt", "rules.yaml", "slosmith.toml"] {
        is_refused(&project(file), "is not a baseline");
    }
    let project = project("other.json");
    let texts = [
        "",
        "{}",
        "{\"password\": \"hunter2\"}",
        "{\"schemaVersion\": 1, \"scheme\": \"hunter2\", \"findings\": []}",
        "{\"schemaVersion\": \"hunter2\"}",
    ];
    for text in texts {
        project.write("inside/other.json", text);
        is_refused(&project, "baseline");
    }
}

#[test]
#[ignore = "ci"]
fn a_baseline_lies_below_its_configuration() {
    let words = "in or below the folder of slosmith.toml";
    for path in [
        "../notes.txt",
        "../new.json",
        "a/../../notes.txt",
        "/etc/passwd",
    ] {
        is_refused(&project(path), words);
    }
    let absolute = project("none");
    let path = absolute.path("notes.txt");
    absolute.write(
        "inside/slosmith.toml",
        &format!("baseline = \"{}\"\n", path.display()),
    );
    is_refused(&absolute, words);
}

#[cfg(unix)]
#[test]
fn a_link_leads_no_baseline_out() {
    use std::os::unix::fs::symlink;
    let words = "in or below the folder of slosmith.toml";
    let known = project("known.json");
    let run = [
        "lint",
        "--config",
        "inside/slosmith.toml",
        "inside/rules.yaml",
    ];
    known
        .run(&[&run[..], &["--write-baseline"]].concat())
        .exits(0);
    let text = known.read("inside/known.json");
    let project = project("link.json");
    for target in ["../notes.txt", "../known.json", "../new.json"] {
        project.write("known.json", &text);
        let _ = std::fs::remove_file(project.path("inside/link.json"));
        symlink(target, project.path("inside/link.json")).expect("a link");
        if target == "../new.json" {
            // A link to nothing yet: only writing is refused, there is nothing to read.
            let write = [&run[..], &["--write-baseline"]].concat();
            project.run(&write).exits(2);
            assert!(!project.has("new.json"));
        } else {
            is_refused(&project, words);
        }
    }
    let folder = self::project("folder/known.json");
    folder.write("away/known.json", &text);
    symlink("../away", folder.path("inside/folder")).expect("a link");
    is_refused(&folder, words);
}

#[test]
fn baselines_of_other_versions_are_written_again() {
    let project = project("known.json");
    let run = [
        "lint",
        "--config",
        "inside/slosmith.toml",
        "inside/rules.yaml",
    ];
    let write = [&run[..], &["--write-baseline"]].concat();
    let old = "{\"schemaVersion\": 0, \"scheme\": \"slosmith/v0\", \"findings\": [], \"more\": 1}";
    project.write("inside/known.json", old);
    let ran = project.run(&run).exits(2);
    assert!(ran.out.contains("another slosmith version"), "{}", ran.out);
    project.run(&write).exits(0);
    project.run(&run).exits(0);
}

#[test]
fn a_part_of_the_tree_keeps_the_entries_of_the_rest() {
    let project = project("known.json");
    project.write("inside/more/a.yaml", &rules(&[DEAD]));
    project.write("inside/gone.yaml", &rules(&[DEAD]));
    let lint = |path: &str, more: &[&str], code: i32| {
        let run = ["lint", "--config", "inside/slosmith.toml", path];
        project.run(&[&run[..], more].concat()).exits(code)
    };
    lint("inside", &["--write-baseline"], 0).says("3 findings");
    project.remove("inside/gone.yaml");
    project.write(
        "inside/more/a.yaml",
        &rules(&["vllm:num_requests_waiting > 1"]),
    );
    lint("inside/more", &["--write-baseline"], 0).says("1 finding");
    let text = project.read("inside/known.json");
    assert!(
        text.contains("rules.yaml") && !text.contains("more/a.yaml"),
        "{text}"
    );
    lint("inside", &[], 0);
}

#[test]
fn what_cannot_be_read_becomes_no_baseline() {
    let project = project("known.json");
    std::fs::create_dir(project.path("inside/folder.json")).expect("a folder");
    let too_large = std::fs::File::create(project.path("inside/large.yaml")).expect("a file");
    too_large.set_len((64 << 20) + 1).expect("a length");
    let run = ["lint", "--config", "inside/slosmith.toml", "inside"];
    project
        .run(&[&run[..], &["--write-baseline"]].concat())
        .exits(2)
        .says("the baseline was not written");
    assert!(!project.has("inside/known.json"));
}
