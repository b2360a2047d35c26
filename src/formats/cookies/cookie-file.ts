/** A cookie of a file. */
export interface FileCookie {
  readonly name: string;
  readonly value: string;
  /** Without a dot at its beginning. */
  readonly domain: string;
  /** Whether hosts below the domain get it as well. */
  readonly isForSubdomains: boolean;
  readonly path: string;
  readonly isSecure: boolean;
  /** Seconds since 1970; undefined for a cookie of the session. */
  readonly expires: number | undefined;
}

const flag = /^(?:TRUE|FALSE)$/i;

/**
 * Reads a file of cookies in the form of Netscape, which curl, wget and extensions of browsers write: lines of domain,
 * whether for subdomains, path, whether secure, expiry, name and value, separated by tabs.
 *
 * @returns the number of the first line that is no cookie, if there is one
 * @see https://curl.se/docs/http-cookies.html
 */
export function readCookieFile(text: string): readonly FileCookie[] | { readonly wrongLine: number } {
  const cookies: FileCookie[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const written = line.replace(/^#HttpOnly_/, "");
    if (written.trim() === "" || written.startsWith("#")) continue;
    // curl writes no tab before a value that is empty, and Python no expiry of a cookie of the session.
    const [domain = "", tail = "", path = "", secure = "", expiry = "", name = "", value = "", ...rest] =
      written.split("\t");
    const isForm =
      flag.test(tail) && flag.test(secure) && /^(?:\d{1,15}(?:\.\d+)?)?$/.test(expiry) && path.startsWith("/");
    if (!isForm || domain === "" || name === "" || rest.length > 0 || /[\0-\x1f\x7f;]|[^\0-\xff]/.test(name + value))
      return { wrongLine: at + 1 };
    cookies.push({
      ...{ name, value, path },
      domain: domain.replace(/^\./, "").toLowerCase(),
      isForSubdomains: tail.toUpperCase() === "TRUE",
      isSecure: secure.toUpperCase() === "TRUE",
      expires: Number(expiry) === 0 ? undefined : Number(expiry),
    });
  }
  return cookies;
}
