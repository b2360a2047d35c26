import { createRandom } from "../../src/core/random.ts";
import type { HistoryEvent } from "../experiment/ports.ts";
import { drawIntervals, inputOf } from "./change-intervals.ts";
import { daySeconds } from "./history-days.ts";

const firstDay = 20_000;
const endings = ["html", "html", "html", "html", "html", "html", "png", "css", "pdf", "txt"] as const;

/**
 * Makes up a history: pages that change at random as often as those of `four-sites`, at most once a day. Sizes have a long tail
 * around the paper's mean of 13 KB.
 */
export function makeHistory(pages: number, days: number, seed: number): HistoryEvent[] {
  const random = createRandom(seed, "made history");
  const intervals = drawIntervals(inputOf("four-sites"), pages, 365, random);
  const drawSize = (): number =>
    Math.max(200, Math.round(6000 * Math.exp(1.25 * (random() + random() + random() - 1.5) * 2)));
  const names = Array.from(intervals, (_, page) => {
    const folder = `section-${Math.floor(random() * 40)}/${Math.floor(random() * 24)}`;
    return `${folder}/${Math.floor(random() * 36 ** 6).toString(36)}-${page}.${endings[page % endings.length]}`;
  });
  const events: HistoryEvent[] = names.map((path, page) => ({
    time: firstDay * daySeconds + (page % daySeconds),
    path,
    sizeBytes: drawSize(),
  }));
  events.sort((a, b) => a.time - b.time);
  for (let day = 1; day <= days; day++) {
    for (const [page, interval] of intervals.entries()) {
      if (random() >= -Math.expm1(-1 / interval)) continue;
      const time = (firstDay + day) * daySeconds + Math.floor((page * daySeconds) / pages);
      events.push({ time, path: names[page] ?? "", sizeBytes: drawSize() });
    }
  }
  return events;
}
