//! One function per fuzz target; each panics when its property does not hold.

mod artifact;
mod exposition;
mod promql;
mod spec;
mod templates;
mod yaml;

pub use artifact::{artifact_hcl, artifact_json, artifact_markdown, artifact_yaml, fixes};
pub use exposition::exposition;
pub use promql::promql;
pub use spec::spec;
pub use templates::templates;
pub use yaml::yaml;

use std::ops::Range;

use slosmith::diag::Diagnostic;
use slosmith::diag::render::{Format, Report, render};
use slosmith::source::Sources;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Target); 10] = [
    ("exposition", exposition),
    ("promql", promql),
    ("yaml", yaml),
    ("spec", spec),
    ("artifact_yaml", artifact_yaml),
    ("artifact_json", artifact_json),
    ("artifact_hcl", artifact_hcl),
    ("artifact_markdown", artifact_markdown),
    ("fixes", fixes),
    ("templates", templates),
];

const MARK: &str = "\u{feff}";

/// The input as text; `None` when it is none.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// A place must be bytes of the text that hold whole characters.
fn fits(text: &str, place: Range<usize>) {
    assert!(text.get(place.clone()).is_some(), "{place:?} of {text:?}");
}

/// Findings point into their files, and every format shows them.
fn shown(found: &[Diagnostic], sources: &Sources) {
    for d in found {
        let related = d.related.iter().map(|label| label.span);
        for span in related.chain([d.span]) {
            fits(sources.get(span.file).text(), span.range());
        }
    }
    let report = Report::new(found, sources, &[]);
    for format in [
        Format::Human,
        Format::Concise,
        Format::Json,
        Format::Sarif,
        Format::Github,
    ] {
        render(format, &report);
    }
    serde_json::from_str::<serde_json::Value>(&render(Format::Sarif, &report)).expect("JSON");
}
