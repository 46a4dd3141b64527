//! Days on end: tiers over 6h and 3d, windows of a day, and what is absent for longer than anybody remembers.

use libtest_mimic::Trial;

use crate::chance::Chance;
use crate::fleet::{Fleet, Spell, simulate};
use crate::judge::{Case, settle};
use crate::scenarios::replicas;
use crate::trial::{Needs, in_ci};

const SPEC: &str = "
apiVersion: slosmith/v1
service: {name: days, owner: tests}
runtime: {vllm: '>=0.20, <0.34'}
links: {runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  requests: {kind: counter, unit: requests, has_labels: [status], prometheus: {metric: mangaassist_requests_total}}
  failed: {use: requests, where: {status: {matches: '5..'}}}
  ttft: {kind: histogram, unit: seconds, prometheus: {metric: mangaassist_ttft_seconds, buckets: [100ms, 500ms, 2s]}}
  busy: {kind: gauge, unit: ratio, scale: 1%, across: max, prometheus: {metric: DCGM_FI_DEV_GPU_UTIL}}
  running: {use: vllm.requests_running}
slos:
  answers: {objective: 99%, period: 30d, sli: {ratio: {bad: failed, total: requests}}}
  first-token: {objective: 95%, period: 28d, sli: {latency: {signal: ttft, at_most: 500ms}}, burn: [{times: 2, long: 6h, short: 30m}, {times: 1, long: 1d, short: 2h}]}
  room: {objective: 90%, period: 3d, sli: {time: {signal: running, below: '1.5'}}, burn: [{times: 2, long: 6h, short: 30m}]}
alerts:
  Median: {severity: critical, when: {signal: ttft, stat: p50, above: 100ms}, target: 100ms, for: 10m}
  Lost: {severity: critical, when: {signal: running, absent: true, window: 3d}, for: 5m}
  LostJob: {severity: critical, when: {signal: busy, absent: true, window: 3d}, for: 20m}
  MoreThanYesterday: {severity: warning, when: {signal: requests, stat: increase, window: 1h, above: {times: 3, of: {offset: 1d}}}, for: 10m}
  MoreThanUsual: {severity: warning, when: {signal: requests, window: 30m, above: {times: 2.5, of: {avg_over: 1d}}}}
  Unusual: {severity: warning, when: {signal: ttft, stat: p95, window: 30m, outside: {sigma: 3, window: 1d, min_samples: 20, side: high}}, for: 10m}
  QuietDay: {severity: warning, when: {signal: requests, stat: increase, window: 1d, below: '1500'}, for: 1h}
records:
  median_of_a_day: {signal: ttft, stat: p50, window: 1d}
  a_day: {signal: requests, stat: increase, window: 1d}
";

const HOUR: f64 = 60.0;

/// Minutes of 3 days and 8 hours, and from one evaluation to the next.
const MINUTES: u64 = 80 * 60;
const EVERY: u64 = 1;

pub(crate) fn trials() -> Vec<Trial> {
    let judge = || {
        settle(
            "three days",
            Case::new(SPEC, None, &fleet(), 60.0, EVERY).judge(),
        )
    };
    vec![in_ci("days::three", Needs::Promtool, judge)]
}

/// Trouble that the third day has forgotten, smaller trouble, and jobs that never come back.
fn fleet() -> Fleet {
    let calm = |hour: f64| Spell {
        load: 0.03,
        ..Spell::until(hour * HOUR)
    };
    let spells = [
        calm(3.0),
        Spell {
            errors: 0.3,
            slow: 10.0,
            ..calm(7.0)
        },
        calm(30.0),
        Spell {
            load: 0.0,
            ..calm(36.0)
        },
        Spell {
            load: 0.12,
            errors: 0.025,
            slow: 20.0,
            ..calm(42.0)
        },
        calm(60.0),
        Spell {
            load: 0.002,
            ..calm(72.0)
        },
        Spell {
            errors: 0.02,
            load: 0.06,
            ..calm(80.0)
        },
    ];
    let mut fleet = simulate(MINUTES, replicas("0.33.0"), &spells, &mut Chance::new(11));
    // One cluster's engine is not scraped any more from the first hours on, the other's from the last; one job never again.
    fleet.gone = vec![
        ("small-0", 2.1 * HOUR),
        ("large-0", 76.2 * HOUR),
        ("large-1", 76.2 * HOUR),
        ("dcgm-exporter", 4.2 * HOUR),
    ];
    fleet
}
