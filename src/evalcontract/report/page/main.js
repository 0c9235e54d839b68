// The page: each view is made once, and follows the state.

import { makeChanges } from "./changes.js";
import { makeCoverage } from "./coverage.js";
import { DATA } from "./data.js";
import { byId, el } from "./dom.js";
import { makeFindings } from "./findings.js";
import { makeGraph } from "./graph.js";
import { makeJudges } from "./judges.js";
import { makeKeys } from "./keys.js";
import { makeOverview } from "./overview.js";
import { makeResults } from "./results.js";
import { begin, filtersText } from "./state.js";
import { makeTabs } from "./tabs.js";

function viewsWithContent() {
  const views = [{ name: "findings", title: "Findings" }];
  if (DATA.coverage.length) views.push({ name: "coverage", title: "Coverage" });
  if (DATA.graph.nodes.length) views.push({ name: "references", title: "References" });
  if (DATA.runs.length) views.push({ name: "results", title: "Results" });
  if (DATA.judges.length) views.push({ name: "judges", title: "Judges" });
  if (DATA.changes) views.push({ name: "changes", title: "Changes", badge: DATA.changes.wrong ? String(DATA.changes.wrong) : null });
  return views;
}

makeOverview();
makeTabs(viewsWithContent());
const moving = { findings: makeFindings(), results: DATA.runs.length ? makeResults() : undefined };
if (DATA.coverage.length) makeCoverage();
if (DATA.graph.nodes.length) makeGraph();
if (DATA.judges.length) makeJudges();
if (DATA.changes) makeChanges();
makeKeys(moving);
byId("skip").addEventListener("click", (event) => {
  byId("main").focus();
  event.preventDefault();
});
const filters = el("p", { class: "printed" });
byId("main").prepend(filters);
addEventListener("beforeprint", () => {
  filters.textContent = filtersText();
  Object.values(moving).forEach((view) => view?.spread());
});
addEventListener("afterprint", () => Object.values(moving).forEach((view) => view?.gather()));
begin();
document.documentElement.dataset.ready = "true";
