//! The oracle can fail: a rule that is changed a little says something else than the requests.

use libtest_mimic::Trial;

use crate::chance::Chance;
use crate::fleet::{Spell, simulate};
use crate::judge::Case;
use crate::scenarios::replicas;
use crate::trial::{Needs, in_ci};

const SPEC: &str = "
apiVersion: slosmith/v1
service: {name: mutants, owner: tests}
links: {runbooks: 'https://runbooks.example', grafana: 'https://grafana.example'}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
signals:
  requests: {kind: counter, unit: requests, has_labels: [status], prometheus: {metric: mangaassist_requests_total}}
  failed: {use: requests, where: {status: {matches: '5..'}}}
  failures: {ratio: {of: failed, over: requests}}
slos:
  answers: {objective: 99%, period: 1d, sli: {ratio: {bad: failed, total: requests}}, burn: [{times: 5, long: 30m, short: 3m}]}
alerts:
  Failures: {severity: warning, when: {signal: failures, window: 10m, above: 6%}, for: 4m}
  Usual: {severity: warning, when: {signal: requests, above: {times: 1.5, of: {avg_over: 20m}}}}
";

/// What is changed, from what to what; the first must change nothing.
const MUTANTS: [(&str, &str, &str); 8] = [
    ("nothing", "", ""),
    ("window of a condition", "[10m]", "[25m]"),
    ("window of a tier", "[24m59s]", "[9m59s]"),
    ("comparison", "> 0.06", "< 0.06"),
    ("threshold", "> 0.06", "> 0.12"),
    ("burn rate", "> 0.05", "> 0.1"),
    ("holding time", "for: 4m", "for: 9m"),
    ("factor", "1.5 *", "3 *"),
];

pub(crate) fn trials() -> Vec<Trial> {
    vec![in_ci("mutants::disagree", Needs::Promtool, disagree)]
}

fn disagree() {
    let spells = [
        Spell::until(40.0),
        Spell {
            errors: 0.1,
            load: 1.5,
            ..Spell::until(80.0)
        },
        Spell::until(110.0),
    ];
    let fleet = simulate(110, replicas("0.33.0"), &spells, &mut Chance::new(1));
    for (what, from, to) in MUTANTS {
        let mut case = Case::new(SPEC, None, &fleet, 30.0, 1);
        let rules = case
            .files
            .iter_mut()
            .filter(|f| f.path.starts_with("prometheus/rules/"));
        let mut changed = 0;
        for file in rules.filter(|_| !from.is_empty()) {
            changed += file.text.matches(from).count();
            file.text = file.text.replace(from, to);
        }
        assert!(from.is_empty() || changed > 0, "{what}: no `{from}`");
        let wrong: usize = case.judge().values().map(|t| t.wrong.len()).sum();
        assert_eq!(wrong > 0, !from.is_empty(), "{what}: {wrong} disagreements");
    }
}
