//! Lines → families.

use std::collections::{BTreeMap, BTreeSet};

use super::line::{self, Line};
use super::{Labels, Page, PageFamily, Problem, ProblemKind, Sample};
use crate::shape::MetricType;
use slosmith_promql::Series as Part;
use slosmith_text::source::mark_len;

pub(super) fn page(text: &str) -> Page {
    let mut reader = Reader::default();
    let lines = reader.lines(text);
    reader.declare(&lines);
    for (place, line) in lines {
        reader.take(place, line);
    }
    reader.finish()
}

#[derive(Clone, Copy, Default)]
struct Place {
    line: usize,
    offset: usize,
}

type Series = (String, Labels, Option<u64>);

#[derive(Default)]
struct Reader {
    families: Vec<PageFamily>,
    by_name: BTreeMap<String, usize>,
    /// Declared type per declared name; the first TYPE holds.
    types: BTreeMap<String, MetricType>,
    typed: BTreeSet<String>,
    series: BTreeSet<Series>,
    openmetrics: bool,
    ended: bool,
    last_family: Option<usize>,
    problems: Vec<(Place, ProblemKind, String)>,
}

impl Reader {
    fn report(&mut self, place: Place, kind: ProblemKind, message: impl Into<String>) {
        self.problems.push((place, kind, message.into()));
    }

    fn lines(&mut self, text: &str) -> Vec<(Place, Line)> {
        let mut found = Vec::new();
        let mut offset = mark_len(text);
        if offset > 0 {
            let message = "a byte order mark at the start, which Prometheus rejects";
            let place = Place { line: 1, offset: 0 };
            self.report(place, ProblemKind::ByteOrderMark, message);
        }
        let mut returns = false;
        for (i, raw) in text[offset..].split_inclusive('\n').enumerate() {
            let place = Place {
                line: i + 1,
                offset,
            };
            offset += raw.len();
            let body = raw.strip_suffix('\n').unwrap_or(raw);
            let body = match body.strip_suffix('\r') {
                Some(body) => {
                    if !std::mem::replace(&mut returns, true) {
                        let message = "CRLF line endings, which Prometheus rejects";
                        self.report(place, ProblemKind::CarriageReturn, message);
                    }
                    body
                }
                None => body,
            };
            match line::read(body) {
                Ok(Line::Blank) => {}
                Ok(line) => found.push((place, line)),
                Err(stop) => {
                    let at = Place {
                        offset: place.offset + stop.at,
                        ..place
                    };
                    self.report(at, ProblemKind::Malformed, stop.why);
                }
            }
        }
        found
    }

    /// Types decide which family a sample belongs to, so all of them are gathered first.
    fn declare(&mut self, lines: &[(Place, Line)]) {
        for (_, line) in lines {
            match line {
                Line::Type(name, word) => {
                    let kind = MetricType::parse(word).unwrap_or_default();
                    self.types.entry(name.clone()).or_insert(kind);
                }
                Line::Eof => self.openmetrics = true,
                _ => {}
            }
        }
    }

    fn take(&mut self, place: Place, line: Line) {
        if self.ended {
            self.report(place, ProblemKind::AfterEof, "text after `# EOF`");
        }
        match line {
            Line::Blank => {}
            Line::Eof => self.ended = true,
            Line::Type(name, word) => self.take_type(place, &name, &word),
            Line::Help(name, text) => self.take_help(place, &name, text),
            Line::Unit(name, unit) => {
                let i = self.declared(&name);
                self.families[i].unit = Some(unit);
            }
            Line::Sample(sample) => self.take_sample(place, sample),
        }
    }

