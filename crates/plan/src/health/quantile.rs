//! Percentiles of classic histograms, exactly as Prometheus estimates them.

/// The value below which the share `q` of observations lies; `None` without observations.
///
/// `buckets` are cumulative: upper bound, count; the last is infinite. Within a bucket observations count as spread
/// evenly; the lowest bucket begins at 0 when its bound is above 0; beyond the last finite bound, that bound is the
/// answer. Source: `bucketQuantile` of Prometheus.
pub fn quantile(q: f64, buckets: &[(f64, f64)]) -> Option<f64> {
    let mut sorted = buckets.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    // A scrape between two updates may show a bucket below the one before it.
    let mut highest = 0.0_f64;
    for bucket in &mut sorted {
        highest = highest.max(bucket.1);
        bucket.1 = highest;
    }
    let (bound, total) = *sorted.last()?;
    if bound != f64::INFINITY || sorted.len() < 2 || total.is_nan() || total <= 0.0 {
        return None;
    }
    let rank = q * total;
    let found = sorted.iter().position(|(_, count)| *count >= rank)?;
    if found == sorted.len() - 1 {
        return sorted.get(found - 1).map(|(bound, _)| *bound);
    }
    let (end, count) = sorted[found];
    if found == 0 && end <= 0.0 {
        return Some(end);
    }
    let (start, before) = match found {
        0 => (0.0, 0.0),
        n => sorted[n - 1],
    };
    Some(start + (end - start) * ((rank - before) / (count - before)))
}
