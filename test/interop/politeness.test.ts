import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import type { CrawlSummary } from "../../src/core/crawl-event.ts";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { checkPoliteness, type LoggedRequest } from "../crawler/engine/order/politeness-check.ts";
import { PublishedSite } from "../crawler/engine/published-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { createRandom, type Random } from "./random.ts";

const addresses = 10;
const sitesPerAddress = 5;
const pagesPerSite = 30;
const tickMs = 10;
const spare = { pagesBeforeRest: 10, restMs: 250, loopbackRests: true };

/** A site that answers late, and now and then not at all, and writes down when it was asked what. */
async function openSite(host: string, random: Random, log: LoggedRequest[]): Promise<PublishedSite> {
  const site = await PublishedSite.open(host);
  for (let at = 0; at < pagesPerSite; at++) site.set({ [`/p${at}.html`]: `page ${at} of ${site.origin}` });
  site.publishBase();
  let isStarted = false;
  site.around = (response, serve) => {
    const beganAt = Date.now();
    const trouble = isStarted ? random.below(100) : 100;
    isStarted = true;
    const note = (retryAt?: number): void => {
      const isTrouble = response.statusCode >= 400 && retryAt === undefined;
      const { origin } = site;
      log.push({
        ...{ site: origin, address: host, beganAt, endedAt: Date.now(), isTrouble },
        ...(retryAt === undefined ? {} : { retryAt }),
      });
    };
    setTimeout(() => answer(response, trouble, note, serve), 20 + random.below(80));
  };
  return site;
}

function answer(response: ServerResponse, trouble: number, note: (retryAt?: number) => void, serve: () => void): void {
  if (trouble >= 5) {
    serve();
    note();
    return;
  }
  const status = trouble % 2 === 0 ? 429 : 503;
  // A date has whole seconds.
  const date = Math.ceil((Date.now() + 1000) / 1000) * 1000;
  const [retryAfter, retryAt] = trouble < 2 ? ["1", Date.now() + 1000] : [new Date(date).toUTCString(), date];
  if (trouble === 4) response.writeHead(status).end();
  else response.writeHead(status, { "retry-after": retryAfter }).end();
  note(trouble === 4 ? undefined : retryAt);
}

test("fifty sites on ten addresses are asked politely, and as fast as that allows", { timeout: 120_000 }, async (t) => {
  const random = createRandom(6);
  const log: LoggedRequest[] = [];
  const hosts = Array.from({ length: addresses }, (_, at) => `127.0.0.${at + 1}`);
  const all = hosts.flatMap((host) => Array<string>(sitesPerAddress).fill(host));
  const sites = await Promise.all(all.map((host) => openSite(host, random, log)));
  using folder = makeTempFolder();
  const crawlDelays = new Map<string, number>();
  for (const [at, site] of sites.entries()) {
    const seconds = at % sitesPerAddress === 0 ? 0.3 : 0;
    if (seconds > 0) site.robots = `User-agent: *\nCrawl-delay: ${seconds}\n\n`;
    site.write();
    crawlDelays.set(site.origin, seconds * 1000);
  }
  let summaries: CrawlSummary[] = [];
  const politeness = createPoliteness(spare);
  const startedAt = Date.now();
  const stalls: [number, number][] = [];
  let ranAt = startedAt;
  const watch = setInterval(() => {
    const now = Date.now();
    if (now - ranAt > 3 * tickMs) stalls.push([ranAt, now]);
    ranAt = now;
  }, tickMs);
  try {
    summaries = await Promise.all(
      sites.map((site, at) => crawlSite({ url: site.origin, into: join(folder.path, String(at)), politeness })),
    );
  } finally {
    clearInterval(watch);
    for (const site of sites) await site[Symbol.asyncDispose]();
  }
  const report = checkPoliteness(log, {
    ...spare,
    crawlDelayMs: (site) => crawlDelays.get(site) ?? 0,
    // Two ends of a connection look at the clock at different moments.
    toleranceMs: 2,
    stalls,
  });
  const told = log.filter((request) => request.retryAt !== undefined).length;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const share = percent(report.share);
  t.diagnostic(
    `${log.length} requests to ${sites.length} sites on ${addresses} addresses in ${Date.now() - startedAt} ms, ` +
      `${told} answers with a Retry-After: ${report.violations.length} violations, ${share} of the possible rate ` +
      `(${percent(report.grossShare)} with the ${Math.round(report.stalledMs / addresses)} ms in which the process did not run)`,
  );
  assert.deepEqual(report.violations, []);
  assert.ok(summaries.every(({ created, failed }) => created + failed === pagesPerSite));
  assert.ok(told > 20 && log.length >= sites.length * (pagesPerSite + 4));
  assert.ok(report.share > 0.6, share);
});
