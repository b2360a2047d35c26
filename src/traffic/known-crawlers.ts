import { createRequire } from "node:module";
import { getDomain } from "tldts";

/** Who a crawler says it is. */
export interface CrawlerName {
  /** Such as `GPTBot`. */
  readonly name: string;
  /** The registrable domain of the page that explains it, such as `openai.com`; undefined if the list has none. */
  readonly operator: string | undefined;
  /** Such as `search-engine`, `ai-crawler`, `seo`, `archiver`; `unknown` where the list says nothing. */
  readonly purpose: string;
}

interface ListedCrawler {
  readonly pattern: string;
  readonly url?: string;
  readonly tags?: readonly string[];
}

/** The crawlers of the package `crawler-user-agents`, by their User-Agent. */
export class KnownCrawlers {
  readonly #patterns: ReadonlyArray<readonly [RegExp, Omit<CrawlerName, "name">]>;

  constructor() {
    const list = createRequire(import.meta.url)("crawler-user-agents") as readonly ListedCrawler[];
    this.#patterns = list.map(({ pattern, url, tags }) => [
      new RegExp(pattern),
      { operator: (url && getDomain(url)) || undefined, purpose: tags?.[0] ?? "unknown" },
    ]);
  }

  /** @param agent - of bounded length, for each costs a search for each crawler of the list */
  find(agent: string): CrawlerName | undefined {
    for (const [pattern, about] of this.#patterns) {
      const found = pattern.exec(agent)?.[0];
      if (found !== undefined) return { name: printable(found.replace(/^\W+|[^\w)]+$/g, "")), ...about };
    }
    return undefined;
  }
}

/** A name for an agent that is on no list: its product, or `NAME` of `(compatible; NAME/1.0)`. */
export function nameUnlisted(agent: string): CrawlerName {
  const own = /\(compatible; ?([^;/)]+)/.exec(agent)?.[1] ?? /^[^\s/(]+/.exec(agent)?.[0] ?? "";
  const name = printable(own);
  const shown = name === "" ? "(no agent)" : /^Mozilla$/i.test(name) ? "(like a browser)" : name;
  return { name: shown, operator: undefined, purpose: "unknown" };
}

function printable(name: string): string {
  return name
    .replace(/[^ -~]/g, "?")
    .trim()
    .slice(0, 40);
}
