import { isIP } from "node:net";

/**
 * The proxy that the environment has for a site, as curl and wget read it.
 *
 * @param url - of the site; one on this machine has none
 * @returns undefined for none
 */
export function findProxy(url: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const name = protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = env[name] || env[name.toUpperCase()];
  if (!proxy || isLocal(hostname)) return undefined;
  const usualPort = protocol === "https:" ? "443" : "80";
  const exceptions = (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).filter((word) => word !== "");
  if (exceptions.some((word) => names(word.toLowerCase(), hostname, port || usualPort))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function isLocal(hostname: string): boolean {
  if (/(?:^|\.)localhost$/.test(hostname) || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}

function names(word: string, hostname: string, port: string): boolean {
  const [, host = "", atPort = port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(word) ?? [];
  if (word === "*") return true;
  return atPort === port && host !== "" && (hostname === host || hostname.endsWith(`.${host}`));
}
