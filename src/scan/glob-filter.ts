import fastGlob from "fast-glob";
import micromatch from "micromatch";
import { TidemarkError, type WithholdRule } from "../model/index.ts";

/** Decides by the operator's own patterns. Paths are relative to the root, one character a byte. */
export interface GlobFilter {
  /** The rule that holds a file back, or undefined. */
  readonly judgeFile: (relative: string) => WithholdRule | undefined;
  /** The rule that holds a whole folder back, or undefined. */
  readonly judgeFolder: (relative: string) => WithholdRule | undefined;
  /** Whether a pattern names this hidden file or folder, or something below it, in so many words. */
  readonly namesHidden: (relative: string) => boolean;
}

const options = { dot: false, posixSlashes: true } as const;

// Names are bytes here, so patterns must be too.
function toBytes(pattern: string): string {
  return Buffer.from(pattern.replace(/^\.?\/+/, ""), "utf8").toString("latin1");
}

function compile(patterns: readonly string[], option: string, dot: boolean): ((text: string) => boolean) | undefined {
  if (patterns.length === 0) return undefined;
  const tests = patterns.map((pattern) => {
    if (pattern === "" || pattern.length > 4096) {
      throw new TidemarkError("bad-option", `${option} needs a pattern of 1 to 4096 characters.`, {
        hint: `For instance ${option} 'docs/**'.`,
      });
    }
    return micromatch.matcher(toBytes(pattern), { ...options, dot });
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
export function compileGlobs(include: readonly string[], exclude: readonly string[]): GlobFilter {
  const isIncluded = compile(include, "--include", false);
  const isExcluded = compile(exclude, "--exclude", true);
  const bases =
    include.length === 0
      ? [""]
      : fastGlob
          .generateTasks([...include].map(toBytes), options)
          .map((task) => (task.base === "." ? "" : `${task.base}/`));
  const mayHoldMatches = (folder: string) =>
    bases.some((base) => base.startsWith(`${folder}/`) || `${folder}/`.startsWith(base));
  const hiddenBases = bases.filter((base) => /(?:^|\/)\./.test(base));
  return {
    judgeFile: (relative) => {
      if (isExcluded?.(relative) === true) return "excluded";
      return isIncluded === undefined || isIncluded(relative) ? undefined : "not-included";
    },
    judgeFolder: (relative) => {
      if (isExcluded?.(relative) === true) return "excluded";
      return mayHoldMatches(relative) ? undefined : "not-included";
    },
    namesHidden: (relative) =>
      isIncluded?.(relative) === true ||
      hiddenBases.some((base) => base.startsWith(`${relative}/`) || `${relative}/`.startsWith(base)),
  };
}
