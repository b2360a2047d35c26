/**
 * Parses a URL.
 *
 * Not `URL.canParse` followed by `new URL`: in Node 20, after some thousand calls, `canParse` returns false for URLs
 * that are not ASCII.
 *
 * @param base - base of a relative URL
 * @returns undefined if it is none
 * @see WHATWG URL Standard, section 4.4 (URL parsing)
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Parses an absolute http or https URL that names its host. The URL Standard takes `http:///x` and `http:x` for
 * `http://x`, the host of nobody who wrote that.
 *
 * @returns undefined if it is none
 */
export function parseHttpUrl(text: string): URL | undefined {
  return /^\s*https?:\/\/[^/\\\s]/i.test(text) ? parseUrl(text) : undefined;
}

/** Parses the URL of a server of any protocol, whose parts clients decode. @returns undefined if it is none, or has a `%` that is no escape */
export function parseServerUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  try {
    for (const part of [url?.username, url?.password, url?.hostname]) decodeURIComponent(part ?? "");
    return url;
  } catch {
    return undefined;
  }
}
