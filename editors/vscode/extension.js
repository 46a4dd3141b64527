// Starts `slosmith lsp` for all file types that slosmith checks.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["yaml", "json", "markdown", "terraform"];

let client;

async function activate() {
  const command = workspace.getConfiguration("slosmith").get("path");
  const server = { command, args: ["lsp"] };
  const documentSelector = LANGUAGES.map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("slosmith", "slosmith", server, { documentSelector });
  await client.start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
