//! `slosmith init`: creates a project.

mod ask;
mod other;
mod vllm;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use super::stored::{self, Prefixes};
use super::terminal::Terminal;
use super::{findings, page};
use ask::Questions;
use slosmith_catalog::{Catalog, Range};
use slosmith_render::output::Writer;
use slosmith_render::starter::{self, File, Other, Pipeline, Project};
use slosmith_render::template::Templates;
use slosmith_resolve::{self as resolve, Options};
use slosmith_spec::naming;
use slosmith_spec::spec;
use slosmith_text::diag::one_line;
use slosmith_text::input;
use slosmith_text::source::{SourceFile, Sources};
use vllm::Seen;

/// Create a project: `slosmith.toml`, a first spec and a CI workflow
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Folder of the project
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Service name: lower-case letters, digits, `-` and `_`. Default: the name of the folder
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Team that owns the service and its alerts. Default: `sre`
    #[arg(long, value_name = "TEAM")]
    owner: Option<String>,
    /// `/metrics` output of a running server, to detect the server, its release and its models: an http:// or https:// URL, a
    /// file, or - for standard input
    #[arg(long, value_name = "URL|FILE")]
    metrics: Option<String>,
    /// URL of the Prometheus that scrapes the servers, to detect the prefix of the stored names (`vllm:` or another one) and
    /// the label of prefill and decode pods
    #[arg(long, value_name = "URL")]
    prometheus: Option<String>,
    /// vLLM releases that the service runs. Default: detected from `--metrics`, otherwise the newest known release
    #[arg(long, value_name = "RANGE", value_parser = Range::told)]
    vllm: Option<Range>,
    /// Server that the service runs, such as `sglang` (docs/servers.md has all). Default: detected from `--metrics`, otherwise `vllm`
    #[arg(long, value_name = "NAME", conflicts_with = "vllm")]
    product: Option<String>,
    /// CI system to write a workflow for. Default: the one already used in this folder, otherwise `github`
    #[arg(long, value_enum)]
    ci: Option<Ci>,
    #[command(flatten)]
    http: page::HttpArgs,
}

/// The one file that GitLab CI/CD reads.
const GITLAB: &str = ".gitlab-ci.yml";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ci {
    /// GitHub Actions
    #[value(name = "github")]
    GitHub,
    /// GitLab CI/CD
    #[value(name = "gitlab")]
    GitLab,
    /// No CI workflow
    None,
}

pub fn run(args: &InitArgs, out: &mut dyn Write) -> Result<u8> {
    // Never read answers from a pipe: they could belong to other questions.
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut questions = Questions::new(asks);
    let project = project(args, &mut questions)?;
    let files = starter::files(&project, &Templates::load(None)?)?;
    for file in &files {
        check_absent(&args.folder, file)?;
    }
    if !builds(&files, project.other.as_ref())? {
        let (title, range, advice) = match &project.other {
            Some(other) => (other.title, other.range.clone(), ""),
            None => (
                Catalog::vllm().title(),
                project.vllm.to_string(),
                "; pass a newer range with `--vllm`",
            ),
        };
        bail!("the first spec uses metrics that {title} {range} does not have{advice}");
    }
    let writer = Writer::within(vec![args.folder.clone()]);
    for file in &files {
        let path = within(&args.folder, &file.path);
        writer.put(&path, &file.text)?;
        writeln!(out, "{}", path.display())?;
    }
    out.flush()?;
    next(args, &project)?;
    Ok(0)
}

fn project(args: &InitArgs, questions: &mut Questions) -> Result<Project> {
    let about = "`/metrics` URL of a running server, or a file (optional)";
    let address = match &args.metrics {
        Some(address) => address.clone(),
        None => questions.text(about, "")?,
    };
    let page = match address.is_empty() {
        true => None,
        false => Some(page::read(&address, &args.http)?),
    };
    if let Some(other) = other::chosen(args.product.as_deref(), page.as_ref())? {
        return Ok(Project {
            name: name(args, questions)?,
            owner: owner(args, questions)?,
            vllm: vllm::chosen(None, None, &mut Questions::new(false))?,
            server: None,
            other: Some(other),
            names: None,
            role: None,
            pipeline: pipeline(args, questions)?,
        });
    }
    let seen = page.map(|page| Seen::new(page, &address)).transpose()?;
    let names = names(args, seen.as_ref())?;
    let role = role(args, seen.as_ref(), names.as_deref())?;
    Ok(Project {
        name: name(args, questions)?,
        owner: owner(args, questions)?,
        vllm: vllm::chosen(args.vllm.as_ref(), seen.as_ref(), questions)?,
        server: seen.map(|seen| seen.server),
        other: None,
        names,
        role,
        pipeline: pipeline(args, questions)?,
    })
}

