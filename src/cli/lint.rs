//! `slosmith lint`: specs and existing files → findings, and their fixes.

mod args;
mod baseline;
pub(super) mod fixing;
pub(super) mod input;
mod live;
mod passed;
mod report;
pub(super) mod scope;
mod statistics;
pub(super) mod walk;

use std::io::Write;
use std::path::{Path, PathBuf};

use super::configuration;
use super::terminal::Terminal;
use anyhow::{Context, Result, anyhow, bail};

pub use args::LintArgs;

use super::progress::Progress;
use input::Loaded;
use live::Online;
use slosmith_catalog::{Embedded, Range};
use slosmith_lint::lint::date::Date;
use slosmith_lint::lint::live::Live;
use slosmith_lint::lint::{Scope, Settings, run_telling};
use slosmith_render::output::Writer;
use slosmith_spec::config::{Config, plain};
use slosmith_text::diag::{Diagnostic, INTERNAL_ERROR, count, one_line};
use slosmith_text::source::Sources;

pub fn run(args: &LintArgs, out: &mut Terminal) -> Result<u8> {
    let here = std::env::current_dir().context("cannot determine the working directory")?;
    let mut sources = Sources::default();
    let Some(mut config) = configuration::nearest(args.config.as_deref(), &here, &mut sources)?
    else {
        return Ok(2);
    };
    args.override_config(&mut config);
    let vllm = args.vllm.as_deref().map(Range::parse).transpose();
    let asked = scope::Asked {
        vllm: vllm.map_err(|why| anyhow!("`--vllm`: {}", why.with_help()))?,
        products: &args.product,
        profiles: &args.profile,
    };
    // What they say is right is known before files are read.
    let own = scope::own(&scope::products(&config, &asked, [])?);
    let mut files = walk::files(&args.paths, &config, &here)?;
    files.own = own;
    if let Some(name) = &mut files.stdin {
        if args.fix && !args.diff {
            bail!("`--fix` cannot write to standard input; use `--diff`");
        }
        name.clone_from(&args.stdin_filename);
        let language = config.language(name, &here);
        files
            .languages
            .extend(language.map(|language| (name.clone(), language)));
    }
    let progress = Progress::new(!args.quiet);
    let loaded = input::load(files, sources, &progress);
    let texts = loaded.sources.iter().map(|(_, file)| file.text());
    let products = scope::products(&config, &asked, Embedded::in_texts(texts))?;
    let live = args.live.server()?;
    let job = Job {
        args,
        live: live.as_ref(),
        config: &config,
        scope: &Scope::configured(products, &config),
        root: &config_folder(&config, &here),
        here: &here,
        today: today(),
        progress,
    };
    job.run(loaded, out)
}

fn config_folder(config: &Config, here: &Path) -> PathBuf {
    here.join(config.folder())
}

/// The folders in which `--fix` may write: the folder of the configuration, and folders outside it that are on the command line,
/// or that hold a file on the command line. A link that leads out of the project is not followed.
pub(super) fn projects(root: &Path, named: &[PathBuf], here: &Path) -> Vec<PathBuf> {
    let root = plain(root);
    let named = named.iter().map(|path| plain(&here.join(path)));
    let outside = named.filter(|path| !path.starts_with(&root));
    let folder = |path: PathBuf| match path.parent() {
        Some(parent) if !path.is_dir() => parent.to_owned(),
        _ => path,
    };
    let mut folders: Vec<_> = outside.map(folder).collect();
    folders.push(root);
    folders
}

fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let reasons = std::iter::successors(error.source(), |e| e.source());
    let reasons = reasons.map(|reason| format!(": {reason}"));
    format!("{error}{}", reasons.collect::<String>())
}

pub(in crate::cli) fn today() -> Date {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let days = now.map_or(0, |since| since.as_secs() / 86_400);
    Date::from_days(i64::try_from(days).unwrap_or(0))
}

