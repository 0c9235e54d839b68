// The results of `grade`: scores, rows to filter and to step through, and one run against another.

import { distribution, rateText } from "./charts.js";
import { announce, byId, el, withCode } from "./dom.js";
import { DATA, figure, many } from "./data.js";
import { OUTCOMES } from "./legend.js";
import { makeLabels, mark, markControls, markSentence, markText, onMark, remember } from "./marks.js";
import { comparison, counted, FLIPS, flipOf, resultOf, rowsWith, SPREADS } from "./against.js";
import { parsed, tagsOf } from "./query.js";
import { chip, outcomeOf, rowParts, tagList } from "./row.js";
import { closeRow, follow, fragment, state, update } from "./state.js";
import { virtualList } from "./virtual.js";

const PRINTED = 500;
const ALL = "all"; // as a value of `against`
const ITEM = 88; // as the style has it
const ORDERS = { "": "not passed first", low: "lowest score", high: "highest score", file: "order of the file" };
const MARKS = { "": "any", marked: "marked", right: "marked right", wrong: "marked wrong", none: "not marked" };
const RIGHT = { "": "any", always: "all right", sometimes: "some right", never: "none right" };

const texts = new Map();

/** Return what a search looks through, in lower case. */
function textOf(run, row) {
  if (!texts.has(row)) {
    const given = row.given === null ? null : DATA.given[row.given];
    const checks = row.checks.map((each) => `${run.checks[each[0]].check} ${each[4] ?? ""} ${each[5].map(({ reason }) => reason ?? "").join(" ")}`);
    const said = given ? [given.input ?? "", ...given.expected.map(([, text]) => text), ...given.tags] : [];
    texts.set(row, [row.id, row.reason ?? "", row.output ?? "", row.calls ?? "", ...checks, ...said].join("\n").toLowerCase());
  }
  return texts.get(row);
}

/** Give each row of a run a key of its own: its id, and its sample, or a number where several have it. */
function withKeys(run) {
  const seen = new Map();
  const ids = new Set(run.rows.map(({ id }) => id));
  const taken = new Set();
  run.samplesOf = new Map();
  for (const row of run.rows) {
    let number = seen.get(row.id) ?? 1;
    row.key = row.sample === undefined ? row.id : `${row.id} #${row.sample}`;
    while (taken.has(row.key) || (row.key !== row.id && ids.has(row.key))) row.key = `${row.id} #${number += 1}`;
    seen.set(row.id, number);
    taken.add(row.key);
    if (row.sample === undefined) continue;
    if (!run.samplesOf.has(row.id)) run.samplesOf.set(row.id, []);
    run.samplesOf.get(row.id).push(row);
  }
  run.byKey = new Map(run.rows.map((row) => [row.key, row]));
  for (const [id, rows] of run.samplesOf) {
    rows.sort((one, two) => one.place - two.place);
    if (!run.byKey.has(id)) run.byKey.set(id, rows[0]);
  }
  remember(run);
  return run;
}

const ANY = { q: "", of: "", tag: "", mark: "", right: "", outcome: [], flip: [] };

/** The outputs of a row that has several, and what they come to together. */
function samples(run, row) {
  if (row.sample === undefined) return "";
  const [outcome, score, passed, outputs] = row.together;
  const listed = run.samplesOf.get(row.id);
  return el("div", { class: "samples" },
    el("p", {}, `${figure(passed)} of ${many(outputs, "output")} of this row passed; together `, chip(outcomeOf(outcome), score),
      listed.length < outputs ? ` (${figure(listed.length)} of them on the page)` : ""),
    el("ul", { class: "chips", "aria-label": "Outputs of this row" }, listed.map((each) => el("li", {},
      el("a", { class: "name", href: fragment({ ...ANY, row: each.key }), "aria-current": each === row ? "true" : null }, `#${each.sample}`), " ",
      chip(outcomeOf(each.outcome), each.score)))));
}

/** Whether all, some or none of the outputs of a row pass; null of a row with one. */
function rightOf(row) {
  if (row.sample === undefined) return null;
  const [, , passed, outputs] = row.together;
  return passed === 0 ? "never" : passed === outputs ? "always" : "sometimes";
}

