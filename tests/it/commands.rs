//! Commands of generated runbooks: each is valid shell, every program is known, and has the options that it is given.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bundled;

/// Programs with their options: `tests/fixtures/options.yaml`.
struct Known(BTreeMap<String, Vec<String>>);

impl Known {
    fn new() -> Self {
        let all = bundled::yaml("tests/fixtures/options.yaml");
        let programs = all["programs"].as_object().expect("a map").iter();
        let words = |list: &Value| {
            let words = list.as_array().expect("a list").iter();
            words
                .map(|word| word.as_str().expect("a word").to_owned())
                .collect()
        };
        Self(
            programs
                .map(|(name, options)| (name.clone(), words(options)))
                .collect(),
        )
    }

    /// What is wrong with one simple command.
    fn fault(&self, words: &[String]) -> Option<String> {
        let names = self.0.keys();
        let is = |name: &&String| {
            let name: Vec<_> = name.split(' ').collect();
            words.len() >= name.len() && words.iter().zip(&name).all(|(word, name)| word == name)
        };
        let Some(name) = names.filter(is).max_by_key(|name| name.len()) else {
            return Some(format!("`{}` is no known program", words.join(" ")));
        };
        let known = &self.0[name];
        let mut rest = words[name.split(' ').count()..].iter();
        let mut before = "";
        while let Some(word) = rest.next() {
            // What follows is a command of its own.
            let inner = word == "--" || (word == "vllm" && name.starts_with("nsys"));
            if inner {
                let mut words: Vec<_> = rest.cloned().collect();
                if word == "vllm" {
                    words.insert(0, word.clone());
                }
                return self.fault(&words);
            }
            let is_value = before.starts_with("--") && word.parse::<f64>().is_ok();
            if word.len() > 1 && word.starts_with('-') && !has(known, word) && !is_value {
                return Some(format!("`{name}` has no option `{word}`"));
            }
            before = word;
        }
        None
    }
}

/// `--long`, `--long=value`, `-x`, `-50` as `-N`, or `-sf` for `-s -f`.
fn has(known: &[String], word: &str) -> bool {
    let option = word.split('=').next().unwrap_or_default();
    let is = |option: &str| known.iter().any(|known| known == option);
    let short = || !option.starts_with("--") && option[1..].chars().all(|c| is(&format!("-{c}")));
    let number = || is("-N") && option[1..].parse::<u32>().is_ok();
    is(option) || short() || number()
}

/// The simple commands of a line of shell: `a | b && c` has three.
fn simple(code: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '\\') => drop(chars.next()),
            (None, '|' | '&' | ';' | '\n') => {
                commands.last_mut().expect("one").extend(word.take());
                commands.push(Vec::new());
            }
            (None, ' ') => commands.last_mut().expect("one").extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    commands.last_mut().expect("one").extend(word);
    commands.retain(|words| !words.is_empty());
    commands
}

/// Blocks of shell of all pages, each with its page.
fn blocks(spec: &str) -> Vec<(String, String)> {
    let text = bundled::spec(spec);
    let files = bundled::outputs(&bundled::parts(&text)).expect("it builds");
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".md")) {
        let mut lines = text.lines();
        while lines.any(|line| line == "```sh") {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            found.push((format!("{spec}: {path}"), block.join("\n")));
        }
    }
    found
}

#[test]
fn every_command_is_valid_and_has_its_options() {
    let known = Known::new();
    let mut wrong = Vec::new();
    for (page, code) in bundled::SPECS.iter().flat_map(|spec| blocks(spec)) {
        if let Some(fault) = syntax(&code) {
            wrong.push(format!("{page}: {fault}"));
        }
        let faults = simple(&code)
            .into_iter()
            .filter_map(|words| known.fault(&words));
        wrong.extend(faults.map(|fault| format!("{page}: {fault}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `bash -n` has against it.
fn syntax(code: &str) -> Option<String> {
    let mut bash = Command::new("bash");
    bash.arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut bash = bash.spawn().expect("bash");
    let mut input = bash.stdin.take().expect("its input");
    input.write_all(code.as_bytes()).expect("it reads");
    drop(input);
    let ran = bash.wait_with_output().expect("it ends");
    (!ran.status.success()).then(|| String::from_utf8_lossy(&ran.stderr).into_owned())
}

/// Settings that the specs advise are options of `vllm serve`.
#[test]
fn every_setting_is_an_option() {
    let known = Known::new();
    for spec in bundled::SPECS {
        let spec = bundled::value(&bundled::spec(spec));
        let advice = spec["advice"].as_object().into_iter().flatten();
        let settings = advice.filter_map(|(_, advice)| advice["settings"].as_object());
        for name in settings.flat_map(|settings| settings.keys()) {
            let option = format!("--{}", name.replace('_', "-"));
            assert!(has(&known.0["vllm serve"], &option), "{option}");
        }
    }
}

/// MangaAssist runs on SageMaker. The environment variable of the profiler is gone, and a new process has no memory to sum up.
#[test]
fn commands_fit_the_place_they_run_in() {
    for spec in bundled::SPECS {
        for (page, code) in blocks(spec) {
            assert!(
                spec != "mangaassist" || !code.contains("kubectl"),
                "{page}: {code}"
            );
            for gone in ["VLLM_TORCH_PROFILER_DIR", "memory_summary"] {
                assert!(!code.contains(gone), "{page}: {code}");
            }
        }
    }
}

#[test]
fn a_wrong_command_is_told() {
    let known = Known::new();
    let faults = |code: &str| simple(code).iter().find_map(|words| known.fault(words));
    assert_eq!(faults("curl -sf http://h/health && echo healthy"), None);
    let wrong = [
        (
            "vllm serve M --enforce-eagr",
            "`vllm serve` has no option `--enforce-eagr`",
        ),
        (
            "kubectl exec p -- curl --silentt u",
            "`curl` has no option `--silentt`",
        ),
        (
            "nsys profile --trace cuda vllm serve M --tp 8",
            "`vllm serve` has no option `--tp`",
        ),
        ("curl -s u | grp x", "`grp x` is no known program"),
        ("nvidia-smi -q | grep -iZ x", "`grep` has no option `-iZ`"),
    ];
    for (code, fault) in wrong {
        assert_eq!(faults(code).as_deref(), Some(fault));
    }
    assert!(syntax("curl 'x").is_some());
}
