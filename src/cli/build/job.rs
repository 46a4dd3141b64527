//! One service: from its spec to a staged folder. The files do not outlive the job, so a thousand services need as much memory
//! as a few.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use similar::TextDiff;

use super::settings::Settings;
use crate::cli::lint::today;
use slosmith_catalog::Catalog;
use slosmith_lint::lint;
use slosmith_plan::parity;
use slosmith_plan::plan::{LeftOut, Plan, Server};
use slosmith_render::output;
use slosmith_render::output::{Change, Claims, Digest, Earlier, Folder, MANIFEST, Staging};
use slosmith_render::target;
use slosmith_render::target::{Format, Target, TargetError, Untested, own};
use slosmith_resolve as resolve;
use slosmith_spec::kubernetes::Metadata;
use slosmith_spec::naming;
use slosmith_spec::spec::{Document, Text, Variant};
use slosmith_text::diag::{Diagnostic, Sink, one_line};
use slosmith_text::source::{FileId, Sources, Span};

pub(super) struct Job<'a> {
    pub(super) settings: &'a Settings,
    /// `None` with `--check`.
    staging: Option<&'a Staging>,
    /// Service folders by the digest of their inputs; empty with `--validate`, which checks all outputs.
    built_from: BTreeMap<Digest, Earlier>,
}

#[derive(Default)]
pub(super) struct Done {
    pub(super) service: Option<String>,
    pub(super) claims: Claims,
    pub(super) built: Option<Built>,
    pub(super) findings: Sink,
}

impl Done {
    pub(super) fn failed(why: Diagnostic) -> Self {
        let mut done = Self::default();
        done.findings.push(why);
        done
    }
}

pub(super) struct Built {
    pub(super) service: String,
    pub(super) files: usize,
    pub(super) changed: usize,
    pub(super) removed: usize,
    pub(super) diff: String,
    /// The slosmith that last changed a file of the service.
    pub(super) version: Option<String>,
    /// Inputs that make the same files as the inputs in the manifest.
    pub(super) later: Option<Digest>,
    pub(super) how: How,
}

pub(super) enum How {
    Built(Summary),
    Unchanged,
    Removed,
}

pub(super) struct Summary {
    pub(super) servers: Vec<Server>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) notes: Vec<String>,
    pub(super) cost: Option<String>,
}

fn dead_link(document: &Document, error: &anyhow::Error) -> Option<Diagnostic> {
    let Some(TargetError::DeadLink { target, .. }) = error.downcast_ref() else {
        return None;
    };
    let link = format!("]({target}");
    let mut files = document.files.files();
    let (file, at) = files.find_map(|(file, text)| Some((file, text.find(&link)? + 2)))?;
    let at = Span::new(file, at..at + target.len());
    let message = format!("the link `{target}` does not lead to a generated runbook or heading");
    let help = "link to a runbook of this spec, such as `NAME.md#step-1`, or use a full URL";
    Some(Diagnostic::error("dead-link", at, message).help(help))
}

/// A warning of an alert without a unit test.
fn untested(document: &Document, Untested { alert, why }: &Untested) -> Diagnostic {
    let spec = &document.spec;
    let of = |name: &&Text| naming::burn_alert(&name.value) == *alert;
    let named = spec.alerts.keys().find(|name| name.value == *alert);
    let name = named.or_else(|| spec.slos.keys().find(of));
    let at = name.map_or(spec.service.name.span, |name| name.span);
    let message = format!("`{alert}` has no unit test: no test input makes the alert fire ({why})");
    let help =
        "if the conditions exclude each other, change them; otherwise test the alert by hand";
    Diagnostic::warning("untested", at, message).help(help)
}

impl<'a> Job<'a> {
    pub(super) fn new(settings: &'a Settings, staging: Option<&'a Staging>) -> Result<Self> {
        let built_from = match settings.validate {
            true => BTreeMap::new(),
            false => output::built_from(&settings.out)?,
        };
        Ok(Self {
            settings,
            staging,
            built_from,
        })
    }

