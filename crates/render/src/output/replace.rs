//! Writes single files of users: fixed specs and artifacts, configuration, baselines.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::OutputError;
use super::beside::{Beside, sweep};
use slosmith_text::input;

#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    #[error("{}: the file changed while slosmith was running; slosmith did not write it: run again", .0.display())]
    Changed(PathBuf),
    #[error("{}: the file is read-only", .0.display())]
    ReadOnly(PathBuf),
    #[error("{}: a link to {}, outside the project; pass that file itself", .path.display(), .target.display())]
    Outside { path: PathBuf, target: PathBuf },
    #[error(transparent)]
    Output(#[from] OutputError),
}

#[derive(Debug)]
pub struct Writer {
    folders: Vec<PathBuf>,
    /// Where leftovers of killed runs were removed already.
    swept: RefCell<BTreeSet<PathBuf>>,
}

impl Writer {
    pub fn within(folders: Vec<PathBuf>) -> Self {
        Self {
            folders,
            swept: RefCell::default(),
        }
    }

    /// Gives a file another text, if it still says `old`; `None` when there must be no file yet.
    ///
    /// The new text is written beside the file and exchanged by rename, so no reader sees half of it. Permissions
    /// stay, the owner where the system allows it, and a symbolic link stays a link: the file that it names is
    /// replaced. Hard links are not carried over.
    ///
    /// # Errors
    /// When the file changed, is read-only or lies elsewhere, or reading or writing fails; the file is then as it was.
    pub fn replace(&self, path: &Path, old: Option<&str>, new: &str) -> Result<(), ReplaceError> {
        let target = self.target(path)?;
        unchanged(path, &target, old)?;
        let about = match old {
            Some(_) => Some(writable(path, &target)?),
            None => None,
        };
        let folder = target.parent().unwrap_or(Path::new(""));
        self.sweep(folder);
        let private = about.is_some();
        let (fresh, mut file) = Beside::create(folder, private).map_err(OutputError::io(path))?;
        write(&mut file, new, about.as_ref()).map_err(OutputError::io(path))?;
        // Checked again as late as possible: a write of another program in between must not be lost.
        unchanged(path, &target, old)?;
        match old {
            Some(_) => fresh.rename(&target),
            None => publish(fresh, &target),
        }
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => ReplaceError::Changed(path.to_owned()),
            _ => OutputError::io(path)(error).into(),
        })
    }

    /// Writes a file that is ours to write, and the folders above it; what it said before does not matter.
    pub fn put(&self, path: &Path, new: &str) -> Result<(), ReplaceError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(OutputError::io(folder))?;
            self.sweep(folder);
        }
        match input::read_text(path, input::ARTIFACT) {
            Ok(old) if old == new => Ok(()),
            Ok(old) => self.replace(path, Some(&old), new),
            Err(error) if error.kind() == ErrorKind::NotFound => self.replace(path, None, new),
            Err(error) => Err(OutputError::io(path)(error).into()),
        }
    }

    pub fn sweep(&self, folder: &Path) {
        let here = folder == Path::new("");
        let folder = if here { Path::new(".") } else { folder };
        if self.swept.borrow_mut().insert(folder.to_owned()) {
            sweep(folder);
        }
    }

    fn target(&self, path: &Path) -> Result<PathBuf, ReplaceError> {
        let real = |path: &Path| fs::canonicalize(path);
        let target = match real(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let folder = match path.parent() {
                    Some(folder) if folder != Path::new("") => folder,
                    _ => Path::new("."),
                };
                real(folder).map(|folder| folder.join(path.file_name().unwrap_or_default()))
            }
            found => found,
        };
        let target = target.map_err(OutputError::io(path))?;
        let mut folders = self.folders.iter().filter_map(|folder| real(folder).ok());
        if folders.any(|folder| target.starts_with(folder)) {
            Ok(target)
        } else {
            let path = path.to_owned();
            Err(ReplaceError::Outside { path, target })
        }
    }
}

/// A rename does not check the permissions of the file itself; the owner may have made it read-only.
fn writable(path: &Path, target: &Path) -> Result<Metadata, ReplaceError> {
    let opened = File::options().write(true).open(target);
    let about = opened.and_then(|file| file.metadata());
    about.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => ReplaceError::ReadOnly(path.to_owned()),
        _ => OutputError::io(path)(error).into(),
    })
}

/// A rename would replace a file that appeared just now; a link does not, where there are links.
fn publish(fresh: Beside, target: &Path) -> std::io::Result<()> {
    match fs::hard_link(fresh.path(), target) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => fresh.rename(target),
        done => done,
    }
}

fn write(file: &mut File, text: &str, old: Option<&Metadata>) -> std::io::Result<()> {
    if let Some(old) = old {
        keep_owner(file, old);
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    // A crash after the rename must not leave an empty file in place of a person's work.
    file.sync_all()
}

/// Only root can give files away; any other user who fixes a file of another user becomes its owner.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

fn unchanged(path: &Path, target: &Path, old: Option<&str>) -> Result<(), ReplaceError> {
    let found = match input::read(target, input::ARTIFACT) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn replace_file(path: &Path, old: Option<&str>, new: &str) -> Result<(), ReplaceError> {
        let folder = path.parent().expect("a folder").to_owned();
        Writer::within(vec![folder]).replace(path, old, new)
    }

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

    #[cfg(unix)]
    #[test]
    fn a_link_that_leaves_the_folder_is_not_written_through() {
        let ((_outside, path), (folder, _)) = (folder(), folder());
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        let error = replace_file(&link, Some("old"), "new").expect_err("outside");
        assert!(matches!(error, ReplaceError::Outside { .. }), "{error}");
        assert_eq!(text(&path), "old");
        assert_eq!(names(&folder), ["link.yaml", "rules.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn the_owner_stays_where_the_system_allows_it() {
        use std::os::unix::fs::{MetadataExt, chown};
        let (_folder, path) = folder();
        if chown(&path, Some(12_345), Some(12_345)).is_err() {
            // Only root gives files away.
            return;
        }
        replace_file(&path, Some("old"), "new").expect("written");
        let about = fs::metadata(&path).expect("metadata");
        assert_eq!((about.uid(), about.gid()), (12_345, 12_345));
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
