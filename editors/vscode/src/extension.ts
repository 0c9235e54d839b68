// Starts `evalcontract lsp`. Everything else is the server's.

import { isAbsolute, join } from "node:path";
import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, ServerOptions } from "vscode-languageclient/node";

const LANGUAGES = ["yaml", "json", "jsonl"];
const SCHEMES = ["file", "untitled"];

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("evalcontract.restart", restart),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("evalcontract.path")) {
        void restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

async function start(): Promise<void> {
  const server: ServerOptions = { command: command(), args: ["lsp"] };
  const selector = SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));
  client = new LanguageClient("evalcontract", "evalcontract", server, {
    documentSelector: [...selector, { scheme: "file", pattern: "**/evalcontract.toml" }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const advice = "Install evalcontract with its extra lsp, or set evalcontract.path.";
    void window.showErrorMessage(`${server.command} lsp does not start. ${advice} (${String(error)})`);
  }
}

/** The command to run; a path with a slash is relative to the first folder. */
function command(): string {
  const path = workspace.getConfiguration("evalcontract").get<string>("path") || "evalcontract";
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const isPath = path.includes("/") || path.includes("\\");
  return folder && isPath && !isAbsolute(path) ? join(folder, path) : path;
}
