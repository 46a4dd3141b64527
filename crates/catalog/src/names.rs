//! Names: series of a family, known or not, and what was probably meant.

use super::identity::{Identity, Spelling};
use super::shape::MetricType;
use super::{Catalog, Family, ReleaseId};
use slosmith_promql::{Series, split_series};

/// Help for a text that [`is_prefix`] rejects.
pub const PREFIX_HELP: &str =
    "use letters, digits and `_`, and `:` or `_` at the end, as in `vllm_`";

/// True for a text that names of a store can begin with: `vllm_`, `ray_vllm:`.
pub fn is_prefix(text: &str) -> bool {
    let word = text.strip_suffix([':', '_']).unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    word.starts_with(|c: char| fits(c) && !c.is_ascii_digit()) && word.chars().all(fits)
}

/// True for a character that names of metrics have.
pub fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | ':')
}

pub fn word_at(text: &str, at: usize) -> &str {
    let end = text[at..].find(|c| !is_in_name(c));
    &text[at..end.map_or(text.len(), |end| at + end)]
}

/// The prefixes of metrics that many exporters have.
const GENERAL: [&str; 5] = ["go_", "http_", "process_", "promhttp_", "python_"];

impl Catalog {
    /// What every name of the product's own begins with; empty when there is nothing of the kind.
    pub fn prefix(&self) -> &str {
        self.identity.prefixes.first().map_or("", String::as_str)
    }

    /// True for a name that begins as the product's own do.
    pub fn claims(&self, name: &str) -> bool {
        self.identity.claims(name)
    }

    /// True if a family of this name can only belong to this product. Names such as `process_start_time_seconds` belong to
    /// many exporters.
    pub fn owns(&self, name: &str) -> bool {
        match self.prefix() {
            "" => !GENERAL.iter().any(|prefix| name.starts_with(prefix)),
            _ => self.claims(name),
        }
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    pub fn title(&self) -> &str {
        &self.identity.title
    }

    pub fn spellings(&self) -> &[Spelling] {
        &self.identity.spellings
    }

    /// The served name of a series that is stored with `prefix`: `vllm:x` for `ray_vllm_x`.
    pub fn served(&self, prefix: &str, stored: &str) -> Option<String> {
        let own = self.prefix();
        let rest = stored.strip_prefix(prefix).filter(|_| !own.is_empty())?;
        Some(format!("{own}{rest}"))
    }

    /// The name of a series in a store that has `prefix` in the place of the product's own.
    pub fn stored(&self, prefix: &str, served: &str) -> String {
        match served.strip_prefix(self.prefix()) {
            Some(rest) if !self.prefix().is_empty() => format!("{prefix}{rest}"),
            _ => served.to_owned(),
        }
    }

    /// The prefix of a vLLM name in a store: `ray_vllm_` of `ray_vllm_num_requests_waiting`.
    pub fn prefix_of<'n>(&self, stored: &'n str) -> Option<&'n str> {
        let word = self.prefix().trim_end_matches(':');
        let end = stored.find(word).filter(|_| !word.is_empty())? + word.len() + 1;
        let prefix = stored.get(..end).filter(|prefix| is_prefix(prefix))?;
        let served = self.served(prefix, stored)?;
        let known = |name: &str| self.is_known(name);
        (known(&served) || known(&format!("{served}_total"))).then_some(prefix)
    }

    /// A prefix of some stores that is not the product's own.
    pub fn spelling(&self, prefix: &str) -> Option<&Spelling> {
        let mut spellings = self.spellings().iter();
        spellings.find(|spelling| spelling.prefix == prefix)
    }

    /// True for the product's own prefix with another separator, which may be a mistake: `vllm_`.
    pub fn is_ambiguous(&self, prefix: &str) -> bool {
        let word = |prefix: &str| prefix.trim_end_matches([':', '_']).to_owned();
        prefix != self.prefix() && word(prefix) == word(self.prefix())
    }

    /// The served name of a series, if only a known prefix of some stores differs: `vllm:x` for `vllm_x`.
    pub fn own_spelling(&self, name: &str) -> Option<String> {
        let mut spellings = self.spellings().iter();
        spellings.find_map(|spelling| self.served(&spelling.prefix, name))
    }

    pub fn series_of(&self, name: &str) -> Option<(&Family, Series)> {
        if let Some(family) = self.family(name) {
            return Some((family, Series::Whole));
        }
        let part = Series::OF_HISTOGRAM.into_iter().find_map(|series| {
            let family = self.family(name.strip_suffix(series.suffix())?)?;
            let has = |kind: MetricType| kind.suffixes().contains(&series.suffix());
            family
                .shapes()
                .iter()
                .any(|s| has(s.kind))
                .then_some((family, series))
        });
        part.or_else(|| {
            let base = name.strip_suffix(Series::Created.suffix())?;
            let family = self
                .family(base)
                .or_else(|| self.family(&format!("{base}_total")));
            Some((family.filter(|f| f.has_created())?, Series::Created))
        })
    }

    /// True for the name of a series of its own that some release has, served or stored.
    pub fn has_series(&self, name: &str) -> bool {
        let has = |served: &str| self.owns(served) && self.series_of(served).is_some();
        let mut spellings = self.spellings().iter();
        has(name)
            || spellings.any(|spelling| {
                let served = self.served(&spelling.prefix, name);
                served.is_some_and(|own| has(&own) || spelling.open && has(&format!("{own}_total")))
            })
    }

    /// True when some release of vLLM or another exporter publishes the name.
    pub fn is_known(&self, name: &str) -> bool {
        self.series_of(name).is_some() || self.foreign.find(name).is_some()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.families.keys().map(String::as_str)
    }

    /// The name that was probably meant: `vllm_x` for `vllm:x`, a counter without `_total`, a slip. Each of the releases
    /// serves it.
    pub fn suggest(&self, name: &str, releases: &[ReleaseId]) -> Option<String> {
        let serve = |family: &Family| {
            let mut releases = releases.iter().map(|id| self.release(*id));
            releases.all(|release| family.is_on(release))
        };
        let is_served = |name: &str| match self.series_of(name) {
            Some((family, _)) => serve(family),
            None => self.is_known(name),
        };
        let colon = self.own_spelling(name).unwrap_or_else(|| name.to_owned());
        let exact = [
            Some(colon.clone()),
            Some(format!("{colon}_total")),
            colon.strip_suffix("_total").map(str::to_owned),
            Some(format!("{}{colon}", self.prefix())),
        ];
        let exact = exact
            .into_iter()
            .flatten()
            .filter(|candidate| candidate != name);
        if let Some(known) = exact.into_iter().find(|candidate| is_served(candidate)) {
            return Some(known);
        }
        let (base, series) = split_series(&colon);
        let all = || self.names().chain(self.foreign.names());
        let is_word = |word: &str| all().flat_map(words).any(|known| known == word);
        let served = |found: &&str| self.family(found).is_none_or(serve);
        let mut found = all()
            .filter(|of| is_slip(base, of, &is_word))
            .filter(served);
        let first = found.next()?;
        let only = found.next().is_none().then_some(first)?;
        Some(format!("{only}{}", series.suffix())).filter(|name| self.is_known(name))
    }
}

