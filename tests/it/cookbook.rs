//! `docs/cookbook.md`: every command of every recipe, in a project of its own.

use crate::project::Project;
use crate::start::{commands, page};

/// A rule file for vLLM 0.10.
const RULES: &str = "\
groups:
  - name: vllm
    rules:
      - alert: CacheFull
        expr: vllm:gpu_cache_usage_perc > 0.95
        for: 5m
      - alert: SlowTokens
        expr: rate(vllm:num_requests_waiting[5m]) > 1
        for: 5m
";

fn project() -> Project {
    let project = Project::empty();
    let server = page("0.33.0");
    let init = ["init", "--name=chat", "--ci=none", "--metrics", &server];
    project.run(&init).exits(0);
    project.write("rules/vllm.yaml", RULES);
    let sloth = include_str!("../fixtures/import/sloth/file.yml");
    project.write("slos/shop.yml", sloth);
    project
}

/// The fenced blocks of a recipe: their language and text.
fn blocks(recipe: &str) -> Vec<(&str, &str)> {
    let fences = recipe.split("\n```").skip(1).step_by(2);
    fences
        .map(|fence| fence.split_once('\n').expect("a block"))
        .collect()
}

/// Writes an example to the file that its first line names.
fn write(project: &Project, text: &str) {
    let (first, rest) = text.split_once('\n').expect("lines");
    let name = first.strip_prefix("# ").expect("a file's name");
    match name.strip_prefix("add to ") {
        Some(name) => project.write(name, &format!("{}\n{rest}\n", project.read(name))),
        None => project.write(name, &format!("{rest}\n")),
    }
}

/// Runs the commands of a line with the exit code that it says; counts them.
fn run(project: &Project, line: &str) -> usize {
    let comment = line.split_once(" # ").map_or("", |(_, comment)| comment);
    let code = i32::from(comment.contains("exit code 1"));
    let server = page("0.33.0");
    let all = commands(line);
    for words in &all {
        let here = |word: &String| match word.starts_with("http:") {
            true => server.clone(),
            false => word.clone(),
        };
        let words: Vec<_> = words[1..].iter().map(here).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        project.run(&words).exits(code);
    }
    all.len()
}

#[test]
fn every_recipe_works() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cookbook.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let recipes: Vec<_> = page.split("\n## ").skip(1).collect();
    assert_eq!(recipes.len(), 7);
    let mut ran = 0;
    for recipe in recipes {
        let project = project();
        for (language, text) in blocks(recipe) {
            match language {
                "yaml" | "toml" => write(&project, text),
                "sh" => ran += text.lines().map(|line| run(&project, line)).sum::<usize>(),
                _ => {}
            }
        }
    }
    assert_eq!(ran, 12);
}
