// The status item: what is found in the workspace, and what found it.

import { DiagnosticSeverity, Disposable, languages, MarkdownString, StatusBarAlignment, window } from "vscode";
import { Found } from "./interpreter";

/** Unknown until a whole check has ended; then the findings that the editor has. */
export type State = "starting" | "absent" | "checking" | "checked";

/** More changes within so many milliseconds are counted once. */
const PAUSE = 100;
const ICONS = { starting: "$(sync~spin)", absent: "$(circle-slash)", checking: "$(sync~spin)", checked: "" };
const SAID = { starting: "starts", absent: "is not running", checking: "checks the workspace", checked: "" };

export class Status implements Disposable {
  private readonly item = window.createStatusBarItem("evalcontract.findings", StatusBarAlignment.Left, 40);
  private readonly listener = languages.onDidChangeDiagnostics(() => {
    this.timer ??= setTimeout(() => this.show(), PAUSE);
  });
  private timer: NodeJS.Timeout | undefined;
  private state: State = "starting";
  private found: Found | undefined;

  constructor() {
    this.item.name = "evalcontract: findings of the workspace";
    this.item.command = "workbench.actions.view.problems";
    this.item.show();
  }

  set(state: State, found: Found | undefined): void {
    [this.state, this.found] = [state, found];
    this.show();
  }

  private show(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const said = this.state === "checked" ? counted(count()) : SAID[this.state];
    const icons = this.state === "checked" ? shown(count()) : ICONS[this.state];
    this.item.text = `${icons} evalcontract`;
    this.item.accessibilityInformation = { label: `evalcontract ${said}` };
    const version = this.found ? ` ${this.found.version}, by ${this.found.origin}` : "";
    const links = "[Check workspace](command:evalcontract.checkWorkspace) · [Restart](command:evalcontract.restart) · [Log](command:evalcontract.showLog)";
    this.item.tooltip = new MarkdownString(`**evalcontract**${version}\n\n${said}\n\n${links}`);
    this.item.tooltip.isTrusted = true;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listener.dispose();
    this.item.dispose();
  }
}

/** The number of errors, warnings and notes. */
export type Counts = [number, number, number];

function count(): Counts {
  const counts: Counts = [0, 0, 0];
  for (const [, found] of languages.getDiagnostics()) {
    for (const each of found) {
      if (each.source === "evalcontract") {
        counts[each.severity === DiagnosticSeverity.Error ? 0 : each.severity === DiagnosticSeverity.Warning ? 1 : 2]++;
      }
    }
  }
  return counts;
}

function shown(counts: Counts): string {
  const icons = ["$(error)", "$(warning)", "$(info)"];
  return counts.flatMap((each, kind) => (each ? [`${icons[kind]} ${each}`] : [])).join(" ") || "$(pass)";
}

/** Returns counts in words: `1 error, 2 warnings`. */
export function counted(counts: Counts): string {
  const words = ["error", "warning", "note"].map((word, kind) => `${counts[kind]} ${word}${counts[kind] === 1 ? "" : "s"}`);
  return words.filter((_, kind) => counts[kind]).join(", ") || "no findings";
}
