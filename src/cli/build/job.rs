//! One service: from its spec to a staged folder. Nothing of the files outlives the job, so that a thousand
//! services need no more memory than a few.

use anyhow::Result;

use super::{BuildArgs, report};
use crate::diag::{Diagnostic, Sink};
use crate::output::{self, Folder, Staging};
use crate::plan::{LeftOut, Plan, Runtime};
use crate::resolve::{self, Options};
use crate::source::Span;
use crate::spec::Document;
use crate::target::{self, Target, TargetError};
use crate::template::Templates;

/// What all jobs of a build share.
pub(super) struct Job<'a> {
    pub(super) args: &'a BuildArgs,
    pub(super) templates: &'a Templates,
    pub(super) staging: &'a Staging,
    /// True when the build has failed already, and only more findings are wanted.
    pub(super) failed: bool,
}

/// One service, compared and staged.
pub(super) struct Built {
    pub(super) service: String,
    /// Number of files.
    pub(super) files: usize,
    /// Number of files that differ on disk.
    pub(super) changed: usize,
    /// How they differ, under `--check`.
    pub(super) diff: String,
    /// None for a service that no spec asks for any more.
    pub(super) summary: Option<Summary>,
}

/// What is left to say of a plan once its files are made.
pub(super) struct Summary {
    pub(super) runtime: Option<Runtime>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) notes: Vec<String>,
}

/// What is wrong with a page, at the place of the spec where its author wrote it.
fn written(document: &Document, error: &anyhow::Error) -> Option<Diagnostic> {
    let Some(TargetError::DeadLink { target, .. }) = error.downcast_ref() else {
        return None;
    };
    let at = document.text.find(&format!("]({target}"))? + 2;
    let at = Span::new(document.file, at..at + target.len());
    let message = format!("no page of the runbooks has the place `{target}`");
    Some(Diagnostic::error("dead-link", at, message))
}

impl Job<'_> {
    /// Builds and stages a service; findings come back beside it.
    ///
    /// # Errors
    /// When a template fails, its output is not valid, or the disk refuses.
    pub(super) fn build(&self, document: &Document) -> Result<(Option<Built>, Sink)> {
        let options = Options {
            vllm: self.args.vllm.as_deref(),
        };
        match resolve::resolve(document, options) {
            Ok((_, warnings)) if self.failed => Ok((None, warnings)),
            Ok((plan, mut warnings)) => match self.render(plan) {
                Ok((folder, summary)) => Ok((Some(self.stage(&folder, Some(summary))?), warnings)),
                Err(error) => {
                    warnings.push(written(document, &error).ok_or(error)?);
                    Ok((None, warnings))
                }
            },
            Err(errors) => Ok((None, errors)),
        }
    }

    /// Stages the removal of a service.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) fn remove(&self, service: &str) -> Result<Built> {
        self.stage(&Folder::gone(service)?, None)
    }

    fn render(&self, plan: Plan) -> Result<(Folder, Summary)> {
        let wanted = |t: &Target| self.args.target.is_empty() || self.args.target.contains(t);
        let mut files = Vec::new();
        let mut notes = Vec::new();
        for target in Target::ALL.into_iter().filter(wanted) {
            let rendered = target::render(&plan, target, self.templates)?;
            if self.args.validate || self.templates.are_replaced() {
                target::validate(target, &rendered.files)?;
            }
            files.extend(rendered.files);
            notes.extend(rendered.notes);
        }
        notes.splice(0..0, plan.notes);
        let kept = Target::ALL.into_iter().filter(|t| !wanted(t));
        let kept = kept.flat_map(Target::outputs).map(str::to_owned).collect();
        let folder = Folder::new(&plan.service.name, files, kept)?;
        let summary = Summary {
            runtime: plan.runtime,
            left_out: plan.left_out,
            notes,
        };
        Ok((folder, summary))
    }

    fn stage(&self, folder: &Folder, summary: Option<Summary>) -> Result<Built> {
        let changes = output::changes(&self.args.out, folder)?;
        let mut diff = String::new();
        if self.args.check {
            diff = report::diff(&self.args.out, folder, &changes);
        } else if !changes.is_empty() {
            self.staging.add(folder)?;
        }
        Ok(Built {
            service: folder.service.clone(),
            files: folder.files.len(),
            changed: changes.len(),
            diff,
            summary,
        })
    }
}
