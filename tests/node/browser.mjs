// Drives a real Chromium for the tests of the HTML report: a call a line on standard input, an answer
// a line on standard output. A call is `{"call": "page.keyboard.press", "given": ["j"]}`.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

// Without these, Chromium asks its maker for updates and more.
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];

const folder = mkdtempSync(join(tmpdir(), "report-browser-"));
const context = await chromium.launchPersistentContext(folder, {
  executablePath: process.argv[2], headless: true, args: FLAGS, viewport: { width: 1280, height: 900 },
});
let page = context.pages()[0];
let seen = { console: [], requests: [] };

const own = {
  /** Open a page anew, and note what it says and what it asks for. */
  async open(address, width, height) {
    await page.close();
    page = await context.newPage();
    await page.setViewportSize({ width, height });
    seen = { console: [], requests: [] };
    page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => seen.console.push(`error: ${error} ${error.stack}`));
    page.on("request", (request) => seen.requests.push(request.url()));
    await page.goto(address);
    const isReady = () => document.documentElement.dataset.ready === "true";
    await page.waitForFunction(isReady).catch((error) => {
      throw new Error([error, ...seen.console].join("\n"));
    });
  },
  seen: () => seen,
  /** Return the value of an expression in the frame that has an element. */
  async framed(selector, expression) {
    for (const frame of page.frames()) {
      if (await frame.$(selector)) return frame.evaluate(expression);
    }
    throw new Error(`no frame has ${selector}`);
  },
  /** Click on what saves a file; return its name and its text. */
  async saved(selector) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
  },
  /** Return what axe-core finds, except what is minor. */
  async axe() {
    await page.evaluate(readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map((node) => `${node.html} ${node.failureSummary}`) }));
  },
};

async function answer({ call, given }) {
  if (call in own) return own[call](...given);
  const names = call.split(".").slice(1);
  const method = names.pop();
  const owner = names.reduce((value, name) => value[name], page);
  const result = await owner[method](...given);
  // What the page returns of itself, such as an element, stays here.
  return Buffer.isBuffer(result) || typeof result?.dispose === "function" ? null : result;
}

for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    said = { result: (await answer(JSON.parse(line))) ?? null };
  } catch (error) {
    said = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
await context.close();
rmSync(folder, { recursive: true, force: true });
