//! Writing single files that are people's own: mended specs and artifacts, configuration, baselines.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::OutputError;

/// Why a person's file was not written.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// The file does not say any more what it said when it was read.
    #[error("{}: changed while we worked on it; nothing was written to it, run again", .0.display())]
    Changed(PathBuf),
    /// The file says of itself that it must not be written.
    #[error("{}: the file may not be written", .0.display())]
    ReadOnly(PathBuf),
    /// Reading or writing failed.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Gives a file another text, if it still says `old`; `None` when there must be no file yet.
///
/// The new text is written beside the file and exchanged by rename, so nobody sees half of it. Permissions
/// stay, and a symbolic link stays a link: the file that it names is replaced. Owner and hard links are not
/// carried over.
///
/// # Errors
/// When the file changed or is read-only, or the disk refuses; the file is then as it was.
pub fn replace_file(path: &Path, old: Option<&str>, new: &str) -> Result<(), ReplaceError> {
    let target = match old {
        Some(_) => fs::canonicalize(path).map_err(OutputError::io(path))?,
        None => path.to_owned(),
    };
    unchanged(path, &target, old)?;
    let metadata = match old {
        Some(_) => Some(fs::metadata(&target).map_err(OutputError::io(path))?),
        None => None,
    };
    let permissions = metadata.map(|metadata| metadata.permissions());
    if permissions.is_some() {
        writable(path, &target)?;
    }
    let (fresh, mut file) = Beside::create(&target)?;
    let written = write(&mut file, new, permissions);
    written.map_err(OutputError::io(&fresh.0))?;
    // Looked at again as late as possible: a write of somebody else in between must not be lost.
    unchanged(path, &target, old)?;
    match old {
        Some(_) => fs::rename(&fresh.0, &target),
        None => publish(&fresh.0, &target),
    }
    .map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => ReplaceError::Changed(path.to_owned()),
        _ => OutputError::io(path)(error).into(),
    })
}

/// Writes a file that is ours to write, and the folders above it; what it said before does not matter.
///
/// # Errors
/// When the file is read-only or the disk refuses; it is then as it was.
pub fn put_file(path: &Path, new: &str) -> Result<(), ReplaceError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(OutputError::io(folder))?;
    }
    match fs::read_to_string(path) {
        Ok(old) if old == new => Ok(()),
        Ok(old) => replace_file(path, Some(&old), new),
        Err(error) if error.kind() == ErrorKind::NotFound => replace_file(path, None, new),
        Err(error) => Err(OutputError::io(path)(error).into()),
    }
}

/// A rename asks nobody whether the file itself may be written; its owner may have said no.
fn writable(path: &Path, target: &Path) -> Result<(), ReplaceError> {
    match File::options().write(true).open(target) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(ReplaceError::ReadOnly(path.to_owned()))
        }
        Err(error) => Err(OutputError::io(path)(error).into()),
    }
}

/// A rename would replace a file that appeared just now; a link does not, where there are links.
fn publish(fresh: &Path, target: &Path) -> std::io::Result<()> {
    match fs::hard_link(fresh, target) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::rename(fresh, target),
        done => done,
    }
}

fn write(file: &mut File, text: &str, permissions: Option<fs::Permissions>) -> std::io::Result<()> {
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    // A crash after the rename must not leave an empty file in place of a person's work.
    file.sync_all()
}

fn unchanged(path: &Path, target: &Path, old: Option<&str>) -> Result<(), ReplaceError> {
    let found = match fs::read(target) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(OutputError::io(path)(error).into()),
    };
    if found.as_deref() == old.map(str::as_bytes) {
        Ok(())
    } else {
        Err(ReplaceError::Changed(path.to_owned()))
    }
}

/// A file beside the one it will replace; it goes away when it was not renamed.
struct Beside(PathBuf);

