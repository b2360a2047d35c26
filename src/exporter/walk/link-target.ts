import { lstatSync } from "node:fs";
import type { WithholdRule } from "../../core/index.ts";
import { encodePathSegment } from "../../formats/url/index.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { judgeName } from "./name-rules.ts";
import { isPermitted, type ReaderIdentity } from "./reader-identity.ts";
import { isLetOut } from "./way-out.ts";

/** What links are judged by. */
export interface LinkRules {
  readonly globs: GlobFilter;
  readonly reader: ReaderIdentity;
  readonly judgePath: (path: string) => WithholdRule | undefined;
}

/**
 * Judges where a link leads to: it must not publish under another name what its target's own name,
 * or a folder on the way there, holds back. Patterns and robots.txt speak of URLs, so they see the
 * link's name alone.
 *
 * @param rootRealPath - the document root, one character a byte
 * @param realPath - the target, in it, likewise
 */
export function judgeTarget(
  rules: LinkRules,
  rootRealPath: string,
  realPath: string,
  isFolder: boolean,
): WithholdRule | undefined {
  const names = realPath
    .slice(rootRealPath.length)
    .split("/")
    .filter((name) => name !== "");
  let location = rootRealPath;
  for (const [at, name] of names.entries()) {
    const isLast = at === names.length - 1;
    const isFolderName = isFolder || !isLast;
    const rule = judgeName(name, isFolderName);
    // The type is that of the URL, which is the link's name.
    if (rule !== undefined && rule !== "unknown-type") {
      const own = names.slice(0, at + 1);
      const place = { path: `/${own.map(encodePathSegment).join("/")}`, relative: own.join("/") };
      if (!isLetOut(rules.globs, rule, place, isFolderName)) return rule;
    }
    location += `/${name}`;
    const status = isLast ? undefined : lstatSync(Buffer.from(location, "latin1"), { throwIfNoEntry: false });
    if (status !== undefined && !isPermitted(status, rules.reader, 1)) return "unreadable";
  }
  const path = `/${names.map(encodePathSegment).join("/")}${isFolder ? "/" : ""}`;
  return rules.judgePath(path) === "own-output" ? "own-output" : undefined;
}
