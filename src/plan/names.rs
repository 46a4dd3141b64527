//! Names of a family or a metric.

use std::ops::Deref;

/// Every name that the range of releases has for one thing, newest first: one at least.
///
/// ```
/// use slosmith::plan::Names;
///
/// let names = Names::of(vec!["vllm:kv_cache_usage_perc".into(), "vllm:gpu_cache_usage_perc".into()]);
/// assert_eq!(names.expect("two names").newest(), "vllm:kv_cache_usage_perc");
/// assert_eq!(Names::of(Vec::new()), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    newest: String,
    all: Vec<String>,
}

impl Names {
    /// What never had another name.
    pub fn one(name: &str) -> Self {
        Self {
            newest: name.to_owned(),
            all: vec![name.to_owned()],
        }
    }

    /// Names, newest first; `None` when there are none.
    pub fn of(all: Vec<String>) -> Option<Self> {
        let newest = all.first()?.clone();
        Some(Self { newest, all })
    }

    pub fn newest(&self) -> &str {
        &self.newest
    }
}

impl Deref for Names {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.all
    }
}

impl<'a> IntoIterator for &'a Names {
    type Item = &'a String;
    type IntoIter = std::slice::Iter<'a, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}
