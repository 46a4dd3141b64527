//! The first files of a project: a configuration, a spec, and what a CI system runs.
//!
//! [`files`] renders the templates under `init/` for a [`Project`]; what people want to change is in the files, with a comment.

use serde::Serialize;

use crate::catalog::{Catalog, DEFAULT_PROFILE, Range, Server};
use crate::config;
use crate::library;
use crate::template::{TemplateError, Templates};

/// Where a project's pipelines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// GitHub Actions.
    GitHub,
    /// GitLab CI/CD.
    GitLab,
}

impl Pipeline {
    /// The file that the system reads.
    pub fn path(self) -> &'static str {
        match self {
            Self::GitHub => ".github/workflows/slosmith.yaml",
            Self::GitLab => ".gitlab-ci.yml",
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::GitHub => "init/github.yaml",
            Self::GitLab => "init/gitlab.yaml",
        }
    }
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path below the project's folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What the first files of a project differ in.
#[derive(Clone, Debug)]
pub struct Project {
    /// The service: a name as [`crate::naming::check_name`] wants it in lower case.
    pub name: String,
    /// The team that answers its alerts.
    pub owner: String,
    /// The releases of vLLM that it runs, or may run.
    pub vllm: Range,
    /// What a page of the running server says.
    pub server: Option<Server>,
    /// Where its pipelines run, if anywhere.
    pub pipeline: Option<Pipeline>,
}

/// What the templates are given.
#[derive(Serialize)]
struct View<'a> {
    name: &'a str,
    owner: &'a str,
    vllm: String,
    /// Which releases the page is from, in words; empty without a page.
    detected: String,
    /// Profiles besides the default one.
    profiles: Vec<&'a str>,
    /// Names of the models on the page.
    models: String,
    /// True when all releases count HTTP requests.
    http: bool,
    /// True when a server shows its gauges before its first request, so that their absence means something.
    from_start: bool,
    version: &'static str,
}

/// The first files of a project, by path below its folder.
///
/// # Errors
/// When a template fails.
pub fn files(project: &Project, templates: &Templates) -> Result<Vec<File>, TemplateError> {
    let catalog = Catalog::vllm();
    // Without a recorded release nothing is known of them, and the spec says so when it is built.
    let selection = catalog.select(&project.vllm);
    let selection = selection.unwrap_or_else(|_| catalog.select_all());
    let server = project.server.as_ref();
    let profiles = server.into_iter().flat_map(|server| &server.profiles);
    let view = View {
        name: &project.name,
        owner: &project.owner,
        vllm: project.vllm.to_string(),
        detected: server.map_or_else(String::new, |server| catalog.describe(&server.releases)),
        profiles: profiles
            .map(String::as_str)
            .filter(|profile| *profile != DEFAULT_PROFILE)
            .collect(),
        models: server.map_or_else(String::new, |server| server.models.join(", ")),
        http: library::is_always_served(catalog, "vllm.http_requests", &selection.releases),
        from_start: catalog.present_from_start("vllm:num_requests_running", &selection),
        version: env!("CARGO_PKG_VERSION"),
    };
    let spec = format!("specs/{}.yaml", project.name);
    let pipeline = project.pipeline.map(|p| (p.path(), p.template()));
    let wanted = [
        (config::NAME, "init/slosmith.toml"),
        (&*spec, "init/spec.yaml"),
    ];
    let wanted = wanted.into_iter().chain(pipeline);
    wanted
        .map(|(path, template)| {
            Ok(File {
                path: path.to_owned(),
                text: templates.render(template, &view)?,
            })
        })
        .collect()
}
