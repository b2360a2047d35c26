import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIPv4 } from "node:net";

/** Whether an address or its name is that of this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/**
 * Whether a request names this server, and not a name of somebody else that leads to its address (DNS rebinding). One of HTTP/1.0
 * that names none, as load balancers check whether a server lives, is of no browser: it is answered.
 *
 * @param names - by which the server is reached, besides those of the loopback; in lower case, IPv6 without brackets
 */
export function isAskedByName({ host }: IncomingHttpHeaders, names: ReadonlySet<string>): boolean {
  if (host === undefined) return true;
  const name = hostNameOf(host);
  return name !== undefined && (isLoopback(name) || names.has(name));
}

function hostNameOf(host: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (bracketed ?? plain)?.toLowerCase();
}

/**
 * Whether a request that changes something comes from a page of this server, or from a program that is no browser: a
 * browser says where a request comes from.
 *
 * @see https://owasp.org/www-community/attacks/csrf
 */
export function isOwnRequest({ host, origin, "sec-fetch-site": fetchSite }: IncomingHttpHeaders): boolean {
  if (fetchSite !== undefined && fetchSite !== "same-origin") return false;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

/** Whether a secret is the right one; takes the same time whatever is wrong. */
export function isSameSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