impl Beside {
    fn create(target: &Path) -> Result<(Self, File), OutputError> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let mut number = 0;
        loop {
            let fresh = format!(".{name}.new.{}.{number}", std::process::id());
            let fresh = target.with_file_name(fresh);
            match File::create_new(&fresh) {
                Ok(file) => return Ok((Self(fresh), file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(OutputError::io(target)(error)),
            }
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // After a rename it is gone already; a leftover is ugly but harmless.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with one file that says `old`.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rules.yaml");
        fs::write(&path, "old").expect("a file");
        (folder, path)
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).expect("a folder");
        let names = entries.map(|e| e.expect("an entry").file_name());
        let mut names: Vec<_> = names.map(|n| n.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).expect("text")
    }

    #[test]
    fn a_file_gets_its_new_text_and_nothing_is_left_over() {
        let (folder, path) = folder();
        replace_file(&path, Some("old"), "new").expect("written");
        assert_eq!(text(&path), "new");
        assert_eq!(names(&folder), ["rules.yaml"]);
    }

    #[test]
    fn a_file_that_changed_is_left_alone() {
        let (folder, path) = folder();
        let error = replace_file(&path, Some("older"), "new").expect_err("it changed");
        assert!(matches!(error, ReplaceError::Changed(_)), "{error}");
        assert_eq!(text(&path), "old");
        assert_eq!(names(&folder), ["rules.yaml"]);
    }

    #[test]
    fn a_file_that_went_away_does_not_come_back() {
        let (folder, path) = folder();
        fs::remove_file(&path).expect("removed");
        replace_file(&path, Some("old"), "new").expect_err("it is gone");
        assert!(names(&folder).is_empty());
    }

    #[test]
    fn a_new_file_replaces_nothing() {
        let (folder, path) = folder();
        let error = replace_file(&path, None, "new").expect_err("there is one");
        assert!(matches!(error, ReplaceError::Changed(_)), "{error}");
        let fresh = folder.path().join("fresh.json");
        replace_file(&fresh, None, "new").expect("written");
        assert_eq!(text(&fresh), "new");
        assert_eq!(names(&folder), ["fresh.json", "rules.yaml"]);
    }

    #[test]
    fn a_read_only_file_is_refused() {
        let (folder, path) = folder();
        let mut permissions = fs::metadata(&path).expect("metadata").permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).expect("permissions");
        if File::options().write(true).open(&path).is_ok() {
            // Nothing is read-only for root.
            return;
        }
        let error = replace_file(&path, Some("old"), "new").expect_err("read-only");
        assert!(matches!(error, ReplaceError::ReadOnly(_)), "{error}");
        assert_eq!(text(&path), "old");
        assert_eq!(names(&folder), ["rules.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path) = folder();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
        replace_file(&path, Some("old"), "new").expect("written");
        let mode = fs::metadata(&path).expect("metadata").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let (folder, path) = folder();
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink("rules.yaml", &link).expect("a link");
        replace_file(&link, Some("old"), "new").expect("written");
        assert!(fs::symlink_metadata(&link).expect("metadata").is_symlink());
        assert_eq!(text(&path), "new");
        assert_eq!(names(&folder), ["link.yaml", "rules.yaml"]);
    }

    #[test]
    fn of_two_writers_at_once_each_works_on_what_it_read() {
        let (folder, path) = folder();
        fs::write(&path, "0").expect("a file");
        let count = |path: &Path| {
            let mut done = 0;
            while done < 20 {
                let old = text(path);
                let new = (old.parse::<u32>().expect("never half a file") + 1).to_string();
                done += u32::from(replace_file(path, Some(&old), &new).is_ok());
            }
        };
        std::thread::scope(|scope| {
            let writers = [0; 2].map(|_| scope.spawn(|| count(&path)));
            for writer in writers {
                writer.join().expect("no panic");
            }
        });
        // The last look and the rename are two steps, so a count may be lost; the file is never half written.
        assert!(text(&path).parse::<u32>().is_ok());
        assert_eq!(names(&folder), ["rules.yaml"]);
    }
}
