import { parseUrl } from "../core/index.ts";
import { decodePathSegment, normaliseUrl } from "../formats/url/index.ts";

/** Where a request's path leads below the folder. */
export interface RequestPath {
  /** Names of folders and file, one character (0 to 255) a byte; the last is empty for a folder. */
  readonly names: readonly string[];
  /** The path as it was asked for, without the query. */
  readonly path: string;
  /** The query with its question mark, or empty. */
  readonly query: string;
}

const escapeForm = /%(?![0-9A-Fa-f]{2})/;

function withoutOriginOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, "");
}

/** The URL of a request's target, which may be in absolute form (RFC 9112 section 3.2.2); its host stands for nothing. @returns undefined for `*` */
export function parseTarget(target: string): URL | undefined {
  const asked = withoutOriginOf(target);
  return asked.startsWith("/") ? parseUrl(`http://localhost${asked}`) : undefined;
}

/** The path with query by which a page would be known that a request's target names. */
export function pagePathOf(target: string): string {
  const asked = withoutOriginOf(target);
  const origin = "http://localhost";
  return normaliseUrl(origin + asked)?.slice(origin.length) ?? asked;
}

/**
 * Reads a request's target.
 *
 * @returns the status to answer with where the target is no path (400) or may not be served (404)
 */
export function parseRequestPath(target: string): RequestPath | 400 | 404 {
  const withoutOrigin = withoutOriginOf(target);
  const [path = "", ...rest] = withoutOrigin.split("?");
  if (!path.startsWith("/") || escapeForm.test(path)) return 400;
  const names = path.slice(1).split("/").map(decodePathSegment);
  if (names.some((name) => name.includes("\0"))) return 400;
  if (names.some((name) => name.includes("/")) || names.slice(0, -1).includes("")) return 404;
  if (isHidden(names)) return 404;
  return { names, path, query: rest.length === 0 ? "" : `?${rest.join("?")}` };
}

/**
 * Whether a path below the folder holds a dot file or folder, or a dot segment; `.well-known` at the top is none, nor is a
 * page whose own name is a dot: `..md`.
 */
export function isHidden(names: readonly string[]): boolean {
  const isShown = (name: string, at: number): boolean =>
    (at === 0 && name === ".well-known") || (at === names.length - 1 && /^\.\.[a-z0-9]{2,}$/i.test(name));
  return names.some((name, at) => name.startsWith(".") && !isShown(name, at));
}
