//! What the documentation shows is so.

use std::collections::BTreeSet;

use slosmith::target::Target;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use slosmith::cli::help;
use slosmith::lint::rules;

use crate::bundled::text as read;
use crate::project::Project;

/// The bodies of a page's fenced blocks of one language.
pub(crate) fn fences<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("\n```{language}\n");
    let after = page.split(start.as_str()).skip(1);
    after
        .map(|rest| rest.split("\n```").next().unwrap())
        .collect()
}

/// True when the YAML text has a top-level key.
fn has_key(text: &str, key: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with(&format!("{key}:")))
}

/// A whole spec: what `example` lacks of the head comes from `head`.
pub(crate) fn completed(example: &str, head: &str) -> String {
    let (example, beta) = crate::bundled::documents(example);
    let mut text = format!("{example}\n");
    let mut wanted = false;
    for line in head.lines() {
        if let Some((key, _)) = line.split_once(':').filter(|_| !line.starts_with(' ')) {
            let is_head = !["records", "slos", "alerts", "signals"].contains(&key);
            wanted = is_head && !has_key(example, key);
        }
        if wanted {
            text.push_str(line);
            text.push('\n');
        }
    }
    if let Some(beta) = beta {
        write!(text, "---\n{beta}\n").expect("text");
    }
    text
}

#[test]
fn examples_of_specs_build() {
    let tour = read("docs/spec.md");
    let head = fences(&tour, "yaml")[0];
    for page in ["docs/spec.md", "docs/grafana.md", "README.md"] {
        let text = read(page);
        let examples = fences(&text, "yaml");
        assert!(!examples.is_empty(), "{page}");
        for example in &examples {
            let spec = completed(example, head);
            let files = crate::bundled::build(&spec, None);
            assert!(files.iter().any(|f| f.path.contains("/rules/")), "{spec}");
        }
    }
}

/// The other pages' examples are parts of a spec: each makes what the page is about.
#[test]
fn examples_of_other_targets_build() {
    let tour = read("docs/spec.md");
    let head = fences(&tour, "yaml")[0];
    for (page, target) in [
        ("docs/cloudwatch.md", Target::CloudWatch),
        ("docs/runbooks.md", Target::Runbook),
        ("docs/load-tests.md", Target::Runbook),
    ] {
        let text = read(page);
        let examples = fences(&text, "yaml");
        assert!(!examples.is_empty(), "{page}");
        for example in &examples {
            let spec = completed(example, head);
            let files = crate::bundled::build_for(&spec, None, target);
            assert!(!files.is_empty(), "{spec}");
        }
    }
}

#[test]
fn series_and_labels_are_the_generated_ones() {
    let page = read("docs/prometheus.md");
    let code: BTreeSet<&str> = page.split('`').skip(1).step_by(2).collect();
    let constant = |line: &'static str| {
        let rest = line.strip_prefix("pub const ")?;
        Some(rest.split_once(": &str = \"")?.1.trim_end_matches("\";"))
    };
    let names: BTreeSet<_> = include_str!("../../crates/spec/src/naming.rs")
        .lines()
        .filter_map(constant)
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in &names {
        assert!(
            code.contains(name),
            "docs/prometheus.md does not say `{name}`"
        );
    }
    let series = |c: &&&str| c.matches(':').count() == 2 && !c.contains(' ');
    for name in code.iter().filter(series) {
        let ours = names.contains(name) || *name == "signal:NAME:STAT";
        assert!(ours, "nothing writes `{name}`");
    }
    assert_eq!(
        slosmith::naming::record_series("NAME", "STAT"),
        "signal:NAME:STAT"
    );
    assert_eq!(slosmith::naming::burn_alert("SLO"), "SLOErrorBudgetBurn");
}

#[test]
fn the_readme_begins_with_what_ci_runs() {
    let readme = read("README.md");
    let commands: Vec<_> = fences(&readme, "sh")[0]
        .lines()
        .map(|line| line.split('#').next().unwrap().trim())
        .collect();
    assert_eq!(commands, ["cargo run -- build", "cargo test"]);
    let ci = read(".ci/run");
    for command in ["cargo test", "\"$binary\" build --check"] {
        assert!(ci.lines().any(|line| line == command), "{command}");
    }
    assert!(readme.lines().count() <= 100);
}

