// Finds evalcontract: what the settings name, in a Python environment, or on the PATH.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { PythonExtension } from "@vscode/python-extension";
import { Disposable, LogOutputChannel, workspace } from "vscode";

/** What starts evalcontract: `command` is absolute, and `args` come before its own arguments. */
export interface Program {
  command: string;
  args: string[];
  origin: string;
}

export interface Found extends Program {
  version: string;
}

const WINDOWS = process.platform === "win32";
/** A program that says nothing for so long does not run. */
const MILLISECONDS = 30_000;

/** Returns the first program that is there and can serve an editor; the log says why others cannot. */
export async function find(log: LogOutputChannel): Promise<Found | undefined> {
  for await (const program of programs()) {
    try {
      const said = await run(program, ["--version"]);
      await run(program, ["lsp"]); // ends with its input, which is empty; without pygls it fails
      const version = said.trim().split(" ").pop() ?? "";
      log.info(`evalcontract ${version}, by ${program.origin}: ${[program.command, ...program.args].join(" ")}`);
      return { ...program, version };
    } catch (error) {
      log.info(`not by ${program.origin}, ${program.command}: ${String(error)}`);
    }
  }
  return undefined;
}

/** Runs evalcontract to its end; returns what it prints. */
export function run(program: Program, args: string[], cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timeout = cwd ? 0 : MILLISECONDS;
    const child = execFile(program.command, [...program.args, ...args], { cwd, timeout }, (error, out, said) =>
      error ? reject(new Error(said.trim() || error.message)) : resolve(out),
    );
    child.stdin?.on("error", () => undefined).end();
  });
}

/** Yields what may be evalcontract. What a setting names is not replaced by something else. */
async function* programs(): AsyncGenerator<Program> {
  const settings = workspace.getConfiguration("evalcontract");
  const path = settings.get<string>("path");
  const interpreter = settings.get<string>("interpreter");
  if (path) {
    yield { command: resolved(path), args: [], origin: "the setting evalcontract.path" };
  } else if (interpreter) {
    yield module(resolved(interpreter), "the setting evalcontract.interpreter");
  } else {
    yield* (await interpreters()).map(([python, origin]) => module(python, origin));
    yield* onPath("evalcontract").map((command) => ({ command, args: [], origin: "the PATH" }));
    yield* [...onPath("python3"), ...onPath("python")].map((python) => module(python, "Python on the PATH"));
  }
}

/** Returns the interpreters of the workspace, and who says so; only where its code may run. */
export async function interpreters(): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const folders = workspace.isTrusted ? (workspace.workspaceFolders ?? []) : [];
  const python = folders.length ? await extension() : undefined;
  for (const folder of folders) {
    const active = python?.environments.getActiveEnvironmentPath(folder);
    const executable = active && (await python?.environments.resolveEnvironment(active))?.executable.uri;
    if (executable) {
      found.push([executable.fsPath, "the Python extension"]);
    }
  }
  for (const folder of folders) {
    const own = join(folder.uri.fsPath, ".venv", WINDOWS ? "Scripts/python.exe" : "bin/python");
    found.push(...(existsSync(own) ? [[own, ".venv"] as [string, string]] : []));
  }
  return found;
}

/** Calls back whenever another environment is chosen in the Python extension, where there is one. */
export async function onChosenEnvironment(change: () => void): Promise<Disposable | undefined> {
  return (await extension())?.environments.onDidChangeActiveEnvironmentPath(change);
}

async function extension(): Promise<PythonExtension | undefined> {
  return PythonExtension.api().catch(() => undefined);
}

/** Returns the module of an interpreter; no module beside the files of a workspace stands in for one. */
function module(command: string, origin: string): Program {
  return { command, args: ["-P", "-m", "evalcontract"], origin };
}

/** Returns where a program of the PATH is; folders that depend on the current one do not count. */
export function onPath(name: string): string[] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, WINDOWS ? `${name}.exe` : name)).filter(existsSync).slice(0, 1);
}

/** Returns an absolute path: a name is on the PATH, a path relative to the first folder. */
function resolved(path: string): string {
  const isName = !path.includes("/") && !path.includes("\\");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return isName ? (onPath(path)[0] ?? path) : isAbsolute(path) ? path : join(folder, path);
}
