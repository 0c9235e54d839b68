// Light and dark: as the system is, unless the reader chose one.

import { el } from "./dom.js";

const THEMES = { auto: "Auto", light: "Light", dark: "Dark" };
const KEY = "evalcontract-report-theme";
const changed = [];

/** Call a function whenever colours have changed. */
export function onTheme(listener) {
  changed.push(listener);
}

/** Return the control that chooses a theme. */
export function themeControl() {
  const control = el(
    "select",
    { id: "theme", on: { change: () => choose(control.value) } },
    Object.entries(THEMES).map(([value, text]) => el("option", { value }, text)),
  );
  control.value = remembered();
  apply(control.value);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  return el("label", { class: "control" }, el("span", {}, "Theme"), control);
}

function choose(theme) {
  apply(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A page from a file may have no storage: the choice holds until it is closed.
  }
}

function remembered() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme in THEMES ? theme : "auto";
  } catch {
    return "auto";
  }
}

function apply(theme) {
  document.documentElement.dataset.theme = theme;
  tell();
}

function tell() {
  for (const listener of changed) listener();
}
