//! Runbooks: every link of an alert leads to a heading, and pages agree with alerts.

use std::collections::BTreeSet;

use slosmith::plan::Plan;
use slosmith::target::{OutFile, Target};

use crate::bundled::{plan, rendered, text as read};

fn pages(plan: &Plan) -> Vec<OutFile> {
    rendered(plan, Target::Runbook).files
}

/// Headings of a page as GitHub makes anchors of them.
pub(crate) fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c })
            .collect::<String>()
    };
    headings.map(slug).collect()
}

#[test]
fn every_link_of_every_alert_leads_to_a_heading() {
    for spec in crate::bundled::SPECS {
        let plan = plan(&read(&format!("specs/{spec}.yaml")));
        let files = pages(&plan);
        let alerts = plan.alerts.iter().map(|alert| &alert.links.runbook);
        let slos = plan.slos.iter();
        let slos = slos.filter(|slo| !slo.events.tiers.is_empty());
        for url in alerts.chain(slos.map(|slo| &slo.links.runbook)) {
            let (_, page) = url.rsplit_once('/').expect("a page");
            let (page, anchor) = page.split_once('#').expect("an anchor");
            let path = format!("runbooks/{page}");
            let file = files.iter().find(|file| file.path == path);
            let text = &file.unwrap_or_else(|| panic!("{spec}: no {path}")).text;
            assert!(
                anchors(text).contains(anchor),
                "{spec}: {path} has no #{anchor}"
            );
        }
    }
}

/// A step that names an alert asks with its bounds.
#[test]
fn a_changed_alert_changes_its_runbook() {
    let text = read("specs/vllm-serving.yaml");
    let changed = text.replace(
        "stat: p95, window: 5m, above: 2s}\n    for: 10m",
        "stat: p95, window: 5m, above: 4s}\n    for: 25m",
    );
    assert_ne!(text, changed);
    let page = |spec: &str| {
        let files = pages(&plan(spec));
        let file = files
            .iter()
            .find(|file| file.path == "runbooks/queueing.md");
        file.expect("a page").text.clone()
    };
    let (before, after) = (page(&text), page(&changed));
    assert!(before.contains("> 2s for 10m") && !before.contains("> 4s"));
    assert!(after.contains("> 4s for 25m") && !after.contains("> 2s"));
    let asked = "Yes if p95 queue time > 4s";
    assert!(after.contains(asked), "{after}");
}

#[test]
fn what_a_family_was_called_before_is_told() {
    let files = pages(&plan(&read("specs/vllm-production.yaml")));
    let page = files
        .iter()
        .find(|f| f.path == "runbooks/kv-cache-thrashing.md")
        .expect("a page");
    assert!(
        page.text.contains("`vllm:gpu_cache_usage_perc`"),
        "{}",
        page.text
    );
}

/// Without any runbook of its own, a spec still gets pages that its links lead to.
#[test]
fn links_of_unwritten_runbooks_resolve_too() {
    let spec = "apiVersion: slosmith/v1\nservice: {name: s}\nruntime: {vllm: \">=0.20, <0.34\"}\n\
        links: {runbooks: \"https://r.example\", grafana: \"https://g.example\"}\n\
        prometheus: {selector: {job: vllm}}\nalerts:\n  \
        Queue: {severity: critical, when: {signal: vllm.requests_waiting, above: 80}, runbook: queue}\n  \
        Cache: {severity: critical, when: {signal: vllm.kv_cache_usage, above: 95%}}\n";
    let files = pages(&plan(spec));
    let heading = |path: &str, anchor: &str| {
        let file = files.iter().find(|file| file.path == path).expect("a page");
        assert!(anchors(&file.text).contains(anchor), "{}", file.text);
    };
    heading("runbooks/queue.md", "queue");
    heading("runbooks/README.md", "cache");
}

/// A runbook that is elsewhere is linked to as it is written; the index says where to read.
#[test]
fn runbooks_elsewhere_are_linked_to() {
    let url = "https://wiki.example/ops/Queue_(vLLM)#too-long";
    let spec = format!(
        "apiVersion: slosmith/v1\nservice: {{name: s}}\nruntime: {{vllm: \">=0.20, <0.34\"}}\n\
        links: {{runbooks: \"https://r.example\", grafana: \"https://g.example\"}}\n\
        prometheus: {{selector: {{job: vllm}}}}\nslos:\n  \
        ttft: {{objective: 99%, period: 30d, sli: {{latency: {{signal: vllm.time_to_first_token, at_most: 2.5s}}}}, runbook: \"{url}\"}}\n\
        alerts:\n  \
        Queue: {{severity: critical, when: {{signal: vllm.requests_waiting, above: 80}}, runbook: \"{url}\"}}\n\
        dashboards: {{main: {{rows: [{{title: Queue, panels: [{{signal: vllm.requests_waiting, runbook: \"{url}\"}}]}}]}}}}\n"
    );
    let plan = plan(&spec);
    let rendered = |target| rendered(&plan, target).files;
    let count = |files: &[OutFile], path: &str, what: &str| -> usize {
        let files = files.iter().filter(|file| file.path.contains(path));
        files.map(|file| file.text.matches(what).count()).sum()
    };
    let link = format!("runbook_url: {url}\n");
    let rules = rendered(Target::Prometheus);
    assert_eq!(
        count(&rules, "/rules/", &link),
        5,
        "four tiers and an alert"
    );
    let pages = rendered(Target::Runbook);
    assert_eq!(pages.len(), 1);
    assert_eq!(
        count(&pages, "README.md", &format!(" · [Runbook](<{url}>)")),
        2
    );
    assert!(count(&rendered(Target::Grafana), "main.json", url) > 0);
}

