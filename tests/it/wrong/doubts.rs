//! Specs that contradict themselves and build: each mistake is warned of, and its mended spec is not.

const HEAD: &str = "apiVersion: slosmith/v1
service: {name: shop}
links: {runbooks: 'https://git.example/runbooks', grafana: 'https://grafana.example'}
cloudwatch: {region: us-east-1}
runtime: {vllm: '>=0.20, <0.34'}
signals:
  requests: {kind: counter, unit: requests, has_labels: [code], prometheus: {metric: shop_requests_total, job: shop}}
  failed: {use: requests, where: {code: {matches: '5..'}}}
  arrivals: {kind: counter, unit: requests, prometheus: {metric: shop_arrivals_total, job: shop}}
  share: {ratio: {of: failed, over: requests}}
  latency: {kind: histogram, unit: seconds, prometheus: {metric: shop_seconds, job: shop, buckets: [100ms, 500ms, 1s]}}
  backlog: {kind: gauge, unit: count, across: sum, prometheus: {metric: shop_jobs, job: shop}}
  queue_workers: {kind: gauge, unit: count, across: sum, prometheus: {metric: shop_queue_workers, job: shop}}
  disk: {kind: gauge, unit: ratio, across: max, prometheus: {metric: shop_disk_free, job: shop}}
  oldest: {kind: gauge, unit: seconds, across: max, cloudwatch: {namespace: AWS/SQS, metric: ApproximateAgeOfOldestMessage, dimensions: {QueueName: jobs}}}
";

fn alert(rest: &str) -> String {
    format!("{HEAD}alerts:\n  Test: {{severity: ticket, {rest}}}\n")
}