/// The name of a metric that was probably meant: the same with other separators, or with a slip in a word.
pub fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let is_word = |word: &str| {
        known
            .iter()
            .flat_map(|name| words(name))
            .any(|known| known == word)
    };
    let first = words(name).next().unwrap_or_default();
    let last = words(name).last().unwrap_or_default();
    let shares_an_end = |of: &str| of.starts_with(first) || of.ends_with(last);
    let is_meant = |of: &&str| {
        has_letters(name, of)
            || is_one_letter_off(name, of)
            || shares_an_end(of) && is_slip(name, of, &is_word)
    };
    known.iter().copied().find(is_meant)
}

/// The value of a label that was probably meant: the same with other separators, or with one wrong letter.
pub fn meant_value<'a>(value: &str, known: &[&'a str]) -> Option<&'a str> {
    let mut known = known.iter().copied();
    known.find(|of| has_letters(value, of) || is_one_letter_off(value, of))
}

/// True for long words that differ in one letter, and in no digit.
fn is_one_letter_off(word: &str, of: &str) -> bool {
    let (one, other) = (word.as_bytes(), of.as_bytes());
    let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
    let start = one.iter().zip(other).take_while(same).count();
    let end = one.iter().rev().zip(other.iter().rev());
    let end = end.take_while(same).count();
    // What differs lies between a common start and a common end.
    if word.len() < 5 || start + end + 2 < one.len().max(other.len()) {
        return false;
    }
    let digits = |text: &str| text.replace(|c: char| !c.is_ascii_digit(), "");
    strsim::osa_distance(word, of) == 1 && digits(word) == digits(of)
}

/// True for names with the same letters and digits.
fn has_letters(name: &str, of: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> {
        let kept = name.chars().filter(|c| c.is_alphanumeric());
        kept.flat_map(char::to_lowercase)
    }
    letters(name).eq(letters(of))
}

/// True if a name is a misspelling of another, word by word.
///
/// A word that occurs in some name means what it says: `miss` never stands for `hits`, nor `prompt` for `generation`.
fn is_slip(name: &str, of: &str, is_word: &dyn Fn(&str) -> bool) -> bool {
    if name.len().abs_diff(of.len()) > name.len() / 4 + 1 {
        return false;
    }
    let same = |word: &str, of: &str| {
        let limit = word.chars().count() / 4;
        word == of
            || word.len().abs_diff(of.len()) <= limit
                && strsim::osa_distance(word, of) <= limit
                && !is_word(word)
    };
    let (mut words, mut of) = (words(name), words(of));
    loop {
        match (words.next(), of.next()) {
            (None, None) => return true,
            (Some(word), Some(of)) if same(word, of) => {}
            _ => return false,
        }
    }
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split([':', '_']).map(singular)
}

/// A word without the `s` of its plural: the singular for the plural is the most common slip.
fn singular(word: &str) -> &str {
    word.strip_suffix('s')
        .filter(|rest| !rest.ends_with('s'))
        .unwrap_or(word)
}
