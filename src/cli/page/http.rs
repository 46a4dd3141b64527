//! HTTP requests.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use ureq::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout, time};
use ureq::{Agent, Body};

use super::address::{Address, Origin};
use super::config::HttpConfig;
use super::tls::{self, TlsArgs};
use slosmith_text::input;

/// Time limit for a response, including redirects.
const PATIENCE: Duration = Duration::from_secs(30);

/// More redirects than any server needs.
const REDIRECTS: usize = 5;

/// Options of HTTP requests.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for http:// and https:// URLs")]
pub(in crate::cli) struct HttpArgs {
    /// File with a token to send as `Authorization: Bearer`. The token is never sent to another server after a redirect, and
    /// over plain http only to this machine
    #[arg(long, value_name = "FILE")]
    bearer_token_file: Option<PathBuf>,
    /// File in the format of Prometheus's `http_config`: `basic_auth`, `authorization`, `tls_config`, `http_headers`, and `sigv4`
    #[arg(long, value_name = "FILE", value_parser = HttpConfig::read, conflicts_with = "bearer_token_file")]
    http_config: Option<HttpConfig>,
    #[command(flatten)]
    tls: TlsArgs,
    /// Follow redirects to another scheme, host or port; token and certificate are not sent
    #[arg(long)]
    follow_redirects: bool,
}

pub(super) fn get(first: Address, args: &HttpArgs, accept: &str) -> Result<String> {
    let secrets = args.secrets(&first.origin())?;
    let until = Instant::now() + PATIENCE;
    let (mut at, mut trusted) = (first.clone(), true);
    for _ in 0..=REDIRECTS {
        let request = Request {
            address: &at,
            args,
            accept,
            secrets: if trusted { &secrets } else { &[] },
            trusted,
            patience: until.saturating_duration_since(Instant::now()),
        };
        let answer = request.send()?;
        let Some(location) = location(&answer) else {
            return text(answer).with_context(|| format!("cannot fetch {at}"));
        };
        let next = at.join(&location);
        let next = next.with_context(|| format!("{at}: invalid redirect to {location:?}"))?;
        trusted &= next.origin() == first.origin();
        let follows = args
            .http_config
            .as_ref()
            .is_some_and(HttpConfig::follows_redirects);
        if !(trusted || args.follow_redirects || follows) {
            bail!(
                "{at} redirects to {next} on another server: use that URL, or pass `--follow-redirects`"
            );
        }
        at = next;
    }
    bail!("{first}: more than {REDIRECTS} redirects")
}

/// Most bytes of an answer to a query.
const ANSWER: u64 = 512 << 20;

/// Headers that the request itself decides.
const OWN: [&str; 5] = [
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
];

/// Headers with secrets.
const SECRET: [&str; 2] = ["authorization", "cookie"];

/// A header for requests.
pub(in crate::cli) fn header(name: &str, value: &str) -> Result<(String, String), String> {
    let known: HeaderName = name
        .parse()
        .map_err(|_| format!("`{name}` is not a name of a header"))?;
    if OWN.contains(&known.as_str()) {
        return Err(format!("`{known}` cannot be set"));
    }
    if HeaderValue::from_str(value).is_err() {
        return Err(format!("the value of `{known}` has control characters"));
    }
    Ok((known.to_string(), value.to_owned()))
}

/// What a server answered.
pub(in crate::cli) struct Reply {
    pub(in crate::cli) status: u16,
    /// Seconds to wait before the next request.
    pub(in crate::cli) retry_after: Option<u64>,
    pub(in crate::cli) body: Vec<u8>,
}

impl Reply {
    pub(in crate::cli) fn ok(body: Vec<u8>) -> Self {
        Self {
            status: 200,
            retry_after: None,
            body,
        }
    }
}

/// Why there is no answer.
pub(in crate::cli) enum Unanswered {
    /// The time is over, or the answer is too long.
    Late(String),
    /// The connection ended before the answer did.
    Cut(String),
    /// There is no connection.
    Lost(String),
    Never(String),
}

/// A server that is sent forms. Connections stay open; redirects are not followed.
pub(in crate::cli) struct Client<'a> {
    url: String,
    origin: Origin,
    headers: &'a [(String, String)],
    args: &'a HttpArgs,
    agent: Agent,
}

impl<'a> Client<'a> {
    pub(in crate::cli) fn new(
        url: &str,
        headers: &'a [(String, String)],
        args: &'a HttpArgs,
    ) -> Result<Self> {
        let address = Address::parse(url)?;
        let address = address.ok_or_else(|| anyhow!("`{url}` is not a URL"))?;
        let is_secret = |(name, _): &&(String, String)| SECRET.contains(&name.as_str());
        if let Some((name, _)) = headers.iter().find(is_secret) {
            args.check_safe(&address.origin(), &format!("--header {name}"), "secret")?;
        }
        Ok(Self {
            url: url.trim_end_matches('/').to_owned(),
            origin: address.origin(),
            headers,
            agent: args.agent(&address, (true, false), PATIENCE)?,
            args,
        })
    }

