import { builtinModules } from "node:module";
import { posix } from "node:path";
import { findCircles } from "./circles.ts";
import { readSourceText } from "./source-text.ts";

/** The layout of `src`. */
export interface House {
  /** First-level folders from the top to the bottom; those of a row do not import each other. */
  readonly floors: ReadonlyArray<readonly string[]>;
  /** Folders that touch no file, socket, clock, environment or randomness, with the packages that they may import. */
  readonly pure: Readonly<Record<string, readonly string[]>>;
  /** Folders of which each sub-folder is entered by itself, through its own `index.ts`. */
  readonly byPart: readonly string[];
  /** What folders import beside themselves, where that is less than all below them. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  /** Folders that alone may print and read `process`. */
  readonly terminal: readonly string[];
}

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

const folderOf = (path: string): string | undefined => /^src\/([^/]+)\//.exec(path)?.[1];
const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
const isBuiltin = (specifier: string): boolean =>
  specifier.startsWith("node:") || builtinModules.includes(specifier.split("/", 1)[0] ?? "");
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
const targetOf = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier);

/** The folder whose `index.ts` is the door to a module; undefined for what has none. */
function doorFolderOf({ byPart }: House, path: string): string | undefined {
  const parts = path.split("/");
  const depth = byPart.includes(parts[1] ?? "") ? 3 : 2;
  return parts[0] === "src" && parts.length > depth ? parts.slice(0, depth).join("/") : undefined;
}

function pureFolderOf({ pure }: House, path: string): string | undefined {
  return Object.keys(pure).find((folder) => isIn(path, folder));
}

function checkImport(house: House, path: string, specifier: string): string | undefined {
  const pure = pureFolderOf(house, path);
  if (!specifier.startsWith(".")) {
    if (pure === undefined) return undefined;
    if (isBuiltin(specifier)) return `a pure folder imports ${specifier}`;
    return house.pure[pure]?.includes(packageOf(specifier))
      ? undefined
      : `a pure folder imports the package ${specifier}`;
  }
  const target = targetOf(path, specifier);
  if (path.startsWith("lab/")) return undefined;
  if (!target.startsWith("src/")) return `${specifier} leaves src`;
  if (!target.endsWith(".ts")) return `${specifier} does not end with .ts`;
  const [from, to] = [folderOf(path), folderOf(target)];
  const limited = Object.keys(house.only).find((folder) => isIn(path, folder));
  if (limited !== undefined && !isIn(target, limited) && !house.only[limited]?.some((folder) => isIn(target, folder)))
    return `${limited} may not import ${posix.dirname(target)}`;
  if (from !== to) {
    if (to === undefined) return `${specifier} is the library's own door`;
    const floorOf = (folder: string): number => house.floors.findIndex((floor) => floor.includes(folder));
    if (from !== undefined && floorOf(to) <= floorOf(from)) return `${from} may not import ${to}`;
  }
  const door = doorFolderOf(house, target);
  if (door === undefined || isIn(path, door)) return undefined;
  return target === `${door}/index.ts` ? undefined : `${specifier} is not the door of ${door.slice("src/".length)}`;
}

function checkWords(house: House, path: string, code: string): string[] {
  const problems: string[] = [];
  if (pureFolderOf(house, path) !== undefined)
    for (const [words, what] of impure) if (words.test(code)) problems.push(`a pure folder reads ${what}`);
  if (house.terminal.some((folder) => isIn(path, folder))) return problems;
  if (printing.test(code)) problems.push("it prints");
  if (terminal.test(code)) problems.push("it reads or ends the process");
  return problems;
}

