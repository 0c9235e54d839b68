// The results of `grade`: scores by check and by row, those that did not pass first.

import { announce, byId, el, withCode } from "./dom.js";
import { DATA, figure, many } from "./data.js";
import { OUTCOMES } from "./legend.js";
import { follow, state, update } from "./state.js";
import { virtualList } from "./virtual.js";

const PRINTED = 500;

function outcomeOf(name) {
  return name ?? "scored";
}

function chip(outcome, score) {
  return el("span", { class: `outcome ${outcome}` }, outcome, score === null ? "" : ` ${score}`);
}

function distribution(bins) {
  const most = Math.max(...bins, 1);
  const text = bins.map((count, at) => `${(at / 10).toFixed(1)}: ${count}`).join(", ");
  return el("span", { class: "bins", role: "img", "aria-label": `Scores from 0 to 1, by tenths: ${text}`, title: text },
    bins.map((count) => {
      const bin = el("span", { class: count ? "bin" : "bin none" });
      bin.style.height = `${count ? Math.max(8, (100 * count) / most) : 4}%`;
      return bin;
    }));
}

function checkTable(run) {
  const names = OUTCOMES.filter((name) => run.checks.some((check) => check.counts[name]));
  const head = ["Check", "Kind", "Graded by", "Mean", "Scores 0 to 1", ...names];
  const body = run.checks.map((check) =>
    el("tr", {}, el("th", { scope: "row", class: "name" }, check.check), el("td", {}, check.kind),
      el("td", { class: "name" }, check.rubric ?? "the row's own expectations"),
      el("td", { class: "figure" }, check.mean ?? "–"), el("td", {}, check.scored ? distribution(check.bins) : el("span", { class: "muted" }, "no score")),
      names.map((name) => el("td", { class: "figure" }, check.counts[name] ? figure(check.counts[name]) : "·"))));
  return [
    el("p", { class: "caption", id: "scores" }, "Scores by check. A mean is that of all that were not skipped: as bounds, where some of them came to no verdict."),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores by check" }, el("table", { "aria-describedby": "scores" },
      el("thead", {}, el("tr", {}, head.map((text, at) => el("th", { scope: "col", class: at === 3 || at > 4 ? "figure" : null }, text)))),
      el("tbody", {}, body))),
  ];
}

function resultCard(run, row, index, total) {
  const [id, outcome, score, reason, checks] = row;
  const order = [...checks].sort((one, other) => OUTCOMES.indexOf(one[1]) - OUTCOMES.indexOf(other[1]));
  return el(
    "article", { class: "card", tabindex: -1, "aria-posinset": index + 1, "aria-setsize": total, "aria-label": `${id}: ${outcomeOf(outcome)}` },
    el("h3", {}, el("span", { class: "name" }, id), " ", chip(outcomeOf(outcome), score)),
    reason ? el("p", { class: "detail" }, withCode(reason)) : null,
    order.length ? el("ul", { class: "verdicts" }, order.map(([number, result, value, why]) =>
      el("li", {}, chip(result, value), " ", el("span", { class: "name" }, run.checks[number].check),
        why ? el("span", { class: "detail" }, " – ", withCode(why)) : null))) : null,
  );
}

function summary(run) {
  const tally = run.rows_tally;
  const names = OUTCOMES.filter((name) => tally.counts[name]);
  return el("div", { class: "tally" },
    el("p", { class: "mean" }, el("b", {}, tally.mean ?? "–"), " mean score", el("br"), run.sentence),
    distribution(tally.bins),
    el("ul", { class: "chips" }, names.map((name) => el("li", {}, chip(`${name}`, null), ` ${figure(tally.counts[name])}`))),
    run.unmeasured.length ? el("ul", { class: "unmeasured", "aria-label": "What did not run" }, run.unmeasured.map((line) => el("li", {}, withCode(line)))) : null);
}

/** Make the view; return what moves through it and what prepares it for paper. */
export function makeResults() {
  const runs = DATA.runs;
  const choice = el("select", { id: "run", on: { change: () => update({ run: choice.value, outcome: [] }) } },
    runs.map((run, at) => el("option", { value: at }, `${run.file} (${run.dataset})`)));
  const search = el("input", { type: "search", id: "search-results", placeholder: "Search ids and reasons", "aria-label": "Search results",
    autocomplete: "off", spellcheck: "false", on: { input: () => update({ q: search.value }) } });
  const outcomes = el("fieldset", { class: "facet inline" });
  const told = el("p", { class: "counts" });
  const top = el("div");
  const feed = el("div", { class: "feed", role: "feed", "aria-label": "Results by row" });
  const left = el("p", { class: "printed" });
  byId("results").replaceChildren(
    el("h2", { class: "hidden" }, "Results"),
    el("div", { class: "bar-of-controls" }, el("label", { class: "control", hidden: runs.length < 2 }, el("span", {}, "Run"), choice)),
    top, el("h3", { class: "section" }, "By row"), el("div", { class: "bar-of-controls" }, search, outcomes), told, feed, left,
  );
  let run = null;
  let shown = [];
  const list = virtualList(feed, {
    estimate: (row) => 70 + row[4].length * 28,
    shape: (row) => `${Boolean(row[3])} ${row[4].map(([, result, , why]) => `${result} ${Boolean(why)}`)}`,
    render: (row, index) => resultCard(run, row, index, shown.length),
  });
  let drawn = "";

  function passes(row, q) {
    if (state.outcome.length && !state.outcome.includes(outcomeOf(row[1]))) return false;
    return !q || [row[0], row[3] ?? "", ...row[4].map((check) => `${run.checks[check[0]].check} ${check[3] ?? ""}`)]
      .some((text) => text.toLowerCase().includes(q));
  }

  function show() {
    if (byId("results").hidden || !runs.length) return;
    if (search.value !== state.q) search.value = state.q;
    const key = JSON.stringify([state.run, state.q, state.outcome]);
    if (key === drawn) {
      list.draw();
      return;
    }
    drawn = key;
    const at = runs[Number(state.run)] ? Number(state.run) : 0;
    choice.value = String(at);
    if (run !== runs[at]) {
      run = runs[at];
      top.replaceChildren(summary(run), ...checkTable(run));
    }
    const names = OUTCOMES.filter((name) => run.rows_tally.counts[name]);
    outcomes.replaceChildren(el("legend", {}, "Outcome"), ...names.map((name) => {
      const box = el("input", { type: "checkbox", checked: state.outcome.includes(name), on: { change: () => {
        const others = state.outcome.filter((each) => each !== name);
        update({ outcome: box.checked ? [...others, name] : others });
      } } });
      return el("label", { class: "choice" }, box, el("span", { class: `name outcome-name ${name}` }, name), el("span", { class: "count" }, figure(run.rows_tally.counts[name])));
    }));
    const q = state.q.trim().toLowerCase();
    shown = run.rows.filter((row) => passes(row, q));
    told.textContent = `${figure(shown.length)} of ${many(run.rows_total, "row")}, those that did not pass first`;
    announce(told.textContent);
    list.set(shown);
  }

  follow(show);
  return {
    step: (by) => list.step(by),
    search: () => search.focus(),
    spread() {
      const more = list.spread(PRINTED);
      left.textContent = more ? `${many(more, "more row")}: on the page, not on paper` : "";
    },
    gather: () => list.gather(),
  };
}
