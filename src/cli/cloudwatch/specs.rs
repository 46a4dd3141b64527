//! The CloudWatch objects in specs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Target, WhatArgs};
use crate::cli::build::settings::Settings;
use crate::cli::build::{BuildArgs, input};
use crate::cli::findings;
use crate::cli::terminal::Terminal;
use slosmith_aws::{Allowed, Desired};
use slosmith_cloudwatch::{STATES, elsewhere, is_region};
use slosmith_plan::plan::Plan;
use slosmith_render::target::{self, Requests};
use slosmith_text::diag::Sink;

struct Spec {
    file: String,
    plan: Plan,
}

/// The objects of all specs; `None` if specs have errors, which are then shown.
pub(super) fn target(paths: &[PathBuf], args: &WhatArgs) -> Result<Option<Target>> {
    let Some(settings) = Settings::read(&BuildArgs::of(paths, args.config.as_deref()))? else {
        return Ok(None);
    };
    let Some(mut specs) = resolved(&settings, args.environment.as_deref())? else {
        return Ok(None);
    };
    let region = region(&specs, args)?;
    let account = account(&specs)?;
    let mut desired = Desired {
        region: region.clone(),
        removed: args.remove_service.iter().cloned().collect(),
        ..Desired::default()
    };
    for spec in &mut specs {
        if let Some(cloudwatch) = &mut spec.plan.cloudwatch {
            cloudwatch.move_to(&region);
        }
        let options = target::Options::all(&settings.templates);
        let requests: Requests = target::requests(&spec.plan, options)?;
        desired.add(&spec.plan.service.name, &spec.file, requests)?;
    }
    if let Some(given) = desired.removed.intersection(&desired.services).next() {
        bail!("`--remove-service {given}`: a spec of this service is given");
    }
    let mut wanted = desired.objects.iter();
    if let Some((key, why)) =
        wanted.find_map(|(key, wanted)| Some((key, misplaced(&wanted.fields, &region)?)))
    {
        bail!("{key}: {why}; list actions of {region} in the spec, or pass its own region");
    }
    Ok(Some(Target {
        region,
        account,
        allowed: Allowed {
            prune: args.prune,
            adopt: args.adopt,
        },
        desired,
    }))
}

fn resolved(settings: &Settings, environment: Option<&str>) -> Result<Option<Vec<Spec>>> {
    let mut found = Sink::default();
    let mut inputs = input::read(&settings.specs.files, &mut found)?;
    if let Some(wanted) = environment.filter(|_| !found.has_errors()) {
        inputs.select(wanted)?;
    }
    let mut specs = Vec::new();
    for document in &inputs.documents {
        if let Some(plan) = input::resolved(document, settings.options(), &mut found) {
            let path = inputs.sources.get(document.file).path();
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let file = file.into_owned();
            specs.push(Spec { file, plan });
        }
    }
    let failed = found.has_errors();
    findings::show(&mut Terminal::stderr(), found, &inputs.sources)?;
    Ok((!failed).then_some(specs))
}

fn region(specs: &[Spec], args: &WhatArgs) -> Result<String> {
    if let Some(region) = &args.region {
        match is_region(region) {
            true => return Ok(region.clone()),
            false => bail!("`--region {region}`: not an AWS region; use a name such as us-east-1"),
        }
    }
    let regions = specs
        .iter()
        .filter_map(|spec| spec.plan.cloudwatch.as_ref());
    let regions: BTreeSet<_> = regions.map(|cloudwatch| &cloudwatch.region).collect();
    match Vec::from_iter(regions).as_slice() {
        [] => bail!(
            "no spec has a `cloudwatch` section; to delete objects that earlier specs created, pass `--region`"
        ),
        [one] => Ok((*one).clone()),
        many => bail!(
            "the specs are for several regions ({}); pass the specs of one region",
            joined(many)
        ),
    }
}

fn account(specs: &[Spec]) -> Result<Option<String>> {
    let accounts = specs
        .iter()
        .filter_map(|spec| spec.plan.cloudwatch.as_ref());
    let accounts: BTreeSet<_> = accounts
        .filter_map(|cloudwatch| cloudwatch.account.as_ref())
        .collect();
    match Vec::from_iter(accounts).as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        many => bail!(
            "the specs are for several accounts ({}); pass the specs of one account",
            joined(many)
        ),
    }
}

/// Why an alarm cannot be made in a region: `--region` moves the alarms of a spec, and not its actions.
fn misplaced(fields: &Value, region: &str) -> Option<String> {
    let actions = STATES
        .iter()
        .filter_map(|state| fields[*state].as_array())
        .flatten();
    let mut actions = actions.filter_map(Value::as_str);
    actions.find_map(|action| elsewhere(action, region))
}

fn joined(names: &[&String]) -> String {
    let names: Vec<_> = names.iter().map(|name| name.as_str()).collect();
    names.join(", ")
}

/// The text of a saved plan, if `paths` is one.
pub(super) fn saved(paths: &[PathBuf]) -> Result<Option<String>> {
    let is_plan = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    match paths {
        [one] if is_plan(one) => {
            let text = slosmith_text::input::read_text(one, slosmith_text::input::RESULT);
            Ok(Some(text.with_context(|| {
                format!("cannot read {}", one.display())
            })?))
        }
        many if many.iter().any(is_plan) => bail!("pass either one saved plan or specs, not both"),
        _ => Ok(None),
    }
}