/// A spec with the mistake, the same without it, and the warning.
fn cases() -> Vec<(String, String, &'static str)> {
    let head = |from: &str, to: &str| {
        assert!(HEAD.contains(from), "{from}");
        HEAD.replace(from, to)
    };
    let right = HEAD.to_owned();
    let mut cases = Vec::new();
    let mut alerts =
        |wrong: &str, right: &str, warning| cases.push((alert(wrong), alert(right), warning));
    alerts(
        "summary: More than 500 jobs wait, when: {signal: backlog, above: 5000}",
        "summary: More than 5000 jobs wait, when: {signal: backlog, above: 5000}",
        "`More than 500`, and the condition is `> 5000`",
    );
    alerts(
        "summary: Fewer than 20 jobs are done, when: {signal: backlog, above: 20}",
        "summary: 'More than 20 jobs wait, and above 30 clients give up', when: {signal: backlog, above: 20}",
        "`Fewer than 20`, and the condition is `> 20`",
    );
    alerts(
        "summary: At more than 10 requests per minute over 3% fail, when: {signal: share, above: 5%}",
        "summary: At more than 10 requests per minute over 5% fail, when: {signal: share, above: 5%}",
        "`over 3%`, and the condition is `> 5%`",
    );
    alerts(
        "summary: 'The disk has {{ $value | humanize }}%', when: {signal: disk, above: 90%}",
        "summary: 'The disk has {{ $value | humanizePercentage }}', when: {signal: disk, above: 90%}",
        "shows `{{ $value | humanize }}%`, and the value is a share of 1",
    );
    alerts(
        "summary: 'P95 is {{ printf \"%.0f\" $value }} ms', when: {signal: latency, stat: p95, above: 500ms}",
        "summary: 'P95 is {{ $value | humanizeDuration }}', when: {signal: latency, stat: p95, above: 500ms}",
        "and the value is a number of seconds",
    );
    alerts(
        "summary: A request arrived, when: {signal: arrivals, stat: increase, window: 10m, above: 0}, for: 10m",
        "summary: A request arrived, when: {signal: arrivals, stat: increase, window: 10m, above: 0}, for: 5m",
        "one event never fires the alert: it counts for 10m, and the condition must hold for 10m",
    );
    alerts(
        "when: {signal: oldest, above: 5m}, cloudwatch: {statistic: Sum}",
        "when: {signal: oldest, above: 5m}, cloudwatch: {statistic: Average}",
        "`Sum` adds all samples of a period",
    );
    alerts(
        "when: {signal: oldest, above: 5m}, cloudwatch: {statistic: Minimum}",
        "when: {signal: oldest, above: 5m}, cloudwatch: {statistic: Maximum}",
        "`above` on `Minimum` holds only if all samples of a period are above the threshold",
    );
    alerts(
        "summary: Nothing was taken for 26 hours, when: {signal: oldest, above: 26m}",
        "summary: Nothing was taken for 26 hours, when: {signal: oldest, above: 26h}",
        "`for 26 hours`, and the condition is `> 26m`",
    );
    alerts(
        "summary: Over 5% of requests fail, when: {signal: share, above: 0.05%}",
        "summary: Over 5% of requests fail for 10 minutes, when: {signal: share, above: 5%}, for: 10m",
        "`Over 5%`, and the condition is `> 0.05%`",
    );
    alerts(
        "summary: The p99 is high, when: {signal: latency, stat: p95, above: 500ms}",
        "summary: The p99 is high, when: {signal: latency, stat: p99, above: 500ms}",
        "`The p99 is high` names the p99, and the value is the p95",
    );
    alerts(
        "when: {all: [{signal: share, above: 5%}, {signal: requests, stat: increase, window: 5m, at_most: 100}]}",
        "when: {all: [{signal: share, above: 5%}, {signal: requests, stat: increase, window: 5m, at_least: 100}]}",
        "holds only with little traffic: `requests` is the denominator",
    );
    alerts(
        "when: {any: [{signal: share, above: 5%}, {signal: requests, stat: increase, window: 5m, at_least: 100}]}",
        "when: {any: [{signal: share, above: 5%}, {signal: requests, stat: rate, window: 5m, above: 100/s}]}",
        "holds with any normal traffic: `requests` is the denominator",
    );
    alerts(
        "when: {signal: backlog, below: 50}",
        "when: {all: [{signal: backlog, below: 50}, {signal: requests, stat: rate, above: 1/s}]}",
        "fires while `backlog` is 0",
    );
    alerts(
        "when: {signal: backlog, below: 5}",
        "when: {signal: queue_workers, below: 5}",
        "fires while `backlog` is 0",
    );
    alerts(
        "when: {signal: disk, below: 10%}",
        "when: {signal: disk, across: min, below: 10%}",
        "`below` on `disk` holds only for all replicas together",
    );
    let two = |runbook: &str| {
        let other =
            "  Other: {severity: ticket, when: {signal: share, above: 5%}, runbook: queue-lags}\n";
        alert(&format!(
            "when: {{signal: backlog, above: 9}}, runbook: {runbook}"
        )) + other
    };
    cases.push((
        two("queue-lag"),
        two("queue-lags"),
        "`queue-lags` is a runbook of its own, one letter away from the runbook `queue-lag`",
    ));
    let slo = "slos:\n  fast: {title: TITLE, objective: 95%, period: 30d, sli: {latency: {signal: SIGNAL, at_most: 500ms}}}\n";
    let slo = |title: &str, signal: &str| {
        HEAD.to_owned() + &slo.replace("TITLE", title).replace("SIGNAL", signal)
    };
    cases.push((
        slo("p99 below 500 ms", "latency"),
        slo("p95 below 500 ms", "latency"),
        "`p99 below 500 ms` names the p99, and the value is the p95",
    ));
    cases.push((
        slo("Time to first token", "vllm.e2e_request_latency"),
        slo("Time to first token", "vllm.time_to_first_token"),
        "is the title of `vllm.time_to_first_token`, which is not read here",
    ));
    let panel = "dashboards: {d: {title: D, rows: [{title: R, panels: [{title: p99 latency, signal: latency, stat: STAT}]}]}}\n";
    let panel = |stat: &str| HEAD.to_owned() + &panel.replace("STAT", stat);
    cases.push((
        panel("p95"),
        panel("[p50, p99]"),
        "`p99 latency` names the p99, and the value is the p95",
    ));
    let mut heads =
        |from: &str, to: &str, warning| cases.push((head(from, to), right.clone(), warning));
    heads(
        "shop_disk_free, job: shop",
        "shop_disk_free, job: shoop",
        "unknown-name",
    );
    heads(
        "shop_arrivals_total",
        "shop_request_total",
        "`shop_request_total` and `shop_requests_total` differ in one letter",
    );
    heads(
        "prometheus: {metric: shop_disk_free",
        "scale: 1%, prometheus: {metric: shop_free_ratio",
        "a value of 1 of `shop_free_ratio` is 100%",
    );
    heads(
        "ApproximateAgeOfOldestMessage",
        "ApproximateAgeOfOldestMesage",
        "`AWS/SQS` has no metric `ApproximateAgeOfOldestMesage`",
    );
    heads(
        "{QueueName: jobs}",
        "{Queue: jobs}",
        "`AWS/SQS` has no dimension `Queue`",
    );
    heads(
        "{QueueName: jobs}",
        "{QueueName: 'arn:aws:sqs:us-east-1:1:jobs'}",
        "no `QueueName` in `AWS/SQS` has the value",
    );
    heads(
        ", dimensions: {QueueName: jobs}",
        "",
        "`AWS/SQS` has no metric without dimensions",
    );
    heads("AWS/SQS", "AWS/Sqs", "AWS has no namespace `AWS/Sqs`");
    let lambda = |metric: &str, function: &str| {
        format!(
            "  {metric}: {{kind: counter, unit: requests, cloudwatch: {{namespace: AWS/Lambda, metric: {metric}, dimensions: {{FunctionName: {function}}}}}}}\n"
        )
    };
    let calls = |function: &str| {
        HEAD.to_owned()
            + &lambda("Errors", "shop")
            + &lambda("Invocations", function)
            + "slos: {calls: {objective: 99%, period: 30d, sli: {ratio: {bad: Errors, total: Invocations}}}}\n"
    };
    cases.push((
        calls("chat"),
        calls("shop"),
        "`bad` has the dimension `FunctionName: shop`, and `total` has `FunctionName: chat`",
    ));
    let used = |across: &str| {
        HEAD.to_owned()
            + "  used: {kind: gauge, unit: count, across: sum, prometheus: {metric: shop_pool_used}}\n"
            + &format!(
                "  size: {{kind: gauge, unit: count, across: {across}, prometheus: {{metric: shop_pool_size}}}}\n"
            )
            + "  full: {ratio: {of: used, over: size}}\n"
    };
    cases.push((
        used("max"),
        used("sum"),
        "`used` has `across: sum`, and `size` has `across: max`",
    ));
    let hosts = |more: &str| {
        format!(
            "{HEAD}  hosts: {{kind: gauge, unit: count, across: min, cloudwatch: {{namespace: AWS/ApplicationELB, metric: HealthyHostCount, dimensions: {{LoadBalancer: app/a/1{more}}}}}}}\n"
        )
    };
    cases.push((
        hosts(""),
        hosts(", TargetGroup: targetgroup/a/1"),
        "`HealthyHostCount` does not exist without the dimension `TargetGroup`",
    ));
    let actions = |actions: &str| {
        head(
            "us-east-1}",
            &format!("us-east-1, actions: {{{actions}}}}}"),
        ) + "alerts:\n  Old: {severity: page, when: {signal: oldest, above: 5m}}\n  Late: {severity: ticket, when: {signal: oldest, above: 2m}}\n"
    };
    let arn = "['arn:aws:sns:us-east-1:123456789012:t']";
    cases.push((
        actions(&format!("warning: {arn}")),
        actions(&format!("warning: {arn}, critical: []")),
        "alarms of the severity `critical` have no action",
    ));
    let topics = |critical: &str, warning: &str| {
        let arn = |topic: &str| format!("['arn:aws:sns:us-east-1:123456789012:{topic}']");
        actions(&format!(
            "critical: {}, warning: {}",
            arn(critical),
            arn(warning)
        ))
    };
    cases.push((
        topics("pager", "shop-pager"),
        topics("shop-pager", "shop-tickets"),
        "alarms of the severity `warning` are tickets, and the action is `shop-pager`",
    ));
    cases
}

