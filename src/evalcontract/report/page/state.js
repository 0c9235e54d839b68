// What is shown, kept in the fragment of the address: a link shows the same to whoever opens it.

import { DATA } from "./data.js";

const LISTS = ["code", "file", "severity", "outcome", "flip"];
const TEXTS = { view: "findings", mode: DATA.mode, q: "", table: "0", run: "0", against: "", gaps: "", of: "", tag: "", sort: "", mark: "", right: "", row: "" };

const TITLES = { run: "run", against: "against", severity: "severity", code: "code", file: "file", q: "text", of: "outcome of", outcome: "outcome", flip: "result",
  tag: "tag", mark: "marks", right: "outputs of a row", sort: "order" };

/** The state; read it, and change it with `update`. */
export const state = {};

const listeners = [];

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of LISTS) state[name] = given.getAll(name);
  for (const [name, usual] of Object.entries(TEXTS)) state[name] = given.get(name) ?? usual;
  if (!DATA.modes.includes(state.mode)) state.mode = DATA.mode;
}

/** Say which runs and filters are chosen, for paper, which has no menus. */
export function filtersText() {
  const isResults = state.view === "results" && DATA.runs.length;
  const names = { run: DATA.runs[state.run]?.file, against: state.against === "all" ? "all other runs" : DATA.runs[state.against]?.file };
  const shown = Object.keys(TITLES).filter((name) => (name === "run" ? isResults : state[name]?.length && state[name] !== TEXTS[name]));
  return shown.map((name) => `${TITLES[name]}: ${names[name] ?? [state[name]].flat().join(", ")}`).join("; ");
}

/** Return the fragment of a state that differs from the current one by some changes. */
export function fragment(changes = {}) {
  const wanted = { ...state, ...changes };
  const made = new URLSearchParams();
  for (const [name, usual] of Object.entries(TEXTS)) {
    if (wanted[name] !== usual) made.set(name, wanted[name]);
  }
  for (const name of LISTS) for (const value of wanted[name]) made.append(name, value);
  return `#${made}`;
}

/** Change the state. A new view, and a row that is opened, are steps that the Back button takes back. */
export function update(changes) {
  const before = fragment();
  const address = fragment(changes);
  const isOpened = !state.row && Boolean(changes.row);
  const isStep = isOpened || ("view" in changes && changes.view !== state.view);
  Object.assign(state, changes);
  if (isStep) history.pushState({ before }, "", address);
  else history.replaceState(history.state, "", address);
  notify(changes);
}

/** Close the row that is open: a step back, if it was opened from just what is shown without it. */
export function closeRow() {
  if (history.state?.before === fragment({ row: "" })) history.back();
  else update({ row: "" });
}

/** Call a function now, and whenever the state has changed. */
export function follow(listener) {
  listeners.push(listener);
}

/** Tell all who follow that something has changed. */
export function notify(changes = state) {
  for (const listener of listeners) listener(changes);
}

/** Read the state from the address, now and when it changes. */
export function begin() {
  addEventListener("hashchange", () => {
    read();
    notify();
  });
  addEventListener("popstate", () => {
    read();
    notify();
  });
  notify();
}

read();
