/* How the search of the site orders pages: what a user does comes before how it was made.
 * Sphinx calls `score` for each result, and takes the other numbers as its own defaults have them. */
"use strict";

const WEIGHTS = [
  [/^(changelog|decisions|architecture|contributing|performance|limits|versioning)$/, 0.1],
  [/^reference\/(calibration|coverage|results|report|baseline|output|explanation)$/, 0.3],
  [/^rules\/(index|[^/]+\/index)$/, 0.4],
  [/^rules\/(databricks|evret|mlflow|northstar)\//, 0.5],
  [/^rules\//, 0.9],
  [/^reference\//, 1],
  [/^schema\//, 0.5],
];

var Scorer = {
  score: ([page, , , , score]) => {
    const [, weight] = WEIGHTS.find(([pattern]) => pattern.test(page)) || [null, 1.5];
    return score * weight;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
