//! `slosmith lsp`: `lint` and `catalog show` in an editor.
//!
//! The editor starts the process and speaks the Language Server Protocol on its standard streams. A document is checked after a
//! short pause, so that fast typing is checked once.

mod action;
mod completion;
mod document;
mod position;
mod symbol;
mod wire;
mod word;
mod workspace;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response, ResponseError};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, Completion, GotoDefinition, HoverRequest, PrepareRenameRequest, Rename,
    Request as _,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions, Hover,
    HoverContents, HoverProviderCapability, InitializeParams, MarkupContent, MarkupKind, OneOf,
    PublishDiagnosticsParams, RenameOptions, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cli::{catalog, signals};
use document::Document;
use position::Encoding;
use slosmith_text::diag::caught;
use workspace::Workspace;

/// The pause before documents are checked.
const MOMENT: Duration = Duration::from_millis(50);

/// Check files while you edit them (Language Server Protocol)
#[derive(Debug, Args)]
pub struct LspArgs {
    /// Use standard input and output: the only transport. Some editors pass this option
    #[arg(long, hide = true)]
    stdio: bool,
}

pub fn run(_: &LspArgs) -> Result<u8> {
    let (connection, writer) = wire::connect()?;
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let encoding = Encoding::agreed(&params);
    let answer = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": {"name": "slosmith", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer)?;
    // As on the command line, paths begin in the working directory.
    if let Some(root) = root(&params) {
        let folder = || format!("cannot open {}", root.display());
        std::env::set_current_dir(&root).with_context(folder)?;
    }
    let mut server = Server {
        workspace: Workspace::open()?,
        encoding,
        connection,
    };
    let code = server.serve()?;
    drop(server);
    if let Ok(written) = writer.join() {
        written?;
    }
    Ok(code)
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::FULL),
                save: Some(SaveOptions::default().into()),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([":", ".", "{", "\"", ","].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, action::fix_all()]),
            ..CodeActionOptions::default()
        })),
        definition_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        ..ServerCapabilities::default()
    }
}

/// The folder that the editor has open.
fn root(params: &InitializeParams) -> Option<PathBuf> {
    let folders = params.workspace_folders.iter().flatten();
    #[expect(deprecated, reason = "older editors send nothing else")]
    let mut all = folders.map(|folder| &folder.uri).chain(&params.root_uri);
    all.find_map(document::path)
}

struct Server {
    workspace: Workspace,
    encoding: Encoding,
    connection: Connection,
}

type Answer = Result<Value, ResponseError>;

