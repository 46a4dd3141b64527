//! From the texts of a spec to its values: all that is wrong with their shape in one go.

use std::rc::Rc;

use super::{Document, Errors, check, text};
use crate::spec::environment::{self, idle_removal};
use crate::spec::{API_VERSION, Spec, one_of, parts, renamed};
use slosmith_text::diag::{Diagnostic, Sink};
use slosmith_text::source::{FileId, Span};
use slosmith_text::yaml::{self, Draft, Fault, Joined, Mended, Node};

/// Most faults that one run reports; the rest follows when these are fixed.
const MANY: usize = 200;

/// Fields that are about a file, not about what extends it.
const OWN: [&str; 2] = ["extends", "kind"];

/// Reads a spec that extends nothing, without its environments.
pub fn read(file: FileId, text: &str) -> Result<Document, Sink> {
    read_environment(&[(file, text)], None)
}

/// Reads a spec and checks that fields which exclude each other are not combined. Where that is not so, the rest of it
/// is read as if it were. Each part changes those before it; the last one is the spec itself, and an environment changes all.
pub fn read_environment(
    files: &[(FileId, &str)],
    environment: Option<&str>,
) -> Result<Document, Sink> {
    let mut reader = Reader::open(files, environment)?;
    let parts = parts();
    for _ in 0..MANY {
        match yaml::typed::<Spec>(&reader.files, reader.draft.root(), &parts) {
            Ok(spec) => {
                if let Some(document) = reader.settle(spec) {
                    return Ok(document);
                }
            }
            Err(fault) if reader.mend(&fault) => {}
            Err(_) => break,
        }
    }
    let mut sink = Sink::default();
    let errors = reader.errors.found;
    errors.into_iter().for_each(|error| sink.push(error));
    Err(sink)
}

struct Reader<'t> {
    file: FileId,
    environment: Option<String>,
    files: Rc<Joined>,
    draft: Draft<'t>,
    errors: Errors,
}

