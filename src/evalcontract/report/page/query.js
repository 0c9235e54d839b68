// What is typed into the search of results: conditions such as `facts:failed`, `score<0.5` and `-tag:late`, and a text.

import { resultOf } from "./against.js";
import { DATA } from "./data.js";
import { OUTCOMES } from "./legend.js";

const TERM = /(?<=^|\s)(-?)([^\s:<>=]+)(:|[<>]=?)(\S+)(?=\s|$)/g;
const COMPARES = {
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
};

/** Return the tags of a row. */
export function tagsOf(row) {
  return row.given === null ? [] : DATA.given[row.given].tags;
}

/**
 * Return the conditions of a query as functions of a row, and the text that remains, in lower case. What names no tag, score,
 * outcome or check is text, as addresses are. A score in bounds fulfils a condition if both ends do, and none fulfils no condition.
 */
export function parsed(text, run) {
  const checks = new Map(run.checks.map(({ check }) => [check.toLowerCase(), check]));
  const conditions = [];
  const rest = text.toLowerCase().replace(TERM, (term, isNot, name, sign, value) => {
    const holds = condition(run, checks, name, sign, value);
    if (!holds) return term;
    conditions.push(isNot ? (row) => !holds(row) : holds);
    return "";
  });
  return { conditions, q: conditions.length ? rest.replace(/\s+/g, " ").trim() : rest.trim() };
}

function condition(run, checks, name, sign, value) {
  if (sign === ":" && name === "tag") return (row) => tagsOf(row).some((tag) => tag.toLowerCase() === value);
  const isRow = name === (sign === ":" ? "outcome" : "score");
  if (!isRow && !checks.has(name)) return null;
  const of = isRow ? "" : checks.get(name);
  if (sign === ":") return OUTCOMES.includes(value) ? (row) => resultOf(run, row, of)?.outcome === value : null;
  const bound = Number(value);
  return Number.isNaN(bound) ? null : (row) => {
    const { low, score } = resultOf(run, row, of) ?? { low: null };
    const high = low === null || !score.includes(" to ") ? low : Number(score.split(" to ")[1]);
    return low !== null && [low, high].every((end) => COMPARES[sign](end, bound));
  };
}
