// Which checks will run on which rows: the map, and a table of the checks.

import { byId, el } from "./dom.js";
import { DATA, figure, many, percent } from "./data.js";
import { heatmap } from "./heatmap.js";
import { legend, meaning, STATES } from "./legend.js";
import { follow, fragment, state, update } from "./state.js";

const OWN = "the row's own expectations";

function rowName([index, name]) {
  return name ?? `row ${index}`;
}

/** Return the states of the cells of each pattern, by column. */
function spreadPatterns(table) {
  return table.patterns.map((pattern) => {
    const states = [];
    for (let at = 0; at < pattern.length; at += 2) {
      states[pattern[at]] = table.predictions[pattern[at + 1]][0];
    }
    return states;
  });
}

function predictedText({ percent: share, cells, evidence }) {
  if (!evidence) return `${percent(share)} of the checks will run`;
  return `${percent(share)} of the checks were predicted to run; `
    + `${percent(cells ? (100 * evidence.ran) / cells : 0)} ran (${figure(evidence.ran)} of ${figure(cells)}), by ${evidence.file}`;
}

function groupsOf(columns) {
  const groups = [];
  for (const [at, { rubric }] of columns.entries()) {
    const name = rubric ?? OWN;
    if (groups.at(-1)?.name !== name) groups.push({ name, start: at, end: at });
    groups.at(-1).end = at + 1;
  }
  return groups;
}

function isComplete(states) {
  let count = 0;
  for (const each of states) {
    if (each !== undefined && each !== "run") return false;
    if (each === "run") count += 1;
  }
  return count > 0;
}

/** Return the states of a row: of its pattern, but for what did not run. */
function statesOf(table, patterns, row) {
  if (row[3] !== null) return null;
  if (row[4] === null) return patterns[row[2]];
  const states = [...patterns[row[2]]];
  const missed = table.evidence.patterns[row[4]];
  for (let at = 0; at < missed.length; at += 2) states[missed[at]] = "missed";
  return states;
}

/** Return the counts of a column, what did not run apart. */
function countsOf(table, column) {
  const counts = table.columns[column].counts;
  const missed = table.evidence?.columns[column] ?? 0;
  return { ...counts, run: (counts.run ?? 0) - missed, missed };
}

function reasonOf(table, row, column) {
  if (row[3] !== null) return ["unknown", table.faults[row[3]]];
  const missed = row[4] === null ? [] : table.evidence.patterns[row[4]];
  for (let at = 0; at < missed.length; at += 2) {
    if (missed[at] === column) return ["missed", `${STATES.missed}: ${table.evidence.reasons[missed[at + 1]]}`];
  }
  const pattern = table.patterns[row[2]];
  for (let at = 0; at < pattern.length; at += 2) {
    if (pattern[at] === column) return table.predictions[pattern[at + 1]];
  }
  return [null, null];
}

function rowText(table, row, states) {
  if (row[3] !== null) return `unknown: ${table.faults[row[3]]}`;
  const counts = new Map();
  for (const each of states) if (each) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ") || "nothing to grade";
}

function bar(counts) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const parts = Object.keys(STATES).filter((name) => counts[name]);
  return el("span", { class: "bar", "aria-hidden": "true" }, parts.map((name) => {
    const part = el("span", { class: `fill-${name}` });
    part.style.flexGrow = String(counts[name] / all);
    return part;
  }));
}

function checkTable(table, names) {
  const head = ["Check", "Kind", "Graded by", "", ...names.map((name) => name)];
  const body = table.columns.map((column, at) => {
    const counts = countsOf(table, at);
    return el(
      "tr", {}, el("th", { scope: "row", class: "name" }, column.check), el("td", {}, column.kind),
      el("td", { class: "name" }, column.rubric ?? OWN), el("td", {}, bar(counts)),
      names.map((name) => el("td", { class: "figure" }, counts[name] ? figure(counts[name]) : "·")),
    );
  });
  return el(
    "div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Checks" },
    el("table", {}, el("caption", {}, "How many rows each check runs on"),
      el("thead", {}, el("tr", {}, head.map((text, at) =>
        text ? el("th", { scope: "col", class: at > 3 ? "figure" : null }, text) : el("td")))), el("tbody", {}, body)),
  );
}

