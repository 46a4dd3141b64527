//! Which file takes names from which, and the circles in that: files that can only be read together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::code::File;
use super::top_level;

/// The path of a module, or of a name in one: `["promql", "ast"]`.
type Path = Vec<String>;

/// A file as a module.
struct Module {
    file: String,
    code: String,
    /// What it defines, but for methods.
    items: BTreeSet<String>,
    /// Names that `use` brings in, and what they are; `*` are those whose names are not listed.
    uses: Vec<(String, Path)>,
}

/// All modules, by path.
pub(super) struct Modules(BTreeMap<Path, Module>);

/// `from` takes `name`, which `to` defines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) name: String,
}

impl Modules {
    pub(super) fn new(files: &[File]) -> Self {
        let files = files.iter().filter(|file| file.path != "main.rs");
        let module = |file: &File| (module_path(&file.path), Module::new(file));
        Self(files.map(module).collect())
    }

    /// Every name that a file takes from another one. What a file has from the modules that contain it is theirs
    /// together, and no arrow.
    pub(super) fn arrows(&self) -> BTreeSet<Arrow> {
        let mut found = BTreeSet::new();
        for (path, module) in &self.0 {
            let used = module.uses.iter().map(|(_, used)| used.clone());
            for used in used.chain(inline_paths(&module.code)) {
                let home = self.home(path, &used, 0);
                if let Some((home, name)) = home.filter(|(home, _)| !path.starts_with(home)) {
                    found.insert(Arrow {
                        from: module.file.clone(),
                        to: self.0[&home].file.clone(),
                        name,
                    });
                }
            }
        }
        found
    }

    /// The module that defines what `used` names in the module `at`, and the name in it.
    fn home(&self, at: &Path, used: &[String], depth: u32) -> Option<(Path, String)> {
        let (mut module, mut rest) = (at.clone(), used);
        match rest.first()?.as_str() {
            "crate" => (module, rest) = (Path::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {}
            first if self.0.contains_key(&child(at, first)) => {}
            first => return self.through(at, first, &rest[1..], depth),
        }
        while let Some(next) = rest.first() {
            if next == "super" {
                module.pop();
            } else if self.0.contains_key(&child(&module, next)) {
                module.push(next.clone());
            } else if self.0[&module].items.contains(next) {
                return Some((module, next.clone()));
            } else {
                return self.through(&module, next, &rest[1..], depth);
            }
            rest = &rest[1..];
        }
        None
    }

    /// The same for a name that the module itself only has from a `use`.
    fn through(
        &self,
        at: &Path,
        name: &str,
        rest: &[String],
        depth: u32,
    ) -> Option<(Path, String)> {
        if depth > 8 {
            return None;
        }
        let uses = &self.0[at].uses;
        if let Some((_, path)) = uses.iter().find(|(alias, _)| alias == name) {
            return self.home(at, &[path, rest].concat(), depth + 1);
        }
        let globs = uses.iter().filter(|(alias, _)| alias == "*");
        let inside = |path: &Path| [path, std::slice::from_ref(&name.to_owned()), rest].concat();
        globs
            .filter(|(_, path)| path.first().is_some_and(|first| first != name))
            .find_map(|(_, path)| self.home(at, &inside(path), depth + 1))
    }
}

impl Module {
    fn new(file: &File) -> Self {
        static ITEM: LazyLock<Regex> = LazyLock::new(|| {
            let word = "(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)";
            Regex::new(&format!(r"(?m)^(?:pub[^ ]* )?(?:[a-z]+ )*?{word} (\w+)")).unwrap()
        });
        static USE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);").unwrap());
        let items = ITEM.captures_iter(&file.shipped);
        let trees = USE.captures_iter(&file.shipped);
        Self {
            file: file.path.clone(),
            code: file.shipped.clone(),
            items: items.map(|found| found[1].to_owned()).collect(),
            uses: trees.flat_map(|tree| names(&[], &tree[1])).collect(),
        }
    }
}

fn module_path(file: &str) -> Path {
    let path = file.trim_end_matches(".rs");
    let path = path.strip_suffix("mod").unwrap_or(path);
    let parts = path.split('/').filter(|part| !part.is_empty());
    parts
        .filter(|part| *part != "lib")
        .map(str::to_owned)
        .collect()
}

fn child(path: &Path, name: &str) -> Path {
    let mut path = path.clone();
    path.push(name.to_owned());
    path
}

/// The names that the tree of a `use` brings in.
fn names(before: &[String], tree: &str) -> Vec<(String, Path)> {
    let tree = tree.trim();
    if let Some((head, inner)) = tree.split_once('{') {
        let head = head
            .split("::")
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let before: Path = before
            .iter()
            .cloned()
            .chain(head.map(str::to_owned))
            .collect();
        let parts = top_level(inner).into_iter();
        return parts.flat_map(|part| names(&before, part)).collect();
    }
    let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut path: Path = before
        .iter()
        .cloned()
        .chain(path.split("::").map(|part| part.trim().to_owned()))
        .collect();
    path.retain(|part| !part.is_empty());
    // `a::{self}` is `a`, and `a::*` whatever is in it.
    let last = path.pop_if(|last| last == "*" || (last == "self" && !before.is_empty()));
    let glob = last.is_some_and(|last| last == "*");
    let own = path.last().cloned().unwrap_or_default();
    let alias = alias.trim();
    let name = match (glob, alias) {
        (true, _) => "*".to_owned(),
        (false, "") => own,
        (false, alias) => alias.to_owned(),
    };
    vec![(name, path)]
}

/// Paths of at least two parts, at every place.
fn inline_paths(code: &str) -> Vec<Path> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[a-z]\w*(?:::\w+)+").unwrap());
    let parts = |path: &str| path.split("::").map(str::to_owned).collect();
    PATH.find_iter(code)
        .map(|found| parts(found.as_str()))
        .collect()
}

/// Groups of files that each lead to all others of the group.
pub(super) fn circles(arrows: &BTreeSet<Arrow>) -> Vec<Vec<String>> {
    let mut next = BTreeMap::<&str, BTreeSet<&str>>::new();
    for arrow in arrows {
        next.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = next
        .keys()
        .map(|from| (*from, reach(from, &next)))
        .collect();
    let leads = |a: &str, b: &str| reached.get(a).is_some_and(|all| all.contains(b));
    let mut found = BTreeSet::new();
    for from in next.keys().filter(|from| leads(from, from)) {
        let circle = next.keys().filter(|to| leads(from, to) && leads(to, from));
        found.insert(circle.map(|file| (*file).to_owned()).collect::<Vec<_>>());
    }
    found.into_iter().collect()
}

fn reach<'a>(from: &'a str, next: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for to in next.get(file).into_iter().flatten() {
            if seen.insert(*to) {
                open.push(to);
            }
        }
    }
    seen
}
