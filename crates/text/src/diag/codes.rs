//! The codes of findings that do not come from a lint rule: what each code means, and what to write instead.
#![doc = ""]
#![doc = include_str!("codes/files.md")]
#![doc = include_str!("codes/fields.md")]
#![doc = include_str!("codes/signals.md")]
#![doc = include_str!("codes/alerts.md")]
#![doc = include_str!("codes/outputs.md")]
#![doc = include_str!("codes/import.md")]

use super::rule::{HOME, unwrapped};

const FILES: [&str; 6] = [
    include_str!("codes/files.md"),
    include_str!("codes/fields.md"),
    include_str!("codes/signals.md"),
    include_str!("codes/alerts.md"),
    include_str!("codes/outputs.md"),
    include_str!("codes/import.md"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeInfo {
    /// The code: kebab-case.
    pub name: &'static str,
    /// What findings of this code are about: the title of the entry's group.
    pub group: &'static str,
    pub summary: &'static str,
    /// The entry without its heading: the summary, then one section each for what it means, why, an example, and what
    /// to use instead.
    text: &'static str,
}

impl CodeInfo {
    pub fn docs(&self) -> String {
        unwrapped(self.text)
    }

    /// The first paragraph of the section *What it means*, on one line.
    pub fn meaning(&self) -> String {
        let docs = self.docs();
        let (_, meaning) = docs
            .split_once("### What it means\n\n")
            .unwrap_or(("", &docs));
        meaning.lines().next().unwrap_or_default().to_owned()
    }

    pub fn page(&self) -> String {
        format!("## {}\n\n{}\n", self.name, self.text)
    }

    pub fn url(&self) -> String {
        format!("{HOME}diag/codes/index.html#{}", self.name)
    }
}

pub fn all() -> impl Iterator<Item = CodeInfo> {
    FILES.into_iter().flat_map(|file| {
        let (title, entries) = file.split_once("\n\n## ").unwrap_or((file, ""));
        let entry = move |entry: &'static str| {
            let (name, text) = entry.split_once("\n\n").unwrap_or((entry, ""));
            CodeInfo {
                name,
                group: title.trim_start_matches("# "),
                summary: text.lines().next().unwrap_or_default(),
                text: text.trim_end(),
            }
        };
        entries.split("\n\n## ").map(entry)
    })
}

pub fn find(code: &str) -> Option<CodeInfo> {
    all().find(|info| info.name == code)
}
