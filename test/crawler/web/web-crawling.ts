import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { crawlWebBy } from "../../../src/crawler/web/crawl-web.ts";
import type { CrawlWebOptions, WebSummary } from "../../../src/crawler/web/web-options.ts";
import { LinkLog, openStore, UrlQueue } from "../../../src/storage/index.ts";
import type { LoopbackWeb } from "./loopback-web.ts";

/** Where the sites are. */
export const addresses: readonly string[] = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];

export function optionsFor(web: LoopbackWeb, into: string, more: Partial<CrawlWebOptions> = {}): CrawlWebOptions {
  return {
    into,
    seeds: [`${web.originOf("s0.example")}/`],
    nameServers: [web.names.address],
    allowPrivate: true,
    keep: "metadata",
    queueBytes: 4 * 1024 * 1024,
    retryMs: 20,
    timeoutMs: 2000,
    ...more,
  };
}

/** Addresses of sites by number, some sites at each. */
export const addressOf = (host: string): string[] => [
  addresses[Number(/\d+/.exec(host)?.[0] ?? 0) % addresses.length] as string,
];

/** All lines of the kept links, by URL. */
export function readLinkFiles(into: string): Map<string, string[]> {
  const folder = join(into, "links");
  const lines = readdirSync(folder).flatMap((name) =>
    gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trimEnd()
      .split("\n"),
  );
  return new Map(
    lines.map((line) => {
      const [, url = "", ...links] = line.split("\t");
      return [url, links];
    }),
  );
}

/** Time passes so many times as fast as it does: a day in a second. */
export const speed = 100_000;

/** Crawls at that speed with `isForever`, on until a condition holds, which is asked at each event, or for 20 s. */
export async function crawlUntil(
  web: LoopbackWeb,
  into: string,
  isEnough: () => boolean,
  more: Partial<CrawlWebOptions> = {},
): Promise<WebSummary> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 20_000);
  const begin = Date.now();
  const clock = (): number => begin + (Date.now() - begin) * speed;
  const delay = async (ms: number, signal?: AbortSignal): Promise<void> => {
    await wait(ms / speed, undefined, { signal }).catch(() => undefined);
  };
  using store = openStore({ into });
  using queue = new UrlQueue(join(into, "queue"), { memoryBytes: 2 ** 22 });
  await using links = new LinkLog(join(into, "links"), { clock });
  try {
    return await crawlWebBy(
      { store, queue, links, ranks: undefined, since: Math.floor(begin / 1000), delay, tickMs: 100 * speed },
      {
        ...{ ...optionsFor(web, into), seeds: [`${web.originOf("a.example")}/`] },
        ...{ isForever: true, retryMs: 60_000, timeoutMs: 60_000 * speed, clock, signal: stop.signal },
        onEvent: () => {
          if (isEnough()) stop.abort();
        },
        ...more,
      },
    );
  } finally {
    clearTimeout(timer);
  }
}
