import { findDisallowedUse, noUsage } from "../../../core/index.ts";
import type { CrawlVisit } from "../discovery/crawl-visit.ts";
import type { SeekPackages } from "../discovery/source.ts";
import { isCancelled, throwIfAborted } from "../visit/reading-visit.ts";
import { maxAway, readUrls, readUrlsAtHand } from "./due-urls.ts";
import { PackageWork } from "./package-work.ts";
import { PageWork } from "./page-work.ts";

/**
 * Does the work that was announced: deletions first, so that a file makes room for a folder of its name, then pages in
 * the order of paths, each at most once a visit.
 *
 * @param seekPackages - keeps many pages at once before the rest is requested one by one
 */
export async function doAnnouncedWork(visit: CrawlVisit, seekPackages?: SeekPackages): Promise<void> {
  const work = new PageWork(visit);
  const { results } = work;
  for (const url of readUrls(visit, "withdrawn")) {
    if (isCancelled(visit)) break;
    const isUnwanted =
      !visit.filter.admits(url.path) ||
      findDisallowedUse(url.usage?.served ?? noUsage, visit.respectUsage) !== undefined;
    await results.add(url, { kind: "withdrawn", reason: isUnwanted ? "unwanted" : "published" }, false);
  }
  await results.finish();
  throwIfAborted(visit);
  const { packages, urls } = visit.ports;
  await seekPackages?.(visit, async (supply) => {
    if (packages !== undefined) await new PackageWork(visit, results, packages, supply).run();
  });
  throwIfAborted(visit);
  const away = urls.takeAway("announced", visit.since, maxAway);
  work.reserveFor(away.length);
  await work.fetch(readUrlsAtHand(visit, "announced"));
  work.reserveFor(0);
  await work.fetch(away.values());
  work.conclude();
}
