//! Files that begin with a byte order mark, and files in encodings that are not ours.

use crate::project::Project;

const MARK: &str = "\u{feff}";

/// What a run prints does not change by a byte order mark in one file.
fn same(path: &str, text: &str, args: &[&str]) {
    let project = Project::new();
    project.write(path, text);
    let plain = project.run(args);
    project.write(path, &format!("{MARK}{text}"));
    let marked = project.run(args);
    assert_eq!(plain.code, marked.code, "{args:?} {text:?}: {}", marked.err);
    assert_eq!(
        (plain.out, plain.err),
        (marked.out.replace(MARK, ""), marked.err),
        "{text:?}"
    );
}

/// Specs of every shape; a plain run has two of them.
const SPECS: [&str; 9] = [
    "",
    "a: é: b",
    "a: 1",
    "é: 1",
    "# c",
    "- é",
    "[é]",
    "'é",
    "apiVersion: slosmith/v1\nx: é\n",
];

#[test]
fn specs() {
    each(&SPECS[..2]);
}

#[test]
#[ignore = "ci"]
fn more_specs() {
    each(&SPECS[2..]);
}

fn each(specs: &[&str]) {
    for text in specs {
        for args in [
            &["build", "specs/svc.yaml"][..],
            &["preview", "specs/svc.yaml"],
            &["lint", "specs/svc.yaml"],
            &["lint", "specs/svc.yaml", "--format", "github"],
            &["health", "/dev/null", "--spec", "specs/svc.yaml"],
            &["gate", "/dev/null", "--spec", "specs/svc.yaml"],
        ] {
            same("specs/svc.yaml", text, args);
        }
    }
}

#[test]
fn artifacts() {
    let rules =
        "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: vllm:gpu_cache_usage_perc > é\n";
    let fence = "```promql\nvllm:gpu_cache_usage_perc\n```\n";
    let suppressed = format!("# slosmith: allow-file(removed-metric) -- why\n{rules}");
    for (path, text) in [
        ("a.yaml", rules),
        ("a.yaml", &suppressed),
        ("a.md", fence),
        ("a.json", "{\"a\" 1}"),
    ] {
        same(path, text, &["lint", path]);
    }
}

#[test]
fn a_fixed_file_keeps_its_mark() {
    let project = Project::new();
    let text = format!(
        "{MARK}groups: [{{name: g, rules: [{{record: a, expr: vllm:gpu_cache_usage_perc}}]}}]\n"
    );
    project.write("a.yaml", &text);
    project
        .run(&["lint", "--vllm", "0.33.0", "a.yaml", "--fix"])
        .exits(0);
    let new = text.replace("gpu_cache_usage_perc", "kv_cache_usage_perc");
    assert_eq!(project.read("a.yaml"), new);
}

#[test]
fn a_suppression_in_the_first_line_goes_without_the_mark() {
    let project = Project::new();
    let rules = "groups: [{name: g, rules: [{record: a, expr: up}]}]\n";
    let comment = "# slosmith: allow-file(removed-metric) -- why\n";
    project.write("a.yaml", &format!("{MARK}{comment}{rules}"));
    project
        .run(&["lint", "a.yaml", "--fix", "--unsafe-fixes"])
        .exits(0);
    assert_eq!(project.read("a.yaml"), format!("{MARK}{rules}"));
}

#[test]
fn other_encodings_are_named() {
    let wide = |units: &[u16], bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        units.iter().flat_map(|u| bytes(*u)).collect()
    };
    let units: Vec<u16> = "\u{feff}a: 1\n".encode_utf16().collect();
    let project = Project::new();
    for (bytes, encoding) in [
        (wide(&units, u16::to_le_bytes), "UTF-16 (little-endian)"),
        (wide(&units, u16::to_be_bytes), "UTF-16 (big-endian)"),
        (
            wide(&units[1..], u16::to_le_bytes),
            "UTF-16 (little-endian)",
        ),
        (wide(&units[1..], u16::to_be_bytes), "UTF-16 (big-endian)"),
        (b"\xff\xfe\0\0a\0\0\0".to_vec(), "UTF-32 (little-endian)"),
        (b"\0\0\0a\0\0\0:".to_vec(), "UTF-32 (big-endian)"),
    ] {
        std::fs::write(project.path("specs/svc.yaml"), bytes).unwrap();
        let said = format!("the file is encoded in {encoding}");
        project.run(&["build"]).exits(2).says(&said);
        let linted = project.run(&["lint", "specs/svc.yaml"]).exits(2);
        assert!(linted.out.contains(&said), "{}", linted.out);
    }
}