    /// Whom the server takes this client for: some have the data of many at one URL.
    pub(in crate::cli) fn identity(&self) -> Result<Vec<String>> {
        let secrets = self.args.secrets(&self.origin)?;
        let user = self.args.http_config.as_ref().and_then(HttpConfig::user);
        // The user stands for the password.
        let shown = |(name, value): &(String, String)| match user {
            Some(user) if *name == header::AUTHORIZATION.as_str() => {
                [name.clone(), user.to_owned()]
            }
            _ => [name.clone(), value.clone()],
        };
        let pairs = self.headers.iter().chain(&secrets);
        let cert = self.args.tls().cert.map(|path| path.display().to_string());
        Ok(pairs.flat_map(shown).chain(cert).collect())
    }

    /// True where a certificate proves the name of the server: behind other URLs, another one may be there at another time.
    pub(in crate::cli) fn is_proven(&self) -> bool {
        self.origin.is_encrypted() && !self.args.tls().insecure
    }

    /// Sends a form, or without one gets what is there.
    pub(in crate::cli) fn send(
        &self,
        path: &str,
        form: Option<&[(&str, &str)]>,
        patience: Duration,
    ) -> Result<Reply, Unanswered> {
        let never = |why: anyhow::Error| Unanswered::Never(format!("{why:#}"));
        let address = Address::parse(&format!("{}{path}", self.url)).map_err(never)?;
        let address = address.ok_or_else(|| Unanswered::Never("not a URL".into()))?;
        let mut request = ureq::http::Request::builder()
            .uri(address.uri().clone())
            .header(header::ACCEPT, "application/json");
        let secrets = self.args.secrets(&self.origin).map_err(never)?;
        let body = form.map(|form| {
            let mut body = url::form_urlencoded::Serializer::new(String::new());
            body.extend_pairs(form).finish()
        });
        let method = if body.is_some() { "POST" } else { "GET" };
        let uri = address.uri().to_string();
        let signed = body.as_deref().unwrap_or_default().as_bytes();
        let signature = self.args.signature((method, &uri), signed).map_err(never)?;
        for (name, value) in self.headers.iter().chain(&secrets).chain(&signature) {
            request = request.header(name, value);
        }
        let lost = |error: ureq::Error| {
            let text = format!("{address}: {error}{}", help(&error));
            match (&error, of_tls(&error)) {
                (ureq::Error::Timeout(_), _) => Unanswered::Late(text),
                (ureq::Error::Io(why), None) if is_cut(why.kind()) => Unanswered::Cut(text),
                (ureq::Error::Io(_), None) => Unanswered::Lost(text),
                _ => Unanswered::Never(text),
            }
        };
        let invalid = |why: ureq::http::Error| Unanswered::Never(format!("{address}: {why}"));
        let answer = match body {
            None => {
                let request = request.body(()).map_err(invalid)?;
                let request = self.agent.configure_request(request);
                self.agent
                    .run(request.timeout_global(Some(patience)).build())
            }
            Some(body) => {
                let request = request.method("POST");
                let kind = "application/x-www-form-urlencoded";
                let request = request.header(header::CONTENT_TYPE, kind);
                let request = request.body(body).map_err(invalid)?;
                let request = self.agent.configure_request(request);
                self.agent
                    .run(request.timeout_global(Some(patience)).build())
            }
        };
        let mut answer = answer.map_err(lost)?;
        let status = answer.status().as_u16();
        if let Some(location) = location(&answer) {
            let text = format!("{address} redirects to {location}: pass that URL");
            return Err(Unanswered::Never(text));
        }
        let seconds = answer.headers().get(header::RETRY_AFTER);
        let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.trim().parse().ok());
        let body = answer.body_mut().with_config().limit(ANSWER + 2);
        let body = input::all(body.reader(), ANSWER);
        let body = body.map_err(|why| {
            let text = format!("{address}: {why}");
            match is_cut(why.kind()) {
                true => Unanswered::Cut(text),
                false => Unanswered::Late(text),
            }
        })?;
        Ok(Reply {
            status,
            retry_after: seconds,
            body,
        })
    }
}

impl HttpArgs {
    /// With `fails`, a status of an error is one.
    fn agent(
        &self,
        address: &Address,
        (trusted, fails): (bool, bool),
        patience: Duration,
    ) -> Result<Agent> {
        let origin = address.origin();
        let mut config = Agent::config_builder()
            .timeout_global(Some(patience))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(fails);
        if origin.is_here() {
            config = config.proxy(None);
        }
        if origin.is_encrypted() {
            config = config.tls_config(tls::config(&self.tls(), trusted)?);
        }
        let connector = DefaultConnector::default();
        Ok(Agent::with_parts(config.build(), connector, Names))
    }

