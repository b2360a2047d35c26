import { readTraffic } from "../../src/traffic/index.ts";
import type { LoggedTraffic } from "../experiment/ports.ts";

/** Any, but always the same: a run of the lab can be repeated. */
const hashSeed = 1;

/** Counts an access log, a file or its bytes. @throws TidemarkError `not-found` */
export async function readLoggedTraffic(log: string | Iterable<Uint8Array>): Promise<LoggedTraffic> {
  const input = async function* () {
    if (typeof log !== "string") yield* log;
  };
  const summary = await readTraffic({ logs: [typeof log === "string" ? log : "-"], input, seed: hashSeed });
  const pages = summary.kinds.find(({ kind }) => kind === "page");
  return {
    requests: summary.all.requests,
    bytes: summary.all.bytes,
    pageRequests: pages?.requests ?? 0,
    pageBytes: pages?.bytes ?? 0,
    crawlers: summary.crawlerCount,
    crawlersWithNotModified: summary.crawlersWithNotModified,
    days: summary.days.map(({ requests, bytes, crawling }) => ({
      ...{ requests, bytes, crawlerRequests: crawling.requests, crawlerBytes: crawling.bytes },
    })),
  };
}
