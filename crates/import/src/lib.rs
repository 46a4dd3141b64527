//! Specs of other tools → specs of ours, as text.
//!
//! Each reader walks all fields of its source. What a spec cannot express is reported twice: as a finding at its place in the
//! source, and as a comment at its place in the spec.
//!
//! ```
//! use slosmith_import::{Format, Options, import};
//! use slosmith_text::source::{SourceFile, Sources};
//!
//! let mut sources = Sources::default();
//! let text = r#"
//! version: prometheus/v1
//! service: shop
//! slos:
//!   - name: availability
//!     objective: 99.9
//!     sli:
//!       events:
//!         error_query: sum(rate(http_requests_total{code=~"5.."}[{{.window}}]))
//!         total_query: sum(rate(http_requests_total[{{.window}}]))
//! "#;
//! let file = sources.add(SourceFile::new("shop.yml", text));
//! let (specs, findings) = import(Format::Sloth, &sources, &[file], &Options::default());
//! assert!(findings.is_empty());
//! assert!(specs[0].text.contains("objective: 99.9%\n    period: 30d"));
//! assert!(specs[0].text.contains("total: sum(rate(http_requests_total[$window]))"));
//! ```

mod context;
mod dashboard;
mod document;
mod fields;
mod indicator;
mod known;
mod kubernetes;
mod model;
mod names;
mod openslo;
mod print;
mod pyrra;
mod query;
mod rules;
mod sloth;
mod tiers;
mod values;
mod write;

use context::Cx;
use document::{Documents, Part};
use model::Services;

use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::{FileId, Sources, Span};
use slosmith_text::units::Duration;
use slosmith_text::yaml::{Body, Node};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Sloth,
    /// OpenSLO `v1` and `v1alpha`.
    OpenSlo,
    Pyrra,
    Rules,
    Dashboard,
}

impl Format {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sloth => "sloth",
            Self::OpenSlo => "openslo",
            Self::Pyrra => "pyrra",
            Self::Rules => "rules",
            Self::Dashboard => "dashboard",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub runbooks: Option<String>,
    pub grafana: Option<String>,
    pub service: Option<String>,
    /// The releases of vLLM, if queries of its metrics are among the rules.
    pub vllm: Option<String>,
    /// The period of all objectives, where sources have none of their own.
    pub period: Option<Duration>,
    pub windows: Vec<FileId>,
    /// The first file, for faults that are nowhere else.
    pub first_file: Option<FileId>,
}

#[derive(Clone, Debug)]
pub struct Imported {
    pub service: String,
    pub text: String,
}

/// Makes specs of files, one for each service in them; with what was found on the way.
///
/// Where the findings have errors, the specs are incomplete.
pub fn import(
    format: Format,
    sources: &Sources,
    files: &[FileId],
    options: &Options,
) -> (Vec<Imported>, Sink) {
    let mut cx = Cx::new(sources, options);
    let mut services = Services::default();
    match format {
        Format::Sloth => {
            if let Some(windows) = sloth::Windows::choose(&mut cx, &options.windows) {
                let documents = read(&mut cx, files);
                each(
                    &mut cx,
                    &mut services,
                    &documents,
                    |cx, services, body, root| sloth::read(cx, services, body, root, &windows),
                );
            }
        }
        Format::OpenSlo => {
            let documents = read(&mut cx, files);
            let library = openslo::Library::of(&mut cx, &documents);
            each(
                &mut cx,
                &mut services,
                &documents,
                |cx, services, body, root| openslo::read(cx, services, &library, body, root),
            );
            library.tell_unused(&mut cx);
        }
        Format::Pyrra => {
            let documents = read(&mut cx, files);
            each(
                &mut cx,
                &mut services,
                &documents,
                |cx, services, body, root| pyrra::read(cx, services, body, root),
            );
        }
        Format::Rules => {
            for documents in read(&mut cx, files) {
                let service = service_of(&mut cx, &mut services, &documents);
                each(
                    &mut cx,
                    &mut services,
                    &[documents],
                    |cx, services, body, root| rules::read(cx, services, body, root, &service),
                );
            }
        }
        Format::Dashboard => {
            for documents in read(&mut cx, files) {
                let service = service_of(&mut cx, &mut services, &documents);
                let path = sources.get(documents.file()).path();
                dashboard::read(&mut cx, &mut services, &documents, path, &service);
            }
        }
    }
    let said = cx.take_said();
    services.place(said);
    if services.are_empty()
        && !cx.sink.has_errors()
        && let Some(file) = files.first()
    {
        let at = Span::new(*file, 0..0);
        cx.error(
            "unknown-format",
            at,
            "these files contain nothing to import",
        );
    }
    let mut specs = Vec::new();
    for service in services.into_values() {
        let name = service.name.clone();
        let text = write::spec(&mut cx, service);
        specs.push(Imported {
            service: name,
            text,
        });
    }
    (specs, cx.sink)
}

/// The service of a file that names none, with vLLM's releases if it has queries of its metrics.
fn service_of(cx: &mut Cx<'_>, services: &mut Services, documents: &Documents<'_>) -> String {
    let path = cx.path_of(documents.file());
    let own = cx.options.service.clone();
    let is_own = own.is_some();
    let service = own.unwrap_or_else(|| rules::service(path));
    if !is_own && services.has(&service) {
        let at = Span::new(documents.file(), 0..0);
        let path = path.display();
        let what =
            format!("`{path}` joined to the service `{service}`: another file has the same name");
        let comment = cx.changed(at, what);
        services.entry(&service).service_comments.push(comment);
    }
    let vllm = cx
        .options
        .vllm
        .as_deref()
        .filter(|_| documents.says("vllm:"));
    let known = &mut services.entry(&service).vllm;
    *known = vllm.map(str::to_owned).or(known.take());
    service
}

fn read<'s>(cx: &mut Cx<'s>, files: &[FileId]) -> Vec<Documents<'s>> {
    let read = |file: &FileId| document::all(cx, *file, cx.text_of(*file));
    files.iter().filter_map(read).collect()
}

fn each<'a>(
    cx: &mut Cx<'_>,
    services: &mut Services,
    files: &'a [Documents<'a>],
    mut read: impl FnMut(&mut Cx<'_>, &mut Services, &Body<'a>, &'a Node<'a>) -> Part,
) {
    for documents in files {
        let mut others = Vec::new();
        let roots = documents.roots();
        for (body, root) in &roots {
            match read(cx, services, body, root) {
                Part::Other => {
                    others.push((fields::start(body.place(root)), document::other(root)));
                }
                Part::Read => {
                    let said = cx.take_said();
                    let unplaced = services.place(said);
                    cx.say_later(unplaced);
                }
            }
        }
        let is_all = others.len() == roots.len();
        if roots.is_empty() {
            let at = Span::new(documents.file(), 0..0);
            cx.error("unknown-format", at, "the file is empty");
        }
        for (at, (name, help)) in others {
            let what = format!("{name} is not supported by this import");
            match is_all {
                true => {
                    let error = Diagnostic::error("unknown-format", at, what);
                    cx.sink
                        .push(error.maybe_help(Some(help).filter(|help| !help.is_empty())));
                }
                false => drop(cx.lost(at, what, &help)),
            }
        }
    }
}
