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
  readonly #patterns: ReadonlyArray<readonly [RegExp, CrawlerName]>;

  constructor() {
    const list = createRequire(import.meta.url)("crawler-user-agents") as readonly ListedCrawler[];
    this.#patterns = list.map(({ pattern, url, tags }) => [
      new RegExp(pattern),
      { name: nameOf(pattern), operator: (url && getDomain(url)) || undefined, purpose: tags?.[0] ?? "unknown" },
    ]);
  }

  /** @param agent - of bounded length, for each costs a search for each crawler of the list */
  find(agent: string): CrawlerName | undefined {
    return this.#patterns.find(([pattern]) => pattern.test(agent))?.[1];
  }
}

/** The text that a pattern looks for, without the signs of regular expressions. */
function nameOf(pattern: string): string {
  return pattern
    .replace(/\(\[\^-\]\|\$\)|\(\^\| \)|\\\/$|\[\\s\\S\]\*.*$/g, "")
    .replace(/\\(.)/g, "$1")
    .replace(/^\^|[/$]+$/g, "")
    .trim();
}

/** A name for an agent that is on no list: its product, or `NAME` of `(compatible; NAME/1.0)`. */
export function nameUnlisted(agent: string): CrawlerName {
  const own = /\(compatible; ?([^;/)]+)/.exec(agent)?.[1] ?? /^[^\s/(]+/.exec(agent)?.[0] ?? "";
  const name = own
    .replace(/[^ -~]/g, "?")
    .trim()
    .slice(0, 40);
  const shown = name === "" ? "(no agent)" : /^Mozilla$/i.test(name) ? "(like a browser)" : name;
  return { name: shown, operator: undefined, purpose: "unknown" };
}
