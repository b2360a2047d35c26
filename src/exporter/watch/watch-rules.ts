import type { WithholdRule } from "../../core/index.ts";
import { judgeTarget, type LinkRules } from "../walk/link-target.ts";
import { judgeName } from "../walk/name-rules.ts";
import { isLetOut } from "../walk/way-out.ts";

/** What decides which folders are watched and which entries wake the exporter: the walk's own rules. */
export interface WatchRules extends LinkRules {
  /** Longest encoded path that is published. */
  readonly maxPathLength: number;
}

/** A place below the root. */
export interface WatchedPlace {
  /** Percent-encoded, with `/` at the end of a folder's. */
  readonly path: string;
  /** From the root, one character a byte, without `/` at the end. */
  readonly relative: string;
  /** The last part of it. */
  readonly name: string;
}

function judgeNameAt(rules: WatchRules, place: WatchedPlace, isFolder: boolean): WithholdRule | undefined {
  const rule = judgeName(place.name, isFolder);
  return rule !== undefined && isLetOut(rules.globs, rule, place, isFolder) ? undefined : rule;
}

/** Whether anything in a folder can be published: others are not watched. */
export function mayHoldPages(rules: WatchRules, place: WatchedPlace): boolean {
  if (place.path.length > rules.maxPathLength || rules.judgePath(place.path) === "own-output") return false;
  if (judgeNameAt(rules, place, true) !== undefined) return false;
  return rules.globs.isOpen || rules.globs.judgeFolder(place.relative) === undefined;
}

/**
 * Whether a file of that place can be a page: of others the comings and goings wake nobody, such as what
 * the exporter writes and an editor's own files. What robots.txt disallows may be allowed tomorrow.
 */
export function mayBePage(rules: WatchRules, place: WatchedPlace): boolean {
  if (place.path.length > rules.maxPathLength || rules.judgePath(place.path) === "own-output") return false;
  // No page, and often a part of some.
  if (/\.inc$/i.test(place.name)) return true;
  if (judgeNameAt(rules, place, false) !== undefined) return false;
  return rules.globs.isOpen || rules.globs.judgeFile(place.relative) === undefined;
}

/** Whether what a link leads to may be published under the link's name. */
export function mayBeLinked(rules: WatchRules, rootRealPath: string, realPath: string, isFolder: boolean): boolean {
  try {
    return judgeTarget(rules, rootRealPath, realPath, isFolder) === undefined;
  } catch {
    return false; // It vanished while it was looked at; its folder says so too.
  }
}
