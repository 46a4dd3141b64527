//! TLS: which CAs to trust, and the client certificate to present.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use ureq::tls::{
    Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, TlsProvider, parse_pem,
};

use slosmith_text::input;

/// TLS options.
#[derive(Clone, Debug, Args)]
pub(super) struct TlsArgs {
    /// Client certificate chain (PEM)
    #[arg(long, value_name = "FILE")]
    pub(super) cert: Option<PathBuf>,
    /// Private key of `--cert` (PEM). Default: read from the same file
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(super) key: Option<PathBuf>,
    /// CA certificates to trust in addition to the system certificates (PEM)
    #[arg(long, value_name = "FILE")]
    pub(super) cacert: Option<PathBuf>,
    /// Accept any server certificate, and send the token over plain http
    #[arg(long)]
    pub(super) insecure: bool,
}

/// The configuration for one server; only one that is trusted sees the client's certificate.
pub(super) fn config(args: &TlsArgs, trusted: bool) -> Result<TlsConfig> {
    let provider = Arc::new(ring::default_provider());
    let client = match &args.cert {
        Some(cert) if trusted => Some(client(cert, args.key.as_deref(), &provider)?),
        _ => None,
    };
    let roots = if args.insecure {
        Vec::new()
    } else {
        roots(args.cacert.as_deref())?
    };
    let config = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .client_cert(client)
        .disable_verification(args.insecure);
    Ok(config.build())
}

fn roots(more: Option<&Path>) -> Result<Vec<Certificate<'static>>> {
    // Unreadable system certificates are skipped; a server that needs one fails with a TLS error.
    let system = rustls_native_certs::load_native_certs().certs;
    let system = system
        .iter()
        .map(|cert| Certificate::from_der(cert).to_owned());
    let mut all: Vec<_> = system.collect();
    if let Some(path) = more {
        let (certificates, _) = pem(path)?;
        if certificates.is_empty() {
            bail!("{}: no certificate in this file", path.display());
        }
        all.extend(certificates);
    }
    Ok(all)
}

fn client(cert: &Path, key: Option<&Path>, provider: &CryptoProvider) -> Result<ClientCert> {
    let (chain, own_key) = pem(cert)?;
    let (key, at) = match key {
        Some(path) => (pem(path)?.1, path),
        None => (own_key, cert),
    };
    if chain.is_empty() {
        bail!("{}: no certificate in this file", cert.display());
    }
    let at = at.display();
    let key = key.ok_or_else(|| anyhow!("{at}: no private key in this file"))?;
    // Checked here, because the HTTP client does not check it.
    let owned = |cert: &Certificate<'_>| CertificateDer::from(cert.der().to_vec());
    let der = PrivateKeyDer::try_from(key.der().to_vec());
    let der = der.map_err(|why| anyhow!("{at}: {why}"))?;
    CertifiedKey::from_der(chain.iter().map(owned).collect(), der, provider)
        .with_context(|| format!("{at}: this key does not match {}", cert.display()))?;
    Ok(ClientCert::new_with_certs(&chain, key))
}

/// Certificates in a file, and the first private key.
fn pem(path: &Path) -> Result<(Vec<Certificate<'static>>, Option<PrivateKey<'static>>)> {
    let shown = path.display();
    let read = input::read_named(path, input::SMALL);
    let bytes = read.with_context(|| format!("cannot read {shown}"))?;
    let (mut certificates, mut key) = (Vec::new(), None);
    for item in parse_pem(&bytes) {
        match item.map_err(|_| anyhow!("{shown}: not a valid PEM file"))? {
            PemItem::Certificate(certificate) => certificates.push(certificate),
            PemItem::PrivateKey(found) => key = key.or(Some(found)),
            _ => {}
        }
    }
    Ok((certificates, key))
}
