//! Texts of a spec in generated files.

use std::sync::LazyLock;

use serde_json::Value;
use slosmith::resolve::{Options, resolve};
use slosmith::source::FileId;
use slosmith::spec;
use slosmith::target::{Target, render};
use slosmith::template::Templates;

use super::text;

/// A spec with a text in every place that takes any.
const SPEC: &str = include_str!("texts.yaml");

static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| Templates::load(None).expect("built in"));

/// Whatever a text is, it is refused, or every target writes files that read back.
pub fn templates(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let quoted = Value::from(text).to_string();
    let spec = SPEC.replace("\"TEXT\"", &quoted);
    let Ok(document) = spec::read(FileId(0), &spec) else {
        return;
    };
    let Ok((plan, _)) = resolve(&document, Options::default()) else {
        return;
    };
    for target in Target::ALL {
        let rendered = render(&plan, target, slosmith::target::Options::all(&TEMPLATES));
        let rendered = rendered.unwrap_or_else(|error| panic!("{text:?}: {error}"));
        for file in rendered.files {
            if file.path.ends_with(".json") {
                let read = serde_json::from_str::<Value>(&file.text);
                assert!(read.is_ok(), "{}: {read:?}", file.path);
            }
        }
    }
}
