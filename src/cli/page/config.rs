//! How a server is reached, in the format of Prometheus's `http_config`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "aws")]
use std::sync::OnceLock;
#[cfg(feature = "aws")]
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use super::tls::TlsArgs;
#[cfg(feature = "aws")]
use slosmith_aws::{Identity, Signer};
use slosmith_text::diag::render::{Report, concise};
use slosmith_text::input;
use slosmith_text::source::Sources;
use slosmith_text::yaml;

/// A file for `--http-config`. Paths in it are relative to its folder.
#[derive(Clone, Debug)]
pub(super) struct HttpConfig {
    fields: Arc<Fields>,
    folder: PathBuf,
    #[cfg(feature = "aws")]
    signer: Arc<OnceLock<Signer>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    basic_auth: Option<BasicAuth>,
    authorization: Option<Authorization>,
    sigv4: Option<SigV4>,
    #[serde(default)]
    tls_config: Tls,
    #[serde(default)]
    http_headers: BTreeMap<String, Header>,
    #[serde(default)]
    follow_redirects: bool,
    /// Accepted and unused: requests are HTTP/1.1.
    #[serde(default, rename = "enable_http2")]
    _http2: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BasicAuth {
    username: String,
    password: Option<String>,
    password_file: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Authorization {
    #[serde(default = "bearer")]
    r#type: String,
    credentials: Option<String>,
    credentials_file: Option<PathBuf>,
}

fn bearer() -> String {
    "Bearer".to_owned()
}

/// Signatures of Amazon Managed Service for Prometheus, as in Prometheus's `remote_read`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(
    not(feature = "aws"),
    expect(dead_code, reason = "only AWS's SDK signs")
)]
struct SigV4 {
    region: Option<String>,
    profile: Option<String>,
    access_key: Option<String>,
    secret_key: Option<String>,
    #[serde(default = "aps")]
    service_name: String,
}

fn aps() -> String {
    "aps".to_owned()
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tls {
    ca_file: Option<PathBuf>,
    cert_file: Option<PathBuf>,
    key_file: Option<PathBuf>,
    #[serde(default)]
    insecure_skip_verify: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    secrets: Vec<String>,
    #[serde(default)]
    files: Vec<PathBuf>,
}

impl HttpConfig {
    /// Reads a file, for the command line.
    pub(super) fn read(path: &str) -> Result<Self, String> {
        let path = Path::new(path);
        let bytes = input::read_named(path, input::SMALL);
        let bytes = bytes.map_err(|why| format!("cannot read {}: {why}", path.display()))?;
        let mut sources = Sources::default();
        let read = yaml::decode(path, bytes, &mut sources);
        let read = read.and_then(|file| yaml::read::<Fields>(file, sources.get(file).text()));
        let fields = read.map_err(|error| {
            let report = concise::report(&Report::new(&[error], &sources, &[]));
            report.lines().next().unwrap_or_default().to_owned()
        })?;
        let ways = [
            fields.basic_auth.is_some(),
            fields.authorization.is_some(),
            fields.sigv4.is_some(),
        ];
        if ways.into_iter().filter(|way| *way).count() > 1 {
            let ways = "`basic_auth`, `authorization` and `sigv4`";
            return Err(format!("{}: expected only one of {ways}", path.display()));
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Ok(Self {
            fields: Arc::new(fields),
            folder,
            #[cfg(feature = "aws")]
            signer: Arc::default(),
        })
    }

    /// The headers that sign a request.
    #[cfg(feature = "aws")]
    pub(super) fn signature(
        &self,
        request: (&str, &str),
        body: &[u8],
    ) -> Result<Vec<(String, String)>> {
        let Some(own) = &self.fields.sigv4 else {
            return Ok(Vec::new());
        };
        let signer = match self.signer.get() {
            Some(signer) => signer,
            None => {
                let opened = Signer::open(&Identity {
                    region: own.region.clone(),
                    profile: own.profile.clone(),
                    key: own.access_key.clone().zip(own.secret_key.clone()),
                })?;
                self.signer.get_or_init(|| opened)
            }
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        Ok(signer.headers(&own.service_name, request, body, now)?)
    }

    #[cfg(not(feature = "aws"))]
    pub(super) fn signature(&self, _: (&str, &str), _: &[u8]) -> Result<Vec<(String, String)>> {
        match self.fields.sigv4 {
            None => Ok(Vec::new()),
            Some(_) => {
                bail!("`sigv4` needs a slosmith with AWS's SDK, built with `--features aws`")
            }
        }
    }

    pub(super) fn follows_redirects(&self) -> bool {
        self.fields.follow_redirects
    }

    /// The value of the `Authorization` header.
    pub(super) fn authorization(&self) -> Result<Option<String>> {
        if let Some(basic) = &self.fields.basic_auth {
            let password = self.secret(basic.password.as_deref(), basic.password_file.as_deref());
            let pair = format!("{}:{}", basic.username, password?);
            return Ok(Some(format!("Basic {}", BASE64_STANDARD.encode(pair))));
        }
        let Some(own) = &self.fields.authorization else {
            return Ok(None);
        };
        let secret = self.secret(own.credentials.as_deref(), own.credentials_file.as_deref())?;
        if secret.is_empty() {
            bail!("`--http-config`: `authorization` has no credentials");
        }
        Ok(Some(format!("{} {secret}", own.r#type)))
    }

    /// The user, where a password is sent.
    pub(super) fn user(&self) -> Option<&str> {
        let basic = self.fields.basic_auth.as_ref();
        basic.map(|basic| basic.username.as_str())
    }

    /// Names and values of further headers.
    pub(super) fn headers(&self) -> Result<Vec<(String, String)>> {
        let mut all = Vec::new();
        for (name, header) in &self.fields.http_headers {
            let given = header.values.iter().chain(&header.secrets).cloned();
            let files = header
                .files
                .iter()
                .map(|file| self.secret(None, Some(file)));
            for value in given.map(Ok).chain(files) {
                let header = super::header(name, &value?);
                all.push(header.map_err(|why| anyhow!("`--http-config`: {why}"))?);
            }
        }
        Ok(all)
    }

    /// The options for TLS, where the command line has none.
    pub(super) fn complete(&self, args: &TlsArgs) -> TlsArgs {
        let tls = &self.fields.tls_config;
        let path = |own: &Option<PathBuf>, other: &Option<PathBuf>| {
            let other = other.as_ref().map(|path| self.folder.join(path));
            own.clone().or(other)
        };
        let has_own = args.cert.is_some();
        TlsArgs {
            cert: path(&args.cert, &tls.cert_file),
            key: match has_own {
                true => args.key.clone(),
                false => path(&args.key, &tls.key_file),
            },
            cacert: path(&args.cacert, &tls.ca_file),
            insecure: args.insecure || tls.insecure_skip_verify,
        }
    }

    /// Files are read again for each request: tokens are exchanged while a command runs.
    fn secret(&self, given: Option<&str>, file: Option<&Path>) -> Result<String> {
        match (given, file) {
            (Some(given), None) => Ok(given.to_owned()),
            (None, Some(file)) => {
                let path = self.folder.join(file);
                let read = input::read_named(&path, input::SMALL).and_then(input::text);
                let text = read.with_context(|| format!("cannot read {}", path.display()))?;
                Ok(text.trim().to_owned())
            }
            (None, None) => Ok(String::new()),
            (Some(_), Some(_)) => {
                bail!("`--http-config`: a secret is given twice, as text and as file")
            }
        }
    }
}
