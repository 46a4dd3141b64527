//! What a server measured during a load test: the difference of two of its `/metrics` pages.
//!
//! ```text
//! before  vllm:time_to_first_token_seconds_bucket{le="0.25"} 10, {le="+Inf"} 10
//! after   …                                                  90,             110
//!   80 of 100 first tokens came within 250 ms
//! ```
//!
//! A percentile is as exact as the histogram's buckets, and is printed with its bucket.

use std::collections::BTreeMap;

use super::measured::{Measured, Unmeasured};
use crate::health;
use slosmith_catalog::Catalog;
use slosmith_catalog::exposition::{Page, PageFamily, Sample};
use slosmith_spec::library;
use slosmith_spec::spec::Measure;
use slosmith_text::units::{Number, float};

const E2E: &str = "vllm.e2e_request_latency";
const STARTED: &str = "process_start_time_seconds";

#[derive(Clone, Debug)]
pub struct Difference {
    before: Page,
    after: Page,
}

type Labels = Vec<(String, String)>;

impl Difference {
    pub fn new(before: Page, after: Page) -> Self {
        Self { before, after }
    }

    /// A measure in base units; of a latency a percentile, or its mean.
    pub fn get(&self, measure: Measure, quantile: Option<Number>) -> Result<Measured, Unmeasured> {
        let signal = match measure {
            Measure::Ttft => "vllm.time_to_first_token",
            Measure::Tpot => "vllm.request_time_per_output_token",
            Measure::Itl => "vllm.inter_token_latency",
            Measure::E2e => E2E,
            Measure::PrefixCacheHitRate => return self.hit_rate(),
            _ => return Err(Unmeasured::NotThere),
        };
        let family = self.family(signal)?;
        let count = total(&self.grown(family, "_count")?);
        if count <= 0.0 {
            return Err(Unmeasured::NothingObserved(family.name.clone()));
        }
        let Some(q) = quantile else {
            let sum = total(&self.grown(family, "_sum")?);
            return Ok(Measured::exactly(sum / count));
        };
        let buckets = self.buckets(family)?;
        let value = health::quantile(float(q), &buckets);
        let between = bucket_of(float(q), &buckets);
        match value.zip(between) {
            Some((value, between)) => Ok(Measured::between(value, between)),
            None => Err(Unmeasured::NothingObserved(family.name.clone())),
        }
    }

    /// Requests that ended between the pages.
    pub fn requests(&self) -> Result<f64, Unmeasured> {
        Ok(total(&self.grown(self.family(E2E)?, "_count")?))
    }

    fn hit_rate(&self) -> Result<Measured, Unmeasured> {
        let asked = self.family("vllm.prefix_cache_queries")?;
        let all = total(&self.grown(asked, "")?);
        if all <= 0.0 {
            return Err(Unmeasured::NothingObserved(asked.name.clone()));
        }
        let found = total(&self.grown(self.family("vllm.prefix_cache_hits")?, "")?);
        Ok(Measured::exactly(found / all))
    }

    /// The family of a library signal, under the newest of its names that the later page has.
    fn family(&self, signal: &str) -> Result<&PageFamily, Unmeasured> {
        let newest = library::families(signal).first().copied();
        let newest = newest.ok_or(Unmeasured::NotThere)?;
        let older = Catalog::vllm().lineage().predecessors(newest);
        let mut names = std::iter::once(newest).chain(older);
        let found = names.find_map(|name| self.after.family(name));
        found.ok_or_else(|| Unmeasured::NotOnPage(newest.to_owned(), "after"))
    }

    fn grown(&self, family: &PageFamily, suffix: &str) -> Result<Vec<(Sample, f64)>, Unmeasured> {
        let earlier = self.before.family(&family.name);
        let earlier =
            earlier.ok_or_else(|| Unmeasured::NotOnPage(family.name.clone(), "before"))?;
        if self.started_twice() {
            return Err(Unmeasured::Restarted);
        }
        let name = format!("{}{suffix}", family.name);
        let of = |family: &PageFamily| -> BTreeMap<Labels, Sample> {
            let samples = family.samples.iter().filter(|s| s.name == name);
            samples.map(|s| (labels(s), s.clone())).collect()
        };
        let (before, mut after) = (of(earlier), of(family));
        let mut grown = Vec::new();
        for (labels, old) in before {
            let Some(new) = after.remove(&labels) else {
                return Err(Unmeasured::OtherServer(shown(&old)));
            };
            if new.value < old.value {
                let counted = format!("`{name}` fell from {} to {}", old.value, new.value);
                return Err(Unmeasured::Fell(counted));
            }
            grown.push((new.clone(), new.value - old.value));
        }
        grown.extend(after.into_values().map(|new| (new.clone(), new.value)));
        match grown.iter().all(|(_, by)| by.is_finite()) {
            true => Ok(grown),
            false => Err(Unmeasured::NoNumber(name)),
        }
    }

