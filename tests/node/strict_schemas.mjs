// Compiles JSON Schemas with the strict mode of ajv, as the catalogue of SchemaStore does: prints one
// JSON object, what it refuses by file. The arguments are keywords of editors and files.
//
//     node strict_schemas.mjs KEYWORD,... FILE...

import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";

const [keywords, ...files] = process.argv.slice(2);
const refused = {};
for (const file of files) {
  // Types and required keys often stand beside a branch rather than in it.
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  ajv.addVocabulary(keywords.split(","));
  try {
    ajv.compile(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    refused[file] = error.message;
  }
}
console.log(JSON.stringify(refused));
