//! A server on this machine that answers as a test wants.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// What is sent back.
pub(crate) enum Answer {
    /// A page, with more header lines.
    Page(String, Vec<String>),
    /// A redirect.
    Redirect(String),
    /// A status and nothing else.
    Status(u16),
    /// A page without an end.
    Endless,
}

impl Answer {
    pub(crate) fn page(text: &str) -> Self {
        Self::Page(text.to_owned(), Vec::new())
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self::Redirect(to.to_owned())
    }

    /// The same with one more header line.
    pub(crate) fn with(self, line: &str) -> Self {
        match self {
            Self::Page(text, mut lines) => {
                lines.push(line.to_owned());
                Self::Page(text, lines)
            }
            other => other,
        }
    }

    /// Fails when the client goes away, which is its right.
    fn send(self, to: &mut dyn Write) -> std::io::Result<()> {
        match self {
            Self::Page(text, lines) => {
                let more: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
                let length = text.len();
                write!(
                    to,
                    "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n{more}connection: close\r\n\r\n{text}"
                )?;
            }
            Self::Redirect(location) => write!(
                to,
                "HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            )?,
            Self::Status(code) => write!(
                to,
                "HTTP/1.1 {code} No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            )?,
            Self::Endless => {
                write!(to, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n")?;
                // Ends when the client does, or far above what it may read.
                for _ in 0..200 {
                    to.write_all(&[b'#'; 1 << 20])?;
                }
            }
        }
        to.flush()
    }
}

/// A certificate to show, and perhaps whose clients are let in.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ServerConfig>);

impl Tls {
    /// `pair` is a certificate and its key, `clients` the authority of clients, all in PEM.
    pub(crate) fn new(pair: &[String; 2], clients: Option<&str>) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let certificate = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).expect("PEM");
        let key = PrivateKeyDer::from_pem_slice(pair[1].as_bytes()).expect("PEM");
        let builder = ServerConfig::builder_with_provider(provider.clone());
        let builder = builder
            .with_safe_default_protocol_versions()
            .expect("versions");
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(certificate(authority)).expect("an authority");
                let clients = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                builder.with_client_cert_verifier(clients.build().expect("a verifier"))
            }
        };
        let config = builder.with_single_cert(vec![certificate(&pair[0])], key);
        Self(Arc::new(config.expect("a certificate")))
    }
}

/// Runs until the tests end.
pub(crate) struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers every request by its path.
    pub(crate) fn start(
        tls: Option<Tls>,
        answer: impl Fn(&str) -> Answer + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let at = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let server = Self {
            address: format!("{scheme}://{at}/metrics"),
            requests: requests.clone(),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = <dyn Stream>::new(stream.expect("a client"), tls.as_ref());
                let Some(request) = head(stream.as_mut()) else {
                    continue;
                };
                let path = request.split(' ').nth(1).expect("a path").to_owned();
                requests.lock().expect("a list").push(request);
                let _ = answer(&path).send(stream.as_mut());
            }
        });
        server
    }

    /// Where its page is.
    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    /// The heads of all requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("a list").clone()
    }
}

/// A connection, encrypted or not.
trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

impl dyn Stream {
    fn new(tcp: TcpStream, tls: Option<&Tls>) -> Box<dyn Stream> {
        match tls {
            None => Box::new(tcp),
            Some(tls) => {
                let connection = ServerConnection::new(tls.0.clone()).expect("a connection");
                Box::new(StreamOwned::new(connection, tcp))
            }
        }
    }
}

/// The head of a request; `None` when the client goes away before its end.
fn head(stream: &mut dyn Stream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    let head = String::from_utf8(head).ok()?;
    // A body that nobody reads resets the connection.
    let length = head.to_ascii_lowercase();
    let length = length
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).ok()?;
    Some(head)
}
