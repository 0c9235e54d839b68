// One row of results: what it and its output say, beside what each check and judge made of that.

import { DATA } from "./data.js";
import { el, withCode } from "./dom.js";
import { OUTCOMES } from "./legend.js";

/** Return the outcome of a row or a check by name; a score without one is `scored`. */
export function outcomeOf(name) {
  return name ?? "scored";
}

/** Return the sign of an outcome with its score. */
export function chip(outcome, score) {
  return el("span", { class: `outcome ${outcome}` }, outcome, score === null || score === undefined ? "" : ` ${score}`);
}

/** Return a text in which each place of `q` is marked. */
function marked(text, q) {
  if (!q) return text;
  const [parts, lower] = [[], text.toLowerCase()];
  let from = 0;
  for (let at = lower.indexOf(q); at >= 0 && parts.length < 400; at = lower.indexOf(q, from)) {
    parts.push(text.slice(from, at), el("mark", { class: "found" }, text.slice(at, at + q.length)));
    from = at + q.length;
  }
  return [...parts, text.slice(from)];
}

function block(title, texts, q) {
  const shown = texts.filter(([, text]) => text !== null && text !== undefined);
  return el("div", { class: "block" }, el("h4", {}, title), shown.length
    ? shown.map(([name, text]) => [name ? el("p", { class: "key" }, name) : null, el("p", { class: text ? "text" : "muted" }, text ? marked(text, q) : "empty")])
    : el("p", { class: "muted" }, "–"));
}

function output(title, run, row, q) {
  const texts = [["", row.output], ["tool calls", row.calls], ["context", row.context]];
  if (run.has_outputs || texts.some(([, text]) => text !== undefined)) return block(title, texts, q);
  return el("div", { class: "block" }, el("h4", {}, title), el("p", { class: "muted" }, withCode("not in the page: name the file with `report --outputs FILE`")));
}

function answer({ judge, model, verdict, reason, answer: text }) {
  return el("p", { class: "answer" }, el("span", { class: "name" }, judge), model ? ` (${model})` : "",
    verdict === undefined ? " gave no verdict: " : [" answers ", el("b", {}, String(verdict)), reason ? ": " : ""], reason ?? text ?? "");
}

function verdicts(run, row, other) {
  const before = new Map((other?.row.checks ?? []).map((each) => [other.run.checks[each[0]].check, each]));
  const order = [...row.checks].sort((one, two) => OUTCOMES.indexOf(one[1]) - OUTCOMES.indexOf(two[1]));
  return el("ul", { class: "verdicts", "aria-label": "Checks" }, order.map(([number, result, score, , why, answers]) => {
    const { check, kind } = run.checks[number];
    const earlier = before.get(check);
    const isSaid = answers.some(({ reason }) => reason === why);
    return el("li", {}, chip(result, score), " ", el("b", { class: "name" }, check), " ", el("span", { class: "muted" }, kind),
      other ? [" ", el("span", { class: "muted" }, "against "), earlier ? chip(earlier[1], earlier[2]) : "none"] : null,
      why && !isSaid ? el("p", { class: "why" }, withCode(why)) : null, answers.map(answer));
  }));
}

/** Return the parts of a row: its texts side by side, and its checks. `other` is its row of another run. */
export function rowParts(run, row, other, q) {
  const given = row.given === null ? null : DATA.given[row.given];
  return [
    row.reason && !row.checks.length ? el("p", { class: "why" }, withCode(row.reason)) : null,
    el("div", { class: "texts" },
      block("Input", [["", given?.input], ...(given?.beside ?? [])], q),
      output(other ? `Output, ${run.file}` : "Output", run, row, q),
      other ? output(`Output, ${other.run.file}`, other.run, other.row, q) : null,
      block("Expected", given?.expected ?? [], q)),
    verdicts(run, row, other),
  ].filter((part) => part !== null);
}
