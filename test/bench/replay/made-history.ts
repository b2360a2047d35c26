import { createRandom, type Random } from "../../interop/random.ts";
import { daySeconds, type History, type HistoryEvent } from "./history.ts";

/** Histories that no site lived through: they show what the two real ones do not. */
export const madeHistories = ["steady", "bursts", "quiet"] as const;

/** One of {@link madeHistories}. */
export type MadeHistory = (typeof madeHistories)[number];

/** Whether a word names a made-up history. */
export function isMadeHistory(word: string): word is MadeHistory {
  return (madeHistories as readonly string[]).includes(word);
}

interface Recipe {
  readonly pages: number;
  readonly changesOn: (day: number, random: Random) => number;
}

const recipes: Readonly<Record<MadeHistory, Recipe>> = {
  steady: { pages: 30_000, changesOn: () => 40 },
  // A few changes a day; each month a release rewrites a tenth of the site, each half-year all of it.
  bursts: {
    pages: 4000,
    changesOn: (day, random) => (day % 180 === 90 ? 4000 : day % 30 === 17 ? 400 : random.below(12)),
  },
  quiet: { pages: 1000, changesOn: (_, random) => 1 + random.below(2) },
};

const endings = ["html", "html", "html", "html", "html", "html", "png", "css", "pdf", "txt"] as const;
const historyDays = 731;
const firstDay = 19_000;

function nameOf(serial: number, random: Random): string {
  const folder = `section-${serial % 97}/${random.below(24)}`;
  return `${folder}/${random.below(36 ** 6).toString(36)}-${serial}.${endings[serial % endings.length]}`;
}

/** Makes a history of two years, always the same. Of ten changes, eight are updates, one adds and one deletes. */
export function makeHistory(name: MadeHistory): History {
  const { pages, changesOn } = recipes[name];
  const random = createRandom(1999);
  const live: string[] = [];
  const events: HistoryEvent[] = [];
  let serial = 0;
  const add = (time: number): void => {
    const path = nameOf(serial++, random);
    live.push(path);
    events.push({ time, path, sizeBytes: 200 + random.below(4000) });
  };
  // The pages of the first day are some three years old.
  for (let page = 0; page < pages; page++) add(firstDay * daySeconds - (pages - page) * Math.floor(94_608_000 / pages));
  for (let day = 1; day < historyDays; day++) {
    const count = changesOn(day, random);
    for (let change = 0; change < count; change++) {
      const time = (firstDay + day) * daySeconds + Math.floor((change * daySeconds) / count);
      const at = random.below(live.length);
      const path = live[at] ?? "";
      const kind = random.below(10);
      if (kind === 0) add(time);
      else if (kind === 1) {
        live[at] = live.at(-1) ?? "";
        live.pop();
        events.push({ time, path, sizeBytes: undefined });
      } else events.push({ time, path, sizeBytes: 200 + random.below(4000) });
    }
  }
  return { name: `made up: ${name}`, events };
}