struct Job<'a> {
    args: &'a LintArgs,
    live: Option<&'a Online<'a>>,
    config: &'a Config,
    scope: &'a Scope<'a>,
    root: &'a Path,
    here: &'a Path,
    today: Date,
    progress: Progress,
}

impl Job<'_> {
    fn run(&self, mut loaded: Loaded, out: &mut Terminal) -> Result<u8> {
        let args = self.args;
        let mut found = self.check(&loaded);
        if let Some(why) = self.live.and_then(Online::failed) {
            bail!("the server of `--prometheus` does not answer: {why}");
        }
        for note in self.live.iter().flat_map(|live| live.notes()) {
            writeln!(Terminal::stderr(), "note: {note}")?;
        }
        loaded.unreadable |= found.iter().any(|d| d.code == INTERNAL_ERROR);
        if args.fix || args.diff {
            (loaded, found) = self.fix(loaded, found, out)?;
        }
        if args.write_baseline {
            match self.write_baseline(&found, &loaded)? {
                None => return Ok(0),
                Some(fault) => found = vec![fault],
            }
            loaded.unreadable = true;
        } else {
            found = self.baseline(found, &mut loaded);
        }
        if !args.diff {
            self.show(&found, &loaded, out)?;
        }
        // The summary goes to standard error: what stands before it is on the screen first.
        out.flush()?;
        self.summary(&found, &loaded)?;
        let worst = found.iter().map(|d| d.severity).max();
        let code = match worst {
            _ if loaded.unreadable => 2,
            _ if args.exit_zero => 0,
            Some(worst) if worst >= args.fail_on.severity() => 1,
            _ => 0,
        };
        // The process ends here. Freeing the queries of a large file would take a tenth of the run.
        std::mem::forget(loaded);
        Ok(code)
    }

    /// Applies fixes, or shows them; returns the files after that, and the remaining findings.
    fn fix(
        &self,
        loaded: Loaded,
        found: Vec<Diagnostic>,
        out: &mut dyn Write,
    ) -> Result<(Loaded, Vec<Diagnostic>)> {
        let mut err = Terminal::stderr();
        let check = |loaded: &Loaded| self.check(loaded);
        let outcome = fixing::apply_all(loaded, found, self.args.unsafe_fixes, check);
        if self.args.diff {
            out.write_all(outcome.diff(self.here).as_bytes())?;
            let fixed = count(outcome.count(), "finding");
            writeln!(err, "{fixed} can be fixed")?;
            return Ok((outcome.loaded, outcome.found));
        }
        let writer = Writer::within(projects(self.root, &self.args.paths, self.here));
        let written = outcome.write(&writer);
        writeln!(err, "{} fixed", count(written.fixed, "finding"))?;
        if written.kept.is_empty() {
            return Ok((outcome.loaded, outcome.found));
        }
        for (_, why) in written.kept.values() {
            let why = chain(why);
            writeln!(err, "error: {}; the file was not changed", one_line(&why))?;
        }
        let mut loaded = outcome.loaded.again(|id| {
            let path = outcome.loaded.sources.get(id).path();
            written.kept.get(path).map(|(old, _)| old.clone())
        });
        loaded.unreadable = true;
        let found = self.check(&loaded);
        Ok((loaded, found))
    }

    fn check(&self, loaded: &Loaded) -> Vec<Diagnostic> {
        let scope = self.scope.clone().published(loaded.published());
        let scope = scope.adding(loaded.added_labels());
        let scope = scope.pinned(loaded.pins());
        let scope = scope.replacing_buckets(loaded.replace_buckets());
        let scope = scope.asking(self.live.map(|online| Live(online)));
        let settings = Settings {
            scope: &scope,
            config: self.config,
            vllm: self.args.vllm.as_deref(),
            today: self.today,
            root: self.root,
        };
        let mut found = loaded.faults.clone();
        self.progress.begin("checking", loaded.artifacts.len());
        let done = || self.progress.step();
        found.extend(run_telling(
            &loaded.artifacts,
            &loaded.sources,
            &settings,
            &done,
        ));
        found
    }
}
