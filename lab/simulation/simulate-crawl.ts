import type { SiteTurn } from "../../src/crawler/engine/order/site-turns.ts";
import type { Web } from "../webs/web.ts";
import { Connections } from "./connections.ts";
import type { CrawlObserver, CrawlOutcome, CrawlPlan } from "./crawl-plan.ts";
import { KnownWeb } from "./known-web.ts";

/** A connection's turn: which of its pages is on its way, and since when it is open. */
interface OpenTurn {
  readonly turn: SiteTurn;
  readonly sinceMs: number;
  at: number;
}

const msPerSecond = 1000;

/**
 * Crawls a web in virtual time, with the order that production has: from the home pages on, each page after a page that leads to it. A
 * connection takes the site's latency, once, and for each of its pages their bytes at the least of what the site gives
 * and the transfer's share of the crawler's link. Nothing fails, and nothing changes meanwhile.
 *
 * @throws RangeError if the plan lacks what its order needs
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, "Scheduling Algorithms for Web Crawling", LA-WEB 2004, section 4
 */
export function simulateCrawl(web: Web, plan: CrawlPlan, observer: CrawlObserver = {}): CrawlOutcome {
  const known = new KnownWeb(web, plan);
  const { order } = known;
  const connections = new Connections(plan.connections, plan.bytesPerSecond / msPerSecond, plan.sharing ?? 1);
  const open: (OpenTurn | undefined)[] = Array.from({ length: plan.connections });
  const pagesAtMost = plan.stopAfterPages ?? Number.POSITIVE_INFINITY;
  let [pages, bytes, busyMs] = [0, 0, 0];

  const begin = (): void => {
    while (connections.busy < plan.connections) {
      const turn = order.next(connections.nowMs);
      if (turn === undefined) return;
      const latencyMs = (web.latencySeconds[turn.site] as number) * msPerSecond;
      const place = connections.open(latencyMs, (web.bytesPerSecond[turn.site] as number) / msPerSecond);
      open[place] = { turn, sinceMs: connections.nowMs, at: 0 };
    }
  };
  const passUntil = (atMs: number): void => {
    const { nowMs, busy } = connections;
    if (atMs > nowMs) observer.span?.(nowMs / msPerSecond, atMs / msPerSecond, busy);
    busyMs += (atMs - nowMs) * busy;
    connections.advance(atMs);
  };

  while (pages < pagesAtMost) {
    begin();
    const nextMs = connections.next();
    const isAsked = order.backlog > 0 && connections.busy < plan.connections;
    const wakeMs = isAsked ? order.readyAt(connections.nowMs) : nextMs;
    if (wakeMs < nextMs) {
      passUntil(wakeMs);
      continue;
    }
    if (nextMs === Number.POSITIVE_INFINITY) break;
    passUntil(nextMs);
    const { place, isEnd } = connections.take();
    const current = open[place] as OpenTurn;
    const { turn } = current;
    if (isEnd) {
      const page = turn.pages[current.at++] as number;
      pages++;
      bytes += web.sizeBytes[page] as number;
      known.learn(page);
      observer.page?.(page, connections.nowMs / msPerSecond);
    }
    if (current.at < turn.pages.length) {
      connections.transfer(place, web.sizeBytes[turn.pages[current.at] as number] as number);
    } else {
      connections.close(place);
      open[place] = undefined;
      order.done(turn.site, connections.nowMs);
      observer.turn?.(turn.site, current.sinceMs / msPerSecond, connections.nowMs / msPerSecond);
    }
  }
  return { pages, seconds: connections.nowMs / msPerSecond, busySeconds: busyMs / msPerSecond, bytes };
}
