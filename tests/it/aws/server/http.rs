//! As much of HTTP/1.1 as clients of AWS speak.

use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::TcpStream;

use serde_json::Value;

use super::answers::Refusal;
use super::wire;

/// What a client asks.
pub(super) struct Request {
    path: String,
    pub(super) protocol: String,
    target: String,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The last part of its path; STS has it in a form, the index of tags in a header.
    pub(super) fn operation(&self) -> &str {
        if self.body.starts_with(b"Action=GetCallerIdentity") {
            return "GetCallerIdentity";
        }
        if let Some((_, operation)) = self.target.rsplit_once('.') {
            return operation;
        }
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// True for the path that CloudWatch listens on.
    pub(super) fn is_for_us(&self) -> bool {
        // A proxy gets the whole address.
        self.path
            .contains("/service/GraniteServiceVersion20100801/operation/")
    }
}

pub(super) struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            reader: BufReader::new(stream),
        }
    }

    /// The next request; none when the client went away.
    pub(super) fn request(&mut self) -> Result<Option<Request>> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let (mut length, mut protocol, mut target) = (0, String::new(), String::new());
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap_or(0),
                "smithy-protocol" => protocol = value.trim().to_owned(),
                "x-amz-target" => target = value.trim().to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body)?;
        Ok(Some(Request {
            path,
            protocol,
            target,
            body,
        }))
    }

    pub(super) fn answer(&mut self, answer: std::result::Result<Value, Refusal>) -> Result<()> {
        let (status, more, body) = match answer {
            Ok(value) => (200, String::new(), value),
            Err(refusal) => {
                let who = if refusal.status < 500 {
                    "Sender"
                } else {
                    "Receiver"
                };
                let more = format!("x-amzn-query-error: {};{who}\r\n", refusal.code);
                (refusal.status, more, refusal.body())
            }
        };
        // The index of tags speaks JSON.
        if body["ResourceTagMappingList"].is_array() {
            let json = body.to_string();
            let head = "HTTP/1.1 200 X\r\ncontent-type: application/x-amz-json-1.1\r\n";
            let all = format!("{head}content-length: {}\r\n\r\n{json}", json.len());
            return self.reader.get_mut().write_all(all.as_bytes());
        }
        // STS answers in XML.
        if let Some(xml) = body["xml"].as_str() {
            let head = "HTTP/1.1 200 X\r\ncontent-type: text/xml\r\n";
            let all = format!("{head}content-length: {}\r\n\r\n{xml}", xml.len());
            return self.reader.get_mut().write_all(all.as_bytes());
        }
        let body = wire::encode(&body);
        // In one piece: a second one would wait until the client has acknowledged the first.
        let mut all = format!(
            "HTTP/1.1 {status} X\r\nsmithy-protocol: rpc-v2-cbor\r\ncontent-type: application/cbor\r\n{more}\
             content-length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        all.extend(body);
        self.reader.get_mut().write_all(&all)
    }

    /// Half an answer.
    pub(super) fn answer_half(&mut self) -> Result<()> {
        let stream = self.reader.get_mut();
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nsmithy-protocol: rpc-v2-cbor\r\ncontent-length: 90\r\n\r\n\xbf",
        )
    }
}