/// The same of SLOs and of more alerts: the rest of an SLO or of an alert.
fn parts() -> Vec<(String, String, &'static str)> {
    let slo = |rest: &str| {
        let slow = "  late: {use: requests, where: {code: '504'}}\n  done: {use: requests, where: {code: {not: '500'}}}\n  fine: {use: requests, where: {code: {not_matches: '5..'}}}\n  refused: {use: requests, where: {code: {matches: '[45]..'}}}\n  elsewhere: {kind: counter, unit: requests, prometheus: {metric: shop_broken_total, job: till}}\n  broken: {kind: counter, unit: requests, prometheus: {metric: shop_broken_total, job: shop}}\n";
        format!("{HEAD}{slow}slos:\n  test: {{objective: 99%, period: 30d, {rest}}}\n")
    };
    let ratio = |sides: &str| slo(&format!("sli: {{ratio: {{{sides}}}}}"));
    let latency = |text: &str| {
        slo(&format!(
            "{text}, sli: {{latency: {{signal: latency, at_most: 500ms}}}}"
        ))
    };
    let query = |bad: &str, total: &str| {
        let side = |matchers: &str| {
            format!("'sum(rate(shop_requests_total{{job=\"shop\"{matchers}}}[$window]))'")
        };
        let (bad, total) = (side(bad), side(total));
        slo(&format!(
            "group_by: [], sli: {{promql: {{bad: {bad}, total: {total}}}}}"
        ))
        .replace("has_labels: [code]", "has_labels: [code, route]")
    };
    let bad = ", code=~\"5..\"";
    let sides_of = |word: &str, part: &str, total: &str| {
        let side = |part: &str, le: &str| {
            format!("'sum(rate(shop_seconds_{part}{{job=\"shop\"{le}}}[$window]))'")
        };
        let (part, total) = (side(part, ", le=\"0.5\""), side(total, ""));
        slo(&format!(
            "group_by: [], sli: {{promql: {{{word}: {part}, total: {total}}}}}"
        ))
    };
    let over = "alerts:\n  Over: {severity: page, when: {signal: backlog, above: 50}}\n";
    let steps = |to: &str| {
        let steps = "[{id: a, ask: Is it full?, cause: It is full., else: TO}, {id: b, ask: Is it slow?, cause: It is slow., else: c}, \
            {id: c, ask: Is it down?, cause: It is down.}]"
            .replace("TO", to);
        alert("when: {signal: disk, above: 90%}, runbook: disk")
            + &format!("runbooks:\n  disk: {{title: Disk, steps: {steps}}}\n")
    };
    let alarm = |missing: &str| {
        let signal = "  sent: {kind: counter, unit: requests, cloudwatch: {namespace: AWS/SQS, metric: NumberOfMessagesSent, dimensions: {QueueName: jobs}}}\n";
        let actions = HEAD.replace("{region: us-east-1}", "{region: us-east-1, actions: {warning: ['arn:aws:sns:us-east-1:123456789012:tickets']}}");
        format!(
            "{actions}{signal}alerts:\n  Idle: {{severity: ticket, when: {{signal: sent, stat: increase, window: 5m, below: 100}}, cloudwatch: {{missing: {missing}}}}}\n"
        )
    };
    let age = |promql: &str| {
        let signal =
            format!("  age: {{kind: gauge, unit: seconds, prometheus: {{promql: '{promql}'}}}}\n");
        let alert = "alerts:\n  Old: {severity: page, when: {signal: age, above: 26h}}\n";
        format!("{HEAD}{signal}{alert}")
    };
    let budget = |series: &str| {
        let query = format!("max({series}{{service=\"other\", slo=\"test\"}})");
        alert(&format!(
            "summary: Low, when: {{promql: '{query}', unit: ratio, below: 10%}}"
        ))
    };
    let goodput = |objective: &str| {
        let slos = "slos:\n  first: {objective: 99%, period: 28d, sli: {latency: {signal: vllm.time_to_first_token, at_most: 2.5s}}}\n  \
            tpot: {objective: 99%, period: 28d, sli: {latency: {signal: vllm.request_time_per_output_token, at_most: 50ms}}}\n";
        format!(
            "{HEAD}{slos}  all: {{objective: {objective}, period: 28d, sli: {{goodput: {{of: [first, tpot]}}}}}}\n"
        )
    };
    let latencies = |whole: &str| {
        format!(
            "{HEAD}slos:\n  first: {{objective: 99%, period: 28d, sli: {{latency: {{signal: vllm.time_to_first_token, at_most: 2.5s}}}}}}\n  \
             whole: {{objective: 99%, period: 28d, sli: {{latency: {{signal: vllm.e2e_request_latency, at_most: {whole}}}}}}}\n"
        )
    };
    let panel = |at: &str| {
        let board = "dashboards:\n  main: {rows: [{title: A, panels: [{signal: latency, stat: p95, thresholds: [{at: AT, role: alert}]}]}]}\n";
        alert("when: {signal: latency, stat: p95, above: 500ms}") + &board.replace("AT", at)
    };
    vec![
        (
            latency("description: 99% of requests are answered within 300 ms."),
            latency("description: 99% of requests are answered within 500 ms. Users leave after 3 s."),
            "the text has `within 300 ms`, and the SLO has `500ms`",
        ),
        (
            ratio("bad: failed, total: requests").replace("sli:", "description: 99% over 7 days, sli:"),
            ratio("bad: failed, total: requests").replace("sli:", "description: 99% over 30 days, sli:"),
            "the text has `over 7 days`, and the SLO has `30d`",
        ),
        (
            slo("description: At most 100 jobs wait, sli: {time: {signal: backlog, at_most: 1000}}"),
            slo("description: At most 1000 jobs wait, sli: {time: {signal: backlog, at_most: 1000}}"),
            "the text has `At most 100`, and the SLO has `1000`",
        ),
        (
            format!("{HEAD}severities: {{page: warning, ticket: critical}}\n"),
            format!("{HEAD}severities: {{page: critical, ticket: warning}}\n"),
            "alerts that page have the severity `warning`, and tickets have `critical`",
        ),
        (
            format!("{HEAD}records: {{latency_p95: {{signal: latency, stat: p99}}}}\n"),
            format!("{HEAD}records: {{latency_p95: {{signal: latency, stat: p95}}}}\n"),
            "`latency_p95` names the p95, and the value is the p99",
        ),
        (
            query("", "").replace("bad: 'sum(rate(", "bad: 'sum(increase("),
            query(bad, ""),
            "`bad` is read with `increase`, and `total` with `rate`",
        ),
        (
            query(bad, "").replacen("[$window]", "[$window] offset 1h", 1),
            query(bad, ""),
            "`bad` and `total` are read at different times",
        ),
        (
            slo("group_by: [], sli: {promql: {error_ratio: '100 * sum(rate(shop_bad_total[$window])) / sum(rate(shop_requests_total[$window]))'}}"),
            slo("group_by: [], sli: {promql: {error_ratio: 'sum(rate(shop_bad_total[$window])) / sum(rate(shop_requests_total[$window]))'}}"),
            "the query returns a percentage, which is read as a share of 1",
        ),
        (
            alert("when: {signal: requests, stat: increase, window: 10m, equals: 0}"),
            alert("when: {signal: requests, stat: increase, window: 10m, above: 5}"),
            "`requests` has the label `code`, so it usually has no series until its first event, also after a restart: `equals: 0` does not hold then",
        ),
        (
            alert("summary: Bad, when: {promql: '(sum by (job) (rate(shop_requests_total[5m])) or vector(0)) == 0'}"),
            alert("summary: Bad, when: {promql: '(sum(rate(shop_requests_total[5m])) or vector(0)) == 0'}"),
            "`(sum by (job) (rate(shop_requests_total[5m])) or vector(0)) == 0` is always true for `vector(0)`: `or` adds it beside each group of the other side",
        ),
        (
            alert("when: {signal: backlog, above: 50}, summary: 'Waiting: {{ $value | humanizeDuration }}'"),
            alert("when: {signal: backlog, above: 50}, summary: 'Waiting: {{ $value | humanize }}'"),
            "the text shows `{{ $value | humanizeDuration }}`, and the value is a number",
        ),
        (
            format!("{HEAD}records: {{errors: {{signal: failed}}}}\n") + &alert("summary: Bad, when: {promql: 'sum(signal:error:rate) > 1'}")[HEAD.len()..],
            format!("{HEAD}records: {{errors: {{signal: failed}}}}\n") + &alert("summary: Bad, when: {promql: 'sum(signal:errors:rate) > 1'}")[HEAD.len()..],
            "the spec has no record `error`",
        ),
        (
            alarm("notBreaching"),
            alarm("breaching"),
            "missing data does not count as below the threshold, and a counter in CloudWatch has no data while there are no events",
        ),
        (
            age("max(shop_last_success_timestamp_seconds)"),
            age("time() - max(shop_last_success_timestamp_seconds)"),
            "`shop_last_success_timestamp_seconds` is a point in time, and is read as a duration",
        ),
        (
            budget("slo:error_budget_remaning:ratio"),
            budget("slo:error_budget_remaining:ratio"),
            "no SLO has the series `slo:error_budget_remaning:ratio`",
        ),
        (
            goodput("99.9%"),
            goodput("98%"),
            "the objective 99.9% is above 99% of `first`: a request within all thresholds is within this one",
        ),
        (
            sides_of("bad", "bucket", "count"),
            sides_of("good", "bucket", "count"),
            "`bad` counts the events up to a bucket boundary, and slower ones are not in it",
        ),
        (
            sides_of("good", "bucket", "sum"),
            sides_of("good", "bucket", "count"),
            "`total` adds up the values of the events, and does not count them",
        ),
        (
            slo("sli: {time: {signal: backlog, above: 50}}") + over,
            slo("sli: {time: {signal: backlog, at_most: 50}}") + over,
            "the SLO counts time as good while the alert `Over` is true",
        ),
        (
            steps("c"),
            steps("b"),
            "no step leads to the step `b`",
        ),
        (
            HEAD.replace("https://grafana.example", "https://grafana.example/d/abc/shop"),
            HEAD.to_owned(),
            "`https://grafana.example/d/abc/shop` is the URL of a dashboard: the build appends paths to it",
        ),
        (
            latencies("1s"),
            latencies("5s"),
            "`first` is met whenever `whole` is: its latency is a part of the other one, and its threshold is not lower",
        ),
        (
            panel("5s"),
            panel("500ms"),
            "the panel has the threshold 5s of an alert, and the alert on this value has 500ms",
        ),
        (
            latency("title: 99.9% below 500 ms"),
            latency("title: 99% below 500 ms over 30 days"),
            "the text has `99.9%`, and the SLO has `99%`",
        ),
        (
            ratio("bad: elsewhere, total: requests"),
            ratio("bad: broken, total: requests"),
            "`bad` is counted by the job `till`, and `total` by the job `shop`",
        ),
        (
            ratio("bad: {signal: failed, where: {route: /a}}, total: requests")
                .replace("has_labels: [code]", "has_labels: [code, route]"),
            ratio(
                "bad: {signal: failed, where: {route: /a}}, total: {signal: requests, where: {route: /a}}",
            )
            .replace("has_labels: [code]", "has_labels: [code, route]"),
            "only `bad` selects values of `route`",
        ),
        (
            ratio("good: done, total: requests"),
            ratio("good: fine, total: requests"),
            "`good` also selects failures, by `code`",
        ),
        (
            slo("title: Server errors, sli: {ratio: {bad: refused, total: requests}}"),
            slo("title: Server errors, sli: {ratio: {bad: failed, total: requests}}"),
            "the text is about server errors, and `code` is `[45]..`",
        ),
        (
            query("", bad),
            query(bad, ""),
            "`total` counts only some of the events of `bad`",
        ),
        (
            query(", route=\"/a\", code=~\"5..\"", ""),
            query(", route=\"/a\", code=~\"5..\"", ", route=\"/a\""),
            "only `bad` selects values of `route`",
        ),
        (
            query(", code!~\"5..\"", ""),
            query(bad, ""),
            "`bad` selects successes: `code` is not `5..`",
        ),
        (
            query(", code=\"5..\"", ""),
            query(bad, ""),
            "`code=\"5..\"` compares with this text itself",
        ),
        (
            alert("summary: Over 50 jobs wait on a server, when: {signal: backlog, above: 50}"),
            alert("summary: Over 50 jobs wait on a server, when: {signal: backlog, by: [instance], above: 50}"),
            "the summary is about one server, and the value of `backlog` is the sum of all",
        ),
        (
            alert("summary: Older than 5 minutes, when: {signal: oldest, above: 5s}, for: 5m"),
            alert("summary: Less than 10% of 40 disks are used for 5 minutes, when: {signal: disk, above: 90%}, for: 5m"),
            "the summary has `Older than 5 minutes`, and the condition is `> 5s`",
        ),
        (
            alert("summary: The 95th percentile is high, when: {signal: latency, stat: p50, above: 500ms}"),
            alert("summary: The 95th percentile is high, when: {signal: latency, stat: p95, above: 500ms}"),
            "names the p95, and the value is the p50",
        ),
        (
            alert("summary: Disk, when: {promql: '100 * max(shop_disk_free)', unit: ratio, above: 90%}"),
            alert("summary: Disk, when: {promql: 'max(shop_disk_free)', unit: ratio, above: 90%}"),
            "the query returns a percentage, which is read as a share of 1",
        ),
        (
            alert("when: {signal: requests, stat: rate, below: {times: 0.5, of: {offset: 7d}}}") + "  Other: {severity: ticket, when: {signal: backlog, above: 9, unless: {signal: requests, stat: rate, below: 5/s}}}\n",
            alert("when: {signal: requests, stat: rate, below: {times: 0.5, of: {offset: 7d}}}") + "  Other: {severity: ticket, when: {signal: backlog, above: 9, unless: {signal: requests, stat: rate, above: 0/s}}}\n",
            "`below` does not hold then, and holds for a series that begins at 0 and is younger than 5m",
        ),
        (
            alert("when: {signal: requests, absent: true}"),
            alert("when: {signal: backlog, absent: true}"),
            "`requests` has the label `code`, so it usually has no series until its first event",
        ),
        (
            HEAD.replace("{kind: gauge, unit: seconds, across: max, cloudwatch", "{kind: gauge, unit: seconds, across: sum, cloudwatch"),
            HEAD.to_owned(),
            "`across: sum` adds values in `seconds`, which do not add up",
        ),
    ]
}

