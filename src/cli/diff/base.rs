//! The state before: a folder, or a revision that Git writes to a temporary one.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use tempfile::TempDir;

use crate::cli::build::BuildArgs;
use crate::cli::build::settings::SPECS;
use slosmith_render::output::MANIFEST;

/// The project of now: its folder, and the configuration if it has one.
pub(in crate::cli) struct Project {
    pub(super) folder: PathBuf,
    pub(super) config: Option<PathBuf>,
}

pub(in crate::cli) struct Base {
    project: Project,
    /// Removed at the end.
    _written: Option<TempDir>,
}

impl Base {
    pub(in crate::cli) fn open(name: &str, now: &Project) -> Result<Self> {
        if Path::new(name).is_dir() {
            let config = now.config.as_ref().and_then(|path| path.file_name());
            return Ok(Self {
                project: Project {
                    folder: name.into(),
                    config: config.map(|file| Path::new(name).join(file)),
                },
                _written: None,
            });
        }
        let git = Git(&now.folder);
        let revision = format!("{name}^{{commit}}");
        let commit = git.run(&["rev-parse", "--verify", "--end-of-options", &revision]);
        let commit = commit.map_err(|why| {
            anyhow!("`{name}` is neither a folder nor a revision of this Git repository: {why:#}")
        })?;
        let root = PathBuf::from(git.run(&["rev-parse", "--show-toplevel"])?);
        let written = tempfile::tempdir().context("cannot create a temporary folder")?;
        let tree = written.path().join("tree");
        Git(&root).write(&commit, written.path(), &tree)?;
        let inside = |path: &Path| -> Result<PathBuf> {
            let path = path
                .canonicalize()
                .with_context(|| format!("cannot read {}", path.display()))?;
            let below = path.strip_prefix(root.canonicalize()?).map(Path::to_owned);
            below.with_context(|| format!("{} is outside the Git repository", path.display()))
        };
        let config = now.config.as_deref().map(inside).transpose()?;
        Ok(Self {
            project: Project {
                folder: tree.join(inside(&now.folder)?),
                config: config.map(|path| tree.join(path)),
            },
            _written: Some(written),
        })
    }

    /// What to read of it; `None` where there are no specs.
    pub(in crate::cli) fn specs(&self) -> Option<BuildArgs> {
        if let Some(config) = self.project.config.as_ref().filter(|path| path.is_file()) {
            return Some(BuildArgs::of(&[], Some(config)));
        }
        let specs = self.project.folder.join(SPECS);
        specs.is_dir().then(|| BuildArgs::of(&[specs], None))
    }
}

/// What Git lists a submodule as.
const SUBMODULE: &str = "160000 ";

/// Git in a folder.
struct Git<'a>(&'a Path);

impl Git<'_> {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(self.0).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Result<String> {
        let said = output(&mut self.command(args), None)?;
        let text = String::from_utf8(said).context("git: the answer is not UTF-8 text")?;
        Ok(text.trim_end_matches('\n').to_owned())
    }

    /// Writes the files of a revision into a folder, except generated ones, with those of its submodules as far as they are here. The
    /// folder is a repository, so that paths lead no further up.
    fn write(&self, commit: &str, to: &Path, tree: &Path) -> Result<()> {
        let mut list = self.command(&["ls-tree", "-r", "-z", "--full-tree", commit]);
        let listed = output(&mut list, None)?;
        // `100644 blob HASH<tab>NAME`, or `160000 commit HASH<tab>NAME` of a submodule.
        let entries = listed.split(|byte| *byte == 0).filter_map(|entry| {
            let tab = entry.iter().position(|byte| *byte == b'\t')?;
            let about = std::str::from_utf8(&entry[..tab]).ok()?;
            Some((about, &entry[tab + 1..]))
        });
        let (modules, files): (Vec<_>, Vec<_>) =
            entries.partition(|(about, _)| about.starts_with(SUBMODULE));
        let names: Vec<&[u8]> = files.into_iter().map(|(_, name)| name).collect();
        let ending = format!("/{MANIFEST}");
        let generated = names
            .iter()
            .filter_map(|name| name.strip_suffix(ending.as_bytes()));
        let generated: BTreeSet<&[u8]> = generated.collect();
        let is_generated = |name: &[u8]| {
            let mut ends = name.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            ends.any(|(end, _)| generated.contains(&name[..end]))
        };
        let mut wanted = Vec::new();
        for name in names.into_iter().filter(|name| !is_generated(name)) {
            wanted.extend_from_slice(name);
            wanted.push(0);
        }
        // Hooks name their repository in the environment; this is another one.
        let mut init = self.command(&["init", "--quiet", "--template="]);
        init.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
        output(init.arg(tree), None)?;
        let index = to.join("index");
        let mut read = self.command(&["read-tree", commit]);
        output(read.env("GIT_INDEX_FILE", &index), None)?;
        let mut checkout = self.command(&["checkout-index", "--quiet", "-z", "--stdin"]);
        let mut prefix = OsStr::new("--prefix=").to_owned();
        prefix.push(tree);
        prefix.push("/");
        checkout.arg(prefix).env("GIT_INDEX_FILE", &index);
        output(&mut checkout, Some(&wanted))?;
        for (about, name) in modules {
            let (Some(commit), Ok(name)) = (
                about.rsplit(' ').next(),
                std::str::from_utf8(name).map(Path::new),
            ) else {
                continue;
            };
            let module = self.0.join(name);
            let object = format!("{commit}^{{commit}}");
            // In a folder that is no repository, Git would ask the one above.
            let is_here = module.join(".git").exists()
                && Git(&module).run(&["cat-file", "-e", &object]).is_ok();
            if is_here {
                Git(&module).write(commit, to, &tree.join(name))?;
            }
        }
        Ok(())
    }
}

/// The standard output of a command. If the command fails, the error has its standard error output.
fn output(command: &mut Command, input: Option<&[u8]>) -> Result<Vec<u8>> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(input.map_or_else(Stdio::null, |_| Stdio::piped()));
    let mut child = command.spawn().context("cannot run git")?;
    if let (Some(input), Some(mut to)) = (input, child.stdin.take()) {
        // It says nothing before it has read all.
        to.write_all(input).context("git stopped reading")?;
    }
    let done = child.wait_with_output().context("cannot run git")?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr);
        bail!("git: {}", why.trim());
    }
    Ok(done.stdout)
}
