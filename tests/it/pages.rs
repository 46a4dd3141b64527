//! Metrics pages of servers: https, tokens, certificates, redirects, and servers that do no good.

pub(crate) mod server;

use std::sync::OnceLock;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use server::{Answer, Server, Tls};

use crate::project::{Project, Ran};

const PAGE: &str = "# TYPE gateway_requests_total counter\ngateway_requests_total 7\n";
const TOKEN: &str = "s3cret-t0ken";
const BASIC: &str = "YW5uYTpzM2NyZXQtdDBrZW4=";

/// An authority, and what it signed, in PEM.
struct Certificates {
    authority: String,
    server: [String; 2],
    stranger: [String; 2],
    client: [String; 2],
}

fn certificates() -> &'static Certificates {
    static ALL: OnceLock<Certificates> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
        let signed = |name: &str| {
            let key = KeyPair::generate().expect("a key");
            let params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
            let certificate = params.signed_by(&key, &authority).expect("signed");
            [certificate.pem(), key.serialize_pem()]
        };
        Certificates {
            authority: authority.pem(),
            server: signed("127.0.0.1"),
            stranger: signed("other.example"),
            client: signed("client"),
        }
    })
}

/// A folder with all files that options name.
fn project() -> Project {
    let all = certificates();
    let project = Project::empty();
    project.write("ca.pem", &all.authority);
    project.write("client.pem", &all.client[0]);
    project.write("client.key", &all.client[1]);
    project.write("both.pem", &all.client.concat());
    project.write("other.key", &all.server[1]);
    project.write("token", &format!("{TOKEN}\n"));
    project
}