/// The same of alerts, runbooks, tiers, load tests and CloudWatch.
fn several() -> Vec<(String, String, &'static str)> {
    let pages = |high: &str, full: &str| {
        format!(
            "{HEAD}alerts:\n  High: {{severity: {high}, when: {{signal: disk, above: 80%}}, for: 10m}}\n  \
             Full: {{severity: {full}, when: {{signal: disk, above: 95%}}, for: 5m}}\n"
        )
    };
    let linked = |link: &str| {
        format!(
            "{HEAD}alerts:\n  High: {{severity: page, when: {{signal: disk, above: 80%}}, runbook: {link}}}\n  \
             Long: {{severity: page, when: {{signal: backlog, above: 80}}, runbook: queue}}\n\
             runbooks:\n  queue: {{title: Queue, steps: [{{id: a, alert: Long, cause: load}}]}}\n  \
             disk: {{title: Disk, steps: [{{id: b, alert: High, cause: logs}}]}}\n"
        )
    };
    let tiers = |fast: &str, slow: &str| {
        format!(
            "{HEAD}slos:\n  calls: {{objective: 99%, period: 30d, sli: {{ratio: {{bad: failed, total: requests}}}}, burn: [{{consumes: 2%, long: 1h, severity: {fast}}}, {{consumes: 5%, long: 6h, severity: {slow}}}]}}\n"
        )
    };
    let outside = |label: &str| {
        alert(&format!(
            "summary: Bad, when: {{promql: 'sum by ({label}) (rate(shop_arrivals_total{{job=\"shop\"}}[5m])) > 3'}}"
        )) + "prometheus: {scrape_labels: [zone], external_labels: [region]}\n"
    };
    let step = |op: &str| {
        alert("when: {signal: disk, above: 90%}, runbook: disk")
            + &format!(
                "runbooks:\n  disk: {{title: Disk, steps: [{{id: full, when: {{signal: disk, across: max, {op}: 90%}}, cause: The disk is full.}}]}}\n"
            )
    };
    let factors = |slow: &str| {
        tiers("page", "page")
            .replace("consumes: 2%", "times: 14.4")
            .replace("consumes: 5%", &format!("times: {slow}"))
    };
    let balancer = |class: &str| {
        let binding = |metric: &str| {
            format!(
                "cloudwatch: {{namespace: AWS/ApplicationELB, metric: {metric}, dimensions: {{LoadBalancer: app/a/1}}}}"
            )
        };
        let (bad, calls) = (
            binding(&format!("HTTPCode_Target_{class}_Count")),
            binding("RequestCount"),
        );
        format!(
            "{HEAD}  target_5xx: {{kind: counter, unit: requests, {bad}}}\n  calls: {{kind: counter, unit: requests, {calls}}}\n\
             slos: {{calls: {{description: Answers without a server error., objective: 99%, period: 30d, sli: {{ratio: {{bad: target_5xx, total: calls}}}}}}}}\n"
        )
    };
    vec![
        (
            pages("page", "ticket"),
            pages("ticket", "page"),
            "`High` (critical) fires at less than `Full` (warning) on the same value",
        ),
        (
            linked("queue"),
            linked("disk"),
            "`High` links to the runbook `queue`, and its steps are in `disk`",
        ),
        (
            tiers("ticket", "page"),
            tiers("page", "ticket"),
            "the tier over 6h pages at a burn rate of 6, and the one over 1h only opens a ticket",
        ),
        (
            outside("region"),
            outside("zone"),
            "`region` is an external label: the rules see no series with it",
        ),
        (
            balancer("4XX"),
            balancer("5XX"),
            "`HTTPCode_Target_4XX_Count` counts those of clients",
        ),
        (
            balancer("4XX"),
            balancer("5XX"),
            "`target_5xx` has `5xx` in its name, and `HTTPCode_Target_4XX_Count` counts `4xx`",
        ),
        (
            alert("summary: Full for 30 minutes, when: {signal: disk, above: 90%}, for: 10m"),
            alert("summary: Full for 30 minutes, when: {signal: disk, above: 90%}, for: 30m"),
            "the summary has `for 30 minutes`, and the alert has `for: 10m`",
        ),
        (
            alert(
                "summary: Disk above 90% for 12 minutes, when: {signal: disk, above: 90%}, for: 2m",
            ),
            alert(
                "summary: Disk above 90% for 12 minutes, when: {signal: disk, above: 90%}, for: 12m",
            ),
            "the summary has `for 12 minutes`, and the alert has `for: 2m`",
        ),
        (
            alert(
                "summary: Idle for 10 minutes, when: {promql: 'sum(rate(shop_requests_total[5m])) == 0'}, for: 2m",
            ),
            alert(
                "summary: Idle for 10 minutes, when: {promql: 'sum(rate(shop_requests_total[10m])) == 0'}, for: 2m",
            ),
            "the summary has `for 10 minutes`, and the alert has `for: 2m`",
        ),
        (
            step("below"),
            step("above"),
            "the step is true while `Test` is not: both compare with the same threshold",
        ),
        (
            factors("14.4"),
            factors("6"),
            "the tier over 6h has a burn rate of 14.4, and the one over 1h already fires at 14.4",
        ),
        (
            alert(
                "summary: The total of jobs is above 50, when: {signal: backlog, across: max, above: 50}",
            ),
            alert("summary: The total of jobs is above 50, when: {signal: backlog, above: 50}"),
            "the summary is about a total, and `backlog` has `across: max`",
        ),
        (
            alert(
                "summary: Errors above 5/s, when: {promql: 'sum(rate(shop_requests_total{status=\"500\"}[5m]))', above: 5}",
            ),
            alert(
                "summary: Errors above 5/s, when: {promql: 'sum(rate(shop_requests_total{code=\"500\"}[5m]))', above: 5}",
            ),
            "`shop_requests_total` has no label `status`",
        ),
        (
            alert("summary: More than 5 jobs wait, when: {promql: 'max(shop_jobs)', above: 50}"),
            alert("summary: More than 5 jobs wait, when: {promql: 'max(shop_jobs)', above: 5}"),
            "the summary has `More than 5`, and the condition is `> 50`",
        ),
    ]
}

