// Bundles the extension into one file, with the licences of what is in it beside; with the name of a .vsix
// file, also packs that. The same sources give the same bytes, whoever packs them, and where.

import { createVSIX } from "@vscode/vsce";
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  external: ["vscode"],
  metafile: true,
});
const inside = Object.keys(metafile.inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
const notices = [...new Set(inside)].filter(Boolean).sort().map((name) => {
  const folder = join("node_modules", name);
  const files = readdirSync(folder).filter((each) => /^licen[cs]e/i.test(each)).sort();
  if (!files.length) {
    throw new Error(`${name} has no licence`);
  }
  return [name, ...files.map((each) => readFileSync(join(folder, each), "utf8").trim())].join("\n\n");
});
writeFileSync("out/NOTICES.txt", `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);

const packagePath = process.argv[2];
if (packagePath) {
  process.env.TZ = "UTC"; // of the times in the archive, which are those of the commit
  process.env.SOURCE_DATE_EPOCH ??= execFileSync("git", ["log", "-1", "--format=%ct"], { encoding: "utf8" }).trim();
  for (const entry of readdirSync(".", { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && !entry.parentPath.startsWith("node_modules")) {
      chmodSync(join(entry.parentPath, entry.name), 0o644); // which the archive keeps, too
    }
  }
  // The readme has its pictures beside it, until the repository has an address.
  await createVSIX({ packagePath, dependencies: false, allowMissingRepository: true, rewriteRelativeLinks: false });
}
