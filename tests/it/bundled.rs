//! The bundled specs, built in memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::target::{self, OutFile, Target, TargetError};
use slosmith::template::Templates;

/// The files of one bundled spec.
pub(crate) fn folder(spec: &str) -> Vec<OutFile> {
    folder_for(spec, None)
}

/// The same for other vLLM versions.
pub(crate) fn folder_for(spec: &str, vllm: Option<&str>) -> Vec<OutFile> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("specs/{spec}.yaml"));
    build(&std::fs::read_to_string(path).expect("spec"), vllm)
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
    let document = slosmith::spec::read(FileId(0), text).expect("valid spec");
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
