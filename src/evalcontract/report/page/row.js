// One row of results: what it and its output say, beside what each check and judge made of that.

import { DATA, many } from "./data.js";
import { el, withCode } from "./dom.js";
import { OUTCOMES } from "./legend.js";
import { differingParts } from "./words.js";

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
function body(name, text, q, other) {
  const isLong = text.length > LONG || text.split("\n", LONG_LINES + 1).length > LONG_LINES;
  return el("p", isLong ? { class: "text long", tabindex: 0, role: "region", "aria-label": name } : { class: "text" },
    (!q && other ? differing(text, other) : null) ?? marked(text, q));
}

/** Return a text in which the words that another one lacks are marked; null if that says nothing. */
function differing(text, other) {
  return differingParts(text, other)?.map((part) => (part.differs ? el("mark", { class: "differs" }, part.text) : part.text)) ?? null;
}

function block(title, texts, q) {
  const shown = texts.filter(([, text]) => text !== null && text !== undefined);
  return el("div", { class: "block" }, el("h4", {}, title), shown.length
    ? shown.map(([name, text, other]) => [name ? el("p", { class: "key" }, name) : null, text ? body(name || title, text, q, other) : el("p", { class: "muted" }, "empty")])
    : el("p", { class: "muted" }, "–"));
}

/** Return what was recorded of an output; where it differs from that of another run, the words are marked. */
function output(title, run, row, q, other) {
  const texts = [["", row.output, other?.row.output], ["tool calls", row.calls], ["context", row.context]];
  if (run.has_outputs || texts.some(([, text]) => text !== undefined)) return block(title, texts, q);
  return el("div", { class: "block" }, el("h4", {}, title), el("p", { class: "muted" }, withCode("not in the page: the results have no texts; `report --outputs FILE` shows them")));
}

function answer({ judge, model, verdict, reason, answer: text }, q) {
  return el("p", { class: "answer" }, el("span", { class: "name" }, judge), model ? ` (${model})` : "",
    verdict === undefined ? " gave no verdict: " : [" answers ", el("b", {}, String(verdict)), reason ? ": " : ""], marked(reason ?? text ?? "", q));
}

/** Return how a row or a check came out in other runs; of several, each with its file. */
function elsewhere(others, find) {
  return others.map((other, at) => {
    const found = find(other);
    return [at ? ", " : " ", el("span", { class: "muted" }, others.length > 1 ? `${other.run.file} ` : "against "), found ? chip(...found) : "none"];
  });
}

function verdicts(run, row, others, q) {
  const order = [...row.checks].sort((one, two) => OUTCOMES.indexOf(one[1]) - OUTCOMES.indexOf(two[1]));
  return el("ul", { class: "verdicts", "aria-label": "Checks" }, order.map(([number, result, score, , why, answers]) => {
    const { check, kind } = run.checks[number];
    const inOther = ({ run: { checks }, row: other }) => other.checks.find((each) => checks[each[0]].check === check)?.slice(1, 3);
    const isSaid = answers.some(({ reason }) => reason === why);
    return el("li", {}, chip(result, score), " ", el("b", { class: "name" }, check), " ", el("span", { class: "muted" }, kind),
      elsewhere(others, inOther),
      why && !isSaid ? el("p", { class: "why" }, reasoned(why, q)) : null, answers.map((each) => answer(each, q)));
  }));
}

/** Return the parts of a row: its texts side by side, and its checks. `others` are the row in other runs, each with its run. */
export function rowParts(run, row, others, q) {
  const given = row.given === null ? null : DATA.given[row.given];
  const asked = block("Input", [["", given?.input], ...(given?.beside ?? [])], q);
  const expected = block("Expected", given?.expected ?? [], q);
  return [
    others.length ? el("p", { class: "runs" }, chip(outcomeOf(row.outcome), row.score), " here", others.length > 1 ? "," : "",
      elsewhere(others, (other) => [outcomeOf(other.row.outcome), other.row.score])) : null,
    row.reason && !row.checks.length ? el("p", { class: "why" }, reasoned(row.reason, q)) : null,
    el("div", { class: "texts" }, asked, others.length ? null : output("Output", run, row, q), expected),
    others.length ? el("div", { class: "texts" },
      output(`Output, ${run.file}`, run, row, q, others.length === 1 ? others[0] : null),
      others.map((other) => output(`Output, ${other.run.file}`, other.run, other.row, q, { row }))) : null,
    verdicts(run, row, others, q),
  ].filter((part) => part !== null);
}
