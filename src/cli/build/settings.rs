//! The settings of a build: from the command line, otherwise `slosmith.toml`, otherwise defaults.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;

use super::BuildArgs;
use super::input::{self, Specs};
use crate::cli::lint::scope as recorded;
use crate::cli::terminal::Terminal;
use crate::cli::watch::Place;
use crate::cli::words::first_of;
use crate::cli::{configuration, findings};
use slosmith_catalog::{Embedded, Product};
use slosmith_lint::lint::Scope;
use slosmith_render::target::{Format, Target};
use slosmith_render::template::Templates;
use slosmith_resolve::{self as resolve, Options};
use slosmith_spec::config::{self, Build, Config};
use slosmith_spec::kubernetes::Metadata;
use slosmith_text::diag::{Diagnostic, Sink, did_you_mean};
use slosmith_text::source::{Sources, Spanned};

pub(in crate::cli) const SPECS: &str = "specs";
const OUT: &str = "generated";

const NO_FOLDER: &str = "cannot determine the working directory";

pub(in crate::cli) struct Settings {
    pub(in crate::cli) specs: Specs,
    pub(in crate::cli) out: PathBuf,
    pub(in crate::cli) templates: Templates,
    pub(super) targets: Vec<Target>,
    /// The forms of rules and dashboards.
    pub(super) formats: Vec<Format>,
    /// The targets that `--target` selects; empty: all.
    pub(super) only: Vec<Target>,
    pub(super) tests: bool,
    pub(super) vllm: Option<String>,
    /// The services of the project that have recordings.
    pub(in crate::cli) recorded: Vec<Product<'static>>,
    /// What the PromQL of specs is checked against.
    pub(super) scope: Scope<'static>,
    pub(in crate::cli) config: Config,
    pub(super) checks: String,
    pub(super) check: bool,
    pub(super) summary: bool,
    prune: bool,
    pub(super) validate: bool,
    pub(super) verbose: bool,
    pub(in crate::cli) kubernetes: Option<Metadata>,
    /// Additional output files: name of the template, and path.
    pub(super) outputs: Vec<(String, String)>,
}

impl Settings {
    /// Joins the command line and the configuration; `None` if the configuration has errors, which are then shown.
    pub(in crate::cli) fn read(args: &BuildArgs) -> Result<Option<Self>> {
        check(args)?;
        let here = std::env::current_dir().context(NO_FOLDER)?;
        let mut sources = Sources::default();
        let config = configuration::relative(args.config.as_deref(), &here, &mut sources)?;
        let Some(config) = config else {
            return Ok(None);
        };
        let mut faults = faults(&config.build);
        let specs = match args.paths.as_slice() {
            [] => configured(&config, &mut faults)?,
            paths => input::list(paths, &config)?,
        };
        if !faults.is_empty() {
            let mut sink = Sink::default();
            faults.into_iter().for_each(|fault| sink.push(fault));
            findings::show(&mut Terminal::stderr(), sink, &sources)?;
            return Ok(None);
        }
        let root = config.folder().to_owned();
        let products = recorded::products(&config, &recorded::Asked::default(), Embedded::all())?;
        let recorded = products.get(1..).unwrap_or_default().to_vec();
        let scope = Scope::configured(products, &config);
        let labels: Vec<_> = config.labels.iter().map(|label| &label.value).collect();
        let levels = config.levels.iter();
        let levels: Vec<_> = levels.map(|(rule, level)| (&rule.value, level)).collect();
        let profiles: Vec<_> = config.profiles.iter().map(|of| &of.value).collect();
        // The recordings of the program itself are among its sources.
        let seen = recorded
            .iter()
            .map(|product| match Embedded::find(&product.key) {
                Some(_) => format!("{} {:?}", product.key, product.selection),
                None => format!("{product:?}"),
            });
        let seen: Vec<_> = seen.collect();
        let checks = (
            seen,
            labels,
            levels,
            profiles,
            &config.selector,
            config.prometheus,
            &config.build.policy,
        );
        let checks = format!("{checks:?}");
        let build = config.build.clone();
        let templates = args.templates.clone();
        let templates = templates.or(build.templates.map(|folder| folder.value));
        let out = args.out.clone().or(build.out);
        let own = build
            .outputs
            .iter()
            .map(|output| output.template.value.as_path());
        let own: Vec<_> = own.collect();
        let outputs = build.outputs.iter().map(|output| {
            let template = output.template.value.to_string_lossy();
            (template.into_owned(), output.path.value.clone())
        });
        let outputs = outputs.collect();
        Ok(Some(Self {
            specs,
            out: out.unwrap_or_else(|| root.join(OUT)),
            templates: Templates::with(templates.as_deref(), &own)?,
            targets: all_or_some("target", &build.targets),
            formats: all_or_some("format", &build.formats),
            only: args.target.clone(),
            tests: !build.no_tests && !args.no_tests,
            vllm: args.vllm.clone(),
            recorded,
            scope,
            config,
            checks,
            check: args.check,
            summary: args.summary,
            prune: args.prune,
            validate: args.validate,
            verbose: args.verbose,
            kubernetes: build.kubernetes,
            outputs,
        }))
    }

