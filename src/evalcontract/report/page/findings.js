// Rows and files with their findings in the text, and the filters.

import { announce, byId, el, outside, withCode } from "./dom.js";
import { DATA, figure, many, SEVERITIES } from "./data.js";
import { follow, state, update } from "./state.js";
import { virtualList } from "./virtual.js";

const FACETS = { severity: "Severity", code: "Code", file: "File" };
const MOST_CHOICES = 200;
const LINE = 21;
const WRAPPED_BITS = 6; // 64 characters, less than a line has
const PRINTED = 500;

const texts = new Map();

function textOf(excerpt) {
  if (!texts.has(excerpt)) {
    const lines = excerpt.lines.map((line) => line.slice(1).map(plain).join(""));
    texts.set(excerpt, [excerpt.file, excerpt.row ?? "", ...lines].join("\n").toLowerCase());
  }
  return texts.get(excerpt);
}

function plain(part) {
  return typeof part === "string" ? part : part[0];
}

function wordsOf(finding) {
  return `${finding.code}\n${finding.message}\n${finding.help ?? ""}`.toLowerCase();
}

/** Return the severity of a finding in the current mode; undefined if it is not reported. */
export function severityOf(finding) {
  return finding.severities[state.mode];
}

function has(chosen, value) {
  return !chosen.length || chosen.includes(value);
}

/** Return the excerpts with the findings that pass the filters; one facet may be left out. */
function matches(without) {
  const chosen = (name) => (name === without ? [] : state[name]);
  const [severities, codes, files] = [chosen("severity"), chosen("code"), chosen("file")];
  const q = state.q.trim().toLowerCase();
  const visible = DATA.findings.map((finding) => {
    const severity = severityOf(finding);
    return severity && has(severities, severity) && has(codes, finding.code);
  });
  const found = [];
  for (const excerpt of DATA.excerpts) {
    if (!has(files, excerpt.file)) continue;
    let findings = excerpt.findings.filter((number) => visible[number]);
    if (findings.length && q && !textOf(excerpt).includes(q)) {
      findings = findings.filter((number) => wordsOf(DATA.findings[number]).includes(q));
    }
    if (findings.length) found.push({ excerpt, findings });
  }
  return found;
}

function counted(found, keysOf) {
  const numbers = new Map();
  for (const { excerpt, findings } of found) {
    for (const number of findings) {
      const key = keysOf(excerpt, DATA.findings[number]);
      if (!numbers.has(key)) numbers.set(key, new Set());
      numbers.get(key).add(number);
    }
  }
  return new Map([...numbers].map(([key, set]) => [key, set.size]));
}

const KEYS = {
  severity: (_, finding) => severityOf(finding),
  code: (_, finding) => finding.code,
  file: (excerpt) => excerpt.file,
};

function facet(name) {
  const counts = counted(matches(name), KEYS[name]);
  for (const value of state[name]) if (!counts.has(value)) counts.set(value, 0);
  const order = name === "severity"
    ? SEVERITIES.filter((severity) => counts.has(severity))
    : [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one) || (one < other ? -1 : 1));
  const choices = order.slice(0, MOST_CHOICES).map((value) => {
    const box = el("input", {
      type: "checkbox", checked: state[name].includes(value), "data-facet": name, value,
      on: { change: () => toggle(name, value, box.checked) },
    });
    return el(
      "label", { class: "choice" }, box,
      el("span", { class: `name ${name === "severity" ? value : ""}`, title: value }, value),
      el("span", { class: "count" }, figure(counts.get(value))),
    );
  });
  const more = order.length - choices.length;
  return el(
    "fieldset", { class: "facet" }, el("legend", {}, FACETS[name]),
    el("div", { class: "choices" }, choices),
    more ? el("p", { class: "muted" }, `… and ${many(more, "more choice")}: search for them`) : null,
  );
}

function toggle(name, value, isChosen) {
  const others = state[name].filter((each) => each !== value);
  update({ [name]: isChosen ? [...others, value] : others });
}

function note(number, isMarked) {
  const finding = DATA.findings[number];
  const severity = severityOf(finding);
  const parts = [
    el(
      "p", { class: "message" },
      el("span", { class: `severity ${severity}` }, severity), " ",
      outside(DATA.codes[finding.code].url, finding.code, DATA.codes[finding.code].summary), " ",
      el("span", {}, withCode(finding.message)),
    ),
  ];
  const line = (label, text) =>
    parts.push(el("p", { class: "detail" }, el("b", {}, `${label} `), withCode(text)));
  if (finding.help) line("help", finding.help);
  if (finding.fix) line("fix", finding.fix);
  if (finding.sites) line("places", finding.sites + (finding.more ? `; ${many(finding.more, "place")} not shown` : ""));
  for (const related of finding.related) line("see", related);
  if (finding.because && state.mode === DATA.mode) line("because", finding.because);
  return el("div", { class: `remark ${severity} ${isMarked ? "marked" : ""}`, "data-finding": number }, parts);
}

function segment(part, wanted) {
  if (typeof part === "string") return part;
  const [text, numbers] = part;
  const seen = numbers.filter((number) => wanted.has(number));
  if (!seen.length) return text;
  const severities = seen.map((number) => severityOf(DATA.findings[number]));
  const worst = SEVERITIES.find((severity) => severities.includes(severity));
  return el("mark", { class: worst, title: seen.map((number) => DATA.findings[number].message).join("\n") }, text);
}

