//! `slosmith suggest`: which thresholds, holding times and objectives keep a promise on the history of a Prometheus server.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

use super::build::input::load;
use super::build::settings::Settings;
use super::history::{HistoryArgs, of_service, show_warnings, shown};
use super::inventory::Read;
use super::lint::projects;
use super::table::Table;
use super::terminal::Terminal;
use super::words::count;
use super::{Format, findings, inventory};
use slosmith_backtest::{
    Advice, Change, Rates, Suggestions, Verdict, What, Wish, count_of, suggest,
};
use slosmith_plan::plan::Plan;
use slosmith_render::output::Writer;
use slosmith_resolve::resolve;
use slosmith_spec::spec::{Bases, Comparison, Condition};
use slosmith_text::diag::render::place;
use slosmith_text::diag::{Sink, fix};
use slosmith_text::input;
use slosmith_text::source::{SourceFile, Sources, Span};
use slosmith_text::units::{Quantity, decimal};

/// Suggest thresholds and objectives from your own history
#[derive(Debug, Args)]
pub struct SuggestArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Most firings of an alert in a week, outside of incidents
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, value_parser = a_week)]
    pages_per_week: f64,
    /// Write the suggested values that held into the specs; comments and layout stay
    #[arg(long)]
    write: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn a_week(text: &str) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0, such as 1 or 0.25".to_owned())
}

/// Where a number stands in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: PathBuf,
    start: usize,
    end: usize,
    line: usize,
}

/// The numbers of each alert and SLO of a spec.
type Places = BTreeMap<String, Vec<(What, Place)>>;

pub fn run(args: &SuggestArgs, out: &mut dyn Write) -> Result<u8> {
    let range = args.history.range()?;
    let server = args.history.server()?;
    let Some(incidents) = args.history.incidents()? else {
        return Ok(2);
    };
    let wish = Wish {
        a_week: args.pages_per_week,
        incidents,
    };
    let Some(settings) = Settings::read(&args.history.build())? else {
        return Ok(2);
    };
    let read = |read: &Read<'_>| (read.plan.clone(), places(read));
    let Some(services) = inventory::each(&settings, read)? else {
        return Ok(2);
    };
    let services: Vec<(Plan, Places)> = services.into_iter().map(|(_, read)| read).collect();
    let plans: Vec<&Plan> = services.iter().map(|(plan, _)| plan).collect();
    let is_json = args.format == Format::Json;
    if args.history.is_dry_run(&plans, &server, is_json, out)? {
        return Ok(0);
    }
    let mut all = Vec::new();
    let mut changes = Changes::default();
    if !args.history.specs().is_empty() {
        changes.specs.clone_from(&settings.specs.files);
    }
    for (plan, places) in &services {
        let found = of_service(&plan.service.name, &server, || {
            suggest(plan, &server, range, &wish)
        })?;
        if let Some(mut found) = found {
            // Not of alerts that slosmith adds.
            let is_written = |advice: &Advice| places.contains_key(&advice.name);
            found.advice.retain(is_written);
            changes.add(&found, places);
            all.push(found);
        }
    }
    show_warnings(&server)?;
    if all.is_empty() {
        return Ok(2);
    }
    let files = changes.files()?;
    match args.format {
        Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?,
        Format::Text => {
            for (i, found) in all.iter().enumerate() {
                if i > 0 {
                    writeln!(out)?;
                }
                text(out, found, &wish)?;
            }
            changes.tell(out)?;
            let here = std::env::current_dir()?;
            for (path, (old, new)) in files.iter().filter(|_| !args.write) {
                let shown = place::path(path, Some(&here));
                write!(out, "\n{}", fix::diff(&shown, old, new))?;
            }
        }
    }
    if args.write {
        if let Some((findings, sources)) = faults(&files, &settings)? {
            findings::show(&mut Terminal::stderr(), findings, &sources)?;
            bail!("with these values, the specs do not build; no file was changed");
        }
        let here = std::env::current_dir()?;
        let root = here.join(settings.config.folder());
        let folders = projects(&root, args.history.specs(), &here);
        write_all(&files, &Writer::within(folders))?;
    }
    Ok(0)
}

