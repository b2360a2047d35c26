import type { CrawlPlan } from "../../lab/simulation/crawl-plan.ts";
import type { Web } from "../../lab/webs/web.ts";
import { CrawlOrder } from "../../src/crawler/engine/order/crawl-order.ts";
import { targetsOf } from "../../src/graph/graph.ts";

interface Download {
  readonly site: number;
  readonly pages: number[];
  waitSeconds: number;
  bytesLeft: number;
}

/** When a page was retrieved, in seconds. */
export interface Retrieval {
  readonly page: number;
  readonly at: number;
}

/** A crawl by *depth* or *length* as one would write it down: a list of downloads, and all of it worked out anew at each event. */
export function crawlNaively(web: Web, plan: CrawlPlan): Retrieval[] {
  if (plan.order !== "depth" && plan.order !== "length") throw new RangeError(`not naive: ${plan.order}`);
  const order = new CrawlOrder(
    { kind: plan.order },
    { connections: plan.connections, pagesPerTurn: plan.pagesPerTurn, restMs: plan.restSeconds * 1000 },
  );
  const depths = new Map<number, number>();
  const hear = (page: number, depth: number): void => {
    if (depths.has(page)) return;
    depths.set(page, depth);
    order.add(page, web.siteOf[page] ?? 0, depth);
  };
  for (const home of web.homes) hear(home, 0);
  const downloads = new Set<Download>();
  const found: Retrieval[] = [];
  let nowMs = 0;
  while (order.backlog > 0 || downloads.size > 0) {
    for (let turn = order.next(nowMs); turn !== undefined; turn = order.next(nowMs)) {
      const pages = [...turn.pages];
      const bytesLeft = web.sizeBytes[pages[0] ?? 0] ?? 0;
      downloads.add({ site: turn.site, pages, waitSeconds: web.latencySeconds[turn.site] ?? 0, bytesLeft });
    }
    const transfers = [...downloads].filter(({ waitSeconds }) => waitSeconds === 0).length;
    const share = plan.bytesPerSecond / transfers ** (plan.sharing ?? 1);
    const speedOf = ({ site }: Download): number => Math.min(web.bytesPerSecond[site] ?? 0, share);
    const steps = [...downloads].map((one) => (one.waitSeconds > 0 ? one.waitSeconds : one.bytesLeft / speedOf(one)));
    const isAsked = order.backlog > 0 && downloads.size < plan.connections;
    const wakeMs = isAsked ? order.readyAt(nowMs) : Number.POSITIVE_INFINITY;
    const endMs = Math.min(nowMs + Math.min(...steps) * 1000, wakeMs);
    const step = (endMs - nowMs) / 1000;
    const speeds = new Map([...downloads].map((one) => [one, speedOf(one)]));
    nowMs = endMs;
    for (const one of [...downloads]) {
      if (one.waitSeconds > 0) {
        one.waitSeconds = one.waitSeconds - step < 1e-9 ? 0 : one.waitSeconds - step;
        continue;
      }
      one.bytesLeft -= step * (speeds.get(one) ?? 0);
      if (one.bytesLeft > 1e-6) continue;
      const page = one.pages.shift() ?? 0;
      found.push({ page, at: nowMs / 1000 });
      for (const target of targetsOf(web.graph, page)) hear(target, (depths.get(page) ?? 0) + 1);
      const next = one.pages[0];
      if (next !== undefined) one.bytesLeft = web.sizeBytes[next] ?? 0;
      else {
        downloads.delete(one);
        order.done(one.site, nowMs);
      }
    }
  }
  return found;
}
