//! Writes the list of the recorded products, which the crate embeds: `(name, index, signals)` each. A product is a folder in
//! `catalog/`.

#![allow(clippy::disallowed_methods, reason = "only our own files are read")]

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=catalog");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut list = String::from("[\n");
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
                true => format!("include_str!({:?})", root.join(signals)),
                false => "\"\"".to_owned(),
            };
            list += &format!(
                "    ({name:?}, include_str!({:?}), {signals}),\n",
                root.join(&index)
            );
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("catalogs.rs"), list + "]\n")
}