/// The README's alert is what its spec builds, and its finding is what `slosmith lint` prints.
#[test]
fn the_readme_shows_real_output() {
    let readme = read("README.md");
    let files = crate::bundled::build(fences(&readme, "yaml")[0], None);
    let alert = fences(&readme, "yml")[0];
    assert!(
        files.iter().any(|file| file.text.contains(alert)),
        "{alert}"
    );

    let shown = fences(&readme, "text");
    let project = Project::empty();
    let expr = "vllm:gpu_cache_usage_perc > 0.95";
    let rules = format!(
        "groups:\n  - name: vllm\n    rules:\n      - alert: KVCacheFull\n        expr: {expr}\n"
    );
    project.write("rules.yaml", &rules);
    let ran = project.run(&["lint", "rules.yaml", "--vllm", "0.33.0"]);
    assert!(ran.out.starts_with(shown[1]), "{}", ran.out);
    for service in [
        "mangaassist-vllm",
        "vllm-fleet",
        "vllm-production",
        "vllm-serving",
    ] {
        let manifest = read(&format!("generated/{service}/.slosmith-manifest"));
        let count = manifest
            .lines()
            .filter(|line| !line.starts_with('#'))
            .count();
        let line = format!("generated/{service}: {count} files, up to date\n");
        assert!(shown[0].contains(&line), "{line}");
    }
}

/// Pages that are not for users, so the book leaves them out.
const NOT_IN_THE_BOOK: [&str; 1] = ["docs/coverage.md"];

/// All pages of the documentation, relative to the package.
fn pages() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let files = std::fs::read_dir(docs).expect("docs");
    let names = files.map(|file| file.expect("a file").file_name());
    let names = names.map(|name| name.into_string().expect("UTF-8"));
    let pages = names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md");
    let mut pages: Vec<_> = pages.map(|name| format!("docs/{name}")).collect();
    let others = [
        "README",
        "CONTRIBUTING",
        "ARCHITECTURE",
        "CHANGELOG",
        "SECURITY",
    ];
    pages.extend(others.map(|name| format!("{name}.md")));
    pages.sort();
    pages
}

/// The links of a page to files, resolved: the file and the heading. Code has none.
fn links(page: &str) -> Vec<(PathBuf, String)> {
    let text = read(page);
    let prose: String = text.split("\n```").step_by(2).collect();
    let prose: String = prose.split("``").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect();
    let folder = Path::new(page).parent().expect("a folder");
    let link = |rest: &str| {
        let link = rest.split(')').next().expect("a link");
        let (path, heading) = link.split_once('#').unwrap_or((link, ""));
        let path = match path {
            "" => PathBuf::from(page),
            path => folder.join(path),
        };
        (!link.contains(':')).then(|| (path, heading.to_owned()))
    };
    prose.split("](").skip(1).filter_map(link).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut checked = 0;
    for page in pages() {
        for (path, heading) in links(&page) {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(&path);
            assert!(file.exists(), "{page}: {}", path.display());
            checked += 1;
            if !heading.is_empty() {
                let text = read(path.to_str().expect("UTF-8"));
                let known = crate::runbooks::anchors(&text).contains(&heading);
                assert!(known, "{page}: {}#{heading}", path.display());
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

/// The book has every other page once, under its own title.
#[test]
fn the_book_has_every_page() {
    let book = read("docs/SUMMARY.md");
    let mut found = Vec::new();
    for line in book.lines().filter(|line| line.contains("](")) {
        let (title, link) = line.split_once("](").expect("a link");
        let link = link.trim_end_matches(')');
        let page = match link.strip_prefix("../") {
            Some(page) => page.to_owned(),
            None => format!("docs/{link}"),
        };
        let heading = read(&page).lines().next().expect("a line").to_owned();
        let title = title.trim_start_matches(['-', ' ', '[']);
        assert!(
            heading == format!("# {title}"),
            "{page}: `{heading}` is `{title}` in docs/SUMMARY.md"
        );
        found.push(page);
    }
    found.extend(NOT_IN_THE_BOOK.map(str::to_owned));
    found.sort();
    assert_eq!(found, pages());
}

/// The table has all crates, each below those that it uses.
#[test]
fn the_architecture_names_every_crate_in_order() {
    let page = read("ARCHITECTURE.md");
    let crates = page
        .split("\n## ")
        .find(|part| part.starts_with("The crates"));
    let lines = crates.expect("a list of crates").lines();
    let rows = lines.filter_map(|line| line.strip_prefix("| `crates/"));
    let mut above = BTreeSet::new();
    for row in rows {
        let name = row.split('`').next().expect("a name");
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let used = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("slosmith-"));
        for used in used.map(|line| line.split('.').next().expect("a name")) {
            assert!(above.contains(used), "{name} uses {used}");
        }
        above.insert(name.to_owned());
    }
    let roots = crate::layers::roots().into_iter();
    let all = roots.filter_map(|root| {
        Some(
            root.strip_prefix("crates/")?
                .strip_suffix("/src")?
                .to_owned(),
        )
    });
    assert_eq!(above, all.collect());
}

/// The page shows a build with all features.
#[cfg(feature = "aws")]
#[test]
fn help_is_fresh() {
    let mut command = slosmith::cli::command().term_width(80);
    command.build();
    let mut page = format!(
        "# The command line\n\nAll commands with their options, as `--help` shows them. The global options are listed once, under\n\
         [`slosmith`](#slosmith).\n\n## Exit codes\n\n{}",
        exit_codes()
    );
    describe(&command, &mut page);
    assert_eq!(page.matches("--color <WHEN>").count(), 1, "{page}");
    crate::update::check("docs/cli.md", &page);
}

#[cfg(feature = "aws")]
fn exit_codes() -> String {
    let mut table = "| exit code | command | meaning |\n|---|---|---|\n".to_owned();
    for (code, meaning) in help::EXIT_CODES {
        if code != 1 {
            let of_one = meaning.strip_prefix('`').and_then(|m| m.split_once("`: "));
            let (command, meaning) = match of_one {
                Some((command, meaning)) => (format!("`{command}`"), meaning),
                None => ("all".to_owned(), meaning),
            };
            writeln!(table, "| {code} | {command} | {meaning} |").unwrap();
            continue;
        }
        for (command, meaning) in help::FAILED_CHECKS {
            writeln!(table, "| 1 | `{command}` | {meaning} |").unwrap();
        }
    }
    table
}

#[test]
fn every_command_is_in_one_group() {
    let command = slosmith::cli::command().term_width(80);
    let known: BTreeSet<_> = command.get_subcommands().map(|c| c.get_name()).collect();
    let grouped = help::GROUPS.iter().flat_map(|(_, names)| *names);
    let grouped: Vec<_> = grouped.copied().collect();
    assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), known);
    assert_eq!(grouped.len(), known.len(), "{grouped:?}");
    let shown = command.clone().render_help().to_string();
    assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
    for name in known {
        let lines = shown.lines();
        let line = lines.filter(|line| line.starts_with(&format!("  {name} ")));
        let line: Vec<_> = line.collect();
        assert_eq!(line.len(), 1, "{name}: {line:?}");
    }
}

/// Every command whose code can return 1 is in the table of exit codes, and no other.
#[test]
fn the_table_of_exit_codes_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli");
    let mut found = BTreeSet::new();
    for entry in walkdir::WalkDir::new(&root) {
        let path = entry.expect("an entry").into_path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let codes = ["Ok(1)", "u8::from(", " => 1,"];
        if codes.iter().any(|code| text.contains(code)) {
            let below = path.strip_prefix(&root).expect("below src/cli");
            let first = Path::new(below.iter().next().expect("a name")).file_stem();
            found.insert(first.expect("a name").to_string_lossy().into_owned());
        }
    }
    let listed = help::FAILED_CHECKS.map(|(command, _)| command);
    let listed = listed.map(|command| command.split(' ').next().expect("a word").to_owned());
    assert_eq!(found, listed.into_iter().collect());
    let shown = slosmith::cli::command().render_help().to_string();
    assert!(shown.contains("\n  3    `health`: no condition"), "{shown}");
}

