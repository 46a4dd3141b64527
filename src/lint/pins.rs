//! vLLM releases that files pin: `image: vllm/vllm-openai:v0.6.3`, `vllm==0.6.3`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::catalog::Range;

/// A release that a file of the project runs or installs.
#[derive(Clone, Debug)]
pub struct Pin {
    /// The file.
    pub path: PathBuf,
    /// The release.
    pub release: Range,
}

static PINNED: LazyLock<Regex> = LazyLock::new(|| {
    let version = r"([0-9]+\.[0-9]+\.[0-9]+(?:\.?(?:post|rc)[0-9]+)?)";
    let pattern = format!(r"\b(?:vllm-openai(?:-[a-z]+)*:v?|vllm(?:\[[^\]]*\])? ?== ?){version}");
    Regex::new(&pattern).expect("a valid pattern")
});

/// The releases that a file pins. A text for people may pin what nobody runs.
pub fn pins(path: &Path, text: &str) -> Vec<Pin> {
    let is_prose = path
        .extension()
        .is_some_and(|end| end == "md" || end == "markdown");
    if is_prose || !(text.contains("vllm-openai") || text.contains("==")) {
        return Vec::new();
    }
    let releases = PINNED
        .captures_iter(text)
        .filter_map(|found| Range::parse(&found[1]).ok());
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
}