/// What is wrong with the specs once the values are in them.
fn faults(
    files: &BTreeMap<PathBuf, (String, String)>,
    settings: &Settings,
) -> Result<Option<(Sink, Sources)>> {
    let (mut sources, mut findings) = (Sources::default(), Sink::default());
    let mut changed = BTreeMap::new();
    for (path, (_, new)) in files {
        let file = sources.add(SourceFile::new(path, new.as_str()));
        changed.insert(path, file);
    }
    let mut bases = Bases::among(&sources);
    for path in &settings.specs.files {
        let file = match changed.get(path) {
            Some(file) => Some(*file),
            None => load(path, &mut sources, &mut findings)?,
        };
        let Some(file) = file else {
            continue;
        };
        for variant in bases.of_spec(file, &mut sources, &mut findings) {
            let document = variant.read(&sources);
            let read = document.and_then(|read| resolve(&read, settings.options()).map(|_| ()));
            if let Err(errors) = read {
                findings.absorb(errors);
            }
        }
    }
    Ok(findings.has_errors().then_some((findings, sources)))
}

fn write_all(files: &BTreeMap<PathBuf, (String, String)>, writer: &Writer) -> Result<()> {
    for (path, (old, new)) in files {
        writer
            .replace(path, Some(old), new)
            .with_context(|| format!("{} was not changed", path.display()))?;
    }
    writeln!(Terminal::stderr(), "{} changed", count(files.len(), "file"))?;
    Ok(())
}

/// Values to write, by their places, and why others are not written.
#[derive(Default)]
struct Changes {
    /// `None` is the value of the spec.
    values: BTreeMap<Place, BTreeSet<Option<String>>>,
    left: BTreeSet<String>,
    /// The files with specs of this run; empty if these are all of the project.
    specs: Vec<PathBuf>,
}

impl Changes {
    fn add(&mut self, found: &Suggestions, places: &Places) {
        for advice in &found.advice {
            let change = advice.change.as_ref();
            let change = change.filter(|_| advice.verdict == Verdict::Change);
            let mut is_there = change.is_none();
            for (what, place) in places.get(&advice.name).into_iter().flatten() {
                let then = change.filter(|change| change.what == *what);
                is_there |= then.is_some();
                let then = then.map(|change| change.then.clone());
                self.values.entry(place.clone()).or_default().insert(then);
            }
            if let Some(change) = change.filter(|_| !is_there) {
                let (name, then) = (&advice.name, &change.then);
                let left = format!("{name}: the spec has no value to replace with {then}");
                self.left.insert(left);
            }
        }
    }

    /// The text of each changed file, before and after.
    fn files(&mut self) -> Result<BTreeMap<PathBuf, (String, String)>> {
        let mut files: BTreeMap<PathBuf, (String, String)> = BTreeMap::new();
        // From the end of a file: an edit moves what follows it.
        let changed =
            |(_, values): &(&Place, &BTreeSet<Option<String>>)| values.iter().any(Option::is_some);
        for (place, values) in self.values.iter().rev().filter(changed) {
            if !files.contains_key(&place.file) {
                let text = input::read_named(&place.file, input::SMALL)?;
                let text = String::from_utf8(text)?;
                files.insert(place.file.clone(), (text.clone(), text));
            }
            let (_, text) = files.get_mut(&place.file).context("a file that was read")?;
            let at = format!("{}:{}", place.file.display(), place.line);
            let range = place.start..place.end;
            let written = text.get(range.clone()).unwrap_or_default();
            let before = text.get(..place.start).unwrap_or_default();
            if let Some(why) = self.shared(&place.file, before) {
                self.left.insert(format!("{at}: {why}"));
                continue;
            }
            let mut values = values.iter();
            match (values.next(), values.next()) {
                (Some(Some(then)), None) => match replaced(written, then) {
                    Some(value) => text.replace_range(range, &value),
                    None => {
                        self.left.insert(format!(
                            "{at}: `{written}` is no number; replace it with {then}"
                        ));
                    }
                },
                _ => {
                    self.left.insert(format!(
                        "{at}: services that share this value need different ones"
                    ));
                }
            }
        }
        files.retain(|_, (old, new)| old != new);
        Ok(files)
    }

