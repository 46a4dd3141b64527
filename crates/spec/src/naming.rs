//! Every generated name: series, groups, labels, files, anchors. Nothing else spells one.
//!
//! Series follow `level:metric:operation`. Series names hold no window, so that a dashboard outlives
//! a change of windows; it is in the [`WINDOW`] label.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use twox_hash::XxHash3_128;

use slosmith_text::diag::capital;
use slosmith_text::units::Duration;

pub const SERVICE: &str = "service";
pub const SLO: &str = "slo";
/// Label: the look-back of a recorded value.
pub const WINDOW: &str = "window";
/// Label: the burn-rate tier of an alert.
pub const TIER: &str = "tier";
/// Label: how urgent an alert is.
pub const SEVERITY: &str = "severity";
/// Label: who answers for an alert.
pub const OWNER: &str = "owner";
/// Label: the alert a baseline is recorded for.
pub const ALERT: &str = "alert";
/// Label: the expression a baseline is recorded for, as a [`key`].
pub const PART: &str = "part";

/// Labels the generated rules set themselves; no signal may be grouped by them.
pub const RESERVED_LABELS: [&str; 9] = [
    SERVICE,
    SLO,
    WINDOW,
    TIER,
    SEVERITY,
    OWNER,
    ALERT,
    PART,
    "alertname",
];

pub const BAD_EVENTS: &str = "slo:bad_events:rate";
pub const TOTAL_EVENTS: &str = "slo:total_events:rate";
/// All events of a length of time, by the labels that tell the good or the bad ones.
pub const EVENTS: &str = "slo:events:increase";
/// As many per second.
pub const EVENTS_RATE: &str = "slo:events:rate";
/// The good events of a length of time, where an SLI counts these.
pub const GOOD_EVENTS: &str = "slo:good_events:increase";
/// The bad events of a length of time, where an SLI counts these.
pub const BAD_EVENTS_INCREASE: &str = "slo:bad_events:increase";
/// All events of a length of time.
pub const ALL_EVENTS: &str = "slo:total_events:increase";
/// Bad events over all events.
pub const ERROR_RATIO: &str = "slo:error_ratio:rate";
/// Share of events that must be good.
pub const OBJECTIVE: &str = "slo:objective:ratio";
/// Share of events that may be bad.
pub const ERROR_BUDGET: &str = "slo:error_budget:ratio";
/// Share of the period's error budget that is left.
pub const BUDGET_REMAINING: &str = "slo:error_budget_remaining:ratio";
/// A value recorded for an alert that compares it with its own past.
pub const BASELINE: &str = "alert:baseline:value";

const MAX_NAME: usize = 63;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("write a name")]
    Empty,
    #[error("start the name with a letter or a digit")]
    Start,
    #[error("use only letters, digits, `-` and `_`")]
    Characters,
    #[error("use only lower-case letters, digits, `-` and `_`")]
    LowerCase,
    #[error("use a name that Windows does not reserve for a device")]
    Device,
    #[error("use at most {MAX_NAME} characters")]
    Long,
}

/// Checks a name that a spec gives to something.
///
/// Names become file names, label values and parts of series names, so they are kept to letters, digits,
/// `-` and `_`; a service and an SLO are lower-case.
pub fn check_name(name: &str, lower_case: bool) -> Result<(), NameError> {
    let first = name.chars().next().ok_or(NameError::Empty)?;
    let fits = |c: char| {
        c.is_ascii_digit()
            || matches!(c, '-' | '_')
            || c.is_ascii_lowercase()
            || (!lower_case && c.is_ascii_uppercase())
    };
    if !first.is_ascii_alphanumeric() {
        return Err(NameError::Start);
    }
    if !name.chars().all(fits) {
        return Err(match lower_case {
            true => NameError::LowerCase,
            false => NameError::Characters,
        });
    }
    if lower_case && is_device(name) {
        return Err(NameError::Device);
    }
    if name.len() > MAX_NAME {
        return Err(NameError::Long);
    }
    Ok(())
}