function sourceOf(excerpt, findings) {
  const wanted = new Set(findings);
  const told = new Set();
  const blocks = [];
  let before = null;
  for (const [number, ...parts] of excerpt.lines) {
    if (before !== null && number > before + 1) {
      blocks.push(el("p", { class: "gap" }, `⋯ ${many(number - before - 1, "line")}`));
    }
    before = number;
    blocks.push(
      el(
        "div", { class: "line" }, el("span", { class: "number", "aria-hidden": "true" }, String(number)),
        el("code", {}, parts.map((part) => segment(part, wanted))),
      ),
    );
    for (const part of parts) {
      for (const finding of typeof part === "string" ? [] : part[1]) {
        if (wanted.has(finding) && !told.has(finding)) {
          told.add(finding);
          blocks.push(note(finding, true));
        }
      }
    }
  }
  const others = findings.filter((finding) => !told.has(finding)).map((finding) => note(finding, false));
  return [others, blocks.length ? el("div", { class: "source" }, blocks) : null];
}

function card({ excerpt, findings }, index, total) {
  const isRow = excerpt.index !== null;
  const name = isRow ? (excerpt.row ?? `row ${excerpt.index}`) : "";
  const marked = excerpt.lines.find((parts) => parts.some(Array.isArray)) ?? excerpt.lines[0];
  const line = isRow ? excerpt.lines[0]?.[0] : marked?.[0];
  return el(
    "article",
    {
      class: "card", tabindex: -1, "aria-posinset": index + 1, "aria-setsize": total,
      "aria-label": `${excerpt.file}${name ? `, ${name}` : ""}: ${many(findings.length, "finding")}`,
    },
    el(
      "h3", {}, el("span", { class: "name" }, excerpt.file), line ? `:${line}` : "",
      isRow ? [" ", el("span", { class: "row name" }, name)] : null,
    ),
    sourceOf(excerpt, findings),
  );
}

function estimate({ excerpt, findings }) {
  return 60 + excerpt.lines.length * LINE + findings.length * 74;
}

/** Return what decides how high a card is: its lines, as they wrap, and the codes of its findings. */
function shape({ excerpt, findings }) {
  const wrapped = excerpt.lines.map((line) =>
    line.reduce((length, part, at) => length + (at ? plain(part).length : 0), 0) >> WRAPPED_BITS);
  return `${wrapped} ${findings.map((number) => DATA.findings[number].code)}`;
}

/** Make the view; return what moves through it and what prepares it for paper. */
export function makeFindings() {
  const search = el("input", {
    type: "search", id: "search", placeholder: "Search texts, ids, messages",
    "aria-label": "Search findings", "aria-keyshortcuts": "/", autocomplete: "off", spellcheck: "false",
    on: { input: () => update({ q: search.value }) },
  });
  const reset = el("button", {
    type: "button", class: "plain",
    on: { click: () => update({ q: "", code: [], file: [], severity: [] }) },
  }, "Clear filters");
  const facets = el("div", { class: "facets" });
  const details = el("details", { class: "filters", open: matchMedia("(min-width: 60rem)").matches },
    el("summary", {}, "Filters"), facets);
  const count = el("p", { class: "counts", id: "counts" });
  const feed = el("div", { class: "feed", role: "feed", "aria-label": "Rows and files with findings" });
  const empty = el("p", { class: "empty" });
  const left = el("p", { class: "printed" });
  byId("findings").replaceChildren(
    el("h2", { class: "hidden" }, "Findings"),
    el("div", { class: "columns" },
      el("div", { class: "side" }, el("div", { class: "searching" }, search, reset), details),
      el("div", { class: "content" }, count, empty, feed, left)),
  );
  let total = 0;
  const list = virtualList(feed, { estimate, shape, render: (item, index) => card(item, index, total) });
  let drawn = "";

  function show() {
    if (search.value !== state.q) search.value = state.q;
    const key = JSON.stringify([state.mode, state.q, state.code, state.file, state.severity]);
    if (byId("findings").hidden) return;
    if (key === drawn) {
      list.draw();
      return;
    }
    drawn = key;
    const found = matches(null);
    total = found.length;
    const numbers = new Set(found.flatMap((each) => each.findings));
    const all = DATA.findings.filter(severityOf).length;
    const rows = found.filter((each) => each.excerpt.index !== null).length;
    count.textContent = `${figure(numbers.size)} of ${many(all, "finding")}, in ${many(rows, "row")}`
      + `${found.length > rows ? ` and ${many(found.length - rows, "file")}` : ""}`;
    announce(count.textContent);
    empty.textContent = found.length ? "" : all ? "No finding passes the filters." : "No findings: every check of the files passed.";
    empty.hidden = found.length > 0;
    const focused = document.activeElement?.dataset;
    facets.replaceChildren(...Object.keys(FACETS).map(facet));
    if (focused?.facet) {
      const boxes = [...facets.querySelectorAll("input")];
      boxes.find((box) => box.dataset.facet === focused.facet && box.value === document.activeElement?.value)?.focus();
    }
    reset.hidden = !(state.q || state.code.length || state.file.length || state.severity.length);
    list.set(found);
  }

  follow(show);
  return {
    step: (by) => list.step(by),
    search: () => search.focus(),
    spread() {
      const more = list.spread(PRINTED);
      left.textContent = more ? `${many(more, "more row")} with findings: on the page, not on paper` : "";
    },
    gather: () => list.gather(),
  };
}