    fn take_type(&mut self, place: Place, name: &str, word: &str) {
        if MetricType::parse(word).is_none() {
            let message = format!("`{word}` is not a metric type");
            self.report(place, ProblemKind::UnknownType, message);
        }
        let i = self.declared(name);
        if !self.typed.insert(name.to_owned()) {
            let message = format!("second TYPE of `{name}`; the first one is used");
            self.report(place, ProblemKind::DuplicateType, message);
        } else if !self.families[i].samples.is_empty() {
            let message = format!("TYPE of `{name}` comes after its samples");
            self.report(place, ProblemKind::TypeAfterSamples, message);
        }
    }

    fn take_help(&mut self, place: Place, name: &str, text: String) {
        let i = self.declared(name);
        if self.families[i].help.is_some() {
            let message = format!("second HELP of `{name}`; the first one is used");
            self.report(place, ProblemKind::DuplicateHelp, message);
        } else {
            self.families[i].help = Some(text);
        }
    }

    fn take_sample(&mut self, place: Place, sample: Sample) {
        let i = self.family_of(&sample.name);
        if self.last_family != Some(i) && !self.families[i].samples.is_empty() {
            let message = format!(
                "samples of another metric between the samples of `{}`",
                self.families[i].name
            );
            self.report(place, ProblemKind::Interleaved, message);
        }
        self.last_family = Some(i);
        let mut labels = sample.labels.clone();
        labels.sort();
        let stamp = sample.timestamp.map(f64::to_bits);
        if !self.series.insert((sample.name.clone(), labels, stamp)) {
            let message = format!("duplicate series of `{}`", sample.name);
            self.report(place, ProblemKind::DuplicateSeries, message);
        }
        self.families[i].samples.push(sample);
    }

    /// The family that HELP, TYPE or UNIT of `declared` describes.
    fn declared(&mut self, declared: &str) -> usize {
        let kind = self.types.get(declared).copied().unwrap_or_default();
        let suffix = match kind {
            MetricType::Counter => "_total",
            MetricType::Info => "_info",
            _ => "",
        };
        let name = if self.openmetrics && !declared.ends_with(suffix) {
            format!("{declared}{suffix}")
        } else {
            declared.to_owned()
        };
        self.family(name, kind)
    }

    fn family_of(&mut self, sample: &str) -> usize {
        if self.types.contains_key(sample) {
            return self.declared(sample);
        }
        for (suffix, kinds) in BELONGS {
            let base = sample.strip_suffix(suffix).unwrap_or_default();
            if let Some(kind) = self.types.get(base).filter(|kind| kinds.contains(kind)) {
                let kind = *kind;
                return match *suffix {
                    "_total" | "_info" => self.family(sample.to_owned(), kind),
                    _ => self.declared(base),
                };
            }
        }
        self.declared(sample)
    }

    fn family(&mut self, name: String, kind: MetricType) -> usize {
        if let Some(&i) = self.by_name.get(&name) {
            return i;
        }
        let i = self.families.len();
        self.by_name.insert(name.clone(), i);
        self.families.push(PageFamily {
            name,
            kind,
            ..PageFamily::default()
        });
        i
    }

    fn finish(mut self) -> Page {
        self.problems
            .sort_by_key(|(place, kind, _)| (place.offset, *kind));
        let problems = self
            .problems
            .into_iter()
            .map(|(place, kind, message)| Problem {
                kind,
                line: place.line,
                offset: place.offset,
                message,
            });
        Page {
            problems: problems.collect(),
            families: self.families,
        }
    }
}

/// Which suffix may belong to a family of which type.
const BELONGS: &[(&str, &[MetricType])] = {
    use MetricType::{Counter, GaugeHistogram, Histogram, Info, Summary};
    &[
        (Part::Bucket.suffix(), &[Histogram, GaugeHistogram]),
        (Part::Sum.suffix(), &[Histogram, Summary]),
        (Part::Count.suffix(), &[Histogram, Summary]),
        ("_gsum", &[GaugeHistogram]),
        ("_gcount", &[GaugeHistogram]),
        (Part::Created.suffix(), &[Counter, Histogram, Summary]),
        ("_total", &[Counter]),
        ("_info", &[Info]),
    ]
};
