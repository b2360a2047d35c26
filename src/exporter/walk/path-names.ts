import type { WithholdRule } from "../../core/index.ts";
import { decodePathSegment } from "../../formats/url/index.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { judgeName } from "./name-rules.ts";
import { isLetOut } from "./way-out.ts";

/** What a path is of: a file, or a page that a program makes and a list names. */
export type PathKind = "file" | "listed";

// A program's page has no file's type, and what a script gives is no source.
const ofFiles: ReadonlySet<WithholdRule> = new Set(["unknown-type", "server-source"]);
// "/docs/core" is a page about something; without a dot only a key's name is a file's for certain.
const fileName = /\.|~$|^id_[a-z0-9]+$/;

/**
 * Judges a path by the names in it, as a walk judges each on its way.
 *
 * @param path - encoded, maybe with a query
 * @returns the first rule that holds one of them back, less what `--include` lets out
 */
export function judgePathNames(path: string, globs: GlobFilter, kind: PathKind): WithholdRule | undefined {
  const query = path.indexOf("?");
  const segments = path.slice(1, query === -1 ? path.length : query).split("/");
  const names: string[] = [];
  for (const [at, segment] of segments.entries()) {
    const name = decodePathSegment(segment);
    names.push(name);
    if (name === "" || (kind === "listed" && !fileName.test(name))) continue;
    const isFolder = at < segments.length - 1;
    const rule = judgeName(name, isFolder);
    if (rule === undefined || (kind === "listed" && ofFiles.has(rule))) continue;
    const place = { path: `/${segments.slice(0, at + 1).join("/")}`, relative: names.join("/") };
    if (!isLetOut(globs, rule, place, isFolder)) return rule;
  }
  return undefined;
}
