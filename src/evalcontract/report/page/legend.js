// The states of checks and the outcomes of results: names, what they mean, and their signs.

import { el, svg } from "./dom.js";

/** The states of a check on a row: its sign is a shape, not only a colour. */
export const STATES = {
  run: "will run",
  missed: "was predicted to run, and did not",
  skip: "is skipped: the row lacks what it reads",
  vacuous: "passes whatever the output is",
  unavailable: "cannot run here",
  fail: "fails whatever the output is",
  unknown: "the row or its rubric has a fault",
};

/** The outcomes of a graded row or check. */
export const OUTCOMES = ["error", "undecided", "failed", "scored", "unavailable", "skipped", "passed"];

/** The shapes in a square of 16 by 16: an outline as a path, and whether it is filled. */
export const SHAPES = {
  run: { path: "M2 2H14V14H2Z", filled: true },
  missed: { path: "M2.5 2.5H13.5V13.5H2.5Z M5 5L11 11M11 5L5 11", filled: false },
  skip: { path: "M2.5 2.5H13.5V13.5H2.5Z M2.5 13.5L13.5 2.5", filled: false },
  vacuous: { path: "M8 3A5 5 0 1 0 8 13A5 5 0 1 0 8 3Z", filled: true },
  unavailable: { path: "M3 3L13 13M13 3L3 13", filled: false },
  fail: { path: "M8 2L14.5 14H1.5Z", filled: true },
  unknown: { path: "M2 8H14", filled: false },
};

/** Return the sign of a state as a picture. */
export function sign(name) {
  const { path, filled } = SHAPES[name];
  return svg(
    "svg", { class: `sign state-${name}`, viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" },
    svg("path", { d: path, class: filled ? "filled" : "outlined" }),
  );
}

/** Return what a state means; with results of the checks, those that run have run. */
export function meaning(name, hasResults) {
  return name === "run" && hasResults ? "ran, as predicted" : STATES[name];
}

/** Return the legend of the states that occur. */
export function legend(names, hasResults) {
  return el(
    "ul", { class: "legend", "aria-label": "Legend" },
    names.map((name) => el("li", {}, sign(name), el("b", {}, name), ` ${meaning(name, hasResults)}`)),
  );
}
