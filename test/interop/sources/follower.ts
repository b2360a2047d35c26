import { join } from "node:path";
import Database from "libsql";
import type { EpochSeconds } from "../../../src/core/time.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import type { LastmodRecord, LastmodTrust } from "../../../src/crawler/engine/revisit/lastmod-trust.ts";
import { trustOf } from "../../../src/crawler/engine/revisit/lastmod-trust.ts";
import { createPoliteness } from "../../../src/crawler/politeness.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";

import type { Publication } from "./publications.ts";

/** Who keeps a copy of a site by coming once a day. */
export interface Follower {
  readonly name: string;
  readonly snippet: string;
  /** Where the copy is. */
  readonly copy: string;
  /** Brings the copy up to date. */
  readonly update: (now: EpochSeconds) => Promise<void>;
  /** What is thought of the site's `lastmod` by now. */
  readonly trust?: () => LastmodTrust | undefined;
  readonly liedAt?: () => EpochSeconds | undefined;
}

const concurrency = 5;

function readTrust(stateFile: string): LastmodTrust | undefined {
  const database = new Database(stateFile, { readonly: true });
  try {
    const row = database.prepare("SELECT state FROM source_state WHERE source = 'sitemap'").get() as
      | { state: string }
      | undefined;
    const record = (JSON.parse(row?.state ?? "{}") as { trust?: LastmodRecord }).trust;
    return record === undefined ? undefined : trustOf(record);
  } finally {
    database.close();
  }
}

/** Our crawler, with one publication. Its clock is the day's; waits take no time. */
export function makeCrawler(publication: Publication, into: string, url: string): Follower {
  const stateFile = join(into, ".tidemark", "state.db");
  return {
    name: publication.name,
    snippet: publication.snippet,
    copy: join(into, mirrorFolderOf(new URL(url).origin)),
    update: async (now) => {
      let waitedMs = 0;
      const clock = (): number => now * 1000 + waitedMs;
      const delay = async (delayMs: number): Promise<void> => {
        waitedMs += delayMs;
      };
      const politeness = createPoliteness({ clock, delay });
      const summary = await crawlSite({ url, into, concurrency, clock, delay, politeness, ...publication.crawl });
      const [wanted] = publication.crawl.sources ?? [];
      if (summary.source !== wanted)
        throw new Error(`${publication.name}: ${summary.source} was used: ${JSON.stringify(summary.passedOver)}`);
    },
    ...(publication.liedAt !== undefined && { liedAt: publication.liedAt }),
    ...(publication.crawl.sources?.includes("sitemap") === true && { trust: () => readTrust(stateFile) }),
  };
}
