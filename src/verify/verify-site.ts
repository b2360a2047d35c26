import { omitUndefined, type VerifySummary, wrapSystemError } from "../core/index.ts";
import { parseSiteAddress } from "../crawler/index.ts";
import { createFetcher, realTiming } from "../http/index.ts";
import { SiteAsker } from "./site-asker.ts";
import type { VerifySiteOptions } from "./site-verification.ts";
import { Verification } from "./site-verification.ts";

/**
 * Reads what a site publishes, as a crawler does, and requests some of the pages from the server. Each difference that
 * a crawler would find is reported, with what to do about it.
 *
 * One request at a time. Memory is the sample, plus 20,000 pages and 10,000 links that show how the site names its
 * pages. Writes nothing.
 *
 * @returns the summary
 * @throws TidemarkError `bad-option`, `no-archives`, `site-unavailable`, `aborted`, `archive-corrupt`; not if a finding
 * already says why the archives cannot be read
 * @example
 * const { differences } = await verifySite({ url: "https://example.org/", sample: 20 });
 * if (differences > 0) console.log("a crawler would not find what is published");
 */
export async function verifySite(options: VerifySiteOptions): Promise<VerifySummary> {
  const { url, userAgent, clock, delay, signal, onEvent } = options;
  const startedMs = performance.now();
  const report = onEvent ?? (() => undefined);
  const origin = parseSiteAddress(url, (event) => {
    if (event.event === "warning") report({ event: "warning", code: event.code, message: event.message });
  });
  const timing = realTiming(clock, delay);
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32);
  await using fetcher = createFetcher({
    allowedPrivateOrigins: [origin],
    ...omitUndefined({ userAgent, clock }),
  });
  const asker = new SiteAsker(fetcher, { origin, timing, timeoutMs: options.timeoutMs ?? 30_000, signal });
  const verification = new Verification(options, origin, asker, timing, seed, report);
  try {
    await verification.run();
  } catch (error) {
    throw wrapSystemError(error, `verify ${origin}/`, { site: origin });
  }
  return { ...verification.counts, requests: asker.requests, elapsedMs: Math.round(performance.now() - startedMs) };
}
