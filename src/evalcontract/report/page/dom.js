// Elements are made here alone. Texts become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an element: attributes by name, `on` with listeners, children as nodes or texts. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an element of a picture. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** Return the element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Return a link to a page on the web; a text if the address is none. */
export function outside(address, text, title) {
  if (!/^https:\/\//.test(address ?? "")) return el("span", { class: "code", title }, text);
  return el("a", { class: "code", title, href: address, rel: "noopener noreferrer", target: "_blank" }, text);
}

/** Return a text in which what stands between backticks is code. */
export function withCode(text) {
  return text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));
}

let announced = null;

/** Say something to those who listen to the page. */
export function announce(text) {
  announced ??= document.body.appendChild(el("div", { class: "hidden", role: "status" }));
  announced.textContent = text;
}