/// The links of alerts lead to the top of a page, and what is long comes last.
#[test]
fn alerts_come_first() {
    let files = pages(&plan(&read("specs/vllm-serving.yaml")));
    let page = files.iter().find(|f| f.path == "runbooks/http-errors.md");
    let page = &page.expect("a page").text;
    let order = [
        "## Alerts\n",
        "**Do first:**",
        "[Dashboard panel](",
        "- Severity:",
        "## Find the cause\n",
        "## Fixes\n",
        "## Escalation\n",
        "## Meaning\n",
        "## Symptoms\n",
        "## Alert details\n",
        "## Commands\n",
        "<details><summary>Steps as a chart</summary>\n",
        "Generated by slosmith",
        "\n\n[run-1]: https://",
    ];
    let places: Vec<_> = order.iter().map(|part| page.find(part)).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{page}"
    );
    // Both windows of a tier decide.
    assert!(
        page.contains("  slo=\"availability\",\n  window=~\"1h|5m\",\n}"),
        "{page}"
    );
    assert!(
        page.contains("| 6h | warning | \\> 2.8% of scrapes | 5.6 | 6h | 30m | 5% of 28d in 6h |")
    );
}

/// A phone shows about 46 columns of code: a longer line has no place where it can be broken. No line of text is a long link.
#[test]
fn lines_fit_a_phone() {
    for spec in crate::bundled::SPECS {
        for file in pages(&plan(&read(&format!("specs/{spec}.yaml")))) {
            let mut language = None;
            for line in file.text.lines().filter(|_| file.path.ends_with(".md")) {
                language = match (line.strip_prefix("```"), language) {
                    (Some(_), Some(_)) => None,
                    (Some(found), None) => Some(found),
                    (None, language) => language,
                };
                let width = line.chars().count();
                let words = line.trim().trim_end_matches(" \\");
                let whole = match language {
                    None => !line.contains("/explore?") || line.starts_with("[run-"),
                    Some("sh") => width <= 46 || !words.contains(' ') || words.contains('\''),
                    // The printer keeps the labels of an aggregation in one line.
                    Some("promql") => width <= 46 || !words.contains(' ') || words.ends_with(" ("),
                    Some(_) => true,
                };
                assert!(whole, "{}: {width} columns: {line}", file.path);
            }
        }
    }
}

/// Arithmetic on the pages adds up.
#[test]
fn examples_are_computed() {
    let plan = plan(&read("specs/vllm-production.yaml"));
    let result = |name: &str| {
        let mut formulas = plan.runbooks.advice.iter().flat_map(|a| &a.formulas);
        let formula = formulas.find(|f| f.name == name);
        formula.expect("a formula").result.clone()
    };
    assert_eq!(
        result("cached_tokens_before_0_24"),
        (85_000 * 16).to_string()
    );
    assert_eq!(
        result("max_sequences"),
        (1_360_000 * 85 / 100 / 2_048).to_string()
    );
}

/// As HTML, every table is a table, every block of code is closed, and every link inside the folder leads to an id.
#[test]
fn pages_render() {
    use pulldown_cmark::{Event, Options as Extensions, Parser, Tag};
    for spec in crate::bundled::SPECS {
        for file in pages(&plan(&read(&format!("specs/{spec}.yaml")))) {
            if !file.path.ends_with(".md") {
                continue;
            }
            let extensions = Extensions::ENABLE_TABLES | Extensions::ENABLE_TASKLISTS;
            let (mut text, mut headings) = (String::new(), 0);
            for event in Parser::new_ext(&file.text, extensions) {
                match event {
                    Event::Start(Tag::Heading { .. }) => headings += 1,
                    Event::Text(words) => text.push_str(&words),
                    _ => {}
                }
            }
            let mut html = String::new();
            pulldown_cmark::html::push_html(&mut html, Parser::new_ext(&file.text, extensions));
            assert_eq!(
                headings,
                html.matches("<h").count() - html.matches("<hr").count(),
                "{}",
                file.path
            );
            for left in ["|---", "```", "](#", "**"] {
                assert!(!text.contains(left), "{}: {left} is left over", file.path);
            }
            assert_eq!(html.matches("<h1").count(), 1, "{}", file.path);
        }
    }
}
