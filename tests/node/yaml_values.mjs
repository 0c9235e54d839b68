// Reads a JSON array of YAML texts from standard input, and prints what the parser of the editors
// makes of each, as a JSON array: `{value}`, or `{fault}` where it finds an error, or where there
// is not one document. A number is written as `{"number": "1.5"}`, a mapping as
// `{"mapping": [["key", value], …]}`. Keys are their text, and `<<` merges.
//
//     node yaml_values.mjs < texts.json

import { readFileSync } from "node:fs";
import { Composer, Parser, isAlias, isMap, isPair, isScalar, isSeq } from "yaml";

const OPTIONS = { strict: true, version: "1.2", keepSourceTokens: true, intAsBigInt: true };
const MOST = 300;

function values(document) {
  const target = (node) => {
    const found = isAlias(node) ? node.resolve(document) : node;
    if (found === undefined) throw new Error("an alias without its anchor");
    return found;
  };

  function keyOf(node) {
    const key = target(node);
    if (key === null) return "";
    if (!isScalar(key)) throw new Error("a key that is no text");
    return key.type === "PLAIN" ? key.source : String(key.value);
  }

  const merges = (key) => isScalar(key) && key.type === "PLAIN" && key.source === "<<";

  function mapping(pairs, depth) {
    const own = new Map();
    const merged = [];
    for (const { key, value } of pairs) {
      if (merges(key)) merged.push(valueOf(value, depth));
      else own.set(keyOf(key), valueOf(value, depth));
    }
    for (const part of merged.flat()) {
      if (!part?.mapping) throw new Error("a merge of what is no mapping");
      for (const [key, value] of part.mapping) if (!own.has(key)) own.set(key, value);
    }
    return { mapping: [...own] };
  }

  function valueOf(node, depth = 0) {
    if (depth > MOST) throw new Error("too deep");
    const found = target(node);
    if (isMap(found)) return mapping(found.items, depth + 1);
    if (isPair(found)) return mapping([found], depth + 1);
    if (isSeq(found)) return found.items.map((item) => valueOf(item, depth + 1));
    const value = found?.value ?? null;
    return typeof value === "number" || typeof value === "bigint" ? { number: String(value) } : value;
  }

  return valueOf(document.contents);
}

function read(text) {
  try {
    const tokens = new Parser().parse(text);
    const documents = [...new Composer(OPTIONS).compose(tokens, true, text.length)];
    const [error] = documents.flatMap(({ errors }) => errors);
    if (error) return { fault: error.code };
    if (documents.length !== 1) return { fault: `${documents.length} documents` };
    return { value: values(documents[0]) };
  } catch (error) {
    return { fault: error.message };
  }
}

const texts = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(texts.map(read)));
