import { lstatSync } from "node:fs";
import type { WithholdRule } from "../../core/index.ts";
import { decodePathSegment, encodePathSegment } from "../../formats/url/index.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { judgeName } from "./name-rules.ts";
import { isPermitted, type ReaderIdentity } from "./reader-identity.ts";

export interface NamedPlace {
  /** Encoded path. */
  readonly path: string;
  /** From the root, one character a byte, without `/` at the end. */
  readonly relative: string;
}

// RFC 8615: registered names have no ending, or one of XML or JSON, and `core` is one (RFC 6690). A token of ACME is gone in minutes.
const registered = /^\/\.well-known\/(?!acme-challenge\/)(?:[^/]+\/)*(?:[^./]+|[^./][^/]*\.(?:json|xml))$/;
const registeredRules: ReadonlySet<WithholdRule> = new Set(["unknown-type", "server-configuration"]);

/** Whether a pattern of `--include`, or the place, lets out what the rule of a name or a type holds back. */
export function isLetOut(
  globs: GlobFilter,
  rule: WithholdRule,
  { path, relative }: NamedPlace,
  isFolder: boolean,
): boolean {
  if (path.startsWith("/.well-known/")) {
    if (path === "/.well-known/core" || (registeredRules.has(rule) && registered.test(path))) return true;
  }
  return globs.letsOut(relative, rule, isFolder);
}

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
