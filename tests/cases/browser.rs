//! The page for reviewers, opened in a browser.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use crate::bundled;
use crate::trial::{Needs, in_ci};

pub(crate) fn trials() -> Vec<Trial> {
    vec![in_ci(
        "browser::pages_work_in_a_browser",
        Needs::Chromium,
        pages_work_in_a_browser,
    )]
}

/// Focuses everything that can be used, and tells in the title how much there was, how much took the focus, and the colour
/// of the page.
const PROBE: &str = r"<script>
document.querySelectorAll('details').forEach((d) => { d.open = true; });
const all = [...document.querySelectorAll('a, summary, [tabindex]')];
const taken = all.filter((e) => { e.focus(); return document.activeElement === e; });
document.title = [all.length, taken.length, getComputedStyle(document.body).backgroundColor].join(' ');
console.error('probe');
</script></body>";

/// The page's title, and what was written to the console.
fn browse(page: &Path, dark: bool) -> (String, String) {
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let ran = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
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
    for page in bundled::pages(folder.path()) {
        let text = std::fs::read_to_string(&page).expect("a page");
        std::fs::write(&page, text.replace("</body>", PROBE)).expect("a page");
        let colors = [false, true].map(|dark| {
            let (title, console) = browse(&page, dark);
            let words: Vec<_> = title.splitn(3, ' ').collect();
            let [all, taken, color] = words[..] else {
                panic!("{}: {title}", page.display());
            };
            assert!(all.parse::<u32>().is_ok_and(|n| n > 10), "{title}");
            assert_eq!(all, taken, "{}: something takes no focus", page.display());
            // The probe's own line shows that the console is heard.
            assert_eq!(console.lines().count(), 1, "{console}");
            color.to_owned()
        });
        assert_ne!(colors[0], colors[1], "light and dark look alike");
    }
}