    /// What specs are resolved with.
    pub(in crate::cli) fn options(&self) -> Options<'_> {
        Options {
            vllm: self.vllm.as_deref(),
            recorded: &self.recorded,
            kubernetes: self.kubernetes.as_ref(),
        }
    }

    /// Rejects the removal of many generated services at once: the specs may not all be here.
    pub(super) fn check_removals(&self, stale: &[&String], kept: usize) -> Result<()> {
        let all = stale.len() + kept;
        if self.check || self.prune || stale.len() < 2 || stale.len() * 10 <= all {
            return Ok(());
        }
        let out = self.out.display();
        let names = first_of(stale, 3);
        bail!(
            "{out}: {} of {all} services have no spec any more: {names}; nothing was written; to remove their files, run \
             `slosmith build --prune`",
            stale.len()
        )
    }

    pub(super) fn makes(&self, target: Target) -> bool {
        match self.only.as_slice() {
            [] => self.targets.contains(&target),
            only => only.contains(&target),
        }
    }
}

/// Checks the command line: no change of a file can fix its errors.
pub(super) fn check(args: &BuildArgs) -> Result<()> {
    let Some(range) = &args.vllm else {
        return Ok(());
    };
    resolve::check_range(range).map_err(|why| match why.help() {
        Some(help) => anyhow!("`--vllm`: {why}; {help}"),
        None => anyhow!("`--vllm`: {why}"),
    })
}

/// The inputs of a build, without the files that specs extend.
pub(super) fn places(args: &BuildArgs) -> Result<Vec<Place>> {
    let here = std::env::current_dir().context(NO_FOLDER)?;
    let path = configuration::path(args.config.as_deref(), &here);
    // A new configuration in this folder would be the nearest.
    let mut places = vec![Place::File(config::NAME.into())];
    places.extend(path.iter().cloned().map(Place::File));
    let read = path.and_then(|path| Config::load(&path, &mut Sources::default()).ok());
    let config = read.unwrap_or_default();
    let (root, build) = (config.folder(), &config.build);
    match (args.paths.as_slice(), build.specs.as_slice()) {
        ([], []) => places.push(Place::Specs(root.join(SPECS))),
        ([], named) => {
            let named = named.iter().map(|spec| spec.value.clone());
            places.extend(named.map(|spec| Place::Named(root.to_owned(), spec)));
        }
        (paths, _) => places.extend(paths.iter().cloned().map(Place::Specs)),
    }
    let templates = build.templates.as_ref().map(|folder| &folder.value);
    let folders = build.defaults.iter().map(|folder| &folder.value);
    let folders = folders.chain(args.templates.as_ref().or(templates));
    places.extend(folders.cloned().map(Place::Folder));
    let recorded = config.catalogs.iter();
    places.extend(recorded.map(|folder| Place::Folder(folder.value.clone())));
    let own = build.outputs.iter().map(|output| &output.template.value);
    let own = own.chain(build.policy.iter().map(|policy| &policy.path));
    places.extend(own.cloned().map(Place::File));
    Ok(places)
}

fn configured(config: &Config, faults: &mut Vec<Diagnostic>) -> Result<Specs> {
    if config.build.specs.is_empty() {
        let folder = config.folder().join(SPECS);
        if matches!(folder.try_exists(), Ok(false)) {
            bail!("no folder `{SPECS}` in this directory; run `slosmith init` to create a project");
        }
        return input::list(&[folder], config);
    }
    let mut files = Vec::new();
    for spec in &config.build.specs {
        let before = files.len();
        for path in input::matching(config.folder(), &spec.value)? {
            files.extend(input::specs_under(&path)?);
        }
        if files.len() == before {
            let message = format!("no spec found at `{spec}`");
            let fault = Diagnostic::error("missing-file", spec.span, message);
            faults.push(fault.help("write files, folders or globs, relative to this file"));
        }
    }
    Ok(Specs {
        files: input::built(files, config),
        whole_folder: true,
    })
}

fn faults(build: &Build) -> Vec<Diagnostic> {
    let targets = build.targets.iter();
    let targets = targets.filter_map(|word| named::<Target>("target", word).err());
    let formats = build.formats.iter();
    let formats = formats.filter_map(|word| named::<Format>("format", word).err());
    let mut faults: Vec<_> = targets.chain(formats).collect();
    let mut wanted = |path: &Spanned<PathBuf>, what: &str, is: fn(&Path) -> bool| {
        if !is(&path.value) {
            let message = format!("the {what} `{}` does not exist", path.value.display());
            let fault = Diagnostic::error("missing-file", path.span, message);
            faults.push(fault.help("paths are relative to this file"));
        }
    };
    for folder in build.defaults.iter().chain(&build.templates) {
        wanted(folder, "folder", Path::is_dir);
    }
    for output in &build.outputs {
        wanted(&output.template, "file", Path::is_file);
    }
    faults
}

/// What a list of words selects; all of it where the list is empty.
fn all_or_some<T: ValueEnum>(what: &str, words: &[Spanned<String>]) -> Vec<T> {
    let some = words.iter().filter_map(|word| named(what, word).ok());
    let some: Vec<_> = some.collect();
    if some.is_empty() {
        T::value_variants().to_vec()
    } else {
        some
    }
}

fn named<T: ValueEnum>(what: &str, word: &Spanned<String>) -> Result<T, Diagnostic> {
    let known = T::value_variants().iter();
    let known = known.filter_map(ValueEnum::to_possible_value);
    T::from_str(&word.value, false).map_err(|_| {
        let names: Vec<_> = known.map(|v| v.get_name().to_owned()).collect();
        let help = did_you_mean(&word.value, names.iter().map(String::as_str));
        let help = help.unwrap_or_else(|| format!("expected one of `{}`", names.join("`, `")));
        let message = format!("unknown {what} `{word}`");
        Diagnostic::error("unknown-value", word.span, message).help(help)
    })
}
