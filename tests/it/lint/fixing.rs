//! `--fix`, `--unsafe-fixes` and `--diff`.

use super::rules;
use crate::project::Project;

fn project() -> Project {
    let project = Project::new();
    let text = rules(&[
        "vllm:gpu_cache_usage_perc   >   90   # keeps its layout",
        "'vllm:gpu_cache_usage_perc{job=\"a\"} > 0.5'",
        "vllm:gpu_prefix_cache_hit_rate < 0.5",
    ]);
    project.write("a.yaml", &text);
    project
}

#[test]
fn safe_fixes_leave_nothing_fixable() {
    let project = project();
    project
        .run(&["lint", "--vllm", "0.33.0", "a.yaml", "--fix"])
        .exits(1)
        .says("3 findings fixed");
    let text = project.read("a.yaml");
    for words in [
        "expr: vllm:kv_cache_usage_perc   >   0.9   # keeps its layout",
        "expr: 'vllm:kv_cache_usage_perc{job=\"a\"} > 0.5'",
        "expr: vllm:gpu_prefix_cache_hit_rate < 0.5",
    ] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    let before = project.snapshot("a.yaml");
    project
        .run(&["lint", "--vllm", "0.33.0", "a.yaml", "--fix"])
        .exits(1)
        .says("0 findings fixed");
    assert_eq!(project.snapshot("a.yaml"), before);
}

#[test]
fn unsafe_fixes_are_asked_for() {
    let project = project();
    let before = project.snapshot(".");
    project
        .run(&["lint", "--vllm", "0.33.0", "a.yaml", "--unsafe-fixes"])
        .exits(1);
    assert_eq!(project.snapshot("."), before, "written without `--fix`");
    project
        .run(&[
            "lint",
            "--vllm",
            "0.33.0",
            "a.yaml",
            "--fix",
            "--unsafe-fixes",
        ])
        .exits(0)
        .says("4 findings fixed");
    let ratio = "(rate(vllm:prefix_cache_hits_total[5m]) / rate(vllm:prefix_cache_queries_total[5m])) < 0.5";
    assert!(
        project.read("a.yaml").contains(ratio),
        "{}",
        project.read("a.yaml")
    );
}

