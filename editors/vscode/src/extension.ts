// Starts `evalcontract lsp`, and offers what the command line does besides. What is found is the server's.

import { commands, env, ExtensionContext, LogOutputChannel, ProgressLocation, version, window, workspace } from "vscode";
import { ExecuteCommandRequest, LanguageClient, State } from "vscode-languageclient/node";
import { grade, offerInstall, openReport } from "./commands";
import { find, Found, onChosenEnvironment } from "./interpreter";
import { counted, Status } from "./status";

const LANGUAGES = ["yaml", "json", "jsonl"];
const SCHEMES = ["file", "untitled"];
const SETTINGS = ["evalcontract.path", "evalcontract.interpreter"];
const CHECK = "evalcontract.check";

let log: LogOutputChannel;
let status: Status;
let client: LanguageClient | undefined;
let found: Found | undefined;
/** The last start or stop: they never overlap. */
let last: Promise<void> = Promise.resolve();

export async function activate(context: ExtensionContext): Promise<void> {
  log = window.createOutputChannel("evalcontract", { log: true });
  status = new Status();
  log.info(`extension ${String(context.extension.packageJSON.version)} in ${env.appName} ${version}`);
  const add = (name: string, work: () => unknown) =>
    context.subscriptions.push(commands.registerCommand(`evalcontract.${name}`, () => reported(work)));
  add("restart", restart);
  add("showLog", () => log.show());
  add("checkWorkspace", checkWorkspace);
  add("fixAll", () => commands.executeCommand("editor.action.sourceAction", { kind: "source.fixAll.evalcontract", apply: "first" }));
  add("grade", async () => grade(await program(), context));
  add("openReport", async () => openReport(await program(), context));
  context.subscriptions.push(
    log,
    status,
    workspace.onDidGrantWorkspaceTrust(restart),
    workspace.onDidChangeConfiguration((change) => {
      if (SETTINGS.some((each) => change.affectsConfiguration(each))) {
        void restart();
      }
    }),
  );
  await restart();
  const chosen = workspace.isTrusted ? await onChosenEnvironment(() => void restart()) : undefined;
  context.subscriptions.push(...(chosen ? [chosen] : []));
}

export async function deactivate(): Promise<void> {
  await last;
  await stop();
}

function restart(): Promise<void> {
  last = last.then(stop).then(start, start);
  return last;
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function start(): Promise<void> {
  status.set("starting", undefined);
  found = await find(log);
  if (!found) {
    status.set("absent", undefined);
    const reason = "evalcontract with its extra lsp is not found: not by the settings, in an environment of this workspace, or on the PATH.";
    void offerInstall(reason).then(async (isThere) => (isThere ? restart() : undefined));
    return;
  }
  const selector = SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));
  const started = new LanguageClient("evalcontract", { command: found.command, args: [...found.args, "lsp"] }, {
    documentSelector: [...selector, { scheme: "file", pattern: "**/evalcontract.toml" }],
    outputChannel: log,
    traceOutputChannel: log,
  });
  started.onDidChangeState(({ newState }) => {
    if (newState === State.Stopped && client === started) {
      status.set("absent", found);
    }
  });
  try {
    client = started;
    await started.start();
    void check().catch((error: unknown) => log.error(String(error)));
  } catch (error) {
    log.error(String(error));
    status.set("absent", found);
    void window.showErrorMessage("evalcontract does not start: its log says why.", "Show Log").then((chosen) => chosen && log.show());
  }
}

/** Lets the server check all workspaces; returns how many, and the findings in words. */
async function check(): Promise<{ workspaces: number; said: string } | undefined> {
  const asked = client;
  status.set("checking", found);
  try {
    const given = await asked?.sendRequest(ExecuteCommandRequest.type, { command: CHECK, arguments: [] });
    const { workspaces = 0, error = 0, warning = 0, note = 0 } = (given ?? {}) as Record<string, number>;
    return asked && { workspaces, said: counted([error, warning, note]) };
  } finally {
    if (asked === client) {
      status.set(asked ? "checked" : "absent", found);
    }
  }
}

async function checkWorkspace(): Promise<void> {
  await program();
  const checked = await window.withProgress({ location: ProgressLocation.Window, title: "evalcontract: checks the workspace" }, check);
  const nothing = "there is no workspace here: no folder with rubrics/, judges/ or evalcontract.toml.";
  void window.showInformationMessage(`evalcontract: ${checked?.workspaces ? checked.said : nothing}`);
}

/** Returns the program, once it was looked for. */
async function program(): Promise<Found> {
  await last;
  if (!found) {
    throw new Error("it is not found");
  }
  return found;
}

/** Does what a command is for; a failure is shown, and in full in the log. */
async function reported(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error(String(error));
    const message = error instanceof Error ? error.message : String(error);
    const chosen = await window.showErrorMessage(`evalcontract: ${message.split("\n")[0]}`, "Show Log");
    if (chosen) {
      log.show();
    }
  }
}
