// What a reviewer says of rows, right or wrong and why, and the file of labels that it becomes.

import { announce, byId, el } from "./dom.js";
import { figure, many } from "./data.js";

const WORDS = { pass: "right", fail: "wrong" };
const PREFIX = "evalcontract-report-labels:";
const listeners = [];

/** Call a function whenever a mark has changed. */
export function onMark(listener) {
  listeners.push(listener);
}

/** Give a run its marks, which the browser remembers until they are discarded. */
export function remember(run) {
  run.store = `${PREFIX}${run.dataset}:${run.file}:${run.graded}`;
  run.marks = new Map();
  try {
    for (const [key, mark] of JSON.parse(localStorage.getItem(run.store) ?? "[]")) {
      if (run.byKey.has(key) && Object.hasOwn(WORDS, mark.human)) run.marks.set(key, { human: mark.human, comment: String(mark.comment ?? "") });
    }
  } catch {
    // A page from a file may have no storage: `store` will tell.
  }
}

const unsaved = new Set();

function store(run) {
  try {
    if (run.marks.size) localStorage.setItem(run.store, JSON.stringify([...run.marks]));
    else localStorage.removeItem(run.store);
    unsaved.delete(run);
  } catch {
    // There is no storage, or no room in it: marks hold until the page is closed.
    if (run.marks.size) unsaved.add(run);
    else unsaved.delete(run);
  }
}

addEventListener("beforeunload", (event) => {
  if (unsaved.size) event.preventDefault();
});

function keep(run) {
  store(run);
  for (const listener of listeners) listener();
}

/** Whether an output can have a label: the id of its row is whole in the page, and no earlier row has it. */
export function canMark(row) {
  return row.is_labelled && row.key === nameOf(row, row.id);
}

/** Return the id of an output in labels: that of its row, with the sample where there are several. */
function nameOf(row, id) {
  return row.sample === undefined ? id : `${id} #${row.sample}`;
}

/** Mark a row as `pass` or `fail`, where its comment stays, or as nothing. */
export function mark(run, row, human) {
  if (!canMark(row)) return;
  if (human) run.marks.set(row.key, { human, comment: run.marks.get(row.key)?.comment ?? "" });
  else run.marks.delete(row.key);
  keep(run);
}

/** Return what is said of a row in a word; empty if nothing is. */
export function markText(run, row) {
  return WORDS[run.marks.get(row.key)?.human] ?? "";
}

/** Return what is said of a row, with the comment, for paper; empty if nothing is. */
export function markSentence(run, row) {
  const said = run.marks.get(row.key);
  const comment = said?.comment.trim();
  return said ? el("p", { class: "why" }, "Marked ", el("b", {}, WORDS[said.human]), comment ? `: ${comment}` : "") : "";
}

/** Return the judges that answered in a run. */
export function judgesOf(run) {
  const found = new Set();
  for (const row of run.rows) for (const { judge } of verdictsOf(run, row)) found.add(judge);
  return [...found].sort();
}

function verdictsOf(run, row) {
  return row.checks.filter((each) => run.checks[each[0]].kind === "llm_judge")
    .flatMap((each) => each[5].map((answer) => ({ ...answer, outcome: each[1], isAlone: each[5].length === 1 })));
}

/** Return the answer of a judge on a row; undefined without one. */
export function verdictOf(run, row, judge) {
  return verdictsOf(run, row).find((answer) => answer.judge === judge && answer.verdict !== undefined);
}

/** Return the marks of a run as JSON Lines that `calibrate-judge --labels` reads. */
function labelsOf(run, judge, annotator) {
  const lines = run.rows.filter((row) => run.marks.has(row.key)).map((row) => {
    const { human, comment } = run.marks.get(row.key);
    const answer = verdictOf(run, row, judge);
    const label = { id: nameOf(row, row.exact ? String.fromCodePoint(...row.exact) : row.id), human };
    if (answer) label.judge = answer.verdict;
    if (answer?.model) label.model = answer.model;
    if (annotator) label.annotator = annotator;
    if (comment.trim()) label.comment = comment.trim();
    return `${JSON.stringify(label)}\n`;
  });
  return lines.join("");
}

