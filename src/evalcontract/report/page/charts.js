// Charts with axes, as pictures of the page; each says in words what it shows.

import { el, svg } from "./dom.js";
import { figure } from "./data.js";

const EDGE = { top: 16, right: 12, bottom: 22, left: 30 };
const LETTER = 6.5; // about as wide as one of a label
const ROW = 13;

/** Return a frame to draw in: its picture, and what turns shares of the axes into places. */
export function frame(label, width, height, ticks, rows = 1) {
  const [right, top, bottom] = [width - EDGE.right, EDGE.top + ROW * (rows - 1), height - EDGE.bottom];
  const left = Math.max(EDGE.left, 10 + LETTER * Math.max(...ticks.y.map(([, text]) => text.length)));
  const x = (share) => left + share * (right - left);
  const y = (share) => bottom - share * (bottom - top);
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    svg("title", {}, label),
    svg("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
    ticks.x.map(([share, text]) => [svg("path", { class: "axis", d: `M${x(share)} ${bottom}v3` }),
      svg("text", { class: "tick", x: x(share), y: bottom + 15, "text-anchor": "middle" }, text)]),
    ticks.y.map(([share, text]) => [svg("path", { class: "axis", d: `M${left} ${y(share)}h-3` }),
      svg("text", { class: "tick", x: left - 6, y: y(share) + 4, "text-anchor": "end" }, text)]));
  return { picture, x, y };
}

/** The ticks of an axis from 0 to 1. */
export const SHARES = [0, 0.25, 0.5, 0.75, 1].map((share) => [share, String(share)]);

/** Return the distribution of scores from 0 to 1, with the threshold and the mean. */
export function distribution({ bins, threshold, point, interval, scored }, { width = 340, height = 150 } = {}) {
  const most = Math.max(...bins, 1);
  const isSmall = height < 100;
  const text = bins.map((count, at) => `${(at / 10).toFixed(1)}: ${count}`).join(", ");
  const known = point === null ? "" : `mean ${point.toFixed(2)}${interval ? ` (${interval[0].toFixed(2)} to ${interval[1].toFixed(2)})` : ""}`;
  const label = `${figure(scored)} scores from 0 to 1, by tenths: ${text}`
    + `${known ? `; ${known}` : ""}${threshold === null ? "" : `; threshold ${threshold}`}`;
  const { picture, x, y } = frame(label, width, height, {
    x: isSmall ? [SHARES[0], SHARES[4]] : SHARES,
    y: isSmall ? [[1, figure(most)]] : [[0, "0"], [1, figure(most)]],
  }, isSmall ? 1 : 2);
  const step = x(1 / bins.length) - x(0);
  for (const [at, count] of bins.entries()) {
    if (!count) continue;
    picture.append(svg("rect", { class: "column", x: x(at / bins.length) + 1, width: step - 2, y: y(count / most), height: y(0) - y(count / most) }));
  }
  if (interval) {
    picture.append(svg("rect", { class: "band", x: x(interval[0]), width: Math.max(1, x(interval[1]) - x(interval[0])), y: y(1) - 6, height: y(0) - y(1) + 6 }));
  }
  if (threshold !== null) rule(picture, x, y, threshold, "threshold", isSmall ? "" : `threshold ${threshold}`, { row: 1, width });
  if (point !== null) rule(picture, x, y, point, "point", isSmall ? "" : known, { row: 0, width });
  return picture;
}

/** Draw a line across the chart, with its text in a row of its own above, moved to where it is not cut off. */
function rule(picture, x, y, at, name, text, { row, width }) {
  picture.append(svg("path", { class: `rule ${name}`, d: `M${x(at)} ${y(1) - 6}V${y(0)}` }));
  const half = (LETTER * text.length) / 2;
  const middle = Math.max(half, Math.min(x(at), width - half));
  if (text) picture.append(svg("text", { class: `tick ${name}`, x: middle, y: y(1) - 8 - row * ROW, "text-anchor": "middle" }, text));
}

/** Write a share with its 95 % interval; without one, the sample is too small to say. */
export function rateText([count, all, interval]) {
  if (!all) return ["–"];
  const whole = (share) => `${Math.round(100 * share)}`;
  return [`${whole(count / all)} %`, interval ? el("span", { class: "ends" }, `(${interval.map(whole).join(" to ")} %)`) : null];
}
