//! `slosmith cloudwatch`: specs → changes of an AWS account.

mod apply;
mod json;
mod list_metrics;
mod plan;
mod pull;
mod specs;
mod text;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use super::lint::progress::Progress;
use super::terminal::Terminal;
use super::{Format, examples};
use crate::aws::{Allowed, Changes, Desired, Pace, Session, Settings, State};
use crate::cloudwatch::is_region;
use crate::output::Writer;

/// Compare an AWS account with specs, and apply the changes
#[derive(Debug, Args)]
pub struct CloudWatchArgs {
    #[command(subcommand)]
    command: CloudWatchCommand,
}

#[derive(Debug, Subcommand)]
enum CloudWatchCommand {
    /// Show what would change; the exit code is 1 if something would
    #[command(after_long_help = examples::CLOUDWATCH_PLAN)]
    Plan(PlanArgs),
    /// Apply the changes
    #[command(after_long_help = examples::CLOUDWATCH_APPLY)]
    Apply(ApplyArgs),
    /// Write all alarms and dashboards of a region as files, for `lint`
    #[command(after_long_help = examples::CLOUDWATCH_PULL)]
    Pull(pull::PullArgs),
    /// Write the metrics of namespaces to a file, with which `lint` compares alarms and dashboards
    #[command(after_long_help = examples::CLOUDWATCH_LIST_METRICS)]
    ListMetrics(list_metrics::ListMetricsArgs),
}

#[derive(Debug, Args)]
struct PlanArgs {
    /// Specs or folders of specs. Default: those in `slosmith.toml`, else `specs`
    specs: Vec<PathBuf>,
    #[command(flatten)]
    what: WhatArgs,
    #[command(flatten)]
    aws: AwsArgs,
    /// Also write the plan to this file, for `apply`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
struct ApplyArgs {
    /// Specs or folders of specs, or one plan that `plan --out` wrote. Default: the specs in `slosmith.toml`, else `specs`
    #[arg(value_name = "SPECS|PLAN.json")]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    what: WhatArgs,
    #[command(flatten)]
    aws: AwsArgs,
    /// Apply without a question
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
struct WhatArgs {
    /// Delete objects that slosmith created for these services and that their specs no longer contain
    #[arg(long)]
    prune: bool,
    /// Take over objects that have the name of one in the specs but were not created by slosmith
    #[arg(long)]
    adopt: bool,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The region. Default: the one in the specs
    #[arg(long, value_name = "REGION")]
    region: Option<String>,
}

/// The region of commands that read no specs.
#[derive(Debug, Args)]
struct RegionArgs {
    /// The region
    #[arg(long, value_name = "REGION")]
    region: String,
}

impl RegionArgs {
    fn checked(&self) -> Result<&str> {
        match is_region(&self.region) {
            true => Ok(&self.region),
            false => bail!(
                "`--region`: `{}` is not a region, such as us-east-1",
                self.region
            ),
        }
    }
}

#[derive(Debug, Args)]
struct AwsArgs {
    /// The profile of AWS's configuration files. Default: `AWS_PROFILE`, else `default`
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Call this address instead of AWS's
    #[arg(long, value_name = "URL")]
    endpoint_url: Option<String>,
}

/// What is wanted, where.
struct Target {
    region: String,
    /// Twelve digits, where the specs name it.
    account: Option<String>,
    allowed: Allowed,
    desired: Desired,
}

/// What is, and what follows from it.
struct Compared {
    session: Session,
    state: State,
    changes: Changes,
}

/// Runs `slosmith cloudwatch`; gives back the exit code.
///
/// # Errors
/// When specs or the account cannot be read.
pub fn run(args: &CloudWatchArgs, out: &mut Terminal) -> Result<u8> {
    match &args.command {
        CloudWatchCommand::Plan(args) => plan::run(args, out),
        CloudWatchCommand::Apply(args) => apply::run(args, out),
        CloudWatchCommand::Pull(args) => pull::run(args),
        CloudWatchCommand::ListMetrics(args) => list_metrics::run(args),
    }
}

/// Writes a file that a command was asked for.
fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).to_owned();
    Ok(Writer::within(vec![folder]).put(path, text)?)
}

fn open(region: &str, args: &AwsArgs) -> Result<Session> {
    Ok(Session::open(&Settings {
        region: region.to_owned(),
        profile: args.profile.clone(),
        endpoint: args.endpoint_url.clone(),
        pace: Pace::default(),
    })?)
}

/// Reads the account and compares it with what is wanted.
fn compare(target: &Target, args: &AwsArgs) -> Result<Compared> {
    let session = open(&target.region, args)?;
    check_account(target, session.number())?;
    let bar = Progress::new(true);
    let state = session.read(&target.desired, &|done, of| bar.at("reading", done, of))?;
    drop(bar);
    check_account(target, state.account())?;
    let changes = Changes::between(&state, &target.desired, target.allowed);
    Ok(Compared {
        session,
        state,
        changes,
    })
}

/// A spec that names its account is applied to no other.
fn check_account(target: &Target, found: Option<&str>) -> Result<()> {
    match (&target.account, found) {
        (Some(wanted), Some(found)) if wanted != found => bail!(
            "the credentials belong to the account {found}, but the specs are for {wanted} (`cloudwatch.account`, or the \
             account of the first ARN); choose other credentials with `--profile`"
        ),
        _ => Ok(()),
    }
}
