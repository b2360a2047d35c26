import { type MeteredCost, meterProcess } from "../peers/metered-process.ts";
import { MadeSites } from "../web-crawl/made-sites.ts";
import { startServer } from "../web-crawl/processes.ts";
import type { ServerReport } from "../web-crawl/server-process.ts";
import type { WebCrawler } from "./web-crawlers.ts";

/** What a crawl took, and what the server saw. */
export interface WebCost extends MeteredCost {
  readonly report: ServerReport;
}

/** A made Web. */
export interface WebSize {
  readonly sites: number;
  readonly pages: number;
  readonly seed: number;
  readonly friendly: boolean;
}

const mostSeconds = 3600;

/** Lets a crawler crawl a made Web from its first page, to the end. @param folder - empty; all that the crawler writes */
export async function measureWebCrawl(crawler: WebCrawler, folder: string, size: WebSize): Promise<WebCost> {
  const { sites, pages, seed, friendly } = size;
  await using web = await startServer({
    ...{ sites, pages, seed, isFriendly: friendly, restMs: 0, pagesBeforeRest: 0 },
    ...{ latencyMs: 0, hostility: undefined },
  });
  const command = crawler.commandOf({
    folder,
    seed: `http://${new MadeSites(sites, pages, seed, friendly).hostOf(0)}:${web.port}/`,
    nameServer: web.nameServer,
    connections: 64,
    timeoutSeconds: 3,
    depth: 60,
  });
  const cost = await meterProcess(["timeout", "--kill-after=5", String(mostSeconds), ...command]);
  return { ...cost, report: await web.report() };
}