    /// Why a value is not replaced that others may read, too.
    fn shared(&self, file: &Path, before: &str) -> Option<&'static str> {
        let word = before.trim_end().rsplit([' ', '\n', ',', '{', '[']).next();
        if word.is_some_and(|word| word.starts_with('&')) {
            return Some("the value has an anchor; other places may read it");
        }
        let is_named = self.specs.is_empty() || self.specs.iter().any(|spec| spec == file);
        (!is_named).then_some("specs that are not in this run may extend this file")
    }

    fn tell(&self, out: &mut dyn Write) -> Result<()> {
        for left in &self.left {
            writeln!(out, "\nNot changed: {left}")?;
        }
        Ok(())
    }
}

/// A scalar with another value, in its notation: with its quotes, a ratio as a ratio.
fn replaced(written: &str, then: &str) -> Option<String> {
    let bare = written.trim_matches(['"', '\'']);
    let quantity: Quantity = bare.parse().ok()?;
    let then = match (quantity.bare(), then.parse::<Quantity>().ok()) {
        (Some(_), Some(then)) if then.bare().is_none() => decimal(then.ratio().ok()?),
        _ => then.to_owned(),
    };
    Some(written.replacen(bare, &then, 1))
}

/// Where the numbers stand that may be changed.
fn places(read: &Read<'_>) -> Places {
    let spec = &read.document.spec;
    let place = |span: Span| place_of(span, read.sources);
    let mut all = Places::new();
    for (name, slo) in &spec.slos {
        let objective = (What::Objective, place(slo.objective.span));
        all.insert(name.value.clone(), vec![objective]);
    }
    for (name, alert) in &spec.alerts {
        let hold = alert.hold.iter().map(|hold| (What::Hold, place(hold.span)));
        let mut leaves = Vec::new();
        parts(&alert.when.value, &mut leaves);
        let thresholds = leaves.iter().enumerate().filter_map(|(part, condition)| {
            let span = bound(&condition.comparison)?;
            Some((What::Threshold { part }, place(span)))
        });
        all.insert(name.value.clone(), hold.chain(thresholds).collect());
    }
    all
}

/// The parts of a condition without parts of their own, in the order of the plan.
fn parts<'a>(condition: &'a Condition, all: &mut Vec<&'a Condition>) {
    let inner = condition.all.as_ref().or(condition.any.as_ref());
    match inner {
        Some(inner) => inner.value.iter().for_each(|part| parts(&part.value, all)),
        None => all.push(condition),
    }
    if let Some(unless) = &condition.unless {
        parts(&unless.value, all);
    }
}

fn bound(comparison: &Comparison) -> Option<Span> {
    let Comparison {
        above,
        below,
        at_least,
        at_most,
        ..
    } = comparison;
    [above, below, at_least, at_most]
        .into_iter()
        .flatten()
        .map(|bound| bound.span)
        .next()
}

fn place_of(span: Span, sources: &Sources) -> Place {
    let file = sources.get(span.file);
    let Range { start, end } = span.range();
    Place {
        file: file.path().to_owned(),
        start,
        end,
        line: file.line_col(start).line,
    }
}

