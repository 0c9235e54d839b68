// Rubrics and judges by id and version, what they refer to, and what is wrong with that.
import { isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";

export type Kind = "rubric" | "judge";
/** A finding: its code, and the node at which it stands. */
export type Fault = { code: string; node: Node };
/** A reference in a file: its text is `rubric/{id}` or `judge/{id}`, with or without `@{version}`. */
export type Use = { kind: Kind; id: string; version: string | undefined; node: Node };
export type Artifact = {
  kind: Kind;
  file: string;
  id: string | undefined;
  version: string | undefined;
  root: YAMLMap;
};

const REFERENCE = /^(rubric|judge)\/([a-z][a-z0-9_]*)(?:@(.+))?$/u;
const NUMBER = "(?:0|[1-9][0-9]*)";
const PART = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const VERSION = new RegExp(`^(${NUMBER}\\.${NUMBER})(\\.${NUMBER})?(-${PART}(?:\\.${PART})*)?$`, "u");
/** The keys of references, and the kind of artifact that each leads to. */
const KEYS: Record<string, Kind> = { rubric_ref: "rubric", judge_prompt_ref: "judge" };

/** Return a version with three numbers, so that 1.2 is 1.2.0; undefined if it is none. */
export function exact(version: unknown): string | undefined {
  const match = typeof version === "string" ? VERSION.exec(version) : null;
  return match ? `${match[1]}${match[2] ?? ".0"}${match[3] ?? ""}` : undefined;
}

/** Return the value of a key of a mapping, if it is a text. */
export function textOf(map: YAMLMap, key: string): string | undefined {
  const value = map.get(key);
  return typeof value === "string" ? value : undefined;
}

/** Yield the references below a node: the contract has them at two keys, at any depth. */
export function* usesIn(node: unknown): Generator<Use> {
  if (isSeq(node)) for (const item of node.items) yield* usesIn(item);
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    const kind = isScalar(key) && typeof key.value === "string" ? KEYS[key.value] : undefined;
    if (kind === undefined || !isScalar(value)) yield* usesIn(value);
    else {
      const match = REFERENCE.exec(String(value.value));
      const version = match?.[3] === undefined ? undefined : exact(match[3]);
      const isWritten = match && match[1] === kind && (match[3] === undefined || version);
      if (isWritten) yield { kind, id: match[2]!, version, node: value };
    }
  }
}

/** The rubrics and judges of a workspace. `unreadable` are the ids of files without a value. */
export class Library {
  private readonly byId = new Map<string, Artifact[]>();

  constructor(
    readonly artifacts: Artifact[],
    private readonly unreadable: Set<string>,
  ) {
    for (const each of artifacts) {
      const key = `${each.kind}/${each.id}`;
      this.byId.set(key, [...(this.byId.get(key) ?? []), each]);
    }
  }

  /** Return what a reference leads to; of one without a version, any version of its id. */
  target(use: Use): Artifact | undefined {
    const same = this.byId.get(`${use.kind}/${use.id}`) ?? [];
    return same.find((each) => use.version === undefined || each.version === use.version);
  }

  /** Return what is wrong with a reference; one that an unreadable file may have is not judged. */
  faultOf(use: Use): Fault | undefined {
    const isThere = this.target(use) !== undefined;
    if (!isThere && this.unreadable.has(`${use.kind}/${use.id}`)) return undefined;
    if (!isThere) return { code: "reference/dangling", node: use.node };
    return use.version === undefined ? { code: "reference/unpinned", node: use.node } : undefined;
  }

  /** Yield the artifacts whose id and version another file has, too. */
  *duplicates(): Generator<[Artifact, Fault]> {
    for (const same of this.byId.values())
      for (const each of same) {
        const isTwice = same.some((one) => one !== each && one.version === each.version);
        const node = each.root.get("version", true);
        if (isTwice && each.version && node) yield [each, { code: `${each.kind}/duplicate-version`, node }];
      }
  }

  /** Yield each reference that closes a cycle, at the first of its files. */
  *cycles(): Generator<[Artifact, Fault]> {
    const rubrics = this.artifacts.filter((each) => each.kind === "rubric");
    for (const start of rubrics)
      for (const use of usesIn(start.root)) {
        const next = this.target(use);
        if (next && this.leadsTo(next, start)) yield [start, { code: "rubric/cycle", node: use.node }];
      }
  }

  /** Whether an artifact leads to another one over files that come after that one by name. */
  private leadsTo(from: Artifact, to: Artifact): boolean {
    const seen = new Set<Artifact>();
    const waiting = [from];
    for (let each = waiting.pop(); each; each = waiting.pop()) {
      if (each === to) return true;
      if (seen.has(each) || each.file < to.file) continue;
      seen.add(each);
      for (const use of usesIn(each.root)) {
        const next = this.target(use);
        if (next) waiting.push(next);
      }
    }
    return false;
  }
}