    /// Builds and stages a service. If the build has already `failed`, only collects findings.
    pub(super) fn build(&self, spec: &Variant, sources: &Sources, failed: bool) -> Result<Done> {
        let parts = &spec.texts(sources);
        let inputs = self.inputs(parts, spec.environment.as_deref());
        if let Some(done) = self.unchanged(inputs) {
            return Ok(done);
        }
        let mut done = Done::default();
        let document = match spec.read(sources) {
            Ok(document) => document,
            Err(findings) => return Ok(Done { findings, ..done }),
        };
        done.service = document.service().map(|name| name.to_string());
        let old = document.spec.service.renamed_from.as_ref();
        done.claims = Claims {
            servers: resolve::servers(&document.spec),
            renamed_from: old.map(|old| old.value.clone()),
        };
        let resolved = resolve::resolve(&document, self.settings.options());
        let (mut plan, mut findings) = match resolved {
            Ok(resolved) => resolved,
            Err(findings) => return Ok(Done { findings, ..done }),
        };
        let queries = lint::Settings {
            scope: &self.settings.scope,
            config: &self.settings.config,
            vllm: None,
            today: today(),
            root: Path::new("."),
        };
        for finding in lint::check_spec(parts, (&document, &plan), &queries, &findings) {
            findings.push(finding);
        }
        if !self.settings.targets.contains(&Target::Grafana) {
            plan.unlink_dashboards();
        }
        if !failed && !findings.has_errors() {
            // Every build prints all warnings, so a service with warnings never counts as unchanged.
            let mut texts = parts.iter().map(|(_, text)| text);
            // An exception ends on a day, and the inputs have no date.
            let ends =
                texts.any(|text| text.contains("slosmith: allow") && text.contains(" until "));
            let complete = findings.is_empty() && self.settings.only.is_empty() && !ends;
            match self.render(plan, complete.then_some(inputs)) {
                Ok((mut folder, summary, without_test)) => {
                    for alert in &without_test {
                        findings.push(untested(&document, alert));
                    }
                    folder.claims.clone_from(&done.claims);
                    done.built = Some(self.stage(&folder, How::Built(summary))?);
                }
                Err(error) => findings.push(dead_link(&document, &error).ok_or(error)?),
            }
        }
        Ok(Done { findings, ..done })
    }

    pub(super) fn remove(&self, service: &str) -> Result<Built> {
        self.stage(&Folder::gone(service)?, How::Removed)
    }

    fn inputs(&self, parts: &[(FileId, &str)], environment: Option<&str>) -> Digest {
        let formats = format!("{:?}", self.settings.formats);
        let vllm = self.settings.vllm.as_deref().unwrap_or_default();
        let tests = if self.settings.tests { "" } else { "no tests" };
        let templates = self.settings.templates.foreign();
        let templates = templates.chain(&self.settings.outputs);
        let templates = templates.flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
        let parts = parts.iter().map(|(_, text)| text.as_bytes());
        let targets = self.settings.targets.iter().map(|t| t.as_str().as_bytes());
        let first = [env!("SLOSMITH_SOURCES"), vllm, tests];
        let newer: Vec<&str> = Catalog::newer().collect();
        let first = first.into_iter().chain(newer).map(str::as_bytes);
        let kubernetes = self.settings.kubernetes.iter().flat_map(Metadata::words);
        let words = targets.chain([formats.as_bytes()]);
        let words = words.chain(kubernetes.map(str::as_bytes));
        let words = words.chain([self.settings.checks.as_bytes()]);
        let words = words.chain(environment.map(str::as_bytes));
        let first = first.chain(words);
        Digest::of_all(first.chain(parts).chain(templates))
    }

    /// A service with the same inputs and files as in the last build.
    fn unchanged(&self, inputs: Digest) -> Option<Done> {
        let Earlier { service, claims } = self.built_from.get(&inputs)?;
        let built = Built {
            files: output::intact(&self.settings.out, service)?,
            service: service.clone(),
            changed: 0,
            removed: 0,
            diff: String::new(),
            version: None,
            later: None,
            how: How::Unchanged,
        };
        Some(Done {
            service: Some(service.clone()),
            claims: claims.clone(),
            built: Some(built),
            ..Done::default()
        })
    }

