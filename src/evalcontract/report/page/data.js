// What Python put into the page. Nothing is decided here: severities of all modes are in it.

import { byId } from "./dom.js";

export const DATA = JSON.parse(byId("data").textContent);

export const SEVERITIES = ["error", "warning", "note"];

const FORMAT = new Intl.NumberFormat("en-US");

/** Write a number with separators of thousands. */
export function figure(count) {
  return FORMAT.format(count);
}

/** Write how many there are of something. */
export function many(count, noun) {
  return `${figure(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Write a share as a percentage, rounded down, so that 100 % means all. */
export function percent(share) {
  return `${(Math.floor(share * 10) / 10).toFixed(1)} %`;
}
