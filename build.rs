//! Fingerprints what outputs follow from besides specs: our sources, templates, schemas and the catalog's index.
//! A build of services that another slosmith built then starts from their specs again.

#![allow(clippy::disallowed_methods, reason = "only our own files are read")]

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use twox_hash::XxHash3_128;

const INPUTS: [&str; 5] = ["Cargo.lock", "Cargo.toml", "schemas", "src", "templates"];

fn main() -> io::Result<()> {
    let mut hasher = XxHash3_128::new();
    let indexes = embed_catalogs()?;
    let inputs = INPUTS.map(PathBuf::from).into_iter().chain(indexes);
    for input in inputs {
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

/// Writes the list of the recorded products, `(name, index, signals)` each, and returns their files. A product is a folder in
/// `catalog/`.
fn embed_catalogs() -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed=catalog");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut list = String::from("[\n");
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for entry in fs::read_dir("catalog")? {
        folders.push(entry?.path());
    }
    folders.sort();
    for folder in folders {
        let index = folder.join("index.json");
        if index.is_file() {
            let name = folder.file_name().unwrap_or_default();
            let signals = folder.join("signals.yaml");
            let signals = match signals.is_file() {
                true => {
                    found.push(signals.clone());
                    format!("include_str!({:?})", root.join(signals))
                }
                false => "\"\"".to_owned(),
            };
            list += &format!(
                "    ({name:?}, include_str!({:?}), {signals}),\n",
                root.join(&index)
            );
            found.push(index);
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("catalogs.rs"), list + "]\n")?;
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
