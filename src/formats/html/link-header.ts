/** A link of a field `Link`, as it is written. */
export interface HeaderLink {
  readonly url: string;
  readonly rel: string | undefined;
}

const maxFieldLinks = 1000;
const target = /[\t ,]*<([^<>]*)>/y;
const parameter =
  /[\t ]*;[\t ]*(?:([!#$%&'*+.^_`|~A-Za-z0-9-]+)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^\t ",;]*)))?)?/y;

/**
 * Reads a field `Link`. Links of another context (`anchor`) are passed over; of a parameter that stands twice the first
 * counts. What follows something that is no link is not read.
 *
 * @see RFC 8288 sections 3 and B.2
 */
export function readLinkField(field: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  for (let at = 0; links.length < maxFieldLinks; ) {
    target.lastIndex = at;
    const found = target.exec(field);
    if (found === null) return links;
    at = target.lastIndex;
    const parameters = new Map<string, string>();
    for (;;) {
      parameter.lastIndex = at;
      const next = parameter.exec(field);
      if (next === null) break;
      at = parameter.lastIndex;
      const name = next[1]?.toLowerCase();
      if (name !== undefined && !parameters.has(name))
        parameters.set(name, next[2]?.replace(/\\(.)/g, "$1") ?? next[3] ?? "");
    }
    if (!parameters.has("anchor")) links.push({ url: (found[1] ?? "").trim(), rel: parameters.get("rel") });
  }
  return links;
}
