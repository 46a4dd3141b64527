//! Messages on the standard streams. What is not a message of the protocol gets an error as its response, and the server
//! goes on: the crate behind the connection would end the process, or allocate whatever a header announces.

use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::thread;

use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value, json};

use slosmith_text::input;

/// Most bytes of a header line.
const LINE: u64 = 4 << 10;

/// The connection to the editor. Standard input is read until it ends or the editor says `exit`.
pub(super) fn connect() -> io::Result<(Connection, thread::JoinHandle<io::Result<()>>)> {
    let (ours, theirs) = Connection::memory();
    let Connection { sender, receiver } = theirs;
    thread::Builder::new().spawn(move || {
        let mut stdin = io::stdin().lock();
        // After an error, and at the end, the sender goes away, and the server ends.
        while let Ok(Some(body)) = body(&mut stdin) {
            match message(body) {
                Ok(message) => {
                    let is_exit =
                        matches!(&message, Message::Notification(n) if n.method == "exit");
                    if sender.send(message).is_err() || is_exit {
                        return;
                    }
                }
                Err(refusal) if write(&refusal.to_string()).is_err() => return,
                Err(_) => {}
            }
        }
    })?;
    let writer = thread::Builder::new().spawn(move || {
        receiver
            .into_iter()
            .try_for_each(|message| message.write(&mut io::stdout().lock()))
    })?;
    Ok((ours, writer))
}

/// The next body; `None` at the end of the stream, an empty one in place of one that is too large.
fn body(stream: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        stream.by_ref().take(LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<u64>());
        }
    }
    // Without a length, the start of the next message is unknown.
    let length = length.and_then(Result::ok).ok_or(ErrorKind::InvalidData)?;
    let mut rest = stream.take(length);
    if length > input::ARTIFACT {
        io::copy(&mut rest, &mut io::sink())?;
        return Ok(Some(Vec::new()));
    }
    let body = input::all(rest, input::ARTIFACT)?;
    let is_whole = body.len() as u64 == length;
    Ok(is_whole.then_some(body))
}

/// A message, or the response that says why there is none.
fn message(body: Vec<u8>) -> Result<Message, Value> {
    let refusal = |code: ErrorCode, why: String| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code as i32, "message": why}});
    if body.is_empty() {
        let most = input::ARTIFACT >> 20;
        let why = format!("the message is empty or larger than {most} MiB");
        return Err(refusal(ErrorCode::InvalidRequest, why));
    }
    let value: Value = serde_json::from_slice(&body)
        .map_err(|error| refusal(ErrorCode::ParseError, error.to_string()))?;
    if value.is_array() {
        let why = "the Language Server Protocol has no batches".to_owned();
        return Err(refusal(ErrorCode::InvalidRequest, why));
    }
    serde_json::from_value(value)
        .map_err(|error| refusal(ErrorCode::InvalidRequest, error.to_string()))
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_not_believed() {
        let huge = b"Content-Length: 18446744073709551615\r\n\r\n{}".to_vec();
        assert_eq!(body(&mut &huge[..]).expect("skipped"), Some(Vec::new()));
        let cut = b"Content-Length: 9\r\n\r\n{}".to_vec();
        assert_eq!(body(&mut &cut[..]).expect("the end"), None);
        for bad in [
            "Content-Length: -1\r\n\r\n{}",
            "x: 1\r\n\r\n{}",
            "x\r\n\r\n",
        ] {
            body(&mut bad.as_bytes()).expect_err(bad);
        }
    }

    #[test]
    fn what_is_no_message_gets_an_answer() {
        for (text, code) in [
            ("[]", ErrorCode::InvalidRequest),
            ("[1]", ErrorCode::InvalidRequest),
            ("", ErrorCode::InvalidRequest),
            ("7", ErrorCode::InvalidRequest),
            ("{", ErrorCode::ParseError),
        ] {
            let refusal = message(text.into()).expect_err(text);
            assert_eq!(refusal["error"]["code"], code as i32, "{text}");
        }
    }
}
