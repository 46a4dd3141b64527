//! What builds found to be up to date, beside what the manifests tell: a folder that Git ignores.
//!
//! A manifest stays as it is while no file changes, and keeps the inputs of an earlier build. A line here has later inputs that make
//! the same files, and the fingerprint of that manifest. It is a memory alone: without it, builds do more work.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::beside::{self, Beside};
use super::{Digest, MANIFEST, OutputError, read};

const FOLDER: &str = ".slosmith-cache";
const FILE: &str = "inputs";

/// The inputs by the service.
pub(super) fn known(out: &Path) -> BTreeMap<String, Digest> {
    let text = read(&out.join(FOLDER).join(FILE)).ok().flatten();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    let lines = text.iter().flat_map(|text| text.lines());
    let known = lines.filter_map(|line| {
        let mut words = line.splitn(3, ' ');
        let [inputs, of_manifest] = [words.next()?, words.next()?].map(Digest::parse);
        let service = words.next()?;
        let same = manifest(out, service).is_some_and(|found| Some(found) == of_manifest);
        same.then_some((service.to_owned(), inputs?))
    });
    known.collect()
}

/// Keeps the inputs of services that are as an earlier build made them.
pub fn remember(out: &Path, found: &[(&str, Digest)]) -> Result<(), OutputError> {
    if found.is_empty() {
        return Ok(());
    }
    let mut all = known(out);
    all.extend(
        found
            .iter()
            .map(|(service, inputs)| ((*service).to_owned(), *inputs)),
    );
    let mut text = String::new();
    for (service, inputs) in all {
        if let Some(of_manifest) = manifest(out, &service) {
            let _ = writeln!(text, "{inputs} {of_manifest} {service}");
        }
    }
    let folder = out.join(FOLDER);
    fs::create_dir_all(&folder).map_err(OutputError::io(&folder))?;
    beside::sweep(&folder);
    for (name, text) in [(".gitignore", "*\n"), (FILE, text.as_str())] {
        let path = folder.join(name);
        put(&path, &folder, text).map_err(OutputError::io(&path))?;
    }
    Ok(())
}

fn put(path: &Path, folder: &Path, text: &str) -> std::io::Result<()> {
    let (fresh, mut file) = Beside::create(folder, false)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    fresh.rename(path)
}

fn manifest(out: &Path, service: &str) -> Option<Digest> {
    super::check_inside(service).ok()?;
    let bytes = read(&out.join(service).join(MANIFEST)).ok()??;
    Some(Digest::of(&bytes))
}
