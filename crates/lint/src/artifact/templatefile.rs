//! Files that Terraform fills in, as its configuration says: `templatefile("${path.module}/dashboards/vllm.json", …)`.

use std::path::Path;

use globset::{GlobBuilder, GlobSet};

use slosmith_spec::config::plain;

/// The files that calls of `templatefile` name.
#[derive(Clone, Debug, Default)]
pub struct TemplateFiles(GlobSet);

impl TemplateFiles {
    /// Those of some files of Terraform.
    pub fn of<'t>(files: impl Iterator<Item = (&'t Path, &'t str)>) -> Self {
        let mut all = GlobSet::builder();
        for (path, text) in files {
            let folder = path.parent().unwrap_or(Path::new(""));
            for name in named(text) {
                // Where an unknown folder is, is unknown as well.
                let path = match name.starts_with("**") {
                    true => name.into(),
                    false => plain(&folder.join(name)),
                };
                let glob = path.to_str().map(GlobBuilder::new);
                let glob = glob.and_then(|mut glob| glob.literal_separator(true).build().ok());
                glob.into_iter().for_each(|glob| {
                    all.add(glob);
                });
            }
        }
        Self(all.build().unwrap_or_default())
    }

    pub fn has(&self, path: &Path) -> bool {
        self.0.is_match(plain(path))
    }
}

/// The first argument of each call, as a glob.
fn named(text: &str) -> impl Iterator<Item = String> {
    const CALL: &str = "templatefile(";
    let calls = text.match_indices(CALL);
    calls.filter_map(|(at, _)| glob(text[at + CALL.len()..].trim_start().strip_prefix('"')?))
}

/// The name up to its closing quote, with `*` for what is not known; none when not even the ending of the file is.
fn glob(text: &str) -> Option<String> {
    let mut glob = String::new();
    let mut rest = text;
    loop {
        let end = rest.find(['"', '$', '*', '?', '[', '{', '\n'])?;
        glob.push_str(&rest[..end]);
        rest = &rest[end..];
        if rest.starts_with('"') {
            break;
        }
        let inner = rest.strip_prefix("${")?;
        let close = inner.find('}')?;
        match (inner[..close].trim(), glob.is_empty()) {
            ("path.module", true) => glob.push('.'),
            (_, true) => glob.push_str("**"),
            _ => glob.push('*'),
        }
        rest = &inner[close + 1..];
    }
    let last = glob.rsplit('/').next()?;
    let is_clear = last.contains('.') && last != "." && !last.starts_with("**");
    is_clear.then_some(glob)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_name_files() {
        let text = r#"
            a = templatefile("${path.module}/boards/a.json", { x = 1 })
            b = templatefile("${path.module}/../b/${each.key}.json.tftpl", {})
            c = templatefile(
              "${var.folder}/c.yaml", {})
            d = templatefile(each.value, {})
            e = templatefile("${path.module}/${each.value}", {})
        "#;
        let files = TemplateFiles::of(std::iter::once((Path::new("infra/grafana/main.tf"), text)));
        for yes in [
            "infra/grafana/boards/a.json",
            "./infra/b/x.json.tftpl",
            "elsewhere/c.yaml",
        ] {
            assert!(files.has(Path::new(yes)), "{yes}");
        }
        for no in ["infra/grafana/boards/b.json", "a.json", "infra/grafana/x"] {
            assert!(!files.has(Path::new(no)), "{no}");
        }
    }
}
