//! Fingerprints what outputs follow from besides specs: our sources, templates, schemas and the catalog's index.
//! A build of services that another slosmith built then starts from their specs again.

#![allow(clippy::disallowed_methods, reason = "only our own files are read")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use twox_hash::XxHash3_128;

const INPUTS: [&str; 5] = ["Cargo.lock", "Cargo.toml", "schemas", "src", "templates"];

fn main() -> io::Result<()> {
    let mut hasher = XxHash3_128::new();
    for input in inputs()? {
        println!("cargo::rerun-if-changed={}", input.display());
        for file in files(&input)? {
            hasher.write(file.to_string_lossy().replace('\\', "/").as_bytes());
            hasher.write(&fs::read(file)?);
        }
    }
    let sources = format!("{:032x}", hasher.finish_128());
    println!("cargo::rustc-env=SLOSMITH_SOURCES={sources}");
    let release = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!(
        "cargo::rustc-env=SLOSMITH_VERSION={release} ({})",
        &sources[..8]
    );
    link_debug_at_fixed_address();
    Ok(())
}

/// The sources of our crates, and the catalog's files that they contain.
fn inputs() -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<_> = INPUTS.map(PathBuf::from).into();
    for (folder, parts) in [
        ("catalog", &["index.json", "signals.yaml"][..]),
        ("crates", &["Cargo.toml", "build.rs", "src"]),
    ] {
        println!("cargo::rerun-if-changed={folder}");
        for entry in entries(Path::new(folder))? {
            found.extend(parts.iter().map(|part| entry.join(part)));
        }
    }
    Ok(found)
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
    let mut found = Vec::new();
    for entry in entries(path)? {
        found.extend(files(&entry)?);
    }
    Ok(found)
}

/// What a folder has, sorted; nothing where a package leaves it out.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        found.push(entry?.path());
    }
    found.sort();
    Ok(found)
}
