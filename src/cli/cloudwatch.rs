//! `slosmith cloudwatch`: specs → changes in an AWS account.

mod apply;
mod json;
mod list_metrics;
mod plan;
mod pull;
mod specs;
mod text;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use super::progress::Progress;
use super::terminal::Terminal;
use super::{Format, examples};
use slosmith_aws::{Allowed, Changes, Desired, Endpoints, Pace, Session, Settings, State};
use slosmith_cloudwatch::is_region;

/// Plan and apply CloudWatch alarms and dashboards in an AWS account
#[derive(Debug, Args)]
pub struct CloudWatchArgs {
    #[command(subcommand)]
    command: CloudWatchCommand,
}

#[derive(Debug, Subcommand)]
enum CloudWatchCommand {
    /// Show the changes that `apply` would make
    ///
    /// Exits with 1 if anything would change.
    #[command(after_long_help = examples::CLOUDWATCH_PLAN)]
    Plan(PlanArgs),
    /// Create, change and delete alarms and dashboards to match the specs
    ///
    /// Shows the changes and asks for confirmation first.
    #[command(after_long_help = examples::CLOUDWATCH_APPLY)]
    Apply(ApplyArgs),
    /// Write all alarms and dashboards of a region to files, for `lint`
    #[command(after_long_help = examples::CLOUDWATCH_PULL)]
    Pull(pull::PullArgs),
    /// Write the metrics of namespaces to a file, for `lint`
    ///
    /// `lint` then reports alarms and dashboards on metrics that are not in the file.
    #[command(after_long_help = examples::CLOUDWATCH_LIST_METRICS)]
    ListMetrics(list_metrics::ListMetricsArgs),
}

#[derive(Debug, Args)]
struct PlanArgs {
    /// Specs or folders of specs. Default: `specs` in `slosmith.toml`, otherwise the folder `specs`
    specs: Vec<PathBuf>,
    #[command(flatten)]
    what: WhatArgs,
    #[command(flatten)]
    aws: AwsArgs,
    /// Also save the plan to this file, for `apply`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
struct ApplyArgs {
    /// Specs or folders of specs, or one file from `plan --out`. Default: `specs` in `slosmith.toml`, otherwise the folder
    /// `specs`
    #[arg(value_name = "SPECS|PLAN.json")]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    what: WhatArgs,
    #[command(flatten)]
    aws: AwsArgs,
    /// Apply without confirmation
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
struct WhatArgs {
    /// Only services of this environment
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,
    /// Include deletions: delete objects that slosmith created for these services, but that are no longer in a spec
    #[arg(long)]
    prune: bool,
    /// Take over objects that have a name in the specs, but were not created by slosmith
    #[arg(long)]
    adopt: bool,
    /// Delete all objects of this service, which has no spec any more (repeatable)
    #[arg(long, value_name = "SERVICE")]
    remove_service: Vec<String>,
    /// The configuration file. Default: the nearest `slosmith.toml` in the working directory or above it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// AWS region. Default: the region in the specs
    #[arg(long, value_name = "REGION")]
    region: Option<String>,
}

/// The region of commands that read no specs.
#[derive(Debug, Args)]
struct RegionArgs {
    /// AWS region
    #[arg(long, value_name = "REGION")]
    region: String,
}

impl RegionArgs {
    fn checked(&self) -> Result<&str> {
        match is_region(&self.region) {
            true => Ok(&self.region),
            false => bail!(
                "`--region {}`: not an AWS region; use a name such as us-east-1",
                self.region
            ),
        }
    }
}

#[derive(Debug, Args)]
struct AwsArgs {
    /// AWS profile. Default: `AWS_PROFILE`, otherwise `default`
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Send requests to this URL instead of AWS
    #[arg(long, value_name = "URL")]
    endpoint_url: Option<String>,
}

/// The objects in the specs, with their region and account.
struct Target {
    region: String,
    /// The account (twelve digits), if the specs set one.
    account: Option<String>,
    allowed: Allowed,
    desired: Desired,
}

/// The state of the account, and the changes.
struct Compared {
    session: Session,
    state: State,
    changes: Changes,
}

impl Compared {
    /// The number of the account, as far as anything tells it.
    fn number(&self) -> Option<String> {
        let known = self.session.number().or(self.state.account());
        let known = known.map(str::to_owned);
        known.or_else(|| self.session.ask_number().ok())
    }
}

pub fn run(args: &CloudWatchArgs, out: &mut Terminal) -> Result<u8> {
    match &args.command {
        CloudWatchCommand::Plan(args) => plan::run(args, out),
        CloudWatchCommand::Apply(args) => apply::run(args, out),
        CloudWatchCommand::Pull(args) => pull::run(args),
        CloudWatchCommand::ListMetrics(args) => list_metrics::run(args),
    }
}

fn open(region: &str, args: &AwsArgs) -> Result<Session> {
    Ok(Session::open(&Settings {
        region: region.to_owned(),
        profile: args.profile.clone(),
        endpoint: args.endpoint_url.clone(),
        // As a flag for all services, the SDK would prefer `--endpoint-url`.
        endpoints: Endpoints {
            sts: variable("AWS_ENDPOINT_URL_STS"),
            tagging: variable("AWS_ENDPOINT_URL_RESOURCE_GROUPS_TAGGING_API"),
        },
        pace: Pace::default(),
    })?)
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Reads the account and compares it with the specs.
fn compare(target: &Target, args: &AwsArgs) -> Result<Compared> {
    let session = open(&target.region, args)?;
    check_account(target, session.number())?;
    let bar = Progress::new(true);
    let state = session.read(&target.desired, &|done, of| {
        bar.at("reading", "calls", (done, of))
    })?;
    drop(bar);
    check_account(target, state.account())?;
    // An empty account does not tell its number.
    if target.account.is_some() && session.number().or(state.account()).is_none() {
        let number = session.ask_number().context(
            "the account of the credentials is not known; `AWS_ACCOUNT_ID` can name it, and `AWS_ENDPOINT_URL_STS` another address of STS",
        )?;
        check_account(target, Some(&number))?;
    }
    let changes = Changes::between(&state, &target.desired, target.allowed);
    Ok(Compared {
        session,
        state,
        changes,
    })
}

/// Rejects an account other than the one in the specs.
fn check_account(target: &Target, found: Option<&str>) -> Result<()> {
    match (&target.account, found) {
        (Some(wanted), Some(found)) if wanted != found => bail!(
            "the AWS credentials belong to account {found}, but the specs are for account {wanted} (`cloudwatch.account`, the \
             account of the first ARN, or that of the saved plan); select other credentials with `--profile`"
        ),
        _ => Ok(()),
    }
}
