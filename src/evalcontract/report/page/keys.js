// The keyboard: what each key does, and the dialog that says so.

import { byId, el } from "./dom.js";
import { state, update } from "./state.js";

const KEYS = [
  ["j, k", "the next and the previous row"],
  ["r, w, u, c", "results: mark the row as right, as wrong, unmark it, comment on it"],
  ["/", "search; in results, also by facts:failed, tone<0.5, score>=0.3, tag:urgent, -tag:urgent"],
  ["Escape", "clear the search, leave a field, go back from a row to the list"],
  ["arrow keys", "from cell to cell in the map, from tab to tab"],
  ["?", "this list"],
];

/** Listen to keys; `views` has what moves through a view by its name. */
export function makeKeys(views) {
  const isOn = el("input", { type: "checkbox", checked: true });
  const dialog = byId("help");
  dialog.append(
    el("h2", { id: "help-title" }, "Keys"),
    el("dl", {}, KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]).flat()),
    el("label", { class: "choice" }, isOn, el("span", {}, "Use keys that are letters and signs")),
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  );
  byId("controls").append(
    el("button", { type: "button", class: "plain", "aria-haspopup": "dialog", on: { click: () => dialog.showModal() } }, "Keys"),
  );
  const actions = {
    j: () => views[state.view]?.step(1),
    k: () => views[state.view]?.step(-1),
    "/": () => views[state.view]?.search(),
    "?": () => dialog.showModal(),
    Escape: () => views[state.view]?.leave?.(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    const isField = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && isField) {
      if (state.q && event.target.type === "search") update({ q: "" });
      else {
        event.target.blur();
        views[state.view]?.rest?.();
      }
      return;
    }
    if (isField && event.target.type !== "checkbox" && event.target.type !== "radio") return;
    const action = actions[event.key] ?? views[state.view]?.keys?.[event.key];
    if (!action || (!isOn.checked && event.key !== "Escape")) return;
    action();
    event.preventDefault();
  });
}
