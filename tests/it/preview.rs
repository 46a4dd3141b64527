//! The page for reviewers: complete, safe, and usable without a mouse, in light and dark.

use crate::bundled;
use crate::project::Project;

#[test]
fn pages_stand_alone_and_say_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = bundled::pages(folder.path());
    assert_eq!(pages.len(), 7, "six services and the index");
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        for foreign in ["<script", "<link", "<img", "src=", "@import", "url("] {
            assert!(!text.contains(foreign), "{}: {foreign}", page.display());
        }
        let policy =
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src";
        assert!(text.contains(policy), "{}", page.display());
    }
    let text =
        std::fs::read_to_string(folder.path().join("mangaassist-vllm.html")).expect("a page");
    for words in [
        "43m12s of full outage",      // 0.1 % of 30 days
        "<td>26s</td><td>4m19s</td>", // 1h × 0.72 % ÷ 100 %, ÷ 10 %
        "p95 queue time &gt; 200ms",
        "Prefix cache hit rate",
        "target 70%",
        "viewPanel=",
        "vllm:gpu_cache_usage_perc", // what the cache usage was called before
    ] {
        assert!(text.contains(words), "{words}");
    }
}

/// The parts of a page that are shown on one of the simulated days.
fn sketches<'p>(page: &'p str, day: &str) -> Vec<&'p str> {
    let begin = format!("<div class=\"sketch {day}\">");
    let parts = page.split(begin.as_str()).skip(1);
    let end = |part: &'p str| part.split("<div class=\"sketch").next().unwrap_or(part);
    let parts = parts.map(|part| end(part).split("<details>").next().unwrap_or_default());
    parts.collect()
}

/// What matters most is first, and every part can be found by a reader of the screen.
#[test]
fn the_overview_is_first() {
    let folder = tempfile::tempdir().expect("a folder");
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        let bare = text.matches("<th>").count();
        assert_eq!(bare, 0, "{}: a header without a scope", page.display());
        assert!(text.contains("<main>"), "{}", page.display());
        let anchors = text.split("href=\"#").skip(1);
        for anchor in anchors.filter_map(|rest| rest.split('"').next()) {
            let id = format!("id=\"{anchor}\"");
            assert!(text.contains(&id), "{}: no {id}", page.display());
        }
        if page.ends_with("index.html") {
            continue;
        }
        let order = [
            "id=\"overview\"",
            ": overview</h3>",
            "id=\"objectives\"",
            "id=\"alerts\"",
            "id=\"dashboards\"",
            "id=\"metrics\"",
        ];
        let places: Vec<_> = order.iter().map(|part| text.find(part)).collect();
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{}: {places:?}",
            page.display()
        );
        assert_eq!(text.matches(": overview</h3>").count(), 1);
    }
}

/// The index has the services in the order of what fires in their incidents, with links to what fires.
#[test]
fn the_worst_service_is_first_in_the_index() {
    let folder = tempfile::tempdir().expect("a folder");
    bundled::pages(folder.path());
    let text = std::fs::read_to_string(folder.path().join("index.html")).expect("a page");
    let rows = text
        .split("<tbody>")
        .nth(1)
        .expect("rows")
        .split("<tr>")
        .skip(1);
    let paging: Vec<_> = rows
        .map(|row| row.matches("<a class=\"red\"").count())
        .collect();
    assert_eq!(paging.len(), 6);
    assert!(
        paging.is_sorted_by(|a, b| a >= b) && paging[0] > 0,
        "{paging:?}"
    );
    for link in text.split("href=\"").skip(1) {
        let link = link.split('"').next().expect("an end");
        let (page, anchor) = link.split_once('#').unwrap_or((link, ""));
        let page = std::fs::read_to_string(folder.path().join(page)).expect(link);
        assert!(
            page.contains(&format!("id=\"{anchor}\"")) || anchor.is_empty(),
            "{link}"
        );
    }
}