function save(text) {
  const link = el("a", { download: "labels.jsonl", href: URL.createObjectURL(new Blob([text], { type: "application/jsonl" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Make the controls of a row: right or wrong, and a comment. */
export function markControls(run, row) {
  if (!canMark(row)) {
    return el("p", { class: "muted" }, "This row cannot be marked: an earlier row has the same id, or its id is too long.");
  }
  const current = run.marks.get(row.key);
  const choices = Object.entries(WORDS).map(([human, word]) =>
    el("label", {}, el("input", { type: "radio", name: "mark", value: human, checked: current?.human === human,
      on: { change: () => mark(run, row, human) } }), el("span", {}, word)));
  const comment = el("input", { type: "text", id: "comment", value: current?.comment ?? "", placeholder: current ? "Comment" : "Mark it to comment", "aria-label": "Comment on the row",
    autocomplete: "off", disabled: !current, on: { input: () => {
      // The row is not drawn anew, so that what is clicked next is still there.
      current.comment = comment.value;
      store(run);
    } } });
  return el("div", { class: "marking" },
    el("fieldset", { class: "modes" }, el("legend", { class: "hidden" }, "The output is"), choices), comment,
    current ? el("button", { type: "button", class: "plain", on: { click: () => mark(run, row, null) } }, "Unmark") : null);
}

/** Make the bar that counts the marks of a run, compares them with a judge, and saves them. */
export function makeLabels() {
  const judge = el("select", { id: "label-judge", on: { change: () => draw() } });
  const of = el("label", { class: "control" }, el("span", {}, "With verdicts of"), judge);
  const annotator = el("input", { type: "text", id: "annotator", placeholder: "Your name", "aria-label": "Your name, as annotator", autocomplete: "off" });
  const told = el("p", { class: "counts", id: "marks" });
  const saving = el("button", { type: "button", id: "save-labels", on: { click: () => {
    save(labelsOf(run, judge.value, annotator.value.trim()));
    unsaved.delete(run);
    draw();
  } } }, "Save labels");
  const lost = el("p", { class: "counts warning-text" }, "The browser does not keep these marks: save them before the page is closed.");
  const discard = el("button", { type: "button", class: "plain", on: { click: () => {
    run.marks.clear();
    keep(run);
  } } }, "Discard");
  const bar = el("div", { class: "bar-of-controls labels" }, told, of, annotator, saving, discard, lost);
  let run = null;

  function draw() {
    const marks = [...run.marks.values()];
    const count = (human) => figure(marks.filter((each) => each.human === human).length);
    for (const part of [annotator, saving, discard]) part.hidden = !marks.length;
    lost.hidden = !unsaved.has(run);
    of.hidden = !marks.length || judge.options.length < 2;
    told.textContent = marks.length ? `${many(marks.length, run.samples ? "output" : "row")} marked: ${count("pass")} right, ${count("fail")} wrong${agreement()}`
      : `Mark ${run.samples ? "outputs" : "rows"} as right or wrong (keys r and w), and save that as labels for calibrate-judge.`;
  }

  function agreement() {
    const both = run.rows.filter((row) => run.marks.has(row.key)).map((row) => [run.marks.get(row.key).human, verdictOf(run, row, judge.value)])
      .filter(([, answer]) => answer?.isAlone && (answer.outcome === "passed" || answer.outcome === "failed"));
    const same = both.filter(([human, answer]) => (human === "pass") === (answer.outcome === "passed"));
    return both.length ? `; ${judge.value} agrees on ${figure(same.length)} of ${figure(both.length)}` : "";
  }

  onMark(() => run && draw());
  return {
    bar,
    /** Show the marks of a run. */
    set(wanted) {
      run = wanted;
      const names = judgesOf(run);
      judge.replaceChildren(...[...names.map((name) => [name, name]), ["", "no judge"]].map(([value, text]) => el("option", { value }, text)));
      draw();
    },
    /** Move to the comment; a row that is not marked yet has none, so to the choice before it. */
    comment() {
      const field = byId("comment");
      if (field?.disabled) announce("Mark the row as right or wrong to comment on it.");
      (field?.disabled ? document.querySelector("input[name=mark]") : field)?.focus();
    },
  };
}
