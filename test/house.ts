import { builtinModules } from "node:module";
import { posix } from "node:path";
import { readSourceText } from "./source-text.ts";

/** A row of the table of rooms. */
export interface Room {
  /**
   * `pure` rooms touch no file, socket, clock, environment or randomness; `hands` do; `composition` wires
   * rooms together, in its folder and in the files directly in `src`; the `porch` alone speaks to a terminal.
   */
  readonly kind: "pure" | "hands" | "composition" | "porch";
  /** Rooms that it may import, through their `index.ts`; `all` is all but the porch. */
  readonly imports: readonly string[] | "all";
  /** Packages that a pure room may import: such as are pure themselves. Default none. */
  readonly packages?: readonly string[];
}

/** The table of rooms. */
export type House = Readonly<Record<string, Room>>;

const outside: Room = { kind: "composition", imports: "all" };

// Each with what a reader of the message should know.
const impure: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|(?<![\w.])Date\s*\(\s*\)|\bperformance\s*\./, "a clock"],
  [/(?<![\w.])set(?:Timeout|Interval|Immediate)\b/, "a timer"],
  [/\bMath\s*\.\s*random\b|\bcrypto\s*\./, "randomness"],
  [/(?<![\w.])process\s*[.[]|\bglobalThis\b|(?<![\w.])navigator\s*\./, "the environment"],
  [/(?:=|\(|\bawait|\breturn)\s*fetch\s*\(|\bnew\s+(?:WebSocket|XMLHttpRequest|EventSource)\b/, "a socket"],
];
const printing = /\bconsole\s*[.[]|(?<![\w.])process\s*\.\s*std(?:out|err)\b/;
const terminal = /(?<![\w.])process\s*\.\s*(?:argv|env|exit|exitCode|stdin|on|once)\b/;

const roomOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];
const isBuiltin = (specifier: string): boolean =>
  specifier.startsWith("node:") || builtinModules.includes(specifier.split("/", 1)[0] ?? "");
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function checkImport(house: House, path: string, specifier: string): string | undefined {
  const name = roomOf(path);
  const room = name === undefined ? outside : (house[name] ?? outside);
  if (!specifier.startsWith(".")) {
    if (room.kind !== "pure") return undefined;
    if (isBuiltin(specifier)) return `a pure room imports ${specifier}`;
    return room.packages?.includes(packageOf(specifier)) ? undefined : `a pure room imports the package ${specifier}`;
  }
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith("src/")) return `${specifier} leaves src`;
  if (!target.endsWith(".ts")) return `${specifier} does not end with .ts`;
  const other = roomOf(target);
  if (other === name) return undefined;
  if (other === undefined) {
    return room.kind === "composition" || room.kind === "porch" ? undefined : `a room imports ${target} above it`;
  }
  if (target !== `src/${other}/index.ts`) return `${specifier} is not the door of ${other}`;
  const mayImport = room.imports === "all" ? house[other]?.kind !== "porch" : room.imports.includes(other);
  return mayImport ? undefined : `${name ?? "src"} may not import ${other}`;
}

function checkWords(room: Room, code: string): string[] {
  const problems: string[] = [];
  if (room.kind === "pure") {
    for (const [words, what] of impure) if (words.test(code)) problems.push(`a pure room reads ${what}`);
  }
  if (room.kind !== "porch" && printing.test(code)) problems.push("it prints");
  if (room.kind !== "porch" && terminal.test(code)) problems.push("it reads or ends the process");
  return problems;
}

function checkDoor(code: string): string[] {
  const problems: string[] = [];
  if (/\bexport\s*\*/.test(code)) problems.push("a door exports *");
  if (/\bexport\s+(?!type\s*\{|\{|\*)/.test(code)) problems.push("a door makes what it exports");
  return problems;
}

/**
 * Holds source code against the table of rooms.
 *
 * @param sources - path from the repository's root, such as `src/model/page.ts`, to source
 * @returns a line a violation, beginning with the path; empty if there is none
 */
export function findViolations(house: House, sources: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const [path, source] of sources) {
    const name = roomOf(path);
    const room = name === undefined ? outside : house[name];
    const found: string[] = [];
    if (room === undefined) found.push(`${name} is not in the table of rooms`);
    if (name !== undefined && !sources.has(`src/${name}/index.ts`)) found.push(`${name} has no door`);
    const { code, specifiers, importsComputed } = readSourceText(source);
    if (importsComputed) found.push("it imports what is only known when it runs");
    for (const specifier of specifiers) {
      const problem = checkImport(house, path, specifier);
      if (problem !== undefined) found.push(problem);
    }
    found.push(...checkWords(room ?? outside, code));
    if (path.endsWith("/index.ts")) found.push(...checkDoor(code));
    problems.push(...found.map((problem) => `${path}: ${problem}`));
  }
  return problems;
}