#[test]
fn a_healthy_day_is_well_and_in_an_incident_the_alerts_fire() {
    let folder = tempfile::tempdir().expect("a folder");
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        if page.ends_with("index.html") {
            continue;
        }
        assert!(
            text.contains("Simulated, not measured"),
            "{}",
            page.display()
        );
        let [healthy, incident] = ["healthy", "incident"].map(|day| sketches(&text, day));
        assert_eq!(healthy.len(), incident.len());
        assert!(healthy.len() > 20, "{}", healthy.len());
        for sketch in &healthy {
            for bad in [
                ">firing<",
                ">pending<",
                ">missed<",
                "burning",
                "value red",
                "value orange",
                "value yellow",
            ] {
                assert!(!sketch.contains(bad), "{}: {bad}: {sketch}", page.display());
            }
        }
        assert!(healthy.concat().contains("nothing is firing"));
        let bad = incident.concat();
        assert!(
            bad.contains(">firing<") && bad.contains("value red"),
            "{}",
            page.display()
        );
        assert!(!bad.contains("nothing is firing"));
    }
    let text = std::fs::read_to_string(folder.path().join("mangaassist-vllm.html"));
    let bad = sketches(&text.expect("a page"), "incident").concat();
    for row in [
        "<td class=\"red\">burning fast</td><td><a href=\"#slo-availability\">Availability</a></td>",
        "<td class=\"red\">firing</td><td><a href=\"#alert-QueueOverflow\">Waiting requests of the busiest replica</a></td>",
        // The SLO that burns comes before the alert on a cause; the alert says what to do.
        "<div class=\"whose\">Availability</div>\n<div class=\"value red\">burning fast</div>",
        "<div class=\"whose\">model 1 cluster 1</div>\n<div class=\"value \">44 minutes ago</div>",
        "<div class=\"whose\">Error rate</div>\n<div class=\"value \">1.3 hours</div>",
        ">open the runbook</a></div>",
        "<div class=\"whose\">started: replica 1</div>\n<div class=\"value \">50 minutes ago</div>",
    ] {
        assert!(bad.contains(row), "{row}: {bad}");
    }
}

/// An alert fires if its whole condition holds for the drawn values, for as long as it must: not because a value is beyond a threshold.
#[test]
fn conditions_decide_what_fires() {
    let project = Project::new();
    let alert = |name: &str, when: &str, hold: &str| {
        format!("  {name}: {{severity: critical, when: {when}, for: {hold}}}\n")
    };
    let running = "signal: running";
    let waiting = "{signal: queued, above: 5}";
    let alerts = [
        alert("Busy", &format!("{{{running}, above: 80}}"), "5m"),
        alert("BusyForHours", &format!("{{{running}, above: 80}}"), "2h"),
        // Running requests are not few while they are many.
        alert(
            "IdleQueue",
            &format!("{{all: [{{{running}, below: 10}}, {waiting}]}}"),
            "5m",
        ),
        alert(
            "Either",
            &format!("{{any: [{{{running}, below: 10}}, {waiting}]}}"),
            "5m",
        ),
        alert(
            "Excused",
            &format!("{{all: [{waiting}], unless: {{{running}, above: 80}}}}"),
            "5m",
        ),
        alert(
            "Grown",
            &format!("{{{running}, above: {{times: 1.2, of: {{offset: 1d}}}}}}"),
            "5m",
        ),
    ];
    let gauges = ["running", "queued"].map(|name| {
        format!(
            "  {name}: {{kind: gauge, unit: requests, across: sum, prometheus: {{metric: requests_{name}}}}}\n"
        )
    });
    project.edit(
        "specs/svc.yaml",
        "signals:\n",
        &format!("signals:\n{}", gauges.concat()),
    );
    project.edit(
        "specs/svc.yaml",
        "alerts:\n",
        &format!("alerts:\n{}", alerts.concat()),
    );
    project.run(&["preview"]).exits(0);
    let page = project.read("preview/svc.html");
    let firing = page.split("These alerts fire: ").nth(1).expect("a list");
    let firing = firing.split("</p>").next().expect("an end");
    for (alert, fires) in [
        ("Busy", true),
        ("BusyForHours", false),
        ("IdleQueue", false),
        ("Either", true),
        ("Excused", false),
        ("Grown", true),
    ] {
        let found = firing.contains(&format!("#alert-{alert}\""));
        assert_eq!(found, fires, "{alert}: {firing}");
    }
    let bad = sketches(&page, "incident").concat();
    assert!(
        bad.contains(">pending</td><td><a href=\"#alert-BusyForHours\">"),
        "{bad}"
    );
}

