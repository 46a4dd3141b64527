//! `slosmith cloudwatch list-metrics`: the metrics of an account → a file for `lint`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::{AwsArgs, RegionArgs, open};
use crate::cli::lint::today;
use crate::cli::out::put;
use crate::cli::terminal::Terminal;
use crate::cli::words::count;

#[derive(Debug, Args)]
pub(super) struct ListMetricsArgs {
    /// CloudWatch namespace, such as CWAgent or AWS/SageMaker (repeatable)
    #[arg(long = "namespace", value_name = "NAMESPACE", required = true)]
    namespaces: Vec<String>,
    #[command(flatten)]
    region: RegionArgs,
    /// Output file, such as metrics.json
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    aws: AwsArgs,
}

pub(super) fn run(args: &ListMetricsArgs) -> Result<u8> {
    let region = args.region.checked()?;
    let session = open(region, &args.aws)?;
    let mut listing = session.list_metrics(&args.namespaces, &today().to_string())?;
    listing["Region"] = region.into();
    let metrics = listing["Metrics"].as_array().map_or(0, Vec::len);
    let text = serde_json::to_string_pretty(&listing)? + "\n";
    put(&args.out, &text)?;
    let file = args.out.display();
    writeln!(Terminal::stderr(), "{file}: {}", count(metrics, "metric"))?;
    Ok(0)
}