/// Records the page of an address.
fn record(project: &Project, address: &str, more: &[&str]) -> Ran {
    let args = ["catalog", "record", address, "--version=1", "--out=c"];
    let ran = project.run(&[&args[..], more].concat());
    let said = format!("{}{}", ran.out, ran.err);
    assert!(!said.contains(TOKEN), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    ran
}

fn https(pair: &[String; 2]) -> Server {
    let tls = Tls::new(pair, None);
    Server::start(Some(tls), |_| Answer::page(PAGE))
}

#[test]
fn a_page_is_read_over_https_from_a_server_that_is_trusted() {
    let (project, server) = (project(), https(&certificates().server));
    record(&project, &server.address(), &[])
        .exits(2)
        .says("UnknownIssuer: pass the CA certificate of the server with `--cacert`");
    record(&project, &server.address(), &["--cacert", "ca.pem"]).exits(0);
    record(&project, &server.address(), &["--insecure"]).exits(0);
    record(&project, &server.address(), &["--cacert", "token"])
        .exits(2)
        .says("token: no certificate in this file");
    let stranger = https(&certificates().stranger);
    record(&project, &stranger.address(), &["--cacert", "ca.pem"])
        .exits(2)
        .says("not valid for name");
    assert_eq!(stranger.requests().len(), 0);
}

#[test]
fn a_client_shows_its_certificate() {
    let all = certificates();
    let project = project();
    let tls = Tls::new(&all.server, Some(&all.authority));
    let server = Server::start(Some(tls), |_| Answer::page(PAGE));
    let ask = |more: &[&str]| {
        let more = [&["--cacert", "ca.pem"], more].concat();
        record(&project, &server.address(), &more)
    };
    ask(&[])
        .exits(2)
        .says("requires a client certificate; pass `--cert`");
    ask(&["--cert", "client.pem", "--key", "client.key"]).exits(0);
    ask(&["--cert", "both.pem"]).exits(0);
    for (more, words) in [
        (&["--cert", "client.pem"][..], "no private key"),
        (
            &["--cert", "client.pem", "--key", "other.key"],
            "does not match client.pem",
        ),
        (&["--cert", "client.key"], "no certificate"),
        (&["--cert", "none.pem"], "cannot read none.pem"),
    ] {
        ask(more).exits(2).says(words);
    }
}

#[test]
fn a_token_goes_to_its_server_alone_and_not_in_the_open() {
    let project = project();
    let server = https(&certificates().server);
    let token = ["--bearer-token-file", "token"];
    let more = [&token[..], &["--cacert", "ca.pem"]].concat();
    record(&project, &server.address(), &more).exits(0);
    assert!(server.requests()[0].contains(&format!("authorization: Bearer {TOKEN}\r\n")));
    let plain = Server::start(None, |_| Answer::page(PAGE));
    record(&project, &plain.address(), &token).exits(0);
    // Nobody answers at this address, and nobody is asked.
    record(&project, "http://192.0.2.1/metrics", &token)
        .exits(2)
        .says("the token would be sent to http://192.0.2.1:80 unencrypted");
    project.write("token", "two words");
    record(&project, &plain.address(), &token)
        .exits(2)
        .says("not a token");
}

#[test]
fn a_file_in_the_format_of_prometheus_has_secrets_headers_and_certificates() {
    let project = project();
    let server = https(&certificates().server);
    let file = ["--http-config", "prometheus/http.yaml"];
    let config = "
basic_auth: {username: anna, password_file: password}
tls_config: {ca_file: ../ca.pem}
http_headers: {X-Scope-OrgID: {values: [team]}}
enable_http2: true
";
    project.write("prometheus/http.yaml", config);
    project.write("prometheus/password", &format!("{TOKEN}\n"));
    record(&project, &server.address(), &file).exits(0);
    let head = &server.requests()[0];
    // `anna:` and the token, as `base64` writes them.
    assert!(
        head.contains(&format!("authorization: Basic {BASIC}\r\n")),
        "{head}"
    );
    assert!(head.contains("x-scope-orgid: team\r\n"), "{head}");
    record(&project, "http://192.0.2.1/metrics", &file)
        .exits(2)
        .says("the secrets would be sent to http://192.0.2.1:80 unencrypted");
    let bearer = "authorization: {credentials_file: password}";
    project.write("prometheus/http.yaml", bearer);
    let plain = Server::start(None, |_| Answer::page(PAGE));
    record(&project, &plain.address(), &file).exits(0);
    assert!(plain.requests()[0].contains(&format!("authorization: Bearer {TOKEN}\r\n")));
    let sigv4 = "sigv4: {region: eu-west-1, access_key: AKIDEXAMPLE, secret_key: secret}";
    project.write("prometheus/http.yaml", sigv4);
    let ran = record(&project, &plain.address(), &file);
    if cfg!(feature = "aws") {
        ran.exits(0);
        let head = plain.requests().pop().expect("a request");
        assert!(
            head.contains("/eu-west-1/aps/aws4_request, SignedHeaders="),
            "{head}"
        );
    } else {
        ran.exits(2).says("`sigv4` needs a slosmith with AWS's SDK");
    }
    let host = "http_headers: {Host: {values: [other]}}";
    project.write("prometheus/http.yaml", host);
    record(&project, &plain.address(), &file)
        .exits(2)
        .says("`host` cannot be set");
    let two = "basic_auth: {username: anna}\nauthorization: {credentials: x}";
    project.write("prometheus/http.yaml", two);
    record(&project, &plain.address(), &file)
        .exits(2)
        .says("expected only one of `basic_auth`, `authorization` and `sigv4`");
    project.write("prometheus/http.yaml", "authorization: {type: Bearer}");
    record(&project, &plain.address(), &file)
        .exits(2)
        .says("`authorization` has no credentials");
    project.write("prometheus/http.yaml", "basic_auth:\n  user: anna\n");
    record(&project, &plain.address(), &file)
        .exits(2)
        .says("prometheus/http.yaml:2:3");
}

#[test]
fn redirects_to_other_servers_are_asked_for() {
    let project = project();
    let other = Server::start(None, |_| Answer::page(PAGE));
    let to = other.address();
    let server = Server::start(None, move |path| match path {
        "/metrics" => Answer::redirect("/moved"),
        "/moved" => Answer::redirect(&to),
        _ => Answer::redirect("/round"),
    });
    let ask = |path: &str, more: &[&str]| {
        let address = server.address().replace("/metrics", path);
        let more = [&["--bearer-token-file", "token"], more].concat();
        record(&project, &address, &more)
    };
    ask("/metrics", &[]).exits(2).says("on another server");
    assert_eq!(other.requests().len(), 0);
    ask("/metrics", &["--follow-redirects"]).exits(0);
    assert!(!other.requests()[0].contains("authorization"));
    let asked = server.requests();
    assert!(
        asked
            .iter()
            .all(|request| request.contains("authorization")),
        "{asked:?}"
    );
    ask("/round", &["--follow-redirects"])
        .exits(2)
        .says("more than 5 redirects");
}

#[test]
fn a_client_certificate_is_shown_to_one_server() {
    let all = certificates();
    let project = project();
    let wants = || Tls::new(&all.server, Some(&all.authority));
    let other = Server::start(Some(wants()), |_| Answer::page(PAGE));
    let to = other.address();
    let server = Server::start(Some(wants()), move |_| Answer::redirect(&to));
    let more = [
        "--cacert",
        "ca.pem",
        "--cert",
        "both.pem",
        "--follow-redirects",
    ];
    record(&project, &server.address(), &more)
        .exits(2)
        .says("CertificateRequired");
}

#[test]
fn pages_without_end_and_packed_ones_are_refused() {
    let project = project();
    let endless = Server::start(None, |_| Answer::Endless);
    record(&project, &endless.address(), &[])
        .exits(2)
        .says("the limit of 64 MiB");
    let packed = Server::start(None, |_| Answer::page(PAGE).with("content-encoding: gzip"));
    record(&project, &packed.address(), &[])
        .exits(2)
        .says("compressed (\"gzip\")");
    let closed = Server::start(None, |_| Answer::Status(401));
    record(&project, &closed.address(), &[])
        .exits(2)
        .says("http status: 401: pass `--bearer-token-file`, `--http-config` or `--cert`");
    assert!(!project.has("c"));
}

/// `init` writes the prefix that a Prometheus has stored, and `doctor` compares it with the spec.
#[test]
fn a_prometheus_shows_the_prefix_of_its_names() {
    let names = ["num_requests_waiting", "num_requests_running", "own"]
        .map(|name| format!("\"vllm_{name}\""));
    let names = format!(
        "{{\"status\": \"success\", \"data\": [{}]}}",
        names.join(", ")
    );
    let server = Server::start(None, move |path| match path.contains("/series?") {
        true => Answer::page("{\"data\": []}"),
        false => Answer::page(&names),
    });
    let (project, address) = (Project::empty(), server.address());
    let init =
        |more: &[&str]| project.run(&[&["init", "--name", "chat", "--ci", "none"], more].concat());
    let other = Server::start(None, |_| Answer::page("{}"));
    init(&["--prometheus", &other.address()])
        .exits(2)
        .says("not the URL of a Prometheus");
    let none = Server::start(None, |_| Answer::page("{\"data\": []}"));
    init(&["--prometheus", &address])
        .exits(0)
        .says("vLLM metrics in Prometheus: `vllm_` (2 metrics)");
    let request = server.requests().swap_remove(0);
    assert!(request.contains("/metrics/api/v1/label/__name__/values?match%5B%5D=%7B__name__%3D~%22.*vllm.*%22%7D&start="), "{request}");
    let set = "      names: \"vllm_\"";
    assert!(project.read("specs/chat.yaml").contains(set));
    project.run(&["build"]).exits(0);
    project.run(&["lint", ".", "--fail-on", "info"]).exits(0);
    let doctor = |prometheus: &str| project.run(&["doctor", "--prometheus", prometheus]);
    let ran = doctor(&address);
    assert!(
        ran.out
            .contains("ok       names          Prometheus has vLLM metrics: `vllm_` (2 metrics)"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("the spec has"), "{}", ran.out);
    project.edit("specs/chat.yaml", set, "      path: /metrics");
    let ran = doctor(&address);
    assert!(
        ran.out
            .contains("chat: the spec has the prefix `vllm:`, Prometheus has `vllm_`"),
        "{}",
        ran.out
    );
    let ran = doctor(&none.address());
    assert!(
        ran.out.contains("Prometheus has no vLLM metric"),
        "{}",
        ran.out
    );
    let ran = doctor("http://127.0.0.1:1");
    assert!(ran.out.contains("problem  names"), "{}", ran.out);
}

/// `init` writes the label that separates prefill pods from decode pods.
#[test]
fn a_backtest_tells_what_the_server_answered() {
    let project = project();
    let spec = "apiVersion: slosmith/v1\nservice: {name: chat, owner: ml}\nsignals: {up: {kind: gauge, unit: bool, across: max, prometheus: {metric: up, job: chat}}}\nlinks: {runbooks: https://git.example/r, grafana: https://grafana.example}\nalerts: {Down: {severity: critical, when: {signal: up, equals: 0}, for: 5m, summary: No server answers}}\n";
    project.write("chat.yaml", spec);
    let elsewhere = || Answer::redirect("http://127.0.0.1:1/");
    type Case = (fn() -> Answer, &'static str);
    let answers: [Case; 5] = [
        (
            || Answer::Status(401),
            "HTTP status 401: pass `--bearer-token-file`, `--http-config`, `--cert` or `--header`",
        ),
        (
            || Answer::Status(404),
            "HTTP status 404: expected the URL of a Prometheus",
        ),
        (|| Answer::page("{}"), "the answer is not of a Prometheus"),
        (elsewhere, "redirects to http://127.0.0.1:1/: pass that URL"),
        (
            || Answer::page("{\"data\": {\"result\": []}}"),
            "the server has no series that the rules of `chat` read",
        ),
    ];
    for (answer, told) in answers {
        let server = Server::start(None, move |_| answer());
        let url = server.address();
        let ran = project.run(&["backtest", "chat.yaml", "--prometheus", &url, "--days", "1"]);
        ran.exits(2).says(told);
    }
}

/// `tools/live-check` has a real server.
#[test]
fn a_lint_tells_what_the_server_answered() {
    let project = project();
    let rules = "groups: [{name: a, rules: [{alert: A, expr: 'rate(http_requests_total{code=\"404\"}[5m]) > 100'}]}] # slosmith: allow(missing-series) -- rare\n";
    project.write("rules.yaml", rules);
    let offline = project.run(&["lint", "rules.yaml", "--format", "concise"]);
    offline.exits(0).says("No findings");
    let lint = |answer: fn() -> Answer| {
        let server = Server::start(None, move |_| answer());
        project.run(&["lint", "rules.yaml", "--prometheus", &server.address()])
    };
    let none = lint(|| Answer::page("{\"data\": {\"result\": []}}"));
    none.exits(0).says("the server has no series of any query");
    let scalar = lint(|| Answer::page("{\"data\": {\"result\": [1, \"0.5\"]}}"));
    let scalar = scalar.exits(0);
    assert!(scalar.out.contains("info[true-alert]"), "{}", scalar.out);
    let failed = lint(|| Answer::Status(401));
    failed.exits(2).says("HTTP status 401");
}

/// Answers to queries for times that are over are not wanted twice, if it is certain that the same server is at the URL.
#[test]
fn a_backtest_keeps_answers_of_the_same_server() {
    let project = Project::empty();
    project.write("chat.yaml", crate::backtest::SPEC);
    // From 2026-10-05T00:00:00Z.
    const ONE: &str = r#"{"data": {"result": [{"metric": {}, "values": [[1791158400, "90"], [1791158460, "90"], [1791158520, "90"]], "value": [1791158400, "90"]}]}}"#;
    let start = |began: Option<&'static str>| {
        Server::start(None, move |path| match path {
            "/api/v1/status/runtimeinfo" => match began {
                Some(time) => Answer::page(&format!("{{\"data\": {{\"startTime\": \"{time}\"}}}}")),
                None => Answer::Status(404),
            },
            _ => Answer::page(ONE),
        })
    };
    let run = |server: &Server, more: &[&str]| {
        let address = server.address();
        let address = address.strip_suffix("/metrics").unwrap();
        let mut args = vec!["backtest", "chat.yaml", "--prometheus", address];
        args.extend(["--from", "2026-10-04", "--to", "2026-10-06"]);
        if !more.contains(&"html") {
            args.extend(["--format", "json"]);
        }
        args.extend(more);
        let before = server.requests().len();
        let ran = project.run(&args).exits(0);
        let sent = server.requests().split_off(before);
        let queries = sent.iter().filter(|head| head.contains("/query"));
        (queries.count(), ran.out)
    };
    let server = start(Some("a"));
    let (count, report) = run(&server, &[]);
    assert!(count >= 2, "{count}");
    assert!(
        report.contains("\"start\": \"2026-10-05T00:02:00Z\""),
        "{report}"
    );
    let (count_again, report_again) = run(&server, &[]);
    assert_eq!(count_again, 0);
    let without_cost = |report: &str| report.split("\"queries\"").next().map(str::to_owned);
    assert_eq!(without_cost(&report_again), without_cost(&report));
    assert!(
        report_again.contains(&format!("\"kept\": {count},")),
        "{report_again}"
    );
    assert_eq!(run(&server, &["--no-cache"]).0, count);
    // Another tenant has other data.
    let other = ["--header", "X-Scope-OrgID: other"];
    assert_eq!([run(&server, &other).0, run(&server, &other).0], [count, 0]);
    for (user, sent) in [("anna", count), ("anna", 0), ("berta", count)] {
        let config = format!("basic_auth: {{username: {user}, password: same}}");
        project.write("http.yaml", &config);
        assert_eq!(
            run(&server, &["--http-config", "http.yaml"]).0,
            sent,
            "{user}"
        );
    }
    let (_, cost) = run(&server, &["--dry-run"]);
    assert!(cost.contains(&format!("\"requests\": {count},")), "{cost}");
    assert!(
        server
            .requests()
            .iter()
            .any(|head| head.starts_with("POST /api/v1/query "))
    );
    let incidents = r#"[{title: "<script>x</script>", start: "2026-10-05T00:00:00Z", end: "2026-10-05T01:00:00Z"}]"#;
    project.write("incidents.yaml", incidents);
    let args = ["--format", "html", "--incidents", "incidents.yaml"];
    let (_, page) = run(&server, &args);
    assert!(
        page.contains("<h2>QueueLong <small>critical</small></h2>"),
        "{page}"
    );
    assert!(page.contains("fires above 80"), "{page}");
    assert!(
        page.contains("&lt;script&gt;") && !page.contains("<script"),
        "{page}"
    );
    // Another server takes its place during a run.
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let swapped = Server::start(None, move |path| match path {
        "/api/v1/status/runtimeinfo" => {
            let nth = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let time = if nth < 2 { "a" } else { "b" };
            Answer::page(&format!("{{\"data\": {{\"startTime\": \"{time}\"}}}}"))
        }
        _ => Answer::page(ONE),
    });
    let address = swapped.address();
    let address = address.strip_suffix("/metrics").unwrap();
    let args = [
        "backtest",
        "chat.yaml",
        "--prometheus",
        address,
        "--from",
        "2026-10-04",
        "--to",
        "2026-10-06",
    ];
    project
        .run(&args)
        .exits(0)
        .says("its answers are no longer kept");
    let before = swapped.requests().len();
    project.run(&args).exits(0);
    let sent = swapped.requests().split_off(before);
    assert_eq!(
        sent.iter().filter(|head| head.contains("/query")).count(),
        count
    );
    // Nothing tells which server this is.
    let unknown = start(None);
    assert_eq!([run(&unknown, &[]).0, run(&unknown, &[]).0], [count; 2]);
}

#[test]
fn a_prometheus_shows_the_label_of_roles() {
    let prometheus = |labels: &'static str| {
        Server::start(None, move |path| match path.contains("/series?") {
            true => {
                assert!(path.contains("%22vllm:num_requests_running%22"), "{path}");
                Answer::page(labels)
            }
            false => Answer::page("{\"data\": [\"vllm:num_requests_running\"]}"),
        })
    };
    let two = r#"{"data": [{"pod": "prefill", "llm_d_ai_role": "prefill", "a.b": "prefill"},
        {"pod": "x", "llm_d_ai_role": "decode", "a.b": "decode"}]}"#;
    let one = r#"{"data": [{"role": "decode"}, {"role": "both"}]}"#;
    for (labels, group_by) in [
        (two, "  group_by: [model_name, llm_d_ai_role]"),
        (one, "  group_by: [model_name]  #"),
    ] {
        let (project, server) = (Project::empty(), prometheus(labels));
        let address = server.address();
        let args = [
            "init",
            "--name",
            "chat",
            "--ci",
            "none",
            "--prometheus",
            &address,
        ];
        let ran = project.run(&args).exits(0);
        let detected = "detected prefill and decode pods: label `llm_d_ai_role`";
        assert_eq!(ran.err.contains(detected), labels == two, "{}", ran.err);
        assert!(
            ran.err
                .contains("slosmith suggest --prometheus http://127.0.0.1:"),
            "{}",
            ran.err
        );
        assert!(project.read("specs/chat.yaml").contains(group_by));
        project.run(&["build"]).exits(0);
        project.run(&["lint", ".", "--fail-on", "info"]).exits(0);
    }
}

