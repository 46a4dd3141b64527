//! `/metrics` output: from a server, a file or standard input.

mod address;
mod config;
mod http;
mod tls;

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail};

use address::Address;
pub(super) use http::{Client, HttpArgs, Reply, Unanswered, header};
use slosmith_catalog::exposition::{self, Page};
use slosmith_text::input;

const TEXT: &str = "text/plain; version=0.0.4";

/// What Prometheus 2 asks for: names without UTF-8, which some clients take for names without colons.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn is_here(host: &str) -> bool {
    let address = Address::parse(&format!("http://{host}/"));
    address.is_ok_and(|address| address.is_some_and(|address| address.origin().is_here()))
}

/// A URL without user and password.
pub(super) fn without_user(url: &str) -> String {
    match Address::parse(url) {
        Ok(Some(address)) => address.to_string(),
        _ => url.to_owned(),
    }
}

/// The text of `/metrics` output, or of another small file or URL.
pub(super) fn fetch(page: &str, args: &HttpArgs) -> Result<String> {
    if let Some(address) = Address::parse(page)? {
        return http::get(address, args, TEXT);
    }
    let bytes = match page {
        "-" => input::all(std::io::stdin(), input::PAGE),
        path => input::read_named(Path::new(path), input::PAGE),
    };
    if matches!(&bytes, Err(e) if e.kind() == ErrorKind::NotFound) {
        bail!("{page}: no such file or folder");
    }
    let name = if page == "-" { "standard input" } else { page };
    let text = bytes.and_then(input::text);
    text.with_context(|| format!("cannot read {name}"))
}

/// The same as Prometheus 2 gets it; none for a file.
pub(super) fn openmetrics(address: &str, args: &HttpArgs) -> Result<Option<Page>> {
    let Some(address) = Address::parse(address)? else {
        return Ok(None);
    };
    let text = http::get(address, args, OPENMETRICS)?;
    Ok(Some(exposition::parse(&text)))
}

/// Parsed `/metrics` output.
pub(super) fn read(address: &str, args: &HttpArgs) -> Result<Page> {
    let page = exposition::parse(&fetch(address, args)?);
    if page.families.is_empty() {
        bail!("{address}: not /metrics output: no samples found");
    }
    Ok(page)
}