#[test]
fn the_page_of_signals_is_fresh() {
    crate::update::check("docs/signals.md", &slosmith::cli::signals::page());
}

#[test]
fn pages_of_rules_are_fresh() {
    crate::update::check("docs/rules.md", &rules_page());
}

/// A command and its subcommands. Only the page of the program has the global options.
#[cfg(feature = "aws")]
fn describe(command: &clap::Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let is_program = name == "slosmith";
    let mut shown = command.clone().mut_args(|arg| {
        let hide = arg.is_hide_set() || (arg.is_global_set() && !is_program);
        arg.hide(hide)
    });
    let help = shown.render_long_help().to_string();
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    write!(
        page,
        "\n## `{name}`\n\n```text\n{}\n```\n",
        lines.join("\n").trim_end()
    )
    .unwrap();
    for inner in command.get_subcommands().filter(|c| c.get_name() != "help") {
        describe(inner, page);
    }
}

/// The page of all rules.
fn rules_page() -> String {
    let mut text =
        "# Lint rules\n\nGenerated from the code; `slosmith explain RULE` prints the page of one rule. The *correctness* \
         groups (all except\n`style`; alias `truth`) find mistakes and are on by default. Rules of the group `style` run \
         only if `select` or a level\nnames them: [lint.md](lint.md#select-rules).\n\n\
         | rule | group | level | fix | finds |\n|---|---|---|---|---|\n"
            .to_owned();
    let infos = rules::infos();
    for info in &infos {
        let (name, group, level) = (info.name, info.group.as_str(), info.level.as_str());
        text.push_str(&format!(
            "| [`{name}`](#{name}) | {group} | {level} | {} | {} |\n",
            info.fixes.as_str(),
            info.summary
        ));
    }
    for info in &infos {
        text.push('\n');
        text.push_str(&rules::page(info));
    }
    text
}
