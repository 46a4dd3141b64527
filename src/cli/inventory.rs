//! Reads the inventory of a project.

use anyhow::{Result, bail};
use rayon::prelude::*;

use super::build::BuildArgs;
use super::build::input;
use super::build::settings::Settings;
use super::findings;
use super::terminal::Terminal;
use slosmith_plan::inventory::Service;
use slosmith_plan::plan::Plan;
use slosmith_resolve as resolve;
use slosmith_spec::spec::{Bases, Document, Variant};
use slosmith_text::diag::{Sink, guarded};
use slosmith_text::source::Sources;

/// Number of specs that are in memory at once.
const BATCH: usize = 256;

/// A spec, and what it means.
pub(super) struct Read<'a> {
    pub(super) document: &'a Document,
    pub(super) plan: &'a Plan,
    pub(super) sources: &'a Sources,
}

/// The services of the specs in a folder with a project, or of some specs; `None` if the specs have errors, which are then shown.
pub(super) fn read(args: &BuildArgs) -> Result<Option<Vec<Service>>> {
    let Some(settings) = Settings::read(args)? else {
        return Ok(None);
    };
    let services = each(&settings, |_| ())?;
    Ok(services.map(|all| all.into_iter().map(|(service, ())| service).collect()))
}

/// The same with something of each spec.
pub(super) fn each<T: Send>(
    settings: &Settings,
    of: impl Fn(&Read<'_>) -> T + Sync,
) -> Result<Option<Vec<(Service, T)>>> {
    let mut services = Vec::new();
    let mut findings = Sink::default();
    let mut sources = Sources::default();
    let mut bases = Bases::default();
    for paths in settings.specs.files.chunks(BATCH) {
        let mut variants = Vec::new();
        for path in paths {
            if let Some(file) = input::load(path, &mut sources, &mut findings)? {
                variants.extend(bases.of_spec(file, &mut sources, &mut findings));
            }
        }
        let read = |variant: &Variant| {
            let read = || service(variant, settings, &sources, &of);
            guarded(variant.file(), read).unwrap_or_else(|panic| {
                let mut failed = Sink::default();
                failed.push(panic);
                Err(failed)
            })
        };
        let done: Vec<_> = variants.par_iter().map(read).collect();
        for done in done {
            match done {
                Ok(service) => services.push(service),
                Err(errors) => findings.absorb(errors),
            }
        }
        if findings.is_empty() {
            variants
                .iter()
                .for_each(|variant| sources.forget(variant.file()));
        }
    }
    if findings.has_errors() {
        findings::show(&mut Terminal::stderr(), findings, &sources)?;
        return Ok(None);
    }
    services.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    let twice = services
        .windows(2)
        .find(|pair| pair[0].0.name == pair[1].0.name);
    if let Some([first, second]) = twice {
        let places =
            [first, second].map(|(service, _)| service.spec.as_deref().unwrap_or_default());
        bail!(
            "the service `{}` is defined twice: {}",
            first.0.name,
            places.join(", ")
        );
    }
    Ok(Some(services))
}

fn service<T>(
    variant: &Variant,
    settings: &Settings,
    sources: &Sources,
    of: impl Fn(&Read<'_>) -> T,
) -> Result<(Service, T), Sink> {
    let document = variant.read(sources)?;
    let (plan, _) = resolve::resolve(&document, settings.options())?;
    let mut service = Service::of(&document, &plan);
    for (place, at) in service.places() {
        let file = sources.get(at.file);
        let line = file.line_col(at.range().start).line;
        *place = Some(format!("{}:{line}", file.path().display()));
    }
    let read = Read {
        document: &document,
        plan: &plan,
        sources,
    };
    Ok((service, of(&read)))
}