    /// With those of the file.
    fn tls(&self) -> TlsArgs {
        let file = self.http_config.as_ref();
        file.map_or_else(|| self.tls.clone(), |file| file.complete(&self.tls))
    }

    fn signature(&self, request: (&str, &str), body: &[u8]) -> Result<Vec<(String, String)>> {
        let file = self.http_config.as_ref();
        file.map_or(Ok(Vec::new()), |file| file.signature(request, body))
    }

    /// Headers that the command line does not show.
    fn secrets(&self, server: &Origin) -> Result<Vec<(String, String)>> {
        let (mut all, option) = match &self.http_config {
            Some(file) => (file.headers()?, "--http-config"),
            None => (Vec::new(), "--bearer-token-file"),
        };
        let authorization = match &self.http_config {
            Some(file) => file.authorization()?,
            None => self.token()?.map(|token| format!("Bearer {token}")),
        };
        all.extend(authorization.map(|value| (header::AUTHORIZATION.to_string(), value)));
        let what = match self.http_config {
            Some(_) => "secrets",
            None => "token",
        };
        if !all.is_empty() {
            self.check_safe(server, option, what)?;
        }
        Ok(all)
    }

    fn check_safe(&self, server: &Origin, option: &str, what: &str) -> Result<()> {
        if !(server.is_encrypted() || server.is_here() || self.tls().insecure) {
            bail!(
                "`{option}`: the {what} would be sent to {server} unencrypted; use https://, or pass `--insecure` to allow this"
            );
        }
        Ok(())
    }

    fn token(&self) -> Result<Option<String>> {
        let Some(path) = &self.bearer_token_file else {
            return Ok(None);
        };
        let path_shown = path.display();
        let read = input::read_named(path, input::SMALL).and_then(input::text);
        let text = read.with_context(|| format!("cannot read {path_shown}"))?;
        let token = text.trim();
        if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
            bail!("{path_shown}: not a token: expected one word of ASCII characters");
        }
        Ok(Some(token.to_owned()))
    }
}

struct Request<'a> {
    address: &'a Address,
    args: &'a HttpArgs,
    accept: &'a str,
    secrets: &'a [(String, String)],
    /// False once a redirect led to another server.
    trusted: bool,
    patience: Duration,
}

impl Request<'_> {
    fn send(&self) -> Result<Response<Body>> {
        let agent = self
            .args
            .agent(self.address, (self.trusted, true), self.patience)?;
        let mut request = agent
            .get(self.address.uri())
            .header(header::ACCEPT, self.accept);
        let uri = self.address.uri().to_string();
        let signature = match self.trusted {
            true => self.args.signature(("GET", &uri), b"")?,
            false => Vec::new(),
        };
        for (name, value) in self.secrets.iter().chain(&signature) {
            request = request.header(name, value);
        }
        request.call().map_err(|error| {
            let help = help(&error);
            let context = format!("cannot fetch {}", self.address);
            anyhow!("{context}: {error}{help}")
        })
    }
}

/// True where the other end closed a connection.
fn is_cut(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        kind,
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

fn help(error: &ureq::Error) -> &'static str {
    use rustls::{AlertDescription, CertificateError, Error};
    if let ureq::Error::StatusCode(401 | 403) = error {
        return ": pass `--bearer-token-file`, `--http-config` or `--cert`";
    }
    match of_tls(error) {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            ": pass the CA certificate of the server with `--cacert`"
        }
        Some(Error::AlertReceived(AlertDescription::CertificateRequired)) => {
            ": the server requires a client certificate; pass `--cert`"
        }
        _ => "",
    }
}

/// The TLS error, which an I/O error may wrap.
fn of_tls(error: &ureq::Error) -> Option<&rustls::Error> {
    match error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref()?.downcast_ref(),
        _ => None,
    }
}

fn location(answer: &Response<Body>) -> Option<String> {
    let moved = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    let location = answer.headers().get(header::LOCATION)?;
    let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
    moved.contains(&answer.status()).then_some(location)
}

fn text(mut answer: Response<Body>) -> Result<String> {
    if answer.status() != StatusCode::OK {
        bail!("http status: {}", answer.status().as_u16());
    }
    let encoding = answer.headers().get(header::CONTENT_ENCODING);
    if let Some(encoding) = encoding.filter(|e| *e != "identity") {
        bail!("the response is compressed ({encoding:?}) although this was not requested");
    }
    // The limit is one more than what is read, so that the message is the same as for files.
    let body = answer.body_mut().with_config().limit(input::PAGE + 2);
    let bytes = input::all(body.reader(), input::PAGE)?;
    Ok(input::text(bytes)?)
}

/// Resolves host names: with a time limit if a thread can be started.
#[derive(Debug)]
struct Names;

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &ureq::config::Config,
        mut timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        if std::thread::Builder::new().spawn(|| {}).is_err() {
            timeout.after = time::Duration::NotHappening;
        }
        DefaultResolver::default().resolve(uri, config, timeout)
    }
}
