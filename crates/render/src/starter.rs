//! The first files of a project: a configuration, a spec and a CI workflow.
//!
//! [`files`] renders the templates under `init/` for a [`Project`]. Values that users change have a comment in the files.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::template::{self, TemplateError, Templates};
use slosmith_catalog::{Catalog, DEFAULT_PROFILE, Embedded, Product, Range, ReleaseId, Server};
use slosmith_spec::config;
use slosmith_spec::library;
use slosmith_text::units::{self, Unit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    GitHub,
    GitLab,
}

impl Pipeline {
    /// The file that the CI system reads.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path below the project's folder, with `/`.
    pub path: String,
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Project {
    /// The service: a lower-case name that [`slosmith_spec::naming::check_name`] accepts.
    pub name: String,
    /// The team that owns the service and its alerts.
    pub owner: String,
    /// The vLLM releases that the service runs, or may run.
    pub vllm: Range,
    /// The running server, detected from its metrics.
    pub server: Option<Server>,
    /// The server of the service, if it is not vLLM.
    pub other: Option<Other>,
    /// The prefix of the stored names, if it is not the served one.
    pub names: Option<String>,
    /// The label with the values `prefill` and `decode`, if the store has one.
    pub role: Option<String>,
    pub pipeline: Option<Pipeline>,
}

/// A server other than vLLM.
#[derive(Clone, Debug)]
pub struct Other {
    /// Its name in `catalog/`, and its template under `init/`.
    pub key: &'static str,
    pub title: &'static str,
    /// The releases that the service runs, or may run.
    pub range: String,
    /// The detected models.
    pub models: Vec<String>,
}

impl Other {
    /// Its releases.
    pub fn product(&self) -> Option<Product<'static>> {
        let catalog = Embedded::find(self.key)?.catalog();
        let range = Range::parse(&self.range).ok();
        Product::new(self.key, catalog, range.as_ref()).ok()
    }

    fn served(&self) -> Vec<String> {
        let Some(Product {
            catalog,
            selection,
            profiles,
            ..
        }) = self.product()
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for family in catalog.families() {
            let on = |id: &ReleaseId| family.visible_in(catalog.release(*id), &profiles);
            let shapes: Option<Vec<_>> = selection.releases.iter().map(on).collect();
            let Some([first, more @ ..]) = shapes.as_deref() else {
                continue;
            };
            let everywhere =
                |label: &&String| more.iter().all(|shape| shape.labels.contains(label));
            let labels = first.labels.iter().filter(everywhere);
            found.extend(labels.map(|label| format!("{}{{{label}}}", family.name())));
            found.push(family.name().to_owned());
        }
        found
    }

    /// True for a server with a first spec.
    pub fn has_starter(key: &str) -> bool {
        let name = template_of(key);
        template::built_in().any(|(known, _)| known == name)
    }
}

fn template_of(key: &str) -> String {
    format!("init/{key}.yaml")
}

/// Profiles of the connectors that move KV blocks from prefill pods to decode pods.
const TRANSFERS: [&str; 2] = ["kv-nixl", "kv-mooncake"];

#[derive(Serialize)]
struct View<'a> {
    name: &'a str,
    owner: &'a str,
    /// The key of a server other than vLLM; empty for vLLM.
    product: &'a str,
    /// The name of the server.
    title: &'a str,
    /// The releases of the server.
    vllm: String,
    /// The detected releases as text; empty without a server.
    detected: String,
    /// Profiles besides the default one.
    profiles: Vec<&'a str>,
    /// The metrics of a server other than vLLM that all selected releases have, alone and with each label: `x`, `x{label}`.
    served: Vec<String>,
    /// Names of the detected models.
    models: String,
    /// The prefix of the stored names; empty for the served one.
    names: &'a str,
    /// The label that separates prefill pods from decode pods; empty without one.
    role: &'a str,
    /// True if the server transfers KV blocks between prefill and decode pods.
    transfers: bool,
    /// True if all releases count HTTP requests.
    http: bool,
    /// True if a server exposes its gauges before the first request, so that missing gauges are a fault.
    from_start: bool,
    /// True if all releases count the steps of an engine, so that a hung engine can be seen.
    steps: bool,
    /// True if all releases label series with the engine: a data-parallel server has several.
    engines: bool,
    /// Bucket boundaries that the server replaced, in YAML; empty for the recorded ones.
    buckets: String,
    /// Thresholds of the latency objectives: bucket boundaries.
    within: Within,
    /// True if all releases count preemptions.
    preemptions: bool,
    /// True if all releases count HTTP requests, and rejections by a queue limit.
    rejections: bool,
    version: &'static str,
}

