//! `slosmith cloudwatch apply`: makes the changes.

use std::io::{IsTerminal, Write};

use anyhow::{Result, bail};

use super::{ApplyArgs, Compared, Target, compare, specs, text};
use crate::cli::progress::Progress;
use crate::cli::terminal::{Terminal, Trust};
use crate::cli::words::count;
use slosmith_aws::{Call, Key, Outcome, Saved, waves};
use slosmith_text::diag::one_line;

pub(super) fn run(args: &ApplyArgs, out: &mut Terminal) -> Result<u8> {
    let saved = specs::saved(&args.specs)?
        .map(|text| Saved::read(&text))
        .transpose()?;
    let target = match &saved {
        Some(saved) => planned(saved, args)?,
        None => match specs::target(&args.specs, &args.what)? {
            Some(target) => target,
            None => return Ok(2),
        },
    };
    let compared = compare(&target, &args.aws)?;
    if let Some(saved) = &saved {
        check_unchanged(saved, &compared)?;
    }
    out.print(&text::plan(&target, &compared), Trust::Styles)?;
    let changes = &compared.changes;
    if !changes.problems.is_empty() {
        bail!(
            "nothing was changed: fix {} first (see above)",
            count(changes.problems.len(), "error")
        );
    }
    if changes.is_empty() {
        return Ok(0);
    }
    if !args.yes && !agreed(&target, out)? {
        writeln!(out, "Nothing was changed.")?;
        return Ok(2);
    }
    out.flush()?;
    let calls = waves(changes, &compared.state, &target.desired);
    let bar = Progress::new(true);
    let outcome = compared
        .session
        .apply(calls, &|done, of| bar.at("applying", "calls", (done, of)));
    drop(bar);
    report(&outcome, out)
}

/// The target of a saved plan. Its options were set when it was made.
fn planned(saved: &Saved, args: &ApplyArgs) -> Result<Target> {
    let what = &args.what;
    let removed = !what.remove_service.is_empty();
    if what.prune || what.adopt || removed || what.region.is_some() || what.config.is_some() {
        bail!(
            "`--prune`, `--adopt`, `--remove-service`, `--region` and `--config` cannot be used with a saved plan; pass them to `slosmith cloudwatch plan`"
        );
    }
    Ok(Target {
        region: saved.region.clone(),
        account: saved.account.clone(),
        allowed: saved.allowed,
        desired: saved.desired(),
    })
}

fn check_unchanged(saved: &Saved, compared: &Compared) -> Result<()> {
    let differing = saved.differing(&compared.changes);
    let mut names: Vec<_> = differing.iter().map(Key::to_string).collect();
    names.extend(compared.changes.problems.iter().map(ToString::to_string));
    match names.as_slice() {
        [] => Ok(()),
        [first] => bail!(
            "the account has changed since the plan was made: {first}; run `slosmith cloudwatch plan` again"
        ),
        [first, rest @ ..] => bail!(
            "the account has changed since the plan was made: {first}, and {} more; run `slosmith cloudwatch plan` again",
            rest.len()
        ),
    }
}

fn agreed(target: &Target, out: &mut Terminal) -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!(
            "cannot ask for confirmation: standard input is not a terminal. Pass `--yes` to apply without confirmation. Nothing was changed"
        );
    }
    write!(
        out,
        "\nMake these changes in {}? They cannot be undone. Only `yes` is accepted: ",
        target.region
    )?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(answer.trim() == "yes")
}

fn report(outcome: &Outcome, out: &mut Terminal) -> Result<u8> {
    let Outcome { done, failed, left } = outcome;
    let complete = failed.is_empty() && left.is_empty();
    if complete {
        writeln!(out, "Apply complete: {}.", count(done.len(), "call"))?;
        return Ok(0);
    }
    let mut err = Terminal::stderr();
    for (title, calls) in [("Done", done), ("Not done", left)] {
        if !calls.is_empty() {
            writeln!(err, "{title}:")?;
        }
        for call in calls {
            writeln!(err, "  {}", one_line(&said(call)))?;
        }
    }
    for (call, error) in failed {
        writeln!(
            err,
            "error: {}: {}",
            one_line(&said(call)),
            one_line(&error.to_string())
        )?;
    }
    bail!(
        "{} of {} made; run the command again to make the remaining changes",
        done.len(),
        count(done.len() + failed.len() + left.len(), "call")
    )
}

fn said(call: &Call) -> String {
    match call {
        Call::Put { key, .. } => format!("put {key}"),
        Call::Tag { key, .. } => format!("tag {key}"),
        Call::Untag { key, .. } => format!("untag {key}"),
        Call::Delete { names, .. } => format!("delete `{}`", names.join("`, `")),
    }
}
