//! `--watch`: repeats the work after every change of an input file.
//!
//! Only the content of the files matters, not their modification time. So the output of the work itself never starts it again.
//! Ctrl-C ends the process like any other; files are replaced in one step, so that no file is half written.

mod follow;
mod look;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};

use super::closed;
use super::terminal::Terminal;
use super::words::{count, took};
use follow::Follower;
use look::Look;
pub(super) use look::Place;
use slosmith_render::output::Digest;
use slosmith_text::diag::one_line;
use slosmith_text::input;

const FEW: usize = 3;

pub(super) fn check(paths: &[PathBuf]) -> Result<()> {
    match paths.iter().find(|path| input::is_handed(path)) {
        Some(path) => bail!(
            "`--watch` needs regular files: {} can be read only once",
            path.display()
        ),
        None => Ok(()),
    }
}

/// Does the work once, then again after each change of a file at one of the `places`. Failed work is reported and does not end
/// the loop.
pub(super) fn repeat(
    places: impl Fn() -> Result<Vec<Place>>,
    mut work: impl FnMut() -> Result<u8>,
) -> Result<u8> {
    let mut err = Terminal::stderr();
    let mut follower = Follower::new()?;
    let mut seen = look(&mut follower, &places)?;
    let files = count(seen.files.len(), "file");
    writeln!(err, "watching {files}; stop with Ctrl-C")?;
    loop {
        let started = Instant::now();
        let failed = match work() {
            Ok(code) => code != 0,
            Err(error) if closed(&error) => return Err(error),
            Err(error) => {
                writeln!(err, "error: {}", one_line(&format!("{error:#}")))?;
                true
            }
        };
        if failed {
            let time = took(started.elapsed());
            writeln!(err, "failed after {time}; waiting for the next change")?;
        }
        let now = loop {
            follower.wait()?;
            let now = look(&mut follower, &places)?;
            if now.files != seen.files {
                break now;
            }
        };
        writeln!(err, "{}", changes(&seen.files, &now.files))?;
        seen = now;
    }
}

/// The current files, once all of their folders are watched: later changes are seen.
fn look(follower: &mut Follower, places: &impl Fn() -> Result<Vec<Place>>) -> Result<Look> {
    loop {
        let look = Look::at(&places()?);
        if !follower.follow(&look.folders)? {
            return Ok(look);
        }
    }
}

type Files = BTreeMap<PathBuf, Digest>;

fn changes(before: &Files, now: &Files) -> String {
    let line = |path: &Path, what: &str| format!("{} {what}", one_line(&path.to_string_lossy()));
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let gone = gone.map(|path| line(path, "removed"));
    let other = now.iter().filter_map(|(path, digest)| {
        let what = match before.get(path) {
            None => "added",
            Some(old) if old != digest => "changed",
            Some(_) => return None,
        };
        Some(line(path, what))
    });
    let mut all: Vec<_> = other.chain(gone).collect();
    let more = all.len().saturating_sub(FEW);
    all.truncate(FEW);
    if more > 0 {
        all.push(format!("and {} more", count(more, "file")));
    }
    all.join(", ")
}
