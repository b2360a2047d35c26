import { TidemarkError, usages } from "../core/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";

/** @throws TidemarkError `bad-option` if there is no such use, or bodies are kept in a way that cannot respect it */
export function checkRespectedUses({
  respectUsage = [],
  keep,
}: {
  readonly respectUsage?: CrawlSiteOptions["respectUsage"];
  readonly keep?: CrawlSiteOptions["keep"] | undefined;
}): void {
  const unknown = respectUsage.find((use) => !usages.includes(use));
  if (unknown !== undefined)
    throw new TidemarkError("bad-option", `There is no use ${String(unknown)}.`, {
      hint: `There are ${usages.join(", ")}.`,
    });
  if (respectUsage.length > 0 && (keep === "warc" || keep === "wacz"))
    throw new TidemarkError("bad-option", "WARC files have what servers answered, whatever use they disallow.", {
      hint: "Leave out --respect-usage, or keep a mirror.",
    });
}
