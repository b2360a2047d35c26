import { createRandom } from "../../interop/random.ts";
import { daySeconds, type History } from "../replay/history.ts";
import type { TrialPage, TrialSite } from "./polled-site.ts";

interface OpenPage {
  readonly bornAt: number;
  readonly changes: number[];
}

/**
 * The pages of a history's last days. A path that is deleted and comes again is two pages, one after the other.
 *
 * @param days - how many; fewer if the history is shorter
 */
export function takeHistory(history: History, days: number): TrialSite {
  const until = Math.ceil(((history.events.at(-1)?.time ?? 0) + 1) / daySeconds) * daySeconds;
  const first = Math.floor((history.events[0]?.time ?? 0) / daySeconds) * daySeconds;
  const from = Math.max(first, until - days * daySeconds);
  const open = new Map<string, OpenPage>();
  const pages: TrialPage[] = [];
  const close = (path: string, page: OpenPage, goneAt: number): void => {
    if (goneAt > from) pages.push({ path: `${path}#${pages.length}`, ...page, goneAt });
  };
  for (const { time, path, sizeBytes } of history.events) {
    const page = open.get(path);
    if (sizeBytes === undefined) {
      if (page !== undefined) close(path, page, time);
      open.delete(path);
    } else if (page === undefined) open.set(path, { bornAt: time, changes: [] });
    else if (time > (page.changes.at(-1) ?? page.bornAt)) page.changes.push(time);
  }
  for (const [path, page] of open) close(path, page, Number.POSITIVE_INFINITY);
  pages.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { name: history.name, pages, from, until };
}

/** Mean days between changes, and the share of pages: J. Cho and H. Garcia-Molina's histogram of 1999, one value a bar. */
const bars: ReadonlyArray<readonly [days: number, share: number]> = [
  [1, 0.23],
  [7, 0.15],
  [30, 0.16],
  [120, 0.16],
  [365, 0.3],
];

/** The bar that stands at a place from 0 to 1. */
function meanDaysAt(place: number): number {
  let end = 0;
  for (const [days, share] of bars) {
    end += share;
    if (place < end) return days;
  }
  return 365;
}

/** A site of Poisson pages whose rates are those of the histogram. */
export function makePoissonSite(count: number, days: number, seed: number): TrialSite {
  const random = createRandom(seed);
  const until = days * daySeconds;
  const pages = Array.from({ length: count }, (_, at): TrialPage => {
    const meanDays = meanDaysAt((at + 0.5) / count);
    const changes: number[] = [];
    for (let time = 0; ; ) {
      time -= Math.log1p(-random.next()) * meanDays * daySeconds;
      if (time > until) break;
      changes.push(time);
    }
    return { path: `/${at.toString(36).padStart(6, "0")}`, bornAt: 0, goneAt: Number.POSITIVE_INFINITY, changes };
  });
  return { name: "five bars", pages, from: 0, until };
}

/** The mean rates of the pages of {@link makePoissonSite}, in changes a second, page by page. */
export function poissonRates(count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, at) => 1 / (meanDaysAt((at + 0.5) / count) * daySeconds));
}