/// The prefix of the names in the store, if it is not the served one. Prints what is stored.
fn names(args: &InitArgs, seen: Option<&Seen>) -> Result<Option<String>> {
    let mut err = Terminal::stderr();
    let prefixes = match (&args.prometheus, seen) {
        (Some(url), _) => Prefixes::stored(url, &args.http)?,
        (None, Some(seen)) => seen.prefixes.clone(),
        (None, None) => return Ok(None),
    };
    match (prefixes.is_empty(), &args.prometheus) {
        (true, Some(_)) => writeln!(
            err,
            "warning: Prometheus has stored no vLLM metric in the last hour"
        )?,
        (false, Some(_)) => writeln!(err, "vLLM metrics in Prometheus: {prefixes}")?,
        (_, None) => {}
    }
    if let (None, Some(page)) = (&args.prometheus, &args.metrics)
        && let Some(page) = page::openmetrics(page, &args.http)?
        && let Some(other) = Prefixes::on(&page).other()
        && !prefixes.has(other)
    {
        writeln!(
            err,
            "Prometheus 2 stores the metrics of this server with the prefix `{other}`, unless its scrape configuration is the generated one"
        )?;
    }
    Ok(prefixes.other().map(str::to_owned))
}

/// The label that separates prefill pods from decode pods in Prometheus or in the metrics, if there is one. Prints it.
fn role(args: &InitArgs, seen: Option<&Seen>, names: Option<&str>) -> Result<Option<String>> {
    let prefix = names.unwrap_or(Catalog::vllm().prefix());
    let role = match (&args.prometheus, seen) {
        (Some(url), _) => stored::role(url, prefix, &args.http)?,
        (None, Some(seen)) => stored::role_on(&seen.page),
        (None, None) => None,
    };
    if let Some(label) = &role {
        writeln!(
            Terminal::stderr(),
            "detected prefill and decode pods: label `{label}`"
        )?;
    }
    Ok(role)
}

fn name(args: &InitArgs, questions: &mut Questions) -> Result<String> {
    if let Some(name) = &args.name {
        return match naming::check_name(name, true) {
            Ok(()) => Ok(name.clone()),
            Err(why) => bail!(
                "`--name {}` is not a valid name: {why}, such as `{}`",
                one_line(name),
                usable(name)
            ),
        };
    }
    let folder = args.folder.canonicalize();
    let folder = folder.unwrap_or_else(|_| args.folder.clone());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let check = |name: &str| naming::check_name(name, true).map_err(|why| why.to_string());
    questions.checked("Name of the service", &usable(&name), check)
}

/// The most similar valid name.
fn usable(name: &str) -> String {
    let lower = name.to_lowercase();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let words = lower.split(|c| !fits(c)).filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-");
    let name = name.trim_matches('_').chars().take(40).collect::<String>();
    match naming::check_name(&name, true) {
        Ok(()) => name,
        Err(_) => "vllm".to_owned(),
    }
}

fn owner(args: &InitArgs, questions: &mut Questions) -> Result<String> {
    let check = |owner: &str| match owner {
        "" => Err("the owner must not be empty".to_owned()),
        owner if owner.contains("{{") => Err("the owner must be a name, not a template".to_owned()),
        owner if owner.chars().any(char::is_control) => {
            Err("the owner must be one line of text".to_owned())
        }
        _ => Ok(()),
    };
    match &args.owner {
        Some(owner) => match check(owner) {
            Ok(()) => Ok(owner.clone()),
            Err(why) => bail!("`--owner`: {why}"),
        },
        None => questions.checked("Team that owns the service and its alerts", "sre", check),
    }
}