/// Names that Windows keeps for devices, with any ending: a repository with such a file cannot be checked
/// out there.
fn is_device(name: &str) -> bool {
    let numbered = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    matches!(name, "con" | "prn" | "aux" | "nul")
        || numbered.is_some_and(|n| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// A short name for a text, the same wherever the text stands: eight hexadecimal digits.
pub fn key(text: &str) -> String {
    format!("{:08x}", XxHash3_128::oneshot(text.as_bytes()) as u32)
}

pub fn pascal(name: &str) -> String {
    name.split(['-', '_']).map(capital).collect()
}

/// `QueueOverflow` → `queue-overflow`; `VLLMHighTTFT` → `vllm-high-ttft`.
pub fn kebab(name: &str) -> String {
    let lower = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let upper = |c: Option<char>| c.is_some_and(|c| c.is_ascii_uppercase());
    let mut out = String::with_capacity(name.len() + 8);
    let mut before = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let ends_capitals = upper(before) && chars.peek().is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && (lower(before) || ends_capitals) {
            out.push('-');
        }
        before = Some(c);
        out.push(if c == '_' {
            '-'
        } else {
            c.to_ascii_lowercase()
        });
    }
    out
}

pub fn burn_alert(slo: &str) -> String {
    format!("{}ErrorBudgetBurn", pascal(slo))
}

/// The alert of an objective on a percentile, which is now an alert of its own.
pub fn percentile_alert(slo: &str) -> String {
    format!("{}ObjectiveMissed", pascal(slo))
}

pub fn goodput(service: &str, slo: &str, what: &str) -> String {
    format!("goodput_{service}_{slo}_{what}").replace('-', "_")
}

/// The series that the rules of SLOs record.
pub const OF_SLOS: [&str; 11] = [
    ALL_EVENTS,
    BAD_EVENTS,
    BUDGET_REMAINING,
    ERROR_BUDGET,
    ERROR_RATIO,
    EVENTS,
    EVENTS_RATE,
    OBJECTIVE,
    GOOD_EVENTS,
    BAD_EVENTS_INCREASE,
    TOTAL_EVENTS,
];

/// What an SLI counts beside all events.
pub fn part_events(good: bool) -> &'static str {
    if good {
        GOOD_EVENTS
    } else {
        BAD_EVENTS_INCREASE
    }
}

/// True for a series that the rules of SLOs record.
pub fn is_of_slo(series: &str) -> bool {
    series.starts_with("slo:")
}

/// The name of the record in the name of a series.
pub fn record_of(series: &str) -> Option<&str> {
    series.strip_prefix("signal:")?.split(':').next()
}

pub fn record_series(name: &str, stat: &str) -> String {
    let name = name.replace('-', "_");
    format!("signal:{name}:{}", stat.replace('.', "_"))
}

pub fn slo_group(service: &str, slo: &str) -> String {
    format!("{service}.slo.{slo}")
}

pub fn period_group(service: &str, slo: &str) -> String {
    format!("{service}.slo.{slo}.period")
}

pub fn alert_group(service: &str) -> String {
    format!("{service}.alerts")
}

pub fn single_alert_group(service: &str, alert: &str) -> String {
    format!("{service}.alert.{}", kebab(alert))
}

pub fn record_group(service: &str) -> String {
    format!("{service}.records")
}

pub fn group_part(group: &str, part: usize) -> String {
    format!("{group}.{part}")
}

pub fn tier(long: Duration) -> String {
    long.to_string()
}

pub fn slo_file(slo: &str) -> String {
    format!("slo-{slo}")
}

/// Group of the sums that the rules over an SLO's period read.
pub fn sums_group(service: &str, slo: &str) -> String {
    format!("{service}.slo.{slo}.sums")
}

pub fn period_file(slo: &str) -> String {
    format!("slo-{slo}-period")
}

pub fn alert_file(alert: &str) -> String {
    format!("alert-{}", kebab(alert))
}

pub fn fix_anchor(fix: &str) -> String {
    format!("fix-{fix}")
}

/// Heading of an alert in its runbook, as GitHub makes it an anchor.
pub fn anchor(alert: &str) -> String {
    alert.to_ascii_lowercase()
}