    fn render(
        &self,
        plan: Plan,
        inputs: Option<Digest>,
    ) -> Result<(Folder, Summary, Vec<Untested>)> {
        let wanted = |t: &Target| self.settings.makes(*t);
        let in_format = |format| self.settings.formats.contains(&format);
        let options = target::Options {
            templates: &self.settings.templates,
            unit_tests: self.settings.tests,
            read_back: self.settings.validate,
        };
        let mut files = Vec::new();
        let mut notes = Vec::new();
        let mut untested = Vec::new();
        let mut others = Vec::new();
        for target in Target::ALL.into_iter().filter(wanted) {
            let rendered = target::render(&plan, target, options)?;
            if self.settings.validate || self.settings.templates.are_replaced() {
                target::validate(target, &rendered.files)?;
            }
            let loaded = rendered.files.into_iter();
            files.extend(loaded.filter(|file| Format::of(&file.path).is_none_or(in_format)));
            notes.extend(rendered.notes);
            untested.extend(rendered.untested);
        }
        for (template, path) in &self.settings.outputs {
            match self.settings.only.as_slice() {
                [] => files.push(own::render(
                    &plan,
                    &self.settings.templates,
                    template,
                    path,
                )?),
                _ => others.extend(path.split('/').next().map(str::to_owned)),
            }
        }
        // It names the files of several targets: a build of some of them leaves it as it is.
        let own = files.iter().any(|file| file.path == target::KUSTOMIZATION);
        match self.settings.only.as_slice() {
            [] if !own && in_format(Format::Kubernetes) => {
                files.extend(target::kustomization(&plan, &files, options)?)
            }
            [] => {}
            _ => others.push(target::KUSTOMIZATION.to_owned()),
        }
        let cost = parity::cost(&plan).map(|cost| cost.sentence());
        notes.splice(0..0, plan.notes);
        let kept = self.settings.targets.iter().filter(|t| !wanted(t));
        let kept = kept.flat_map(|t| t.outputs()).map(str::to_owned);
        let kept = kept.chain(others).collect();
        let mut folder = Folder::new(&plan.service.name, files, kept)?;
        folder.version = Some(env!("SLOSMITH_VERSION"));
        folder.inputs = inputs.filter(|_| untested.is_empty());
        let summary = Summary {
            cost,
            servers: plan.servers,
            left_out: plan.left_out,
            notes,
        };
        Ok((folder, summary, untested))
    }

    fn stage(&self, folder: &Folder, how: How) -> Result<Built> {
        let changes = output::changes(&self.settings.out, folder)?;
        let removed = changes
            .files
            .values()
            .filter(|c| matches!(c, Change::Removed(_)));
        let mut diff = String::new();
        match self.staging {
            None if self.settings.summary => {}
            None => diff = unified(&self.settings.out, folder, &changes.files),
            Some(staging) if !changes.is_empty() => staging.add(folder)?,
            Some(_) => {}
        }
        Ok(Built {
            service: folder.service.clone(),
            files: folder.files.len(),
            changed: changes.files.len(),
            removed: removed.count(),
            diff,
            version: changes.version,
            later: folder.inputs.filter(|_| changes.later_inputs),
            how,
        })
    }
}

/// The files on disk against the generated ones, as a unified diff.
fn unified(out: &Path, folder: &Folder, changes: &BTreeMap<String, Change>) -> String {
    let mut all = String::new();
    for (path, change) in changes {
        let name = out.join(&folder.service).join(path);
        let name = one_line(&name.to_string_lossy()).into_owned();
        if path == MANIFEST {
            all.push_str(&format!("{name}: the manifest is out of date\n"));
            continue;
        }
        let wanted = folder.files.get(path).map_or("", String::as_str);
        let none = "/dev/null";
        let (found, old, new) = match change {
            Change::Added => ("", none, name.as_str()),
            Change::Modified(text) => (text.as_str(), name.as_str(), name.as_str()),
            Change::Removed(text) => (text.as_str(), name.as_str(), none),
        };
        let diff = TextDiff::from_lines(found, wanted);
        all.push_str(&diff.unified_diff().header(old, new).to_string());
    }
    all
}
