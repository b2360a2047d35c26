import type { Random } from "../../src/core/random.ts";

/** Pages that change at regular intervals, each from a phase of its own on. */
export interface ChangingPages {
  readonly intervalDays: Float64Array;
  /** Days until the first change: over 0, at most the interval. */
  readonly phaseDays: Float64Array;
}

/** Gives each page a random phase, over 0. */
export function drawPhases(intervalDays: Float64Array, random: Random): ChangingPages {
  return { intervalDays, phaseDays: intervalDays.map((interval) => (1 - random()) * interval) };
}

/** How many changes a page has had by the crawl of a day; days are counted from 1, and day 0 is the beginning. */
function versionOn({ intervalDays, phaseDays }: ChangingPages, page: number, day: number): number {
  const first = phaseDays[page] ?? 0;
  return day < first ? 0 : Math.floor((day - first) / (intervalDays[page] ?? 1)) + 1;
}

/**
 * A crawler that knows nothing, and downloads the next `limit` pages in turn each day. All copies are fresh at first.
 *
 * @returns share of the copies that are fresh after the last day's downloads, 0 to 1
 * @see Brandman, Cho, Garcia-Molina, Shivakumar, *Crawler-Friendly Web Servers*, PAWS 2000, section 6
 */
export function refreshByTurns(pages: ChangingPages, days: number, limit: number): number {
  const count = pages.intervalDays.length;
  const aDay = Math.min(limit, count);
  const downloads = aDay * days;
  let fresh = 0;
  for (let page = 0; page < count; page++) {
    // The last download of a page is the only one that matters.
    const turns = page < downloads ? Math.floor((downloads - 1 - page) / count) : -1;
    const visited = turns < 0 ? 0 : Math.floor((page + turns * count) / aDay) + 1;
    if (versionOn(pages, page, days) === versionOn(pages, page, visited)) fresh += 1;
  }
  return fresh / count;
}

/**
 * A crawler that reads each day which pages changed, and downloads the next of them in turn within its limit.
 *
 * @param limit - pages a day, with what the meta-data costs
 * @param metadataPages - what the meta-data costs a day, in pages
 * @returns share of the copies that are fresh after the last day's downloads, 0 to 1
 */
export function refreshByMetadata(pages: ChangingPages, days: number, limit: number, metadataPages: number): number {
  const count = pages.intervalDays.length;
  const aDay = Math.max(0, limit - metadataPages);
  const held = new Int32Array(count);
  let next = 0;
  for (let day = 1; day <= days; day++) {
    let left = aDay;
    for (let step = 0; step < count && left > 0; step++) {
      const version = versionOn(pages, next, day);
      if (held[next] !== version) {
        held[next] = version;
        left -= 1;
      }
      next = next + 1 === count ? 0 : next + 1;
    }
  }
  let fresh = 0;
  for (let page = 0; page < count; page++) if (held[page] === versionOn(pages, page, days)) fresh += 1;
  return fresh / count;
}
