//! What files of a project set for their vLLM servers: releases (`image: vllm/vllm-openai:v0.6.3`, `vllm==0.6.3`), and whether they
//! replace bucket boundaries (`--custom-histogram-buckets`).

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use memchr::memmem;
use regex::Regex;

use crate::artifact::is_prose;
use slosmith_catalog::Range;

/// A release that a file of the project runs or installs.
#[derive(Clone, Debug)]
pub struct Pin {
    pub path: PathBuf,
    pub release: Range,
}

const NAME: &str = "vllm";

static PINNED: LazyLock<Regex> = LazyLock::new(|| {
    let version = r"([0-9]+\.[0-9]+\.[0-9]+(?:\.?(?:post|rc)[0-9]+)?)";
    let pattern = format!(r"^(?:vllm-openai(?:-[a-z]+)*:v?|vllm(?:\[[^\]]*\])? ?== ?){version}");
    Regex::new(&pattern).expect("a valid pattern")
});

/// True if a file, such as a deployment or a spec, replaces bucket boundaries of the servers.
pub fn replaces_buckets(path: &Path, text: &str) -> bool {
    let option = ["custom-histogram-buckets", "custom_histogram_buckets"];
    let begins = |at: usize| option.iter().any(|name| text[at..].starts_with(name));
    !is_prose(path) && memmem::find_iter(text.as_bytes(), "custom").any(begins)
}

pub fn pins(path: &Path, text: &str) -> Vec<Pin> {
    if is_prose(path) {
        return Vec::new();
    }
    let is_in_word = |at: usize| text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    // Most files name vLLM only in names of metrics.
    let may_pin = |at: &usize| text[at + NAME.len()..].starts_with(['-', '[', ' ', '=']);
    let releases = memmem::find_iter(text.as_bytes(), NAME)
        .filter(|at| may_pin(at) && !is_in_word(*at))
        .filter_map(|at| Range::parse(&PINNED.captures(&text[at..])?[1]).ok());
    let path = || path.to_owned();
    releases
        .map(|release| Pin {
            path: path(),
            release,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_requirements_are_pins() {
        let of = |text: &str| {
            let all = pins(Path::new("values.yaml"), text);
            all.iter()
                .map(|pin| pin.release.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("image: vllm/vllm-openai:v0.6.3.post1"), ["0.6.3.post1"]);
        assert_eq!(
            of("vllm/vllm-openai-cpu:0.9.0-x, vllm[audio]==0.5.4"),
            ["0.9.0", "0.5.4"]
        );
        assert!(
            of("image: vllm/vllm-openai:latest; vllm>=0.6.3; my-vllm-openai: 0.1.2").is_empty()
        );
        assert!(pins(Path::new("a.md"), "pip install vllm==0.5.4").is_empty());
    }

    #[test]
    fn deployments_and_specs_replace_boundaries_and_prose_does_not() {
        let args = "args: [--custom-histogram-buckets, '{\"request_latency\": [0.1]}']";
        assert!(replaces_buckets(Path::new("deploy.yaml"), args));
        assert!(replaces_buckets(
            Path::new("a.yaml"),
            "custom_histogram_buckets: {}"
        ));
        assert!(!replaces_buckets(Path::new("docs/a.md"), args));
        assert!(!replaces_buckets(Path::new("a.yaml"), "buckets: [1, 2]"));
    }
}