/// So does the page of `/federate`, or of a collector.
#[test]
fn a_page_of_several_pods_shows_the_label_of_roles() {
    let page = std::fs::read_to_string(crate::start::page("0.33.0")).expect("a page");
    let of = |role: &str| page.replace("{engine=", &format!("{{pod_role=\"{role}\",engine="));
    for (page, wanted) in [
        (of("prefill") + &of("decode"), Some("pod_role")),
        (of("decode"), None),
    ] {
        let project = Project::empty();
        project.write("page.prom", &page);
        let ran = project.run(&[
            "init",
            "--name",
            "chat",
            "--ci",
            "none",
            "--metrics",
            "page.prom",
        ]);
        let detected = "detected prefill and decode pods: label `pod_role`";
        assert_eq!(ran.exits(0).err.contains(detected), wanted.is_some());
        let spec = project.read("specs/chat.yaml");
        assert_eq!(
            spec.contains("group_by: [model_name, pod_role]"),
            wanted.is_some(),
            "{spec}"
        );
        project.run(&["build"]).exits(0);
    }
}

/// A page that a browser shows with a colon, and that Prometheus 2 gets without.
#[test]
fn a_server_may_serve_other_names_to_prometheus_2() {
    let page = std::fs::read_to_string(crate::start::page("0.33.0")).expect("a page");
    let underscored = page.replace("vllm:", "vllm_");
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(None, move |_| {
        match asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 2 {
            0 => Answer::page(&page),
            _ => Answer::page(&underscored),
        }
    });
    let project = Project::empty();
    let address = server.address();
    project
        .run(&[
            "init",
            "--name",
            "chat",
            "--ci",
            "none",
            "--metrics",
            &address,
        ])
        .exits(0)
        .says("Prometheus 2 stores the metrics of this server with the prefix `vllm_`");
    assert!(!project.read("specs/chat.yaml").contains("names:"));
    let accept = "accept: application/openmetrics-text";
    assert!(server.requests()[1].to_lowercase().contains(accept));
    let ran = project.run(&["doctor", "--metrics", &address]);
    assert!(
        ran.out
            .contains("Prometheus 2 gets the prefix `vllm_` from this server"),
        "{}",
        ran.out
    );
}
