import { createHash } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EpochSeconds } from "../../../src/core/time.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { SitemapWriter } from "../../../src/formats/sitemap/sitemap.ts";
import { contentsPath } from "./contents-pages.ts";
import type { DayChanges, LivingSite } from "./living-site.ts";

/** One way in which a site says what changed. */
export interface Publication {
  readonly name: string;
  /** What the crawler is told. */
  readonly crawl: Pick<CrawlSiteOptions, "sources" | "starts">;
  /** Lines for nginx that show this way and no other. */
  readonly snippet: string;
  /** Says what a day did; not called for what the exporter publishes. */
  readonly publish?: (site: LivingSite, changes: DayChanges, endsAt: EpochSeconds) => void;
  /** When a lie was told first, if ever. */
  readonly liedAt?: () => EpochSeconds | undefined;
}

/** Lies that a sitemap's `lastmod` tells, and one that begins late. */
const lies = {
  "sitemap, a build stamp on all": "stamp",
  "sitemap, silent on a third": "silent",
  "sitemap, true, then silent": "late",
} as const;

type Lie = (typeof lies)[keyof typeof lies];

/** Whether a silent sitemap says nothing of a change: of one in three. */
function isSilent(path: string, at: EpochSeconds): boolean {
  return createHash("sha256").update(`${at} ${path}`, "latin1").digest().readUInt32BE() % 3 === 0;
}

const hidden = "location ^~ /.well-known/ { return 404; }\n";

/** What one folder beside the document root shows at the places of robots.txt and the sitemap. */
function ownFiles(folder: string): string {
  return `${hidden}location = /robots.txt { alias ${folder}/robots.txt; }
location = /sitemap.xml { alias ${folder}/sitemap.xml; }
`;
}

function lyingSitemap(name: string, lie: Lie, folder: string, origin: string, lateFrom: EpochSeconds): Publication {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "robots.txt"), `User-agent: *\nDisallow:\nSitemap: ${origin}/sitemap.xml\n`);
  const claims = new Map<string, EpochSeconds>();
  let liedAt: EpochSeconds | undefined;
  const claim = (site: LivingSite, changes: DayChanges, endsAt: EpochSeconds): void => {
    for (const path of changes.deleted) claims.delete(path);
    for (const [path, { lastModified }] of site.pages) {
      const isNew = !claims.has(path);
      const isChanged = changes.updated.has(path);
      const isTold = lie === "late" ? endsAt <= lateFrom : lie !== "silent" || !isSilent(path, endsAt);
      const isOwned = isChanged && isTold;
      if (!isNew && (lie === "stamp" || (isChanged && !isOwned))) liedAt ??= endsAt;
      if (lie === "stamp") claims.set(path, endsAt);
      else if (isNew || isOwned) claims.set(path, lastModified);
    }
  };
  return {
    name,
    crawl: { sources: ["sitemap"] },
    snippet: ownFiles(folder),
    publish: (site, changes, endsAt) => {
      claim(site, changes, endsAt);
      const writer = new SitemapWriter("urlset", origin);
      for (const path of [...claims.keys()].sort())
        if (!writer.add(path, claims.get(path) ?? endsAt)) throw new RangeError("more pages than a sitemap may have");
      const file = join(folder, "sitemap.xml");
      const pieces = [writer.take(), writer.end() ?? new Uint8Array()];
      writeFileSync(file, Buffer.concat(pieces));
      utimesSync(file, endsAt, endsAt);
    },
    liedAt: () => liedAt,
  };
}

/** A site that says nothing: no robots.txt, no sitemap, only pages with links. */
export const silence: Publication = {
  name: "nothing (links)",
  crawl: { sources: ["links"], starts: [contentsPath] },
  snippet: `${hidden}location = /robots.txt { return 404; }\n`,
};

/** What the exporter publishes, as it is. */
export const exported: Readonly<Record<"archives" | "resourceSync" | "sitemap", Publication>> = {
  archives: { name: "archives", crawl: { sources: ["archives"] }, snippet: "" },
  resourceSync: { name: "ResourceSync", crawl: { sources: ["resourcesync"] }, snippet: "" },
  sitemap: { name: "sitemap, true", crawl: { sources: ["sitemap"] }, snippet: "" },
};

/**
 * All ways in turn.
 *
 * @param folder - for what is not the exporter's
 * @param lateFrom - from when on the sitemap lies that was true before
 */
export function makePublications(folder: string, origin: string, lateFrom: EpochSeconds): Publication[] {
  const lying = Object.entries(lies).map(([name, lie]) => lyingSitemap(name, lie, join(folder, lie), origin, lateFrom));
  return [...Object.values(exported), ...lying, silence];
}
