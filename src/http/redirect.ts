import { excerpt, type FetchRequest } from "../core/index.ts";
import type { AddressGuard } from "./address-guard.ts";
import type { Failure } from "./failure.ts";

/** Target of a request. */
export interface RequestTarget {
  /** Without a slash at the end. */
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Whether a response of this status is a redirect. */
export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * Resolves a redirect if it may be followed.
 *
 * @param location - the field's value, one character per byte
 * @param followed - number of earlier redirects of this request
 * @param guard - knows the origins named by the user: these may have any port
 */
export function resolveRedirect(
  request: FetchRequest,
  from: RequestTarget,
  location: string | undefined,
  followed: number,
  guard: Pick<AddressGuard, "isNamed">,
): RequestTarget | Failure {
  if (location === undefined) return { reason: "protocol", message: "redirected without a location" };
  const url = parseLocation(location, from);
  if (url === undefined) return { reason: "protocol", message: `redirected to ${excerpt(location)}, which is no URL` };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { reason: "redirect-elsewhere", message: `redirected to ${excerpt(url.href)}, which is not HTTP` };
  }
  if (url.origin !== from.origin && request.crossOrigin !== true) {
    return { reason: "redirect-elsewhere", message: `redirected to ${excerpt(url.href)}, which is on another origin` };
  }
  if (url.port !== "" && url.port !== new URL(from.origin).port && !guard.isNamed(url.origin)) {
    return { reason: "redirect-elsewhere", message: `redirected to ${excerpt(url.href)}, which is on another port` };
  }
  const max = request.maxRedirects ?? 0;
  if (followed >= max) {
    const why = max === 0 ? ", and no redirect is followed here" : ` after ${followed} redirects`;
    return { reason: "redirect-loop", message: `redirected to ${excerpt(url.href)}${why}` };
  }
  url.hash = "";
  if (request.mayFollow?.(url.href) === false) {
    return { reason: "redirect-disallowed", message: `redirected to ${excerpt(url.href)}, which may not be requested` };
  }
  return { origin: url.origin, path: url.pathname + url.search };
}

function parseLocation(location: string, from: RequestTarget): URL | undefined {
  // Bytes outside ASCII are percent-encoded as they are, whatever encoding the server meant.
  const escaped = location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  try {
    return new URL(escaped, from.origin + from.path);
  } catch {
    return undefined;
  }
}
