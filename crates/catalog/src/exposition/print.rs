//! Families → text, the inverse of reading.

use std::fmt::Write;

use super::{PageFamily, Sample};
use crate::shape::MetricType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Prometheus text 0.0.4: no UNIT, no exemplars.
    Classic,
    /// OpenMetrics 1.0 with `# EOF`.
    OpenMetrics,
}

pub fn print(families: &[PageFamily], dialect: Dialect) -> String {
    let mut out = String::new();
    for family in families {
        let name = name(declared(family, dialect));
        if let Some(help) = &family.help {
            push(&mut out, format_args!("# HELP {name} {}\n", escape(help)));
        }
        let word = match (family.kind, dialect) {
            (MetricType::Untyped, Dialect::OpenMetrics) => "unknown",
            (kind, _) => kind.as_str(),
        };
        push(&mut out, format_args!("# TYPE {name} {word}\n"));
        if let (Some(unit), Dialect::OpenMetrics) = (&family.unit, dialect) {
            push(&mut out, format_args!("# UNIT {name} {unit}\n"));
        }
        for sample in &family.samples {
            print_sample(&mut out, sample);
        }
    }
    if dialect == Dialect::OpenMetrics {
        out.push_str("# EOF\n");
    }
    out
}

/// OpenMetrics declares counters and infos without the suffix that their samples carry.
fn declared(family: &PageFamily, dialect: Dialect) -> &str {
    let suffix = match (family.kind, dialect) {
        (MetricType::Counter, Dialect::OpenMetrics) => "_total",
        (MetricType::Info, Dialect::OpenMetrics) => "_info",
        _ => "",
    };
    family.name.strip_suffix(suffix).unwrap_or(&family.name)
}

fn print_sample(out: &mut String, sample: &Sample) {
    let plain = is_plain(&sample.name, true);
    if plain {
        out.push_str(&sample.name);
    }
    if !plain || !sample.labels.is_empty() {
        let quoted = (!plain).then(|| format!("\"{}\"", escape(&sample.name)));
        push(out, format_args!("{{{}}}", labels(quoted, &sample.labels)));
    }
    push(out, format_args!(" {}", number(sample.value)));
    if let Some(timestamp) = sample.timestamp {
        push(out, format_args!(" {timestamp}"));
    }
    if let Some(exemplar) = &sample.exemplar {
        let labels = labels(None, &exemplar.labels);
        push(
            out,
            format_args!(" # {{{labels}}} {}", number(exemplar.value)),
        );
        if let Some(timestamp) = exemplar.timestamp {
            push(out, format_args!(" {timestamp}"));
        }
    }
    out.push('\n');
}

fn labels(name: Option<String>, labels: &[(String, String)]) -> String {
    let pairs = labels.iter().map(|(label, value)| {
        let value = escape(value);
        if is_plain(label, false) {
            format!("{label}=\"{value}\"")
        } else {
            format!("\"{}\"=\"{value}\"", escape(label))
        }
    });
    name.into_iter().chain(pairs).collect::<Vec<_>>().join(",")
}

fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        other => format!("{other:?}"),
    }
}

fn name(raw: &str) -> String {
    if is_plain(raw, true) {
        raw.to_owned()
    } else {
        format!("\"{}\"", escape(raw))
    }
}

fn is_plain(name: &str, colons: bool) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || (colons && c == ':');
    !name.is_empty() && name.chars().all(fits) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn escape(raw: &str) -> String {
    raw.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
}
