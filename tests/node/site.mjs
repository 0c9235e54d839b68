// Opens pages of the site in Chromium, on a desktop and on a phone, light and dark: prints one JSON
// list of what is wrong, as texts.
//
//     node site.mjs CHROMIUM ADDRESS PAGE...

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [executablePath, address, ...pages] = process.argv.slice(2);
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const browser = await chromium.launch({
  executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const wrong = [];

/** List what is wider than its place, pictures that are not there, and what axe finds. */
async function faults() {
  // On a desktop, a table of 20 columns scrolls.
  const tables = innerWidth < 600 ? document.querySelectorAll(".table-wrapper") : [];
  const wide = [document.documentElement, ...tables]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => `wider than its place: ${element.innerText.slice(0, 80)}`);
  const lost = [...document.images]
    .filter((image) => image.offsetParent && !image.naturalWidth)
    .map((image) => `no picture: ${image.src}`);
  const { violations } = await globalThis.axe.run();
  return [...wide, ...lost, ...violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)];
}

for (const width of [1280, 360]) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const page = await context.newPage();
    for (const name of pages) {
      await page.goto(new URL(name, address).href);
      await page.evaluate(axe);
      const found = await page.evaluate(faults);
      wrong.push(...found.map((text) => `${name || "/"} at ${width}, ${colorScheme}: ${text}`));
    }
    await context.close();
  }
}
await browser.close();
console.log(JSON.stringify(wrong, null, 1));
