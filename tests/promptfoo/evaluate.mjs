// Evaluate a suite of promptfoo, which is JSON on standard input, and let it write its results to the
// file that is the argument: `results.json` or `results.jsonl`.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

process.env.PROMPTFOO_DISABLE_TELEMETRY = "1";
process.env.PROMPTFOO_DISABLE_UPDATE = "1";
process.env.PROMPTFOO_CONFIG_DIR = mkdtempSync(path.join(tmpdir(), "promptfoo-"));
process.env.LOG_LEVEL = "none";
const { default: promptfoo } = await import("promptfoo");

const suite = JSON.parse(readFileSync(0, "utf8"));
const answers = suite.answers;
delete suite.answers;
// A provider answers each prompt with what is written for it.
const provider = {
  id: () => "recorded",
  callApi: async (prompt) => answers[prompt] ?? { error: `nothing is recorded for ${prompt}` },
};
await promptfoo.evaluate({ ...suite, providers: [provider], outputPath: process.argv[2] });
process.exit(0);