/// Thresholds of the latency objectives, in seconds as text.
#[derive(Serialize)]
struct Within {
    first_token: String,
    next_token: String,
}

impl Within {
    /// The usual values, or the next boundary of the server at or above them.
    fn new(server: Option<&Server>) -> Self {
        let of = |key: &str, usual: f64| {
            let own = server.and_then(|server| server.buckets.get(key));
            let own = own.into_iter().flatten();
            let own: Vec<f64> = own.filter_map(|le| le.parse().ok()).collect();
            let next = own.iter().find(|bound| **bound >= usual).or(own.last());
            units::shown_measured(*next.unwrap_or(&usual), Unit::Seconds)
        };
        Self {
            first_token: of("time_to_first_token", 2.5),
            next_token: of("inter_token_latency", 0.2),
        }
    }
}

/// Bucket boundaries by the key of vLLM's option, as a YAML flow mapping.
pub fn own_buckets(buckets: &BTreeMap<String, Vec<String>>) -> String {
    let keys = buckets
        .iter()
        .map(|(key, bounds)| format!("{key}: [{}]", bounds.join(", ")));
    format!("{{{}}}", keys.collect::<Vec<_>>().join(", "))
}

/// The first files of a project, by path below its folder.
pub fn files(project: &Project, templates: &Templates) -> Result<Vec<File>, TemplateError> {
    let catalog = Catalog::vllm();
    // Without a recorded release in the range, the build of the spec reports an error.
    let selection = catalog.select(&project.vllm);
    let selection = selection.unwrap_or_else(|_| catalog.select_all());
    let server = project.server.as_ref();
    let other = project.other.as_ref();
    let mut profiles = server.into_iter().flat_map(|server| &server.profiles);
    let is_served = |name| library::is_always_served(catalog, name, &selection.releases);
    let has_engine = |family| {
        let mut served = selection
            .releases
            .iter()
            .map(|id| library::served(catalog, family, catalog.release(*id)));
        served.all(|served| served.is_some_and(|served| served.shape.has_label("engine")))
    };
    let view = View {
        name: &project.name,
        owner: &project.owner,
        product: other.map_or("", |other| other.key),
        title: other.map_or(catalog.title(), |other| other.title),
        vllm: match other {
            Some(other) => other.range.clone(),
            None => project.vllm.to_string(),
        },
        detected: server.map_or_else(String::new, |server| catalog.describe(&server.releases)),
        profiles: profiles
            .clone()
            .map(String::as_str)
            .filter(|profile| *profile != DEFAULT_PROFILE)
            .collect(),
        served: other.map_or_else(Vec::new, Other::served),
        models: match other {
            Some(other) => other.models.join(", "),
            None => server.map_or_else(String::new, |server| server.models.join(", ")),
        },
        http: is_served("vllm.http_requests"),
        steps: is_served("vllm.iteration_tokens"),
        engines: has_engine("vllm:num_requests_running")
            && has_engine("vllm:iteration_tokens_total"),
        preemptions: is_served("vllm.preemptions"),
        buckets: match server {
            Some(server) if !server.buckets.is_empty() => own_buckets(&server.buckets),
            _ => String::new(),
        },
        within: Within::new(server),
        rejections: is_served("vllm.http_requests") && is_served("vllm.admission_rejections"),
        names: project.names.as_deref().unwrap_or_default(),
        role: project.role.as_deref().unwrap_or_default(),
        transfers: profiles.any(|profile| TRANSFERS.iter().any(|of| profile.starts_with(of))),
        from_start: catalog.present_from_start("vllm:num_requests_running", &selection),
        version: env!("CARGO_PKG_VERSION"),
    };
    let spec = format!("specs/{}.yaml", project.name);
    let pipeline = project.pipeline.map(|p| (p.path(), p.template()));
    let first = other.map_or_else(
        || "init/spec.yaml".to_owned(),
        |other| template_of(other.key),
    );
    let wanted = [(config::NAME, "init/slosmith.toml"), (&*spec, &*first)];
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
