// Judges beside people: the confusion matrix, every threshold, how reliable scores are, disagreements.

import { frame, SHARES } from "./charts.js";
import { byId, el, svg, withCode } from "./dom.js";
import { DATA, figure, many } from "./data.js";
import { verdictOf } from "./marks.js";
import { fragment } from "./state.js";

const SHOWN = 200;

function rate(found) {
  if (!found) return "–";
  const [value, low, high] = found.map((each) => each.toFixed(2));
  return low === undefined ? value : `${value} (${low} to ${high})`;
}

function matrix({ matrix: { tp, fn, tn, fp } }) {
  const row = (name, passed, failed, isRight) => el("tr", {}, el("th", { scope: "row" }, name),
    el("td", { class: `figure ${isRight ? "agree" : "differ"}` }, figure(passed)), el("td", { class: `figure ${isRight ? "differ" : "agree"}` }, figure(failed)));
  return el("table", { class: "matrix" }, el("caption", {}, "Outputs by what people and the judge said"),
    el("thead", {}, el("tr", {}, el("td"), el("th", { scope: "col" }, "judge passed"), el("th", { scope: "col" }, "judge failed"))),
    el("tbody", {}, row("people passed", tp, fn, true), row("people failed", fp, tn, false)));
}

function figures(found) {
  const pairs = [["TPR", found.tpr, "of good outputs pass"], ["TNR", found.tnr, "of bad outputs fail"], ["Cohen's kappa", found.kappa, ""], ...agreement(found)];
  return el("dl", { class: "figures" }, pairs.map(([name, value, text]) => [el("dt", {}, name), el("dd", {}, el("b", {}, rate(value)), ` ${text}`)]));
}

/** The figures of scores and of several people, as far as they are defined. */
function agreement({ ranks, people }) {
  const told = (name, value, text) => (value === null || value === undefined ? [] : [[name, [value], text]]);
  const linear = ranks.linear_kappa === undefined ? "" : `; ${ranks.linear_kappa.toFixed(2)} linear`;
  const shared = people ? `${people.people} people, ${many(people.outputs, "output")} labelled by several` : "";
  return [
    ...told("Weighted kappa", ranks.quadratic_kappa, `of levels, quadratic${linear}`),
    ...told("AUC", ranks.auc, "of pairs in the right order"),
    ...told("Spearman's rho", ranks.spearman, ""),
    ...told("Kendall's tau-b", ranks.kendall_tau_b, ""),
    ...told("Kappa among people", people?.kappa, shared),
    ...told("Alpha among people", people?.alpha, `Krippendorff's, ${people?.metric}`),
  ];
}

function spread(low, high) {
  return (score) => (high > low ? (score - low) / (high - low) : 0.5);
}

/** The rates by threshold: the share of good outputs that pass, and of bad ones that fail. */
function sweep({ thresholds, scale, threshold, best }) {
  const share = spread(...scale);
  const line = (at) => thresholds.filter((each) => each[at] !== null).map((each) => [share(each[0]), each[at]]);
  const text = thresholds.map(([score, tpr, tnr]) => `from ${score}: TPR ${tpr?.toFixed(2) ?? "unknown"}, TNR ${tnr?.toFixed(2) ?? "unknown"}`).join("; ");
  const ticks = SHARES.map(([at]) => [at, String(Math.round(100 * (scale[0] + at * (scale[1] - scale[0]))) / 100)]);
  const { picture, x, y } = frame(`TPR and TNR by the lowest score that passes: ${text}`, 400, 230, { x: ticks, y: SHARES });
  for (const [at, name] of [[1, "TPR"], [2, "TNR"]]) {
    const points = line(at);
    if (!points.length) continue;
    picture.append(svg("path", { class: `curve ${name}`, d: `M${points.map(([px, py]) => `${x(px)} ${y(py)}`).join("L")}` }));
    for (const [px, py] of points) picture.append(svg("circle", { class: `dot ${name}`, cx: x(px), cy: y(py), r: 3 }));
    const [px, py] = at === 1 ? points[0] : points.at(-1);
    picture.append(svg("text", { class: `tick ${name}`, x: x(px) + (at === 1 ? 6 : -6), y: y(py) - 6, "text-anchor": at === 1 ? "start" : "end" }, name));
  }
  picture.append(svg("path", { class: "rule threshold", d: `M${x(share(threshold))} ${y(1) - 6}V${y(0)}` }),
    svg("text", { class: "tick threshold", x: x(share(threshold)), y: y(1) - 7, "text-anchor": "middle" }, `in use ${threshold}${best === threshold ? ", best" : ""}`));
  if (best !== null && best !== threshold) {
    picture.append(svg("path", { class: "rule point", d: `M${x(share(best))} ${y(1)}V${y(0)}` }),
      svg("text", { class: "tick point", x: x(share(best)) + (share(best) > 0.8 ? -4 : 4), y: y(0) - 6, "text-anchor": share(best) > 0.8 ? "end" : "start" }, `best ${best}`));
  }
  return figureOf("Every threshold", picture, "TPR and TNR if scores passed from this one on. The best is that with the highest sum of both.");
}

