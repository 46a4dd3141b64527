//! Built-in signals, as data that is read like a user's spec.
//!
//! ```
//! let signal = slosmith_spec::library::signal("vllm.requests_waiting").expect("a built-in signal");
//! let prometheus = signal.prometheus.as_ref().expect("a binding");
//! let metric = prometheus.value.metric.as_ref().expect("a family");
//! assert_eq!(metric.value, "vllm:num_requests_waiting");
//! ```

mod meant;
mod served;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::{Schema, json_schema};

use crate::spec;
use crate::spec::{Map, Signal};
pub use meant::meant;
pub use served::{Served, families, is_always_served, of_family, promql, served, without_signal};
use slosmith_catalog::{Embedded, VLLM};
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::FileId;
use slosmith_text::units::Unit;
use slosmith_text::yaml;

const VLLM_SIGNALS: &str = concat!(include_str!("vllm.yaml"), include_str!("kv.yaml"));

/// How a spec names a library signal of vLLM: `vllm.` and its name.
pub const PREFIX: &str = "vllm.";

/// How a spec names a signal of the engine that its `runtime` names.
pub const ANY_ENGINE: &str = "llm.";

/// Library files are in no table of sources; findings about them never reach a user, a test reads them.
const FILE: FileId = FileId(u32::MAX);

static SIGNALS: LazyLock<Result<Map<Signal>, Diagnostic>> =
    LazyLock::new(|| yaml::read(FILE, VLLM_SIGNALS));

/// The signals of the other servers, by the name of the server.
static OTHERS: LazyLock<BTreeMap<&str, Map<Signal>>> = LazyLock::new(|| {
    let with_signals = Embedded::all()
        .iter()
        .filter(|product| !product.signals.is_empty());
    let read = with_signals.map(|product| {
        let signals = yaml::read(FILE, product.signals).expect("a test reads all signals");
        (product.name, signals)
    });
    read.collect()
});

pub fn signal(name: &str) -> Option<&'static Signal> {
    let (product, name) = name.split_once('.')?;
    match product == VLLM {
        true => SIGNALS.as_ref().ok()?.get(name),
        false => OTHERS.get(product)?.get(name),
    }
}

/// A server's signals, by their names without the server.
pub fn of_product(product: &str) -> impl Iterator<Item = (&'static str, &'static Signal)> + use<> {
    let signals = match product == VLLM {
        true => SIGNALS.as_ref().ok(),
        false => OTHERS.get(product),
    };
    let all = signals.into_iter().flatten();
    all.map(|(name, signal)| (name.value.as_str(), signal))
}

/// The engines, by their words: vLLM and the servers that run models.
pub fn engines() -> impl Iterator<Item = &'static str> {
    let others = Embedded::all().iter().filter(|other| other.identity.engine);
    std::iter::once(VLLM).chain(others.map(|other| other.name))
}

/// The signals of any engine that vLLM shares with at least one other: `llm.requests_waiting`.
pub fn of_engines() -> impl Iterator<Item = String> {
    let names = of_product(VLLM).map(|(name, _)| name);
    let names = names.filter(|name| {
        let mut others = engines().skip(1).flat_map(of_product);
        others.any(|(other, _)| other == *name)
    });
    names.map(|name| format!("{ANY_ENGINE}{name}"))
}

/// The signals of servers other than vLLM: `sglang.requests_waiting`.
pub fn of_others() -> impl Iterator<Item = (&'static Embedded, String)> {
    let products = Embedded::all().iter();
    products.flat_map(|product| {
        let signals = of_product(product.name);
        signals.map(move |(name, _)| (product, format!("{}.{name}", product.name)))
    })
}

/// What the name of a library signal begins with: `vllm.`, `sglang.`.
pub fn prefix_of(name: &str) -> Option<String> {
    let (product, _) = name.split_once('.')?;
    let prefix = format!("{product}.");
    let is_known = product == VLLM || prefix == ANY_ENGINE || OTHERS.contains_key(product);
    is_known.then_some(prefix)
}

/// The unit of a metric's values, where a signal takes them as they are.
pub fn unit(family: &str) -> Option<Unit> {
    let signal = reading(family).filter(|signal| signal.scale.is_none());
    Some(signal?.unit.as_ref()?.value)
}

pub fn reading(family: &str) -> Option<&'static Signal> {
    static READING: LazyLock<BTreeMap<&str, &Signal>> = LazyLock::new(|| {
        let others = OTHERS.values().flat_map(Map::values);
        let signals = SIGNALS.iter().flat_map(Map::values).chain(others);
        let of_metric = |signal: &'static Signal| {
            let metric = signal.prometheus.as_ref()?.value.metric.as_ref()?;
            Some((metric.value.as_str(), signal))
        };
        signals.filter_map(of_metric).collect()
    });
    READING.get(family).copied()
}

pub fn names() -> Vec<String> {
    let signals = of_product(VLLM);
    signals.map(|(name, _)| format!("{PREFIX}{name}")).collect()
}

/// The schema of specs, with the names of the signals.
pub fn json_schema() -> String {
    printed(spec::json_schema())
}

/// The same of the second document.
pub fn beta_schema() -> String {
    printed(spec::beta_schema())
}

fn printed(mut schema: Schema) -> String {
    let mut known = names();
    known.extend(of_engines());
    known.extend(of_others().map(|(_, name)| name));
    let any = json_schema!({"anyOf": [{"enum": known}, {"type": "string"}]});
    if let Some(name) = schema
        .pointer_mut("/$defs/SignalName")
        .and_then(|name| name.as_object_mut())
    {
        name.remove("type");
        name.extend(any.as_object().cloned().unwrap_or_default());
    }
    // A schema is plain JSON; printing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_reads() {
        let signals = SIGNALS.as_ref().expect("valid library");
        assert!(signals.len() > 50);
        for (name, signal) in signals {
            assert!(
                signal.title.is_some() && signal.description.is_some(),
                "{name}"
            );
        }
    }
}
