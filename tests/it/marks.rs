//! Labels, annotations and owners: of the service, of a severity, of an objective and of an alert.

use slosmith::target::Target;

use crate::bundled::build_for;

const SPEC: &str = r##"apiVersion: slosmith/v1
service:
  name: shop
  owner: web
  labels: {team: web, region: eu, channel: "#shop"}
  annotations: {chat: "https://chat.example/shop"}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
severities:
  page: {name: critical, owner: on-call, labels: {route: pager, region: all}, annotations: {hours: any}}
prometheus: {group_by: [cluster], scrape_labels: [cluster]}
cloudwatch:
  region: us-east-1
  namespace: Shop
  tags: {Service: shop, team: nobody}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: shop_requests_total}, cloudwatch: {metric: Requests}}
  errors: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: shop_errors_total}, cloudwatch: {metric: Errors}}
slos:
  availability:
    objective: 99.9%
    period: 30d
    alert_name: ShopDown
    summary: "The shop fails in {{ $labels.cluster }}"
    owner: sre
    labels: {team: sre, place: "shop-{{ $labels.cluster }}"}
    sli: {ratio: {bad: errors, total: requests}}
alerts:
  ManyErrors:
    severity: critical
    when: {signal: errors, above: 5/s}
    labels: {region: "", kind: load}
    annotations:
      note: |
        In {{ $labels.cluster }} only.
        {{ $value }} a second.
"##;

/// The labels and annotations of the rule of an alert, by its first labels.
fn rule<'a>(files: &'a [slosmith::target::OutFile], path: &str, severity: &str) -> &'a str {
    let file = files.iter().find(|file| file.path.ends_with(path));
    let text = &file.expect("a file").text;
    let from = text.find(&format!("          severity: {severity}"));
    let rest = &text[from.expect("a rule")..];
    let end = rest.find("      - ").unwrap_or(rest.len());
    &rest[..end]
}

#[test]
fn the_nearer_label_wins() {
    let files = build_for(SPEC, None, Target::Prometheus);
    let page = rule(&files, "rules/slo-availability.yaml", "critical");
    for line in [
        "owner: sre",
        "team: sre",
        "region: all",
        "channel: \"#shop\"",
        "route: pager",
        "place: shop-{{ $labels.cluster }}",
        "summary: The shop fails in {{ $labels.cluster }}",
        "chat: https://chat.example/shop",
        "hours: any",
    ] {
        assert!(
            page.contains(&format!("          {line}\n")),
            "{line} in {page}"
        );
    }
    let ticket = rule(&files, "rules/slo-availability.yaml", "warning");
    assert!(
        ticket.contains("region: eu") && !ticket.contains("route:"),
        "{ticket}"
    );
    let alert = rule(&files, "rules/alerts.yaml", "critical");
    assert!(
        alert.contains("owner: on-call") && alert.contains("kind: load"),
        "{alert}"
    );
    assert!(
        !alert.contains("region:"),
        "an empty label is none: {alert}"
    );
    assert!(alert.contains("In {{ $labels.cluster }} only."), "{alert}");
}

#[test]
fn tags_of_an_alarm_are_its_labels() {
    let files = build_for(SPEC, None, Target::CloudWatch);
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path.ends_with(path));
        &file.expect("a file").text
    };
    let alarms: serde_json::Value = serde_json::from_str(text("alarms.json")).expect("JSON");
    let mut all = alarms.as_array().expect("a list").iter();
    let alarm = all.find(|alarm| alarm["AlarmName"] == "shop-availability-burn-1h");
    let tags = &alarm.expect("an alarm")["Tags"];
    let tags = tags.as_array().expect("tags").iter();
    let tags: Vec<_> = tags
        .map(|tag| {
            format!(
                "{}={}",
                tag["Key"].as_str().unwrap(),
                tag["Value"].as_str().unwrap()
            )
        })
        .collect();
    let wanted = [
        "Service=shop",
        "owner=sre",
        "region=all",
        "route=pager",
        "team=sre",
    ];
    assert_eq!(tags, wanted, "no `#`, no template");
    let merged = r#""tags": "${merge(var.tags, {\"team\" = \"sre\""#;
    assert!(
        text("main.tf.json").contains(merged),
        "{}",
        text("main.tf.json")
    );
}

#[test]
fn pages_say_whom_an_alert_belongs_to() {
    let files = build_for(SPEC, None, Target::Runbook);
    let page = &files[0].text;
    for line in [
        "- Owner: sre",
        "- Labels (critical): `team=sre, region=all, channel=#shop, route=pager, place=shop-{{ $labels.cluster }}`",
        "- Labels (warning): `team=sre, region=eu, channel=#shop, place=shop-{{ $labels.cluster }}`",
        "- `chat`: https://chat.example/shop",
    ] {
        assert!(page.contains(&format!("{line}\n")), "{line} in {page}");
    }
}
