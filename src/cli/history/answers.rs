//! Answers of earlier runs, in a folder of the user.

use std::fs::{self, DirBuilder};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use slosmith_render::output::Digest;
use slosmith_text::input;

/// Samples of the last hour may still come late.
const LATE: i64 = 3_600;

/// Answers are removed after this time.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// Most bytes of all answers, compressed.
const MOST: u64 = 2 << 30;

/// Most bytes of one answer, as from a server.
const ANSWER: u64 = 512 << 20;

/// The answers of one server to queries for times that are over.
pub(super) struct Answers {
    folder: PathBuf,
    server: Digest,
    began: String,
    settled: i64,
}

impl Answers {
    /// Those of a server; `None` if there is no folder for them.
    pub(super) fn of(server: &[String], began: String, now: i64) -> Option<Self> {
        let folder = folder()?.join("slosmith").join("answers");
        let mut all = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut all, 0o700);
        all.recursive(true).create(&folder).ok()?;
        sweep(&folder);
        let late = now - LATE;
        Some(Self {
            folder,
            server: Digest::of_all(server.iter().map(String::as_bytes)),
            began,
            settled: late - late.rem_euclid(LATE),
        })
    }

    /// When the server started, as it told.
    pub(super) fn began(&self) -> &str {
        &self.began
    }

    /// The time until which answers are kept.
    pub(super) fn settled(&self) -> i64 {
        self.settled
    }

    pub(super) fn key(form: &[(&str, &str)]) -> Digest {
        let parts = form.iter().flat_map(|(name, value)| [*name, *value]);
        Digest::of_all(parts.map(str::as_bytes))
    }

    fn path(&self, key: &Digest) -> PathBuf {
        self.folder.join(format!("{}-{key}.json.gz", self.server))
    }

    /// A kept answer.
    pub(super) fn get(&self, key: &Digest) -> Option<Vec<u8>> {
        let bytes = input::read(&self.path(key), ANSWER).ok()?;
        let mut body = Vec::new();
        let mut all = GzDecoder::new(bytes.as_slice()).take(ANSWER);
        all.read_to_end(&mut body).ok()?;
        Some(body)
    }

    /// Keeps an answer; where that fails, the query is sent again.
    pub(super) fn keep(&self, key: &Digest, body: &[u8]) {
        let keep = || -> std::io::Result<()> {
            let mut file = GzEncoder::new(
                tempfile::NamedTempFile::new_in(&self.folder)?,
                Compression::fast(),
            );
            file.write_all(body)?;
            file.finish()?.persist(self.path(key))?;
            Ok(())
        };
        let _ = keep();
    }
}

/// The folder for what programs can compute again.
fn folder() -> Option<PathBuf> {
    let of = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    if cfg!(windows) {
        return of("LOCALAPPDATA");
    }
    let own = of("XDG_CACHE_HOME");
    let usual = if cfg!(target_os = "macos") {
        "Library/Caches"
    } else {
        ".cache"
    };
    own.or_else(|| Some(of("HOME")?.join(usual)))
}

/// Removes old answers, and the oldest where all are too large.
#[allow(
    clippy::disallowed_methods,
    reason = "a folder that only this module writes"
)]
fn sweep(folder: &Path) {
    let Ok(files) = fs::read_dir(folder) else {
        return;
    };
    let about = |file: std::io::Result<fs::DirEntry>| {
        let file = file.ok()?;
        let about = file.metadata().ok()?;
        Some((about.modified().ok()?, about.len(), file.path()))
    };
    let mut files: Vec<_> = files.filter_map(about).collect();
    files.sort();
    let mut all: u64 = files.iter().map(|(_, size, _)| size).sum();
    let now = SystemTime::now();
    for (written, size, path) in files {
        let age = now.duration_since(written).unwrap_or_default();
        if age > KEPT || all > MOST {
            let _ = fs::remove_file(path);
            all -= size;
        }
    }
}