    /// True when a process of the server is not the one that it was.
    fn started_twice(&self) -> bool {
        let started = |page: &Page| -> Option<Vec<u64>> {
            let samples = &page.family(STARTED)?.samples;
            Some(samples.iter().map(|s| s.value.to_bits()).collect())
        };
        let both = started(&self.before).zip(started(&self.after));
        both.is_some_and(|(before, after)| before != after)
    }

    /// Upper bounds with cumulative counts over all series, from the lowest bound on.
    fn buckets(&self, family: &PageFamily) -> Result<Vec<(f64, f64)>, Unmeasured> {
        let mut all: Vec<(f64, f64)> = Vec::new();
        for (sample, by) in self.grown(family, "_bucket")? {
            let bound = sample.label("le").and_then(|le| le.parse().ok());
            let bound: f64 =
                bound.ok_or_else(|| Unmeasured::NoNumber(format!("{}_bucket", family.name)))?;
            match all.iter_mut().find(|(known, _)| *known == bound) {
                Some(bucket) => bucket.1 += by,
                None => all.push((bound, by)),
            }
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(all)
    }
}

fn total(grown: &[(Sample, f64)]) -> f64 {
    grown.iter().map(|(_, by)| by).sum()
}

fn labels(sample: &Sample) -> Labels {
    let mut labels = sample.labels.clone();
    labels.sort();
    labels
}

/// `{engine="0", model_name="m"}`
fn shown(sample: &Sample) -> String {
    let of = labels(sample)
        .into_iter()
        .filter(|(label, _)| label != "le");
    let pairs: Vec<_> = of
        .map(|(label, value)| format!("{label}={value:?}"))
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

fn bucket_of(q: f64, buckets: &[(f64, f64)]) -> Option<(f64, f64)> {
    let rank = q * buckets.last()?.1;
    let found = buckets.iter().position(|(_, count)| *count >= rank)?;
    let below = found.checked_sub(1).and_then(|n| buckets.get(n));
    Some((below.map_or(0.0, |(bound, _)| *bound), buckets[found].0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use slosmith_catalog::exposition;

    const OLD: &str = r#"
# TYPE vllm:gpu_prefix_cache_queries_total counter
vllm:gpu_prefix_cache_queries_total{model_name="m"} LOOKED_UP
# TYPE vllm:gpu_prefix_cache_hits_total counter
vllm:gpu_prefix_cache_hits_total{model_name="m"} FOUND
# TYPE vllm:time_per_output_token_seconds histogram
vllm:time_per_output_token_seconds_bucket{le="+Inf",model_name="m"} COUNT
vllm:time_per_output_token_seconds_count{model_name="m"} COUNT
vllm:time_per_output_token_seconds_sum{model_name="m"} SUM
"#;

    fn page(looked_up: &str, found: &str, count: &str, sum: &str) -> Page {
        let text = OLD.replace("LOOKED_UP", looked_up).replace("FOUND", found);
        exposition::parse(&text.replace("COUNT", count).replace("SUM", sum))
    }

    #[test]
    fn an_older_release_is_read_by_its_own_names() {
        let pages = Difference::new(page("100", "50", "10", "1"), page("300", "200", "20", "2"));
        let value = |measure| pages.get(measure, None).expect("a value").value;
        assert!((value(Measure::PrefixCacheHitRate) - 0.75).abs() < 1e-9);
        assert!((value(Measure::Itl) - 0.1).abs() < 1e-9);
    }

    #[test]
    fn what_no_page_has_is_missed_by_its_newest_name() {
        let pages = Difference::new(Page::default(), Page::default());
        for (measure, family) in [
            (Measure::Ttft, "vllm:time_to_first_token_seconds"),
            (Measure::Tpot, "vllm:request_time_per_output_token_seconds"),
            (Measure::Itl, "vllm:inter_token_latency_seconds"),
            (Measure::E2e, "vllm:e2e_request_latency_seconds"),
            (
                Measure::PrefixCacheHitRate,
                "vllm:prefix_cache_queries_total",
            ),
        ] {
            let missed = Unmeasured::NotOnPage(family.to_owned(), "after");
            assert_eq!(pages.get(measure, None), Err(missed));
        }
    }
}
