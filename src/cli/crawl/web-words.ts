import type { HeldBackReason, WebCounts } from "../../crawler/index.ts";
import { formatCount } from "../terminal/quantity.ts";

/** Why links were held back, as what follows a number of them. */
const heldBackWords: Readonly<Record<HeldBackReason, string>> = {
  "out-of-scope": "out of scope (--scope-domain, --types, --include, --exclude)",
  language: "of pages in other languages (--language)",
  depth: "too deep in a site (--depth)",
  hops: "too many sites away (--max-hops)",
  sites: "to more sites than --max-sites",
  pages: "to more pages of a site than --max-pages",
  "domain-sites": "to more sites of a domain than --max-domain-sites",
  "new-sites": "from domains that lead to more new sites than --max-new-sites",
  "address-sites": "at addresses with more sites than --max-address-sites",
  "private-address": "at private addresses (--allow-private)",
  trap: "into traps",
};

/** What bounds held back, a text for each; links out of scope are no news where pages were found. */
export function formatHeldBack({ heldBack, done }: Pick<WebCounts, "heldBack" | "done">): string[] {
  return Object.entries(heldBack)
    .filter(([reason]) => reason !== "out-of-scope" || done === 0)
    .map(([reason, count]) => `${formatCount(count)} ${heldBackWords[reason as HeldBackReason]}`);
}
