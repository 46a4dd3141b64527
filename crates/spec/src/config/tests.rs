#![allow(clippy::disallowed_methods, reason = "a test makes its files")]
use super::*;
use slosmith_text::diag::render::{Format, Report, render};
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::source::SourceFile;

const ALL: &str = r#"
vllm = ">=0.20,<0.34"
profiles = ["default", "lora"]
catalogs = ["catalogs/my-service"]
exclude = ["vendor/**", "*.tmp.yaml", "./old/"]
baseline = "slosmith-baseline.json"
labels = ["cluster", "replica"]
scrape_interval = "30s"
selector = {job = "llm"}

[levels]
unknown-metric = "warning"
removed-metric = "off"
"#;

fn read(text: &str) -> (Sources, Result<Config, Vec<Diagnostic>>) {
    let mut sources = Sources::default();
    let file = sources.add(SourceFile::new("/w/slosmith.toml", text));
    let config = Config::read(file, &sources);
    (sources, config)
}

fn config(text: &str) -> Config {
    read(text).1.expect("a configuration")
}

#[test]
fn everything_is_read_with_its_place() {
    let config = config(ALL);
    let range = config.vllm.as_ref().expect("a range");
    assert_eq!(&ALL[range.span.range()], "\">=0.20,<0.34\"");
    assert_eq!(range.value.to_string(), ">=0.20,<0.34");
    let texts = |list: &[Spanned<String>]| list.iter().map(|s| s.value.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&config.profiles), ["default", "lora"]);
    assert_eq!(texts(&config.labels), ["cluster", "replica"]);
    assert_eq!(&ALL[config.labels[1].span.range()], "\"replica\"");
    assert_eq!(config.scrape_interval.map(|d| d.as_secs()), Some(30));
    assert_eq!(config.selector["job"], "llm");
    assert_eq!(
        config.catalogs[0].value,
        Path::new("/w/catalogs/my-service")
    );
    assert_eq!(config.level("unknown-metric"), Some(Level::Warning));
    let rule = config.levels.keys().next().expect("a rule");
    assert_eq!(&ALL[rule.span.range()], "removed-metric");
    let baseline = config.baseline.expect("a baseline");
    assert_eq!(baseline.value, Path::new("/w/slosmith-baseline.json"));
}

#[test]
fn another_version_is_told_before_keys_that_it_may_know() {
    let text = "required_version = \">=99, <100\"\nkey_of_the_future = 1\n";
    let Err(faults) = read(text).1 else {
        panic!("it is read");
    };
    let [fault] = &faults[..] else {
        panic!("{faults:?}");
    };
    assert_eq!(fault.code, "wrong-version");
    assert!(
        fault
            .message
            .starts_with("the project needs slosmith >=99, <100; this is")
    );
    let own = env!("CARGO_PKG_VERSION");
    config(&format!("required_version = \"=={own}\""));
}

#[test]
fn an_empty_file_changes_nothing() {
    let config = config("");
    assert!(config.vllm.is_none() && config.levels.is_empty());
    assert!(!config.excludes(Path::new("a.yaml"), Path::new("/w")));
}

#[test]
fn excluded_paths() {
    let config = config(ALL);
    let excluded = |path: &str, from: &str| config.excludes(Path::new(path), Path::new(from));
    assert!(excluded("vendor/a/b.yaml", "/w"));
    assert!(excluded("/w/vendor/x", "/elsewhere"));
    assert!(excluded("../vendor/x", "/w/rules"));
    assert!(excluded("a.tmp.yaml", "/w") && !excluded("sub/a.tmp.yaml", "/w"));
    // A folder named without `**` is excluded with all that is in it.
    assert!(excluded("old/deep/a.yaml", "/w"));
    assert!(!excluded("vendors/a", "/w") && !excluded("vendor/x", "/other"));
}

#[test]
fn rules_that_nobody_knows() {
    let known = RuleInfo {
        name: "removed-metric",
        summary: "",
        group: Group::Catalog,
        doc_comment: "",
        level: Severity::Error,
        certain: "",
        fixes: Fixes::None,
        since: "0.1.0",
    };
    let unknown = config("[levels]\nremoved-metrik = \"off\"\n").unknown_rules(&[known]);
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].help, ["did you mean `removed-metric`?"]);
    let unknown = config("select = [\"styles\"]\nignore = [\"truth\"]\n").unknown_rules(&[known]);
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].message, "unknown rule or category `styles`");
    assert!(config("").unknown_rules(&[known]).is_empty());
}

#[test]
fn faults_are_told_at_their_place() {
    let texts = [
        "profile = [\"lora\"]",
        "[label]\ntarget = []",
        "scrape_interval = \"often\"",
        "[levels]\nunknown-metric = \"warn\"",
        "vllm = \"newest\"\nexclude = [\"a\", \"b[\"]",
        "vllm = 0.20",
        "profiles = \"lora\"",
        "vllm = \"0.20\"\nvllm = \"0.21\"",
        "vllm = ",
        "[levels]\nx = \"off\"\nx = \"off\"",
    ];
    let show = |text: &str| {
        let (sources, config) = read(text);
        let faults = config.expect_err(text);
        let report = Report::new(&faults, &sources, &[]).root(Path::new("/w"));
        render(Format::Human, &report)
    };
    insta::assert_snapshot!(texts.map(show).join("\n"));
}

#[test]
fn the_nearest_file_counts() {
    let temp = tempfile::tempdir().expect("a folder");
    let deep = temp.path().join("a/b");
    std::fs::create_dir_all(&deep).expect("folders");
    assert_eq!(find(&deep), None);
    std::fs::write(temp.path().join(NAME), ALL).expect("a file");
    assert_eq!(find(&deep), Some(temp.path().join(NAME)));
    std::fs::write(temp.path().join("a").join(NAME), b"\xff").expect("a file");
    let near = find(&deep).expect("a file");
    assert_eq!(near, temp.path().join("a").join(NAME));
    let mut sources = Sources::default();
    let wrong = Config::load(&near, &mut sources).expect_err("not text");
    assert!(matches!(&wrong, LoadError::Wrong(faults) if faults[0].code == "not-utf8"));
    assert!(Config::load(&temp.path().join(NAME), &mut sources).is_ok());
    let gone = Config::load(&deep, &mut sources).expect_err("a folder");
    assert!(matches!(gone, LoadError::Io { .. }));
}
