//! The bundled specs, built in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use slosmith::diag::Sink;
use slosmith::plan::Plan;
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::spec::Document;
use slosmith::target::{self, OutFile, Rendered, Target};
use slosmith::template::Templates;

/// The files of the specs that are built.
pub(crate) const SPECS: [&str; 6] = [
    "fleet",
    "gateway",
    "mangaassist",
    "sglang",
    "vllm-production",
    "vllm-serving",
];

/// What every bundled spec extends.
const ENGINE: &str = include_str!("../../specs/engine.yaml");

/// What the specs of the inference team extend.
const BASE: &str = include_str!("../../specs/inference.yaml");

/// The text of a file of the repository.
pub(crate) fn text(path: &str) -> String {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    text.unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A YAML file of the repository.
pub(crate) fn yaml(path: &str) -> serde_json::Value {
    value(&text(path))
}

/// What both documents of a spec say, as one.
pub(crate) fn value(text: &str) -> serde_json::Value {
    let read = |text: &str| -> serde_json::Value {
        slosmith::yaml::read(FileId(0), text).unwrap_or_else(|e| panic!("{}", e.message))
    };
    let (spec, beta) = documents(text);
    let mut whole = read(spec);
    if let Some(beta) = beta {
        let all = whole.as_object_mut().expect("a spec");
        let more = read(beta);
        let more = more.as_object().expect("a document").iter();
        all.extend(
            more.filter(|(key, _)| *key != "apiVersion")
                .map(|(k, v)| (k.clone(), v.clone())),
        );
    }
    whole
}

/// A text that says this.
pub(crate) fn written(whole: &serde_json::Value) -> String {
    const SECOND: [&str; 6] = [
        "triage",
        "traces",
        "load_tests",
        "advice",
        "checklists",
        "tables",
    ];
    let entries = whole.as_object().expect("a spec").clone().into_iter();
    let (mut beta, spec): (serde_json::Map<_, _>, serde_json::Map<_, _>) =
        entries.partition(|(key, _)| SECOND.contains(&key.as_str()));
    let spec = serde_json::Value::from(spec);
    if beta.is_empty() {
        return spec.to_string();
    }
    beta.insert("apiVersion".to_owned(), "slosmith/v1beta1".into());
    format!("{spec}\n---\n{}", serde_json::Value::from(beta))
}

/// The spec, and its second document.
pub(crate) fn documents(text: &str) -> (&str, Option<&str>) {
    let second = text.strip_prefix("---\n").map(|second| ("", second));
    let split = second.or_else(|| text.split_once("\n---\n"));
    split.map_or((text, None), |(spec, second)| (spec, Some(second)))
}

/// The text of one bundled spec.
pub(crate) fn spec(name: &str) -> String {
    text(&format!("specs/{name}.yaml"))
}

/// A spec's text behind what it extends, if these are bundled files.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    match text {
        _ if text.contains("extends: inference.yaml") => vec![ENGINE, BASE, text],
        _ if text.contains("extends: engine.yaml") => vec![ENGINE, text],
        _ => vec![text],
    }
}

/// A spec that may extend a bundled file, or what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Document, Sink> {
    read_parts(&parts(text))
}

fn read_parts(parts: &[&str]) -> Result<Document, Sink> {
    let ids = (0..).map(FileId);
    let parts: Vec<_> = ids.zip(parts.iter().copied()).collect();
    slosmith::spec::read_environment(&parts, None)
}

/// All files of a service but the unit tests of its rules, by their paths; what is wrong with its spec otherwise.
pub(crate) fn outputs(parts: &[&str]) -> Result<BTreeMap<String, String>, String> {
    let wrong = |sink: Sink| format!("{sink:?}");
    let document = read_parts(parts).map_err(wrong)?;
    let (plan, _) = resolve(&document, Options::default()).map_err(wrong)?;
    let templates = Templates::load(None).expect("templates");
    let options = target::Options {
        unit_tests: false,
        read_back: false,
        ..target::Options::all(&templates)
    };
    let mut files = BTreeMap::new();
    for target in Target::ALL {
        let rendered = target::render(&plan, target, options).map_err(|e| e.to_string())?;
        let all = rendered.files.into_iter().chain(rendered.beside);
        files.extend(all.map(|file| (file.path, file.text)));
    }
    Ok(files)
}

/// The files of one bundled spec.
pub(crate) fn folder(spec: &str) -> Vec<OutFile> {
    folder_for(spec, None)
}

/// The same for other vLLM versions. Built once: hundreds of tests play the rules of a few specs.
pub(crate) fn folder_for(spec: &str, vllm: Option<&str>) -> Vec<OutFile> {
    type Folder = Arc<OnceLock<Vec<OutFile>>>;
    static BUILT: Mutex<BTreeMap<(String, Option<String>), Folder>> = Mutex::new(BTreeMap::new());
    let key = (spec.to_owned(), vllm.map(str::to_owned));
    let folder = BUILT
        .lock()
        .expect("a lock")
        .entry(key)
        .or_default()
        .clone();
    folder
        .get_or_init(|| build(&self::spec(spec), vllm))
        .clone()
}

/// The files of any spec.
pub(crate) fn build(text: &str, vllm: Option<&str>) -> Vec<OutFile> {
    build_for(text, vllm, Target::Prometheus)
}

/// The files of one target.
pub(crate) fn build_for(text: &str, vllm: Option<&str>, target: Target) -> Vec<OutFile> {
    rendered(&plan_for(text, vllm), target).files
}

/// The plan of a right spec.
pub(crate) fn plan(text: &str) -> Plan {
    plan_for(text, None)
}

fn plan_for(text: &str, vllm: Option<&str>) -> Plan {
    let options = Options {
        vllm,
        ..Options::default()
    };
    resolve(&read(text).expect("valid spec"), options)
        .expect("resolves")
        .0
}

/// What a target makes of a plan.
pub(crate) fn rendered(plan: &Plan, target: Target) -> Rendered {
    let templates = Templates::load(None).expect("templates");
    target::render(plan, target, target::Options::all(&templates)).expect("renders")
}

/// Writes files below a folder.
pub(crate) fn write(folder: &Path, files: &[OutFile]) {
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        std::fs::write(path, &file.text).expect("file");
    }
}

/// Writes the pages for reviewers of all bundled specs.
pub(crate) fn pages(folder: &Path) -> Vec<PathBuf> {
    let ran = Command::new(env!("CARGO_BIN_EXE_slosmith"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["preview", "specs", "--out"])
        .arg(folder)
        .output()
        .expect("it runs");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let said = String::from_utf8(ran.stdout).expect("UTF-8");
    said.lines().map(PathBuf::from).collect()
}