/** Make the view. */
export function makeCoverage() {
  const tables = DATA.coverage;
  const withFindings = new Set(DATA.excerpts.filter((each) => each.index !== null)
    .map((each) => `${each.file}\n${each.index}`));
  const choice = el("select", { id: "table", on: { change: () => update({ table: choice.value }) } },
    tables.map((table, at) => el("option", { value: at }, table.file)));
  const gaps = el("input", { type: "checkbox", id: "gaps", on: { change: () => update({ gaps: gaps.checked ? "1" : "" }) } });
  const told = el("p", { class: "counts" });
  const legendPlace = el("div");
  const checks = el("div");
  const link = el("a", { class: "plain", href: "#", hidden: true }, "Show its findings");
  let current = null;
  let rows = [];
  let patterns = [];
  const map = heatmap({
    label: "Coverage: rows by checks. Arrow keys move from cell to cell.",
    describe(row, column) {
      const source = rows[row].source;
      const name = rowName(source);
      if (column < 0) return { title: name, text: rowText(current, source, rows[row].states ?? []) };
      const [found, reason] = reasonOf(current, source, column);
      const title = `${name} · ${current.columns[column].check}`;
      if (!found) return { title, text: "is no check of this row" };
      return { title, text: `${found}: ${reason ?? meaning(found, current.evidence)}` };
    },
    choose(row) {
      const source = rows[row].source;
      link.hidden = !rows[row].hasFindings;
      link.href = fragment({ view: "findings", file: [current.file], q: source[1] ?? "", code: [], severity: [] });
    },
  });
  byId("coverage").replaceChildren(
    el("h2", { class: "hidden" }, "Coverage"),
    el("div", { class: "bar-of-controls" },
      el("label", { class: "control", hidden: tables.length < 2 }, el("span", {}, "Dataset"), choice),
      el("label", { class: "choice" }, gaps, el("span", {}, "Only rows with gaps"))),
    told, legendPlace,
    el("p", { class: "muted", id: "heatmap-keys" }, "Point at a cell, or move with the arrow keys: what it says stands below. A bar before a name means that the row has findings."),
    map.node, link, checks,
  );
  let drawn = "";

  function show() {
    if (byId("coverage").hidden || !tables.length) return;
    const at = tables[Number(state.table)] ? Number(state.table) : 0;
    choice.value = String(at);
    gaps.checked = state.gaps === "1";
    const key = `${at} ${state.gaps}`;
    if (key === drawn) {
      map.draw();
      return;
    }
    drawn = key;
    current = tables[at];
    patterns = spreadPatterns(current);
    const complete = patterns.map(isComplete);
    rows = current.rows
      .filter((row) => state.gaps !== "1" || row[3] !== null || row[4] !== null || !complete[row[2]])
      .map((row) => ({
        source: row,
        name: rowName(row),
        states: statesOf(current, patterns, row),
        hasFindings: withFindings.has(`${current.file}\n${row[0]}`),
      }));
    const names = Object.keys(STATES).filter((name) => (name === "missed" ? current.evidence?.missed : current.totals[name]));
    told.textContent = `${predictedText(current)} · ${many(current.rows_total, "row")}`
      + `${current.idle ? `, nothing ${current.evidence ? "was predicted to run" : "runs"} on ${figure(current.idle)} of them` : ""}`
      + `${rows.length === current.rows_total ? "" : ` · ${figure(rows.length)} shown`}`;
    legendPlace.replaceChildren(legend([...names, ...(current.faults.length ? ["unknown"] : [])], current.evidence));
    link.hidden = true;
    map.set({ columns: current.columns, groups: groupsOf(current.columns), rows });
    checks.replaceChildren(checkTable(current, names));
  }

  follow(show);
}
