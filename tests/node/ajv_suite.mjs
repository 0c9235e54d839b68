// Runs the conformance suite through ajv and prints one JSON array: for each case, in the order
// of the files by path, `{file, group, description, valid, errors}`.
//
//     node ajv_suite.mjs SCHEMA_FOLDER SUITE_FOLDER

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020.js";

const NAMES = ["dataset", "rubric", "judge", "target"];
const [schemaFolder, suiteFolder] = process.argv.slice(2);
const read = (...parts) => JSON.parse(readFileSync(join(...parts), "utf-8"));

// Of ajv's own strict mode, `strictTypes` and `strictRequired` want keywords repeated that stand
// beside each other in the schemas; the rest of it is on.
const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
});
const validators = Object.fromEntries(
  NAMES.map((name) => [name, ajv.compile(read(schemaFolder, `${name}.schema.json`))]),
);

// ajv says of an `if` that its branch failed, and repeats what fails inside of an `anyOf`.
const isOwn = (error) => error.keyword !== "if" && !error.schemaPath.includes("/anyOf/");

function stated({ instancePath, keyword, params }) {
  const property = params.missingProperty ?? params.additionalProperty;
  return property === undefined
    ? { path: instancePath, keyword }
    : { path: instancePath, keyword, property };
}

function run(file, { description: group, schema, tests }) {
  const validate = validators[schema];
  return tests.map(({ description, data }) => {
    const valid = validate(data);
    const errors = (validate.errors ?? []).filter(isOwn).map(stated);
    return { file, group, description, valid, errors };
  });
}

const verdicts = NAMES.flatMap((folder) =>
  readdirSync(join(suiteFolder, folder))
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap((name) =>
      read(suiteFolder, folder, name).flatMap((group) => run(`${folder}/${name}`, group)),
    ),
);
process.stdout.write(JSON.stringify(verdicts));
