//! Series that the service's own recording rules write, as queries name them.
//!
//! `slo:error_ratio:rate{service="chat", slo="availability", window="5m"}` is
//! `slo_series(naming::ERROR_RATIO, "chat", "availability", "5m")`.

use crate::naming;
use crate::promql::ast::{MatchOp, Selector};
use crate::promql::build;

/// A recorded series: `name{service="…", …}`.
pub fn recorded(series: &str, labels: &[(&str, &str)]) -> Selector {
    labels
        .iter()
        .fold(build::metric(series), |m, (label, value)| {
            m.matcher(label, MatchOp::Equal, value)
        })
}

/// One SLO's recorded series.
pub fn slo_series(series: &str, service: &str, slo: &str, window: &str) -> Selector {
    recorded(
        series,
        &[
            (naming::SERVICE, service),
            (naming::SLO, slo),
            (naming::WINDOW, window),
        ],
    )
}
