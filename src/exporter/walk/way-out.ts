import type { WithholdRule } from "../../core/index.ts";
import type { GlobFilter } from "./glob-filter.ts";

/** Where a file or folder is whose name was judged. */
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
