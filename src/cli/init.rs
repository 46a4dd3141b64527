//! `slosmith init`: the first files of a project.

mod ask;
mod vllm;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use super::terminal::Terminal;
use super::{findings, page};
use crate::catalog::Range;
use crate::diag::{Sink, one_line};
use crate::naming;
use crate::output::Writer;
use crate::resolve::{self, Options};
use crate::source::{SourceFile, Sources};
use crate::spec;
use crate::starter::{self, File, Pipeline, Project};
use crate::template::Templates;
use ask::Questions;
use vllm::Seen;

/// Write the first files of a project: `slosmith.toml`, a spec that builds, and a file for CI
///
/// On a terminal, asks for what the options do not say. Existing files are never overwritten.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The project's folder
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Name of the service: lower-case letters, digits, `-` and `_`. Default: the folder's name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Team that answers its alerts. Default: `sre`
    #[arg(long, value_name = "TEAM")]
    owner: Option<String>,
    /// Metrics page of a running vLLM server: an http:// or https:// URL, a file, or - for standard input
    #[arg(long, value_name = "URL|FILE")]
    metrics: Option<String>,
    /// vLLM releases that the service runs. Default: those that write such a page, else the newest known
    #[arg(long, value_name = "RANGE", value_parser = range)]
    vllm: Option<Range>,
    /// Where the project's pipelines run. Default: what the folder already has files for, else `github`
    #[arg(long, value_enum)]
    ci: Option<Ci>,
    #[command(flatten)]
    http: page::HttpArgs,
}

/// The one file that GitLab CI/CD reads.
const GITLAB: &str = ".gitlab-ci.yml";

/// Where pipelines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ci {
    /// GitHub Actions
    #[value(name = "github")]
    GitHub,
    /// GitLab CI/CD
    #[value(name = "gitlab")]
    GitLab,
    /// No file for CI
    None,
}

fn range(text: &str) -> Result<Range, String> {
    Range::parse(text).map_err(|error| error.with_help())
}

/// Runs `slosmith init`.
///
/// # Errors
/// When an answer or the page cannot be used, a file exists already, or reading or writing fails.
pub fn run(args: &InitArgs, out: &mut dyn Write) -> Result<u8> {
    // Piped answers would be taken for the answers to other questions.
    let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let mut questions = Questions::new(asks);
    let seen = seen(args, &mut questions)?;
    let project = Project {
        name: name(args, &mut questions)?,
        owner: owner(args, &mut questions)?,
        vllm: vllm::chosen(args.vllm.as_ref(), seen.as_ref(), &mut questions)?,
        server: seen.map(|seen| seen.server),
        pipeline: pipeline(args, &mut questions)?,
    };
    let files = starter::files(&project, &Templates::load(None)?)?;
    for file in &files {
        check_absent(&args.folder, file)?;
    }
    if !builds(&files)? {
        bail!(
            "the first spec does not fit vLLM {}; use a newer range with `--vllm`",
            project.vllm
        );
    }
    let writer = Writer::within(vec![args.folder.clone()]);
    for file in &files {
        let path = within(&args.folder, &file.path);
        writer.put(&path, &file.text)?;
        writeln!(out, "{}", path.display())?;
    }
    next(args, &project)?;
    Ok(0)
}

/// What the page says, when there is one.
fn seen(args: &InitArgs, questions: &mut Questions) -> Result<Option<Seen>> {
    let about = "Metrics page of a running vLLM server, a URL or a file; empty for none";
    let address = match &args.metrics {
        Some(address) => address.clone(),
        None => questions.text(about, "")?,
    };
    if address.is_empty() {
        return Ok(None);
    }
    let page = page::read(&address, &args.http)?;
    Seen::new(page, &address).map(Some)
}

fn name(args: &InitArgs, questions: &mut Questions) -> Result<String> {
    if let Some(name) = &args.name {
        return match naming::check_name(name, true) {
            Ok(()) => Ok(name.clone()),
            Err(why) => bail!("`--name {}`: {why}; {}", one_line(name), meant(name)),
        };
    }
    let folder = args.folder.canonicalize();
    let folder = folder.unwrap_or_else(|_| args.folder.clone());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let check = |name: &str| naming::check_name(name, true).map_err(|why| why.to_string());
    questions.checked("Name of the service", &usable(&name), check)
}