fn text(out: &mut dyn Write, found: &Suggestions, wish: &Wish) -> Result<()> {
    writeln!(
        out,
        "{}: chosen on {} to {}, checked until {}",
        found.service,
        shown(found.from),
        shown(found.divided),
        shown(found.to)
    )?;
    let with = |verdict: Verdict| {
        found
            .advice
            .iter()
            .filter(move |advice| advice.verdict == verdict)
    };
    let mut table = Table::right_aligned(&[2, 3, 4, 5]);
    table.row([
        "name",
        "value",
        "now",
        "suggested",
        "a week, chosen",
        "a week, checked",
        "why",
    ]);
    let changed: Vec<&Advice> = with(Verdict::Change)
        .chain(with(Verdict::NotHeld))
        .collect();
    for advice in &changed {
        let Some(change) = &advice.change else {
            continue;
        };
        let [learned, checked] = [advice.learned, advice.checked].map(rates);
        table.row([
            &advice.name,
            value(change),
            &change.now,
            &change.then,
            &learned,
            &checked,
            &advice.why,
        ]);
    }
    match changed.is_empty() {
        true => writeln!(out, "\nNo value to change.")?,
        false => writeln!(out, "\n{}", table.text("").trim_end())?,
    }
    for advice in with(Verdict::NoValue) {
        let (name, why) = (&advice.name, &advice.why);
        let [learned, checked] = [advice.learned, advice.checked].map(|rates| rates.now);
        writeln!(
            out,
            "\n{name} fires {learned:.1} times a week ({checked:.1} where checked): {why}."
        )?;
    }
    for advice in with(Verdict::Unknown) {
        writeln!(out, "\n{} is unknown: {}.", advice.name, advice.why)?;
    }
    let kept: Vec<_> = with(Verdict::Keep).collect();
    let silent = kept
        .iter()
        .filter(|advice| advice.why == "did not fire")
        .count();
    if !kept.is_empty() {
        let a_week = count_of(wish.a_week);
        let kept = count(kept.len(), "value");
        writeln!(
            out,
            "\nKept: {kept} with at most {a_week} a week ({silent} did not fire)."
        )?;
    }
    for incident in &found.missed {
        let checked = match incident.start >= found.divided {
            true => "; values are only checked on this part of the history",
            false => ", and no other value was found that does",
        };
        let title = &incident.title;
        writeln!(
            out,
            "\nMissed: {title}: no page begins to fire in it{checked}."
        )?;
    }
    if wish.incidents.is_empty() {
        writeln!(
            out,
            "\nWithout `--incidents`, each firing counts as one too many, also in a real outage."
        )?;
    }
    if !found.gaps.is_empty() {
        let hours: i64 = found.gaps.iter().map(|gap| gap.to - gap.from).sum();
        let (gaps, hours) = (count(found.gaps.len(), "gap"), hours as f64 / 3_600.0);
        writeln!(out, "\nNo data in {gaps} of {hours:.1} h together.")?;
    }
    Ok(())
}

fn value(change: &Change) -> &'static str {
    match change.what {
        What::Threshold { .. } => "threshold",
        What::Hold => "for",
        What::Objective => "objective",
    }
}

fn rates(rates: Rates) -> String {
    match rates.then {
        Some(then) => format!("{:.1} → {then:.1}", rates.now),
        None => format!("{:.1}", rates.now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_notation() {
        for (written, then, wanted) in [
            ("20", "40", Some("40")),
            ("\"1500ms\"", "4000ms", Some("\"4000ms\"")),
            ("'5m'", "10m", Some("'10m'")),
            ("99.99%", "99.9%", Some("99.9%")),
            ("0.9999", "99.9%", Some("0.999")),
            ("${limit}", "40", None),
            ("*limit", "40", None),
        ] {
            assert_eq!(replaced(written, then).as_deref(), wanted, "{written}");
        }
    }

    #[test]
    fn a_value_that_services_share_changes_for_all_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("base.yaml");
        let writer = Writer::within(vec![folder.path().to_owned()]);
        writer.put(&file, "a: 20  # all\nb: 30\n").expect("written");
        let place = |start, line| Place {
            file: file.clone(),
            start,
            end: start + 2,
            line,
        };
        let mut changes = Changes::default();
        let shared = [Some("40".to_owned()), None];
        changes.values.insert(place(3, 1), shared.into());
        changes
            .values
            .insert(place(16, 2), [Some("60".to_owned())].into());
        let files = changes.files().expect("files");
        let (_, new) = &files[&file];
        assert_eq!(new, "a: 20  # all\nb: 60\n");
        let left: Vec<_> = changes.left.iter().collect();
        assert!(
            left[0].ends_with("base.yaml:1: services that share this value need different ones")
        );
    }
}
