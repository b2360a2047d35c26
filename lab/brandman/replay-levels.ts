import { costOfReading } from "./archive-cost.ts";
import { type CrawlerSums, ReplayCrawler, type ReplayCrawlerKind } from "./replay-crawler.ts";
import type { ReplayedWeb, WebDay } from "./replayed-web.ts";
import type { Publication, VirtualPublisher } from "./virtual-publisher.ts";

/** A crawler at one level of bandwidth. */
export interface ReplayLevel {
  /** Bytes a day by the bytes of all pages on the first day. */
  readonly bandwidth: number;
  /** The same in bytes. */
  readonly budgetBytes: number;
  readonly sums: CrawlerSums;
}

/** What all levels of a crawler are given. */
export interface ReplayRun {
  readonly web: ReplayedWeb;
  readonly kind: ReplayCrawlerKind;
  readonly bandwidths: readonly number[];
  readonly fieldsBytes: number;
  /** Needed by the crawler that reads archives. */
  readonly publisher: VirtualPublisher;
  readonly onDay: () => void;
}

interface Reader {
  readonly crawler: ReplayCrawler;
  readonly bandwidth: number;
  /** Day of the last visit. */
  visited: number;
}

/** Follows a web through all of its days, at all levels side by side. The first day is what every crawler begins with. */
export async function followWeb(run: ReplayRun): Promise<ReplayLevel[]> {
  const { web, kind, bandwidths, fieldsBytes, publisher, onDay } = run;
  const first = web.next();
  if (first === undefined) return [];
  const days: WebDay[] = [first];
  const published: Publication[] = [];
  if (kind === "archives") published.push(await publisher.publish(web.pages, first.changes, first.time));
  const wholeBytes = web.totalBytes + web.pages.size * fieldsBytes;
  const readers = bandwidths.map(
    (bandwidth): Reader => ({
      bandwidth,
      crawler: new ReplayCrawler(web, bandwidth * wholeBytes, fieldsBytes),
      visited: 0,
    }),
  );
  for (;;) {
    onDay();
    const before = web.versions.slice();
    const day = web.next();
    if (day === undefined) break;
    days.push(day);
    if (kind === "archives") published.push(await publisher.publish(web.pages, day.changes, day.time));
    const costs = new Map<number, number>();
    for (const reader of readers) {
      reader.crawler.beginDay(day.numbers, before);
      if (kind === "conventional" || kind === "conditional") reader.crawler.downloadInTurn(kind === "conditional");
      else {
        visit(reader, days, published, fieldsBytes, costs);
        reader.crawler.downloadChanged();
      }
      reader.crawler.endDay();
    }
  }
  return readers.map(({ bandwidth, crawler }) => ({
    bandwidth,
    budgetBytes: bandwidth * wholeBytes,
    sums: crawler.sums,
  }));
}

/** Learns what changed since the last visit; a crawler that spent too much comes another day. */
function visit(
  reader: Reader,
  days: readonly WebDay[],
  published: readonly Publication[],
  fieldsBytes: number,
  costs: Map<number, number>,
): void {
  const { crawler, visited } = reader;
  if (!crawler.canSpend) return;
  const [now, then] = [published.at(-1), published[visited]];
  if (now !== undefined && then !== undefined) {
    let cost = costs.get(visited);
    if (cost === undefined) {
      const isRobotsKnown = now.index.base.name.id === then.index.base.name.id;
      cost = costOfReading(now, then.index.publication, isRobotsKnown, fieldsBytes);
      costs.set(visited, cost);
    }
    crawler.payMetadata(cost);
  }
  for (const day of days.slice(visited + 1)) crawler.learn(day.numbers);
  reader.visited = days.length - 1;
}
