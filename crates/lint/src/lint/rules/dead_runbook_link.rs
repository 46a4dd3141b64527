//! Links to runbooks that do not exist.

use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::lint::rule::{Check, Findings, ProjectCx, declare_rule};
use slosmith_promql::{Dialect, placeholder};
use slosmith_spec::naming::slug;
use slosmith_text::diag::{Fixes, Group, Severity};
use slosmith_text::input;
use slosmith_text::yaml::Text;

declare_rule! {
    /// ### What it does
    ///
    /// Checks relative links, and links into this repository (`…/blob/BRANCH/PATH`). The file must exist, and the
    /// `#anchor` must be a heading in it.
    ///
    /// ### Why
    ///
    /// The on-call engineer follows the link and finds no instructions.
    ///
    /// ### Example
    ///
    /// ```yaml
    /// runbook_url: https://git.example/ops/blob/main/runbooks/queue.md#scale-up   # the heading is `Scale out`
    /// ```
    ///
    /// ### Use instead
    ///
    /// ```yaml
    /// runbook_url: https://git.example/ops/blob/main/runbooks/queue.md#scale-out
    /// ```
    ///
    /// ### Limits
    ///
    /// Other URLs are not checked, and neither are links with a part that a template fills in, and texts with blanks. The remotes in
    /// `.git/config` show which repository this is. Without remotes, a link is checked only if its file exists.
    pub const RULE: Rule = Rule {
        name: "dead-runbook-link",
        summary: "an alert links to a runbook that does not exist in this repository",
        group: Group::Alert,
        level: Severity::Warning,
        certain: "Certain for paths in the repository and for runbooks of the same run. Other addresses are not checked.",
        fixes: Fixes::None,
        since: "0.1.0",
        check: Check::Project(check),
    };
}

fn check(cx: &ProjectCx<'_>, out: &mut Findings) {
    let ours = remotes(cx.root);
    let readings = cx.artifacts.iter().flat_map(Artifact::readings);
    for alert in readings.flat_map(|artifact| &artifact.alerts) {
        let keys = ["runbook_url", "runbook"];
        for link in keys.iter().filter_map(|key| alert.annotation(key)) {
            if let Some(fault) = fault(cx.root, &ours, link) {
                let finding = out.at(link.span(), fault.message);
                let help = match fault.is_heading {
                    true => "add the heading, or fix the link",
                    false => "write the runbook, or fix the link",
                };
                out.push(finding.help(help));
            }
        }
    }
}

struct Broken {
    message: String,
    /// True if the runbook exists, but not the heading.
    is_heading: bool,
}

/// The mistake in a link; none if the link is right or cannot be checked.
fn fault(root: &Path, ours: &[String], link: &Text) -> Option<Broken> {
    let words = link.value.trim();
    let is_filled = !placeholder::spans(words, Dialect::Template).is_empty();
    if is_filled || words.contains(char::is_whitespace) {
        return None;
    }
    let (address, part) = words.split_once('#').unwrap_or((words, ""));
    let path = local(root, ours, address)?;
    let shown = path
        .strip_prefix(root)
        .unwrap_or(&path)
        .display()
        .to_string();
    if !path.exists() {
        return Some(Broken {
            message: format!("the runbook {shown} does not exist"),
            is_heading: false,
        });
    }
    if part.is_empty() || path.is_dir() {
        return None;
    }
    let text = input::read_text(&path, input::ARTIFACT).ok()?;
    let known = anchors(&text).any(|anchor| anchor == part);
    (!known).then(|| Broken {
        message: format!("the runbook {shown} has no heading `#{part}`"),
        is_heading: true,
    })
}

/// The file of a URL or path, if it is in this repository, which has these remotes.
fn local(root: &Path, ours: &[String], address: &str) -> Option<PathBuf> {
    if address.is_empty() {
        return None;
    }
    let Some((_, rest)) = address.split_once("://") else {
        let relative = !address.starts_with('/') && address.contains('.');
        return relative.then(|| root.join(address));
    };
    let marks = ["/blob/", "/tree/", "/raw/"];
    let (repository, behind) = marks.iter().find_map(|mark| rest.split_once(mark))?;
    let (_, path) = behind.split_once('/')?;
    let path = root.join(path);
    let is_ours = match ours {
        [] => path.exists(),
        ours => ours.contains(&owner_and_name(repository.trim_end_matches("/-"))?),
    };
    is_ours.then_some(path)
}

/// The remotes of the repository that a folder is in, as `owner/name`; none when Git's configuration cannot be read.
fn remotes(root: &Path) -> Vec<String> {
    let root = root.canonicalize().unwrap_or_default();
    let mut git = root.ancestors().map(|folder| folder.join(".git"));
    let git = git.find(|git| git.exists());
    let text = git.and_then(|git| input::read_text(&git.join("config"), input::ARTIFACT).ok());
    let text = text.unwrap_or_default();
    let urls = text.lines().filter_map(|line| {
        let (key, url) = line.split_once('=')?;
        (key.trim() == "url").then_some(url.trim())
    });
    urls.filter_map(owner_and_name).collect()
}

/// `owner/name` at the end of the address of a repository, in lower case: `git@host:Owner/name.git`.
fn owner_and_name(address: &str) -> Option<String> {
    let address = address.trim_end_matches('/').trim_end_matches(".git");
    let mut parts = address.rsplit(['/', ':']);
    let (name, owner) = (parts.next()?, parts.next()?);
    Some(format!("{owner}/{name}").to_lowercase())
}

/// The anchors of a Markdown file: its headings, as GitHub spells them, and its ids.
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
