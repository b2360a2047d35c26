import { type Change, type EpochSeconds, pathOf } from "../../core/index.ts";
import type { ArchiveFolder } from "./archive-files.ts";
import { countChanges, readInterval } from "./interval-merge.ts";
import type { Interval } from "./ledger.ts";
import type { Yielder } from "./yielder.ts";

/** Of more changed pages all pages are looked at: that is cheaper than to look each of them up. */
const manyChanges = 50_000;

/**
 * The most detailed chain of intervals that tiles (from, to]: each publication by itself, as far back as they are kept.
 *
 * @returns in order of time; empty if `from` is `to`; undefined if there is none
 */
export function planFinestChain(
  intervals: readonly Interval[],
  from: EpochSeconds,
  to: EpochSeconds,
): Interval[] | undefined {
  const longest = new Map<EpochSeconds, { steps: number; last: Interval | undefined }>([
    [from, { steps: 0, last: undefined }],
  ]);
  for (const interval of [...intervals].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const start = longest.get(interval.from);
    if (start === undefined) continue;
    const steps = start.steps + 1;
    if (steps > (longest.get(interval.to)?.steps ?? 0)) longest.set(interval.to, { steps, last: interval });
  }
  const chain: Interval[] = [];
  for (let at = to; at !== from; ) {
    const last = longest.get(at)?.last;
    if (last === undefined) return undefined;
    chain.unshift(last);
    at = last.from;
  }
  return chain;
}

/**
 * What has changed since a publication, as the archives say it: so it is what readers are told, and it is there after
 * a crash at any instant.
 */
export class ChangeRecord {
  readonly #folder: ArchiveFolder;
  readonly #yielder: Yielder;
  readonly chain: readonly Interval[];

  constructor(folder: ArchiveFolder, chain: readonly Interval[], yielder: Yielder) {
    this.#folder = folder;
    this.chain = chain;
    this.#yielder = yielder;
  }

  /** Changes of an interval in path order, a segment at a time. @throws TidemarkError `archive-corrupt` */
  async *read(interval: Interval): AsyncGenerator<readonly Change[]> {
    for await (const segment of readInterval(this.#folder, interval)) {
      yield segment;
      await this.#yielder.pause();
    }
  }

  /**
   * Paths that changed, ascending.
   *
   * @param pages - how many the site has
   * @returns undefined if they are so many that all pages are to be looked at
   * @throws TidemarkError `archive-corrupt`
   */
  async paths(pages: number): Promise<readonly string[] | undefined> {
    const lines = this.chain.reduce((sum, interval) => sum + countChanges(interval), 0);
    if (lines > manyChanges || lines * 4 > pages) return undefined;
    const paths = new Set<string>();
    for (const interval of this.chain)
      for await (const segment of this.read(interval)) for (const change of segment) paths.add(pathOf(change));
    return [...paths].sort();
  }
}