/** The cells with the mean of a tally and the share that passed, each with its interval. */
function means({ mean, interval, passed }) {
  const ends = interval ? el("span", { class: "ends" }, `(${interval.map((each) => each.toFixed(2)).join(" to ")})`) : "";
  return [el("td", { class: "figure" }, mean ?? "–", ends), el("td", { class: "figure" }, rateText(passed))];
}

/** The tags and other groups of rows; each leads to its rows. */
function groupTable(run) {
  if (!run.groups.length) return [];
  const body = run.groups.map((group) => el("tr", {}, el("td", {}, group.key), el("th", { scope: "row", class: "name" },
    group.key === "tags" ? el("a", { href: fragment({ tag: group.value, row: "" }) }, group.value) : group.value),
  el("td", { class: "figure" }, figure(group.counted)), ...means(group)));
  return [el("details", {}, el("summary", {}, `By tag and group (${figure(run.groups.length)})`),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores by tag and group" }, el("table", {},
      el("thead", {}, el("tr", {}, ["Key", "Value", "Rows", "Mean", "Passed"].map((text, at) => el("th", { scope: "col", class: at > 1 ? "figure" : null }, text)))),
      el("tbody", {}, body))))];
}

function checkTable(run) {
  const names = OUTCOMES.filter((name) => run.checks.some((check) => check.counts[name]));
  const head = ["Check", "Kind", "Graded by", "Mean", "Passed", "Scores 0 to 1", ...names];
  const body = run.checks.map((check) =>
    el("tr", {}, el("th", { scope: "row", class: "name" }, check.check), el("td", {}, check.kind),
      el("td", { class: "name" }, check.rubric ?? "the row's own expectations"),
      ...means(check), el("td", {}, check.scored ? distribution(check, { width: 190, height: 62 }) : el("span", { class: "muted" }, "no score")),
      names.map((name) => el("td", { class: "figure" }, check.counts[name] ? figure(check.counts[name]) : "·"))));
  return [
    el("p", { class: "caption", id: "scores" }, "Scores by check. A mean is that of all that were not skipped: as bounds, where some of them came to no verdict. "
      + "The share that passed is of those decided. In parentheses: 95 % intervals."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores by check" }, el("table", { "aria-describedby": "scores" },
      el("thead", {}, el("tr", {}, head.map((text, at) => el("th", { scope: "col", class: at === 3 || at === 4 || at > 5 ? "figure" : null }, text)))),
      el("tbody", {}, body))),
  ];
}

function summary(run) {
  const tally = run.rows_tally;
  const names = OUTCOMES.filter((name) => tally.counts[name]);
  return el("div", { class: "tally" },
    el("div", {},
      el("p", { class: "mean" }, el("b", {}, tally.mean ?? "–"), " mean score", el("br"), run.sentence),
      run.samples ? el("p", { class: "counts" }, run.samples) : null,
      run.methods ? el("p", { class: "counts" }, withCode(run.methods)) : null,
      el("ul", { class: "chips" }, names.map((name) => el("li", {}, chip(`${name}`, null), ` ${figure(tally.counts[name])}`)))),
    tally.scored ? distribution(tally) : null);
}

function options(pairs) {
  return pairs.map(([value, text]) => el("option", { value }, text));
}

/** Make a menu; one that chooses other rows takes back the choice of a row. */
function menu(id, label, name, others = { row: "" }) {
  const select = el("select", { id, on: { change: () => update({ [name]: select.value, ...others }) } });
  return { select, label: el("label", { class: "control" }, el("span", {}, label), select) };
}

function fill({ select, label }, pairs, value) {
  select.replaceChildren(...options(pairs));
  select.value = pairs.some(([each]) => each === value) ? value : pairs[0][0];
  label.hidden = pairs.length < 2;
}

/** Put controls into a fold that is closed where there is little room, and tells how many are in use. */
function foldedOnPhones(controls) {
  const wide = matchMedia("(min-width: 40rem)");
  const name = el("summary", {});
  const details = el("details", { class: "filters folded", open: wide.matches }, name, controls);
  wide.addEventListener("change", () => {
    details.open = wide.matches;
  });
  return { details, tell: (count) => name.replaceChildren(`Filters and order${count ? `: ${figure(count)} in use` : ""}`) };
}

