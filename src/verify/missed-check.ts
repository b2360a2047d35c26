import { type EpochSeconds, type HeldBody, omitUndefined, type Page } from "../core/index.ts";
import { boundShare } from "../crawler/index.ts";
import { parseHttpDate } from "../formats/http/index.ts";
import { createFetcher, realTiming } from "../http/index.ts";
import { drawSeed, PageSample } from "./page-sample.ts";
import type { ServedPage } from "./served-page.ts";
import { type AskOptions, SiteAsker } from "./site-asker.ts";

/** How to look for missed changes. */
export interface MissedCheckOptions extends AskOptions {
  /** Number of randomly chosen pages to fetch completely. */
  readonly sample: number;
  readonly onProgress?: (site: string, done: number, total: number) => void;
}

/** What a sample of the held pages says about missed changes. */
export interface MissedCheck {
  /** Pages fetched completely and compared. */
  readonly checked: number;
  /** Compared pages that differ and, as far as known, already differed at the last visit. */
  readonly differing: number;
  /** Pages that changed after the last visit according to Last-Modified; they were not missed, and are not compared. */
  readonly later: number;
  /** Pages that could not be compared: no response, another status, or disallowed by robots.txt. */
  readonly failed: number;
  /** With 95 % confidence, at most this share of the pages was missed; 1 if none was compared. */
  readonly missedShareAtMost: number;
  /** Paths of pages that differ; at most a hundred. */
  readonly examples: readonly string[];
  /** Seed that selects the same sample again. */
  readonly seed: number;
  readonly requests: number;
}

const maxExamples = 100;

/**
 * Fetches a random sample of held pages completely, without validators, and compares them with the held versions, to
 * measure what the crawler may have missed. Changes nothing.
 *
 * @param lastVisit - later changes could not have been seen
 * @throws TidemarkError `site-unavailable` after ten failures in a row, `aborted`
 */
export async function checkForMissed(
  origin: string,
  pages: Iterable<Page & HeldBody>,
  lastVisit: EpochSeconds,
  options: MissedCheckOptions,
): Promise<MissedCheck> {
  const { sample, seed = drawSeed(), userAgent, delay, onProgress } = options;
  const drawn = new PageSample<Page & HeldBody>(sample, seed);
  for (const page of pages) drawn.offer(page);
  await using fetcher = createFetcher({ allowedPrivateOrigins: [origin], ...omitUndefined({ userAgent }) });
  const asker = new SiteAsker(fetcher, origin, realTiming(undefined, delay), options);
  // RFC 9309 section 2.3.1.4: an unreachable robots.txt disallows everything.
  const { isReachable } = await asker.readRobots();
  const counts = { same: 0, differs: 0, later: 0, failed: 0 };
  const examples: string[] = [];
  let done = 0;
  for (const page of drawn.pages) {
    const mayAsk = isReachable && asker.allows(page.path);
    const verdict = mayAsk ? compare(page, await asker.askPage(page.path, page.sizeBytes), lastVisit) : "failed";
    counts[verdict]++;
    if (verdict === "differs" && examples.length < maxExamples) examples.push(page.path);
    onProgress?.(origin, ++done, drawn.pages.length);
  }
  const checked = counts.same + counts.differs;
  return {
    checked,
    differing: counts.differs,
    later: counts.later,
    failed: counts.failed,
    missedShareAtMost:
      checked === drawn.seen && checked > 0 ? counts.differs / checked : boundShare(checked, counts.differs),
    examples,
    seed,
    requests: asker.requests,
  };
}

function compare(
  page: Page & HeldBody,
  served: ServedPage,
  lastVisit: EpochSeconds,
): "same" | "differs" | "later" | "failed" {
  const { head, failure, sizeBytes, digest } = served;
  if (head?.status === 404 || head?.status === 410) return "differs";
  const isLarger = Math.max(sizeBytes, Number(head?.fields.get("content-length") ?? 0)) > page.sizeBytes;
  // A body cut off because it is much too large differs, whatever would have followed.
  if (head?.status !== 200 || (failure !== undefined && !isLarger)) return "failed";
  if (sizeBytes === page.sizeBytes && digest === page.digest) return "same";
  const coding = head.fields.get("content-encoding");
  if (coding !== undefined && coding !== "identity") return "failed";
  const modifiedMs = parseHttpDate(head.fields.get("last-modified") ?? "", Date.now());
  return modifiedMs !== undefined && modifiedMs / 1000 >= lastVisit ? "later" : "differs";
}