fn pipeline(args: &InitArgs, questions: &mut Questions) -> Result<Option<Pipeline>> {
    let has = |path: &str| args.folder.join(path).exists();
    let found = match (has(".github"), has(GITLAB), has(".gitlab")) {
        (true, ..) => "github",
        // GitLab reads only this file, which exists.
        (false, true, _) => "none",
        (false, false, true) => "gitlab",
        (false, false, false) => "github",
    };
    let ci = match args.ci {
        Some(ci) => ci,
        None => {
            let check = |word: &str| Ci::from_str(word, true).map(drop);
            let check =
                |word: &str| check(word).map_err(|_| "enter github, gitlab or none".to_owned());
            let asked = "CI system: github, gitlab or none";
            let word = questions.checked(asked, found, check)?;
            Ci::from_str(&word, true).unwrap_or(Ci::None)
        }
    };
    Ok(match ci {
        Ci::GitHub => Some(Pipeline::GitHub),
        Ci::GitLab => Some(Pipeline::GitLab),
        Ci::None => None,
    })
}

/// The path of a file, without a `./` in front.
fn within(folder: &Path, path: &str) -> PathBuf {
    match folder == Path::new(".") {
        true => PathBuf::from(path),
        false => folder.join(path),
    }
}

/// Rejects a file that exists with another text: nothing is overwritten. An earlier run may have been killed after it wrote
/// some of the files.
fn check_absent(folder: &Path, file: &File) -> Result<()> {
    let path = within(folder, &file.path);
    let is_same = || input::read_text(&path, input::SMALL).is_ok_and(|text| text == file.text);
    if path.symlink_metadata().is_err() || is_same() {
        return Ok(());
    }
    let ci = [Pipeline::GitHub, Pipeline::GitLab];
    let advice = match ci.iter().any(|pipeline| pipeline.path() == file.path) {
        true => "pass `--ci none`, and add the job from docs/ci.md to this file",
        false if file.path.starts_with("specs/") => "choose another `--name`, or move this file",
        false => "add specs to the existing project, choose another folder, or move this file",
    };
    bail!(
        "{}: file already exists; nothing was written. To continue, {advice}",
        path.display()
    )
}

/// True if the spec resolves; shows the errors otherwise.
fn builds(files: &[File], other: Option<&Other>) -> Result<bool> {
    let Some(file) = files.iter().find(|file| file.path.starts_with("specs/")) else {
        return Ok(true);
    };
    let mut sources = Sources::default();
    let id = sources.add(SourceFile::new(&file.path, file.text.clone()));
    let document = spec::read(id, &file.text);
    let recorded: Vec<_> = other.and_then(Other::product).into_iter().collect();
    let options = Options {
        recorded: &recorded,
        ..Options::default()
    };
    let resolved = document.and_then(|document| resolve::resolve(&document, options));
    let found = resolved.map_or_else(|errors| errors, |(_, warnings)| warnings);
    let fine = !found.has_errors();
    findings::show(&mut Terminal::stderr(), found, &sources)?;
    Ok(fine)
}

fn next(args: &InitArgs, project: &Project) -> Result<()> {
    let mut err = Terminal::stderr();
    let mut steps = Vec::new();
    if args.folder != Path::new(".") {
        let folder = args.folder.to_string_lossy();
        // Only a NUL cannot be quoted, and no path has one.
        let folder = shlex::try_quote(&folder).unwrap_or_default();
        steps.push(format!("cd {folder}"));
    }
    steps.push("slosmith build     # compiles the spec into generated/".to_owned());
    steps.push(
        "slosmith lint .    # checks the spec, and your own rule files and dashboards".to_owned(),
    );
    steps.push("slosmith doctor    # lists what is left to set up".to_owned());
    if let Some(url) = &args.prometheus {
        let url = page::without_user(url);
        let url = shlex::try_quote(&url).unwrap_or_default();
        steps.push(format!(
            "slosmith suggest --prometheus {url}    # chooses thresholds and objectives from its history"
        ));
    }
    writeln!(err, "\nNext:")?;
    for step in steps {
        writeln!(err, "  {step}")?;
    }
    if let Some(pipeline) = project.pipeline {
        let path = pipeline.path();
        let what = match pipeline {
            Pipeline::GitHub => "OWNER and the commit",
            Pipeline::GitLab => "OWNER",
        };
        writeln!(err, "Then replace {what} in {path}, and commit all files.")?;
    } else if args.folder.join(GITLAB).exists() {
        writeln!(
            err,
            "To run `build --check` and `lint` in CI, add a job to {GITLAB} (see docs/ci.md)."
        )?;
    }
    err.flush().context("cannot write")
}
