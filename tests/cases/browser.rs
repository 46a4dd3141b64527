//! The page for reviewers, opened in a browser.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use crate::bundled;
use crate::command::Watched;
use crate::project::Project;

pub(crate) fn trials() -> Vec<Trial> {
    trials! {
        "browser",
        Chromium:
            in_ci pages_work_in_a_browser,
            in_ci watched_pages_reload;
    }
}

/// Focuses everything that can be used, and tells in the title how much there was, how much took the focus, whether the days can be
/// switched, whether graphs are at least 140 pixels high and nothing is wider than the window, the number of columns of tiles, and
/// the colour of the page.
const PROBE: &str = r"<script>
document.querySelectorAll('details').forEach((d) => { d.open = true; });
const shown = (day) => [...document.querySelectorAll('.sketch.' + day)].filter((e) => e.offsetParent).length;
const days = () => [shown('healthy') > 0, shown('incident') > 0];
const first = days();
document.querySelector('#day-incident').click();
const switched = String([first, days()]) === 'true,false,false,true';
const all = [...document.querySelectorAll('a, input, summary, [tabindex]')].filter((e) => e.checkVisibility());
const taken = all.filter((e) => { e.focus(); return document.activeElement === e; });
const graphs = [...document.querySelectorAll('.graph')].filter((e) => e.checkVisibility());
const high = graphs.length > 0 && graphs.every((e) => e.offsetHeight >= 140);
const fits = document.documentElement.scrollWidth <= innerWidth;
const columns = new Set([...document.querySelectorAll('.panel.small')].map((e) => e.offsetLeft)).size;
document.title = [all.length, taken.length, switched, high && fits, columns, getComputedStyle(document.body).backgroundColor].join(' ');
console.error('probe');
</script></body>";

/// The page's title, and what was written to the console.
fn browse(page: &Path, dark: bool, width: u32) -> (String, String) {
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let ran = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .arg(format!("--window-size={width},1000"))
        .args([&scheme, "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("a browser");
    let dom = String::from_utf8_lossy(&ran.stdout).into_owned();
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    (
        title.unwrap_or_default().to_owned(),
        console.collect::<Vec<_>>().join("\n"),
    )
}

fn pages_work_in_a_browser() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = bundled::pages(folder.path());
    // The index has no days to switch.
    for page in pages.iter().filter(|page| !page.ends_with("index.html")) {
        let text = std::fs::read_to_string(page).expect("a page");
        // As it is, nothing of it breaks its own policy.
        assert_eq!(browse(page, false, 1440).1, "", "{}", page.display());
        let probed = text.replacen(
            "default-src 'none'",
            "default-src 'none'; script-src 'unsafe-inline'",
            1,
        );
        std::fs::write(page, probed.replace("</body>", PROBE)).expect("a page");
        // A desk in light, a phone in dark.
        let colors = [(false, 1440, 3..=8), (true, 390, 2..=2)].map(|(dark, width, tiles)| {
            let (title, console) = browse(page, dark, width);
            let words: Vec<_> = title.splitn(6, ' ').collect();
            let [all, taken, switched, readable, columns, color] = words[..] else {
                panic!("{}: {title}", page.display());
            };
            assert!(all.parse::<u32>().is_ok_and(|n| n > 10), "{title}");
            assert_eq!(all, taken, "{}: something takes no focus", page.display());
            assert_eq!(switched, "true", "{}: one day at a time", page.display());
            assert_eq!(readable, "true", "{}: small or wide", page.display());
            let columns: u32 = columns.parse().expect("a number");
            assert!(tiles.contains(&columns), "{}: {columns}", page.display());
            // The probe's own line shows that the console is heard.
            assert_eq!(console.lines().count(), 1, "{console}");
            color.to_owned()
        });
        assert_ne!(colors[0], colors[1], "light and dark look alike");
    }
}

/// Says on the console whose page it is, each time that it is loaded: the policy of the page keeps the picture away.
const TELL: &str = "<img src=\"/probe-<{ owner }>\"></body>";

/// The browser is started once, and nobody tells it to load anything again.
fn watched_pages_reload() {
    let project = Project::new();
    let page = include_str!("../../templates/preview/page.html");
    project.write("ours/preview/page.html", &page.replace("</body>", TELL));
    project.edit("specs/svc.yaml", "owner: team", "owner: owner-first");
    let args = ["preview", "--watch", "--templates", "ours"];
    let served = Watched::start(&project, &args);
    let address = served.prints();
    let data = format!("--user-data-dir={}", project.path("browser").display());
    let browser = Watched::run(
        Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-port=0"])
            .args(["--enable-logging=stderr", &data, &address]),
    );
    browser.until("probe-owner-first");
    project.edit("specs/svc.yaml", "owner-first", "owner-second");
    browser.until("probe-owner-second");
    // Also from the page of errors.
    project.edit("specs/svc.yaml", "owner:", "ownr:");
    served.until("failed after ");
    project.edit("specs/svc.yaml", "ownr: owner-second", "owner: owner-third");
    browser.until("probe-owner-third");
}
