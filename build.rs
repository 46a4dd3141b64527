//! Fingerprints what outputs follow from besides specs: our sources, templates, schemas and the catalog's index.
//! A build of services that another slosmith built then starts from their specs again.

#![allow(clippy::disallowed_methods, reason = "only our own files are read")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use twox_hash::XxHash3_128;

const INPUTS: [&str; 6] = [
    "Cargo.lock",
    "Cargo.toml",
    "catalog/vllm/index.json",
    "schemas",
    "src",
    "templates",
];

fn main() -> io::Result<()> {
    let mut hasher = XxHash3_128::new();
    for input in INPUTS {
        println!("cargo::rerun-if-changed={input}");
        for file in files(Path::new(input))? {
            hasher.write(file.to_string_lossy().replace('\\', "/").as_bytes());
            hasher.write(&fs::read(file)?);
        }
    }
    println!(
        "cargo::rustc-env=SLOSMITH_SOURCES={:032x}",
        hasher.finish_128()
    );
    link_debug_at_fixed_address();
    Ok(())
}

/// Links debug binaries without position independence. Tests start many hundred of them, and 281,000 relocations take most
/// of the time of a start. Release binaries keep the default.
fn link_debug_at_fixed_address() {
    let is = |name, value: &str| env::var(name).is_ok_and(|set| set == value);
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if gnu && is("PROFILE", "debug") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// All files at a path, sorted; none where a package leaves them out.
fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(path
            .is_file()
            .then(|| path.to_owned())
            .into_iter()
            .collect());
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        entries.push(entry?.path());
    }
    entries.sort();
    let mut found = Vec::new();
    for entry in entries {
        found.extend(files(&entry)?);
    }
    Ok(found)
}
