import { createRequire } from "node:module";
import { getDomain } from "tldts";
import { type Purpose, purposeOf } from "./purpose.ts";

/** Who a crawler says it is. */
export interface CrawlerName {
  /** Such as `GPTBot`. */
  readonly name: string;
  /** The registrable domain of the page that explains it, such as `openai.com`; undefined if the list has none. */
  readonly operator: string | undefined;
  readonly purpose: Purpose;
}

interface ListedCrawler {
  readonly pattern: string;
  readonly url?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

/** Sites that tell of others' crawlers: the list names them where it knows no page of the operator. */
const directories: ReadonlySet<string> = new Set([
  "datadome.co",
  "github.com",
  "knownagents.com",
  "stackoverflow.com",
  "udger.com",
  "useragents.io",
  "useragentstring.com",
]);

/** The crawlers of the package `crawler-user-agents`, by their User-Agent. */
export class KnownCrawlers {
  readonly #patterns: ReadonlyArray<readonly [RegExp, Omit<CrawlerName, "name">]>;

  constructor() {
    const list = createRequire(import.meta.url)("crawler-user-agents") as readonly ListedCrawler[];
    this.#patterns = list.map(({ pattern, url, tags = [], description = "" }) => [
      new RegExp(pattern),
      { operator: operatorOf(url), purpose: purposeOf(pattern, tags, description) },
    ]);
  }

  /** @param agent - of bounded length, for each costs a search for each crawler of the list */
  find(agent: string): CrawlerName | undefined {
    for (const [pattern, about] of this.#patterns) {
      const found = pattern.exec(agent)?.[0];
      if (found === undefined) continue;
      const own = /[/.]/.test(found) ? nameUnlisted(agent).name : "(";
      const name = own.startsWith("(") ? printable(found.replace(/^\W+|[^\w)]+$/g, "")) : own;
      return {
        name,
        purpose: about.purpose,
        operator: about.operator ?? operatorOf(/https?:[^\s;)]+/.exec(agent)?.[0]),
      };
    }
    return undefined;
  }
}

function operatorOf(url: string | undefined): string | undefined {
  const domain = (url && getDomain(url)) || undefined;
  return domain === undefined || directories.has(domain) ? undefined : printable(domain);
}

/** A name for an agent that is on no list: its product, or `NAME` of `(compatible; NAME/1.0)`. */
export function nameUnlisted(agent: string): CrawlerName {
  const own = /\(compatible; ?([^;/)]+)/.exec(agent)?.[1] ?? /^[^\s/(]+/.exec(agent)?.[0] ?? "";
  // `NAME +http://...`: the page that explains it is no part of its name.
  const name = printable(own.replace(/(^|\s+)[(+]*https?:?$/, ""));
  const shown = name === "" ? "(no agent)" : /^Mozilla$/i.test(name) ? "(like a browser)" : name;
  return { name: shown, operator: undefined, purpose: "unknown" };
}

function printable(name: string): string {
  const shown = name
    .replace(/[^ -~]/g, "?")
    .trim()
    .slice(0, 40);
  // A copy: a part of a string holds the whole of it.
  return Buffer.from(shown, "latin1").toString("latin1");
}
