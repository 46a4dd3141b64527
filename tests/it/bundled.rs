//! The bundled specs, built in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use slosmith::diag::Sink;
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::spec::Document;
use slosmith::target::{self, OutFile, Target, TargetError};
use slosmith::template::Templates;

/// What every bundled spec extends.
const ENGINE: &str = include_str!("../../specs/engine.yaml");

/// What the specs of the inference team extend.
const BASE: &str = include_str!("../../specs/inference.yaml");

/// A YAML file of the repository.
pub(crate) fn yaml(path: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let text = text.unwrap_or_else(|e| panic!("{path}: {e}"));
    slosmith::yaml::read(FileId(0), &text).unwrap_or_else(|e| panic!("{path}: {}", e.message))
}

/// The text of one bundled spec.
pub(crate) fn spec(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("specs/{name}.yaml"));
    std::fs::read_to_string(path).expect("spec")
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
    slosmith::spec::read_parts(&parts)
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

/// The same for other vLLM versions.
pub(crate) fn folder_for(spec: &str, vllm: Option<&str>) -> Vec<OutFile> {
    build(&self::spec(spec), vllm)
}

/// The files of any spec.
pub(crate) fn build(text: &str, vllm: Option<&str>) -> Vec<OutFile> {
    build_for(text, vllm, Target::Prometheus)
}

/// The files of one target.
pub(crate) fn build_for(text: &str, vllm: Option<&str>, target: Target) -> Vec<OutFile> {
    try_build(text, vllm, target).expect("renders")
}

/// The same, unless something is wrong with them.
pub(crate) fn try_build(
    text: &str,
    vllm: Option<&str>,
    target: Target,
) -> Result<Vec<OutFile>, TargetError> {
    let document = read(text).expect("valid spec");
    let (plan, _) = resolve(
        &document,
        Options {
            vllm,
            ..Options::default()
        },
    )
    .expect("resolves");
    let templates = Templates::load(None).expect("templates");
    let rendered = target::render(&plan, target, target::Options::all(&templates))?;
    Ok(rendered.files)
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
