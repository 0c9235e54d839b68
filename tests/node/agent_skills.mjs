// Load texts as the evals.json of a skill with agent-skills-eval, one verdict a line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadSkill } from "agent-skills-eval";

for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const folder = mkdtempSync(path.join(tmpdir(), "skill-"));
  mkdirSync(path.join(folder, "evals"));
  writeFileSync(path.join(folder, "SKILL.md"), "---\nname: tides\n---\nTides.\n");
  writeFileSync(path.join(folder, "evals", "evals.json"), text);
  try {
    console.log(JSON.stringify({ evals: loadSkill(folder).evals }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.message) }));
  }
  rmSync(folder, { recursive: true });
}