/// The nearest name that can be used.
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

fn meant(name: &str) -> String {
    format!("`{}` would do", usable(name))
}

fn owner(args: &InitArgs, questions: &mut Questions) -> Result<String> {
    let check = |owner: &str| match owner {
        "" => Err("an owner cannot be empty".to_owned()),
        owner if owner.contains("{{") => Err("the owner is a name, not a template".to_owned()),
        owner if owner.chars().any(char::is_control) => Err("a name has one line".to_owned()),
        _ => Ok(()),
    };
    match &args.owner {
        Some(owner) => match check(owner) {
            Ok(()) => Ok(owner.clone()),
            Err(why) => bail!("`--owner`: {why}"),
        },
        None => questions.checked("Team that answers its alerts", "sre", check),
    }
}

fn pipeline(args: &InitArgs, questions: &mut Questions) -> Result<Option<Pipeline>> {
    let has = |path: &str| args.folder.join(path).exists();
    let found = match (has(".github"), has(GITLAB), has(".gitlab")) {
        (true, ..) => "github",
        // It is somebody's file, and GitLab reads no other.
        (false, true, _) => "none",
        (false, false, true) => "gitlab",
        (false, false, false) => "github",
    };
    let ci = match args.ci {
        Some(ci) => ci,
        None => {
            let check = |word: &str| Ci::from_str(word, true).map(drop);
            let check =
                |word: &str| check(word).map_err(|_| "answer github, gitlab or none".to_owned());
            let asked = "Where pipelines run: github, gitlab or none";
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

/// A file of somebody stays as it is, and so does everything beside it.
fn check_absent(folder: &Path, file: &File) -> Result<()> {
    let path = within(folder, &file.path);
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let ci = [Pipeline::GitHub, Pipeline::GitLab];
    let advice = match ci.iter().any(|pipeline| pipeline.path() == file.path) {
        true => "use `--ci none`, and add to it what docs/ci.md shows",
        false if file.path.starts_with("specs/") => "choose another `--name`, or move it away",
        false => "add specs to that project, name another folder, or move it away",
    };
    bail!(
        "{}: the file exists; nothing was written: {advice}",
        path.display()
    )
}

/// Whether the spec is right; shows what is wrong otherwise.
fn builds(files: &[File]) -> Result<bool> {
    let Some(file) = files.iter().find(|file| file.path.starts_with("specs/")) else {
        return Ok(true);
    };
    let mut sources = Sources::default();
    let id = sources.add(SourceFile::new(&file.path, file.text.clone()));
    let document = spec::read(id, &file.text);
    let resolved = document.and_then(|document| resolve::resolve(&document, Options::default()));
    let found: Sink = match resolved {
        Ok((_, warnings)) => warnings,
        Err(errors) => errors,
    };
    let fine = !found.has_errors();
    findings::show(&mut Terminal::stderr(), found, &sources)?;
    Ok(fine)
}

/// What to do now.
fn next(args: &InitArgs, project: &Project) -> Result<()> {
    let mut err = Terminal::stderr();
    let mut steps = Vec::new();
    if args.folder != Path::new(".") {
        let folder = args.folder.to_string_lossy();
        // Only a NUL cannot be quoted, and no path has one.
        let folder = shlex::try_quote(&folder).unwrap_or_default();
        steps.push(format!("cd {folder}"));
    }
    steps.push("slosmith build     # compile the spec into generated/".to_owned());
    steps.push("slosmith lint .    # check it, and rule files and dashboards you have".to_owned());
    steps.push("slosmith doctor    # see what is left to set".to_owned());
    writeln!(err, "\nNext:")?;
    for step in steps {
        writeln!(err, "  {step}")?;
    }
    if let Some(pipeline) = project.pipeline {
        let path = pipeline.path();
        writeln!(err, "Then replace OWNER in {path}, and commit everything.")?;
    } else if args.folder.join(GITLAB).exists() {
        writeln!(
            err,
            "To run the first two in CI, add a job to {GITLAB} (see docs/ci.md)."
        )?;
    }
    err.flush().context("cannot write")
}
