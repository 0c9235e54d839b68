// A map of rows by checks on a canvas: it draws what can be seen, however many rows there are.

import { el, withCode } from "./dom.js";
import { SHAPES } from "./legend.js";
import { onTheme } from "./theme.js";

const CELL = 18;
const BAND = 22;
const HEAD = 128;
// A column may be as wide as that if there is room; from WORDS on, names lie and states have their word.
const WIDEST = 170;
const WORDS = 96;
const LINE = 28;

/**
 * Make a map in a host element. `describe(row, column)` tells of a cell, or of a row if the column
 * is -1, as `{ title, text }`; `choose(row, column)` is called for a chosen one.
 */
export function heatmap({ label, describe, choose }) {
  const canvas = el("canvas", { "aria-hidden": "true" });
  const spacer = el("div", { class: "spacer" }, canvas);
  const tip = el("div", { class: "tip", hidden: true });
  const host = el(
    "div",
    {
      class: "heatmap", tabindex: 0, role: "application", "aria-roledescription": "map of rows by checks",
      "aria-label": label, "aria-describedby": "heatmap-keys",
    },
    spacer,
  );
  const said = el("p", { class: "said", role: "status" });
  const whole = el("div", { class: "heatmap-frame" }, host, tip, said);
  const pen = canvas.getContext("2d");
  let table = { columns: [], rows: [] };
  let cursor = null;
  let frame = 0;
  let colours = {};
  let glyphs = {};
  let scale = 1;
  let names = 170;
  let wide = CELL;
  let head = HEAD;

  function colourOf(name) {
    const probe = el("span", { class: `probe-${name}` });
    whole.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  }

  function prepare() {
    const wanted = ["text", "muted", "line", "surface", "accent", ...Object.keys(SHAPES)];
    colours = Object.fromEntries(wanted.map((name) => [name, colourOf(name)]));
    scale = devicePixelRatio || 1;
    glyphs = Object.fromEntries(Object.keys(SHAPES).map((name) => [name, glyph(name)]));
  }

  function glyph(name) {
    const made = document.createElement("canvas");
    made.width = made.height = Math.round(16 * scale);
    const own = made.getContext("2d");
    own.scale(made.width / 16, made.height / 16);
    const path = new Path2D(SHAPES[name].path);
    own.lineWidth = 1.7;
    own.fillStyle = own.strokeStyle = colours[name];
    if (SHAPES[name].filled) own.fill(path);
    else own.stroke(path);
    return made;
  }

  function size() {
    names = host.clientWidth < 560 ? 96 : 190;
    wide = Math.max(CELL, Math.min(WIDEST, Math.floor((host.clientWidth - names - 12) / table.columns.length)));
    head = wide < WORDS ? HEAD : LINE;
    if (host.clientWidth >= 560) names = Math.max(names, Math.min(400, host.clientWidth - 12 - wide * table.columns.length));
    spacer.style.width = `${names + table.columns.length * wide + 12}px`;
    spacer.style.height = `${BAND + head + table.rows.length * CELL + 8}px`;
    host.style.height = `${BAND + head + table.rows.length * CELL + 28}px`;
    const [width, height] = [host.clientWidth, host.clientHeight];
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }

  function clip(text, room) {
    if (pen.measureText(text).width <= room) return text;
    let end = text.length;
    while (end > 1 && pen.measureText(`${text.slice(0, end)}…`).width > room) end -= 1;
    return `${text.slice(0, end)}…`;
  }

  function draw() {
    frame = 0;
    if (!host.offsetParent) return;
    const [width, height] = [host.clientWidth, host.clientHeight];
    const [left, top] = [host.scrollLeft, host.scrollTop];
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.fillStyle = colours.surface;
    pen.fillRect(0, 0, width, height);
    const firstRow = Math.floor(top / CELL);
    const lastRow = Math.min(table.rows.length - 1, Math.ceil((top + height - BAND - head) / CELL));
    const firstColumn = Math.floor(left / wide);
    const lastColumn = Math.min(table.columns.length - 1, Math.ceil((left + width - names) / wide));
    const x = (column) => names + column * wide - left;
    const y = (row) => BAND + head + row * CELL - top;
    cells(firstRow, lastRow, firstColumn, lastColumn, x, y);
    rowNames(firstRow, lastRow, y, height);
    columnNames(firstColumn, lastColumn, x, width);
    mark(x, y);
  }

  function cells(firstRow, lastRow, firstColumn, lastColumn, x, y) {
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.fillStyle = colours.muted;
    for (let row = firstRow; row <= lastRow; row += 1) {
      const states = table.rows[row].states;
      for (let column = firstColumn; column <= lastColumn; column += 1) {
        const state = states ? states[column] : "unknown";
        if (!state) continue;
        const isWord = wide >= WORDS;
        pen.drawImage(glyphs[state], x(column) + (isWord ? 5 : (wide - 16) / 2), y(row) + 1, 16, 16);
        if (isWord) pen.fillText(clip(state, wide - 34), x(column) + 27, y(row) + CELL / 2);
      }
    }
  }

  function rowNames(firstRow, lastRow, y, height) {
    pen.fillStyle = colours.surface;
    pen.fillRect(0, 0, names - 4, height);
    pen.font = "12px ui-monospace, monospace";
    pen.textBaseline = "middle";
    for (let row = firstRow; row <= lastRow; row += 1) {
      pen.fillStyle = table.rows[row].hasFindings ? colours.text : colours.muted;
      if (table.rows[row].hasFindings) pen.fillRect(0, y(row) + 3, 3, CELL - 6);
      pen.fillText(clip(table.rows[row].name, names - 18), 8, y(row) + CELL / 2);
    }
  }

  function columnNames(firstColumn, lastColumn, x, width) {
    pen.fillStyle = colours.surface;
    pen.fillRect(0, 0, width, BAND + head);
    pen.save();
    pen.beginPath();
    pen.rect(names, 0, width, BAND + head);
    pen.clip();
    for (const group of table.groups) {
      const [start, end] = [x(group.start), x(group.end)];
      if (end < names || start > width) continue;
      pen.fillStyle = colours.line;
      pen.fillRect(start, 0, 1, BAND + head);
      pen.fillStyle = colours.text;
      pen.font = "600 12px system-ui, sans-serif";
      const from = Math.max(start, names);
      const room = (group === table.groups.at(-1) ? width : end) - from - 10;
      const name = room > 20 ? clip(group.name.replace(/^rubric\//, ""), room) : "";
      pen.fillText(name, from + 5, BAND / 2);
    }
    pen.font = "12px ui-monospace, monospace";
    pen.fillStyle = colours.muted;
    for (let column = firstColumn; column <= lastColumn; column += 1) {
      if (head === LINE) {
        pen.fillText(clip(table.columns[column].check, wide - 12), x(column) + 5, BAND + head / 2);
        continue;
      }
      pen.save();
      pen.translate(x(column) + wide / 2, BAND + head - 5);
      pen.rotate(-Math.PI / 2);
      pen.fillText(clip(table.columns[column].check, head - 10), 0, 0);
      pen.restore();
    }
    pen.restore();
    pen.fillStyle = colours.surface;
    pen.fillRect(0, 0, names, BAND + head);
    pen.fillStyle = colours.line;
    pen.fillRect(0, BAND + head - 1, width, 1);
  }

  function mark(x, y) {
    if (!cursor) return;
    const [row, column] = cursor;
    const [left, top] = [column < 0 ? 1 : x(column), y(row)];
    if (top < BAND + head - CELL / 2 || (column >= 0 && left < names - wide / 2)) return;
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 2;
    pen.strokeRect(left, top, column < 0 ? names - 6 : wide, CELL);
  }

  function later() {
    frame ||= requestAnimationFrame(draw);
  }

  function hit(event) {
    const box = host.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    if (py < BAND + head || px > host.clientWidth || py > host.clientHeight) return null;
    const row = Math.floor((py - BAND - head + host.scrollTop) / CELL);
    const column = px < names ? -1 : Math.floor((px - names + host.scrollLeft) / wide);
    if (row >= table.rows.length || column >= table.columns.length) return null;
    return [row, column];
  }

  function point(event) {
    const cell = hit(event);
    tip.hidden = !cell;
    if (!cell) return;
    const { title, text } = describe(...cell);
    tip.replaceChildren(el("b", {}, title), el("span", {}, withCode(text)));
    const box = whole.getBoundingClientRect();
    const right = Math.max(4, Math.min(event.clientX - box.left + 14, whole.clientWidth - tip.offsetWidth - 4));
    tip.style.left = `${right}px`;
    tip.style.top = `${event.clientY - box.top + 16}px`;
  }

  function go(row, column) {
    cursor = [
      Math.max(0, Math.min(row, table.rows.length - 1)),
      Math.max(-1, Math.min(column, table.columns.length - 1)),
    ];
    const top = cursor[0] * CELL;
    const room = host.clientHeight - BAND - head - CELL;
    if (top < host.scrollTop) host.scrollTop = top;
    if (top > host.scrollTop + room) host.scrollTop = top - room;
    const left = Math.max(cursor[1], 0) * wide;
    const across = host.clientWidth - names - wide;
    if (left < host.scrollLeft) host.scrollLeft = left;
    if (left > host.scrollLeft + across) host.scrollLeft = left - across;
    tell();
  }

  function tell() {
    const { title, text } = describe(...cursor);
    said.replaceChildren(el("b", {}, title), " ", ...withCode(text));
    choose(...cursor);
    later();
  }

  const MOVES = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
    PageUp: [-20, 0], PageDown: [20, 0], Home: [-Infinity, 0], End: [Infinity, 0],
  };
  host.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (!move || !table.rows.length) return;
    const [row, column] = cursor ?? [-1, 0];
    go(row + move[0], Math.max(column, event.key === "ArrowLeft" ? column : 0) + move[1]);
    event.preventDefault();
  });
  host.addEventListener("scroll", later, { passive: true });
  host.addEventListener("pointermove", point);
  host.addEventListener("pointerleave", () => { tip.hidden = true; });
  host.addEventListener("click", (event) => {
    cursor = hit(event) ?? cursor;
    if (cursor) tell();
  });
  new ResizeObserver(() => { size(); draw(); }).observe(host);
  onTheme(() => { prepare(); later(); });

  return {
    node: whole,
    /** Show a table: rows with `name`, `states` and `hasFindings`, columns with `check`, groups. */
    set(wanted) {
      table = wanted;
      cursor = null;
      said.replaceChildren();
      prepare();
      size();
      host.scrollTop = host.scrollLeft = 0;
      draw();
    },
    draw: () => { size(); draw(); },
  };
}
