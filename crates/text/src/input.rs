//! Reads files that users name: regular files of bounded size, without blocking.
//!
//! `input::read(path, input::SMALL)` gives the bytes of `slosmith.toml`, and an error for a FIFO, for `/dev/zero` and for a
//! file of 2 MB.

#![allow(
    clippy::disallowed_methods,
    reason = "the files that have a limit are read here"
)]

use std::fs::{self, File, FileType};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

pub const ARTIFACT: u64 = 64 << 20;
/// Most bytes of a metrics page, from wherever it comes; vLLM's have about 40 kB for each engine.
pub const PAGE: u64 = 64 << 20;
/// Most bytes of a load test's result, which may hold every answer of the model.
pub const RESULT: u64 = 256 << 20;
/// Most bytes of a baseline: about 200,000 findings.
pub const BASELINE: u64 = 64 << 20;
pub const TEMPLATE: u64 = 4 << 20;
/// Most bytes of a configuration, of a catalog's notes, of a certificate or token.
pub const SMALL: u64 = 1 << 20;

/// The bytes of a regular file.
///
/// # Errors
/// When it cannot be read, is a folder, FIFO, socket or device, or has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    // Asked before it is opened, because opening a device may do something, and after, because the name may
    // lead to something else by then.
    regular(fs::metadata(path)?.file_type())?;
    let file = open(path)?;
    let about = file.metadata()?;
    regular(about.file_type())?;
    if about.len() > most {
        return Err(too_large(most));
    }
    // One byte more shows the end without another look; what grows meanwhile is still read.
    let mut bytes = Vec::with_capacity(about.len() as usize + 1);
    append(file, most, &mut bytes)?;
    Ok(bytes)
}

/// The same of a file that the command line names; it may also be what the shell hands over, such as
/// `/dev/stdin` or the `/dev/fd/63` of `<(command)`.
pub fn read_named(path: &Path, most: u64) -> Result<Vec<u8>> {
    if is_handed(path) {
        all(File::open(path)?, most)
    } else {
        read(path, most)
    }
}

/// The text of a file, as [`read`].
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    text(read(path, most)?)
}

pub fn all(reader: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    append(reader, most, &mut bytes)?;
    Ok(bytes)
}

fn append(reader: impl Read, most: u64, bytes: &mut Vec<u8>) -> Result<()> {
    reader.take(most + 1).read_to_end(bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(())
}

pub fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(ErrorKind::InvalidData, format!("byte {at} is not UTF-8"))
    })
}

/// True for a regular file, and for a file whose type is unknown, so that reading it reports the reason.
pub fn is_file(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) => found.is_file(),
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

/// True when a file is in the same project as another: below the nearest folder above that holds a `slosmith.toml` or
/// a `.git`, else below the current folder, else in the same folder.
pub fn is_in_project(of: &Path, path: &Path) -> bool {
    let (Ok(of), Ok(path)) = (of.canonicalize(), path.canonicalize()) else {
        return false;
    };
    let mut above = of.ancestors().skip(1);
    let marked = above.find(|folder| {
        let marks = ["slosmith.toml", ".git"];
        marks.iter().any(|mark| folder.join(mark).exists())
    });
    let here = Path::new(".").canonicalize().ok();
    let here = here.filter(|here| of.starts_with(here));
    let root = marked.map(Path::to_owned).or(here);
    let root = root.or_else(|| of.parent().map(Path::to_owned));
    root.is_some_and(|root| path.starts_with(root))
}

/// True for a name that means an open file of this process.
pub fn is_handed(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"]
            .iter()
            .any(|folder| path.parent() == Some(Path::new(folder)))
}

#[cfg(unix)]
fn open(path: &Path) -> Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let open = || rustix::fs::open(path, flags, Mode::empty());
    Ok(rustix::io::retry_on_intr(open)?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> Result<File> {
    File::open(path)
}

fn regular(found: FileType) -> Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = if found.is_dir() {
        ErrorKind::IsADirectory
    } else {
        ErrorKind::InvalidInput
    };
    let what = what(found);
    Err(Error::new(kind, format!("this is {what}, not a file")))
}

fn what(found: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a FIFO";
        }
        if found.is_socket() {
            return "a socket";
        }
    }
    if found.is_dir() {
        "a folder"
    } else {
        "a device"
    }
}

fn too_large(most: u64) -> Error {
    let most = most >> 20;
    Error::new(
        ErrorKind::FileTooLarge,
        format!("larger than the limit of {most} MiB"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_as_large_as_its_limit_and_no_larger() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, "1234").expect("a file");
        assert_eq!(read(&path, 4).expect("it fits"), b"1234");
        let error = read(&path, 3).expect_err("it does not");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_that_hide_their_size_are_bounded_too() {
        // Its length is 0, and it never ends.
        let error = all(File::open("/dev/zero").expect("opened"), 1 << 20).expect_err("endless");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        let error = read(Path::new("/proc/self/maps"), 16).expect_err("longer");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_regular_files_are_read_and_nothing_waits() {
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.expect("mkfifo").success());
        let socket = folder.path().join("socket");
        let _bound = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        let device = Path::new("/dev/zero").to_owned();
        let folder = folder.path().to_owned();
        for (path, words) in [
            (&fifo, "a FIFO"),
            (&socket, "a socket"),
            (&device, "a device"),
            (&folder, "a folder"),
        ] {
            let error = read_named(path, 16).expect_err(words).to_string();
            assert_eq!(error, format!("this is {words}, not a file"));
        }
        // What a swapped name may lead to after the first look.
        let about = open(&fifo).expect("at once").metadata().expect("metadata");
        regular(about.file_type()).expect_err("a FIFO");
    }
}