/** How many outputs people passed among those with like scores, with intervals. */
function reliability({ reliability: groups }) {
  const text = groups.map(({ score, count, passed }) => `${Math.round(100 * score) / 100}: ${passed} of ${count}`).join(", ");
  const { picture, x, y } = frame(`Outputs that people passed, by the judge's score: ${text}`, 400, 230, { x: SHARES, y: SHARES });
  picture.append(svg("path", { class: "diagonal", d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}` }));
  for (const { share, count, passed, interval: [low, high] } of groups) {
    picture.append(svg("path", { class: "whisker", d: `M${x(share)} ${y(low)}V${y(high)}` }),
      svg("circle", { class: "dot", cx: x(share), cy: y(passed / count), r: 4 }, svg("title", {}, `${passed} of ${count}`)),
      svg("text", { class: "tick", x: x(share) + 6, y: y(passed / count) + (passed / count < 0.1 ? -6 : 12) }, figure(count)));
  }
  return figureOf("Reliability", picture, "The share of outputs that people passed by the judge's score, from the lowest to the highest that it may give, with the "
    + "number of outputs and 95 % intervals (Wilson). On the diagonal, a score would be the chance that people pass the output.");
}

function figureOf(title, picture, text) {
  return el("figure", {}, el("h4", {}, title), picture, el("figcaption", { class: "muted" }, text));
}

/** The row of a disagreement, in the run that the verdicts are of, or else in the first that has its id. */
function rowOf(found, id) {
  const numbers = found.run === null ? DATA.runs.keys() : [found.run];
  for (const number of numbers) {
    const row = DATA.runs[number].byKey?.get(id);
    if (row) return { number, run: DATA.runs[number], row };
  }
  return null;
}

function disagreement(found, { id, human, judge }) {
  const place = rowOf(found, id);
  const answer = place && verdictOf(place.run, place.row, found.judge);
  const name = place ? el("a", { class: "name", href: fragment({ view: "results", run: String(place.number), row: id, q: "", of: "", tag: "", mark: "", right: "", outcome: [], flip: [] }) }, id)
    : el("span", { class: "name" }, id);
  const mark = place?.run.marks?.get(id);
  return el("li", {}, name, ` people ${human ? "passed" : "failed"} it, the judge ${human ? "failed" : "passed"} it${judge === null ? "" : ` with ${Math.round(1000 * judge) / 1000}`}`,
    answer?.reason ? el("p", { class: "answer" }, answer.reason) : null, mark?.comment ? el("p", { class: "answer" }, `Marked here: ${mark.comment}`) : null);
}

function judgeCard(found) {
  const { judge, file, labelled, compared, ties, run, disagreements } = found;
  const without = labelled - compared;
  return el("article", { class: "judge", "aria-label": judge },
    el("h3", { class: "section" }, el("span", { class: "name" }, judge)),
    el("p", { class: "counts" }, `${many(compared, "output")} compared with the labels in ${file}, verdicts of ${run === null ? "the labels" : DATA.runs[run].file}`,
      without ? `; ${figure(without)} labelled without a verdict` : "", ties ? `; ${figure(ties)} on which people are divided` : ""),
    found.remarks.length || found.problems.length ? el("ul", { class: "remarks" }, [...found.remarks, ...found.problems].map((text) => el("li", {}, withCode(text))),
      found.more_problems ? el("li", {}, `and ${many(found.more_problems, "more problem")} of the labels: calibrate-judge reports all`) : null) : null,
    el("div", { class: "charts" }, el("div", {}, matrix(found), figures(found)), found.scale ? [sweep(found), reliability(found)] : null),
    el("h4", {}, `Disagreements: ${figure(disagreements.length + found.more_disagreements)}`),
    disagreements.length ? el("ul", { class: "verdicts" }, disagreements.slice(0, SHOWN).map((each) => disagreement(found, each))) : el("p", { class: "muted" }, "People and the judge agree on all."),
    disagreements.length > SHOWN || found.more_disagreements
      ? el("p", { class: "counts" }, `and ${figure(disagreements.length + found.more_disagreements - SHOWN)} more`) : null);
}

/** Make the view. */
export function makeJudges() {
  byId("judges").replaceChildren(el("h2", { class: "hidden" }, "Judges"), ...DATA.judges.map(judgeCard));
}
