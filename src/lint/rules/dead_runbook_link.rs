//! Runbook links that lead nowhere.

use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::diag::{Group, Severity};
use crate::input;
use crate::lint::project::ProjectCx;
use crate::lint::rule::{Check, Findings, declare_rule};
use crate::naming::slug;
use crate::yaml::Text;

declare_rule! {
    /// A link that is relative, or that names a branch of a repository and a path that begins in a folder
    /// that is here, is followed: the file must exist, and a `#part` must be a heading in it. Other addresses
    /// are not judged.
    ///
    /// ```yaml
    /// runbook_url: https://git.example/ops/blob/main/runbooks/queue.md#scale-out
    /// ```
    pub const RULE: Rule = Rule {
        name: "dead-runbook-link",
        summary: "an alert links to a runbook in this repository that does not exist",
        group: Group::Alert,
        level: Severity::Warning,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let readings = cx.artifacts.iter().flat_map(Artifact::readings);
    for alert in readings.flat_map(|artifact| &artifact.alerts) {
        let keys = ["runbook_url", "runbook"];
        for link in keys.iter().filter_map(|key| alert.annotation(key)) {
            if let Some(fault) = fault(cx.root, link) {
                let finding = out.at(link.span(), fault);
                out.push(finding.help("write the page, or correct the link"));
            }
        }
    }
}

/// What is wrong with a link; none when it is right or cannot be judged.
fn fault(root: &Path, link: &Text) -> Option<String> {
    let words = link.value.trim();
    let (address, part) = words.split_once('#').unwrap_or((words, ""));
    let path = local(root, address)?;
    let shown = path
        .strip_prefix(root)
        .unwrap_or(&path)
        .display()
        .to_string();
    if !path.exists() {
        return Some(format!("there is no file {shown}"));
    }
    if part.is_empty() || path.is_dir() {
        return None;
    }
    let text = input::read_text(&path, input::ARTIFACT).ok()?;
    let known = anchors(&text).any(|anchor| anchor == part);
    (!known).then(|| format!("{shown} has no heading `#{part}`"))
}

/// The file that an address means, when it lies in this repository.
fn local(root: &Path, address: &str) -> Option<PathBuf> {
    if address.is_empty() || address.contains("{{") {
        return None;
    }
    let Some((_, rest)) = address.split_once("://") else {
        let relative = !address.starts_with('/') && address.contains('.');
        return relative.then(|| root.join(address));
    };
    let marks = ["/blob/", "/tree/", "/raw/"];
    let (_, behind) = marks.iter().find_map(|mark| rest.split_once(mark))?;
    let (_, path) = behind.split_once('/')?;
    let first = path.split('/').next()?;
    let here = path.contains('/') && root.join(first).is_dir();
    here.then(|| root.join(path))
}

/// What `#` can name in a Markdown file: its headings, as GitHub spells them, and its ids.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter_map(|line| {
        let words = line.trim_start_matches('#');
        let level = line.len() - words.len();
        ((1..=6).contains(&level) && words.starts_with(' ')).then(|| slug(words.trim()))
    });
    let ids = text
        .split("id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    headings.chain(ids.map(str::to_owned))
}
