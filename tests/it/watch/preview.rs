//! The pages of `slosmith preview --watch`, as a program asks for them.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::command::Watched;
use crate::project::{Project, spec};

/// A server, and where it is.
struct Served {
    watched: Watched,
    host: String,
}

impl Served {
    fn start(project: &Project) -> Self {
        let watched = Watched::start(project, &["preview", "--watch"]);
        let address = watched.prints();
        let host = address.strip_prefix("http://").expect("an address");
        let host = host.trim_end_matches('/').to_owned();
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        Self { watched, host }
    }

    fn ask(&self, request: &str, host: &str) -> String {
        ask(&self.host, request, host)
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}"), &self.host)
    }

    /// Changes a file, and waits until the page that was read before is out of date.
    fn after(&self, path: &str, change: impl FnOnce()) -> String {
        let before = self.get(path);
        let digest = before.split("data-digest=\"").nth(1).expect("a script");
        let digest = digest.split('"').next().expect("a digest");
        let (host, request) = (self.host.clone(), format!("GET {path}?after={digest}"));
        let waiting = std::thread::spawn(move || {
            // 204: ask again.
            let mut answers = std::iter::repeat_with(|| ask(&host, &request, &host));
            answers.find(|answer| !answer.starts_with("HTTP/1.1 204"))
        });
        change();
        let answer = waiting.join().expect("an answer").expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 205"), "{answer}");
        self.get(path)
    }
}

/// The whole answer to a request with this first line and this host.
fn ask(address: &str, request: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("connected");
    let request = format!("{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("written");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn pages_follow_the_spec() {
    let project = Project::new();
    let served = Served::start(&project);
    let first = served.get("/");
    assert!(first.starts_with("HTTP/1.1 200"), "{first}");
    // One policy, which allows the script that reloads the page and no other.
    assert!(
        first.contains("Content-Security-Policy: default-src 'none'"),
        "{first}"
    );
    assert!(
        !first.contains("http-equiv") && !first.contains("<script>"),
        "{first}"
    );
    assert!(
        served
            .get("/reload.js")
            .contains("Content-Type: text/javascript")
    );
    let page = served.after("/svc.html", || {
        project.edit("specs/svc.yaml", "owner: team", "owner: others");
    });
    assert!(page.contains("others"), "{page}");
    assert!(!project.has("preview"));
    let page = served.after("/", || project.write("specs/other.yaml", &spec("other")));
    assert!(page.contains("<a href=\"other.html\">"), "{page}");
    let page = served.after("/other.html", || project.remove("specs/other.yaml"));
    assert!(page.starts_with("HTTP/1.1 404"), "{page}");
}

#[test]
fn a_broken_spec_is_shown_until_it_is_mended() {
    let project = Project::new();
    let served = Served::start(&project);
    let page = served.after("/svc.html", || {
        project.edit(
            "specs/svc.yaml",
            "owner: team",
            "'<script>alert(1)</script>': x",
        );
    });
    assert!(page.starts_with("HTTP/1.1 500"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    assert!(!page.contains("<script>alert"), "{page}");
    served.watched.until("failed after ");
    let page = served.after("/svc.html", || {
        project.write("specs/svc.yaml", &spec("svc"))
    });
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
}

#[test]
fn only_this_machine_is_answered_and_only_pages_are_given() {
    let project = Project::new();
    let served = Served::start(&project);
    let port = served.host.rsplit(':').next().expect("a port");
    // Through a tunnel, the port is another one.
    for host in [&served.host, &format!("localhost:{port}"), "localhost:1"] {
        let answer = served.ask("GET /", host);
        assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer}");
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "",
    ] {
        let answer = served.ask("GET /", host);
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    let two = format!("{}\r\nHost: evil.example", served.host);
    assert!(served.ask("GET /", &two).starts_with("HTTP/1.1 403"));
    assert!(
        served
            .ask("POST /", &served.host)
            .starts_with("HTTP/1.1 405")
    );
    for path in [
        "/../specs/svc.yaml",
        "/%2e%2e/specs/svc.yaml",
        "/specs/svc.yaml",
        "//etc/passwd",
    ] {
        let answer = served.get(path);
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
}
