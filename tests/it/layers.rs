//! The walls of `ARCHITECTURE.md` that the compiler does not keep: who alone may do what, how long things may be.

mod circles;
mod code;

use circles::{Modules, circles};
pub(crate) use code::roots;
use code::{File, blank, files};

/// Line number and text of every line of `code`.
fn lines(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.lines().enumerate().map(|(i, line)| (i + 1, line))
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

/// Splits `a, b::{c, d}}…` at its own commas, up to the brace that closes it.
fn top_level(list: &str) -> Vec<&str> {
    let (mut parts, mut open, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open > 0 => open -= 1,
            ',' | '}' if open == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    parts.retain(|p| !p.trim().is_empty());
    parts
}

#[test]
fn files_form_no_circles() {
    let mut found = Vec::new();
    let arrows = files().chunk_by(|a, b| a.root == b.root);
    for arrows in arrows.map(|files| Modules::new(files).arrows()) {
        for circle in circles(&arrows) {
            let inside = arrows
                .iter()
                .filter(|a| circle.contains(&a.from) && circle.contains(&a.to));
            let names = inside.map(|a| format!("    {} -> {}: {}", a.from, a.to, a.name));
            found.push(format!(
                "{}\n{}",
                circle.join(", "),
                names.collect::<Vec<_>>().join("\n")
            ));
        }
    }
    assert_none("files that can only be read together", &found);
}

/// Places outside `home` whose code (tests apart) has one of `words`.
fn outside(home: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files().iter().filter(|f| !f.place().starts_with(home)) {
        for (number, line) in lines(&file.shipped) {
            if words.iter().any(|w| has_word(line, w)) {
                found.push(format!("{}:{number}: {}", file.place(), line.trim()));
            }
        }
    }
    found
}

/// True when `word` is in `line` and is not the end of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !(word.starts_with(inner) && before.is_some_and(inner))
    })
}

#[test]
fn one_module_reads_yaml() {
    assert_none(
        "serde_saphyr outside `yaml`",
        &outside("crates/text/src/yaml/", &["serde_saphyr"]),
    );
}

#[test]
fn one_module_renders_templates() {
    assert_none(
        "minijinja outside `template`",
        &outside("crates/render/src/template", &["minijinja"]),
    );
}

#[test]
fn one_module_prints() {
    let words = [
        "anstream",
        "print!",
        "println!",
        "eprint!",
        "eprintln!",
        "io::stdout",
        "io::stderr",
    ];
    let mut found = outside("src/cli/terminal.rs", &words);
    // Asked what it is; nothing is written to it.
    found.retain(|at| !at.contains("io::stderr().is_terminal()"));
    // Messages of the protocol are JSON, which has control characters as escapes.
    found.retain(|at| !at.contains("src/cli/lsp/wire.rs"));
    assert_none(
        "a stream outside src/cli/terminal.rs: what it prints is not escaped",
        &found,
    );
}

#[test]
fn one_module_spells_generated_names() {
    let spelled = [
        "\"slo:",
        "\"signal:",
        "\"alert:",
        "\"slo-",
        "\"alert-{",
        "\"fix-{",
        ".slo.{",
        ".alert.{",
    ];
    let mut found = Vec::new();
    for file in files() {
        // What other tools call their series is written under `compat` alone.
        let compat = "crates/render/src/target/prometheus/compat.rs";
        if ["crates/spec/src/naming.rs", compat].contains(&&*file.place()) {
            continue;
        }
        let shipped = lines(&file.shipped).zip(file.text.lines());
        for ((number, _), text) in shipped.filter(|((_, code), _)| !code.trim().is_empty()) {
            let text = text.split("//").next().unwrap_or_default();
            if spelled.iter().any(|word| text.contains(word)) {
                found.push(format!("{}:{number}: {}", file.place(), text.trim()));
            }
        }
    }
    assert_none("a generated name is spelled outside `naming`", &found);
}

#[test]
fn the_clock_and_the_environment_are_read_by_the_command_line_alone() {
    let words = [
        "SystemTime",
        "Instant::now",
        "time::Instant",
        "env::var",
        "env::args",
        "env::current_dir",
        "env::temp_dir",
    ];
    assert_none(
        "the surroundings are read outside src/cli",
        &outside("src/cli/", &words),
    );
}

#[test]
fn files_are_short() {
    let length = |file: &File| (file.text.lines().count(), file.place());
    let mut lengths: Vec<_> = files().iter().map(length).collect();
    lengths.sort();
    let long: Vec<_> = lengths.iter().filter(|(n, _)| *n > 700).collect();
    assert!(long.is_empty(), "longer than 700 lines: {long:?}");
    let median = lengths[lengths.len() / 2].0;
    assert!(median <= 150, "the median file has {median} lines");
}

// A wall that sees nothing stops nobody: the eyes are tested too.

#[test]
fn comments_and_literals_are_blanked() {
    let code = blank("a // \"b\n/* c /* d */ e */f '\"' g r#\"h\"i\"# \"j\\\"k\" &'l m\nn");
    let words: Vec<_> = code.split_whitespace().collect();
    assert_eq!(words, ["a", "f", "g", "&'l", "m", "n"]);
    assert_eq!(code.lines().count(), 3);
}

#[test]
fn words_are_found_whole() {
    assert!(has_word("std::fs::write(a)", "fs::write"));
    assert!(has_word("println!()", "println!"));
    assert!(!has_word("eprintln!()", "println!"));
}
