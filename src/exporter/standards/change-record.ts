import { type Change, pathOf } from "../../core/index.ts";
import type { ArchiveFolder } from "../publish/archive-files.ts";
import { readInterval } from "../publish/interval-merge.ts";
import type { Interval } from "../publish/ledger.ts";
import { countChanges } from "../publish/tiers.ts";
import type { Yielder } from "../publish/yielder.ts";

/** Of more changed pages all pages are looked at: that is cheaper than to look each of them up. */
const manyChanges = 50_000;

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