/** Return boxes that choose among some values, each with the number of rows that have it. */
function facet(legend, name, values, counts, titles = {}) {
  return [el("legend", {}, legend), ...values.map((value) => {
    const box = el("input", { type: "checkbox", checked: state[name].includes(value), value, "data-facet": name, on: { change: () => {
      const others = state[name].filter((each) => each !== value);
      update({ [name]: box.checked ? [...others, value] : others, row: "" });
    } } });
    return el("label", { class: "choice" }, box, el("span", { class: `name outcome-name ${value}` }, titles[value] ?? value), el("span", { class: "count" }, figure(counts.get(value) ?? 0)));
  })];
}

/** Make the view; return what moves through it and what prepares it for paper. */
export function makeResults() {
  const runs = DATA.runs.map(withKeys);
  const run_ = menu("run", "Run", "run", {});
  const against = menu("against", "Against", "against", {});
  const of = menu("outcome-of", "Outcome of", "of");
  const tag = menu("tag", "Tag", "tag");
  const order = menu("order", "Order", "sort");
  const marked = menu("marked", "Marks", "mark");
  const right = menu("right", "Outputs of a row", "right");
  const labels = makeLabels();
  const search = el("input", { type: "search", id: "search-results", placeholder: "Search ids, texts, reasons", "aria-label": "Search results",
    autocomplete: "off", spellcheck: "false", on: { input: () => update({ q: search.value, row: "" }) } });
  const outcomes = el("fieldset", { class: "facet inline" });
  const flips = el("fieldset", { class: "facet inline" });
  const reset = el("button", { type: "button", class: "plain", on: { click: () => update({ ...ANY, row: "" }) } }, "Clear filters");
  const filters = foldedOnPhones(el("div", { class: "bar-of-controls" }, of.label, outcomes, flips, tag.label, right.label, marked.label, order.label));
  const told = el("p", { class: "counts" });
  const top = el("div");
  const compared = el("div");
  const feed = el("div", { class: "feed rows", role: "feed", "aria-label": "Results by row" });
  const detail = el("section", { class: "detail", tabindex: 0, "aria-label": "The chosen row" });
  const review = el("div", { class: "review" }, el("div", { class: "list" }, feed), detail);
  const empty = el("p", { class: "empty" }, "No row passes the filters.");
  const left = el("p", { class: "printed" });
  byId("results").replaceChildren(
    el("h2", { class: "hidden" }, "Results"),
    el("div", { class: "bar-of-controls" }, run_.label, against.label),
    top, compared, el("h3", { class: "section" }, "By row"),
    el("div", { class: "bar-of-controls" }, search, reset), filters.details, labels.bar, told, empty, review, left,
  );
  let run = null;
  let others = [];
  let query = { conditions: [], q: "" };
  let shown = [];
  let chosen = -1;
  let drawn = "";
  const list = virtualList(feed, { estimate: () => ITEM, shape: () => "", render: item, paper: (row) => card(row) });

  function item(row, index) {
    const { outcome } = resultOf(run, row, state.of);
    const input = row.given === null ? "" : DATA.given[row.given].input ?? "";
    return el("article", { class: "item", tabindex: -1, "aria-posinset": index + 1, "aria-setsize": shown.length, "aria-label": `${row.id}: ${outcome}`,
      "aria-current": index === chosen ? "true" : null, on: { click: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return; // the link opens elsewhere
        event.preventDefault();
        choose(index);
      } } },
    el("h4", {}, el("a", { class: "name", href: fragment({ row: row.key }) }, row.key),
      el("span", { class: "mark" }, markText(run, row)), chip(outcomeOf(row.outcome), row.score)),
    el("p", { class: "snippet" }, flipText(row), (input || row.reason || "").slice(0, 200)),
    el("p", { class: "snippet said-of" }, (row.output === undefined ? row.reason ?? "" : row.output || "empty output").slice(0, 200)));
  }

  function card(row) {
    return el("article", { class: "card" }, el("h3", {}, el("span", { class: "name" }, row.key), " ", chip(outcomeOf(row.outcome), row.score)),
      el("div", { class: "inside" }, tagList(tagsOf(row)), samples(run, row), markSentence(run, row), rowParts(run, row, partners(row), "")));
  }

  /** Return the same row of the other runs that have it. */
  function partners(row) {
    return others.filter(({ byKey }) => byKey.has(row.key)).map((other) => ({ run: other, row: other.byKey.get(row.key) }));
  }

  function titles() {
    return others.length > 1 ? SPREADS : FLIPS;
  }

  function flipText(row) {
    return others.length ? el("b", { class: "flip" }, `${titles()[flipOf(run, row, others, state.of)] ?? FLIPS.other} · `) : "";
  }

  function choose(index) {
    if (!shown[index]) return;
    update({ row: shown[index].key });
  }

  function passes(row) {
    const result = resultOf(run, row, state.of);
    if (!result || (state.outcome.length && !state.outcome.includes(result.outcome))) return false;
    if (others.length && state.flip.length && !state.flip.includes(flipOf(run, row, others, state.of))) return false;
    if (state.tag && !tagsOf(row).includes(state.tag)) return false;
    if (state.right && state.right !== rightOf(row)) return false;
    const said = markText(run, row);
    if (state.mark && state.mark !== (said || "none") && !(state.mark === "marked" && said)) return false;
    return query.conditions.every((holds) => holds(row)) && (!query.q || textOf(run, row).includes(query.q));
  }

  function ordered(rows) {
    const low = (row) => resultOf(run, row, state.of).low;
    // A row without a score stands behind all that have one.
    const by = {
      low: (one, other) => (low(one) ?? 2) - (low(other) ?? 2),
      high: (one, other) => (low(other) ?? -1) - (low(one) ?? -1),
      file: (one, other) => one.place - other.place,
    }[state.sort];
    return by ? [...rows].sort(by) : rows;
  }

  function drawDetail() {
    const at = shown.findIndex((row) => row.key === state.row);
    chosen = at < 0 ? 0 : at;
    review.classList.toggle("has-row", at >= 0);
    for (const node of feed.querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
    list.node(chosen)?.setAttribute("aria-current", "true");
    const row = shown[chosen];
    detail.hidden = !row;
    if (!row) return;
    const step = (by, text) => el("button", { type: "button", disabled: !shown[chosen + by], on: { click: () => go(by) } }, text);
    detail.replaceChildren(
      el("div", { class: "detail-head" },
        el("button", { type: "button", class: "back", on: { click: closeRow } }, "All rows"),
        el("h3", {}, el("span", { class: "name" }, row.key), " ", chip(outcomeOf(row.outcome), row.score)),
        el("span", { class: "muted" }, `${figure(chosen + 1)} of ${figure(shown.length)}`), step(-1, "Previous"), step(1, "Next")),
      ...tagList(tagsOf(row)),
      samples(run, row),
      markControls(run, row),
      ...rowParts(run, row, partners(row), query.q),
    );
    detail.scrollTop = 0;
    for (const text of detail.querySelectorAll(".long")) {
      const found = text.querySelector(".found");
      if (found) text.scrollTop += found.getBoundingClientRect().top - text.getBoundingClientRect().top - 40;
    }
  }

  /** Put the focus on the row that is chosen: in the list, or where that has no room on the row itself. */
  function rest() {
    if (feed.offsetParent) list.focus(chosen);
    else detail.focus();
  }

  function go(by) {
    if (!shown.length) return;
    const wanted = state.row || by < 0 ? chosen + by : chosen;
    const index = Math.max(0, Math.min(wanted, shown.length - 1));
    choose(index);
    rest();
  }

  function show() {
    if (byId("results").hidden || !runs.length) return;
    if (search.value !== state.q) search.value = state.q;
    const key = JSON.stringify([state.run, state.q, state.outcome, state.of, state.tag, state.sort, state.mark, state.right, state.against, state.flip]);
    if (key === drawn) {
      const [was, isNarrow] = [chosen, !feed.offsetParent];
      list.draw();
      drawDetail();
      if (state.row && !feed.offsetParent) detail.scrollIntoView();
      else if (isNarrow && feed.offsetParent && !state.row) list.focus(was); // back from a row
      return;
    }
    drawn = key;
    const at = runs[Number(state.run)] ? Number(state.run) : 0;
    if (run !== runs[at]) {
      run = runs[at];
      top.replaceChildren(summary(run), ...checkTable(run), ...groupTable(run));
      labels.set(run);
    }
    others = runs.filter((each, index) => index !== at && (state.against === ALL || state.against === String(index)));
    const every = runs.length > 2 ? [[ALL, "all other runs"]] : [];
    fill(against, [["", "no other run"], ...runs.map((each, index) => [String(index), each.file]).filter(([index]) => index !== String(at)), ...every], state.against);
    fill(run_, runs.map((each, number) => [String(number), `${each.file} (${each.dataset})`]), String(at));
    fill(of, [["", "the row"], ...[...new Set(run.checks.map(({ check }) => check))].map((name) => [name, name])], state.of);
    fill(tag, [["", "any"], ...[...counted(run.rows, tagsOf)].sort().map(([name, count]) => [name, `${name} (${figure(count)})`])], state.tag);
    fill(marked, Object.entries(MARKS), state.mark);
    fill(right, run.samples ? Object.entries(RIGHT) : [["", "any"]], state.right);
    fill(order, Object.entries(ORDERS), state.sort);
    const counts = counted(run.rows, (row) => resultOf(run, row, state.of)?.outcome);
    const focused = document.activeElement?.dataset?.facet && document.activeElement.value;
    outcomes.replaceChildren(...facet("Outcome", "outcome", OUTCOMES.filter((name) => counts.get(name) || state.outcome.includes(name)), counts));
    const turned = others.length ? counted(rowsWith(run, state.of), (row) => flipOf(run, row, others, state.of)) : new Map();
    const turns = Object.keys(FLIPS).filter((name) => turned.get(name) || state.flip.includes(name));
    flips.replaceChildren(...(others.length ? facet("Result", "flip", turns, turned, { ...FLIPS, ...titles() }) : []));
    compared.replaceChildren(...others.map((other) => comparison(run, other, state.of)));
    if (focused) [...outcomes.querySelectorAll("input"), ...flips.querySelectorAll("input")].find((box) => box.value === focused)?.focus();
    filters.tell(["of", "tag", "mark", "right", "sort"].filter((name) => state[name]).length + state.outcome.length + state.flip.length);
    reset.hidden = !(state.q || state.of || state.tag || state.mark || state.right || state.outcome.length || state.flip.length);
    query = parsed(state.q, run);
    shown = ordered(run.rows.filter(passes));
    told.textContent = `${figure(shown.length)} of ${many(run.rows_total, run.samples ? "output" : "row")}, ${ORDERS[state.sort] ?? ORDERS[""]}`;
    announce(told.textContent);
    empty.hidden = shown.length > 0;
    list.set(shown);
    drawDetail();
    if (state.row && feed.offsetParent) list.reveal(chosen);
    else if (state.row) detail.scrollIntoView();
  }

  /** Mark the chosen row by a key. */
  function say(human) {
    if (shown[chosen]) mark(run, shown[chosen], human);
  }

  onMark(() => {
    const focused = document.activeElement;
    const again = focused?.name === "mark" ? `input[name=mark][value=${focused.value}]` : focused?.id === "comment" ? "#comment" : null;
    for (const node of feed.querySelectorAll(".item")) {
      node.querySelector(".mark").textContent = markText(run, shown[Number(node.getAttribute("aria-posinset")) - 1]);
    }
    drawDetail();
    if (again) detail.querySelector(again)?.focus();
  });
  follow(show);
  return {
    step: go,
    keys: { r: () => say("pass"), w: () => say("fail"), u: () => say(null), c: () => labels.comment() },
    rest,
    leave: () => (state.row && !feed.offsetParent ? closeRow() : rest()),
    search: () => search.focus(),
    spread() {
      const more = list.spread(PRINTED);
      left.textContent = more ? `${many(more, "more row")}: on the page, not on paper` : "";
    },
    gather: () => list.gather(),
  };
}
