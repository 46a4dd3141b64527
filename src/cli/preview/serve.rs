//! The server of `slosmith preview --watch`: only on the loopback interface, and only from memory, so that no URL path leads to a
//! file.

use std::io::Write;
use std::net::Ipv4Addr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Result, anyhow};
use tiny_http::{Header, Method, Request, Response};

use super::pages::{Page, Pages, SCRIPT, SCRIPT_PATH};
use crate::cli::page::is_here;
use crate::cli::terminal::Terminal;

/// Time that a browser waits for a newer page before it sends another request.
const PATIENCE: Duration = Duration::from_secs(20);

/// Pages have styles of their own, and no other scripts and requests than those of the reload.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

pub(super) struct Server {
    address: String,
    newest: Arc<Newest>,
}

#[derive(Default)]
struct Newest {
    pages: Mutex<Option<Pages>>,
    changed: Condvar,
}

impl Server {
    /// Listens at a port of 127.0.0.1, at any free one for 0.
    pub(super) fn start(port: u16) -> Result<Self> {
        let failed = |why| anyhow!("`--port {port}`: cannot listen on 127.0.0.1:{port}: {why}");
        let http = tiny_http::Server::http((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let newest = Arc::<Newest>::default();
        let server = Self {
            address: format!("http://{}/", http.server_addr()),
            newest: newest.clone(),
        };
        thread::Builder::new().spawn(move || serve(&http, &newest))?;
        Ok(server)
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn show(&self, pages: Pages) {
        *self.newest.lock() = Some(pages);
        self.newest.changed.notify_all();
    }
}

fn serve(http: &tiny_http::Server, newest: &Arc<Newest>) {
    let why = loop {
        let request = match http.recv() {
            Ok(request) => request,
            Err(why) => break why,
        };
        let newest = newest.clone();
        // Some requests wait. Without a free thread, the browser gets an error and retries.
        let _ = thread::Builder::new().spawn(move || answer(request, &newest));
    };
    let _ = writeln!(
        Terminal::stderr(),
        "error: the preview server has stopped: {why}"
    );
}

fn answer(request: Request, newest: &Newest) {
    let response = response(&request, newest);
    // The browser may have closed the connection.
    let _ = request.respond(response);
}

fn response(request: &Request, newest: &Newest) -> Response<std::io::Cursor<Vec<u8>>> {
    // Another site may use a host name that resolves to this machine; the browser then sends that name.
    let mut hosts = request.headers().iter().filter(|h| h.field.equiv("Host"));
    let is_ours = hosts
        .next()
        .is_some_and(|host| is_here(host.value.as_str()));
    if !is_ours || hosts.next().is_some() {
        return plain(
            403,
            "this server only accepts the host names localhost and 127.0.0.1\n",
        );
    }
    if !matches!(request.method(), Method::Get | Method::Head) {
        return plain(405, "only GET and HEAD are allowed\n");
    }
    let url = request.url();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    if let Some(digest) = query.strip_prefix("after=") {
        return plain(
            if newest.changes(path, digest) {
                205
            } else {
                204
            },
            "",
        );
    }
    if path == SCRIPT_PATH {
        return typed(200, SCRIPT, "text/javascript; charset=utf-8");
    }
    let page = newest.page(path);
    typed(page.status, &page.html, "text/html; charset=utf-8")
}

impl Newest {
    fn lock(&self) -> MutexGuard<'_, Option<Pages>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn page(&self, path: &str) -> Page {
        let none = |pages: &mut Option<Pages>| pages.is_none();
        let pages = self.changed.wait_while(self.lock(), none);
        let pages = pages.unwrap_or_else(PoisonError::into_inner);
        pages
            .as_ref()
            .unwrap_or(&Pages::Wrong(String::new()))
            .page(path)
    }

    /// Waits until the page at a path is another one; false when that takes too long.
    fn changes(&self, path: &str, digest: &str) -> bool {
        let same = |pages: &mut Option<Pages>| {
            pages
                .as_ref()
                .is_none_or(|pages| pages.page(path).digest == digest)
        };
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, same);
        let waited = waited.unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }
}

fn plain(status: u16, text: &str) -> Response<std::io::Cursor<Vec<u8>>> {
    typed(status, text, "text/plain; charset=utf-8")
}

fn typed(status: u16, text: &str, kind: &str) -> Response<std::io::Cursor<Vec<u8>>> {
    let headers = [
        ("Content-Type", kind),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Content-Security-Policy", POLICY),
    ];
    let response = Response::from_string(text).with_status_code(status);
    let headers = headers
        .iter()
        .filter_map(|(name, value)| Header::from_bytes(*name, *value).ok());
    headers.fold(response, Response::with_header)
}
