// Runs the conformance fixtures, and lists what it does not check.
//
//     node dist/conformance.js SCHEMA_FOLDER FIXTURES_FOLDER
//
// The exit code is 1 if a verdict is another one, or if there is nothing to run, 2 without the folders.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { isMap, isNode, isSeq, LineCounter, parseAllDocuments, type Node, type YAMLMap } from "yaml";
import { type Artifact, exact, type Fault, type Kind, Library, textOf, usesIn } from "./library.js";

const SCHEMAS = ["dataset", "rubric", "judge", "target"];
/** The codes that this port finds in workspaces. */
const CHECKED = new Set([
  "reference/unpinned", "reference/dangling", "rubric/cycle",
  "rubric/duplicate-version", "judge/duplicate-version", "dataset/duplicate-id",
]); // prettier-ignore
type Place = { path: string; keyword: string; property?: string };
type Case = { description: string; data: unknown; valid: boolean; errors?: Place[] };
type Group = { description: string; schema: string; tests: Case[] };
type Finding = [file: string, line: number | null, column: number | null, severity: string, code: string];
const differences: string[] = [];
let count = 0;

function parsed<T>(...parts: string[]): T {
  return JSON.parse(readFileSync(join(...parts), "utf-8")) as T;
}

// The schemas, with ajv

/** Whether ajv says it of its own: not that a branch failed, nor what fails inside of an `anyOf`. */
function isOwn(error: ErrorObject): boolean {
  return error.keyword !== "if" && !error.schemaPath.includes("/anyOf/");
}

function stated({ instancePath, keyword, params }: ErrorObject): Place {
  const property: string | undefined = params["missingProperty"] ?? params["additionalProperty"];
  return property === undefined ? { path: instancePath, keyword } : { path: instancePath, keyword, property };
}

function asText(places: Place[]): string {
  return places.map((each) => JSON.stringify([each.path, each.keyword, each.property])).sort().join(" ");
}

function runSchemas(schemas: string, suite: string): void {
  // Strict mode, but for two options that want keywords repeated that stand beside each other.
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
  for (const name of SCHEMAS) {
    const validate: ValidateFunction = ajv.compile(parsed<object>(schemas, `${name}.schema.json`));
    for (const file of readdirSync(join(suite, name)).sort())
      for (const group of parsed<Group[]>(suite, name, file))
        for (const each of group.tests) {
          count += 1;
          const isValid = validate(each.data);
          const errors = asText((validate.errors ?? []).filter(isOwn).map(stated));
          const where = `${name}/${file}, ${group.description}, ${each.description}`;
          if (isValid !== each.valid) differences.push(`${where}: it is ${isValid ? "" : "in"}valid here`);
          else if (!isValid && errors !== asText(each.errors ?? [])) differences.push(`${where}: ${errors}`);
        }
  }
}

// Workspaces

/** The value of a file, or of a line of one: where it begins, and how its places are found. */
type Part = { root: Node | null; place: (node: Node) => [number, number] };

/** Return the values of a file; none if it cannot be read. A line of JSON Lines is a value. */
function partsOf(path: string): Part[] {
  const text = readFileSync(path, "utf-8");
  const isLines = path.endsWith(".jsonl");
  const pieces = isLines ? text.split("\n") : [text];
  return pieces.flatMap((piece, before) => {
    const counter = new LineCounter();
    const documents = parseAllDocuments(piece, { lineCounter: counter, uniqueKeys: true });
    const document = Array.isArray(documents) ? documents[0] : undefined;
    if (!document || document.errors.length || (isLines && !piece.trim())) return [];
    const place = (node: Node): [number, number] => {
      const { line, col } = counter.linePos(node.range![0]);
      const start = counter.lineStarts[line - 1]!;
      return [before + line, [...piece.slice(start, start + col - 1)].length + 1];
    };
    return [{ root: isNode(document.contents) ? document.contents : null, place }];
  });
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true }).map(String).sort().filter((name) => /\.(ya?ml|jsonl?)$/u.test(name));
}

/** Return the id that a file without a value has by its name: `tone`, `tone@1.0` or `tone/1.0`. */
function idByName(name: string): string {
  return name.split("/")[0]!.replace(/\.[a-z]+$/u, "").split("@")[0]!;
}

