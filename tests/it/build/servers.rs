//! Specs that select the same vLLM servers.

use crate::project::Project;

fn spec(name: &str, prometheus: &str) -> String {
    format!(
        "apiVersion: slosmith/v1\nservice: {{name: {name}, owner: {name}-team}}\nruntime: {{vllm: '>=0.30, <0.34'}}\nprometheus: {{{prometheus}}}\n\
        records: {{queue: {{signal: vllm.requests_waiting}}}}\n"
    )
}

fn built(selectors: &[(&str, &str)]) -> String {
    let project = Project::empty();
    for (name, prometheus) in selectors {
        project.write(&format!("specs/{name}.yaml"), &spec(name, prometheus));
    }
    let first = project.run(&["build"]).exits(0).err;
    // Unchanged specs are not parsed.
    let second = project.run(&["build"]).exits(0).err;
    let warnings = |text: &str| {
        let end = text.find("generated/").unwrap_or(text.len());
        text[..end].to_owned()
    };
    assert_eq!(warnings(&first), warnings(&second));
    warnings(&first)
}

#[test]
fn the_same_selector_is_reported_in_every_build() {
    let said = built(&[
        ("chat", "selector: {job: vllm}"),
        ("search", "selector: {job: vllm}"),
    ]);
    let wanted = "warning[shared-servers]: the specs of `chat` and `search` select the same vLLM servers, {job=\"vllm\"}";
    assert!(said.contains(wanted), "{said}");
    assert!(said.contains("specs/search.yaml:2:17"), "{said}");
}

#[test]
fn a_selector_that_contains_the_other_is_reported() {
    let said = built(&[
        ("chat", "selector: {job: vllm, namespace: chat}"),
        ("platform", "selector: {job: vllm}"),
        ("rest", ""),
    ]);
    assert!(
        said.contains("`chat`, `rest` and `platform` select"),
        "{said}"
    );
}

#[test]
fn servers_that_are_told_apart_are_not_reported() {
    let said = built(&[
        ("chat", "selector: {job: vllm, namespace: chat}"),
        ("search", "selector: {job: vllm, namespace: search}"),
        ("all", "selector: {job: vllm}, shared_selector: true"),
    ]);
    assert_eq!(said, "");
}

/// The selector of the servers' job selects, too.
#[test]
fn a_selector_of_the_job_tells_servers_apart() {
    let of = |namespace: &str| {
        format!("selector: {{job: vllm}}, jobs: {{vllm: {{selector: {{namespace: {namespace}}}}}}}")
    };
    let (a, b) = (of("a"), of("b"));
    assert_eq!(built(&[("chat", &a), ("search", &b)]), "");
    let same = "{job=\"vllm\", namespace=\"a\"}";
    let said = built(&[("chat", &a), ("search", &a)]);
    assert!(said.contains(same), "{said}");
}
