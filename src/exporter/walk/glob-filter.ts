import type micromatch from "micromatch";
import { TidemarkError, type WithholdRule } from "../../core/index.ts";

/**
 * Decides by the operator's own patterns. Paths are relative to the root, one character a byte; patterns
 * see them as UTF-8, with a replacement character for each byte that is not.
 */
export interface GlobFilter {
  /** Whether there are no patterns, so that nothing need be asked. */
  readonly isOpen: boolean;
  /** The rule that holds a file back, or undefined. */
  readonly judgeFile: (name: string) => WithholdRule | undefined;
  readonly judgeFolder: (name: string) => WithholdRule | undefined;
  /** Whether a pattern of `--include` lets out a file or folder that a rule of names or types holds back. */
  readonly letsOut: (name: string, rule: WithholdRule, isFolder: boolean) => boolean;
}

const openFilter: GlobFilter = {
  isOpen: true,
  judgeFile: () => undefined,
  judgeFolder: () => undefined,
  letsOut: () => false,
};

const options = { dot: false, posixSlashes: true } as const;

const wildcard = /[*?[\]{}()!+@|\\]/;

const ascii = /^[\x00-\x7f]*$/;

function toText(relative: string): string {
  return ascii.test(relative) ? relative : Buffer.from(relative, "latin1").toString("utf8");
}

// "./drafts/" and "/drafts/" are what people write for the folder drafts.
function normalisePattern(pattern: string, ending: string): string {
  return pattern.replace(/^\.?\/+/, "").replace(/\/+$/, ending);
}

// A task's base may hold what only the matcher takes for a wildcard, such as "?".
function toLiteralBase(base: string): string {
  const segments = base === "." ? [] : base.split("/");
  const wild = segments.findIndex((segment) => wildcard.test(segment));
  return (wild === -1 ? segments : segments.slice(0, wild)).map((segment) => `${segment}/`).join("");
}

function compile(
  { matcher }: typeof micromatch,
  patterns: readonly string[],
  option: string,
  dot: boolean,
): ((text: string) => boolean) | undefined {
  if (patterns.length === 0) return undefined;
  const tests = patterns.map((pattern) => {
    if (pattern === "" || pattern.length > 4096) {
      throw new TidemarkError("bad-option", `${option} needs a pattern of 1 to 4096 characters.`, {
        hint: `For instance ${option} 'docs/**'.`,
      });
    }
    // One pattern that means "all but" would undo the others.
    if (/^!(?!\()/.test(pattern)) {
      throw new TidemarkError("bad-option", `A pattern of ${option} cannot begin with "!": ${pattern}`, {
        hint: "Give what is to be published to --include and what is not to --exclude.",
      });
    }
    return matcher(pattern, { ...options, dot });
  });
  return (text) => tests.some((test) => test(text));
}

/**
 * Compiles fast-glob patterns to a filter. The walk is our own (docs/decisions/0011), the patterns'
 * meaning is fast-glob's: its task generator finds which folders can hold matches, its matcher judges.
 *
 * @param include - if not empty, only what matches one of these is published
 * @param exclude - what matches one of these is not; a folder that matches is not entered
 * @throws TidemarkError `bad-option`
 */
export async function compileGlobs(include: readonly string[], exclude: readonly string[]): Promise<GlobFilter> {
  if (include.length === 0 && exclude.length === 0) return openFilter;
  // Most sites have no patterns; loading the two libraries takes longer than scanning a thousand files.
  const [{ default: fastGlob }, { default: matching }] = await Promise.all([import("fast-glob"), import("micromatch")]);
  const included = include.map((pattern) => normalisePattern(pattern, "/**"));
  const excluded = exclude.map((pattern) => normalisePattern(pattern, ""));
  const matches = compile(matching, included, "--include", false);
  // "**" means .well-known too: its dot hides nothing.
  const isIncluded =
    matches && ((text: string) => matches(text) || (text.startsWith(".well-known/") && matches(text.slice(1))));
  const isExcluded = compile(matching, excluded, "--exclude", true);
  const bases =
    included.length === 0 ? [""] : fastGlob.generateTasks(included, options).map((task) => toLiteralBase(task.base));
  const mayHoldMatches = (folder: string) =>
    bases.some((base) => base.startsWith(`${folder}/`) || `${folder}/`.startsWith(base));
  // "docs/**" means all that may be published there; "**/*.bin" means files of that type, "docs/a.key" that one.
  const lastOf = (pattern: string): string => pattern.slice(pattern.lastIndexOf("/") + 1);
  const typed = included.filter((pattern) => !/^[*?]+$/.test(lastOf(pattern)));
  const named = included.filter((pattern) => !wildcard.test(lastOf(pattern)));
  const namedFolders = new Set(included.flatMap((pattern) => pattern.split("/").slice(0, -1)));
  const namesType = compile(matching, typed, "--include", false);
  const namesFile = compile(matching, named, "--include", false);
  const hiddenBases = bases.filter((base) => /(?:^|\/)\./.test(base));
  return {
    isOpen: false,
    judgeFile: (name) => {
      const relative = toText(name);
      if (isExcluded?.(relative) === true) return "excluded";
      return isIncluded === undefined || isIncluded(relative) ? undefined : "not-included";
    },
    judgeFolder: (name) => {
      const relative = toText(name);
      if (isExcluded?.(relative) === true) return "excluded";
      return mayHoldMatches(relative) ? undefined : "not-included";
    },
    letsOut: (name, rule, isFolder) => {
      const relative = toText(name);
      if (rule === "version-control") return false;
      if (isFolder && namedFolders.has(lastOf(relative))) return true;
      switch (rule) {
        case "hidden":
          return isIncluded?.(relative) === true || hiddenBases.some((base) => `${relative}/`.startsWith(base));
        case "unknown-type":
          return namesType?.(relative) === true;
        default:
          return namesFile?.(relative) === true;
      }
    },
  };
}