function* rowsOf(part: Part): Generator<Node> {
  const { root } = part;
  const rows = isMap(root) && root.has("questions") ? root.get("questions", true) : root;
  if (isSeq(rows)) yield* rows.items.filter(isNode);
  else if (isMap(rows)) yield rows;
}

function* duplicateIds(parts: Part[]): Generator<[Part, Fault]> {
  const seen = new Set<string>();
  for (const part of parts)
    for (const row of rowsOf(part)) {
      const id = isMap(row) ? textOf(row, "id") : undefined;
      const node = isMap(row) ? row.get("id", true) : undefined;
      if (id === undefined || !node) continue;
      if (seen.has(id)) yield [part, { code: "dataset/duplicate-id", node }];
      seen.add(id);
    }
}

function findings(workspace: string): Finding[] {
  const found: Finding[] = [];
  const artifacts: Artifact[] = [];
  const unreadable = new Set<string>();
  const parts = new Map<string, Part[]>();
  const tell = (file: string, part: Part, { code, node }: Fault): void => {
    found.push([file, ...part.place(node), "error", code]);
  };
  for (const folder of ["rubrics", "judges", "datasets"])
    for (const name of filesBelow(join(workspace, folder))) {
      const file = `${folder}/${name}`;
      const read = partsOf(join(workspace, file));
      parts.set(file, read);
      const kind = { rubrics: "rubric", judges: "judge" }[folder] as Kind | undefined;
      const root = read[0]?.root;
      if (kind && isMap(root)) {
        const map = root as YAMLMap;
        artifacts.push({ kind, file, id: textOf(map, "id"), version: exact(map.get("version")), root: map });
      } else if (kind) unreadable.add(`${kind}/${idByName(name)}`);
    }
  const library = new Library(artifacts, unreadable);
  for (const [file, read] of parts) {
    for (const part of read)
      for (const use of usesIn(part.root)) {
        const fault = library.faultOf(use);
        if (fault) tell(file, part, fault);
      }
    if (file.startsWith("datasets/")) for (const [part, fault] of duplicateIds(read)) tell(file, part, fault);
  }
  const between = [...library.duplicates(), ...library.cycles()];
  for (const [{ file }, fault] of between) tell(file, parts.get(file)![0]!, fault);
  return found;
}

function runWorkspaces(folder: string): Set<string> {
  const unchecked = new Set<string>();
  for (const name of readdirSync(folder).sort()) {
    const file = join(folder, name, "expected.json");
    if (!existsSync(file)) continue;
    const { strict } = parsed<{ strict: Finding[] }>(file);
    for (const [, , , , code] of strict) if (!CHECKED.has(code)) unchecked.add(code);
    if (existsSync(join(folder, name, "evalcontract.toml"))) {
      console.log(`${name}: not run: it has an evalcontract.toml, which this port does not read`);
      continue;
    }
    count += 1;
    const ours = (each: Finding): boolean => CHECKED.has(each[4]);
    const asLine = ([at, line, column, , code]: Finding): string => `${name}: ${at}:${line}:${column} ${code}`;
    const expected = strict.filter(ours).map(asLine);
    const found = findings(join(folder, name)).map(asLine);
    differences.push(...expected.filter((each) => !found.includes(each)).map((each) => `${each}: not found`));
    differences.push(...found.filter((each) => !expected.includes(each)).map((each) => `${each}: too many`));
  }
  return unchecked;
}

const [schemas = "", fixtures = ""] = process.argv.slice(2);
if (![join(schemas, "dataset.schema.json"), join(fixtures, "workspaces")].every((path) => existsSync(path))) {
  console.error("usage: node dist/conformance.js SCHEMA_FOLDER FIXTURES_FOLDER");
  process.exit(2);
}
runSchemas(schemas, join(fixtures, "schema"));
const ofSchemas = count;
const unchecked = runWorkspaces(join(fixtures, "workspaces"));
console.log(`not checked: ${[...unchecked].sort().join(", ")}`);
for (const difference of differences) console.log(difference);
console.log(`${ofSchemas} documents, ${count - ofSchemas} workspaces: ${differences.length} differences`);
process.exitCode = differences.length || !ofSchemas || count === ofSchemas ? 1 : 0;
