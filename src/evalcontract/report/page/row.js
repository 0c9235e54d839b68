// One row of results: what it and its output say, beside what each check and judge made of that.

import { DATA, many } from "./data.js";
import { el, withCode } from "./dom.js";
import { OUTCOMES } from "./legend.js";

const MOST_TAGS = 12;
const LONG = 1200;
const LONG_LINES = 20;

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

/** Return a reason: with what stands between backticks as code, or with each place of `q` marked. */
function reasoned(why, q) {
  return q && why.toLowerCase().includes(q) ? marked(why, q) : withCode(why);
}

/** Return the tags of a row; of many, the first ones, and the others where they are asked for. */
export function tagList(tags) {
  const list = (some, label) => el("ul", { class: "chips tags", "aria-label": label }, some.map((each) => el("li", { class: "tag name" }, each)));
  const more = tags.slice(MOST_TAGS);
  return [tags.length ? list(tags.slice(0, MOST_TAGS), "Tags") : "",
    more.length ? el("details", { class: "tags" }, el("summary", {}, `and ${many(more.length, "more tag")}`), list(more, "More tags")) : ""];
}

/** Return a text; a long one scrolls in a place of its own, so that what checks say of it stays in sight. */
function body(name, text, q) {
  const isLong = text.length > LONG || text.split("\n", LONG_LINES + 1).length > LONG_LINES;
  return el("p", isLong ? { class: "text long", tabindex: 0, role: "region", "aria-label": name } : { class: "text" }, marked(text, q));
}

function block(title, texts, q) {
  const shown = texts.filter(([, text]) => text !== null && text !== undefined);
  return el("div", { class: "block" }, el("h4", {}, title), shown.length
    ? shown.map(([name, text]) => [name ? el("p", { class: "key" }, name) : null, text ? body(name || title, text, q) : el("p", { class: "muted" }, "empty")])
    : el("p", { class: "muted" }, "–"));
}

function output(title, run, row, q) {
  const texts = [["", row.output], ["tool calls", row.calls], ["context", row.context]];
  if (run.has_outputs || texts.some(([, text]) => text !== undefined)) return block(title, texts, q);
  return el("div", { class: "block" }, el("h4", {}, title), el("p", { class: "muted" }, withCode("not in the page: the results have no texts; `report --outputs FILE` shows them")));
}

function answer({ judge, model, verdict, reason, answer: text }, q) {
  return el("p", { class: "answer" }, el("span", { class: "name" }, judge), model ? ` (${model})` : "",
    verdict === undefined ? " gave no verdict: " : [" answers ", el("b", {}, String(verdict)), reason ? ": " : ""], marked(reason ?? text ?? "", q));
}

function verdicts(run, row, other, q) {
  const before = new Map((other?.row.checks ?? []).map((each) => [other.run.checks[each[0]].check, each]));
  const order = [...row.checks].sort((one, two) => OUTCOMES.indexOf(one[1]) - OUTCOMES.indexOf(two[1]));
  return el("ul", { class: "verdicts", "aria-label": "Checks" }, order.map(([number, result, score, , why, answers]) => {
    const { check, kind } = run.checks[number];
    const earlier = before.get(check);
    const isSaid = answers.some(({ reason }) => reason === why);
    return el("li", {}, chip(result, score), " ", el("b", { class: "name" }, check), " ", el("span", { class: "muted" }, kind),
      other ? [" ", el("span", { class: "muted" }, "against "), earlier ? chip(earlier[1], earlier[2]) : "none"] : null,
      why && !isSaid ? el("p", { class: "why" }, reasoned(why, q)) : null, answers.map((each) => answer(each, q)));
  }));
}

/** Return the parts of a row: its texts side by side, and its checks. `other` is its row of another run. */
export function rowParts(run, row, other, q) {
  const given = row.given === null ? null : DATA.given[row.given];
  return [
    row.reason && !row.checks.length ? el("p", { class: "why" }, reasoned(row.reason, q)) : null,
    el("div", { class: "texts" },
      block("Input", [["", given?.input], ...(given?.beside ?? [])], q),
      output(other ? `Output, ${run.file}` : "Output", run, row, q),
      other ? output(`Output, ${other.run.file}`, other.run, other.row, q) : null,
      block("Expected", given?.expected ?? [], q)),
    verdicts(run, row, other, q),
  ].filter((part) => part !== null);
}
