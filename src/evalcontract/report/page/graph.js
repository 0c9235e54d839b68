// The graph of references as a picture, and as a list for those who cannot see it.

import { byId, el, svg } from "./dom.js";
import { DATA, many } from "./data.js";
import { follow, fragment } from "./state.js";

// What fits into a box.
const NAME = 18;
const FACTS = 25;

function short(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function curve({ points, start, end }) {
  if (start === end) {
    const [[fromX, fromY], [toX, toY]] = points;
    return `M${fromX} ${fromY} C${fromX + 12} ${fromY + 28} ${toX - 12} ${toY + 28} ${toX} ${toY}`;
  }
  const [first, ...rest] = points;
  let path = `M${first[0]} ${first[1]}`;
  let [x, y] = first;
  for (const [toX, toY] of rest) {
    const middle = (x + toX) / 2;
    path += ` C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  }
  return path;
}

function kindOf(node) {
  return node.missing ? "missing" : node.kind;
}

function fullName(node) {
  if (node.kind === "dataset") return `${node.name} (${node.detail})`;
  return `${node.kind}/${node.name}${node.detail ? `@${node.detail}` : ""}`;
}

function edgeText(edge, graph) {
  const end = graph.nodes[edge.end];
  const facts = [];
  if (edge.uses > 1) facts.push(many(edge.uses, "reference"));
  if (!edge.pinned) facts.push("no version");
  if (edge.in_cycle) facts.push("part of a cycle");
  if (end.missing) facts.push("does not exist");
  return `${fullName(end)}${facts.length ? ` (${facts.join(", ")})` : ""}`;
}

function drawn(graph, findings) {
  const picture = svg("svg", {
    viewBox: `0 0 ${graph.width} ${graph.height}`, width: graph.width, height: graph.height, role: "group",
    "aria-label": "Graph of references; the list below says the same",
  });
  picture.append(svg("defs", {}, svg(
    "marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerUnits: "userSpaceOnUse", markerWidth: 10, markerHeight: 10, orient: "auto-start-reverse" },
    svg("path", { d: "M0 0L8 4L0 8Z", class: "head" }),
  )));
  const lines = graph.edges.map((edge) => {
    const kinds = [edge.in_cycle && "cycle", !edge.pinned && "unpinned", graph.nodes[edge.end].missing && "dangling"];
    const line = svg("path", { d: curve(edge), class: ["edge", ...kinds].filter(Boolean).join(" "), "marker-end": "url(#arrow)" },
      svg("title", {}, `${fullName(graph.nodes[edge.start])} → ${edgeText(edge, graph)}`));
    picture.append(line);
    return line;
  });
  const [width, height] = graph.box;
  for (const [at, node] of graph.nodes.entries()) {
    const count = node.file ? findings.get(node.file) ?? 0 : 0;
    const facts = [node.kind, node.detail, node.in_cycle && "cycle", node.missing && "missing"].filter(Boolean);
    const box = [
      svg("title", {}, `${fullName(node)}${count ? `: ${many(count, "finding")}` : ""}`),
      svg("rect", { width, height, rx: node.kind === "dataset" ? 3 : node.kind === "judge" ? 24 : 10 }),
      svg("text", { x: 16, y: 22, class: "node-name" }, short(node.kind === "dataset" ? node.name.split("/").at(-1) : node.name, NAME)),
      svg("text", { x: 16, y: 40, class: "node-facts" }, short(facts.join(" · "), FACTS)),
      count ? [svg("circle", { cx: width - 4, cy: 4, r: 11, class: "count-back" }), svg("text", { x: width - 4, y: 8, class: "count-text" }, String(Math.min(count, 99)))] : [],
    ].flat();
    const near = (isOn) => {
      for (const [number, edge] of graph.edges.entries()) {
        lines[number].classList.toggle("near", isOn && (edge.start === at || edge.end === at));
      }
    };
    const attributes = {
      class: `node ${kindOf(node)} ${node.in_cycle ? "cycle" : ""}`, transform: `translate(${node.at[0]} ${node.at[1]})`,
      on: { mouseenter: () => near(true), mouseleave: () => near(false), focusin: () => near(true), focusout: () => near(false) },
    };
    picture.append(count
      ? svg("a", { ...attributes, href: fragment({ view: "findings", file: [node.file], code: [], severity: [], q: "" }) }, box)
      : svg("g", attributes, box));
  }
  return picture;
}

function listed(graph) {
  return el("ul", { class: "references" }, graph.nodes.map((node, at) => {
    const uses = graph.edges.filter((edge) => edge.start === at);
    const facts = [node.missing && "does not exist", node.in_cycle && "in a cycle"].filter(Boolean);
    return el(
      "li", {}, el("span", { class: "name" }, fullName(node)), facts.length ? ` (${facts.join(", ")})` : "",
      uses.length ? el("ul", {}, uses.map((edge) => el("li", {}, `→ ${edgeText(edge, graph)}`))) : null,
    );
  }));
}

function key(graph) {
  const entries = [
    ["", "reference with a version", true],
    ["unpinned", "without a version: the newest is used", graph.edges.some((edge) => !edge.pinned)],
    ["dangling", "to what does not exist", graph.nodes.some((node) => node.missing)],
    ["cycle", "part of a cycle", graph.edges.some((edge) => edge.in_cycle)],
  ];
  return el("ul", { class: "legend", "aria-label": "Legend" }, entries.filter((entry) => entry[2]).map(([name, text]) =>
    el("li", {}, svg("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true" },
      svg("path", { d: "M1 6H33", class: `edge ${name}` })), text)));
}

/** Make the view. */
export function makeGraph() {
  const graph = DATA.graph;
  const findings = new Map();
  for (const excerpt of DATA.excerpts) {
    findings.set(excerpt.file, (findings.get(excerpt.file) ?? 0) + excerpt.findings.length);
  }
  const picture = el("div", { class: "graph", tabindex: 0, role: "region", "aria-label": "Picture of the references" }, drawn(graph, findings));
  byId("references").replaceChildren(
    el("h2", { class: "hidden" }, "References"),
    key(graph),
    picture,
    el("details", { open: graph.nodes.length <= 40 }, el("summary", {}, "The same as a list"), listed(graph)),
  );
  // A large picture begins where the first dataset is, and not between the rubrics above it.
  const first = Math.min(...graph.nodes.filter((node) => node.kind === "dataset").map((node) => node.at[1]));
  let isNew = true;
  follow(() => {
    if (!isNew || byId("references").hidden) return;
    isNew = false;
    if (first > picture.clientHeight - graph.box[1]) picture.scrollTop = first - picture.clientHeight / 3;
  });
}
