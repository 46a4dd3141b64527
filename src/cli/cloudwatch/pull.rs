//! `slosmith cloudwatch pull`: alarms and dashboards of an account → files for `lint`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use serde_json::Value;

use super::{AwsArgs, RegionArgs, open};
use crate::cli::progress::Progress;
use crate::cli::terminal::Terminal;
use crate::cli::words::count;
use slosmith_aws::{Kind, State};
use slosmith_render::output::Writer;

#[derive(Debug, Args)]
pub(super) struct PullArgs {
    #[command(flatten)]
    region: RegionArgs,
    /// Output folder for `alarms.json` and `dashboards/NAME.json`
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    aws: AwsArgs,
}

pub(super) fn run(args: &PullArgs) -> Result<u8> {
    let session = open(args.region.checked()?, &args.aws)?;
    let bar = Progress::new(true);
    let state = session.read_all(&|done, of| bar.at("reading", "calls", (done, of)))?;
    drop(bar);
    let files = files(&state)?;
    let writer = Writer::within(vec![args.out.clone()]);
    for (path, text) in &files {
        writer.put(&args.out.join(path), text)?;
    }
    let folder = args.out.display();
    writeln!(
        Terminal::stderr(),
        "{folder}: {}",
        count(files.len(), "file")
    )?;
    Ok(0)
}

/// Alarms as API requests, and dashboard bodies. Every dashboard name is a valid file name.
fn files(state: &State) -> Result<Vec<(String, String)>> {
    let text = |value: &Value| serde_json::to_string_pretty(value).map(|text| text + "\n");
    let alarms = state.objects.values();
    let alarms =
        alarms.filter(|object| matches!(object.kind, Kind::MetricAlarm | Kind::CompositeAlarm));
    let alarms: Vec<_> = alarms.map(|object| object.fields.clone()).collect();
    let mut files = vec![("alarms.json".to_owned(), text(&alarms.into())?)];
    for (key, object) in &state.objects {
        if object.kind == Kind::Dashboard {
            files.push((
                format!("dashboards/{}.json", key.name),
                text(&object.fields)?,
            ));
        }
    }
    Ok(files)
}
