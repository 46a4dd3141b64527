//! Results of `vllm bench serve` and of k6.

use num_traits::ToPrimitive;
use serde_json::Value;

use super::measured::Origin;
use slosmith_spec::spec::Measure;
use slosmith_text::source::mark_len;
use slosmith_text::units::{Number, decimal, float};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("{line}:{column}: this is not JSON: {why}")]
    NotJson {
        line: usize,
        column: usize,
        why: String,
    },
    #[error(
        "1:1: not a result of `vllm bench serve --save-result` and not a k6 summary: `request_throughput` and `metrics` are missing"
    )]
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Results {
    document: Value,
    k6: bool,
}

pub fn read(text: &str) -> Result<Results, ReadError> {
    let document: Value =
        serde_json::from_str(&text[mark_len(text)..]).map_err(|error| ReadError::NotJson {
            line: error.line(),
            // 0 means that the text ended.
            column: error.column().max(1),
            why: error
                .to_string()
                .split(" at line")
                .next()
                .unwrap_or_default()
                .to_owned(),
        })?;
    let k6 = document["metrics"].is_object();
    if !k6 && !document["request_throughput"].is_number() {
        return Err(ReadError::Unknown);
    }
    Ok(Results { document, k6 })
}

impl Results {
    pub fn origin(&self) -> Origin {
        match self.k6 {
            true => Origin::K6,
            false => Origin::Benchmark,
        }
    }

    /// A measure in base units; of a latency a percentile, or its mean.
    pub fn get(&self, measure: Measure, quantile: Option<Number>) -> Option<f64> {
        match self.k6 {
            true => self.of_k6(measure, quantile),
            false => self.of_vllm(measure, quantile),
        }
    }

    pub fn answered(&self) -> Option<f64> {
        match self.k6 {
            true => self.counted("answers"),
            false => self.document["completed"].as_f64(),
        }
    }

    pub fn sent(&self) -> Option<f64> {
        match self.k6 {
            true => self.counted("iterations"),
            false => {
                let failed = self.document["failed"].as_f64().unwrap_or(0.0);
                let asked = self.document["num_prompts"].as_f64();
                asked.or_else(|| Some(self.answered()? + failed))
            }
        }
    }

    /// Requests or conversations that k6 left out because all of its users were still waiting.
    pub fn dropped(&self) -> f64 {
        self.counted("dropped_iterations").unwrap_or(0.0)
    }

    /// True when [`Results::sent`] counts conversations.
    pub fn in_conversations(&self) -> bool {
        self.k6
    }

    fn of_vllm(&self, measure: Measure, quantile: Option<Number>) -> Option<f64> {
        let number = |key: &str| self.document[key].as_f64();
        let name = match measure {
            Measure::Ttft => "ttft",
            Measure::Tpot => "tpot",
            Measure::Itl => "itl",
            Measure::E2e => "e2el",
            Measure::RequestThroughput => return number("request_throughput"),
            Measure::OutputThroughput => return number("output_throughput"),
            Measure::ErrorRate => return self.failed(),
            Measure::OomEvents | Measure::PrefixCacheHitRate => return None,
        };
        let Some(q) = quantile else {
            return number(&format!("mean_{name}_ms")).map(|ms| ms / 1_000.0);
        };
        let percent = decimal(q * 100);
        let median = (percent == "50")
            .then(|| number(&format!("median_{name}_ms")))
            .flatten();
        let stored = number(&format!("p{percent}_{name}_ms")).or(median);
        stored
            .map(|ms| ms / 1_000.0)
            .or_else(|| self.observed(name, q))
    }

    /// A percentile of single observations (`--save-detailed`), by linear interpolation as NumPy has it.
    fn observed(&self, name: &str, q: Number) -> Option<f64> {
        let all = self.document[format!("{name}s")].as_array()?;
        let flat = all.iter().flat_map(|value| match value {
            Value::Array(inner) => inner.iter().filter_map(Value::as_f64).collect(),
            other => other.as_f64().into_iter().collect::<Vec<_>>(),
        });
        let mut values: Vec<f64> = flat.collect();
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let rank = float(q) * last.to_f64()?;
        let below = rank.floor().to_usize()?;
        let above = (below + 1).min(last);
        let part = rank - rank.floor();
        Some(values[below] + (values[above] - values[below]) * part)
    }

    fn failed(&self) -> Option<f64> {
        let completed = self.document["completed"].as_f64()?;
        let failed = self.document["failed"].as_f64();
        let asked = self.document["num_prompts"].as_f64();
        let failed = failed.or_else(|| asked.map(|asked| asked - completed))?;
        let all = completed + failed;
        (all > 0.0).then(|| failed / all)
    }

    fn of_k6(&self, measure: Measure, quantile: Option<Number>) -> Option<f64> {
        match measure {
            Measure::E2e => self.trend(&["e2e", "http_req_duration"], quantile),
            Measure::ErrorRate => {
                let failed = self
                    .metric("failed")
                    .or_else(|| self.metric("http_req_failed"));
                let failed = failed?;
                failed["rate"].as_f64().or_else(|| failed["value"].as_f64())
            }
            Measure::RequestThroughput => {
                let sent = self.metric("answers").or_else(|| self.metric("http_reqs"));
                sent?["rate"].as_f64()
            }
            _ => None,
        }
    }

    fn counted(&self, name: &str) -> Option<f64> {
        self.metric(name)?["count"].as_f64()
    }

    fn metric(&self, name: &str) -> Option<&Value> {
        let metric = self.document["metrics"].get(name)?;
        Some(metric.get("values").unwrap_or(metric))
    }

    /// Milliseconds of the first trend that is there, in seconds.
    fn trend(&self, names: &[&str], quantile: Option<Number>) -> Option<f64> {
        let values = names.iter().find_map(|name| self.metric(name))?;
        let percent = quantile.map(|q| decimal(q * 100));
        let found = match percent.as_deref() {
            None => values["avg"].as_f64(),
            Some("50") => values["p(50)"].as_f64().or_else(|| values["med"].as_f64()),
            Some(percent) => values[format!("p({percent})")].as_f64(),
        };
        found.map(|ms| ms / 1_000.0)
    }
}