#[test]
fn without_data_nothing_looks_healthy() {
    let folder = tempfile::tempdir().expect("a folder");
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        if page.ends_with("index.html") {
            continue;
        }
        let silent = sketches(&text, "silent");
        assert_eq!(silent.len(), sketches(&text, "healthy").len());
        for sketch in &silent {
            // Thresholds are drawn as lines; targets are green.
            for bad in [
                "value green",
                "td class=\"green\"",
                ">ok<",
                "nothing is firing",
                "filled",
            ] {
                assert!(!sketch.contains(bad), "{}: {bad}: {sketch}", page.display());
            }
            // How long the data is missing is no state.
            let said = !sketch.contains("<div class=\"value") || sketch.contains("no data");
            assert!(
                said || sketch.contains("more than 6h ago</div>"),
                "{}: {sketch}",
                page.display()
            );
        }
        let all = silent.concat();
        for words in ["<td class=\"blue\">no data</td>", ">no data from "] {
            assert!(all.contains(words), "{}: {words}", page.display());
        }
    }
}

/// What an SLO counts as bad is rare on a healthy day, whatever the panel is called.
#[test]
fn bad_events_are_known_by_their_series() {
    let project = Project::new();
    for (name, from) in [
        ("engine", ""),
        ("inference", ""),
        ("vllm-serving", "HTTP error ratio, signal"),
    ] {
        let spec = format!("{}/specs/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let spec = std::fs::read_to_string(spec).expect("a spec");
        let spec = match from {
            "" => spec,
            title => spec.replace(title, "Share, signal"),
        };
        project.write(&format!("specs/{name}.yaml"), &spec);
    }
    project
        .run(&["preview", "specs/vllm-serving.yaml"])
        .exits(0);
    let page = project.read("preview/vllm-serving.html");
    let panel = page.split("<span>Share</span>").nth(1).expect("a panel");
    let highest = panel.split("<div class=\"y\"><span>").skip(1).take(2);
    let highest = highest.map(|rest| {
        rest.split("%</span>")
            .next()
            .and_then(|n| n.parse::<f64>().ok())
    });
    let [healthy, incident] = highest.collect::<Vec<_>>()[..] else {
        panic!("{panel:.400}");
    };
    assert!(
        healthy < Some(2.0) && incident > Some(10.0),
        "{healthy:?} {incident:?}"
    );
}

#[test]
fn lines_stay_in_their_graphs() {
    let folder = tempfile::tempdir().expect("a folder");
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        if page.ends_with("index.html") {
            continue;
        }
        let shapes = text.split("<polyline class=\"shape").skip(1);
        let points = shapes.map(|shape| {
            let points = shape.split("points=\"").nth(1).expect("points");
            points.split('"').next().expect("a quote")
        });
        let numbers: Vec<f64> = points
            .flat_map(|points| points.split([' ', ',']))
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert!(numbers.len() > 1_000);
        let out = numbers.iter().find(|n| !(0.0..=100.0).contains(*n));
        assert_eq!(out, None, "{}", page.display());
    }
}

#[test]
fn what_a_spec_says_stays_text() {
    let project = Project::new();
    project.edit("specs/svc.yaml", "owner: team", "owner: '<b>&team</b>'");
    project.run(&["preview"]).exits(0);
    let page = project.read("preview/svc.html");
    assert!(page.contains("&lt;b&gt;&amp;team&lt;"), "{page}");
}

#[test]
fn a_wrong_spec_writes_no_page() {
    let project = Project::new();
    project.edit("specs/svc.yaml", "owner: team", "ownr: team");
    project.run(&["preview"]).exits(2).says("ownr");
    assert!(!project.path("preview").exists());
}
