//! `slosmith catalog update`, with catalogs that minisign itself signed.

use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::project::Project;
use crate::server::{Answer, Server, Tls};

pub(crate) fn trials() -> Vec<Trial> {
    trials! {
        "update",
        Minisign:
            trial brings_a_release,
            trial brings_a_release_of_another_server,
            trial refuses_what_is_not_right,
            trial comes_from_a_server,
            trial the_newer_of_two_counts;
    }
}

const EMBEDDED: &str = include_str!("../../catalog/vllm/index.json");
const SGLANG: &str = include_str!("../../catalog/sglang/index.json");

/// A release that nobody has recorded yet.
const NEXT: &str = "99.0.0";

/// A spec that needs the release.
const SPEC: &str = "\
apiVersion: slosmith/v1
service: {name: svc, owner: team}
runtime: {vllm: \">=99\"}
links: {runbooks: https://git.example/runbooks, grafana: https://grafana.example}
prometheus: {selector: {job: vllm}, group_by: [model_name]}
alerts:
  Waiting: {severity: warning, when: {signal: vllm.requests_waiting, above: 80}, for: 2m}
";

/// The embedded catalog and one release more, which serves what the last one serves.
fn newer() -> String {
    edited(next)
}

fn next(index: &mut Value) {
    let releases = index["releases"].as_array_mut().expect("a list");
    let mut next = releases.last().expect("a release").clone();
    next["version"] = NEXT.into();
    releases.push(next);
    let last = releases.len() - 1;
    let families = index["families"].as_object_mut().expect("a map");
    for family in families.values_mut() {
        for runs in family["seen"].as_object_mut().expect("a map").values_mut() {
            let run = runs.as_array_mut().expect("a list").last_mut();
            let run = run.expect("a run");
            if run[1] == last - 1 {
                run[1] = last.into();
            }
        }
    }
}

fn edited(edit: impl FnOnce(&mut Value)) -> String {
    edited_of(EMBEDDED, edit)
}

fn edited_of(index: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut index = serde_json::from_str(index).expect("JSON");
    edit(&mut index);
    index.to_string()
}

/// A project that names a catalog, with a pair of keys beside it.
fn project() -> Project {
    let project = Project::new();
    project.write("slosmith.toml", "vllm_catalog = \"ours/catalog.json\"\n");
    for name in ["signer", "stranger"] {
        let (public, secret) = (format!("{name}.pub"), format!("{name}.key"));
        minisign(&project, &["-G", "-W", "-p", &public, "-s", &secret]);
    }
    project
}

fn minisign(project: &Project, arguments: &[&str]) {
    let mut command = Command::new("minisign");
    let done = command.args(arguments).current_dir(project.path(""));
    let done = done.output().expect("minisign runs");
    assert!(done.status.success(), "{done:?}");
}

/// Writes a file and its signature.
fn signed(project: &Project, file: &str, text: &str, by: &str) {
    project.write(file, text);
    let secret = format!("{by}.key");
    minisign(project, &["-S", "-W", "-s", &secret, "-m", file]);
}

const UPDATE: [&str; 5] = [
    "catalog",
    "update",
    "new.json",
    "--public-key",
    "signer.pub",
];

fn brings_a_release() {
    let project = project();
    signed(&project, "new.json", &newer(), "signer");
    // Commands that ask the catalog say what is missing, a shell's completions do not need it.
    project.run(&["completions", "bash"]).exits(0);
    project
        .run(&["catalog", "list"])
        .exits(2)
        .says("`slosmith catalog update` writes it");
    let ran = project.run(&UPDATE).exits(0);
    assert_eq!(ran.out, "ours/catalog.json: new: 99.0.0\n");
    let ran = project.run(&["catalog", "list"]).exits(0);
    assert!(ran.out.contains(NEXT), "{}", ran.out);
    let ran = project.run_in("specs", &["catalog", "list"]).exits(0);
    assert!(ran.out.contains(NEXT), "{}", ran.out);
    let ran = project.run(&UPDATE).exits(0);
    assert_eq!(ran.out, "ours/catalog.json: up to date\n");
    // The key itself does as well as its file.
    let key = project.read("signer.pub");
    let key = key.lines().nth(1).expect("a key");
    project
        .run(&["catalog", "update", "new.json", "--public-key", key])
        .exits(0);
    // A build that was right with it is made again, and not taken for unchanged, without it.
    project.write("specs/svc.yaml", SPEC);
    project.run(&["build"]).exits(0);
    project.run(&["build", "--check"]).exits(0);
    project.write("slosmith.toml", "");
    project
        .run(&["build"])
        .exits(2)
        .says("no recorded vLLM release is in");
}

fn brings_a_release_of_another_server() {
    let project = project();
    project.write("slosmith.toml", "");
    signed(&project, "new.json", &edited_of(SGLANG, next), "signer");
    let update = [&UPDATE[..], &["--product", "sglang"]].concat();
    let ran = project.run(&update).exits(2);
    ran.says("under `[product_catalogs]` in slosmith.toml");
    project.write(
        "slosmith.toml",
        "[product_catalogs]\nsglang = \"ours/sglang.json\"\n",
    );
    let ran = project.run(&update).exits(0);
    assert_eq!(ran.out, "ours/sglang.json: new: 99.0.0\n");
    let list = ["catalog", "list", "--product", "sglang"];
    let ran = project.run(&list).exits(0);
    assert!(ran.out.contains(NEXT), "{}", ran.out);
    // vLLM's catalog is none of SGLang.
    signed(&project, "new.json", &newer(), "signer");
    project
        .run(&update)
        .exits(2)
        .says("a catalog of vLLM, not of SGLang");
    project.write(
        "slosmith.toml",
        "[product_catalogs]\nsglan = \"ours/sglang.json\"\n",
    );
    project.run(&list).exits(2).says("did you mean `sglang`?");
}

/// Over https, from where a download page leads to.
fn comes_from_a_server() {
    let project = project();
    signed(&project, "new.json", &newer(), "signer");
    let pair = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a pair");
    project.write("server.pem", &pair.cert.pem());
    let tls = Tls::new(&[pair.cert.pem(), pair.signing_key.serialize_pem()], None);
    let files = ["new.json", "new.json.minisig"].map(|name| (name, project.read(name)));
    let store = Server::start(Some(tls.clone()), move |path| {
        let file = files.iter().find(|(name, _)| path.ends_with(name));
        file.map_or(Answer::Status(404), |(_, text)| Answer::page(text))
    });
    let at = |server: &Server, file| server.address().replace("metrics", file);
    let update = |url: &str, more: &[&str]| {
        let update = ["catalog", "update", url, "--public-key", "signer.pub"];
        project.run(&[&update[..], more].concat())
    };
    let trusted = ["--cacert", "server.pem"];
    let url = at(&store, "new.json");
    update(&url, &[]).exits(2).says("UnknownIssuer");
    let missing = update(&at(&store, "old.json"), &trusted);
    missing.exits(2).says("404");
    let ran = update(&url, &trusted).exits(0);
    assert_eq!(ran.out, "ours/catalog.json: new: 99.0.0\n");
    project.remove("ours/catalog.json");
    let place = url.trim_end_matches("/new.json").to_owned();
    let page = Server::start(Some(tls), move |path| {
        Answer::redirect(&format!("{place}{path}"))
    });
    let url = at(&page, "new.json");
    update(&url, &trusted).exits(2).says("on another server");
    update(&url, &[&trusted[..], &["--follow-redirects"]].concat()).exits(0);
    assert!(project.has("ours/catalog.json"));
}

fn refuses_what_is_not_right() {
    let project = project();
    let refused = |words: &str| {
        project.run(&UPDATE).exits(2).says(words);
        assert!(!project.has("ours/catalog.json"), "{words}");
    };
    refused("new.json: no such file");
    project.write("new.json", &newer());
    refused("new.json.minisig: no such file");
    signed(&project, "new.json", &newer(), "stranger");
    refused("the signature does not match this key");
    signed(&project, "new.json", &newer(), "signer");
    project.edit("new.json", "99.0.0", "99.0.1");
    refused("the signature does not match this key");
    let unknown = edited(|index| index["tomorrow"] = 1.into());
    signed(&project, "new.json", &unknown, "signer");
    refused("not a vLLM catalog, or one for another version of slosmith");
    let old = edited(|index| drop(index["releases"].as_array_mut().expect("a list").pop()));
    signed(&project, "new.json", &old, "signer");
    refused("missing releases: 0.");
    project.write("signer.pub", "no key\n");
    refused("not a minisign public key");
    project.write("slosmith.toml", "");
    refused("set `vllm_catalog = ");
}

/// A project's catalog that is older than the program's is left alone, and a broken one can be replaced.
fn the_newer_of_two_counts() {
    let project = project();
    let old = edited(|index| drop(index["releases"].as_array_mut().expect("a list").pop()));
    let listed = Project::empty().run(&["catalog", "list"]).exits(0).out;
    project.write("ours/catalog.json", &old);
    assert_eq!(project.run(&["catalog", "list"]).exits(0).out, listed);
    project.write("ours/catalog.json", "{}");
    project
        .run(&["catalog", "list"])
        .exits(2)
        .says("ours/catalog.json: not a vLLM catalog");
    signed(&project, "new.json", &newer(), "signer");
    project.run(&UPDATE).exits(0);
    // Nor does one come back that lacks what is here.
    signed(&project, "new.json", EMBEDDED, "signer");
    project
        .run(&UPDATE)
        .exits(2)
        .says("missing releases: 99.0.0");
}
