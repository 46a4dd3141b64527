//! The pages that `slosmith preview --watch` serves.

use std::collections::BTreeMap;

use slosmith_render::output::Digest;
use slosmith_render::target::OutFile;
use slosmith_text::diag::render::escape_xml;

pub(super) enum Pages {
    Right(BTreeMap<String, String>),
    Wrong(String),
}

pub(super) struct Page {
    pub(super) status: u16,
    /// HTML that reloads itself once it is out of date.
    pub(super) html: String,
    pub(super) digest: String,
}

impl Pages {
    pub(super) fn of(files: Vec<OutFile>) -> Self {
        let pages = files.into_iter();
        Self::Right(
            pages
                .map(|page| (format!("/{}", page.path), page.text))
                .collect(),
        )
    }

    pub(super) fn page(&self, path: &str) -> Page {
        let pages = match self {
            Self::Right(pages) => pages,
            Self::Wrong(why) => return Page::new(500, &document("Errors", &preformatted(why))),
        };
        if let Some(html) = pages.get(path) {
            return Page::new(200, html);
        }
        let mut all = pages.values();
        match (path, pages.get("/index.html"), all.next(), all.next()) {
            ("/", Some(html), ..) | ("/", None, Some(html), None) => Page::new(200, html),
            ("/", ..) => Page::new(200, &document("Previews", &list(pages))),
            _ => {
                let list = list(pages);
                let body = format!("<p>No spec has a preview at this address.</p>{list}");
                Page::new(404, &document("Not found", &body))
            }
        }
    }
}

impl Page {
    fn new(status: u16, html: &str) -> Self {
        let digest = Digest::of(html.as_bytes()).to_string();
        let html = html.replacen(POLICY, "", 1);
        let at = html.rfind("</body>").unwrap_or(html.len());
        let (before, after) = html.split_at(at);
        let script = format!("<script src=\"{SCRIPT_PATH}\" data-digest=\"{digest}\"></script>\n");
        Self {
            status,
            html: format!("{before}{script}{after}"),
            digest,
        }
    }
}

/// The policy of a page in a file, which has no script. A served page has the policy of [`super::serve`] alone.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n";

pub(super) const SCRIPT_PATH: &str = "/reload.js";

/// Polls for a newer page, also while the server is stopped; the server responds when there is one.
pub(super) const SCRIPT: &str = r#"const digest = document.currentScript.dataset.digest;
(async () => {
  for (;;) {
    const answer = await fetch("?after=" + digest).catch(() => null);
    if (answer && answer.status === 205) return location.reload();
    if (!answer || answer.status !== 204) await new Promise((done) => setTimeout(done, 1000));
  }
})();
"#;

fn list(pages: &BTreeMap<String, String>) -> String {
    let item = |path: &String| {
        let path = escape_xml(path);
        format!(
            "<li><a href=\"{path}\">{}</a></li>",
            path.trim_start_matches('/')
        )
    };
    let items: Vec<_> = pages.keys().map(item).collect();
    format!("<ul>{}</ul>", items.join(""))
}

fn preformatted(text: &str) -> String {
    format!("<pre>{}</pre>", escape_xml(text))
}

fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} · preview</title>\n\
        <style>:root {{ color-scheme: light dark; }} body {{ margin: 1.5rem; font: 15px/1.5 system-ui, sans-serif; }} \
        pre {{ font: 13px/1.45 ui-monospace, monospace; overflow-x: auto; }}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
        {body}\n</body>\n</html>\n"
    )
}
