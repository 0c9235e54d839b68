// What is done with the command line: install it, grade outputs, show a report.

import { mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  commands, ConfigurationTarget, ExtensionContext, ProcessExecution, ProgressLocation, QuickPickItem, Task, tasks, TaskScope,
  Uri, ViewColumn, window, workspace,
} from "vscode";
import { interpreters, onPath, Program, run } from "./interpreter";

const DATASETS = "**/datasets/**/*.{yaml,yml,json,jsonl,ndjson,parquet,arrow,feather}";
const MOST = 1_000;

/** Says that evalcontract is not found, and offers what helps; true if it may be there now. */
export async function offerInstall(reason: string): Promise<boolean> {
  const [install, choose, log] = ["Install…", "Choose Interpreter…", "Show Log"];
  const chosen = await window.showErrorMessage(reason, install, choose, log);
  if (chosen === install) {
    const python = (await interpreters())[0]?.[0] ?? onPath("python3")[0] ?? onPath("python")[0];
    const from = python && (await picked(`Install into ${python}: the clone or a wheel of evalcontract`, "Install", true));
    return !!from && (await inTerminal("install", { command: python, args: ["-m", "pip", "install", `${from}[lsp]`] })) === 0;
  }
  if (chosen === choose) {
    const python = await picked("The Python that has evalcontract", "Choose", false);
    await (python && workspace.getConfiguration("evalcontract").update("interpreter", python, ConfigurationTarget.Workspace));
  } else if (chosen === log) {
    await commands.executeCommand("evalcontract.showLog");
  }
  return false;
}

/** Grades the outputs that somebody chooses, in a terminal; remembers the results for the report. */
export async function grade(program: Program, context: ExtensionContext): Promise<void> {
  const dataset = await chosenDataset();
  const outputs = dataset && (await picked("The recorded outputs", "Grade", false, dirname(dataset)));
  if (!outputs) {
    return;
  }
  const name = basename(outputs).replace(/\.\w+$/, "");
  const defaultUri = Uri.file(join(dirname(outputs), `${name}.results.jsonl`));
  const results = await window.showSaveDialog({ title: "Save the results (Cancel: only show them)", saveLabel: "Grade", defaultUri });
  const saved = results ? ["--results", results.fsPath, "--force"] : []; // the dialogue has asked
  const args = [...program.args, "grade", dataset, "--outputs", outputs, ...saved];
  const code = await inTerminal("grade", { command: program.command, args });
  if (results && code !== undefined && code < 2) {
    await context.workspaceState.update(`results of ${dataset}`, results.fsPath);
  }
}

/** Shows the report of a dataset in a tab, with the results that were graded here last. */
export async function openReport(program: Program, context: ExtensionContext): Promise<void> {
  const dataset = await chosenDataset();
  const folder = (context.storageUri ?? context.globalStorageUri).fsPath;
  if (!dataset) {
    return;
  }
  await mkdir(folder, { recursive: true });
  const page = join(folder, "report.html");
  const results = context.workspaceState.get<string>(`results of ${dataset}`);
  const args = ["report", dataset, "--output", page, "--force", ...(results ? ["--results", results] : [])];
  const title = `evalcontract: report of ${basename(dataset)}`;
  const at = workspace.getWorkspaceFolder(Uri.file(dataset))?.uri.fsPath ?? dirname(dataset);
  await window.withProgress({ location: ProgressLocation.Notification, title }, () => run(program, args, at));
  const panel = window.createWebviewPanel("evalcontract.report", `Report: ${basename(dataset)}`, ViewColumn.Active, {
    enableScripts: true, enableFindWidget: true, retainContextWhenHidden: true,
  });
  panel.webview.html = await readFile(page, "utf8");
}

/** Returns the dataset in the editor, or else one that somebody chooses. */
async function chosenDataset(): Promise<string | undefined> {
  const open = window.activeTextEditor?.document.uri;
  const found = await workspace.findFiles(DATASETS, undefined, MOST);
  if (open && found.some((each) => each.fsPath === open.fsPath)) {
    return open.fsPath;
  }
  const items = found.map((each) => ({ label: workspace.asRelativePath(each), path: each.fsPath }));
  items.sort((one, other) => one.label.localeCompare(other.label));
  return (await window.showQuickPick<QuickPickItem & { path: string }>(items, { placeHolder: "The dataset" }))?.path;
}

async function picked(title: string, openLabel: string, canSelectFolders: boolean, at?: string): Promise<string | undefined> {
  const defaultUri = at ? Uri.file(at) : workspace.workspaceFolders?.[0]?.uri;
  const found = await window.showOpenDialog({ title, openLabel, canSelectFiles: true, canSelectFolders, defaultUri });
  return found?.[0]?.fsPath;
}

/** Runs a program in a terminal, without a shell; returns its exit code. */
async function inTerminal(name: string, { command, args }: Omit<Program, "origin">): Promise<number | undefined> {
  const task = new Task({ type: "process" }, TaskScope.Workspace, name, "evalcontract", new ProcessExecution(command, args));
  const started = await tasks.executeTask(task);
  return new Promise((resolve) => {
    const listener = tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
      if (execution === started) {
        listener.dispose();
        resolve(exitCode);
      }
    });
  });
}