#[test]
fn a_diff_writes_nothing() {
    let project = project();
    let before = project.snapshot(".");
    let ran = project
        .run(&["lint", "--vllm", "0.33.0", "a.yaml", "--diff"])
        .exits(1)
        .says("3 findings can be fixed");
    assert!(
        ran.out.starts_with("--- a/a.yaml\n+++ b/a.yaml\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("\n-        expr: vllm:gpu_cache_usage_perc   >   90"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("\n+        expr: vllm:kv_cache_usage_perc   >   0.9"),
        "{}",
        ran.out
    );
    assert_eq!(project.snapshot("."), before);
}

#[test]
fn fixes_reach_into_nested_text() {
    let board = r#"{"title": "D", "panels": [{"type": "stat", "title": "T", "targets": [{"expr": "max(vllm:gpu_cache_usage_perc{model_name=\"$m\"})"}]}]}"#;
    let inner = serde_json::to_string(board).expect("JSON");
    let map = format!("kind: ConfigMap\ndata:\n  a.json: {inner}\n  b.json: |\n    {board}\n");
    let project = Project::new();
    project.write("map.yaml", &map);
    project
        .run(&[
            "lint",
            "--vllm",
            "0.33.0",
            "map.yaml",
            "--fix",
            "--level",
            "panel-without-unit=off",
        ])
        .exits(0);
    let mended = map.replace("vllm:gpu", "vllm:kv");
    assert_eq!(project.read("map.yaml"), mended);
}

#[test]
fn markdown_is_mended_in_its_fences() {
    let project = Project::new();
    let text = "# Runbook\n\nvllm:gpu_cache_usage_perc is a word.\n\n- step\n  ```promql\n  max(\n    vllm:gpu_cache_usage_perc\n  )\n  ```\n";
    project.write("a.md", text);
    project
        .run(&["lint", "--vllm", "0.33.0", "a.md", "--fix"])
        .exits(0);
    let mended = text.replace("    vllm:gpu", "    vllm:kv");
    assert_eq!(project.read("a.md"), mended);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_not_written_through() {
    use std::os::unix::fs::symlink;
    let text = rules(&["vllm:gpu_cache_usage_perc > 0.5"]);
    let mended = text.replace("vllm:gpu", "vllm:kv");
    let project = Project::empty();
    project.write("outside/a.yaml", &text);
    project.write("outside/link/a.yaml", &text);
    project.write("inside/slosmith.toml", "");
    project.write("inside/b.yaml", &text);
    symlink("../outside/a.yaml", project.path("inside/a.yaml")).expect("a link");
    symlink("b.yaml", project.path("inside/c.yaml")).expect("a link");
    symlink("../outside/link", project.path("inside/link")).expect("a link");
    let before = project.snapshot("outside");
    for named in [
        "inside",
        "inside/a.yaml",
        "inside/link",
        "inside/link/a.yaml",
    ] {
        project
            .run(&[
                "lint",
                "--vllm",
                "0.33.0",
                "--fix",
                "--config",
                "inside/slosmith.toml",
                named,
            ])
            .exits(2)
            .says("outside the project")
            .says("the file was not changed");
        assert_eq!(project.snapshot("outside"), before, "{named}");
    }
    // A link inside the project is followed, and what is named outside it is meant.
    assert_eq!(project.read("inside/b.yaml"), mended);
    let named = ["inside/c.yaml", "outside/a.yaml", "outside/link"];
    let run = [
        "lint",
        "--vllm",
        "0.33.0",
        "--fix",
        "--config",
        "inside/slosmith.toml",
    ];
    project.run(&[&run[..], &named].concat()).exits(0);
    assert_eq!(project.read("outside/a.yaml"), mended);
    assert_eq!(project.read("outside/link/a.yaml"), mended);
    assert!(project.path("inside/c.yaml").is_symlink());
}

#[cfg(unix)]
#[test]
fn two_paths_to_a_file_are_one_file() {
    use std::os::unix::fs::symlink;
    let project = Project::new();
    let text = rules(&["vllm:gpu_cache_usage_perc > 0.9"]);
    project.write("b/rules.yaml", &text);
    symlink("b/rules.yaml", project.path("a.yaml")).expect("a link");
    symlink("b", project.path("c")).expect("a link");
    let whole = project.path("b").to_string_lossy().into_owned();
    for paths in [
        &["."][..],
        &["c", "b"],
        &["a.yaml", "b/rules.yaml", "./b/../a.yaml"],
        &["b", &whole],
    ] {
        project.write("b/rules.yaml", &text);
        let ran =
            project.run(&[&["lint", "--vllm", "0.33.0", "--format", "concise"], paths].concat());
        let ran = ran.exits(1).says("Found 1 error");
        assert_eq!(ran.out.matches("removed-metric").count(), 1, "{paths:?}");
        project
            .run(&[&["lint", "--vllm", "0.33.0", "--fix"], paths].concat())
            .exits(0)
            .says("1 finding fixed");
        assert!(project.path("a.yaml").is_symlink());
    }
}

/// `--fix` writes a new file in place of the old one, so each name of a hard-linked file is a file of its own.
#[cfg(unix)]
#[test]
fn hard_links_are_separate_files() {
    let project = Project::new();
    let text = rules(&["vllm:gpu_cache_usage_perc > 0.9"]);
    project.write("a.yaml", &text);
    std::fs::hard_link(project.path("a.yaml"), project.path("b.yaml")).expect("a link");
    let run = ["lint", "--vllm", "0.33.0", "--fix", "a.yaml", "b.yaml"];
    project.run(&run).exits(0).says("2 findings fixed");
    for name in ["a.yaml", "b.yaml"] {
        assert!(project.read(name).contains("kv_cache_usage_perc"), "{name}");
    }
}
