// Validate each line of a JSONL file: node ajv.cjs SCHEMA FILE, with ajv in NODE_PATH or beside.
"use strict";

const fs = require("fs");
const { StringDecoder } = require("string_decoder");
const Ajv = require("ajv/dist/2020").default;

const [schema, file] = process.argv.slice(2);
const validate = new Ajv({ strict: false }).compile(JSON.parse(fs.readFileSync(schema, "utf8")));

const chunk = Buffer.allocUnsafe(1 << 20);
const decoder = new StringDecoder("utf8");
const input = fs.openSync(file, "r");
let rest = "";
let rows = 0;
let bad = 0;

function check(line) {
  if (line === "") return;
  rows += 1;
  if (!validate(JSON.parse(line))) bad += 1;
}

for (;;) {
  const length = fs.readSync(input, chunk, 0, chunk.length, null);
  if (length === 0) break;
  const lines = (rest + decoder.write(chunk.subarray(0, length))).split("\n");
  rest = lines.pop();
  lines.forEach(check);
}
check(rest);
console.log(`${rows} rows, ${bad} bad`);
