//! Whose an object is: other regions, specs that are gone, tags that come late, tags of others, and answers that never come.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use slosmith::aws::Desired;

use super::command::{SPEC, Scene};
use super::library::{read, session_at};

const OF_ANOTHER: &str = "belongs to the service `chat`, applied to us-east-1";

/// The spec without actions, which exist in one region only.
fn anywhere() -> String {
    SPEC.replace(
        "  actions: {critical: [\"arn:aws:sns:us-east-1:123456789012:chat\"]}\n",
        "",
    )
}

fn names(scene: &Scene) -> Vec<String> {
    scene.server.store().dashboards.keys().cloned().collect()
}

#[test]
fn regions_have_dashboards_of_their_own() {
    let scene = Scene::new();
    scene.project.write("specs/chat.yaml", &anywhere());
    let [home, other] = ["us-east-1", "eu-west-1"].map(|region| ["--region", region]);
    let with = |args: &[&str], region: [&str; 2]| -> Vec<String> {
        let all = args.iter().copied().chain(region);
        all.map(str::to_owned).collect()
    };
    let run = |args: &[&str], region| {
        let args = with(args, region);
        scene.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    run(&["apply", "--yes"], home).exits(0);
    let first = names(&scene);
    run(&["apply", "--yes"], other).exits(0);
    assert_eq!(names(&scene).len(), 2 * first.len());
    for region in [home, other] {
        run(&["plan", "--prune"], region).exits(0);
    }
    // A spec of its own with the same service.
    let moved = anywhere().replace("region: us-east-1", "region: eu-west-1");
    scene.project.write("specs/chat.yaml", &moved);
    let before = scene.server.store().dashboards.clone();
    scene.run(&["apply", "--yes"]).exits(2);
    let plan = scene.plan(&[]);
    let message = plan["problems"][0]["message"].as_str().expect("a message");
    assert!(message.ends_with(OF_ANOTHER), "{message}");
    assert_eq!(scene.server.store().dashboards, before);
}

#[test]
fn a_service_without_a_spec_is_told_and_goes_on_request() {
    let scene = Scene::new();
    let other = SPEC.replace("name: chat", "name: search");
    scene.project.write("specs/search.yaml", &other);
    scene.run(&["apply", "--yes"]).exits(0);
    std::fs::remove_file(scene.project.path("specs/search.yaml")).expect("removed");
    scene.server.called();
    let plan = scene.run(&["plan", "--prune"]).exits(0);
    assert!(plan.out.contains("    search: 2 objects\n"), "{}", plan.out);
    // Nothing changed, so the index of tags was enough.
    let called = scene.server.called();
    assert!(
        !called.iter().any(|name| name == "ListTagsForResource"),
        "{called:?}"
    );
    scene
        .run(&["plan", "--remove-service", "chat"])
        .exits(2)
        .says("`--remove-service chat`: a spec of this service is given");
    scene
        .run(&["apply", "--yes", "--remove-service", "search"])
        .exits(0);
    let left = |name: &String| name.starts_with("search");
    assert!(!names(&scene).iter().any(left));
    assert!(!scene.server.store().alarms.keys().any(left));
    let plan = scene.run(&["plan"]).exits(0);
    assert!(!plan.out.contains("search"), "{}", plan.out);
    // Without the permission, everything else is planned.
    scene.server.store().denied = vec!["GetResources", "ListAlarmMuteRules"];
    let plan = scene.run(&["plan"]).exits(0);
    assert!(
        plan.out
            .contains("services without a spec were not searched for"),
        "{}",
        plan.out
    );
}

#[test]
fn late_tags_are_waited_for_and_tags_of_others_stay() {
    let scene = Scene::new();
    let tagged = SPEC.replace(
        "  namespace: Chat\n",
        "  namespace: Chat\n  tags: {Team: chat}\n",
    );
    scene.project.write("specs/chat.yaml", &tagged);
    scene.run(&["apply", "--yes"]).exits(0);
    // The index of tags is behind, and so are the tags themselves.
    scene.server.store().index = Some(Default::default());
    scene.server.store().late = 3;
    scene.run(&["plan", "--prune"]).exits(0);
    // Somebody adds a tag; the spec loses its own, and gets another file name.
    let tag = ("CostCentre".to_owned(), "7".to_owned());
    let alarm = "chat-queue-overflow";
    let mut store = scene.server.store();
    let tags = &mut store.alarms.get_mut(alarm).expect("applied").tags;
    tags.extend([tag.clone()]);
    drop(store);
    std::fs::remove_file(scene.project.path("specs/chat.yaml")).expect("removed");
    scene.project.write("specs/other.yaml", &tagged);
    scene.run(&["plan", "--prune"]).exits(0);
    scene.project.write("specs/other.yaml", SPEC);
    scene.run(&["apply", "--yes", "--prune"]).exits(0);
    let tags = scene.server.store().alarms[alarm].tags.clone();
    assert_eq!(tags.get(&tag.0), Some(&tag.1));
    assert!(
        !tags.contains_key("Team") && !tags.contains_key("slosmith:tags"),
        "{tags:?}"
    );
    scene.run(&["plan", "--prune"]).exits(0);
}

#[test]
fn a_mute_rule_is_known_without_tags() {
    let scene = Scene::new();
    let window = "  maintenance: {patches: {schedule: cron(0 2 * * SUN), duration: 2h, description: Patches}}\n";
    let muted = SPEC.replace(
        "  namespace: Chat\n",
        &format!("  namespace: Chat\n{window}"),
    );
    scene.project.write("specs/chat.yaml", &muted);
    scene.server.store().mutes_without_tags = true;
    scene.run(&["apply", "--yes"]).exits(0);
    scene.run(&["plan", "--prune"]).exits(0);
    scene
        .project
        .edit("specs/chat.yaml", "duration: 2h", "duration: 3h");
    scene.run(&["apply", "--yes"]).exits(0);
    let mutes = scene.server.store().mutes.clone();
    let (name, mute) = mutes.first_key_value().expect("a mute rule");
    assert_eq!(mute.fields["Rule"]["Schedule"]["Duration"], "PT3H");
    assert_eq!(
        mute.fields["Description"],
        "Patches [slosmith:service=chat]"
    );
    // One of somebody else stays, and ours goes.
    let mut theirs = mute.clone();
    theirs.fields["Description"] = "Patches".into();
    let foreign = format!("{name}-theirs");
    scene.server.store().mutes.insert(foreign.clone(), theirs);
    scene.project.write("specs/chat.yaml", SPEC);
    scene.run(&["apply", "--yes", "--prune"]).exits(0);
    let left: Vec<_> = scene.server.store().mutes.keys().cloned().collect();
    assert_eq!(left, [foreign]);
}

#[test]
fn a_new_object_is_shown_whole() {
    let scene = Scene::new();
    let text = scene.run(&["plan"]).exits(1).out;
    for field in [
        "Threshold: 80",
        "Period: 60",
        "tags.slosmith:service: \"chat\"",
        "widgets[",
    ] {
        assert!(text.contains(&format!("      {field}")), "{text}");
    }
    let plan = scene.plan(&[]);
    let all = plan["changes"].as_array().expect("changes").iter();
    let mut alarms = all.filter(|change| change["kind"] == "metric-alarm");
    let alarm = alarms.next().expect("an alarm");
    assert_eq!(alarm["after"]["fields"]["Threshold"], 80);
    assert!(alarm.get("before").is_none());
    scene.run(&["apply", "--yes"]).exits(0);
    scene
        .project
        .edit("specs/chat.yaml", "QueueOverflow", "Other");
    let plan = scene.plan(&["--prune"]);
    let mut all = plan["changes"].as_array().expect("changes").iter();
    let gone = all.find(|change| change["action"] == "delete" && change["space"] == "alarm");
    assert_eq!(
        gone.expect("a deletion")["before"]["fields"]["Threshold"],
        80
    );
}

/// A server that reads each request and answers it with this; its address, and how often it was asked.
fn answering(answer: &'static [u8]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            let mut request = [0; 4_096];
            if stream.read(&mut request).is_ok_and(|bytes| bytes > 0) {
                counter.fetch_add(1, Ordering::Relaxed);
                let _ = stream.write_all(answer);
            }
        }
    });
    (url, asked)
}

#[test]
fn a_connection_that_ends_is_tried_again_and_a_foreign_answer_is_shown() {
    let page = b"HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n<html>log in!";
    for (answer, tries, words) in [
        (&b""[..], 7, "cannot reach http://127.0.0.1:"),
        (
            page,
            1,
            "answered with status 200 and `<html>log in!`, which is no answer of AWS",
        ),
    ] {
        let (url, asked) = answering(answer);
        let error = read(&session_at(url.clone(), 200), &Desired::default());
        let error = error.expect_err("no state").to_string();
        assert!(
            error.starts_with("DescribeAlarms: ") && error.contains(words),
            "{error}"
        );
        assert!(error.contains(&url), "{error}");
        assert_eq!(asked.load(Ordering::Relaxed), tries);
    }
}