function checkDoor(code: string): string[] {
  const problems: string[] = [];
  if (/\bexport\s*\*/.test(code)) problems.push("a door exports *");
  if (/\bexport\s+(?!type\s*\{|\{|\*)/.test(code)) problems.push("a door makes what it exports");
  return problems;
}

/**
 * Holds source code against the layout: loose files, doors, one way down, purity.
 *
 * @param sources - path from the repository's root, such as `src/core/page.ts`, to source
 * @returns a line a violation, beginning with the path; empty if there is none
 */
export function findViolations(house: House, sources: ReadonlyMap<string, string>): string[] {
  const known = new Set(house.floors.flat());
  const problems: string[] = [];
  for (const [path, source] of sources) {
    const folder = folderOf(path);
    const found: string[] = [];
    if (path.startsWith("src/")) {
      if (folder === undefined && path !== "src/index.ts") found.push("it lies loose");
      if (folder !== undefined && !known.has(folder)) found.push(`${folder} is not in the layout`);
      const door = doorFolderOf(house, path);
      if (folder !== undefined && door === undefined) found.push("it lies loose");
      if (path === "src/index.ts" || path === `${door}/index.ts`) found.push(...checkDoor(readSourceText(source).code));
    }
    const { code, specifiers, importsComputed } = readSourceText(source);
    if (importsComputed) found.push("it imports what is only known when it runs");
    for (const specifier of specifiers) {
      const problem = checkImport(house, path, specifier);
      if (problem !== undefined) found.push(problem);
    }
    found.push(...checkWords(house, path, code));
    problems.push(...found.map((problem) => `${path}: ${problem}`));
  }
  return problems;
}

/** Circles of imports: of files, and of folders. A thread that is begun is no import. */
export function findImportCircles(sources: ReadonlyMap<string, string>): { files: string[][]; folders: string[][] } {
  const files = new Map(
    [...sources].map(([path, source]) => {
      const targets = readSourceText(source).specifiers.map((specifier) => targetOf(path, specifier));
      return [path, targets.filter((target) => sources.has(target))];
    }),
  );
  const folders = new Map<string, Set<string>>();
  for (const [path, targets] of files) {
    // A door only says what its folder has.
    if (posix.basename(path) === "index.ts") continue;
    const from = posix.dirname(path);
    const into = folders.get(from) ?? new Set();
    folders.set(from, into);
    for (const target of targets) if (posix.basename(target) !== "index.ts") into.add(posix.dirname(target));
    into.delete(from);
  }
  return { files: findCircles(files), folders: findCircles(folders) };
}

/** Modules that are not reached from any entry, doors passed through by the names that are taken. */
export function findUnreached(sources: ReadonlyMap<string, string>, entries: readonly string[]): string[] {
  const statements =
    /^(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[^"]*?)\s*from\s+"(\.[^"]+)"|(?:\bimport\(|^import )"(\.[^"]+)"|new URL\("(\.[^"]+)\.js", import\.meta\.url\)/gm;
  const namesIn = (list: string): string[] =>
    list
      .split(",")
      .map((name) => name.replace(/^\s*type\s/, "").trim())
      .filter((name) => name !== "");
  const doors = new Map<string, Map<string, string>>();
  for (const [path, source] of sources) {
    if (posix.basename(path) !== "index.ts" || path === "src/index.ts") continue;
    const names = new Map<string, string>();
    for (const [, list = "", specifier = ""] of source.matchAll(statements))
      for (const name of namesIn(list)) names.set(name.split(" as ").at(-1) ?? name, targetOf(path, specifier));
    doors.set(path, names);
  }
  const reached = new Set<string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const source = sources.get(path);
    if (source === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const [, list, from, dynamic, worker] of source.matchAll(statements)) {
      const target = targetOf(path, from ?? dynamic ?? `${worker}.ts`);
      const door = doors.get(target);
      if (door === undefined) waiting.push(target);
      else if (list === undefined) waiting.push(...door.values());
      else for (const name of namesIn(list)) waiting.push(door.get(name.split(" as ")[0] ?? name) ?? target);
    }
  }
  return [...sources.keys()].filter((path) => !reached.has(path) && !doors.has(path)).sort();
}
