// What the report is about, in figures, and the switch between the modes.

import { byId, el, withCode } from "./dom.js";
import { DATA, figure, many, percent, SEVERITIES } from "./data.js";
import { severityOf } from "./findings.js";
import { follow, fragment, state, update } from "./state.js";
import { themeControl } from "./theme.js";

const MOST_RUNS = 4;
const MOST_LINES = matchMedia("(max-width: 40rem)").matches ? 2 : 4;
const TITLES = { configured: "As configured", soft: "Soft", strict: "Strict" };

function modeControl() {
  const choices = DATA.modes.map((mode) => {
    const choice = el("input", { type: "radio", name: "mode", value: mode, on: { change: () => update({ mode }) } });
    return el("label", {}, choice, el("span", {}, TITLES[mode]));
  });
  follow(() => {
    for (const choice of choices) choice.firstChild.checked = choice.firstChild.value === state.mode;
  });
  return el("fieldset", { class: "modes" }, el("legend", { class: "hidden" }, "Mode"), choices);
}

function tile(value, text, name, changes) {
  const inside = [el("span", { class: `value ${name}` }, value), el("span", { class: "text" }, text)];
  return el("button", { type: "button", class: "tile", on: { click: () => update(changes) } }, inside);
}

function tiles() {
  const counts = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0]));
  for (const finding of DATA.findings) {
    const severity = severityOf(finding);
    if (severity) counts[severity] += 1;
  }
  const shown = SEVERITIES.map((severity) =>
    tile(figure(counts[severity]), counts[severity] === 1 ? severity : `${severity}s`, counts[severity] ? severity : "none",
      { view: "findings", severity: [severity], code: [], file: [], q: "" }));
  if (DATA.coverage.length) {
    shown.push(coverageTile());
  }
  if (DATA.runs.length) {
    for (const [at, run] of DATA.runs.slice(0, MOST_RUNS).entries()) {
      const { mean, decided, counted } = run.rows_tally;
      const all = decided === counted;
      const text = all ? "mean score" : `mean score, ${figure(decided)} of ${many(counted, "row")} decided`;
      const of = DATA.runs.length > 1 ? ` (${run.file})` : "";
      shown.push(tile(mean ?? "–", `${text}${of}`, all ? "" : "warning", { view: "results", run: String(at), row: "" }));
    }
  }
  return shown;
}

/** Return what did not run, as the headline of the page; null if everything did. */
function headline() {
  const line = (parts, changes) => el("li", {}, el("a", { href: fragment(changes) }, withCode(parts)));
  const runs = DATA.runs.flatMap((run, at) => {
    const lines = [...(run.is_complete ? [] : ["the run was interrupted: rows are missing"]), ...run.unmeasured];
    return lines.map((text) => line(`${DATA.runs.length > 1 ? `${run.file}: ` : ""}${text}`, { view: "results", run: String(at), row: "" }));
  });
  const predicted = DATA.coverage.map((table, at) => (table.evidence?.missed
    ? line(`${figure(table.evidence.missed)} of ${many(table.totals.run, "check")} predicted to run in ${table.file} did not, by ${table.evidence.file}`,
      { view: "coverage", table: String(at), gaps: "1" }) : null));
  const lines = [...predicted, ...runs].filter((each) => each !== null);
  if (!lines.length) return null;
  const more = lines.slice(MOST_LINES);
  return el("div", { class: "headline" }, el("h2", {}, "Not everything ran"), el("ul", { "aria-label": "What did not run" }, lines.slice(0, MOST_LINES)),
    more.length ? el("details", {}, el("summary", {}, `… and ${figure(more.length)} more`), el("ul", {}, more)) : null);
}

/** What ran, where there are results; else what will. */
function coverageTile() {
  const graded = DATA.coverage.filter((table) => table.evidence);
  const tables = graded.length ? graded : DATA.coverage;
  const sum = (count) => tables.reduce((total, table) => total + count(table), 0);
  const all = sum((table) => table.cells);
  const share = (count) => percent(all ? (100 * count) / all : 0);
  const predicted = share(sum((table) => table.totals.run ?? 0));
  if (!graded.length) return tile(predicted, "of checks will run", "", { view: "coverage" });
  const part = graded.length < DATA.coverage.length ? ` (in ${figure(graded.length)} of ${many(DATA.coverage.length, "dataset")})` : "";
  return tile(share(sum((table) => table.evidence.ran)), `of checks ran, ${predicted} were predicted to${part}`,
    sum((table) => table.evidence.missed) ? "warning" : "", { view: "coverage" });
}

/** Fill the head of the page. */
export function makeOverview() {
  const files = Object.entries(DATA.files).map(([kind, count]) => many(count, kind));
  const names = DATA.datasets.slice(0, 3).join(", ");
  const more = DATA.datasets.length - 3;
  byId("subject").replaceChildren(
    el("span", { class: "name" }, names), more > 0 ? ` and ${figure(more)} more` : "",
    ` · ${files.join(", ")} · ${many(DATA.rows, "row")} · `,
    el("span", { class: "unbroken" }, DATA.date),
  );
  document.title = `${names}: evalcontract report`;
  byId("controls").replaceChildren(modeControl(), themeControl());
  byId("notes").replaceChildren(...DATA.notes.map((text) => el("li", {}, text)));
  byId("made").textContent = `Made by evalcontract ${DATA.version}. This page is complete in itself: it loads nothing, and sends nothing.`;
  const first = headline();
  follow(() => byId("overview").replaceChildren(...(first ? [first] : []), ...tiles()));
}
