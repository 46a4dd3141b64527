//! URLs: parsing, redirects, and display without credentials.

use std::fmt;
use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use ureq::http::Uri;

#[derive(Clone, Debug)]
pub(super) struct Address(Uri);

/// Scheme, host and port: what belongs to one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Address {
    /// Reads an address; `None` for the name of a file.
    pub(super) fn parse(text: &str) -> Result<Option<Self>> {
        let Some((scheme, _)) = text.split_once("://") else {
            return Ok(None);
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        if !scheme.chars().all(plain) {
            return Ok(None);
        }
        let without_part = text.split('#').next().unwrap_or_default();
        let uri: Uri = without_part.parse().context("not a valid URL")?;
        let host = uri.host().unwrap_or_default();
        let authority = uri.authority().map_or("", |a| a.as_str());
        let behind = authority.rsplit(['@', ']']).next().unwrap_or_default();
        if behind.contains(':') && uri.port_u16().is_none() {
            bail!("{text}: invalid port");
        }
        match uri.scheme_str() {
            Some("http" | "https") if !host.is_empty() => Ok(Some(Self(uri))),
            _ => bail!("{scheme}:// is not supported; use an http:// or https:// URL, or a file"),
        }
    }

    pub(super) fn join(&self, location: &str) -> Result<Self> {
        if let Some(address) = Self::parse(location)? {
            return Ok(address);
        }
        let scheme = self.0.scheme_str().unwrap_or_default();
        let authority = self.0.authority().map_or("", |a| a.as_str());
        let path = self.0.path();
        let folder = path.rfind('/').map_or("/", |at| &path[..=at]);
        let joined = match location.as_bytes() {
            [b'/', b'/', ..] => format!("{scheme}:{location}"),
            [b'/', ..] => format!("{scheme}://{authority}{location}"),
            [b'?', ..] => format!("{scheme}://{authority}{path}{location}"),
            _ => format!("{scheme}://{authority}{folder}{location}"),
        };
        Self::parse(&joined)?.context("the redirect has no valid URL")
    }

    pub(super) fn origin(&self) -> Origin {
        let scheme = self.0.scheme_str().unwrap_or_default().to_owned();
        let usual = if scheme == "https" { 443 } else { 80 };
        Origin {
            host: self.0.host().unwrap_or_default().to_ascii_lowercase(),
            port: self.0.port_u16().unwrap_or(usual),
            scheme,
        }
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.0
    }
}

impl Origin {
    pub(super) fn is_encrypted(&self) -> bool {
        self.scheme == "https"
    }

    /// True for this machine itself: what is sent there passes no network.
    pub(super) fn is_here(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        let address = bare.parse::<IpAddr>();
        bare == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, host, port } = self;
        write!(f, "{scheme}://{host}:{port}")
    }
}

/// The URL without user and password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authority = self.0.authority().map_or("", |a| a.as_str());
        let server = authority
            .rsplit_once('@')
            .map_or(authority, |(_, server)| server);
        let scheme = self.0.scheme_str().unwrap_or_default();
        write!(f, "{scheme}://{server}{}", self.0.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).expect(text).expect(text)
    }

    #[test]
    fn files_are_no_addresses() {
        for text in ["-", "page.prom", "a/b", "http:", "./a://b"] {
            assert!(Address::parse(text).expect(text).is_none(), "{text}");
        }
        for text in [
            "ftp://a/b",
            "https://",
            "http:///metrics",
            "http://a b/",
            "http://a:1x/",
            "http://[::1]:/",
        ] {
            Address::parse(text).expect_err(text);
        }
    }

    #[test]
    fn redirects_lead_where_a_browser_goes() {
        let from = address("HTTP://user:secret@A.example:80/x/metrics?a=b");
        for (location, to) in [
            ("https://b.example/m", "https://b.example/m"),
            ("//b.example/m", "http://b.example/m"),
            ("/m#part", "http://A.example:80/m"),
            ("m", "http://A.example:80/x/m"),
            ("?c", "http://A.example:80/x/metrics"),
        ] {
            assert_eq!(from.join(location).expect(location).to_string(), to);
        }
        from.join("file:///etc/passwd").expect_err("no page");
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let origin = |text| address(text).origin();
        assert_eq!(
            origin("http://a.example/x"),
            origin("HTTP://A.EXAMPLE:80/y")
        );
        for other in [
            "https://a.example/",
            "http://b.example/",
            "http://a.example:81/",
        ] {
            assert_ne!(origin("http://a.example/"), origin(other));
        }
        for here in [
            "http://localhost:1/",
            "http://127.0.0.9/",
            "http://[::1]:80/",
        ] {
            assert!(origin(here).is_here(), "{here}");
        }
        for away in [
            "http://localhost.example/",
            "http://10.0.0.1/",
            "http://127.0.0.1.nip.io/",
        ] {
            assert!(!origin(away).is_here(), "{away}");
        }
    }
}
