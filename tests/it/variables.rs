//! The variables of each template: `docs/templates.md`.

use std::fmt::Write;

use slosmith::resolve::{Options, resolve};
use slosmith::target::{self, Target};
use slosmith::template::Templates;

const HEAD: &str = "# Template variables\n\nThe variables of each built-in template, for [templates of your own](prometheus.md#templates-of-your-own).\n\n\
- `[]` stands for an item of a list.\n\
- An included template also has the variables of the template that includes it.\n\
- The tables are generated from the specs of this repository. A variable that none of these specs sets is missing.\n\n\
A template under `[[output]]` of `slosmith.toml` has [other variables](configuration.md#files-from-your-own-templates).\n";

/// Specs that together set the variables.
const SPECS: [&str; 12] = [
    "specs/fleet.yaml",
    "specs/mangaassist.yaml",
    "specs/vllm-production.yaml",
    "specs/vllm-serving.yaml",
    "tests/fixtures/cloudwatch/otlp.yaml",
    "tests/fixtures/conditions.yaml",
    "tests/fixtures/reference-thanos.yaml",
    "tests/fixtures/reference.yaml",
    "tests/fixtures/slis.yaml",
    "tests/fixtures/sloth/getting-started.yaml",
    "tests/fixtures/sloth/home-wifi.yaml",
    "tests/fixtures/sloth/kubernetes-apiserver.yaml",
];

#[test]
#[ignore = "ci"]
fn the_page_of_variables_is_fresh() {
    let templates = Templates::watching().expect("templates");
    for spec in SPECS {
        let path = format!("{}/{spec}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a spec");
        let document = crate::bundled::read(&with_ruler(&text)).expect("a spec");
        let (plan, _) = resolve(&document, Options::default()).expect("resolves");
        for target in Target::ALL {
            target::render(&plan, target, target::Options::all(&templates)).expect("renders");
        }
    }
    let mut page = HEAD.to_owned();
    for (template, variables) in templates.variables() {
        write!(page, "\n## {template}\n\n| variable | type |\n|---|---|\n").expect("text");
        for (path, kind) in variables {
            writeln!(page, "| `{path}` | {kind} |").expect("text");
        }
    }
    crate::update::check("docs/templates.md", &page);
}

/// The spec for a ruler, if it has none.
fn with_ruler(text: &str) -> String {
    let ruler = "  ruler: thanos\n  partial_response: warn\n  query_offset: 1m\n";
    match text.contains("ruler:") {
        true => text.to_owned(),
        false => text.replacen("\nprometheus:\n", &format!("\nprometheus:\n{ruler}"), 1),
    }
}
