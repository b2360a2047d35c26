/** A page of a trial; all times in seconds since 1970, or since the trial's own zero. */
export interface TrialPage {
  readonly path: string;
  readonly bornAt: number;
  /** Infinity if it is never deleted. */
  readonly goneAt: number;
  /** When it changed after its birth, ascending. */
  readonly changes: readonly number[];
}

/** A site whose every change is known. */
export interface TrialSite {
  readonly name: string;
  /** In path order. */
  readonly pages: readonly TrialPage[];
  readonly from: number;
  readonly until: number;
}

/** What a poll saw. */
export interface TrialPoll {
  /** Seconds since the poll before; undefined for the first. */
  readonly intervalSeconds: number | undefined;
  readonly changed: boolean;
  /** Seconds since the page's last change or birth. */
  readonly lastModifiedAgeSeconds: number;
}

/** Who decides which pages are polled. Pages are named by their places in the site. */
export interface Poller {
  readonly name: string;
  /** @param live - pages that exist now, ascending @param polledAt - by place; NaN if never */
  choose(now: number, live: readonly number[], polledAt: Float64Array, budget: number): readonly number[];
  note(page: number, poll: TrialPoll): void;
}

/** What a trial came to, over the time that is counted. */
export interface TrialResult {
  readonly poller: string;
  /** Mean share of the pages that exist whose copy is as they are. */
  readonly freshness: number;
  /** Mean time since a copy became another than its page, 0 for fresh ones, in days. */
  readonly ageDays: number;
  readonly polls: number;
  /** Polls that found a change, or a new page. */
  readonly useful: number;
}

const daySeconds = 86_400;

/** The least place in ascending numbers whose number is above a bound. */
function firstAbove(numbers: readonly number[], bound: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Sums how long copies were fresh and how old they were, exactly, between the instants at which they are taken. */
class Account {
  readonly #countFrom: number;
  fresh = 0;
  age = 0;
  total = 0;

  constructor(countFrom: number) {
    this.#countFrom = countFrom;
  }

  /** A copy that was taken at `taken` (NaN if there was none) and is the newest until `end`. */
  add(page: TrialPage, taken: number, end: number): void {
    const start = Math.max(this.#countFrom, Number.isNaN(taken) ? page.bornAt : taken);
    if (!(end > start)) return;
    const stale = Number.isNaN(taken)
      ? page.bornAt
      : (page.changes[firstAbove(page.changes, taken)] ?? Number.POSITIVE_INFINITY);
    this.total += end - start;
    this.fresh += Math.max(0, Math.min(end, stale) - start);
    if (stale < end) this.age += ((end - stale) ** 2 - Math.max(0, start - stale) ** 2) / 2;
  }
}

/**
 * Polls a site once a day, `budget` pages each time. The pages that exist at its beginning are held.
 *
 * @param countFromDay - days after which freshness and age are counted
 */
export function runTrial(site: TrialSite, poller: Poller, budget: number, countFromDay: number): TrialResult {
  const { pages, from, until } = site;
  const polledAt = new Float64Array(pages.length).fill(Number.NaN);
  for (const [at, page] of pages.entries()) if (page.bornAt <= from) polledAt[at] = from;
  const account = new Account(from + countFromDay * daySeconds);
  let polls = 0;
  let useful = 0;
  for (let now = from + daySeconds; now <= until; now += daySeconds) {
    const live: number[] = [];
    for (const [at, page] of pages.entries()) if (page.bornAt <= now && page.goneAt > now) live.push(at);
    const chosen = poller.choose(now, live, polledAt, budget);
    if (chosen.length > budget) throw new Error(`${poller.name} took ${chosen.length} of ${budget} polls`);
    for (const at of chosen) {
      const page = pages[at];
      if (page === undefined) throw new Error(`${poller.name} named no page: ${at}`);
      const taken = polledAt[at] ?? Number.NaN;
      account.add(page, taken, now);
      const last = page.changes[firstAbove(page.changes, now) - 1] ?? page.bornAt;
      const isFirst = Number.isNaN(taken);
      const changed = isFirst || last > taken;
      poller.note(at, {
        intervalSeconds: isFirst ? undefined : now - taken,
        changed,
        lastModifiedAgeSeconds: now - last,
      });
      polledAt[at] = now;
      if (now < from + countFromDay * daySeconds) continue;
      polls += 1;
      if (changed) useful += 1;
    }
  }
  for (const [at, page] of pages.entries()) {
    account.add(page, polledAt[at] ?? Number.NaN, Math.min(until, page.goneAt));
  }
  const { fresh, age, total } = account;
  return { poller: poller.name, freshness: fresh / total, ageDays: age / total / daySeconds, polls, useful };
}