/// What GitHub makes of a heading, to be linked to: small letters, no signs, dashes for blanks.
pub fn slug(heading: &str) -> String {
    let mut kept = heading.to_lowercase();
    kept.retain(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.replace(' ', "-")
}

/// Link to an alert's part of a runbook; without a runbook, to the index.
pub fn runbook_url(base: &str, runbook: Option<&str>, alert: &str) -> String {
    match runbook {
        Some(page) => format!("{}/{page}.md#{}", base.trim_end_matches('/'), anchor(alert)),
        None => format!("{}#{}", runbook_index(base), anchor(alert)),
    }
}

/// Link to the index of runbooks.
pub fn runbook_index(base: &str) -> String {
    format!("{}/README.md", base.trim_end_matches('/'))
}

/// Link that runs a query in Grafana Explore, with the data source that the provisioning file makes.
pub fn explore_url(base: &str, query: &str) -> String {
    let base = base.trim_end_matches('/');
    let mut url = format!("{base}/explore?schemaVersion=1&panes=");
    // Printing a text cannot fail.
    let query = serde_json::to_string(query).unwrap_or_default();
    let panes = [
        r#"{"a":{"datasource":"prometheus","queries":[{"refId":"A","expr":"#,
        &query,
        r#"}],"range":{"from":"now-3h","to":"now"}}}"#,
    ];
    for part in panes {
        url.extend(utf8_percent_encode(part, RESERVED));
    }
    url
}

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The dashboard that every service has; a spec may declare one of this name in its place.
pub const OVERVIEW: &str = "overview";

pub fn dashboard_url(base: &str, service: &str) -> String {
    let base = base.trim_end_matches('/');
    format!("{base}/d/{}", dashboard_uid(service, OVERVIEW))
}

pub fn scrape_job(service: &str, job: &str) -> String {
    format!("{service}/{job}")
}

pub fn targets_file(service: &str, job: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let job = job.replace(|c| !plain(c), "-");
    format!("/etc/prometheus/targets/{service}/{job}.yaml")
}

pub fn panel_url(base: &str, uid: &str, panel: u32) -> String {
    let base = base.trim_end_matches('/');
    format!("{base}/d/{uid}?viewPanel={panel}")
}

/// Grafana's `uid` of a dashboard: letters, digits, `-` and `_`, at most 40 characters. The overview has the
/// service's own name.
pub fn dashboard_uid(service: &str, dashboard: &str) -> String {
    short_uid(match dashboard {
        OVERVIEW => service.to_owned(),
        name => format!("{service}-{name}"),
    })
}

/// Grafana's `uid` of a service's folder. Folders and dashboards share one space of `uid`s: no dashboard of the service has
/// an underscore behind the service's name.
pub fn folder_uid(service: &str) -> String {
    short_uid(format!("{service}_folder"))
}

fn short_uid(name: String) -> String {
    const MAX: usize = 40;
    if name.len() <= MAX {
        return name;
    }
    // Long names keep their start and a checksum of the whole, so that two of them never meet.
    let start = &name[..name.floor_char_boundary(MAX - 9)];
    format!("{start}-{:08x}", checksum(&name) >> 32)
}

/// Name of a resource in Kubernetes: lower-case letters, digits and dashes, and none of these at its ends. A name that has
/// to be changed gets a checksum of what it was, so that two of them never meet.
pub fn resource(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let plain = plain.trim_matches('-');
    if plain == name {
        return plain.to_owned();
    }
    format!("{plain}-{:08x}", checksum(name) >> 32)
}

/// Number of a row or panel of a dashboard, made from names: it stays when others come, go or move.
pub fn panel_id(row: &str, panel: &str) -> u32 {
    let number = checksum(&format!("{row}\n{panel}")) % 1_000_000;
    u32::try_from(number + 1).unwrap_or(1)
}

/// FNV-1a.
fn checksum(text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let add = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(start, add)
}

pub fn alarm(service: &str, alert: &str) -> String {
    format!("{service}-{}", kebab(alert))
}

pub fn alarm_part(alarm: &str, part: usize) -> String {
    format!("{alarm}-part-{part}")
}

pub fn tier_alarm(service: &str, slo: &str, tier: &str) -> String {
    format!("{service}-{slo}-burn-{tier}")
}

pub fn window_alarm(service: &str, slo: &str, window: Duration, factor: &str) -> String {
    format!("{service}-{slo}-burn-{window}-{factor}x")
}

pub fn mute_rule(service: &str, window: &str) -> String {
    format!("{service}-{window}")
}

/// Name of a further rule of a window, for more alarms than one rule takes. No window has a name with a dot.
pub fn mute_rule_part(rule: &str, number: usize) -> String {
    format!("{rule}.{number}")
}

pub fn agent_log(service: &str) -> String {
    format!("/slosmith/{service}/prometheus")
}

pub fn dashboard(service: &str, dashboard: &str) -> String {
    format!("{service}-{dashboard}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_case() {
        assert_eq!(pascal("ttft-median"), "TtftMedian");
        assert_eq!(kebab("QueueOverflow"), "queue-overflow");
        assert_eq!(kebab("VLLMHighTTFT"), "vllm-high-ttft");
        assert_eq!(kebab("OOMDetected"), "oom-detected");
        assert_eq!(kebab("P95Queue_wait"), "p95-queue-wait");
    }

    #[test]
    fn names_cannot_leave_a_folder() {
        for name in ["../x", "a/b", ".", "", "-a", "a b", "ä", "a\n"] {
            assert!(check_name(name, true).is_err(), "{name}");
        }
        assert!(check_name("nul", true).is_err() && check_name("com1", true).is_err());
        assert!(check_name("console", true).is_ok() && check_name("com", true).is_ok());
        assert_eq!(check_name("A", true), Err(NameError::LowerCase));
        assert_eq!(check_name("A", false), Ok(()));
        assert_eq!(check_name(&"a".repeat(64), true), Err(NameError::Long));
    }

    #[test]
    fn resources_are_dns_names() {
        assert_eq!(resource("svc-a"), "svc-a");
        for name in ["a_b", "a-", "A", "a.b"] {
            let resource = resource(name);
            assert!(
                resource
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            );
            assert_ne!(resource, "a-b");
        }
        assert_ne!(resource("a_b"), resource("a-b"));
    }

    #[test]
    fn uids_are_short_and_distinct() {
        let long = |end: &str| dashboard_uid(&format!("{}{end}", "a".repeat(50)), OVERVIEW);
        assert_eq!(long("x").len(), 40);
        assert_ne!(long("x"), long("y"));
        // A spec with such a name is rejected, but its other mistakes are looked for.
        assert!(dashboard_uid(&"é".repeat(24), OVERVIEW).len() <= 40);
    }
}
