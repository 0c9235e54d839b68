// One run against another, or against all others: how each row came out in them, and what else differs.

import { el, withCode } from "./dom.js";
import { DATA, figure, many } from "./data.js";
import { outcomeOf } from "./row.js";

/** What may have become of a row since another run. */
export const FLIPS = { better: "now passes", worse: "no longer passes", other: "changed otherwise", same: "the same", alone: "not listed of the other run" };
/** How a row may come out in several runs. */
export const SPREADS = { other: "differs between runs", same: "the same in all", alone: "not listed of all runs" };

/** Return how many rows have each value. */
export function counted(rows, valueOf) {
  const counts = new Map();
  for (const row of rows) for (const value of [valueOf(row)].flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Return the outcome and the score of a row, or of its check with a name; null without one. */
export function resultOf(run, row, of) {
  if (!of) return { outcome: outcomeOf(row.outcome), low: row.low, score: row.score };
  const found = row.checks.find((each) => run.checks[each[0]].check === of);
  return found ? { outcome: found[1], low: found[3], score: found[2] } : null;
}

/** Return the rows of a run that have a result of a check, or all. */
export function rowsWith(run, of) {
  return run.rows.filter((row) => resultOf(run, row, of));
}

/** Return what became of a row since another run; of several runs, whether they differ. */
export function flipOf(run, row, others, of) {
  const now = resultOf(run, row, of)?.outcome;
  const then = others.map((other) => other.byKey.has(row.key) && resultOf(other, other.byKey.get(row.key), of)?.outcome);
  if (!then.every(Boolean)) return "alone";
  if (then.every((each) => each === now)) return "same";
  if (others.length > 1) return "other";
  if (now === "passed" && then[0] === "failed") return "better";
  return now === "failed" && then[0] === "passed" ? "worse" : "other";
}

/** Tell of a run against another: what else differs, what flipped, and by how much the mean did. */
export function comparison(run, other, of) {
  const flips = counted(rowsWith(run, of), (row) => flipOf(run, row, [other], of));
  const [now, then] = [DATA.runs.indexOf(run), DATA.runs.indexOf(other)];
  const found = DATA.comparisons.find(({ before, after }) => before === Math.min(now, then) && after === Math.max(now, then));
  const sign = found && found.after === now ? 1 : -1;
  const differences = (sign > 0 ? found?.differences : found?.turned) ?? [];
  const signed = (value) => `${sign * value > 0 ? "+" : ""}${(sign * value).toFixed(3)}`;
  const ends = found?.interval ? found.interval.map(signed) : null;
  const isCut = [run, other].some((each) => each.rows.length < each.rows_total);
  const missing = isCut ? 0 : other.rows.filter((row) => !run.byKey.has(row.key)).length;
  return el("div", { class: "against" },
    el("h3", { class: "section" }, `Against ${other.file}`),
    differences.length ? el("div", {}, el("p", {}, "What else differs:"), el("ul", {}, differences.map((text) => el("li", {}, withCode(text))))) : null,
    el("p", {}, Object.keys(FLIPS).filter((name) => flips.get(name)).map((name) => `${figure(flips.get(name))} ${FLIPS[name]}`).join(", "),
      missing ? `, ${many(missing, "row")} only there` : ""),
    isCut ? el("p", { class: "warning-text" }, withCode("The page does not list all rows of both runs: what flipped is counted among those that it has of both (`--max-rows 0` lists all).")) : null,
    found?.pairs ? el("p", {}, `The mean score differs by ${signed(found.mean)}${ends ? ` (${(sign > 0 ? ends : ends.reverse()).join(" to ")}, 95 % interval of paired rows)` : ""}, over `
      + `${many(found.pairs, "row")} with a score in both.`) : null);
}