impl<'t> Reader<'t> {
    fn open(parts: &[(FileId, &'t str)], environment: Option<&str>) -> Result<Self, Sink> {
        let mut sink = Sink::default();
        let files = Rc::new(Joined::of(parts));
        let mut whole: Option<Node<'t>> = None;
        let mut texts = Vec::new();
        let mut fatal = false;
        for (i, &(file, text)) in parts.iter().enumerate() {
            let Some((mut tree, old)) = sink.take(renamed::tree(file, text)) else {
                fatal = true;
                continue;
            };
            old.into_iter().for_each(|error| sink.push(error));
            let bad = text::check(file, text, &tree, &mut sink);
            let base = files.range(Span::new(file, 0..0)).start;
            texts.extend(bad.into_iter().map(|r| r.start + base..r.end + base));
            if i + 1 < parts.len() {
                if !tree.is_map() {
                    let at = Span::new(file, tree.range());
                    sink.push(Diagnostic::error(
                        "wrong-type",
                        at,
                        "the extended file must be a mapping",
                    ));
                    fatal = true;
                }
                check_base(file, &tree, &mut sink);
                tree.leave_out(|key| OWN.contains(&key));
            }
            // For other tools, and for anchors that several values share.
            tree.leave_out(|key| key.starts_with("x-"));
            tree.shift(base);
            match &mut whole {
                None => whole = Some(tree),
                Some(whole) => {
                    let idle = whole.overlay(tree, &one_of::excluded, &one_of::is_in_environment);
                    for key in idle {
                        sink.push(idle_removal(
                            files.span(key),
                            "no extended file sets this field",
                        ));
                    }
                }
            }
        }
        let (Some(mut root), Some((file, _)), false) = (whole, parts.last(), fatal) else {
            return Err(sink);
        };
        environment::apply(&mut root, environment, &files, &mut sink);
        let draft = Draft::new(root, texts);
        let errors = Errors {
            found: sink.into_sorted(),
            reported: draft.reported().clone(),
            files: Rc::clone(&files),
        };
        Ok(Self {
            file: *file,
            environment: environment.map(str::to_owned),
            files,
            draft,
            errors,
        })
    }

    /// Reports a fault and repairs the tree; false when nothing is left.
    fn mend(&mut self, fault: &Fault) -> bool {
        let mended = self.draft.mend(fault);
        let found = &mut self.errors.found;
        let error = fault.diagnostic(&self.files);
        let error = error.maybe_help(fault.owner(&self.files).and_then(example));
        match &mended {
            Some(Mended::Known) => {}
            Some(Mended::Of(at)) => {
                let at = self.files.span(*at..*at);
                let at = |d: &&mut Diagnostic| (d.span.file, d.span.start) == (at.file, at.start);
                let unknown = found.iter_mut().find(at);
                unknown
                    .into_iter()
                    .for_each(|d| d.help.push(error.message.clone()));
            }
            Some(Mended::Instead(fault)) => found.push(fault.diagnostic(&self.files)),
            Some(Mended::New) | None => found.push(error),
        }
        mended.is_some()
    }

    /// The spec, unless fields of it contradict each other, which are then taken out.
    fn settle(&mut self, spec: Spec) -> Option<Document> {
        self.errors.reported = self.draft.reported().clone();
        let mut document = Document {
            file: self.file,
            environment: self.environment.clone(),
            files: Rc::clone(&self.files),
            spec,
            errors: Errors::default(),
        };
        let contradictions = check(&document);
        if contradictions.is_empty() {
            self.check_version(&document.spec);
            document.errors = std::mem::take(&mut self.errors);
            return Some(document);
        }
        for contradiction in contradictions {
            let at = self.files.range(contradiction.span).start;
            if self.draft.take_out_at(at) && !self.errors.explain(&contradiction) {
                self.errors.found.push(contradiction);
            }
        }
        None
    }

    fn check_version(&mut self, spec: &Spec) {
        let version = &spec.api_version;
        if !self.errors.is_owner(version.span) {
            self.errors
                .found
                .extend(unknown_version(&version.value, version.span));
        }
    }
}

fn unknown_version(version: &str, at: Span) -> Option<Diagnostic> {
    let message = format!("unknown apiVersion `{version}`");
    let error = || Diagnostic::error("unknown-version", at, message);
    (version != API_VERSION).then(|| error().help(format!("write `apiVersion: {API_VERSION}`")))
}

/// Reports a file that specs extend, and that does not say which version of the language it is written in.
fn check_base(file: FileId, tree: &Node<'_>, sink: &mut Sink) {
    let error = match tree.get("apiVersion") {
        Some(version) => version
            .text()
            .and_then(|text| unknown_version(text, Span::new(file, version.range()))),
        None => {
            let start = tree.range().start;
            let message = "the extended file lacks the field `apiVersion`";
            let error = Diagnostic::error("missing-field", Span::new(file, start..start), message);
            Some(error.help(format!("add `apiVersion: {API_VERSION}`")))
        }
    };
    error.into_iter().for_each(|error| sink.push(error));
}

/// What a mapping looks like that is often written as something else.
fn example(field: &str) -> Option<String> {
    let example = match field {
        "service" => "{name: NAME}",
        "selector" => "{job: vllm}",
        "when" | "unless" => "{signal: NAME, above: 10}` or `{promql: \"…\"}",
        "sli" => "{ratio: {bad: NAME, total: NAME}}` or `{latency: {signal: NAME, at_most: 500ms}}",
        "promql" => "{error_ratio: \"…\"}` or `{bad: \"…\", total: \"…\"}",
        "signals" | "slos" | "alerts" | "runbooks" | "dashboards" | "fixes" => "{NAME: {…}}",
        _ => return None,
    };
    Some(format!("write `{field}: {example}`"))
}
