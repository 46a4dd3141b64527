//! The commands of the docs: each runs, in the order of its page, and prints what the page shows.

use std::fmt::Write;

use crate::bundled::text as read;
use crate::project::Project;
use crate::start::{commands, page};
use crate::update;

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

/// The project that `slosmith init --name chat` makes, with rules and specs of other tools beside it.
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

/// The fenced blocks of a text: their language and body.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let fences = text.split("\n```").skip(1).step_by(2);
    fences
        .map(|fence| fence.split_once('\n').expect("a block"))
        .collect()
}

/// The file that the first line of an example names.
fn file(text: &str) -> Option<&str> {
    let name = text.lines().next()?.strip_prefix("# ")?;
    let path = name.strip_prefix("add to ").unwrap_or(name);
    let is_path = !path.contains(' ') && (path.ends_with(".yaml") || path.ends_with(".toml"));
    is_path.then_some(name)
}

/// Writes an example to the file that its first line names.
fn write(project: &Project, text: &str) {
    let name = file(text).expect("a file's name");
    match name.strip_prefix("add to ") {
        Some(name) => project.write(name, &format!("{}\n{text}\n", project.read(name))),
        None => project.write(name, &format!("{text}\n")),
    }
}

/// Runs the commands of a line with the exit code that its comment names; gives back what they print, in turn.
fn run(project: &Project, line: &str) -> Vec<String> {
    let comment = line.split_once(" # ").map_or("", |(_, comment)| comment);
    let code = i32::from(comment.contains("exit code 1"));
    let server = page("0.33.0");
    let mut printed = Vec::new();
    for words in commands(line) {
        let address = words.iter().find(|word| word.starts_with("http:"));
        let recorded = |word: &String| match word.starts_with("http:") {
            true => server.clone(),
            false => word.clone(),
        };
        let arguments: Vec<_> = words[1..].iter().map(recorded).collect();
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let ran = project.run(&arguments).exits(code);
        let text = ran.out + &ran.err;
        printed.push(text.replace(&server, address.map_or("", String::as_str)));
    }
    printed
}

/// A text without the time that a run took.
fn untimed(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once(" in ") {
        Some((before, time)) if time.ends_with("ms") || time.ends_with('s') => {
            let number = time.trim_end_matches(['m', 's', ' ']);
            match number.parse::<f64>() {
                Ok(_) => format!("{before} in 100 ms"),
                Err(_) => line.to_owned(),
            }
        }
        _ => line.trim_end().to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A console block as it should be: each `$` line, and below it what it prints.
fn console(project: &Project, block: &str, ran: &mut usize) -> String {
    let mut text = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let printed = run(project, &line[2..]);
        assert!(!printed.is_empty(), "{line}");
        *ran += printed.len();
        writeln!(text, "{line}").expect("a text");
        for printed in printed {
            let printed = untimed(printed.trim());
            if !printed.is_empty() {
                writeln!(text, "{printed}").expect("a text");
            }
        }
    }
    text
}

/// The quick start: its commands run in an empty folder, and the page shows what they print.
#[test]
fn the_quick_start_shows_what_its_commands_print() {
    let path = "docs/start.md";
    let text = read(path);
    let project = Project::empty();
    let mut ran = 0;
    let parts = text.split("\n```").enumerate();
    let parts = parts.map(|(at, part)| match (at % 2, part.split_once('\n')) {
        (1, Some(("console", block))) => {
            let printed = console(&project, block, &mut ran);
            format!("console\n{}", printed.trim_end())
        }
        (1, Some(("yaml", block))) => {
            write(&project, block);
            part.to_owned()
        }
        _ => part.to_owned(),
    });
    let wanted = parts.collect::<Vec<_>>().join("\n```");
    assert_eq!(ran, 8);
    update::check(path, &wanted);
    let names = |line: &str| {
        let name = line.split("─ ").nth(1)?.split(' ').next()?.to_owned();
        Some(name)
    };
    let (_, tree) = text
        .split_once("```text\ngenerated/chat\n")
        .expect("a tree");
    let tree = tree.split("```").next().expect("its lines");
    let made = project.files("generated/chat").join("\n");
    for name in tree.lines().filter_map(names) {
        assert!(made.contains(&name), "{name} in {made}");
    }
    let count = format!("writes {} files", made.lines().count() - 1);
    assert!(text.contains(&count), "{path} does not say: {count}");
}

/// Sections with commands that need no file of their own.
const RECIPES: [&str; 2] = ["Check these metrics", "Migrate from sloth in five steps"];

/// The recipes: sections with files and commands. Every command runs, in a project for each section.
#[test]
fn recipes_work() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let pages = std::fs::read_dir(docs).expect("docs");
    let pages = pages.map(|page| page.expect("a page").path());
    let mut found = Vec::new();
    let mut ran = 0;
    for page in pages.filter(|page| page.extension().is_some_and(|e| e == "md")) {
        // Its blocks are one project: another test runs them.
        if page.ends_with("start.md") {
            continue;
        }
        let text = std::fs::read_to_string(&page).expect("a page");
        for section in text.replace("\n### ", "\n## ").split("\n## ").skip(1) {
            let heading = section.lines().next().unwrap_or_default();
            let blocks = blocks(section);
            let has_files = blocks.iter().any(|(_, text)| file(text).is_some());
            let commands = blocks.iter().filter(|(language, _)| *language == "sh");
            let commands = commands.flat_map(|(_, text)| text.lines());
            if !(has_files || RECIPES.contains(&heading))
                || !commands.clone().any(|line| line.starts_with("slosmith "))
            {
                continue;
            }
            found.push(heading.to_owned());
            let project = project();
            for (_, text) in blocks.iter().filter(|(_, text)| file(text).is_some()) {
                write(&project, text);
            }
            let lines = commands.filter(|line| line.starts_with("slosmith "));
            ran += lines.flat_map(|line| run(&project, line)).count();
        }
    }
    let wanted = ["Write the spec"].into_iter().chain(RECIPES);
    for heading in wanted {
        assert!(
            found.iter().any(|h| h == heading),
            "no section {heading} in {found:?}"
        );
    }
    assert_eq!((found.len(), ran), (7, 13), "{found:?}");
}