#[test]
fn a_spec_that_contradicts_itself_is_warned_of() {
    let temp = tempfile::tempdir().expect("a folder");
    let warned = |spec: &str| super::warnings(temp.path(), spec);
    for (wrong, right, warning) in [cases(), parts(), several()].concat() {
        let said = warned(&wrong);
        assert!(
            said.iter().any(|line| line.contains(warning)),
            "no `{warning}` in {said:?} of\n{wrong}"
        );
        assert_eq!(warned(&right), Vec::<String>::new(), "{right}");
    }
}

/// Ordinary specs that only look as if they contradicted themselves.
#[test]
fn what_only_looks_wrong_is_not_warned_of() {
    let temp = tempfile::tempdir().expect("a folder");
    let traffic = "  late: {use: requests, where: {code: '504'}}\n  late_share: {ratio: {of: late, over: requests}}\n  \
        used: {kind: gauge, unit: bytes, across: sum, prometheus: {metric: container_memory_working_set_bytes, job: cadvisor}}\n  \
        most: {kind: gauge, unit: bytes, across: sum, prometheus: {metric: kube_pod_container_resource_limits, job: ksm}}\n  \
        memory: {ratio: {of: used, over: most}}\n  \
        posts: {use: requests, where: {method: POST}}\n  post_share: {ratio: {of: posts, over: requests}}\n";
    let traffic =
        format!("{HEAD}{traffic}").replace("has_labels: [code]", "has_labels: [code, method]");
    let panel = |title: &str, stat: &str| {
        format!(
            "{HEAD}dashboards:\n  main: {{rows: [{{title: A, panels: [{{title: '{title}', signal: latency, stat: {stat}}}]}}]}}\n"
        )
    };
    for spec in [
        traffic,
        format!(
            "{HEAD}slos:\n  ready: {{description: '100% of the disk is shared.', objective: 99%, period: 30d, sli: {{time: {{signal: disk, at_least: 95%}}}}}}\n"
        ),
        format!(
            "{HEAD}slos:\n  ready: {{title: At least 95% of the disk, objective: 99%, period: 30d, sli: {{time: {{signal: disk, at_least: 95%}}}}}}\n"
        ),
        alert("summary: Bad, when: {promql: 'sum(signal:error:rate{service=\"other\"}) > 1'}")
            + "records: {errors: {signal: failed}}\n",
        // A day may lack the events that three days have.
        format!(
            "{HEAD}slos:\n  calls: {{objective: 99%, period: 30d, min_events: 20, sli: {{ratio: {{bad: failed, total: requests}}}}, burn: [{{ratio: 5%, long: 1d, severity: page}}, {{ratio: 5%, long: 3d, severity: page}}]}}\n"
        ),
        alert("summary: 'More than 50,000 jobs wait', when: {signal: backlog, above: 50000}"),
        alert("summary: More than 50 thousand jobs wait, when: {signal: backlog, above: 50000}"),
        alert("summary: Less than 25% of the budget for 30 days, when: {signal: disk, below: 25%, across: min}"),
        alert("summary: More than 50 kW, when: {signal: power, above: 50kW}").replacen(
            "signals:\n",
            "signals:\n  power: {kind: gauge, unit: watts, across: sum, prometheus: {metric: gpu_power_watts, job: dcgm}}\n",
            1,
        ),
        alert(
            "summary: More than 600 requests per minute, when: {signal: requests, stat: rate, above: 10/s}",
        ),
        alert("summary: More than 3 of 4 workers are busy, when: {signal: backlog, above: 50}"),
        panel("Latency (promise: p99 below 500 ms)", "p95"),
        panel("Latency (p99)", "p99"),
        alert(
            "summary: No success for 26 hours, when: {promql: 'time() - max(shop_last) > 93600'}",
        ),
        alert(
            "summary: Errors, when: {promql: 'sum(rate(shop_requests_total{namespace=\"shop\"}[5m])) > 5'}",
        ),
    ] {
        assert_eq!(
            super::warnings(temp.path(), &spec),
            Vec::<String>::new(),
            "{spec}"
        );
    }
    let wrong = super::warnings(temp.path(), &panel("Latency (p99)", "p95"));
    assert!(
        wrong.iter().any(|line| line.contains("names the p99")),
        "{wrong:?}"
    );
}

/// The number, the share and the state of all, of a gauge that is declared with each `across`.
#[test]
fn a_gauge_of_states_is_counted_in_each_way() {
    let temp = tempfile::tempdir().expect("a folder");
    for across in ["sum", "avg", "min", "max"] {
        let ready = format!(
            "  ready: {{kind: gauge, unit: bool, across: {across}, prometheus: {{metric: shop_ready, job: shop}}}}\n"
        );
        let alerts = "alerts:\n  Few: {severity: page, when: {signal: ready, across: sum, below: 10}}\n  \
            Share: {severity: ticket, when: {signal: ready, across: avg, below: 90%}}\n  \
            One: {severity: ticket, when: {signal: ready, across: min, equals: 0}}\n";
        let spec = format!("{HEAD}{ready}{alerts}");
        assert_eq!(super::warnings(temp.path(), &spec), Vec::<String>::new());
    }
}