impl Server {
    /// Serves until the editor ends the session; returns the exit code: 1 without a `shutdown` request.
    fn serve(&mut self) -> Result<u8> {
        loop {
            let message = match self.connection.receiver.recv_timeout(MOMENT) {
                Ok(message) => message,
                Err(error) if error.is_timeout() => {
                    self.publish()?;
                    match self.connection.receiver.recv() {
                        Ok(message) => message,
                        Err(_) => return Ok(1),
                    }
                }
                Err(_) => return Ok(1),
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(0);
                    }
                    // Answers are about the newest text.
                    self.publish()?;
                    let answer = self.answer(request);
                    self.connection.sender.send(answer.into())?;
                }
                Message::Notification(told) if told.method == Exit::METHOD => return Ok(1),
                Message::Notification(told) => {
                    // No response belongs to a notification. The next check of the document shows its findings.
                    let _ = caught(|| self.note(told));
                }
                Message::Response(_) => {}
            }
        }
    }

    fn note(&mut self, told: Notification) {
        let Notification { method, params } = told;
        // A malformed notification has no response.
        let _ = match method.as_str() {
            DidOpenTextDocument::METHOD => {
                read(params).map(|p: lsp_types::DidOpenTextDocumentParams| {
                    let opened = p.text_document;
                    self.workspace.set(opened.uri, opened.version, opened.text);
                })
            }
            DidChangeTextDocument::METHOD => {
                read(params).map(|p: lsp_types::DidChangeTextDocumentParams| {
                    if let Some(whole) = p.content_changes.into_iter().next_back() {
                        let changed = p.text_document;
                        self.workspace.set(changed.uri, changed.version, whole.text);
                    }
                })
            }
            DidSaveTextDocument::METHOD => {
                read(params).map(|p: lsp_types::DidSaveTextDocumentParams| {
                    self.workspace.saved(&p.text_document.uri);
                })
            }
            DidCloseTextDocument::METHOD => {
                read(params).map(|p: lsp_types::DidCloseTextDocumentParams| {
                    self.workspace.close(p.text_document.uri);
                })
            }
            _ => Ok(()),
        };
    }

    /// Sends the findings of all documents that changed.
    fn publish(&mut self) -> Result<()> {
        for (uri, version, diagnostics) in self.workspace.check(self.encoding) {
            let params = PublishDiagnosticsParams {
                uri,
                diagnostics,
                version,
            };
            let told = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
            self.connection.sender.send(told.into())?;
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let result = caught(|| self.result(&method, params));
        let internal = |why| Err(failed(ErrorCode::InternalError, why));
        match result.unwrap_or_else(internal) {
            Ok(value) => Response::new_ok(id, value),
            Err(error) => Response::new_err(id, error.code, error.message),
        }
    }

    fn result(&mut self, method: &str, params: Value) -> Answer {
        let invalid =
            |error: serde_json::Error| failed(ErrorCode::InvalidParams, error.to_string());
        let encoding = self.encoding;
        Ok(match method {
            HoverRequest::METHOD => {
                let p: lsp_types::HoverParams = read(params).map_err(invalid)?;
                let at = p.text_document_position_params;
                self.at(&at, |document, offset| hover(document, offset, encoding))
            }
            Completion::METHOD => {
                let p: lsp_types::CompletionParams = read(params).map_err(invalid)?;
                self.at(&p.text_document_position, |document, offset| {
                    Some(completion::items(document, offset, encoding))
                })
            }
            GotoDefinition::METHOD => {
                let p: lsp_types::GotoDefinitionParams = read(params).map_err(invalid)?;
                let at = p.text_document_position_params;
                self.at(&at, |document, offset| {
                    symbol::definition(document, offset, encoding)
                })
            }
            PrepareRenameRequest::METHOD => {
                let at = read(params).map_err(invalid)?;
                self.at(&at, |document, offset| {
                    symbol::prepare(document, offset, encoding)
                })
            }
            Rename::METHOD => {
                let p: lsp_types::RenameParams = read(params).map_err(invalid)?;
                let at = p.text_document_position;
                let edit = self.at(&at, |document, offset| {
                    Some(symbol::rename(document, offset, &p.new_name, encoding))
                });
                match edit {
                    Value::Object(mut edit) if edit.contains_key("Err") => {
                        let why = edit.remove("Err").unwrap_or_default();
                        let why = why.as_str().unwrap_or_default().to_owned();
                        return Err(failed(ErrorCode::RequestFailed, why));
                    }
                    Value::Object(mut edit) => edit.remove("Ok").unwrap_or_default(),
                    other => other,
                }
            }
            CodeActionRequest::METHOD => {
                let p: lsp_types::CodeActionParams = read(params).map_err(invalid)?;
                let document = self.workspace.document(&p.text_document.uri);
                let actions = document.map(|document| action::actions(document, p.range, encoding));
                serde_json::to_value(actions).unwrap_or_default()
            }
            other => {
                let message = format!("unsupported method: {other}");
                let code = ErrorCode::MethodNotFound;
                return Err(failed(code, message));
            }
        })
    }

    /// The result for a position in an open document; null if there is none.
    fn at<T: serde::Serialize>(
        &self,
        at: &lsp_types::TextDocumentPositionParams,
        say: impl FnOnce(&Document, usize) -> Option<T>,
    ) -> Value {
        let document = self.workspace.document(&at.text_document.uri);
        let said = document.and_then(|document| {
            let offset = document.lines(self.encoding).offset(at.position);
            say(document, offset)
        });
        serde_json::to_value(said).unwrap_or_default()
    }
}

fn failed(code: ErrorCode, message: String) -> ResponseError {
    ResponseError {
        code: code as i32,
        message,
        data: None,
    }
}

fn read<T: DeserializeOwned>(params: Value) -> serde_json::Result<T> {
    serde_json::from_value(params)
}

/// The URI, version and findings of a document.
type Published = (Uri, Option<i32>, Vec<lsp_types::Diagnostic>);

fn hover(document: &Document, offset: usize, encoding: Encoding) -> Option<Hover> {
    let range = word::at(&document.text, offset);
    let name = &document.text[range.clone()];
    let known = catalog::described(name).or_else(|| signals::described(name))?;
    let contents = MarkupContent {
        kind: MarkupKind::Markdown,
        value: format!("```text\n{}\n```", known.trim_end()),
    };
    Some(Hover {
        contents: HoverContents::Markup(contents),
        range: Some(document.lines(encoding).range(range)),
    })
}
