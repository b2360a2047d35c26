/**
 * Reads `X-Robots-Tag`, one field a line: the directives that are addressed to everybody or to us. One may name an agent
 * before it, which then holds for the directives behind it in its line: `googlebot: noindex, nofollow`.
 *
 * @param isAddressed - whether a name, in lower case, is ours or everybody's
 * @returns directives in lower case, each of one word or more
 */
export function* readRobotsTag(tag: string, isAddressed: (name: string) => boolean): Generator<string> {
  for (const line of tag.toLowerCase().split("\n")) {
    let isHeard = true;
    for (const part of line.split(",")) {
      const [, agent, rest = part] = /^\s*([a-z0-9_-]+)\s*:(.*)$/s.exec(part) ?? [];
      // These directives have a value; whatever else stands before a colon is an agent.
      if (agent !== undefined && /^(?:max-|unavailable_after$)/.test(agent)) continue;
      if (agent !== undefined) isHeard = isAddressed(agent);
      if (isHeard) yield rest;
    }
  }
}

/** Whether directives, such as `noindex, nofollow`, ask not to follow a page's links: `nofollow` or `none` is among them. */
export function isNofollow(directives: string): boolean {
  const words = directives.toLowerCase().split(/[\s,]+/);
  return words.includes("nofollow") || words.includes("none");
}
